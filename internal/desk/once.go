package desk

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// once does something that makes a record, or gives the record of the first time it was asked
// with the same key. Record and answer are kept in one transaction: whoever repeats a request whose
// answer never arrived gets the record that exists, and no second one.
func once[T any](d *Desk, tx *store.Tx, a lost.Actor, o lost.Once, do func() (T, error)) (T, error) {
	if o.Key == "" {
		return do()
	}
	key := store.DirectoryHash(a.ID + "\n" + o.Key) // each actor has keys of its own
	first, found, err := tx.Answer(a.Account, key)
	var v T
	switch {
	case err != nil:
		return v, err
	case found && first.Request != o.Request:
		return v, lost.E(lost.Conflict, "This Idempotency-Key was used for another request. Use a new key for each new request.")
	case found:
		return v, d.seal.open(first.Sealed, &v)
	}
	if v, err = do(); err != nil {
		return v, err
	}
	sealed, err := d.seal.close(v)
	if err != nil {
		return v, err
	}
	return v, tx.SaveAnswer(a.Account, key, store.Answer{Request: o.Request, Sealed: sealed})
}

// sealer encrypts what lies in the database for a while: records with guests'
// data, and new API keys, which are otherwise kept nowhere.
type sealer struct{ aead cipher.AEAD }

func newSealer(secret []byte) (sealer, error) {
	if len(secret) < 16 {
		return sealer{}, errors.New("the service's secret is too short: it takes at least 16 bytes")
	}
	key, err := hkdf.Key(sha256.New, secret, nil, "homeward answers", 32)
	if err != nil {
		return sealer{}, fmt.Errorf("derive a key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return sealer{}, fmt.Errorf("make a cipher: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return sealer{aead}, err
}

func (s sealer) close(v any) (string, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("seal an answer: %w", err)
	}
	return base64.StdEncoding.EncodeToString(s.aead.Seal(nil, nil, plain, nil)), nil //nolint:gosec // G407: this AEAD draws its nonce itself and takes none
}

func (s sealer) open(sealed string, v any) error {
	raw, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil {
		return fmt.Errorf("open an answer: %w", err)
	}
	plain, err := s.aead.Open(nil, nil, raw, nil)
	if err != nil {
		return fmt.Errorf("open an answer (was the service's secret changed?): %w", err)
	}
	return json.Unmarshal(plain, v)
}

// randomText is a secret of 130 bits.
func randomText() string { return rand.Text() }
