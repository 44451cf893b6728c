package respond

import (
	"net/http"
	"net/netip"
	"strings"
)

// ClientOf tells clients apart: by their address, or the network in which one household or house has all of its own. Behind a proxy that is
// trusted, the request has the address that the proxy saw: package web sees to that before any door is reached.
func ClientOf(r *http.Request) string {
	peer := Address(r.RemoteAddr)
	const household = 64
	if peer.Is6() {
		if network, err := peer.Prefix(household); err == nil {
			return network.String()
		}
	}
	return peer.String()
}

// Address reads an address, with a port or without; what is none is not valid.
func Address(s string) netip.Addr {
	if with, err := netip.ParseAddrPort(s); err == nil {
		return with.Addr().Unmap().WithZone("")
	}
	bare, _ := netip.ParseAddr(strings.Trim(s, "[]"))
	return bare.Unmap().WithZone("")
}
