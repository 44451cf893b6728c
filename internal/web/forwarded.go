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

// Proxies are the networks whose word about who asked is taken.
type Proxies []netip.Prefix

// Loopback is this machine, whose proxies are the operator's own.
func Loopback() Proxies {
	return Proxies{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}

// ParseProxies reads networks and addresses, with commas between them; the last is false where one is neither.
func ParseProxies(s string) (Proxies, bool) {
	var out Proxies
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimSpace(part)
		network, err := netip.ParsePrefix(part)
		if err != nil {
			one, err := netip.ParseAddr(part)
			if err != nil || one.Zone() != "" {
				return nil, false
			}
			network = netip.PrefixFrom(one.Unmap(), one.Unmap().BitLen())
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

// hop is who a proxy was asked by, and how.
type hop struct {
	by    netip.Addr // not valid where that cannot be read
	https bool
}

// client finds who really asked: from the connection backwards along what proxies say, for as long as the one who says it is trusted. What lies beyond the
// first who is not, anybody may have written. Where the two ways to say it do not agree, somebody has slipped one of them past a proxy that
// writes the other, and neither is believed.
func (p Proxies) client(peer netip.Addr, h http.Header) hop {
	at := hop{by: peer}
	if !p.trust(peer) {
		return at
	}
	common, standard := forwardedFor(h), forwarded(h)
	if len(common) == 0 {
		return p.walk(at, standard)
	}
	at = p.walk(at, common)
	if len(standard) > 0 && p.walk(hop{by: peer}, standard).by != at.by {
		return hop{by: peer}
	}
	return at
}

func (p Proxies) walk(at hop, hops []hop) hop {
	for _, next := range slices.Backward(hops) {
		if !p.trust(at.by) || !next.by.IsValid() {
			break
		}
		at = next
	}
	return at
}

// forwardedFor reads X-Forwarded-For and X-Forwarded-Proto. A proxy that adds to the first often replaces the second: the last is what the nearest says.
func forwardedFor(h http.Header) (hops []hop) {
	https := strings.EqualFold(last(h.Values("X-Forwarded-Proto")), "https")
	for _, line := range h.Values("X-Forwarded-For") {
		for part := range strings.SplitSeq(line, ",") {
			hops = append(hops, hop{respond.Address(strings.TrimSpace(part)), https})
		}
	}
	return hops
}

func last(lines []string) string {
	all := strings.Join(lines, ",")
	return strings.TrimSpace(all[strings.LastIndexByte(all, ',')+1:])
}

// forwarded reads Forwarded, as RFC 7239 has it.
func forwarded(h http.Header) (hops []hop) {
	for _, line := range h.Values("Forwarded") {
		for element := range strings.SplitSeq(line, ",") {
			var one hop
			for pair := range strings.SplitSeq(element, ";") {
				name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
				value = strings.Trim(value, `"`)
				switch strings.ToLower(name) {
				case "for":
					one.by = respond.Address(value)
				case "proto":
					one.https = strings.EqualFold(value, "https")
				}
			}
			hops = append(hops, one)
		}
	}
	return hops
}

// distrust tells the operator, once, of what looks like a proxy that nobody said is one: behind it, all clients are one.
type distrust struct {
	once sync.Once
	log  *slog.Logger
}

func (d *distrust) note(peer netip.Addr, p Proxies, h http.Header) {
	if p.trust(peer) || !peer.IsPrivate() || len(h.Values("X-Forwarded-For"))+len(h.Values("Forwarded")) == 0 {
		return
	}
	d.once.Do(func() {
		d.log.Warn("a proxy that is not trusted says whom it speaks for, and is not believed: is it yours, name it in HOMEWARD_TRUSTED_PROXIES", "proxy", peer.String())
	})
}
