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

// encrypter encrypts data that must not be stored in plain text: webhook secrets and headers, TOTP
// seeds, and the responses stored for idempotency keys, which contain guests' data and may contain
// new API keys.
type encrypter struct {
	keys     []encryptionKey   // the first one encrypts; any of them can decrypt
	linkKeys map[string][]byte // keys for deriving link tokens, by the fingerprint of the secret
	// firstLinkKey is the link key of the first secret that the database was used with; nil if that
	// secret is the current one.
	firstLinkKey []byte
}

// encryptionKey holds the keys derived from one of the service's secrets.
type encryptionKey struct {
	aead        cipher.AEAD
	fingerprint string // identifies the secret without revealing it
	linkKey     []byte
}

// UseSecret sets the service's secret, and the former secrets that existing data may be encrypted
// with. Without a secret, encrypted columns can be neither read nor written; everything else works.
func (db *DB) UseSecret(secret []byte, former ...[]byte) error {
	s := encrypter{linkKeys: map[string][]byte{}}
	for _, value := range append([][]byte{secret}, former...) {
		k, err := newEncryptionKey(value)
		if err != nil {
			return err
		}
		if _, ok := s.linkKeys[k.fingerprint]; ok {
			continue
		}
		s.keys = append(s.keys, k)
		s.linkKeys[k.fingerprint] = k.linkKey
	}
	*db.encrypter = s
	return nil
}

func newEncryptionKey(secret []byte) (k encryptionKey, err error) {
	const minLength = 16
	if len(secret) < minLength {
		return k, errors.New("the service's secret is too short: it must have at least 16 bytes")
	}
	derive := func(purpose string, size int) (key []byte) {
		if err == nil {
			key, err = hkdf.Key(sha256.New, secret, nil, purpose, size)
		}
		return key
	}
	key, fingerprint := derive("homeward sealed columns", 32), derive("homeward fingerprint", 16)
	k.linkKey = derive("homeward links", 32)
	if err != nil {
		return k, fmt.Errorf("derive a key: %w", err)
	}
	k.fingerprint = hex.EncodeToString(fingerprint)
	block, err := aes.NewCipher(key)
	if err != nil {
		return k, fmt.Errorf("create a cipher: %w", err)
	}
	k.aead, err = cipher.NewGCMWithRandomNonce(block)
	return k, err
}

// SecretFingerprint returns a fingerprint that identifies a secret without revealing it.
func SecretFingerprint(secret []byte) (string, error) {
	k, err := newEncryptionKey(secret)
	return k.fingerprint, err
}

var errNoSecret = errors.New("the database was opened without the service's secret")

// prefixEnd ends the prefix of an encrypted text. The prefix identifies the secret that the text
// was encrypted with. Texts that were encrypted before the first rotation have no prefix.
const prefixEnd = "."

// prefixLength is the number of characters of the fingerprint in the prefix.
const prefixLength = 12

func (k encryptionKey) prefix() string { return k.fingerprint[:prefixLength] + prefixEnd }

// encrypt encrypts a string. It returns an empty string unchanged.
func (s *encrypter) encrypt(plain string) (string, error) {
	if len(s.keys) == 0 {
		return "", errNoSecret
	}
	if plain == "" {
		return "", nil
	}
	k := s.keys[0]
	sealed := k.aead.Seal(nil, nil, []byte(plain), nil) //nolint:gosec // G407: this AEAD generates its own nonce
	return k.prefix() + base64.StdEncoding.EncodeToString(sealed), nil
}

func (s *encrypter) decrypt(encrypted string) (string, error) {
	if encrypted == "" {
		return "", nil
	}
	if len(s.keys) == 0 {
		return "", errNoSecret
	}
	prefix, text, hasPrefix := strings.Cut(encrypted, prefixEnd)
	if !hasPrefix {
		prefix, text = "", encrypted
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return "", fmt.Errorf("decrypt a column: %w", err)
	}
	err = errors.New("encrypted with a secret that is not configured")
	for _, k := range s.keys {
		if !strings.HasPrefix(k.fingerprint, prefix) {
			continue
		}
		plain, openErr := k.aead.Open(nil, nil, raw, nil)
		if openErr == nil {
			return string(plain), nil
		}
		err = openErr
	}
	return "",
		fmt.Errorf("decrypt a column (if HOMEWARD_SECRET was changed, set HOMEWARD_SECRET_OLD to the old one): %w",
			err)
}
