package store

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
)

// sealer encrypts what must not lie in the database in clear: webhook secrets and headers, and answers
// kept for repeated requests, which hold guests' data and, once, new API keys.
type sealer struct {
	aead  cipher.AEAD
	print string // tells the secret from others, and nothing about it
	links []byte // key that the tokens of links are derived with
}

// UseSecret gives the database the service's secret. Without it nothing sealed can be written or read,
// and nothing else is affected.
func (db *DB) UseSecret(secret []byte) error {
	const least = 16
	if len(secret) < least {
		return errors.New("the service's secret is too short: it takes at least 16 bytes")
	}
	key, err := hkdf.Key(sha256.New, secret, nil, "homeward sealed columns", 32)
	if err != nil {
		return fmt.Errorf("derive a key: %w", err)
	}
	if db.seal.print, err = SecretPrint(secret); err != nil {
		return err
	}
	if db.seal.links, err = hkdf.Key(sha256.New, secret, nil, "homeward links", 32); err != nil {
		return fmt.Errorf("derive a key for links: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return fmt.Errorf("make a cipher: %w", err)
	}
	db.seal.aead, err = cipher.NewGCMWithRandomNonce(block)
	return err
}

// SecretPrint tells a secret from others, and nothing about it.
func SecretPrint(secret []byte) (string, error) {
	tell, err := hkdf.Key(sha256.New, secret, nil, "homeward fingerprint", 16)
	if err != nil {
		return "", fmt.Errorf("derive a fingerprint: %w", err)
	}
	return hex.EncodeToString(tell), nil
}

// secretEntry is where the directory keeps what tells one secret from another.
const secretEntry DirectoryKind = "secret"

// CheckSecret is nil when the secret is the one that the database was first used with. With another, what is
// sealed could not be opened, which nobody would notice until they need it.
func (db *DB) CheckSecret(ctx context.Context) error {
	return db.Write(ctx, func(tx *Tx) error {
		first, found, err := tx.Lookup(tx.ctx, secretEntry, "")
		if err != nil {
			return err
		}
		if !found {
			return tx.AddEntry(secretEntry, "", Entry{Subject: tx.seal.print})
		}
		if first.Subject != tx.seal.print {
			return errors.New("this is not the secret that the database was first used with; every copy of the service needs the same")
		}
		return nil
	})
}

var errNoSecret = errors.New("the database was opened without the service's secret")

// close seals a text; the empty one stays empty.
func (s *sealer) close(plain string) (string, error) {
	if s.aead == nil {
		return "", errNoSecret
	}
	if plain == "" {
		return "", nil
	}
	return base64.StdEncoding.EncodeToString(s.aead.Seal(nil, nil, []byte(plain), nil)), nil //nolint:gosec // G407: this AEAD draws its nonce itself and takes none
}

// open gives the text back.
func (s *sealer) open(sealed string) (string, error) {
	if sealed == "" {
		return "", nil
	}
	if s.aead == nil {
		return "", errNoSecret
	}
	raw, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil {
		return "", fmt.Errorf("open a sealed column: %w", err)
	}
	plain, err := s.aead.Open(nil, nil, raw, nil)
	if err != nil {
		return "", fmt.Errorf("open a sealed column (was HOMEWARD_SECRET changed?): %w", err)
	}
	return string(plain), nil
}
