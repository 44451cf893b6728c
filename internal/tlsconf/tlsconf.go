// Package tlsconf provides the service's TLS certificate. The certificate is either read from files that another
// program maintains, and read again when they change, or requested and renewed with ACME.
package tlsconf

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Files reads the certificate from two PEM files. The files are checked at most once a second, and read again when
// one of them has changed. If the new files cannot be used, the previous certificate stays in use, and a warning is
// logged once. An expired certificate also stays in use: browsers warn about it, but some clients still connect.
type Files struct {
	cert, key string
	log       *slog.Logger
	now       func() time.Time

	mu        sync.Mutex
	checkedAt time.Time
	seen      [2]stamp // the versions of the files in use
	read      [2]stamp // the versions of the files when they were last read
	current   *tls.Certificate
}

// stamp identifies a version of a file.
type stamp struct {
	changed time.Time
	size    int64
}

// NewFiles reads the two files. It returns an error if they cannot be used.
func NewFiles(cert, key string, log *slog.Logger, now func() time.Time) (*Files, error) {
	f := &Files{cert: cert, key: key, log: log, now: now}
	var err error
	if f.seen, err = f.stamps(); err != nil {
		return nil, err
	}
	f.checkedAt, f.read = now(), f.seen
	if f.current, err = Load(cert, key); err == nil {
		f.logExpired()
	}
	return f, err
}

// TLSConfig returns the server configuration.
func (f *Files) TLSConfig() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: f.get, NextProtos: []string{"h2", "http/1.1"}}
}

// get returns the current certificate, after reloading the files if necessary.
func (f *Files) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	const checkInterval = time.Second
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := f.now(); now.Sub(f.checkedAt) >= checkInterval {
		f.checkedAt = now
		if changed, err := f.reload(); err != nil && changed {
			f.log.Warn("the new certificate cannot be used; the previous one stays in use", "error", err)
		}
	}
	return f.current, nil
}

// Reload reads the files now, even if they seem unchanged. It returns an error if they cannot be used; the previous
// certificate then stays in use.
func (f *Files) Reload() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.checkedAt, f.seen = f.now(), [2]stamp{}
	_, err := f.reload()
	return err
}

// reload reads the files again if they have changed. The two files are rarely replaced at exactly the same time, so
// if they do not match, they are read again at the next check. changed is false if the error was returned before.
func (f *Files) reload() (changed bool, err error) {
	seen, err := f.stamps()
	if err == nil && seen == f.seen {
		return false, nil
	}
	var loaded *tls.Certificate
	if err == nil {
		loaded, err = Load(f.cert, f.key)
	}
	changed = seen != f.read
	f.read = seen
	if err != nil {
		return changed, err
	}
	f.seen, f.current = seen, loaded
	f.log.Info("the certificate was reloaded", "until", loaded.Leaf.NotAfter)
	f.logExpired()
	return true, nil
}

func (f *Files) logExpired() {
	if until := f.current.Leaf.NotAfter; f.now().After(until) {
		f.log.Warn("the certificate has expired; replace it", "until", until)
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

// Load reads a certificate and its key. It returns an error if they do not match.
func Load(cert, key string) (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("read the certificate and its key: %w", err)
	}
	return &pair, nil
}
