package webhook

import (
	"net/netip"

	"code.dny.dev/ssrf"
)

// alsoRefused has what the library lets through and we do not.
var alsoRefused = []netip.Prefix{
	netip.MustParsePrefix("168.63.129.16/32"), // Azure's platform services; special only inside of Azure, and then very
}

// newGuard judges addresses. It refuses every special-use range of IANA's IPv4 and
// IPv6 registries, and all of IPv6 that is not global unicast: with it go the forms
// that have an IPv4 address inside (mapped, NAT64, 6to4, Teredo), whatever that
// address is. Ports are judged with the URL; only tcp is ever dialled.
func newGuard() *ssrf.Guardian {
	return ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(alsoRefused...))
}
