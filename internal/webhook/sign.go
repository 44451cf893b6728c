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

// The signature headers: the service's own header, and the three headers defined by Standard Webhooks.
const (
	headerSignature         = "Svc-Signature"
	headerID                = "Webhook-Id"
	headerTimestamp         = "Webhook-Timestamp"
	headerStandardSignature = "Webhook-Signature"

	// These are not signed, because they only help receivers to recognise duplicates and tests.
	headerEventID = "Svc-Event-Id"
	headerTest    = "Svc-Test"
)

// secretPrefix is the prefix of every secret. It helps people and secret scanners to recognise one.
const secretPrefix = "whsec_"

// Tolerance is how far the receiver's clock may differ from the signed time before Verify returns ErrStale.
const Tolerance = 5 * time.Minute

// Errors returned by Verify.
var (
	ErrUnsigned     = errors.New("the request has no readable signature")
	ErrBadSignature = errors.New("the signature does not match the secret and the body")
	ErrStale        = errors.New("the signed time is too old or in the future")
)

// NewSecret returns a random secret of 32 bytes.
func NewSecret() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // crypto/rand.Read never returns an error
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

// IsSecret reports whether s has the format of a secret.
func IsSecret(s string) bool {
	encoded, ok := strings.CutPrefix(s, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(encoded)
	return ok && err == nil && len(key) == 32
}

// Headers returns the signature headers for a body. It signs with every secret, newest first, so that a receiver can
// use either secret during a rotation.
//
// The key for svc-signature is the whole secret string, as with Stripe. The key for webhook-signature is the bytes
// that the secret encodes, as in Standard Webhooks. The same secret therefore works for both. The ID is the same in
// every attempt of a delivery, but the time is not.
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

// Verify checks that a request is authentic and recent. Both signatures must be present and correct. It compares them
// in constant time and returns ErrUnsigned, ErrBadSignature or ErrStale if the check fails.
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

// signature returns the HMAC of the prefix, a dot and the body.
func signature(key []byte, prefix string, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(prefix + "."))
	mac.Write(body)
	return mac.Sum(nil)
}

// standardKey returns the HMAC key defined by Standard Webhooks: the bytes that the secret encodes. If a secret is
// not valid base64, the key is the secret itself; NewSecret never returns such a secret.
func standardKey(secret string) []byte {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	if err != nil {
		return []byte(secret)
	}
	return key
}

// parseOwn parses a header value like t=…,v1=…,v1=… and ignores unknown parts.
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

// parseStandard parses a header value like "v1,… v1,…".
func parseStandard(value string) (signatures [][]byte) {
	for part := range strings.FieldsSeq(value) {
		text, ok := strings.CutPrefix(part, "v1,")
		if s, err := base64.StdEncoding.DecodeString(text); ok && err == nil {
			signatures = append(signatures, s)
		}
	}
	return signatures
}

// anyEqual reports whether any of the signatures equals want. It compares all of them in constant time.
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
