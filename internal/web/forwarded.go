package web

import (
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"homeward/internal/web/respond"
)

// Proxies are the networks whose forwarding headers are trusted.
type Proxies []netip.Prefix

// Loopback returns the loopback networks. A proxy on the same machine belongs to the operator, so it can be trusted.
func Loopback() Proxies {
	return Proxies{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}

// ParseProxies reads a comma-separated list of networks and addresses. It returns false if an entry is neither.
func ParseProxies(s string) (Proxies, bool) {
	var out Proxies
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimSpace(part)
		network, err := netip.ParsePrefix(part)
		if err != nil {
			address, err := netip.ParseAddr(part)
			if err != nil || address.Zone() != "" {
				return nil, false
			}
			network = netip.PrefixFrom(address.Unmap(), address.Unmap().BitLen())
		}
		if network.Addr().Is4In6() {
			return nil, false
		}
		out = append(out, network.Masked())
	}
	return out, true
}

func (p Proxies) trust(a netip.Addr) bool {
	return slices.ContainsFunc(p, func(network netip.Prefix) bool { return network.Contains(a) })
}

// hop is a client as reported by one proxy.
type hop struct {
	address netip.Addr // the zero Addr if it cannot be parsed
	https   bool       // the client used TLS
}

// client returns the original client of a request. It reads the forwarding headers backwards, starting at the
// connection, for as long as each entry was written by a trusted proxy: entries before that may be forged. Forwarded
// counts only without X-Forwarded-For, which almost every proxy sets. Otherwise clients of such a proxy could hide
// their address with a Forwarded header of their own.
func (p Proxies) client(peer netip.Addr, h http.Header) hop {
	at := hop{address: peer}
	if !p.trust(peer) {
		return at
	}
	if hops := forwardedFor(h); len(hops) > 0 {
		return p.walk(at, hops)
	}
	return p.walk(at, forwarded(h))
}

// walk follows the hops backwards from at, for as long as they were written by trusted proxies, and returns the last
// one.
func (p Proxies) walk(at hop, hops []hop) hop {
	for _, next := range slices.Backward(hops) {
		if !p.trust(at.address) || !next.address.IsValid() {
			break
		}
		at = next
	}
	return at
}

// forwardedFor reads X-Forwarded-For and X-Forwarded-Proto. Many proxies append to the first but replace the second,
// so the last protocol in the header is the one that the nearest proxy reported.
func forwardedFor(h http.Header) (hops []hop) {
	https := strings.EqualFold(last(h.Values("X-Forwarded-Proto")), "https")
	for _, line := range h.Values("X-Forwarded-For") {
		for part := range strings.SplitSeq(line, ",") {
			hops = append(hops, hop{respond.ParseAddress(strings.TrimSpace(part)), https})
		}
	}
	return hops
}

func last(lines []string) string {
	all := strings.Join(lines, ",")
	return strings.TrimSpace(all[strings.LastIndexByte(all, ',')+1:])
}

// forwarded reads the Forwarded header (RFC 7239).
func forwarded(h http.Header) (hops []hop) {
	for _, line := range h.Values("Forwarded") {
		for element := range strings.SplitSeq(line, ",") {
			var one hop
			for pair := range strings.SplitSeq(element, ";") {
				name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
				value = strings.Trim(value, `"`)
				switch strings.ToLower(name) {
				case "for":
					one.address = respond.ParseAddress(value)
				case "proto":
					one.https = strings.EqualFold(value, "https")
				}
			}
			hops = append(hops, one)
		}
	}
	return hops
}

// untrustedProxyWarning logs one warning if requests seem to come through a proxy that is not configured. Otherwise
// nobody would notice that all clients behind the proxy are treated as one client and share its rate limits.
type untrustedProxyWarning struct {
	once sync.Once
	log  *slog.Logger
}

func (d *untrustedProxyWarning) check(peer netip.Addr, p Proxies, h http.Header) {
	if p.trust(peer) || !peer.IsPrivate() || len(h.Values("X-Forwarded-For"))+len(h.Values("Forwarded")) == 0 {
		return
	}
	d.once.Do(func() {
		d.log.Warn("forwarding headers ignored because the proxy is not trusted; if it is yours, "+
			"add it to HOMEWARD_TRUSTED_PROXIES", "proxy", peer.String())
	})
}
