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

// stamps sign when a form was shown, and for which location. A robot that sends forms without having looked
// at them has no stamp, or one that is too young or too old.
type stamps struct{ key []byte }

// Between these two ages a form is taken. People need longer than the one, and come back before the other.
const (
	youngest = 3 * time.Second
	oldest   = 24 * time.Hour
)

// make signs a form that is shown now. No two stamps are the same.
func (s stamps) make(location string, now time.Time) string {
	said := strconv.FormatInt(now.Unix(), 10) + "." + rand.Text()[:10]
	return said + "." + s.sign(location, said)
}

func (s stamps) sign(location, said string) string {
	return base64.RawURLEncoding.EncodeToString(s.mac("form " + location + " " + said))
}

func (s stamps) mac(text string) []byte {
	mac := hmac.New(sha256.New, s.key)
	_, _ = mac.Write([]byte(text))
	return mac.Sum(nil)
}

// age is how old a stamp of ours is; false for one that is not ours, or for another location.
func (s stamps) age(stamp, location string, now time.Time) (time.Duration, bool) {
	end := strings.LastIndexByte(stamp, '.')
	if end < 0 || !hmac.Equal([]byte(stamp[end+1:]), []byte(s.sign(location, stamp[:end]))) {
		return 0, false
	}
	seconds, _, _ := strings.Cut(stamp, ".")
	at, err := strconv.ParseInt(seconds, 10, 64)
	return now.Sub(time.Unix(at, 0)), err == nil
}

// decoyText is how tokens are written.
var decoyText = base32.StdEncoding.WithPadding(base32.NoPadding)

const decoyHalf = 10 // bytes: as many random ones as signed ones make something as long as a token

// decoy makes what looks like the token of a request that was filed, for a robot.
func (s stamps) decoy() string {
	var nonce [decoyHalf]byte
	_, _ = rand.Read(nonce[:]) // never fails
	return strings.ToLower(decoyText.EncodeToString(append(nonce[:], s.mac("decoy " + string(nonce[:]))[:decoyHalf]...)))
}

// isDecoy tells whether a token is one that was given to a robot.
func (s stamps) isDecoy(token string) bool {
	b, err := decoyText.DecodeString(strings.ToUpper(token))
	return err == nil && len(b) == 2*decoyHalf && hmac.Equal(b[decoyHalf:], s.mac("decoy " + string(b[:decoyHalf]))[:decoyHalf])
}
