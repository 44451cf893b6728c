package store

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// encrypter encrypts what must not lie in the database in clear: webhook secrets and headers, and answers
// kept for repeated requests, which hold guests' data and, once, new API keys.
type encrypter struct {
	keys  []encryptionKey         // the first seals; all of them open
	linkKeys map[string][]byte // by the print of their secret: keys that the tokens of links are derived with
	firstLinkKey []byte            // of these, the one that the database was first used with; nil where that is the present one
}

// encryptionKey is what follows from one secret of the service's.
type encryptionKey struct {
	aead  cipher.AEAD
	fingerprint string // tells the secret from others, and nothing about it
	linkKey []byte
}

// UseSecret gives the database the service's secret, and others that something may still be sealed with. Without it nothing sealed can be
// written or read, and nothing else is affected.
func (db *DB) UseSecret(secret []byte, others ...[]byte) error {
	s := encrypter{linkKeys: map[string][]byte{}}
	for _, each := range append([][]byte{secret}, others...) {
		k, err := newEncryptionKey(each)
		if err != nil {
			return err
		}
		if _, twice := s.linkKeys[k.fingerprint]; twice {
			continue
		}
		s.keys = append(s.keys, k)
		s.linkKeys[k.fingerprint] = k.linkKey
	}
	*db.encrypter = s
	return nil
}

func newEncryptionKey(secret []byte) (k encryptionKey, err error) {
	const least = 16
	if len(secret) < least {
		return k, errors.New("the service's secret is too short: it takes at least 16 bytes")
	}
	derive := func(what string, size int) (key []byte) {
		if err == nil {
			key, err = hkdf.Key(sha256.New, secret, nil, what, size)
		}
		return key
	}
	key, tell := derive("homeward sealed columns", 32), derive("homeward fingerprint", 16)
	k.linkKey = derive("homeward links", 32)
	if err != nil {
		return k, fmt.Errorf("derive a key: %w", err)
	}
	k.fingerprint = hex.EncodeToString(tell)
	block, err := aes.NewCipher(key)
	if err != nil {
		return k, fmt.Errorf("make a cipher: %w", err)
	}
	k.aead, err = cipher.NewGCMWithRandomNonce(block)
	return k, err
}

// SecretPrint tells a secret from others, and nothing about it.
func SecretPrint(secret []byte) (string, error) {
	k, err := newEncryptionKey(secret)
	return k.fingerprint, err
}

var errNoSecret = errors.New("the database was opened without the service's secret")

// prefixEnd ends what a sealed text begins with: which secret it was sealed with. Texts from before there were several have none.
const prefixEnd = "."

// prefixLength is how much of a secret's print that is.
const prefixLength = 12

func (k encryptionKey) prefix() string { return k.fingerprint[:prefixLength] + prefixEnd }

// encrypt seals a text; the empty one stays empty.
func (s *encrypter) encrypt(plain string) (string, error) {
	if len(s.keys) == 0 {
		return "", errNoSecret
	}
	if plain == "" {
		return "", nil
	}
	k := s.keys[0]
	return k.prefix() + base64.StdEncoding.EncodeToString(k.aead.Seal(nil, nil, []byte(plain), nil)), nil //nolint:gosec // G407: this AEAD draws its nonce itself and takes none
}

// decrypt gives the text back.
func (s *encrypter) decrypt(sealed string) (string, error) {
	if sealed == "" {
		return "", nil
	}
	if len(s.keys) == 0 {
		return "", errNoSecret
	}
	mark, text, marked := strings.Cut(sealed, prefixEnd)
	if !marked {
		mark, text = "", sealed
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return "", fmt.Errorf("open a sealed column: %w", err)
	}
	err = errors.New("no secret that is given sealed it")
	for _, k := range s.keys {
		if !strings.HasPrefix(k.fingerprint, mark) {
			continue
		}
		plain, wrong := k.aead.Open(nil, nil, raw, nil)
		if wrong == nil {
			return string(plain), nil
		}
		err = wrong
	}
	return "", fmt.Errorf("open a sealed column (was HOMEWARD_SECRET changed, and HOMEWARD_SECRET_OLD not set to the former one?): %w", err)
}
