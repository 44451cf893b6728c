// Package certificate has what the service proves its name with by TLS: a certificate that somebody else keeps in files, read again
// when they change, or one that is asked for, and renewed, by ACME.
package tlsconf

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Files gives the certificate in two files of PEM. They are looked at again at most once a second, and read again when one has changed; where
// what is then in them does not fit together, the certificate that was is kept, and the log says so once. One that has expired is used: whoever comes is
// told by their browser, and the others can be served.
type Files struct {
	cert, key string
	log       *slog.Logger
	now       func() time.Time

	mu     sync.Mutex
	looked time.Time
	seen   [2]stamp // of what is used
	told   [2]stamp // of what the log was last told of
	have   *tls.Certificate
}

// stamp tells whether a file is still the same.
type stamp struct {
	changed time.Time
	size    int64
}

// FromFiles reads the two files. What is wrong with them is wrong with the settings.
func FromFiles(cert, key string, log *slog.Logger, now func() time.Time) (*Files, error) {
	f := &Files{cert: cert, key: key, log: log, now: now}
	var err error
	if f.seen, err = f.stamps(); err != nil {
		return nil, err
	}
	f.looked, f.told = now(), f.seen
	if f.have, err = Read(cert, key); err == nil {
		f.tellExpired()
	}
	return f, err
}

// TLS is how a server proves its name with them.
func (f *Files) TLS() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: f.get, NextProtos: []string{"h2", "http/1.1"}}
}

// get gives the certificate as it is now.
func (f *Files) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	const fresh = time.Second
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := f.now(); now.Sub(f.looked) >= fresh {
		f.looked = now
		f.renew()
	}
	return f.have, nil
}

// renew reads the files again where they have changed. They are seldom replaced both in the same moment: a pair that does not fit is tried again
// at the next look.
func (f *Files) renew() {
	seen, err := f.stamps()
	if err == nil && seen == f.seen {
		return
	}
	var fresh *tls.Certificate
	if err == nil {
		fresh, err = Read(f.cert, f.key)
	}
	news := seen != f.told
	f.told = seen
	if err != nil && news {
		f.log.Warn("the certificate has changed and cannot be used: the one before it still is", "error", err)
	}
	if err != nil {
		return
	}
	f.seen, f.have = seen, fresh
	f.log.Info("the certificate was read again", "until", fresh.Leaf.NotAfter)
	f.tellExpired()
}

func (f *Files) tellExpired() {
	if until := f.have.Leaf.NotAfter; f.now().After(until) {
		f.log.Warn("the certificate has expired: put another in its place", "until", until)
	}
}

func (f *Files) stamps() (seen [2]stamp, err error) {
	for n, name := range []string{f.cert, f.key} {
		info, err := os.Stat(name)
		if err != nil {
			return seen, err
		}
		seen[n] = stamp{info.ModTime(), info.Size()}
	}
	return seen, nil
}

// Read reads a certificate and its key.
func Read(cert, key string) (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("read the certificate and its key: %w", err)
	}
	return &pair, nil
}
