package app_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	collogs "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"homeward/internal/app"
	"homeward/internal/message/mailtest"
	"homeward/internal/store/storetest"
)

// findLogLine returns the first log line with the given message and field value.
func (s *service) findLogLine(msg, field, value string) map[string]any {
	for line := range strings.Lines(s.log.String()) {
		var m map[string]any
		if json.Unmarshal([]byte(line), &m) == nil && m["msg"] == msg && m[field] == value {
			return m
		}
	}
	return nil
}

// createAndMove creates an item and changes its status. Both requests have the given id and, optionally, a parent
// span.
func (s *service) createAndMove(id, traceparent string) {
	s.t.Helper()
	items := "/v1/locations/" + s.newLocation(`{"name": "Hotel"}`) + "/items"
	item := s.sendTraced(id, traceparent, "POST", items,
		`{"description": "Umbrella", "owner": {"email": "anna.secretova@example.com"}}`).record(s.t)["id"].(string)
	s.sendTraced(id, traceparent, "PUT", items+"/"+item+"/update-status", `{"status": "PICKUP"}`)
}

func (s *service) sendTraced(id, traceparent, method, path, body string) response {
	s.t.Helper()
	r, err := s.request(method, path, body)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("X-Request-Id", id)
	if traceparent != "" {
		r.Header.Set("Traceparent", traceparent)
	}
	a, err := s.send(r)
	if err != nil || a.status >= 300 {
		s.t.Fatalf("%d %s %v", a.status, a.body, err)
	}
	return a
}

func TestRequestIDConnectsCallAndWebhookAttempt(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		cfg := newConfig(t, setting)
		cfg.AllowPrivate, cfg.SMTP = true, mailtest.Start(t).URL() // without a mail server, there would be no job
		s := startService(t, cfg)
		s.addWebhook(newReceiver(t))
		s.createAndMove("call-from-the-desk", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
		for msg, field := range map[string]string{"request": "route", "delivery": "state", "job": "outcome"} {
			waitUntil(t, "the "+msg+" is logged", func() bool {
				return s.findLogLine(msg, "request", "call-from-the-desk") != nil
			})
			line := s.findLogLine(msg, "request", "call-from-the-desk")
			if line[field] == nil || line["trace"] != "0af7651916cd43dd8448eb211c80319c" {
				t.Errorf("%s: %v", msg, line)
			}
		}
		if log := s.log.String(); strings.Contains(log, "secretova") {
			t.Error("the log contains a guest's name")
		}
	})
}

// collector receives OTLP exports.
type collector struct {
	*httptest.Server
	mu    sync.Mutex
	raw   bytes.Buffer
	spans []*tracepb.Span
	lines int
	auth  []string
}

func newCollector(t *testing.T) *collector {
	c := &collector{}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

// ServeHTTP receives one export.
func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	unpacked, err := gzip.NewReader(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	body, _ := io.ReadAll(unpacked)
	c.raw.Write(body)
	c.auth = append(c.auth, r.Header.Get("X-Token"))
	switch r.URL.Path {
	case "/v1/traces":
		var sent coltrace.ExportTraceServiceRequest
		if err := proto.Unmarshal(body, &sent); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		for _, of := range sent.ResourceSpans {
			for _, scope := range of.ScopeSpans {
				c.spans = append(c.spans, scope.Spans...)
			}
		}
	case "/v1/logs":
		var sent collogs.ExportLogsServiceRequest
		if err := proto.Unmarshal(body, &sent); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		for _, of := range sent.ResourceLogs {
			for _, scope := range of.ScopeLogs {
				c.lines += len(scope.LogRecords)
			}
		}
	}
}

func TestCollectorReceivesSpansAndLogsWithoutPersonalData(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		c := newCollector(t)
		cfg := newConfig(t, setting)
		cfg.AllowPrivate = true
		cfg.OTLP, cfg.OTLPHeaders, cfg.TraceSample = c.URL, "X-Token=let%20me%20in", 0
		const leaked = "sk_test_12345678"
		mails := mailtest.Start(t)
		mails.Refuse = func(string) error { return &smtp.SMTPError{Code: 550, Message: "there is nobody " + leaked} }
		cfg.SMTP = mails.URL()
		s := startService(t, cfg)
		s.addWebhook(newReceiver(t))
		const traced = "0af7651916cd43dd8448eb211c80319c"
		const parent = "00-" + traced + "-b7ad6b7169203331-01"
		s.createAndMove("followed", parent)
		unexpected, err := s.request("BREW", "/v1/locations", nil) // an arbitrary method
		if err != nil {
			t.Fatal(err)
		}
		unexpected.Header.Set("Traceparent", parent)
		if _, err := send(s.unchecked, unexpected); err != nil {
			t.Fatal(err)
		}
		waitUntil(t, "the attempt is logged", func() bool {
			return s.findLogLine("delivery", "request", "followed") != nil
		})
		waitUntil(t, "the job is logged", func() bool { return s.findLogLine("job", "request", "followed") != nil })
		waitUntil(t, "the rejection is logged", func() bool {
			return s.findLogLine("message failed", "request", "followed") != nil
		})
		if err := s.stop(); err != nil { // stopping exports the remaining spans
			t.Fatal(err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		names := map[string]bool{}
		linked := map[string]bool{}
		for _, span := range c.spans {
			names[span.Name] = true
			for _, l := range span.Links {
				linked[span.Name] = linked[span.Name] || fmt.Sprintf("%x", l.TraceId) == traced
			}
			if fmt.Sprintf("%x", span.TraceId) != traced && len(span.Links) == 0 && len(span.ParentSpanId) == 0 {
				t.Errorf("unexpected span: %s", span.Name)
			}
		}
		for _, want := range []string{
			"PUT /v1/locations/{lid}/items/{id}/update-status", "database write", "SELECT items", "webhook attempt",
			"job send-mail", "send email",
		} {
			if !names[want] {
				t.Errorf("the span %q is missing from %v", want, names)
			}
		}
		if !linked["webhook attempt"] {
			t.Errorf("the attempt is not linked to the request: %v", linked)
		}
		if c.lines == 0 || !slices.Contains(c.auth, "let me in") || slices.Contains(c.auth, "") {
			t.Errorf("%d lines, with %q", c.lines, c.auth)
		}
		if !bytes.Contains(c.raw.Bytes(), []byte("there is nobody ***")) {
			t.Error("the collector did not receive the rejection")
		}
		for _, secret := range []string{"secretova", "Umbrella", s.key, leaked, "BREW"} {
			if bytes.Contains(c.raw.Bytes(), []byte(secret)) {
				t.Errorf("the collector received %q", secret)
			}
		}
	})
}

// TestStrangersCannotForceATrace checks that requests without a valid API key are not traced because of their
// traceparent header, and that a request with a valid key is.
func TestStrangersCannotForceATrace(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	cfg := newConfig(t, "")
	cfg.OTLP, cfg.TraceSample = c.URL, 0
	s := startService(t, cfg)
	const prefix = "0af7651916cd43dd8448eb211c8031"
	for n, path := range []string{
		"/v1/locations", "/v1/locations", "/v1/nothing", "/openapi.json", "/login", "/l/nothing", "/v1/locations",
	} {
		r, err := s.request("GET", path, nil)
		if err != nil {
			t.Fatal(err)
		}
		switch n {
		case 0:
			r.Header.Del("svc-api-key")
			r.Header.Del("Authorization")
		case 1, 2:
			r.Header.Del("Authorization")
			r.Header.Set("svc-api-key", "hw_wrong")
		}
		r.Header.Set("Traceparent", fmt.Sprintf("00-%s%02d-b7ad6b7169203331-01", prefix, n+10))
		if _, err := send(s.unchecked, r); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	valid := 0
	for _, span := range c.spans {
		if id := fmt.Sprintf("%x", span.TraceId); id == prefix+"16" {
			valid++
		} else {
			t.Errorf("unexpected span: %s in %s", span.Name, id)
		}
	}
	if valid == 0 {
		t.Error("the request with a valid key was not traced")
	}
	for n := range 6 {
		if strings.Contains(s.log.String(), fmt.Sprintf("%s%02d", prefix, n+10)) {
			t.Errorf("request %d is logged with the trace of a stranger", n)
		}
	}
}

// TestNoLogLineContainsAnEmailAddress runs through log-in, items, messages, requests and privacy requests with an
// address that the mail server rejects by name, and searches the log for it.
func TestNoLogLineContainsAnEmailAddress(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		const address = "anna.secretova@example.com"
		cfg := newConfig(t, setting)
		cfg.AllowPrivate = true
		mails := mailtest.Start(t)
		mails.Refuse = func(string) error {
			return &smtp.SMTPError{Code: 550, Message: "<" + address + "> is unknown here"}
		}
		cfg.SMTP = mails.URL()
		s := startServiceWithLogger(t, cfg, app.NewLogger)
		s.createAndMove("followed", "")
		do := func(method, path string, body any) {
			t.Helper()
			r, err := s.request(method, path, body)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("User-Agent", address)
			if _, err := send(s.unchecked, r); err != nil {
				t.Fatal(err)
			}
		}
		do("GET", "/v1/items?term="+address, nil)
		do("GET", "/v1/items/"+address, nil)
		do("GET", "/v1/items?limit="+address, nil)
		do("GET", "/"+address, nil)
		do("GET", "/g/"+address, nil)
		do("GET", "/login?next=/"+address, nil)
		do("POST", "/login", "email="+address+"&password=wrong")
		do("POST", "/forgot", "email="+address)
		do("POST", "/v1/persons/export", `{"email": "`+address+`"}`)
		do("POST", "/v1/persons/erase", `{"email": "`+address+`", "phone": "`+address+`"}`)
		do("POST", "/v1/webhooks", `{"url": "https://`+address+`/"}`)
		waitUntil(t, "the rejection is logged", func() bool {
			return s.findLogLine("message failed", "request", "followed") != nil
		})
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(s.log.String()) {
			if strings.Contains(line, "secretova") || emailInLog.MatchString(line) {
				t.Errorf("an e-mail address is logged: %s", line)
			}
		}
	})
}

// emailInLog matches an e-mail address. The log may contain only the domain, after asterisks.
var emailInLog = regexp.MustCompile(`[\w.+-](?:@|%40)[\w-]+\.`)

func TestFailingCollectorIsCountedAndBlocksNothing(t *testing.T) {
	t.Parallel()
	cfg := newConfig(t, "")
	unavailable := httptest.NewServer(http.NotFoundHandler()) // returns 404, which is not retried
	t.Cleanup(unavailable.Close)
	cfg.OTLP, cfg.TraceSample = unavailable.URL, 1
	s := startService(t, cfg)
	s.newLocation(`{"name": "Hotel"}`)
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "the failure is logged", func() bool {
		return strings.Contains(s.log.String(), "could not be sent to the collector")
	})
}

// Patterns for finding the metrics in an expression. Functions, quoted text and labels are not metrics.
var (
	notMetrics = regexp.MustCompile(`"[^"]*"|\{[^}]*\}|\b(?:by|without|on|ignoring)\s*\([^)]*\)|\[[^\]]*\]`)
	metricName = regexp.MustCompile(`\b[a-z_][a-z0-9_]*\b(?:\s*\()?`)
)

func metricsIn(expr string) (names []string) {
	for _, word := range metricName.FindAllString(notMetrics.ReplaceAllString(expr, " "), -1) {
		if !strings.HasSuffix(word, "(") && !slices.Contains([]string{"and", "or", "unless", "up", "by"}, word) {
			names = append(names, word)
		}
	}
	return names
}

// expressions reads the PromQL expressions in the alert rules and the dashboard.
func expressions(t *testing.T) (all []string) {
	t.Helper()
	rules, err := os.ReadFile("../../deploy/prometheus/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	expr := regexp.MustCompile(`(?m)^ {8}expr: (?:\|\n((?: {10}.*\n)+)|(.*)\n)`)
	for _, m := range expr.FindAllStringSubmatch(string(rules), -1) {
		all = append(all, m[1]+m[2])
	}
	if n := bytes.Count(rules, []byte("- alert:")); n != len(all) || n == 0 {
		t.Fatalf("%d rules, %d expressions", n, len(all))
	}
	text, err := os.ReadFile("../../deploy/grafana/homeward.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			all = append(all, target.Expr)
		}
	}
	return all
}

// newBusyService starts a service that reports every metric: its public address has a certificate, and it has handled
// requests and jobs.
func newBusyService(t *testing.T, setting string) *service {
	t.Helper()
	public := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(public.Close)
	cfg := newConfig(t, setting)
	cfg.AllowPrivate, cfg.BaseURL = true, public.URL
	s := startService(t, cfg)
	s.addWebhook(newReceiver(t))
	s.createAndMove("watched", "")
	waitUntil(t, "the attempt is logged", func() bool { return s.findLogLine("delivery", "request", "watched") != nil })
	return s
}

func (s *service) metrics() string { return string(s.do("", "GET", "/metrics", nil).body) }

// optionalMetrics are reported only with a mail server, which TestTheServiceIsReadyWithoutFilesAndMail has.
var optionalMetrics = []string{"homeward_mail_up", "homeward_replica_up"}

func TestRulesAndDashboardUseExistingMetrics(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := newBusyService(t, setting)
		waitUntil(t, "the certificate was read and files were checked", func() bool {
			metrics := s.metrics()
			return strings.Contains(metrics, "\nhomeward_certificate_expiry_timestamp_seconds ") &&
				strings.Contains(metrics, "\nhomeward_files_up 1\n")
		})
		metrics, seen := s.metrics(), 0
		for _, expr := range expressions(t) {
			for _, name := range metricsIn(expr) {
				seen++
				if slices.Contains(optionalMetrics, name) {
					continue
				}
				if !regexp.MustCompile(`(?m)^` + name + `[{ ]`).MatchString(metrics) {
					t.Errorf("the metric %s is missing, for %s", name, expr)
				}
			}
		}
		if seen < 40 {
			t.Errorf("only %d names were checked", seen)
		}
	})
}

func TestMetricLabelsContainNoIDsOrPersonalData(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := newBusyService(t, setting)
		s.do("", "GET", "/g/a-token-of-somebody", nil)
		s.do("", "BREW", "/v1/coffee", nil)
		metrics := s.metrics()
		for _, id := range []string{
			`"acc_`, `"loc_`, `"item_`, `"whk_`, `"req_`, "127.0.0.1", "anna", "Anna", "a-token", "coffee", "BREW",
			"watched",
		} {
			if strings.Contains(metrics, id) {
				t.Errorf("the metrics contain %q", id)
			}
		}
		for _, want := range []string{
			`homeward_http_request_duration_seconds_count{door="guest",`, `homeward_queue_due{queue="send-mail"}`,
			`homeward_queue_due{queue="deliver"}`, `homeward_database_up 1`,
			`homeward_webhook_attempt_duration_seconds_count{state="delivered"} 1`,
			`homeward_webhook_delivery_delay_seconds_count 1`, `homeward_cache_hits_total{cache="keys"}`,
		} {
			if !strings.Contains(metrics, want) {
				t.Errorf("the metrics lack %s", want)
			}
		}
	})
}

// needPrometheus skips a test if Prometheus is not installed, except in CI.
func needPrometheus(t *testing.T) {
	t.Helper()
	findProgram(t, "promtool")
	findProgram(t, "prometheus")
}

// findProgram returns the path of a program. If it is not installed, the test is skipped, except in CI, where no test
// may be skipped.
func findProgram(t *testing.T, name string) string {
	t.Helper()
	for _, program := range []string{name, "/usr/sbin/" + name} { // Debian's nginx is not on every user's PATH
		if found, err := exec.LookPath(program); err == nil {
			return found
		}
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is not installed", name)
	}
	t.Skipf("%s is not installed", name)
	return ""
}

func TestPromtoolAcceptsRulesAndMetrics(t *testing.T) {
	t.Parallel()
	needPrometheus(t)
	for _, args := range [][]string{{"check", "rules", "alerts.yaml"}, {"test", "rules", "alerts_test.yaml"}} {
		run := exec.CommandContext(t.Context(), "promtool", args...)
		run.Dir = "../../deploy/prometheus"
		if output, err := run.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, output)
		}
	}
	check := exec.CommandContext(t.Context(), "promtool", "check", "metrics")
	check.Stdin = strings.NewReader(newBusyService(t, "").metrics())
	output, err := check.CombinedOutput()
	for line := range strings.Lines(string(output)) {
		if strings.Contains(line, "homeward_") {
			t.Errorf("promtool check metrics: %s (%v)", line, err)
		}
	}
}

func TestPrometheusScrapesAndEvaluatesRules(t *testing.T) {
	t.Parallel()
	needPrometheus(t)
	s := newBusyService(t, "")
	folder := t.TempDir()
	rules, err := filepath.Abs("../../deploy/prometheus/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf("global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: "+
		"[%q]\nscrape_configs:\n- job_name: homeward\n  static_configs: [{targets: [%q]}]\n", rules,
		strings.TrimPrefix(s.url, "http://"))
	if err := os.WriteFile(filepath.Join(folder, "prometheus.yml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := free.Addr().String()
	_ = free.Close()
	var output syncBuffer
	run := exec.CommandContext(t.Context(), "prometheus", "--config.file="+filepath.Join(folder, "prometheus.yml"),
		"--storage.tsdb.path="+filepath.Join(folder, "data"), "--web.listen-address="+at)
	run.Stdout, run.Stderr = &output, &output
	run.WaitDelay = 5 * time.Second
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = run.Process.Kill()
		_ = run.Wait()
	})
	var last string
	get := func(path string) string {
		res, err := http.Get("http://" + at + path)
		if err != nil {
			return ""
		}
		defer func() { _ = res.Body.Close() }()
		body, _ := io.ReadAll(res.Body)
		last = string(body)
		return last
	}
	waitUntil(t, "Prometheus has scraped the service", func() bool {
		return strings.Contains(get("/api/v1/query?query=homeward_database_up"), `,"1"]`)
	})
	waitUntil(t, "Prometheus has evaluated every rule", func() bool {
		rules := get("/api/v1/rules")
		return strings.Contains(rules, "HomewardDown") && !strings.Contains(rules, `"health":"unknown"`)
	})
	if strings.Contains(last, `"health":"err"`) || strings.Contains(last, `"state":"firing"`) ||
		strings.Contains(output.String(), "level=error") {
		t.Errorf("rules: %s\noutput: %s", last, output.String())
	}
}

func TestProfilesAreServedOnlyOnTheirAddress(t *testing.T) {
	t.Parallel()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := free.Addr().String()
	_ = free.Close()
	cfg := newConfig(t, "")
	cfg.DebugListen = at
	s := startService(t, cfg)
	waitUntil(t, "profiles are served", func() bool {
		res, err := http.Get("http://" + at + "/debug/pprof/goroutine?debug=1")
		if err != nil {
			return false
		}
		defer func() { _ = res.Body.Close() }()
		body, _ := io.ReadAll(res.Body)
		return res.StatusCode == http.StatusOK && strings.Contains(string(body), "goroutine profile")
	})
	res, err := http.Get("http://" + at + "/debug/pprof/cmdline")
	if err != nil || res.StatusCode != http.StatusNotFound { // the command line may contain a secret
		t.Errorf("pprof's cmdline page must not be served: %v %v", res, err)
	}
	_ = res.Body.Close()
	r, err := s.request("GET", "/debug/pprof/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if a, err := send(s.unchecked, r); err != nil || a.status == http.StatusOK {
		t.Errorf("the main address serves profiles: %d %v", a.status, err)
	}
}

func TestInvalidTelemetrySettingsAreReported(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(*telemetrySettings){
		"HOMEWARD_DEBUG_LISTEN": func(c *telemetrySettings) { c.debug = "0.0.0.0:6060" },
		"HOMEWARD_OTLP ":        func(c *telemetrySettings) { c.otlp = "collector:4318" },
		"HOMEWARD_OTLP must be": func(c *telemetrySettings) { c.otlp = "http://user:secret@collector:4318" },
		"HOMEWARD_OTLP_HEADERS": func(c *telemetrySettings) { c.otlp, c.headers = "http://127.0.0.1:4318", "secret" },
		"needs HOMEWARD_OTLP":   func(c *telemetrySettings) { c.headers = "a=secret" },
		"HOMEWARD_TRACE_SAMPLE": func(c *telemetrySettings) { c.sample = 1.5 },
	} {
		var c telemetrySettings
		set(&c)
		cfg := newConfig(t, "")
		cfg.DebugListen = c.debug
		cfg.OTLP, cfg.OTLPHeaders, cfg.TraceSample = c.otlp, c.headers, c.sample
		if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), name) ||
			strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, good := range []string{"127.0.0.1:6060", "localhost:6060", "[::1]:6060", "0.0.0.0:6060 exposed"} {
		cfg := newConfig(t, "")
		cfg.DebugListen = good
		if err := cfg.Validate(); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
}

type telemetrySettings struct {
	debug, otlp, headers string
	sample               float64
}
