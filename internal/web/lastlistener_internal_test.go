package web

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
)

// Connections that are established but not yet accepted when a listener stops are served, not reset.
func TestTheLastConnectionsAreAccepted(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux can stop listening at once")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	const clients = 3
	for range clients {
		c, err := net.Dial("tcp", l.Addr().String()) // the kernel establishes it without Accept
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	conns := acceptLast(l)
	if len(conns) != clients {
		t.Fatalf("accepted %d connections, want %d", len(conns), clients)
	}
	if c, err := net.Dial("tcp", l.Addr().String()); err == nil {
		_ = c.Close()
		t.Error("a new connection was established after the listener had stopped")
	}
	last := newLastListener(l)
	last.stopping.Store(true)
	go func() {
		for _, c := range conns {
			last.conns <- c
		}
	}()
	for n := range clients {
		c, err := last.Accept()
		if err != nil {
			t.Fatalf("connection %d: %v", n, err)
		}
		if _, err := c.Read(make([]byte, 1)); err != nil {
			t.Errorf("connection %d: %v", n, err)
		}
		_ = c.Close()
	}
	if err := last.Close(); err != nil {
		t.Error(err)
	}
	if _, err := last.Accept(); err == nil {
		t.Error("Accept returned a connection after Close")
	}
}

// The last connections of a TLS listener are encrypted too.
func TestTheLastConnectionsUseTLS(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux can stop listening at once")
	}
	sample := httptest.NewTLSServer(http.NotFoundHandler()) // for its certificate
	defer sample.Close()
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	raw, err := net.Dial("tcp", tcp.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	last := newLastListener(NewTLSListener(tcp, sample.TLS))
	go last.stop()
	served := make(chan error, 1)
	go func() {
		c, ok := (<-last.conns).(*tls.Conn)
		if !ok {
			served <- errors.New("the connection is not encrypted")
			return
		}
		served <- errors.Join(c.HandshakeContext(t.Context()), c.Close())
	}()
	trusted := x509.NewCertPool()
	trusted.AddCert(sample.Certificate())
	client := tls.Client(raw, &tls.Config{RootCAs: trusted, ServerName: "example.com"})
	if err := errors.Join(client.HandshakeContext(t.Context()), <-served); err != nil {
		t.Error(err)
	}
}
