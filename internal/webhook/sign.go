package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The signature headers: the service's own, and the three of Standard Webhooks.
const (
	headerSignature         = "Svc-Signature"
	headerID                = "Webhook-Id"
	headerTimestamp         = "Webhook-Timestamp"
	headerStandardSignature = "Webhook-Signature"

	headerEventID = "Svc-Event-Id" // not signed: it only helps receivers to recognise duplicates
)

// secretPrefix begins every secret, so that people and secret scanners recognise it.
const secretPrefix = "whsec_"

// Tolerance is how much the clocks of receiver and service may differ before Verify treats a request as a replay.
const Tolerance = 5 * time.Minute

// The errors of Verify.
var (
	ErrUnsigned     = errors.New("the request has no readable signature")
	ErrBadSignature = errors.New("the signature does not match the secret and the body")
	ErrStale        = errors.New("the signature is too old, or from the future")
)

// NewSecret returns a random secret of 32 bytes.
func NewSecret() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

// IsSecret reports whether s has the format of a secret.
func IsSecret(s string) bool {
	encoded, ok := strings.CutPrefix(s, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(encoded)
	return ok && err == nil && len(key) == 32
}

// Headers signs a body with every secret, the newest first, so that a receiver can use either one during a rotation.
//
// svc-signature is keyed with the whole secret string, like Stripe's, and webhook-signature with the bytes that the
// secret encodes, like Standard Webhooks: the same secret works for both. The id is the same on every attempt, the time
// is not.
func Headers(secrets []string, id string, at time.Time, body []byte) http.Header {
	unix := strconv.FormatInt(at.Unix(), 10)
	own, standard := "t="+unix, make([]string, len(secrets))
	for i, secret := range secrets {
		own += ",v1=" + hex.EncodeToString(signature([]byte(secret), unix, body))
		standard[i] = "v1," + base64.StdEncoding.EncodeToString(signature(standardKey(secret), id+"."+unix, body))
	}
	return http.Header{
		headerSignature:         {own},
		headerID:                {id},
		headerTimestamp:         {unix},
		headerStandardSignature: {strings.Join(standard, " ")},
	}
}

// Verify checks that a request is authentic and recent: both kinds of signature must be present and correct. It
// compares in constant time.
func Verify(secret string, header http.Header, body []byte, now time.Time) error {
	unix, own := parseOwn(header.Get(headerSignature))
	id, standardUnix := header.Get(headerID), header.Get(headerTimestamp)
	standard := parseStandard(header.Get(headerStandardSignature))
	if len(own) == 0 || len(standard) == 0 {
		return ErrUnsigned
	}
	if !anyEqual(own, signature([]byte(secret), unix, body)) ||
		!anyEqual(standard, signature(standardKey(secret), id+"."+standardUnix, body)) {
		return ErrBadSignature
	}
	if !isRecent(unix, now) || !isRecent(standardUnix, now) {
		return ErrStale
	}
	return nil
}

// signature returns the HMAC of a prefix, a dot and the body.
func signature(key []byte, prefix string, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(prefix + "."))
	mac.Write(body)
	return mac.Sum(nil)
}

// standardKey returns the HMAC key of Standard Webhooks: the bytes that the secret encodes. If a secret is not valid
// base64, which NewSecret never returns, the key is the secret itself.
func standardKey(secret string) []byte {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	if err != nil {
		return []byte(secret)
	}
	return key
}

// parseOwn parses t=…,v1=…,v1=… and ignores unknown parts.
func parseOwn(value string) (unix string, signatures [][]byte) {
	for part := range strings.SplitSeq(value, ",") {
		switch name, text, _ := strings.Cut(part, "="); name {
		case "t":
			unix = text
		case "v1":
			if s, err := hex.DecodeString(text); err == nil {
				signatures = append(signatures, s)
			}
		}
	}
	return unix, signatures
}

// parseStandard parses "v1,… v1,…".
func parseStandard(value string) (signatures [][]byte) {
	for part := range strings.FieldsSeq(value) {
		text, ok := strings.CutPrefix(part, "v1,")
		if s, err := base64.StdEncoding.DecodeString(text); ok && err == nil {
			signatures = append(signatures, s)
		}
	}
	return signatures
}

// anyEqual compares all signatures in constant time.
func anyEqual(got [][]byte, want []byte) bool {
	found := false
	for _, g := range got {
		found = hmac.Equal(g, want) || found
	}
	return found
}

func isRecent(unix string, now time.Time) bool {
	seconds, err := strconv.ParseInt(unix, 10, 64)
	return err == nil && now.Sub(time.Unix(seconds, 0)).Abs() <= Tolerance
}
