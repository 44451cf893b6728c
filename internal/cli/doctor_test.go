package cli_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"homeward/internal/cli"
	"homeward/internal/courier/easyposttest"
	"homeward/internal/mailbox/mailboxtest"
	"homeward/internal/message/mailtest"
	"homeward/internal/oidc/oidctest"
	"homeward/internal/openai/openaitest"
	"homeward/internal/payment/stripetest"
	"homeward/internal/store/storetest"
)

// diagnosis holds the findings of homeward doctor, keyed by subject.
type diagnosis map[string]struct{ State, What, Said, Remedy string }

// diagnose runs the doctor with the given settings and checks what must be true of any output.
func diagnose(t *testing.T, settings map[string]string) (d diagnosis, code int) {
	t.Helper()
	for name, value := range settings {
		t.Setenv(name, value)
	}
	var out, diag bytes.Buffer
	code = cli.Run(t.Context(), []string{"doctor", "--json"}, &out, &diag)
	var all []struct{ State, What, Said, Remedy string }
	if err := json.Unmarshal(out.Bytes(), &all); err != nil {
		t.Fatalf("%v: %s%s", err, &out, &diag)
	}
	d = diagnosis{}
	wrong := 0
	for _, f := range all {
		d[f.What] = f
		if (f.State == "ok") != (f.Remedy == "") {
			t.Errorf("%s: state %s with remedy %q", f.What, f.State, f.Remedy)
		}
		if f.State == "wrong" {
			wrong++
		}
	}
	if (code == 1) != (wrong > 0) {
		t.Errorf("exit code %d with %d problems", code, wrong)
	}
	for name, value := range settings {
		if strings.HasSuffix(name, "_KEY") || strings.HasSuffix(name, "_TOKEN") || strings.HasSuffix(name, "SECRET") {
			if value != "" && strings.Contains(out.String()+diag.String(), value) {
				t.Errorf("the output contains the value of %s", name)
			}
		}
	}
	return d, code
}

func (d diagnosis) want(t *testing.T, states map[string]string) {
	t.Helper()
	for what, want := range states {
		if d[what].State != want {
			t.Errorf("%s: state %q, want %s: %s", what, d[what].State, want, d[what].Said)
		}
	}
}

// newTwilio starts a server that responds to requests for an account as Twilio does.
func newTwilio(t *testing.T, token string) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, given, _ := r.BasicAuth(); given != token || r.Method != http.MethodGet ||
			r.URL.Path != "/2010-04-01/Accounts/AC1.json" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"code":20003,"message":"Authenticate ` + given + `"}`))
			return
		}
		_, _ = w.Write([]byte(`{"sid":"AC1","status":"active"}`))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// newBucket starts an S3 server and returns the setting for its bucket.
func newBucket(t *testing.T) string {
	backend := s3mem.New()
	if err := backend.CreateBucket("lost"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	return "s3://lost?access_key=key&secret_key=very+secret&path_style=true&endpoint=" + server.URL
}

func newMailbox(t *testing.T) *mailboxtest.Server {
	return mailboxtest.New(t, mailboxtest.Options{InsecureLogin: true})
}

func TestDoctorReportsNoProblemOfAWorkingService(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		cfg := newConfig(t, setting)
		cfg.Secret = "the secret of the tested service"
		s := startService(t, cfg)
		stripe, easypost := stripetest.New(t), easyposttest.New(t)
		issuer := oidctest.New(t, s.URL()+"/login/back", time.Now).Issuer
		mails := mailtest.Start(t)
		models := openaitest.New(t)
		d, code := diagnose(t, map[string]string{
			"HOMEWARD_DATA": cfg.Data, "HOMEWARD_DATABASE": setting, "HOMEWARD_SECRET": cfg.Secret,
			"HOMEWARD_FILES":  newBucket(t),
			"HOMEWARD_LISTEN": strings.TrimPrefix(s.URL(), "http://"), "HOMEWARD_BASE_URL": s.URL(),
			"HOMEWARD_SMTP": mails.URL(), "HOMEWARD_IMAP": newMailbox(t).URL("imap"),
			"HOMEWARD_TWILIO_ACCOUNT": "AC1", "HOMEWARD_TWILIO_TOKEN": "tw-token-1",
			"HOMEWARD_TWILIO_FROM": "+15005550006", "HOMEWARD_TWILIO_API": newTwilio(t, "tw-token-1"),
			"HOMEWARD_STRIPE_KEY": stripe.Key, "HOMEWARD_STRIPE_WEBHOOK_SECRET": stripe.Secret,
			"HOMEWARD_STRIPE_API": stripe.URL,
			"HOMEWARD_CARRIER":    "easypost", "HOMEWARD_EASYPOST_KEY": easypost.Key,
			"HOMEWARD_EASYPOST_API": easypost.URL,
			"HOMEWARD_VISION":       models.URL, "HOMEWARD_VISION_MODEL": openaitest.VisionModel,
			"HOMEWARD_VISION_KEY": openaitest.Key,
			"HOMEWARD_EMBEDDINGS": models.URL + "/", "HOMEWARD_EMBEDDINGS_MODEL": openaitest.EmbeddingModel,
			"HOMEWARD_EMBEDDINGS_KEY": openaitest.Key,
			"HOMEWARD_OIDC_ISSUER":    issuer, "HOMEWARD_OIDC_CLIENT_ID": oidctest.Client,
			"HOMEWARD_OIDC_CLIENT_SECRET": oidctest.Secret,
		})
		if code != 0 {
			t.Errorf("exit code %d: %v", code, d)
		}
		d.want(t, map[string]string{
			"HOMEWARD_DATA": "ok", "HOMEWARD_DATABASE": "ok", "schema": "ok", "HOMEWARD_SECRET": "ok",
			"HOMEWARD_FILES": "ok", "HOMEWARD_LISTEN": "ok",
			"HOMEWARD_SMTP": "ok", "HOMEWARD_IMAP": "ok", "HOMEWARD_TWILIO_ACCOUNT": "ok", "HOMEWARD_STRIPE_KEY": "ok",
			"HOMEWARD_EASYPOST_KEY": "ok", "HOMEWARD_OIDC_ISSUER": "ok", "HOMEWARD_VISION": "ok",
			"HOMEWARD_EMBEDDINGS": "ok",
			"HOMEWARD_BASE_URL":   "warning", "HOMEWARD_MAIL_FROM": "warning", // unencrypted; localhost
			"public address clock": "ok",
		})
		if strings.Contains(setting, "://") {
			d.want(t, map[string]string{"extensions": "ok", "database clock": "ok"})
		} else {
			d.want(t, map[string]string{"integrity": "ok"})
		}
		if n := len(stripe.Sessions()); n != 0 {
			t.Errorf("the doctor created %d payments", n)
		}
	})
}

func TestDoctorReportsProblemsWithRemedies(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		cfg := newConfig(t, setting)
		cfg.Secret = "the secret of the tested service"
		initService(t, cfg)
		stripe, easypost := stripetest.New(t), easyposttest.New(t)
		models := openaitest.New(t)
		gone := httptest.NewServer(nil)
		gone.Close()
		taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		other := httptest.NewUnstartedServer(http.NotFoundHandler())
		_ = other.Listener.Close()
		other.Listener = taken
		other.Config.ErrorLog = log.New(io.Discard, "", 0) // otherwise it would log aborted TLS handshakes
		other.StartTLS()
		t.Cleanup(other.Close)
		d, code := diagnose(t, map[string]string{
			"HOMEWARD_DATA": cfg.Data, "HOMEWARD_DATABASE": setting, "HOMEWARD_SECRET": "some other secret, not that",
			"HOMEWARD_FILES":  strings.Replace(newBucket(t), "s3://lost", "s3://none", 1),
			"HOMEWARD_LISTEN": taken.Addr().String(), "HOMEWARD_BASE_URL": other.URL,
			"HOMEWARD_SMTP":           strings.Replace(gone.URL, "http", "smtp", 1),
			"HOMEWARD_IMAP":           strings.Replace(newMailbox(t).URL("imap"), "INBOX", "Missing", 1),
			"HOMEWARD_TWILIO_ACCOUNT": "AC1", "HOMEWARD_TWILIO_TOKEN": "tw-token-2",
			"HOMEWARD_TWILIO_FROM": "+15005550006", "HOMEWARD_TWILIO_API": newTwilio(t, "tw-token-1"),
			"HOMEWARD_STRIPE_KEY": "sk_test_wrong", "HOMEWARD_STRIPE_WEBHOOK_SECRET": stripe.Secret,
			"HOMEWARD_STRIPE_API": stripe.URL,
			"HOMEWARD_CARRIER":    "easypost", "HOMEWARD_EASYPOST_KEY": "EZTKwrong",
			"HOMEWARD_EASYPOST_API": easypost.URL,
			"HOMEWARD_VISION":       gone.URL + "/v1", "HOMEWARD_VISION_MODEL": openaitest.VisionModel,
			"HOMEWARD_EMBEDDINGS": models.URL, "HOMEWARD_EMBEDDINGS_MODEL": "a model that is missing",
			"HOMEWARD_EMBEDDINGS_KEY": openaitest.Key,
			"HOMEWARD_OIDC_ISSUER":    gone.URL, "HOMEWARD_OIDC_CLIENT_ID": oidctest.Client,
			"HOMEWARD_LISTNE": "a slip",
		})
		if code != 1 {
			t.Errorf("exit code %d, want 1", code)
		}
		d.want(t, map[string]string{
			"HOMEWARD_SECRET": "wrong", "HOMEWARD_FILES": "wrong", "HOMEWARD_LISTEN": "wrong",
			"HOMEWARD_BASE_URL": "wrong", "HOMEWARD_SMTP": "wrong", "HOMEWARD_IMAP": "wrong",
			"HOMEWARD_TWILIO_ACCOUNT": "wrong", "HOMEWARD_STRIPE_KEY": "wrong", "HOMEWARD_EASYPOST_KEY": "wrong",
			"HOMEWARD_OIDC_ISSUER": "wrong", "HOMEWARD_VISION": "wrong", "HOMEWARD_EMBEDDINGS": "wrong",
			"HOMEWARD_LISTNE": "warning", "HOMEWARD_DATABASE": "ok",
		})
	})
}

// newCollector starts an OpenTelemetry collector that accepts only requests with a token.
func newCollector(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/v1/traces" || r.Header.Get("X-Token") != "let me in" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestDoctorChecksReplicaCollectorAndAddresses(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		cfg := newConfig(t, setting)
		initService(t, cfg)
		taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = taken.Close() })
		set := map[string]string{
			"HOMEWARD_DATA": cfg.Data, "HOMEWARD_DATABASE": setting, "HOMEWARD_LISTEN": "127.0.0.1:0",
			"HOMEWARD_DEBUG_LISTEN": "127.0.0.1:0",
			"HOMEWARD_OTLP":         newCollector(t), "HOMEWARD_OTLP_HEADERS": "X-Token=let%20me%20in",
		}
		d, _ := diagnose(t, set)
		d.want(t, map[string]string{"HOMEWARD_DEBUG_LISTEN": "ok", "HOMEWARD_OTLP": "ok"})
		set["HOMEWARD_DEBUG_LISTEN"], set["HOMEWARD_OTLP_HEADERS"] = taken.Addr().String(), "X-Token=me%20too"
		if strings.Contains(setting, "://") {
			set["HOMEWARD_DATABASE_REPLICA"] = setting
		}
		d, _ = diagnose(t, set)
		d.want(t, map[string]string{"HOMEWARD_DEBUG_LISTEN": "warning", "HOMEWARD_OTLP": "wrong"})
		if strings.Contains(setting, "://") {
			d.want(t, map[string]string{"HOMEWARD_DATABASE_REPLICA": "wrong"}) // the setting names the primary itself
		}
	})
}

func TestDoctorReadsSecretsFromFiles(t *testing.T) {
	cfg := newConfig(t, "")
	cfg.Secret = "the secret of the tested service"
	initService(t, cfg)
	file := func(secret string) string {
		name := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(name, []byte(secret+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	right, other := file(cfg.Secret), file("quite another secret than that")
	for name, c := range map[string]struct{ secret, former, want, wantFormer string }{
		"the right secret":                            {right, "", "ok", ""},
		"a wrong secret":                              {other, "", "wrong", ""},
		"a wrong secret, the right former secret":     {other, right, "ok", "warning"},
		"no secret, the right former secret":          {"", right, "ok", "warning"},
		"the right secret, a wrong former secret":     {right, other, "ok", "warning"},
		"a wrong secret, another wrong former secret": {other, file("a third that nobody knows"), "wrong", "warning"},
		"a missing file of former secrets":            {right, filepath.Join(t.TempDir(), "none"), "", "wrong"},
	} {
		d, _ := diagnose(t,
			map[string]string{
				"HOMEWARD_DATA": cfg.Data, "HOMEWARD_LISTEN": "127.0.0.1:0", "HOMEWARD_SECRET_FILE": c.secret,
				"HOMEWARD_SECRET_OLD_FILE": c.former,
			})
		if d["HOMEWARD_SECRET"].State != c.want || d["HOMEWARD_SECRET_OLD"].State != c.wantFormer {
			t.Errorf("%s: %v, %v", name, d["HOMEWARD_SECRET"], d["HOMEWARD_SECRET_OLD"])
		}
	}
}

func TestDoctorReportsTheNextStepOfReplacingASecret(t *testing.T) {
	cfg := newConfig(t, "")
	cfg.Secret = "the secret of the tested service"
	initService(t, cfg)
	check := func(present, former, want string) {
		t.Helper()
		d, _ := diagnose(t,
			map[string]string{
				"HOMEWARD_DATA": cfg.Data, "HOMEWARD_LISTEN": "127.0.0.1:0", "HOMEWARD_SECRET": present,
				"HOMEWARD_SECRET_OLD": former,
			})
		if f := d["HOMEWARD_SECRET_OLD"]; !strings.HasPrefix(f.Remedy, want) ||
			strings.Contains(d["HOMEWARD_SECRET"].Remedy, "put secret.key back") {
			t.Errorf("with the secret %q and the former one %q: got %v, %v", present, former, f, d["HOMEWARD_SECRET"])
		}
	}
	former, next := cfg.Secret, "the next secret of the service"
	check("", former, "restart every instance with the current settings")
	check(next, former, "restart every instance with the current settings")
	cfg.Secret, cfg.SecretOld = next, former
	initService(t, cfg)
	check(next, former, "run homeward secret rotate")
	if code := cli.Run(t.Context(), []string{"secret", "rotate"}, io.Discard, io.Discard); code != 0 {
		t.Fatalf("secret rotate: exit code %d", code)
	}
	check(next, former, "restart every instance without this setting")
}

func TestDoctorWarnsAboutAReadableSecret(t *testing.T) {
	cfg := newConfig(t, "")
	if err := os.WriteFile(filepath.Join(cfg.Data, "secret.key"), []byte("a secret for all to see\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	initService(t, cfg)
	d, _ := diagnose(t, map[string]string{"HOMEWARD_DATA": cfg.Data, "HOMEWARD_LISTEN": "127.0.0.1:0"})
	d.want(t, map[string]string{"secret.key": "warning", "HOMEWARD_SECRET": "ok"})
}

func TestDoctorChecksTheRestIfSettingsAreInvalid(t *testing.T) {
	cfg := newConfig(t, "")
	initService(t, cfg)
	d, _ := diagnose(t, map[string]string{
		"HOMEWARD_DATA": cfg.Data, "HOMEWARD_LISTEN": "127.0.0.1:0", "HOMEWARD_RATE_LIMIT": "many",
		"HOMEWARD_DISCREET": "perhaps", "HOMEWARD_SMTP": "mail://nobody",
		"HOMEWARD_PAYMENT": "cash", "HOMEWARD_LISTNE": "a slip",
	})
	d.want(t, map[string]string{
		"settings": "wrong", "HOMEWARD_LISTNE": "warning", "HOMEWARD_DATABASE": "ok", "HOMEWARD_LISTEN": "ok",
		"HOMEWARD_FILES": "ok", "HOMEWARD_SMTP": "", "HOMEWARD_PAYMENT": "",
	})
	var out bytes.Buffer
	code := cli.Run(t.Context(), []string{"doctor", "--json", "--rate-limit=many"}, &out, io.Discard)
	if code != 1 || !json.Valid(out.Bytes()) || !strings.Contains(out.String(), "HOMEWARD_RATE_LIMIT must be") {
		t.Errorf("with an invalid flag: got exit code %d and %s", code, &out)
	}
}

func TestDoctorReportsFilesOfSettings(t *testing.T) {
	cfg := newConfig(t, "")
	initService(t, cfg)
	d, _ := diagnose(t, map[string]string{
		"HOMEWARD_DATA": cfg.Data, "HOMEWARD_LISTEN": "127.0.0.1:0", "HOMEWARD_DATABASE_FILE": "/none",
	})
	if f := d["settings"]; f.State != "wrong" || !strings.Contains(f.Said, "HOMEWARD_DATABASE_FILE: open /none") {
		t.Errorf("got %v", f)
	}
	d.want(t, map[string]string{"HOMEWARD_DATABASE": "", "HOMEWARD_FILES": "ok"}) // the default is not checked instead
}

func TestDoctorRecognizesTheRunningService(t *testing.T) {
	other, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	cfg := newConfig(t, "")
	s := startService(t, cfg)
	d, _ := diagnose(t,
		map[string]string{
			"HOMEWARD_DATA": cfg.Data, "HOMEWARD_LISTEN": strings.TrimPrefix(s.URL(), "http://"),
			"HOMEWARD_METRICS_LISTEN": other.Addr().String(),
		})
	d.want(t, map[string]string{"HOMEWARD_LISTEN": "ok", "HOMEWARD_METRICS_LISTEN": "ok"})
}

func TestDoctorSaysHowToCreateAMissingDatabase(t *testing.T) {
	there, err := url.Parse(storetest.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	there.Path = "/missing_database"
	d, _ := diagnose(t,
		map[string]string{
			"HOMEWARD_DATA": t.TempDir(), "HOMEWARD_LISTEN": "127.0.0.1:0", "HOMEWARD_DATABASE": there.String(),
		})
	if f := d["HOMEWARD_DATABASE"]; f.State != "wrong" || !strings.Contains(f.Remedy, "createdb") {
		t.Errorf("%v", f)
	}
}

func TestDoctorReportsDamagedAndUnreachableDatabases(t *testing.T) {
	cfg := newConfig(t, "")
	initService(t, cfg)
	file := filepath.Join(cfg.Data, "homeward.db")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for n := len(content) / 2; n < len(content)*3/4; n++ {
		content[n] = 0xff
	}
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	d, _ := diagnose(t, map[string]string{"HOMEWARD_DATA": cfg.Data, "HOMEWARD_LISTEN": "127.0.0.1:0"})
	if d["integrity"].State != "wrong" && d["HOMEWARD_DATABASE"].State != "wrong" {
		t.Errorf("the damage was not reported: %v", d)
	}
	d, _ = diagnose(t,
		map[string]string{"HOMEWARD_DATA": t.TempDir(), "HOMEWARD_DATABASE": "postgres://nobody@127.0.0.1:1/none"})
	d.want(t, map[string]string{"HOMEWARD_DATABASE": "wrong"})
	d, code := diagnose(t,
		map[string]string{"HOMEWARD_DATABASE": "", "HOMEWARD_DATA": filepath.Join(t.TempDir(), "none")})
	d.want(t,
		map[string]string{"HOMEWARD_DATA": "warning", "HOMEWARD_DATABASE": "warning", "HOMEWARD_FILES": "warning"})
	if code != 0 {
		t.Errorf("before the first start: got exit code %d, want 0: %v", code, d)
	}
}
