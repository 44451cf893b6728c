package web

import (
	"crypto/tls"
	"errors"
	"net"
	"syscall"
)

// tlsListener is a TLS listener that gives access to its TCP socket.
type tlsListener struct {
	net.Listener
	tcp    net.Listener
	config *tls.Config
}

// NewTLSListener returns a listener that accepts TLS connections on a TCP listener.
func NewTLSListener(tcp net.Listener, config *tls.Config) net.Listener {
	return tlsListener{tls.NewListener(tcp, config), tcp, config}
}

// SyscallConn returns the TCP socket.
func (l tlsListener) SyscallConn() (syscall.RawConn, error) {
	socket, ok := l.tcp.(syscall.Conn)
	if !ok {
		return nil, errors.New("the listener has no socket")
	}
	return socket.SyscallConn()
}
