package app_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"homeward/internal/app"
	"homeward/internal/demo"
	"homeward/internal/web/browsertest"
)

// newDemoConfig returns settings for a small demo.
func newDemoConfig(t *testing.T) app.Config {
	cfg := newConfig(t, "")
	cfg.APIKey, cfg.AdminPassword, cfg.AdminEmail = "", "", ""
	cfg.Demo, cfg.DemoFinds = true, 12
	return cfg
}

func TestDemoIsFilledOnceAndPrintsItsLogins(t *testing.T) {
	t.Parallel()
	cfg := newDemoConfig(t)
	s := startService(t, cfg)
	s.key = demo.Key
	for _, want := range []string{
		"Recording found items: 12/12", s.url + "/", demo.Password, "owner@homeward.example", "viewer@homeward.example",
		"svc-api-key: " + demo.Key,
	} {
		if !strings.Contains(s.printed, want) {
			t.Errorf("the output lacks %q:\n%s", want, s.printed)
		}
	}
	before := listAllItems(t, s)
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	again := startService(t, cfg)
	again.key = demo.Key
	if strings.Contains(again.printed, "Recording") || !strings.Contains(again.printed, demo.Password) {
		t.Errorf("a restart prints\n%s", again.printed)
	}
	if after := listAllItems(t, again); len(after) != len(before) || len(before) < 12 {
		t.Errorf("%d items before the restart, %d after it", len(before), len(after))
	}
	if err := again.stop(); err != nil {
		t.Fatal(err)
	}
	cfg.Demo = false
	checkRefused(t, cfg, "homeward serve --demo")
	cfg.Demo, cfg.Listen = true, "0.0.0.0:0"
	cfg.AdminPassword, cfg.APIKey = adminPassword, firstKey
	checkRefused(t, cfg, "HOMEWARD_LISTEN")
}

func TestANewDemoShowsItsProgressInTheBrowser(t *testing.T) {
	t.Parallel()
	cfg := newDemoConfig(t)
	cfg.DemoFinds = 120 // takes longer than loading and checking a page
	a, err := app.New(t.Context(), cfg, io.Discard, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	v := browsertest.New(t, browsertest.Options{Phone: true})
	v.IgnoreError("503")
	v.Visit("about:blank") // so that the browser is running when the demo starts
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	v.Visit(a.URL() + "/login")
	v.See("Creating the demo", "of 120 items are recorded.")
	v.CheckAccessibility()
	v.Screenshot("progress")
	v.See("Log in", "Password") // the script has opened the page
	v.Visit("about:blank")      // so that the page loads nothing from a service that stops
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A demo that was stopped while it was filled is incomplete.
func TestAnInterruptedDemoSaysWhatToDo(t *testing.T) {
	t.Parallel()
	cfg := newDemoConfig(t)
	a, err := app.New(t.Context(), cfg, io.Discard, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := a.Run(stopped); err == nil || !strings.Contains(err.Error(), "delete the folder and start again") {
		t.Errorf("the interrupted demo returns %v", err)
	}
}

// Every record in a demo is valid: it can be read and written back without changes.
func TestDemoRecordsCanBeWrittenBackUnchanged(t *testing.T) {
	t.Parallel()
	s := startService(t, newDemoConfig(t))
	s.key = demo.Key
	for _, i := range listAllItems(t, s) {
		at := fmt.Sprintf("/v1/locations/%s/items/%s", i["locationId"], i["id"])
		s.must(http.StatusOK, "PUT", at, i)
		s.must(http.StatusOK, "GET", at+"/history", nil)
		s.must(http.StatusOK, "GET", at+"/messages", nil)
	}
}

func TestDemoRefusesSettingsThatReachPeople(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*app.Config){
		"HOMEWARD_SMTP": func(c *app.Config) { c.SMTP = "smtp://mail.example:25" },
		"HOMEWARD_PAYMENT": func(c *app.Config) {
			c.Payment, c.StripeKey, c.StripeSecret = "stripe", "sk_test_1", "whsec_1"
		},
		"HOMEWARD_CARRIER":        func(c *app.Config) { c.Carrier, c.EasyPostKey = "easypost", "key" },
		"HOMEWARD_ADMIN_PASSWORD": func(c *app.Config) { c.Listen = ":0" },
		"HOMEWARD_BASE_URL":       func(c *app.Config) { c.BaseURL = "https://demo.example.com" },
		"loopback or private IP address": func(c *app.Config) {
			c.BaseURL, c.AdminPassword, c.APIKey = "http://203.0.113.9", adminPassword, firstKey
		},
	} {
		cfg := newDemoConfig(t)
		change(&cfg)
		checkRefused(t, cfg, want)
	}
}

func TestDemoSaysWhetherItUsesTheAPIKey(t *testing.T) {
	t.Parallel()
	cfg := newDemoConfig(t)
	cfg.APIKey = firstKey
	s := startService(t, cfg)
	s.must(http.StatusOK, "GET", "/v1/locations", nil)
	if !strings.Contains(s.printed, demo.Password) || !strings.Contains(s.printed, "$HOMEWARD_API_KEY") ||
		strings.Contains(s.printed, "no effect") {
		t.Errorf("the demo with an API key prints\n%s", s.printed)
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	cfg.APIKey = "hw_another-key-that-comes-too-late"
	if again := startService(t, cfg); !strings.Contains(again.printed, "HOMEWARD_API_KEY has no effect") {
		t.Errorf("the demo with a later API key prints\n%s", again.printed)
	}
}

func TestDemoAcceptsPrivateAddresses(t *testing.T) {
	t.Parallel()
	for _, base := range []string{
		"", "http://localhost:8080", "http://demo.localhost", "http://127.0.0.1:8080", "http://[::1]:8080",
		"http://192.168.1.20:8080", "http://10.1.2.3", "http://[fd00::1]", "http://169.254.7.7",
	} {
		cfg := newDemoConfig(t)
		cfg.BaseURL = base
		if err := cfg.Validate(); err != nil {
			t.Errorf("%q: %v", base, err)
		}
	}
}

func TestDemoRefusesADatabaseWithAccounts(t *testing.T) {
	t.Parallel()
	cfg := newConfig(t, "")
	if err := startService(t, cfg).stop(); err != nil {
		t.Fatal(err)
	}
	cfg.Demo = true
	checkRefused(t, cfg, "choose another folder")
}

// checkRefused checks that the service does not start, and that the error contains the given text.
func checkRefused(t *testing.T, cfg app.Config, why string) {
	t.Helper()
	a, err := app.New(t.Context(), cfg, &bytes.Buffer{}, slog.New(slog.DiscardHandler))
	if a != nil || err == nil || !strings.Contains(err.Error(), why) {
		t.Errorf("the service started, or the error lacks %q: %v", why, err)
	}
}

// listAllItems returns the items of all locations.
func listAllItems(t *testing.T, s *service) (all []map[string]any) {
	t.Helper()
	places, _ := s.listAll("/v1/locations")
	if len(places) != 3 {
		t.Fatalf("got %d locations, want 3", len(places))
	}
	for _, l := range places {
		items, _ := s.listAll(fmt.Sprintf("/v1/locations/%s/items", l["id"]))
		all = append(all, items...)
	}
	return all
}
