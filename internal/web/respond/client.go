package respond

import (
	"net/http"
	"net/netip"
	"strings"
)

// ClientNetwork identifies the client of a request: by its IPv4 address, or by its IPv6 /64 network, because one
// household usually has a whole /64 network. Behind a trusted proxy, this is the client address that the proxy
// reported: package web copies it to RemoteAddr before any handler runs.
func ClientNetwork(r *http.Request) string {
	peer := ParseAddress(r.RemoteAddr)
	const householdBits = 64
	if peer.Is6() {
		if network, err := peer.Prefix(householdBits); err == nil {
			return network.String()
		}
	}
	return peer.String()
}

// ClientSubnet identifies the larger network that the client of a request belongs to: its IPv4 /24 network, or its IPv6
// /48 network, which is what one customer of a provider usually has.
func ClientSubnet(r *http.Request) string {
	peer := ParseAddress(r.RemoteAddr)
	bits := 24
	if peer.Is6() {
		bits = 48
	}
	network, err := peer.Prefix(bits)
	if err != nil {
		return peer.String()
	}
	return network.String()
}

// ParseAddress parses an IP address with or without a port. It returns the zero Addr if s is not an IP address.
func ParseAddress(s string) netip.Addr {
	if withPort, err := netip.ParseAddrPort(s); err == nil {
		return withPort.Addr().Unmap().WithZone("")
	}
	address, _ := netip.ParseAddr(strings.Trim(s, "[]"))
	return address.Unmap().WithZone("")
}
