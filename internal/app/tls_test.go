package app_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"github.com/miekg/dns"

	"homeward/internal/app"
	"homeward/internal/store/storetest"
)

// selfSigned writes a certificate for this machine that is valid for so long, and its key, and gives the pool that trusts it.
func selfSigned(t *testing.T, folder string, serial int64, life time.Duration) (cert, key string, trust *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "homeward"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(life),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, BasicConstraintsValid: true, IsCA: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key, trust = filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem"), x509.NewCertPool()
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: raw}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parsed, _ := x509.ParseCertificate(der)
	trust.AddCert(parsed)
	return cert, key, trust
}

// run runs a service whose client is the test's own.
func run(t *testing.T, cfg app.Config) (a *app.App, logged *syncBuffer) {
	t.Helper()
	logged = &syncBuffer{}
	a, err := app.New(t.Context(), cfg, io.Discard, slog.New(slog.NewJSONHandler(logged, nil)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return a, logged
}

// freePort is a port that was free a moment ago.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

// over is a client that trusts some authority, and goes to one address whatever the name.
func over(t *testing.T, trust *x509.CertPool, address, proto string) *http.Client {
	t.Helper()
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", address)
	}
	tr := &http.Transport{DialContext: dial, TLSClientConfig: &tls.Config{RootCAs: trust, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: proto == "h2", DisableKeepAlives: proto != "h2"}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, Timeout: 30 * time.Second}
}

func fetch(t *testing.T, c *http.Client, address string) *http.Response {
	t.Helper()
	res, err := c.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	return res
}

func TestTheServiceSpeaksTLSAndReadsItsCertificateAgain(t *testing.T) {
	cfg := settings(t, "")
	folder := t.TempDir()
	var trust *x509.CertPool
	cfg.TLSCert, cfg.TLSKey, trust = selfSigned(t, folder, 1, time.Hour)
	cfg.HTTPListen = "127.0.0.1:" + strconv.Itoa(freePort(t))
	a, logged := run(t, cfg)
	address := strings.TrimPrefix(a.URL(), "https://")

	res := fetch(t, over(t, trust, address, "h2"), a.URL()+"/healthz")
	if res.ProtoMajor != 2 || res.TLS.Version != tls.VersionTLS13 || res.Header.Get("Strict-Transport-Security") != "max-age=31536000" {
		t.Errorf("%s, TLS %x, %v", res.Proto, res.TLS.Version, res.Header)
	}
	for version, good := range map[uint16]bool{tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		conn, err := tls.Dial("tcp", address, &tls.Config{RootCAs: trust, MinVersion: tls.VersionTLS10, MaxVersion: version})
		if (err == nil) != good {
			t.Errorf("TLS %x: %v", version, err)
		}
		if err == nil {
			_ = conn.Close()
		}
	}

	plain := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	to := fetch(t, plain, "http://"+cfg.HTTPListen+"/items?page=2")
	if to.StatusCode != http.StatusPermanentRedirect || to.Header.Get("Location") != a.URL()+"/items?page=2" {
		t.Errorf("plain http: %d %s", to.StatusCode, to.Header.Get("Location"))
	}
	if api := fetch(t, plain, "http://"+cfg.HTTPListen+"/v1/locations"); api.StatusCode != http.StatusForbidden {
		t.Errorf("the API by plain http: %d", api.StatusCode)
	}

	if err := os.WriteFile(cfg.TLSCert, []byte("half of"), 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the log tells of a file that is not one", func() bool {
		return fetch(t, over(t, trust, address, ""), a.URL()+"/healthz").StatusCode == http.StatusOK && strings.Contains(logged.String(), "cannot be used")
	})
	_, _, trust = selfSigned(t, folder, 2, time.Hour)
	eventually(t, "the new certificate is used", func() bool {
		res, err := over(t, trust, address, "").Get(a.URL() + "/healthz")
		if err != nil {
			return false
		}
		_ = res.Body.Close()
		return res.TLS.PeerCertificates[0].SerialNumber.Int64() == 2
	})
}

// askHealth runs homeward health with settings.
func askHealth(t *testing.T, settings map[string]string) (said string, code int) {
	t.Helper()
	for name, value := range settings {
		t.Setenv(name, value)
	}
	var out bytes.Buffer
	code = app.Command(t.Context(), []string{"health"}, &out, &out)
	return out.String(), code
}

func TestHealthAndTheDoctorSpeakTLSWithAServiceThatDoes(t *testing.T) {
	cfg := settings(t, "")
	cfg.TLSCert, cfg.TLSKey, _ = selfSigned(t, t.TempDir(), 1, time.Hour)
	cfg.HTTPListen = "127.0.0.1:" + strconv.Itoa(freePort(t))
	a, _ := run(t, cfg)
	set := map[string]string{
		"HOMEWARD_DATA": cfg.Data, "HOMEWARD_LISTEN": strings.TrimPrefix(a.URL(), "https://"), "HOMEWARD_HTTP_LISTEN": cfg.HTTPListen,
		"HOMEWARD_TLS_CERT": cfg.TLSCert, "HOMEWARD_TLS_KEY": cfg.TLSKey,
	}
	if said, code := askHealth(t, set); code != 0 || said != "ready\n" {
		t.Errorf("health: exit code %d: %s", code, said)
	}
	d, _ := diagnose(t, set)
	d.want(t, map[string]string{"HOMEWARD_LISTEN": "ok", "HOMEWARD_HTTP_LISTEN": "ok", "HOMEWARD_TLS_CERT": "warning"}) // both are taken by the service; the certificate ends soon
}

func TestTheDoctorLooksAtTheCertificateInFiles(t *testing.T) {
	folder := t.TempDir()
	const year = 365 * 24 * time.Hour
	cert, key, _ := selfSigned(t, folder, 1, year)
	_, other, _ := selfSigned(t, t.TempDir(), 2, year)
	expired, expiredKey, _ := selfSigned(t, t.TempDir(), 3, -time.Minute)
	for name, c := range map[string]struct{ cert, key, base, want string }{
		"a good one":     {cert, key, "https://localhost:1", "ok"},
		"another's key":  {cert, other, "https://localhost:1", "wrong"},
		"an expired one": {expired, expiredKey, "https://localhost:1", "wrong"},
		"another's name": {cert, key, "https://lost.example.com:1", "wrong"},
		"none":           {filepath.Join(folder, "none"), key, "https://localhost:1", "wrong"},
	} {
		d, _ := diagnose(t, map[string]string{
			"HOMEWARD_DATA": folder, "HOMEWARD_LISTEN": "127.0.0.1:0", "HOMEWARD_TLS_CERT": c.cert, "HOMEWARD_TLS_KEY": c.key, "HOMEWARD_BASE_URL": c.base,
		})
		if got := d["HOMEWARD_TLS_CERT"]; got.State != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestAServiceWhoseCertificateHasExpiredServesAndSaysSo(t *testing.T) {
	cfg := settings(t, "")
	var trust *x509.CertPool
	cfg.TLSCert, cfg.TLSKey, trust = selfSigned(t, t.TempDir(), 1, -time.Minute)
	a, logged := run(t, cfg)
	if !strings.Contains(logged.String(), "the certificate has expired") {
		t.Errorf("it says %s", logged)
	}
	before := &tls.Config{RootCAs: trust, MinVersion: tls.VersionTLS12, Time: func() time.Time { return time.Now().Add(-time.Hour / 2) }}
	conn, err := tls.Dial("tcp", strings.TrimPrefix(a.URL(), "https://"), before)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
}

// The first curl line is tried as it is printed: with TLS it must name what the certificate is for.
func TestTheFirstStartNamesThePublicAddressWhereItSpeaksTLS(t *testing.T) {
	cfg := settings(t, "")
	cfg.TLSCert, cfg.TLSKey, _ = selfSigned(t, t.TempDir(), 1, time.Hour)
	cfg.BaseURL = "https://lost.example.com:8443"
	var printed bytes.Buffer
	a, err := app.New(t.Context(), cfg, &printed, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(printed.String(), " https://lost.example.com:8443/v1/locations\n") {
		t.Errorf("it prints %s", &printed)
	}
}

// authority is a certificate authority that speaks ACME, and asks the named host at these ports whether it is what it says.
func authority(t *testing.T, httpPort, tlsPort int) (directory, roots string, trust *x509.CertPool) {
	t.Helper()
	t.Setenv("PEBBLE_VA_NOSLEEP", "1")
	t.Setenv("PEBBLE_WFE_NONCEREJECT", "5")
	quiet := log.New(io.Discard, "", 0)
	names, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	started := make(chan struct{})
	server := &dns.Server{Listener: names, NotifyStartedFunc: func() { close(started) }, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		m := new(dns.Msg).SetReply(q)
		if q.Question[0].Qtype == dns.TypeA {
			m.Answer = []dns.RR{&dns.A{Hdr: dns.RR_Header{Name: q.Question[0].Name, Rrtype: dns.TypeA, Class: dns.ClassINET}, A: net.IPv4(127, 0, 0, 1)}}
		}
		_ = w.WriteMsg(m)
	})}
	go func() { _ = server.ActivateAndServe() }()
	<-started
	t.Cleanup(func() { _ = server.Shutdown() })
	kept := db.NewMemoryStore()
	issuer := ca.New(quiet, kept, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {Description: "The default"}})
	front := wfe.New(quiet, kept, va.New(quiet, httpPort, tlsPort, true, names.Addr().String(), kept), issuer, []string{"ca.example"}, true, false, 0, 0)
	at := httptest.NewTLSServer(front.Handler())
	t.Cleanup(at.Close)
	roots = filepath.Join(t.TempDir(), "roots.pem")
	if err := os.WriteFile(roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: at.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	trust = x509.NewCertPool()
	trust.AppendCertsFromPEM(issuer.GetRootCert(0).PEM())
	return at.URL + wfe.DirectoryPath, roots, trust
}

// One copy asks, and another, which shares its database alone, answers the authority: by TLS, and by plain http where TLS does not lead to any.
func TestACertificateIsHadByACMEThroughAnyCopy(t *testing.T) {
	for _, way := range []string{"tls-alpn-01", "http-01"} {
		t.Run(way, func(t *testing.T) {
			storetest.EachSetting(t, func(t *testing.T, setting string) {
				const host = "lost.example.com"
				tlsPort, httpPort := freePort(t), freePort(t)
				open := tlsPort
				if way == "http-01" {
					open = freePort(t) // where nobody listens
				}
				directory, roots, trust := authority(t, httpPort, open)
				cfg := settings(t, setting)
				cfg.Secret = "a secret that copies share"
				cfg.ACME, cfg.ACMEDirectory = host, "https://127.0.0.1:1/nobody"
				cfg.Listen, cfg.HTTPListen = "127.0.0.1:"+strconv.Itoa(tlsPort), "127.0.0.1:"+strconv.Itoa(httpPort)
				_, _ = run(t, cfg) // it answers, and cannot ask, as its authority does not answer
				asks := cfg
				asks.Data, asks.Listen, asks.HTTPListen, asks.ACMEDirectory, asks.ACMERoots = t.TempDir(), "127.0.0.1:0", "127.0.0.1:0", directory, roots
				asking, logged := run(t, asks)
				if !within(30*time.Second, func() bool { return strings.Contains(logged.String(), "there is a certificate") }) {
					t.Fatalf("there is none:\n%s", logged)
				}

				cfg.Listen, cfg.HTTPListen = "127.0.0.1:0", ""
				later, _ := run(t, cfg)
				for name, a := range map[string]*app.App{"which asked": asking, "which came later, and cannot ask": later} {
					res := fetch(t, over(t, trust, strings.TrimPrefix(a.URL(), "https://"), "h2"), "https://"+host+"/healthz")
					if res.ProtoMajor != 2 || res.TLS.PeerCertificates[0].DNSNames[0] != host {
						t.Errorf("%s: %s %v", name, res.Proto, res.TLS.PeerCertificates[0].DNSNames)
					}
				}
				asked := map[string]string{
					"HOMEWARD_DATA": asks.Data, "HOMEWARD_DATABASE": setting, "HOMEWARD_SECRET": cfg.Secret, "HOMEWARD_LISTEN": strings.TrimPrefix(later.URL(), "https://"),
					"HOMEWARD_ACME": host, "HOMEWARD_ACME_DIRECTORY": directory, "HOMEWARD_ACME_ROOTS": roots,
				}
				if said, code := askHealth(t, asked); code != 0 {
					t.Errorf("health: exit code %d: %s", code, said)
				}
				d, _ := diagnose(t, asked)
				d.want(t, map[string]string{"HOMEWARD_LISTEN": "ok", "HOMEWARD_ACME": "ok"})
				if !strings.Contains(d["HOMEWARD_BASE_URL"].Said, host) {
					t.Errorf("the public address: %v", d["HOMEWARD_BASE_URL"])
				}
				conn, err := tls.Dial("tcp", strings.TrimPrefix(asking.URL(), "https://"), &tls.Config{ServerName: "other.example.com", RootCAs: trust, MinVersion: tls.VersionTLS12})
				if err == nil {
					_ = conn.Close()
					t.Error("it has a certificate of a name that nobody gave it")
				}
				checkSealed(t, setting)
			})
		})
	}
}

// A copy that does not listen there does not have the authority ask by plain http: that would fail, and such failures are counted.
func TestACopyWithoutAPlainAddressIsNotAskedThere(t *testing.T) {
	for _, listens := range []bool{true, false} {
		var came atomic.Bool
		plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { came.Store(true) }))
		t.Cleanup(plain.Close)
		directory, roots, _ := authority(t, plain.Listener.Addr().(*net.TCPAddr).Port, freePort(t)) // where nobody listens
		cfg := settings(t, "")
		cfg.ACME, cfg.ACMEDirectory, cfg.ACMERoots = "lost.example.com", directory, roots
		if listens {
			cfg.HTTPListen = "127.0.0.1:0"
		}
		_, logged := run(t, cfg)
		eventually(t, "the authority refuses", func() bool { return strings.Contains(logged.String(), "no certificate could be had") })
		if came.Load() != listens {
			t.Errorf("listening there is %t, and being asked there %t: %s", listens, came.Load(), logged)
		}
	}
}

// checkSealed looks for a private key in the database.
func checkSealed(t *testing.T, setting string) {
	t.Helper()
	if strings.Contains(setting, "://") {
		return // the same code seals on both; a file can be searched
	}
	for _, file := range []string{setting, setting + "-wal"} {
		content, err := os.ReadFile(file)
		if err == nil && bytes.Contains(content, []byte("PRIVATE KEY")) {
			t.Errorf("%s has a private key in clear", filepath.Base(file))
		}
	}
}
