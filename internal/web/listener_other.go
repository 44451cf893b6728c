//go:build !linux

package web

import "net"

// refuseConnections does nothing: only Linux can ignore requests for new connections before a listener is closed.
func refuseConnections(net.Listener) bool { return false }

// acceptLast does nothing: only Linux can stop listening at once.
func acceptLast(net.Listener) []net.Conn { return nil }
