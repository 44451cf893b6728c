package app_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"homeward/internal/app"
	"homeward/internal/demo"
)

// demoSettings are those of a small demo.
func demoSettings(t *testing.T) app.Config {
	cfg := settings(t, "")
	cfg.APIKey, cfg.AdminPassword, cfg.AdminEmail = "", "", ""
	cfg.Demo, cfg.DemoFinds = true, 12
	return cfg
}

func TestADemoIsFilledOnceAndSaysEachTimeWhoMayLogIn(t *testing.T) {
	cfg := demoSettings(t)
	s := start(t, cfg)
	s.key = demo.Key
	for _, want := range []string{"Recording finds 12/12", s.url + "/", demo.Password, "owner@homeward.example", "viewer@homeward.example", "svc-api-key: " + demo.Key} {
		if !strings.Contains(s.printed, want) {
			t.Errorf("it does not say %q:\n%s", want, s.printed)
		}
	}
	before := everyItem(t, s)
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	again := start(t, cfg)
	again.key = demo.Key
	if strings.Contains(again.printed, "Recording") || !strings.Contains(again.printed, demo.Password) {
		t.Errorf("a restart says\n%s", again.printed)
	}
	if after := everyItem(t, again); len(after) != len(before) || len(before) < 12 {
		t.Errorf("there were %d items, and are %d after a restart", len(before), len(after))
	}
	if err := again.stop(); err != nil {
		t.Fatal(err)
	}
	cfg.Demo = false
	refused(t, cfg, "homeward serve --demo")
	cfg.Demo, cfg.Listen, cfg.AdminPassword, cfg.APIKey = true, "0.0.0.0:0", adminPassword, firstKey
	refused(t, cfg, "HOMEWARD_LISTEN")
}

// What a demo has is what the API itself would have taken: every record may be put back as it was read.
func TestTheRecordsOfADemoAreTakenBackAsTheyAre(t *testing.T) {
	s := start(t, demoSettings(t))
	s.key = demo.Key
	for _, i := range everyItem(t, s) {
		at := fmt.Sprintf("/v1/locations/%s/items/%s", i["locationId"], i["id"])
		s.must(http.StatusOK, "PUT", at, i)
		s.must(http.StatusOK, "GET", at+"/history", nil)
		s.must(http.StatusOK, "GET", at+"/messages", nil)
	}
}

func TestADemoReachesNobodyAndIsReachedByNobody(t *testing.T) {
	for want, change := range map[string]func(*app.Config){
		"HOMEWARD_SMTP":           func(c *app.Config) { c.SMTP = "smtp://mail.example:25" },
		"HOMEWARD_PAYMENT":        func(c *app.Config) { c.Payment, c.StripeKey, c.StripeSecret = "stripe", "sk_test_1", "whsec_1" },
		"HOMEWARD_CARRIER":        func(c *app.Config) { c.Carrier, c.EasyPostKey = "easypost", "key" },
		"HOMEWARD_ADMIN_PASSWORD": func(c *app.Config) { c.Listen = ":0" },
	} {
		cfg := demoSettings(t)
		change(&cfg)
		refused(t, cfg, want)
	}
}

func TestADemoIsNotPutAmongSomebodysData(t *testing.T) {
	cfg := settings(t, "")
	if err := start(t, cfg).stop(); err != nil {
		t.Fatal(err)
	}
	cfg.Demo = true
	refused(t, cfg, "choose another folder")
}

// refused makes sure that the service does not start, and says why.
func refused(t *testing.T, cfg app.Config, why string) {
	t.Helper()
	a, err := app.New(t.Context(), cfg, &bytes.Buffer{}, slog.New(slog.DiscardHandler))
	if a != nil || err == nil || !strings.Contains(err.Error(), why) {
		t.Errorf("it starts, or does not name %q: %v", why, err)
	}
}

// everyItem reads the items of all locations.
func everyItem(t *testing.T, s *service) (all []map[string]any) {
	t.Helper()
	places, _ := s.all("/v1/locations")
	if len(places) != 3 {
		t.Fatalf("there are %d locations", len(places))
	}
	for _, l := range places {
		items, _ := s.all(fmt.Sprintf("/v1/locations/%s/items", l["id"]))
		all = append(all, items...)
	}
	return all
}
