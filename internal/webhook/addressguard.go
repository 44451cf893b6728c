package webhook

import (
	"errors"
	"net/netip"

	"code.dny.dev/ssrf"
)

// extraDenied lists networks that the library allows but this package blocks.
var extraDenied = []netip.Prefix{
	netip.MustParsePrefix("168.63.129.16/32"), // Azure's platform services, reachable only inside Azure
}

// newGuard returns a check for addresses before they are dialled. It blocks every special-use range in IANA's IPv4
// and IPv6 registries, and every IPv6 address that is not global unicast. This includes every IPv6 form that embeds
// an IPv4 address (mapped, NAT64, 6to4, Teredo). It does not check ports, which are checked with the URL, and allows
// only TCP.
func newGuard() *ssrf.Guardian {
	return ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(extraDenied...))
}

// IsPrivate reports whether a transport refused to connect because the address is private or reserved.
func IsPrivate(err error) bool {
	return errors.Is(err, ssrf.ErrProhibitedIP) || errors.Is(err, ssrf.ErrProhibitedNetwork)
}
