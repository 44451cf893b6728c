package cli_test

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
	"syscall"
	"testing"
	"time"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"github.com/miekg/dns"

	"homeward/internal/app"
	"homeward/internal/cli"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
)

// Parts of the log lines of package tlsconf that the tests wait for: the attributes of an issued certificate and of a
// failed request, and messages.
const (
	loggedIssued  = `"host":"lost.example.com","until"`
	loggedFailed  = `"host":"lost.example.com","error"`
	loggedInvalid = "cannot be used"
	loggedExpired = "the certificate has expired"
)

// selfSigned writes a certificate for this machine and its key to a folder, and returns a pool that trusts it.
func selfSigned(
	t *testing.T, folder string, serial int64, validity time.Duration,
) (cert, key string, trust *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "homeward"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(validity),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		BasicConstraintsValid: true, IsCA: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	for file, block := range map[string]*pem.Block{
		cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: raw},
	} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	trust = x509.NewCertPool()
	trust.AddCert(parsed)
	return cert, key, trust
}

// newClient returns a client that trusts the given authorities and connects to one address whatever the host is.
func newClient(t *testing.T, trust *x509.CertPool, address, proto string) *http.Client {
	t.Helper()
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", address)
	}
	tr := &http.Transport{
		DialContext: dial, TLSClientConfig: &tls.Config{RootCAs: trust, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2: proto == "h2", DisableKeepAlives: proto != "h2",
	}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, CheckRedirect: noRedirects, Timeout: 30 * time.Second}
}

func noRedirects(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// get requests a URL and returns the response with its body closed.
func get(t *testing.T, c *http.Client, address string) *http.Response {
	t.Helper()
	res, err := c.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	return res
}

func TestServiceServesTLSAndReloadsItsCertificate(t *testing.T) {
	cfg := newConfig(t, "")
	folder := t.TempDir()
	var trust *x509.CertPool
	cfg.TLSCert, cfg.TLSKey, trust = selfSigned(t, folder, 1, time.Hour)
	cfg.HTTPListen = "127.0.0.1:" + strconv.Itoa(testkit.FreePort(t))
	s := startService(t, cfg)
	address := strings.TrimPrefix(s.URL(), "https://")

	res := get(t, newClient(t, trust, address, "h2"), s.URL()+"/healthz")
	if hsts := res.Header.Get("Strict-Transport-Security"); res.ProtoMajor != 2 ||
		res.TLS.Version != tls.VersionTLS13 || hsts != "max-age=31536000" {
		t.Errorf("%s, TLS %x, %v", res.Proto, res.TLS.Version, res.Header)
	}
	for version, good := range map[uint16]bool{
		tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true,
	} {
		config := &tls.Config{RootCAs: trust, MinVersion: tls.VersionTLS10, MaxVersion: version}
		conn, err := tls.Dial("tcp", address, config)
		if (err == nil) != good {
			t.Errorf("TLS %x: %v", version, err)
		}
		if err == nil {
			_ = conn.Close()
		}
	}

	plain := &http.Client{CheckRedirect: noRedirects}
	to := get(t, plain, "http://"+cfg.HTTPListen+"/items?page=2")
	if to.StatusCode != http.StatusPermanentRedirect || to.Header.Get("Location") != s.URL()+"/items?page=2" {
		t.Errorf("plain http: %d %s", to.StatusCode, to.Header.Get("Location"))
	}
	if api := get(t, plain, "http://"+cfg.HTTPListen+"/v1/locations"); api.StatusCode != http.StatusForbidden {
		t.Errorf("the API over plain HTTP returned %d, want 403", api.StatusCode)
	}

	if err := os.WriteFile(cfg.TLSCert, []byte("half of"), 0o600); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "the log reports an invalid certificate file", func() bool {
		res := get(t, newClient(t, trust, address, ""), s.URL()+"/healthz")
		return res.StatusCode == http.StatusOK && strings.Contains(s.log.String(), loggedInvalid)
	})
	_, _, trust = selfSigned(t, folder, 2, time.Hour)
	waitUntil(t, "the new certificate is used", func() bool {
		res, err := newClient(t, trust, address, "").Get(s.URL() + "/healthz")
		if err != nil {
			return false
		}
		_ = res.Body.Close()
		return res.TLS.PeerCertificates[0].SerialNumber.Int64() == 2
	})
}

// runHealth runs homeward health with settings.
func runHealth(t *testing.T, settings map[string]string) (printed string, code int) {
	t.Helper()
	for name, value := range settings {
		t.Setenv(name, value)
	}
	var out bytes.Buffer
	code = cli.Run(t.Context(), []string{"health"}, &out, &out)
	return out.String(), code
}

func TestHealthAndDoctorConnectToAServiceWithTLS(t *testing.T) {
	cfg := newConfig(t, "")
	cfg.TLSCert, cfg.TLSKey, _ = selfSigned(t, t.TempDir(), 1, time.Hour)
	cfg.HTTPListen = "127.0.0.1:" + strconv.Itoa(testkit.FreePort(t))
	s := startService(t, cfg)
	set := map[string]string{
		"HOMEWARD_DATA": cfg.Data, "HOMEWARD_LISTEN": strings.TrimPrefix(s.URL(), "https://"),
		"HOMEWARD_HTTP_LISTEN": cfg.HTTPListen,
		"HOMEWARD_TLS_CERT":    cfg.TLSCert, "HOMEWARD_TLS_KEY": cfg.TLSKey,
	}
	if printed, code := runHealth(t, set); code != 0 || printed != "ready\n" {
		t.Errorf("health: exit code %d: %s", code, printed)
	}
	d, _ := diagnose(t, set)
	// The service uses both addresses, and the certificate expires soon.
	d.want(t, map[string]string{"HOMEWARD_LISTEN": "ok", "HOMEWARD_HTTP_LISTEN": "ok", "HOMEWARD_TLS_CERT": "warning"})
}

func TestDoctorChecksTheCertificateFiles(t *testing.T) {
	folder := t.TempDir()
	const year = 365 * 24 * time.Hour
	cert, key, _ := selfSigned(t, folder, 1, year)
	_, other, _ := selfSigned(t, t.TempDir(), 2, year)
	expired, expiredKey, _ := selfSigned(t, t.TempDir(), 3, -time.Minute)
	for name, c := range map[string]struct{ cert, key, base, want string }{
		"valid":        {cert, key, "https://localhost:1", "ok"},
		"wrong key":    {cert, other, "https://localhost:1", "wrong"},
		"expired":      {expired, expiredKey, "https://localhost:1", "wrong"},
		"wrong host":   {cert, key, "https://lost.example.com:1", "wrong"},
		"missing file": {filepath.Join(folder, "none"), key, "https://localhost:1", "wrong"},
	} {
		d, _ := diagnose(t, map[string]string{
			"HOMEWARD_DATA": folder, "HOMEWARD_LISTEN": "127.0.0.1:0", "HOMEWARD_TLS_CERT": c.cert,
			"HOMEWARD_TLS_KEY": c.key, "HOMEWARD_BASE_URL": c.base,
		})
		if got := d["HOMEWARD_TLS_CERT"]; got.State != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestServiceWithAnExpiredCertificateServesAndLogsIt(t *testing.T) {
	cfg := newConfig(t, "")
	var trust *x509.CertPool
	cfg.TLSCert, cfg.TLSKey, trust = selfSigned(t, t.TempDir(), 1, -time.Minute)
	s := startService(t, cfg)
	if !strings.Contains(s.log.String(), loggedExpired) {
		t.Errorf("logged %s", s.log)
	}
	beforeExpiry := func() time.Time { return time.Now().Add(-time.Hour / 2) }
	config := &tls.Config{RootCAs: trust, MinVersion: tls.VersionTLS12, Time: beforeExpiry}
	conn, err := tls.Dial("tcp", strings.TrimPrefix(s.URL(), "https://"), config)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
}

func TestReloadingServesTheNewCertificate(t *testing.T) {
	cfg := newConfig(t, "")
	folder := t.TempDir()
	cfg.TLSCert, cfg.TLSKey, _ = selfSigned(t, folder, 1, time.Hour)
	s := startService(t, cfg)
	_, _, trust := selfSigned(t, folder, 2, time.Hour)
	if err := s.ReloadCertificate(); err != nil {
		t.Error(err)
	}
	config := &tls.Config{RootCAs: trust, MinVersion: tls.VersionTLS12}
	conn, err := tls.Dial("tcp", strings.TrimPrefix(s.URL(), "https://"), config)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if n := conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64(); n != 2 {
		t.Errorf("got certificate %d, want the second", n)
	}
}

// After SIGHUP, the log says what was reloaded and what was not.
func TestReloadingLogsTheTruth(t *testing.T) {
	for name, c := range map[string]struct {
		change         func(t *testing.T, cfg *app.Config) // changes the certificate after the start
		want, unwanted string
	}{
		"no certificate": {nil, "the log level was reloaded", "certificate"},
		"valid": {
			func(t *testing.T, cfg *app.Config) { selfSigned(t, filepath.Dir(cfg.TLSCert), 2, time.Hour) },
			"the certificate was reloaded", loggedInvalid,
		},
		"invalid": {
			func(t *testing.T, cfg *app.Config) {
				if err := os.WriteFile(cfg.TLSCert, []byte("incomplete"), 0o600); err != nil {
					t.Fatal(err)
				}
			},
			loggedInvalid, "certificate was reloaded",
		},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := newConfig(t, "")
			if c.change != nil {
				cfg.TLSCert, cfg.TLSKey, _ = selfSigned(t, t.TempDir(), 1, time.Hour)
			}
			s := startService(t, cfg)
			if c.change != nil {
				c.change(t, &cfg)
			}
			logged := &syncBuffer{}
			ctx, cancel := context.WithCancel(t.Context())
			hangups, ended := make(chan os.Signal), make(chan struct{})
			go func() {
				defer close(ended)
				cli.ReloadOn(ctx, []string{"serve", "--database", cfg.Database}, hangups, s.App, &slog.LevelVar{},
					slog.New(slog.NewJSONHandler(logged, nil)))
			}()
			before := len(s.log.String())
			hangups <- syscall.SIGHUP
			hangups <- syscall.SIGHUP // received after the first was handled
			cancel()
			<-ended
			all := s.log.String()[before:] + logged.String()
			if !strings.Contains(all, c.want) || strings.Contains(all, c.unwanted) ||
				!strings.Contains(all, `"msg":"the log level was reloaded"`) {
				t.Errorf("logged %s, want %q and not %q", all, c.want, c.unwanted)
			}
		})
	}
}

// Users copy the printed curl command, so with TLS it must use the host that the certificate is valid for.
func TestFirstStartPrintsThePublicAddressWithTLS(t *testing.T) {
	cfg := newConfig(t, "")
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
		t.Errorf("printed %s", &printed)
	}
}

// newAuthority starts an ACME certificate authority that sends its challenges to the given ports on this machine.
func newAuthority(t *testing.T, httpPort, tlsPort int) (directory, roots string, trust *x509.CertPool) {
	t.Helper()
	t.Setenv("PEBBLE_VA_NOSLEEP", "1")
	t.Setenv("PEBBLE_WFE_NONCEREJECT", "5")
	quiet := log.New(io.Discard, "", 0)
	names, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	started := make(chan struct{})
	answer := func(w dns.ResponseWriter, q *dns.Msg) {
		m := new(dns.Msg).SetReply(q)
		if q.Question[0].Qtype == dns.TypeA {
			header := dns.RR_Header{Name: q.Question[0].Name, Rrtype: dns.TypeA, Class: dns.ClassINET}
			m.Answer = []dns.RR{&dns.A{Hdr: header, A: net.IPv4(127, 0, 0, 1)}}
		}
		_ = w.WriteMsg(m)
	}
	server := &dns.Server{
		Listener: names, NotifyStartedFunc: func() { close(started) }, Handler: dns.HandlerFunc(answer),
	}
	go func() { _ = server.ActivateAndServe() }()
	<-started
	t.Cleanup(func() { _ = server.Shutdown() })
	memory := db.NewMemoryStore()
	issuer := ca.New(quiet, memory, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {Description: "The default"}})
	validation := va.New(quiet, httpPort, tlsPort, true, names.Addr().String(), memory)
	frontend := wfe.New(quiet, memory, validation, issuer, []string{"ca.example"}, true, false, 0, 0)
	at := httptest.NewTLSServer(frontend.Handler())
	t.Cleanup(at.Close)
	roots = filepath.Join(t.TempDir(), "roots.pem")
	root := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: at.Certificate().Raw})
	if err := os.WriteFile(roots, root, 0o600); err != nil {
		t.Fatal(err)
	}
	trust = x509.NewCertPool()
	trust.AppendCertsFromPEM(issuer.GetRootCert(0).PEM())
	return at.URL + wfe.DirectoryPath, roots, trust
}

// One instance requests a certificate, and another instance, which shares only the database, responds to the
// challenge: by TLS, and by plain http if the TLS port is unreachable.
func TestAnyInstanceRespondsToTheACMEChallenge(t *testing.T) {
	for _, challenge := range []string{"tls-alpn-01", "http-01"} {
		t.Run(challenge, func(t *testing.T) {
			storetest.EachSetting(t, func(t *testing.T, setting string) { testACME(t, challenge, setting) })
		})
	}
}

func testACME(t *testing.T, challenge, setting string) {
	const host = "lost.example.com"
	tlsPort, httpPort := testkit.FreePort(t), testkit.FreePort(t)
	challengePort := tlsPort
	if challenge == "http-01" {
		challengePort = testkit.FreePort(t) // nothing listens there
	}
	directory, roots, trust := newAuthority(t, httpPort, challengePort)
	cfg := newConfig(t, setting)
	cfg.Secret = "a secret that instances share"
	cfg.ACME, cfg.ACMEDirectory = host, "https://127.0.0.1:1/nobody"
	cfg.Listen, cfg.HTTPListen = "127.0.0.1:"+strconv.Itoa(tlsPort), "127.0.0.1:"+strconv.Itoa(httpPort)
	startService(t, cfg) // responds to challenges, and cannot request a certificate: its authority is unreachable

	requesting := cfg
	requesting.Data = t.TempDir()
	requesting.Listen, requesting.HTTPListen = "127.0.0.1:0", "127.0.0.1:0"
	requesting.ACMEDirectory, requesting.ACMERoots = directory, roots
	requester := startService(t, requesting)
	waitUntil(t, "the certificate is issued", func() bool {
		return strings.Contains(requester.log.String(), loggedIssued)
	})

	cfg.Listen, cfg.HTTPListen = "127.0.0.1:0", ""
	later := startService(t, cfg)
	for name, s := range map[string]*service{"requester": requester, "instance without authority": later} {
		client := newClient(t, trust, strings.TrimPrefix(s.URL(), "https://"), "h2")
		res := get(t, client, "https://"+host+"/healthz")
		if res.ProtoMajor != 2 || res.TLS.PeerCertificates[0].DNSNames[0] != host {
			t.Errorf("%s: %s %v", name, res.Proto, res.TLS.PeerCertificates[0].DNSNames)
		}
	}
	set := map[string]string{
		"HOMEWARD_DATA": requesting.Data, "HOMEWARD_DATABASE": setting, "HOMEWARD_SECRET": cfg.Secret,
		"HOMEWARD_LISTEN": strings.TrimPrefix(later.URL(), "https://"),
		"HOMEWARD_ACME":   host, "HOMEWARD_ACME_DIRECTORY": directory, "HOMEWARD_ACME_ROOTS": roots,
	}
	if printed, code := runHealth(t, set); code != 0 {
		t.Errorf("health: exit code %d: %s", code, printed)
	}
	d, _ := diagnose(t, set)
	d.want(t, map[string]string{"HOMEWARD_LISTEN": "ok", "HOMEWARD_ACME": "ok"})
	if !strings.Contains(d["HOMEWARD_BASE_URL"].Said, host) {
		t.Errorf("the finding does not contain the public host name: %v", d["HOMEWARD_BASE_URL"])
	}
	other := &tls.Config{ServerName: "other.example.com", RootCAs: trust, MinVersion: tls.VersionTLS12}
	if conn, err := tls.Dial("tcp", strings.TrimPrefix(requester.URL(), "https://"), other); err == nil {
		_ = conn.Close()
		t.Error("the service has a certificate for a host that is not configured")
	}
	checkKeysEncrypted(t, setting)
}

// An instance without HOMEWARD_HTTP_LISTEN must not request the http-01 challenge: it would fail, and authorities
// limit the number of failures.
func TestHTTPChallengeNeedsAPlainAddress(t *testing.T) {
	for _, listens := range []bool{true, false} {
		var called atomic.Bool
		plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			called.Store(true)
		}))
		t.Cleanup(plain.Close)
		httpPort := plain.Listener.Addr().(*net.TCPAddr).Port
		directory, roots, _ := newAuthority(t, httpPort, testkit.FreePort(t)) // nothing listens on the TLS port
		cfg := newConfig(t, "")
		cfg.ACME, cfg.ACMEDirectory, cfg.ACMERoots = "lost.example.com", directory, roots
		if listens {
			cfg.HTTPListen = "127.0.0.1:0"
		}
		s := startService(t, cfg)
		waitUntil(t, "the request fails", func() bool {
			return strings.Contains(s.log.String(), loggedFailed)
		})
		if called.Load() != listens {
			t.Errorf("listening on plain HTTP: %t, http-01 challenge requested: %t: %s", listens, called.Load(), s.log)
		}
	}
}

// checkKeysEncrypted searches the database for an unencrypted private key.
func checkKeysEncrypted(t *testing.T, setting string) {
	t.Helper()
	if strings.Contains(setting, "://") {
		return // both databases use the same encryption code, and only a file can be searched
	}
	for _, file := range []string{setting, setting + "-wal"} {
		content, err := os.ReadFile(file)
		if err == nil && bytes.Contains(content, []byte("PRIVATE KEY")) {
			t.Errorf("%s contains an unencrypted private key", filepath.Base(file))
		}
	}
}
