package reply

import (
	"net/http"
	"net/netip"
	"strings"
)

// ClientOf tells clients apart: by their address, or the network in which one household or house has all of its own.
// Behind a proxy of the operator's, which is near, it is the address that the proxy saw.
func ClientOf(r *http.Request) string {
	peer := address(r.RemoteAddr)
	if peer.IsLoopback() || peer.IsPrivate() {
		all := strings.Join(r.Header.Values("X-Forwarded-For"), ",")
		if seen := address(strings.TrimSpace(all[strings.LastIndexByte(all, ',')+1:])); seen.IsValid() {
			peer = seen
		}
	}
	const household = 64
	if peer.Is6() {
		if network, err := peer.Prefix(household); err == nil {
			return network.String()
		}
	}
	return peer.String()
}

// address reads an address, with a port or without; what is none is not valid.
func address(s string) netip.Addr {
	if with, err := netip.ParseAddrPort(s); err == nil {
		return with.Addr().Unmap().WithZone("")
	}
	bare, _ := netip.ParseAddr(strings.Trim(s, "[]"))
	return bare.Unmap().WithZone("")
}
