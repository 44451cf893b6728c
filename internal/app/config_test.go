package app_test

import (
	"strings"
	"testing"

	"homeward/internal/app"
	"homeward/internal/desk"
)

func TestTheSettingsOfAProviderFitTogether(t *testing.T) {
	const issuer = "https://login.example.com"
	for want, set := range map[string]func(*app.Config){
		"": func(c *app.Config) {
			c.OIDCIssuer, c.OIDCClient, c.OIDCSecret, c.OIDCName = issuer, "homeward", "a secret", strings.Repeat("ö", 40)
		},
		"HOMEWARD_OIDC_ISSUER and HOMEWARD_OIDC_CLIENT_ID are needed together": func(c *app.Config) { c.OIDCIssuer, c.OIDCSecret = issuer, "a secret" },
		"HOMEWARD_OIDC_CLIENT_SECRET needs HOMEWARD_OIDC_ISSUER":               func(c *app.Config) { c.OIDCSecret = "a secret" },
		"HOMEWARD_OIDC_NAME needs HOMEWARD_OIDC_ISSUER":                        func(c *app.Config) { c.OIDCName = "Our log-in" },
		"HOMEWARD_OIDC_ISSUER takes an http or https address":                  func(c *app.Config) { c.OIDCIssuer, c.OIDCClient = "login.example.com", "homeward" },
		"HOMEWARD_OIDC_NAME takes at most 40 characters": func(c *app.Config) {
			c.OIDCIssuer, c.OIDCClient, c.OIDCName = issuer, "homeward", strings.Repeat("o", 41)
		},
	} {
		cfg := settings(t, "")
		set(&cfg)
		switch err := cfg.Validate(); {
		case want == "" && err != nil:
			t.Errorf("settings that fit: %v", err)
		case want != "" && (err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "a secret")):
			t.Errorf("says %v, wants %s", err, want)
		}
	}
	public := settings(t, "")
	public.OIDCIssuer, public.OIDCClient = issuer, "homeward"
	if err := public.Validate(); err != nil {
		t.Errorf("a client without a secret: %v", err)
	}
}

// What tests alone change stays at what it should be, whatever an operator sets.
func TestTheProgramHashesPasswordsAtFullCost(t *testing.T) {
	cfg := settings(t, "")
	cfg.Hashing = desk.Hashing{}
	d, done, err := app.OpenDesk(t.Context(), start(t, cfg).cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	accounts, err := d.Accounts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	people, err := d.Users(t.Context(), accounts[0].ID)
	if err != nil || len(people) != 1 {
		t.Fatalf("%d people, %v", len(people), err)
	}
	if hash := people[0].PasswordHash; !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("the password is kept as %.40s…", hash)
	}
}
