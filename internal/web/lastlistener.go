package web

import (
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// lastListener also returns connections that were accepted while its listener stopped.
type lastListener struct {
	net.Listener
	stopping atomic.Bool // stop was called
	conns    chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

func newLastListener(l net.Listener) *lastListener {
	return &lastListener{Listener: l, conns: make(chan net.Conn), closed: make(chan struct{})}
}

// Accept returns the next connection. After stop, it returns the last connections, and then waits for Close.
func (l *lastListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil || !l.stopping.Load() {
		return c, err
	}
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, err
	}
}

// stop stops listening, and passes the connections that are established to Accept. Those that are not accepted within
// acceptTime are closed.
func (l *lastListener) stop() {
	l.stopping.Store(true)
	timeout := time.After(acceptTime)
	for _, c := range acceptLast(l.Listener) {
		if encrypted, ok := l.Listener.(tlsListener); ok { // acceptLast returns TCP connections
			c = tls.Server(c, encrypted.config)
		}
		select {
		case l.conns <- c:
		case <-timeout:
			_ = c.Close()
		}
	}
}

// Close stops listening.
func (l *lastListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}
