package tlsconf_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"homeward/internal/tlsconf"
)

const host = "lost.example.com"

// pair returns a certificate and its key in PEM format.
func pair(t *testing.T, from, until time.Time) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host}, NotBefore: from,
		NotAfter: until,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: raw})
}

// lines is a log that can be written and read concurrently.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), text)
}

func (l *lines) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// A caller of Reload learns whether the files can be used, and logs it itself.
func TestReloadReturnsAnErrorForInvalidFiles(t *testing.T) {
	folder, now := t.TempDir(), time.Now()
	cert, key := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	write := func(certificate, private []byte) {
		t.Helper()
		for name, content := range map[string][]byte{cert: certificate, key: private} {
			if err := os.WriteFile(name, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	first, firstKey := pair(t, now.Add(-time.Hour), now.Add(time.Hour))
	write(first, firstKey)
	var logged lines
	files, err := tlsconf.NewFiles(cert, key, logged.logger(), func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	write([]byte("incomplete"), firstKey)
	if err := files.Reload(); err == nil {
		t.Error("incomplete files: Reload returned no error")
	}
	now = now.Add(time.Minute)
	if _, err := files.TLSConfig().GetCertificate(&tls.ClientHelloInfo{}); err != nil {
		t.Error(err)
	}
	if n := logged.count("certificate"); n != 0 {
		t.Errorf("logged %d lines after an error that was returned", n)
	}
	write(first, firstKey)
	if err := files.Reload(); err != nil || logged.count("was reloaded") != 1 {
		t.Errorf("valid files: %v, logged %d times", err, logged.count("was reloaded"))
	}
}

func TestAMismatchedPairIsLoggedOnce(t *testing.T) {
	folder, now := t.TempDir(), time.Now()
	cert, key := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	write := func(name string, content []byte) {
		t.Helper()
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	first, firstKey := pair(t, now.Add(-time.Hour), now.Add(time.Hour))
	write(cert, first)
	write(key, firstKey)
	var logged lines
	files, err := tlsconf.NewFiles(cert, key, logged.logger(), func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	connect := func(times int) *tls.Certificate {
		t.Helper()
		var served *tls.Certificate
		for range times {
			now = now.Add(2 * time.Second)
			if served, err = files.TLSConfig().GetCertificate(&tls.ClientHelloInfo{}); err != nil {
				t.Fatal(err)
			}
		}
		return served
	}
	write(cert, []byte("incomplete"))
	connect(5)
	if n := logged.count("cannot be used"); n != 1 {
		t.Errorf("logged %d times, want 1", n)
	}
	write(cert, []byte("still incomplete"))
	connect(5)
	if n := logged.count("cannot be used"); n != 2 {
		t.Errorf("logged %d times after the next change, want 2", n)
	}
	for _, name := range []string{cert, key} {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	connect(5)
	if n := logged.count("cannot be used"); n != 3 {
		t.Errorf("logged %d times after both files were removed, want 3", n)
	}
	old, oldKey := pair(t, now.Add(-time.Hour), now.Add(-time.Minute))
	write(cert, old)
	write(key, oldKey)
	if served := connect(5); !served.Leaf.NotAfter.Before(now) || logged.count("has expired") != 1 {
		t.Errorf("expired certificate until %s, logged %d times", served.Leaf.NotAfter, logged.count("has expired"))
	}
}

// memoryCache stores certificates in memory.
type memoryCache map[string][]byte

func (s memoryCache) Get(_ context.Context, name string) ([]byte, error) {
	if content, ok := s[name]; ok {
		return content, nil
	}
	return nil, tlsconf.ErrCacheMiss
}

func (s memoryCache) Put(context.Context, string, []byte) error { return nil }

func (s memoryCache) Delete(context.Context, string) error { return nil }

func TestAFailedRenewalIsLoggedEveryDay(t *testing.T) {
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		lifetime, left     time.Duration
		available, overdue int // the expected number of log lines in three days
	}{
		"new":              {90 * day, 60 * day, 1, 0},
		"about to expire":  {90 * day, 10 * day, 0, 3},
		"new, short-lived": {6 * day, 5*day + time.Hour, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cert, key := pair(t, time.Now().Add(c.left-c.lifetime), time.Now().Add(c.left))
				var logged lines
				manager, err := tlsconf.NewACME([]string{host}, "https://127.0.0.1:1/nobody", "",
					memoryCache{host: append(key, cert...)}, logged.logger())
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 3*day-time.Hour)
				defer cancel()
				manager.Run(ctx)
				available := logged.count("certificate available")
				overdue := logged.count("certificate renewal is overdue")
				if available != c.available || overdue != c.overdue {
					t.Errorf("logged available %d times and overdue %d times, want %d and %d",
						available, overdue, c.available, c.overdue)
				}
			})
		})
	}
}
