package webhook_test

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"homeward/internal/webhook"
)

// urls lists URLs with the expected problem codes when private addresses are rejected and when they are allowed. An
// empty code means that the URL is accepted.
var urls = []struct {
	url           string
	code, allowed string
}{
	// ordinary URLs
	{"https://example.com", "", ""},
	{"https://example.com/", "", ""},
	{"https://hooks.example.com/in/a%20b?token=x&y=1", "", ""},
	{"HTTPS://EXAMPLE.COM/Hooks", "", ""},
	{"https://example.com:443/", "", ""},
	{"https://example.com:80/", "", ""},
	{"https://example.com:8443/", "", ""},
	{"https://example.com:3000/", "", ""},
	{"https://example.com:65535/", "", ""},
	{"https://example.com./", "", ""},
	{"https://bücher.example.com/", "", ""},
	{"https://例え.jp/", "", ""},
	{"https://xn--bcher-kva.example.com/", "", ""},
	{"https://1and1.com/", "", ""},
	{"https://1.2.3.4.example.com/", "", ""},
	{"https://127.0.0.1.example.com/", "", ""},
	{"https://0x7f.example.com/", "", ""},
	{"https://localhost.example.com/", "", ""},
	{"https://thelocal.com/", "", ""},
	{"https://8.8.8.8/", "", ""},
	{"https://8.8.8.8:8443/", "", ""},
	{"https://[2606:4700:4700::1111]/", "", ""},
	{"https://[2606:4700:4700::1111]:8443/", "", ""},
	{"https://example.com/" + strings.Repeat("a", 2048-20), "", ""},

	// not valid URLs
	{"", "required", "required"},
	{"https://example.com/" + strings.Repeat("a", 2049-20), "too-long", "too-long"},
	{"example.com/hooks", "https-required", "https-required"},
	{"/hooks", "https-required", "https-required"},
	{"//example.com/hooks", "https-required", "https-required"},
	{"https://", "invalid-url", "invalid-url"},
	{"https:///hooks", "invalid-url", "invalid-url"},
	{"https:example.com", "invalid-url", "invalid-url"},
	{"https://:8443/", "invalid-url", "invalid-url"},
	{"https://./", "invalid-url", "invalid-url"},
	{"https://example..com/", "invalid-url", "invalid-url"},
	{"https://example.com../", "invalid-url", "invalid-url"},
	{"https://.example.com/", "invalid-url", "invalid-url"},
	{"https://-example.com/", "invalid-url", "invalid-url"},
	{"https://example-.com/", "invalid-url", "invalid-url"},
	{"https://my_host.example.com/", "invalid-url", "invalid-url"},
	{"https://*.example.com/", "invalid-url", "invalid-url"},
	{"https://exa$mple.com/", "invalid-url", "invalid-url"},
	{"https://" + strings.Repeat("a", 64) + ".com/", "invalid-url", "invalid-url"},
	{"https://" + strings.Repeat("abcdefg.", 32) + "com/", "invalid-url", "invalid-url"},
	{"https://" + strings.Repeat("鍵", 2000) + ".com/", "invalid-url", "invalid-url"},
	{"https://example.com/a b", "invalid-url", "invalid-url"},
	{" https://example.com/", "invalid-url", "invalid-url"},
	{"https://example.com/\n", "invalid-url", "invalid-url"},
	{"https://example.com/\r\nX-Evil: 1", "invalid-url", "invalid-url"},
	{"https://example.com/\x00", "invalid-url", "invalid-url"},
	{"https://example.com%00.evil.com/", "invalid-url", "invalid-url"},
	{"https://exa%6dple.com/", "invalid-url", "invalid-url"},
	{"https://example.com/%zz", "invalid-url", "invalid-url"},

	// schemes
	{"http://example.com/", "https-required", ""},
	{"http://127.0.0.1:8080/hooks", "https-required", ""},
	{"ftp://example.com/", "https-required", "https-required"},
	{"file:///etc/passwd", "https-required", "https-required"},
	{"gopher://127.0.0.1:6379/_x", "https-required", "https-required"},
	{"javascript:alert(1)", "https-required", "https-required"},
	{"unix:///run/docker.sock", "https-required", "https-required"},

	// ambiguous hosts
	{"https://user:pass@example.com/", "invalid-url", "invalid-url"},
	{"https://user@example.com/", "invalid-url", "invalid-url"},
	{"https://@example.com/", "invalid-url", "invalid-url"},
	{"https://example.com@127.0.0.1/", "invalid-url", "invalid-url"},
	{"https://example.com#@127.0.0.1/", "invalid-url", "invalid-url"},
	{"https://example.com/#part", "invalid-url", "invalid-url"},
	{"https://example.com/#", "invalid-url", "invalid-url"},
	{`https://example.com\@127.0.0.1/`, "invalid-url", "invalid-url"},
	{`https:\\127.0.0.1\`, "invalid-url", "invalid-url"},

	// ports
	{"https://example.com:/", "invalid-port", "invalid-port"},
	{"https://example.com:0/", "invalid-port", "invalid-port"},
	{"https://example.com:65536/", "invalid-port", "invalid-port"},
	{"https://example.com:99999999999999999999/", "invalid-port", "invalid-port"},
	{"https://example.com:-1/", "invalid-url", "invalid-url"},
	{"https://example.com:https/", "invalid-url", "invalid-url"},
	{"https://example.com:443:80/", "invalid-url", "invalid-url"},
	{"https://example.com:22/", "invalid-port", ""},
	{"https://example.com:25/", "invalid-port", ""},
	{"https://example.com:53/", "invalid-port", ""},
	{"https://example.com:587/", "invalid-port", ""},
	{"https://example.com:2375/", "invalid-port", ""},
	{"https://example.com:3306/", "invalid-port", ""},
	{"https://example.com:5432/", "invalid-port", ""},
	{"https://example.com:6379/", "invalid-port", ""},
	{"https://example.com:06379/", "invalid-port", ""},
	{"https://example.com:9200/", "invalid-port", ""},
	{"https://example.com:11211/", "invalid-port", ""},
	{"https://example.com:27017/", "invalid-port", ""},

	// names of this host and of hosts in its network
	{"https://localhost/", "private-address", ""},
	{"https://LocalHost/", "private-address", ""},
	{"https://localhost./", "private-address", ""},
	{"https://foo.localhost/", "private-address", ""},
	{"https://foo.localhost.:8443/", "private-address", ""},
	{"https://ｌｏｃａｌｈｏｓｔ/", "private-address", ""},
	{"https://ⓛocalhost/", "private-address", ""},
	{"https://localhost.localdomain/", "private-address", ""},
	{"https://receiver:3000/", "private-address", ""},
	{"https://kubernetes.default.svc.cluster.local/", "private-address", ""},
	{"https://metadata.google.internal/", "private-address", ""},
	{"https://metadata.google.internal./", "private-address", ""},
	{"https://printer.local/", "private-address", ""},
	{"https://router.lan/", "private-address", ""},
	{"https://home.arpa/", "private-address", ""},
	{"https://nas.home.arpa/", "private-address", ""},

	// other notations for 127.0.0.1
	{"https://127.0.0.1/", "private-address", ""},
	{"https://127.0.0.1./", "private-address", ""},
	{"https://１２７.０.０.１/", "private-address", ""},
	{"https://127。0。0。1/", "private-address", ""},
	{"https://①②⑦.⓪.⓪.①/", "private-address", ""},
	{"https://2130706433/", "invalid-url", "invalid-url"},
	{"https://2130706433./", "invalid-url", "invalid-url"},
	{"https://017700000001/", "invalid-url", "invalid-url"},
	{"https://0x7f000001/", "invalid-url", "invalid-url"},
	{"https://0X7F000001/", "invalid-url", "invalid-url"},
	{"https://0177.0.0.1/", "invalid-url", "invalid-url"},
	{"https://0177.0.0.01/", "invalid-url", "invalid-url"},
	{"https://127.0.0.001/", "invalid-url", "invalid-url"},
	{"https://0x7f.0.0.0x1/", "invalid-url", "invalid-url"},
	{"https://0x7f.1/", "invalid-url", "invalid-url"},
	{"https://127.1/", "invalid-url", "invalid-url"},
	{"https://127.0.1/", "invalid-url", "invalid-url"},
	{"https://127.0.0.1.1/", "invalid-url", "invalid-url"},
	{"https://127.0.0.0x/", "invalid-url", "invalid-url"},
	{"https://256.256.256.256/", "invalid-url", "invalid-url"},
	{"https://0/", "invalid-url", "invalid-url"},
	{"https://example.123/", "invalid-url", "invalid-url"},
	{"https://127%2e0%2e0%2e1/", "invalid-url", "invalid-url"},
	{"https://%31%32%37.0.0.1/", "invalid-url", "invalid-url"},

	// IPv6 notations
	{"https://[::1]/", "private-address", ""},
	{"https://[0:0:0:0:0:0:0:1]:8443/", "private-address", ""},
	{"https://[::ffff:127.0.0.1]/", "private-address", ""},
	{"https://[::FFFF:7F00:1]/", "private-address", ""},
	{"https://[fe80::1%25eth0]/", "invalid-url", "invalid-url"},
	{"https://[2606:4700:4700::1111%25eth0]/", "invalid-url", "invalid-url"},
	{"https://[127.0.0.1]/", "invalid-url", "invalid-url"},
	{"https://[example.com]/", "invalid-url", "invalid-url"},
	{"https://[::1/", "invalid-url", "invalid-url"},
	{"https://::1/", "invalid-url", "invalid-url"},
	{"https://[]/", "invalid-url", "invalid-url"},
	{"https://[::1]x/", "invalid-url", "invalid-url"},
}

func TestCheckURLFindsProblems(t *testing.T) {
	for _, tt := range urls {
		for allowed, want := range map[bool]string{false: tt.code, true: tt.allowed} {
			got := ""
			problems := webhook.CheckURL(tt.url, allowed)
			if problems != nil {
				got = problems[0].Code
			}
			if got != want {
				t.Errorf("%.80q with private addresses %v: %q, want %q (%v)", tt.url, allowed, got, want, problems)
			}
			if got != "" && (problems[0].Field != "url" || !strings.HasPrefix(problems[0].Message, "must ")) {
				t.Errorf("%.80q: %+v", tt.url, problems[0])
			}
		}
	}
	t.Logf("%d URLs", len(urls))
}

func TestTheDialledHostIsTheCheckedHost(t *testing.T) {
	for raw, want := range map[string]string{
		"HTTPS://EXAMPLE.COM/Hooks?B=1":      "https://example.com/Hooks?B=1",
		"https://example.com.:8443/":         "https://example.com:8443/",
		"https://bücher.example.com/straße":  "https://xn--bcher-kva.example.com/stra%C3%9Fe",
		"https://８.８.８.８/":                   "https://8.8.8.8/",
		"https://[2606:4700:4700::1111]/":    "https://[2606:4700:4700::1111]/",
		"https://[2606:4700::1111]:8443/":    "https://[2606:4700::1111]:8443/",
		"https://example.com/a%2Fb/%20?q=%2": "https://example.com/a%2Fb/%20?q=%2",
	} {
		if got := webhook.TargetOf(raw, false); got != want {
			t.Errorf("TargetOf(%s) = %q, want %q", raw, got, want)
		}
	}
}

func FuzzCheckURL(f *testing.F) {
	for _, tt := range urls {
		f.Add(tt.url)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if webhook.CheckURL(raw, true) != nil && webhook.CheckURL(raw, false) == nil {
			t.Fatalf("%q is rejected only if private addresses are allowed", raw)
		}
		target := webhook.TargetOf(raw, false)
		if target == "" {
			return
		}
		u, err := url.Parse(target)
		if err != nil || u.Scheme != "https" || u.User != nil || u.Fragment != "" || u.Opaque != "" {
			t.Fatalf("%q became %q: %v", raw, target, err)
		}
		if again := webhook.TargetOf(target, false); len(target) <= 2048 && again != target {
			t.Fatalf("%q became %q and then %q", raw, target, again)
		}
		if addr, err := netip.ParseAddr(u.Hostname()); err == nil &&
			webhook.GuardDial("tcp6", netip.AddrPortFrom(addr, 443).String()) != nil {
			t.Fatalf("%q was accepted but targets %v", raw, addr)
		}
	})
}
