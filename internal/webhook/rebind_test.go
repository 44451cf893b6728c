package webhook_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"homeward/internal/webhook"
)

// nameServer returns a resolver that resolves every name to the IPv4 addresses returned by lookup. The DNS server
// runs in this process, and the resolver connects to it through pipes.
func nameServer(lookup func() []string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		server, client := net.Pipe()
		go func() {
			defer func() { _ = server.Close() }()
			for err := error(nil); err == nil; {
				err = serveName(server, lookup)
			}
		}()
		return client, nil
	}}
}

// serveName responds to one query in the format of DNS over TCP.
func serveName(c net.Conn, lookup func() []string) error {
	var size uint16
	if err := binary.Read(c, binary.BigEndian, &size); err != nil {
		return err
	}
	packet := make([]byte, size)
	if _, err := io.ReadFull(c, packet); err != nil {
		return err
	}
	var m dnsmessage.Message
	if err := m.Unpack(packet); err != nil {
		return err
	}
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
		for _, a := range lookup() {
			m.Answers = append(m.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class},
				Body:   &dnsmessage.AResource{A: netip.MustParseAddr(a).As4()},
			})
		}
	}
	out, err := m.AppendPack(make([]byte, 2))
	if err != nil {
		return err
	}
	binary.BigEndian.PutUint16(out, uint16(len(out)-2))
	_, err = c.Write(out)
	return err
}

func TestDNSRebindingIsRefused(t *testing.T) {
	inside := newReceiver(t, true, status(200))
	url := strings.Replace(inside.URL, "127.0.0.1", "example.com", 1)
	queries := 0
	resolver := nameServer(func() []string {
		if queries++; queries == 1 {
			return []string{"93.184.215.14"}
		}
		return []string{"127.0.0.1"}
	})

	// A check before the connection sees a public address …
	seen, err := resolver.LookupNetIP(t.Context(), "ip4", "example.com")
	if err != nil || webhook.GuardDial("tcp4", netip.AddrPortFrom(seen[0], 443).String()) != nil ||
		webhook.CheckURL(url, false) != nil {
		t.Fatalf("%v, %v", seen, err)
	}
	// … but the connection would go to another address.
	o := webhook.NewSender(webhook.Options{Resolver: resolver, Roots: inside.roots()}).Send(t.Context(), request(url))
	if o.OK() || o.Err != "the address is private or reserved; webhooks are sent only to public addresses" {
		t.Errorf("%+v", o)
	}
	if n := inside.connections.Load(); n != 0 || queries < 2 {
		t.Errorf("%d connections after %d queries", n, queries)
	}
	// Only the guard prevents this: without it, the same request reaches the server.
	if o := newSender(t, webhook.Options{Resolver: resolver, Roots: inside.roots()}).Send(t.Context(),
		request(url)); !o.OK() {
		t.Errorf("without the guard: %+v", o)
	}
}

func TestPrivateAddressesAmongSeveralAreNotTried(t *testing.T) {
	inside := newReceiver(t, true, status(200))
	resolver := nameServer(func() []string {
		return []string{"127.0.0.1", "10.0.0.1", "169.254.169.254", "168.63.129.16", "127.0.0.1"}
	})
	o := webhook.NewSender(webhook.Options{Resolver: resolver, Roots: inside.roots()}).
		Send(t.Context(), request(strings.Replace(inside.URL, "127.0.0.1", "example.com", 1)))
	if o.OK() || o.Err != "the address is private or reserved; webhooks are sent only to public addresses" ||
		inside.connections.Load() != 0 {
		t.Errorf("%+v, %d connections", o, inside.connections.Load())
	}
}

func TestAFailedLookupIsDescribed(t *testing.T) {
	nothing := nameServer(func() []string { return nil })
	if o := webhook.NewSender(webhook.Options{Resolver: nothing}).Send(t.Context(),
		request("https://example.com")); o.Err != "the host name does not exist" {
		t.Errorf("%+v", o)
	}
	silent := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	o := webhook.NewSender(webhook.Options{Resolver: silent, ConnectTimeout: shortTimeout}).Send(t.Context(),
		request("https://example.com"))
	if o.Err != "the host name could not be looked up within 400ms" || o.Took > maxDuration {
		t.Errorf("%+v", o)
	}
}
