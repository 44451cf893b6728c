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

// The headers that carry the signatures: ours, and the three of Standard Webhooks.
const (
	headerSignature         = "Svc-Signature"
	headerID                = "Webhook-Id"
	headerTimestamp         = "Webhook-Timestamp"
	headerStandardSignature = "Webhook-Signature"

	headerEventID = "Svc-Event-Id" // not signed: it helps to tell repetitions, nothing more
)

// secretPrefix begins every secret, so that people and scanners know one when
// they see it.
const secretPrefix = "whsec_"

// Tolerance is how far a receiver's clock and ours may be apart before Verify
// takes a request for an old one that somebody sends again.
const Tolerance = 5 * time.Minute

// What Verify may find.
var (
	ErrUnsigned     = errors.New("there is no readable signature")
	ErrBadSignature = errors.New("the signature was not made with this secret for this body")
	ErrStale        = errors.New("the signature is too old, or from the future")
)

// NewSecret makes a secret that nobody can guess.
func NewSecret() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

// IsSecret tells whether a text has the form of a secret.
func IsSecret(s string) bool {
	encoded, ok := strings.CutPrefix(s, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(encoded)
	return ok && err == nil && len(key) == 32
}

// Headers signs a body with every secret, the newest first, so that during a
// rotation a receiver may know either.
//
// svc-signature is keyed with the whole secret string, as Stripe's libraries do
// it, and webhook-signature with the bytes that the secret encodes, as Standard
// Webhooks has it: the same secret serves both. The id is the same on every
// attempt, the time is not.
func Headers(secrets []string, id string, at time.Time, body []byte) http.Header {
	unix := strconv.FormatInt(at.Unix(), 10)
	ours, standard := "t="+unix, make([]string, len(secrets))
	for i, secret := range secrets {
		ours += ",v1=" + hex.EncodeToString(signature([]byte(secret), unix, body))
		standard[i] = "v1," + base64.StdEncoding.EncodeToString(signature(standardKey(secret), id+"."+unix, body))
	}
	return http.Header{
		headerSignature:         {ours},
		headerID:                {id},
		headerTimestamp:         {unix},
		headerStandardSignature: {strings.Join(standard, " ")},
	}
}

// Verify tells a receiver whether a request is ours and recent: both kinds of
// signature must be there and right. It takes the same time whichever byte of a
// signature is wrong.
func Verify(secret string, header http.Header, body []byte, now time.Time) error {
	unix, ours := parseOurs(header.Get(headerSignature))
	id, standardUnix := header.Get(headerID), header.Get(headerTimestamp)
	standard := parseStandard(header.Get(headerStandardSignature))
	if len(ours) == 0 || len(standard) == 0 {
		return ErrUnsigned
	}
	if !anyEqual(ours, signature([]byte(secret), unix, body)) ||
		!anyEqual(standard, signature(standardKey(secret), id+"."+standardUnix, body)) {
		return ErrBadSignature
	}
	if !recent(unix, now) || !recent(standardUnix, now) {
		return ErrStale
	}
	return nil
}

// signature is the HMAC of what comes before the body, a dot, and the body.
func signature(key []byte, before string, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(before + "."))
	mac.Write(body)
	return mac.Sum(nil)
}

// standardKey is what Standard Webhooks keys with. A secret that does not encode
// anything, which NewSecret never makes, stands for its own bytes.
func standardKey(secret string) []byte {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	if err != nil {
		return []byte(secret)
	}
	return key
}

// parseOurs takes t=…,v1=…,v1=… apart. Parts that it does not know are for others.
func parseOurs(value string) (unix string, signatures [][]byte) {
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

// parseStandard takes "v1,… v1,…" apart.
func parseStandard(value string) (signatures [][]byte) {
	for part := range strings.FieldsSeq(value) {
		text, ok := strings.CutPrefix(part, "v1,")
		if s, err := base64.StdEncoding.DecodeString(text); ok && err == nil {
			signatures = append(signatures, s)
		}
	}
	return signatures
}

func anyEqual(got [][]byte, want []byte) bool {
	found := false
	for _, g := range got {
		found = hmac.Equal(g, want) || found
	}
	return found
}

func recent(unix string, now time.Time) bool {
	seconds, err := strconv.ParseInt(unix, 10, 64)
	return err == nil && now.Sub(time.Unix(seconds, 0)).Abs() <= Tolerance
}
