// Package pushtest is a push service with browsers for tests. It decrypts what it receives as a browser does (RFC
// 8291), and checks the signature of the sender (RFC 8292).
package pushtest

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/lost/notice"
)

// Server is a push service.
type Server struct {
	URL string

	t        testing.TB
	mu       sync.Mutex
	status   int
	browsers map[string]*Browser
	faults   []string
}

// Browser is a browser that has subscribed.
type Browser struct {
	server *Server
	path   string
	key    *ecdh.PrivateKey
	secret []byte

	mu       sync.Mutex
	received []string
}

// Start runs a push service until the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{t: t, status: http.StatusCreated, browsers: map[string]*Browser{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// SetStatus sets the status of all following responses.
func (s *Server) SetStatus(code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = code
}

// NewBrowser returns a browser that has subscribed.
func (s *Server) NewBrowser() *Browser {
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	b := &Browser{server: s, path: "/" + rand.Text(), key: key, secret: []byte(rand.Text())[:16]}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.browsers[b.path] = b
	return b
}

// Subscription returns what the browser tells the service.
func (b *Browser) Subscription() notice.Subscription {
	return notice.Subscription{
		Endpoint:   b.server.URL + b.path,
		PublicKey:  base64.RawURLEncoding.EncodeToString(b.key.PublicKey().Bytes()),
		AuthSecret: base64.RawURLEncoding.EncodeToString(b.secret),
	}
}

// Received returns the decrypted messages.
func (b *Browser) Received() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.received...)
}

// Faults returns what was wrong with the requests.
func (s *Server) Faults() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.faults...)
}

// ServeHTTP receives a message.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	b, status := s.browsers[r.URL.Path], s.status
	s.mu.Unlock()
	if b == nil {
		w.WriteHeader(http.StatusGone)
		return
	}
	if status >= http.StatusMultipleChoices {
		w.WriteHeader(status)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	var text string
	if err == nil {
		text, err = b.decrypt(body)
	}
	if err == nil {
		err = checkHeaders(r, s.URL)
	}
	if err != nil {
		s.mu.Lock()
		s.faults = append(s.faults, err.Error())
		s.mu.Unlock()
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	b.mu.Lock()
	b.received = append(b.received, text)
	b.mu.Unlock()
	w.WriteHeader(status)
}

// decrypt decrypts a message with one record, RFC 8291 section 3.4.
func (b *Browser) decrypt(body []byte) (string, error) {
	const header = 16 + 4 + 1 + 65
	if len(body) < header || body[20] != 65 || binary.BigEndian.Uint32(body[16:20]) < uint32(len(body)-header) {
		return "", errors.New("the header of the message is wrong")
	}
	salt, sender := body[:16], body[21:header]
	public, err := ecdh.P256().NewPublicKey(sender)
	if err != nil {
		return "", err
	}
	shared, err := b.key.ECDH(public)
	if err != nil {
		return "", err
	}
	info := "WebPush: info\x00" + string(b.key.PublicKey().Bytes()) + string(sender)
	secret, err := hkdf.Key(sha256.New, shared, b.secret, info, 32)
	if err != nil {
		return "", err
	}
	key, err := hkdf.Key(sha256.New, secret, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return "", err
	}
	nonce, err := hkdf.Key(sha256.New, secret, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return "", err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return "", err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return "", err
	}
	plain, err := aead.Open(nil, nonce, body[header:], nil)
	if err != nil {
		return "", err
	}
	text := strings.TrimRight(string(plain), "\x00")
	if !strings.HasSuffix(text, "\x02") {
		return "", errors.New("the last record is not marked")
	}
	return strings.TrimSuffix(text, "\x02"), nil
}

// checkHeaders checks the headers that the standards require, and the signature.
func checkHeaders(r *http.Request, audience string) error {
	if r.Header.Get("Content-Encoding") != "aes128gcm" || r.Header.Get("TTL") == "" {
		return fmt.Errorf("got headers %v", r.Header)
	}
	if r.Header.Get("Cookie") != "" {
		return errors.New("the request has cookies")
	}
	parts, found := strings.CutPrefix(r.Header.Get("Authorization"), "vapid t=")
	token, key, both := strings.Cut(parts, ", k=")
	if !found || !both {
		return fmt.Errorf("got Authorization %q", r.Header.Get("Authorization"))
	}
	signed, signature, _ := cutLast(token)
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), decode(key))
	if err != nil {
		return fmt.Errorf("got the key %q: %w", key, err)
	}
	sum, raw := sha256.Sum256([]byte(signed)), decode(signature)
	if len(raw) != 64 {
		return errors.New("the signature has the wrong length")
	}
	if !ecdsa.Verify(public, sum[:], new(big.Int).SetBytes(raw[:32]), new(big.Int).SetBytes(raw[32:])) {
		return errors.New("the signature is wrong")
	}
	var claims struct {
		Aud, Sub string
		Exp      int64
	}
	_, payload, _ := strings.Cut(signed, ".")
	if err := json.Unmarshal(decode(payload), &claims); err != nil {
		return err
	}
	if claims.Aud != audience || claims.Sub == "" || time.Until(time.Unix(claims.Exp, 0)) > 24*time.Hour {
		return fmt.Errorf("got claims %+v", claims)
	}
	return nil
}

func decode(text string) []byte {
	b, _ := base64.RawURLEncoding.DecodeString(text) // the caller checks what it contains
	return b
}

func cutLast(token string) (before, after string, found bool) {
	n := strings.LastIndexByte(token, '.')
	if n < 0 {
		return token, "", false
	}
	return token[:n], token[n+1:], true
}
