package webhook

import (
	"net/netip"

	"code.dny.dev/ssrf"
)

// extraDenied lists networks that the library allows and this package refuses.
var extraDenied = []netip.Prefix{
	netip.MustParsePrefix("168.63.129.16/32"), // Azure's platform services, reachable only inside Azure
}

// newGuard returns an address check. It refuses every special-use range in IANA's IPv4 and IPv6 registries, and all
// IPv6 that is not global unicast. That includes every IPv6 form that embeds an IPv4 address (mapped, NAT64, 6to4,
// Teredo). Ports are checked with the URL; only TCP is ever dialled.
func newGuard() *ssrf.Guardian {
	return ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(extraDenied...))
}
