package guest

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

// formTokens issues and checks form tokens. A form token contains the time at which a form was shown, signed for one
// location. A bot that sends forms without loading them first has no token, or one that is too new or too old.
type formTokens struct{ key []byte }

// A form is accepted if its age is between minFormAge and maxFormAge. People need longer than minFormAge to fill it
// in.
const (
	minFormAge = 3 * time.Second
	maxFormAge = 24 * time.Hour
)

// issue returns a token for a form that is shown now. Each token is different.
func (s formTokens) issue(location string, now time.Time) string {
	content := strconv.FormatInt(now.Unix(), 10) + "." + rand.Text()[:10]
	return content + "." + s.sign(location, content)
}

func (s formTokens) sign(location, content string) string {
	return base64.RawURLEncoding.EncodeToString(s.mac("form " + location + " " + content))
}

func (s formTokens) mac(text string) []byte {
	mac := hmac.New(sha256.New, s.key)
	_, _ = mac.Write([]byte(text))
	return mac.Sum(nil)
}

// age returns the age of a token. It returns false if the signature is wrong or the token is for another location.
func (s formTokens) age(token, location string, now time.Time) (time.Duration, bool) {
	end := strings.LastIndexByte(token, '.')
	if end < 0 || !hmac.Equal([]byte(token[end+1:]), []byte(s.sign(location, token[:end]))) {
		return 0, false
	}
	seconds, _, _ := strings.Cut(token, ".")
	at, err := strconv.ParseInt(seconds, 10, 64)
	return now.Sub(time.Unix(at, 0)), err == nil
}

// decoyEncoding is the encoding that link tokens use.
var decoyEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// decoyHalf is the number of random bytes in a decoy, and also the number of signature bytes. Together they are as
// long as a link token.
const decoyHalf = 10

// decoy returns a string that looks like a link token. A bot gets it instead of the link to a filed report.
func (s formTokens) decoy() string {
	var nonce [decoyHalf]byte
	_, _ = rand.Read(nonce[:]) // never fails
	return strings.ToLower(decoyEncoding.EncodeToString(append(nonce[:], s.signDecoy(nonce[:])...)))
}

// isDecoy reports whether a token was made by decoy.
func (s formTokens) isDecoy(token string) bool {
	b, err := decoyEncoding.DecodeString(strings.ToUpper(token))
	return err == nil && len(b) == 2*decoyHalf && hmac.Equal(b[decoyHalf:], s.signDecoy(b[:decoyHalf]))
}

func (s formTokens) signDecoy(nonce []byte) []byte {
	return s.mac("decoy " + string(nonce))[:decoyHalf]
}
