package web_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"homeward/internal/web"
	"homeward/internal/web/respond"
)

// A client cannot forge its own address: only headers sent by trusted proxies are used, and only the entries that a
// trusted proxy added.
func TestForwardingHeadersCountOnlyFromTrustedProxies(t *testing.T) {
	const mine, victim = "203.0.113.50", "198.51.100.1"
	trusted, ok := web.ParseProxies("127.0.0.0/8, ::1, 10.0.0.0/8,192.0.2.7,2001:db8:f::/48")
	if !ok {
		t.Fatal("ParseProxies failed")
	}
	for name, c := range map[string]struct {
		peer   string
		header []string // pairs of names and values
		want   string
		https  bool
	}{
		"no proxy": {mine + ":1", nil, mine, false},
		"a forged header": {
			mine + ":1", []string{"X-Forwarded-For", victim, "X-Forwarded-Proto", "https"}, mine, false,
		},
		"a forged Forwarded header": {
			mine + ":1", []string{"Forwarded", "for=" + victim + ";proto=https"}, mine, false,
		},
		"an untrusted private network": {
			"192.168.1.1:1", []string{"X-Forwarded-For", victim}, "192.168.1.1", false,
		},
		"one proxy": {
			"10.1.2.3:1", []string{"X-Forwarded-For", mine, "X-Forwarded-Proto", "https"}, mine, true,
		},
		"a proxy trusted by its address": {"192.0.2.7:1", []string{"X-Forwarded-For", mine}, mine, false},
		"a neighbour of that address":    {"192.0.2.8:1", []string{"X-Forwarded-For", mine}, "192.0.2.8", false},
		"one proxy, which appended": {
			"10.1.2.3:1", []string{"X-Forwarded-For", victim + ", " + mine}, mine, false,
		},
		"one proxy, and a forged line": {
			"10.1.2.3:1", []string{"X-Forwarded-For", victim, "X-Forwarded-For", mine}, mine, false,
		},
		"two proxies": {
			"10.1.2.3:1", []string{"X-Forwarded-For", victim + ", " + mine + ", 10.9.9.9"}, mine, false,
		},
		"a forged entry of a trusted proxy": {
			"10.1.2.3:1", []string{"X-Forwarded-For", victim + ", 10.0.0.9, " + mine}, mine, false,
		},
		"only trusted addresses": {
			"10.1.2.3:1", []string{"X-Forwarded-For", "10.0.0.8, 10.0.0.9"}, "10.0.0.8", false,
		},
		"not an address": {
			"10.1.2.3:1", []string{"X-Forwarded-For", victim + ", unknown"}, "10.1.2.3", false,
		},
		"an empty header": {"10.1.2.3:1", []string{"X-Forwarded-For", ""}, "10.1.2.3", false},
		"with a port": {
			"10.1.2.3:1", []string{"X-Forwarded-For", mine + ":4711"}, mine, false,
		},
		"Forwarded": {
			"10.1.2.3:1", []string{"Forwarded", `for=` + victim + `, for="` + mine + `:80";proto=https;by=10.1.2.3`},
			mine, true,
		},
		"Forwarded, obfuscated": {
			"10.1.2.3:1", []string{"Forwarded", "for=" + victim + ", for=_hidden"}, "10.1.2.3", false,
		},
		"Forwarded, IPv6": {
			"[::1]:1", []string{"Forwarded", `For="[2001:db8:1:2:3::4]:80"`}, "2001:db8:1:2::/64", false,
		},
		"both, which agree": {
			"10.1.2.3:1", []string{"Forwarded", "for=" + mine, "X-Forwarded-For", mine}, mine, false,
		},
		"both, with a forged Forwarded": {
			"10.1.2.3:1", []string{"Forwarded", "for=" + victim, "X-Forwarded-For", mine}, mine, false,
		},
		"both, with a Forwarded that hides the client": {
			"10.1.2.3:1", []string{"Forwarded", "for=_hidden;proto=https", "X-Forwarded-For", mine}, mine, false,
		},
		"an IPv6 network is one client": {
			"10.1.2.3:1", []string{"X-Forwarded-For", "2001:db8:1:2:aaaa::1"}, "2001:db8:1:2::/64", false,
		},
		"a proxy with IPv6": {"[2001:db8:f::1]:1", []string{"X-Forwarded-For", mine}, mine, false},
		"a proxy with IPv4-mapped IPv6": {
			"[::ffff:10.1.2.3]:1", []string{"X-Forwarded-For", mine}, mine, false,
		},
		"the nearest proxy decides the protocol": {
			"10.1.2.3:1", []string{"X-Forwarded-For", mine, "X-Forwarded-Proto", "https, http"}, mine, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var seen string
			h := web.Handler(web.Options{
				API: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					seen = respond.ClientNetwork(r)
				}),
				Files: http.NotFoundHandler(),
				Log:   slog.New(slog.DiscardHandler), Proxies: trusted,
			})
			r := httptest.NewRequest(http.MethodGet, "/v1/x", nil)
			r.RemoteAddr = c.peer
			for n := 0; n < len(c.header); n += 2 {
				r.Header.Add(c.header[n], c.header[n+1])
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if seen != c.want || (w.Header().Get("Strict-Transport-Security") != "") != c.https {
				t.Errorf("got client %s and Strict-Transport-Security %q, want client %s and HTTPS %t", seen,
					w.Header().Get("Strict-Transport-Security"), c.want, c.https)
			}
		})
	}
}

func TestProxyNetworksAreParsedStrictly(t *testing.T) {
	for s, want := range map[string]bool{
		"10.0.0.0/8": true, "::1": true, "192.0.2.7 , 2001:db8::/32": true,
		"": false, "10.0.0.0/33": false, "proxy.example": false, "10.0.0.1,": false, "fe80::1%eth0": false,
		"::ffff:10.0.0.0/104": false, "*": false,
	} {
		if _, ok := web.ParseProxies(s); ok != want {
			t.Errorf("%q: got %t, want %t", s, ok, want)
		}
	}
}

func TestAnUntrustedProxyIsLoggedOnce(t *testing.T) {
	var log strings.Builder
	h := web.Handler(web.Options{
		API: http.HandlerFunc(serveTest), Files: http.NotFoundHandler(), Log: slog.New(slog.NewTextHandler(&log, nil)),
		Proxies: web.Loopback(),
	})
	for range 3 {
		r := httptest.NewRequest(http.MethodGet, "/v1/x", nil)
		r.RemoteAddr = "172.17.0.1:99"
		r.Header.Set("X-Forwarded-For", "203.0.113.1")
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
	if n := strings.Count(log.String(), "HOMEWARD_TRUSTED_PROXIES"); n != 1 {
		t.Errorf("logged %d times:\n%s", n, log.String())
	}
}

func TestTheLogNamesTheClientOfEveryRequest(t *testing.T) {
	for path, status := range map[string]int{"/v1/ok": 200, "/v1/refused": 403} {
		var log strings.Builder
		h := web.Handler(web.Options{API: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
		}), Files: http.NotFoundHandler(), Log: slog.New(slog.NewTextHandler(&log, nil))})
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.RemoteAddr = "203.0.113.1:99"
		h.ServeHTTP(httptest.NewRecorder(), r)
		if !strings.Contains(log.String(), "client=203.0.113.1") {
			t.Errorf("%d: %s", status, log.String())
		}
	}
}

func TestPlainHTTPRedirectsOnlyToTheServicesOwnNames(t *testing.T) {
	const usual, other = "https://lost.example.com", "https://lost.example.com:8443"
	for _, c := range []struct {
		base, host, path string
		status           int
		to               string
	}{
		{usual, "lost.example.com", "/items?a=b%20c", 308, "https://lost.example.com/items?a=b%20c"},
		{usual, "found.example.com", "/", 308, "https://found.example.com/"},
		{usual, "evil.example", "/l/adler", 308, "https://lost.example.com/l/adler"},
		{usual, "lost.example.com", "//evil.example/%2e%2e", 308, "https://lost.example.com//evil.example/%2e%2e"},
		{usual, "lost.example.com", "/v1/locations", 403, ""},
		{usual, "lost.example.com", "/hooks/stripe", 403, ""},
		{usual, "lost.example.com", "/mcp", 403, ""},
		{other, "lost.example.com", "/", 308, "https://lost.example.com:8443/"},
		{other, "Found.example.com:8080", "/items", 308, "https://found.example.com:8443/items"},
		{other, "evil.example:8443", "/", 308, "https://lost.example.com:8443/"},
	} {
		h, err := web.RedirectToHTTPS(c.base, []string{"found.example.com"}, nil, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://"+c.host+c.path, nil))
		if w.Code != c.status || w.Header().Get("Location") != c.to {
			t.Errorf("%s%s: %d %s", c.host, c.path, w.Code, w.Header().Get("Location"))
		}
	}
}

func TestPlainHTTPTrustsTheConfiguredProxies(t *testing.T) {
	trusted, _ := web.ParseProxies("10.0.0.0/8")
	for proxy, client := range map[string]string{"10.0.0.7:1234": "192.0.2.1", "203.0.113.7:1234": "203.0.113.7"} {
		var logged bytes.Buffer
		h, err := web.RedirectToHTTPS("https://lost.example.com", nil, trusted,
			slog.New(slog.NewJSONHandler(&logged, nil)))
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodGet, "http://lost.example.com/v1/locations", nil)
		r.RemoteAddr = proxy
		r.Header.Set("X-Forwarded-For", "192.0.2.1")
		h.ServeHTTP(httptest.NewRecorder(), r)
		if !strings.Contains(logged.String(), `"client":"`+client+`"`) {
			t.Errorf("through %s: %s", proxy, &logged)
		}
	}
}
