package guest

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"time"

	"homeward/internal/lost"
)

// registerTokens makes the tokens with which visitors name a find in a location's public register. A token is the
// encrypted id of the find, so that it tells nothing, and nobody can make one for another item. It is different on
// every day, so that a find cannot be followed by its token, and valid for registerTokenDays.
type registerTokens struct {
	key    []byte // for nonces
	cipher cipher.AEAD
}

// registerTokenDays is how many days after the day of its issue a token can be used: longer than a form can.
const registerTokenDays = 2

// newRegisterTokens derives the keys of tokens from the key of form tokens.
func newRegisterTokens(key []byte) (t registerTokens, err error) {
	derive := func(purpose string) []byte {
		mac := hmac.New(sha256.New, key)
		_, _ = mac.Write([]byte("register " + purpose))
		return mac.Sum(nil)
	}
	block, err := aes.NewCipher(derive("encryption"))
	if err != nil {
		return t, err
	}
	t.key = derive("nonce")
	t.cipher, err = cipher.NewGCM(block)
	return t, err
}

// issue returns the token of a find for one day. The nonce is derived from everything that is encrypted, so that a find
// has one token a day, and no nonce is used for two texts.
func (t registerTokens) issue(location, item string, now time.Time) string {
	content := []byte(now.UTC().Format(lost.DateLayout) + " " + item)
	mac := hmac.New(sha256.New, t.key)
	_, _ = mac.Write([]byte(location + "\n"))
	_, _ = mac.Write(content)
	nonce := mac.Sum(nil)[:t.cipher.NonceSize()]
	return base64.RawURLEncoding.EncodeToString(t.cipher.Seal(nonce, nonce, content, []byte(location)))
}

// open returns the id of the find that a token of a location names. It returns false if the token is not valid.
func (t registerTokens) open(location, token string, now time.Time) (item string, ok bool) {
	sealed, err := base64.RawURLEncoding.DecodeString(token)
	if size := t.cipher.NonceSize(); err == nil && len(sealed) > size {
		content, err := t.cipher.Open(nil, sealed[:size], sealed[size:], []byte(location))
		day, item, found := strings.Cut(string(content), " ")
		oldest := now.UTC().AddDate(0, 0, -registerTokenDays).Format(lost.DateLayout)
		if err == nil && found && day >= oldest {
			return item, true
		}
	}
	return "", false
}
