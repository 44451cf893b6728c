package app_test

import (
	"strings"
	"testing"

	"homeward/internal/app"
	"homeward/internal/identity"
)

func TestProviderSettingsAreChecked(t *testing.T) {
	t.Parallel()
	const issuer = "https://login.example.com"
	for want, set := range map[string]func(*app.Config){
		"": func(c *app.Config) {
			c.OIDCIssuer, c.OIDCClient, c.OIDCSecret = issuer, "homeward", "a secret"
			c.OIDCName = strings.Repeat("ö", 40)
		},
		"HOMEWARD_OIDC_ISSUER and HOMEWARD_OIDC_CLIENT_ID must be set together": func(c *app.Config) {
			c.OIDCIssuer, c.OIDCSecret = issuer, "a secret"
		},
		"HOMEWARD_OIDC_CLIENT_SECRET needs HOMEWARD_OIDC_ISSUER": func(c *app.Config) { c.OIDCSecret = "a secret" },
		"HOMEWARD_OIDC_NAME needs HOMEWARD_OIDC_ISSUER":          func(c *app.Config) { c.OIDCName = "Our log-in" },
		"HOMEWARD_OIDC_ISSUER must be an HTTP or HTTPS URL": func(c *app.Config) {
			c.OIDCIssuer, c.OIDCClient = "login.example.com", "homeward"
		},
		"HOMEWARD_OIDC_NAME must be at most 40 characters": func(c *app.Config) {
			c.OIDCIssuer, c.OIDCClient, c.OIDCName = issuer, "homeward", strings.Repeat("o", 41)
		},
	} {
		cfg := newConfig(t, "")
		set(&cfg)
		switch err := cfg.Validate(); {
		case want == "" && err != nil:
			t.Errorf("valid settings: %v", err)
		case want != "" &&
			(err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "a secret")):
			t.Errorf("error %v, want %s", err, want)
		}
	}
	public := newConfig(t, "")
	public.OIDCIssuer, public.OIDCClient = issuer, "homeward"
	if err := public.Validate(); err != nil {
		t.Errorf("OIDC without a client secret must be valid: %v", err)
	}
}

// The cost of password hashing can be reduced only by tests, not by a setting.
func TestPasswordsAreHashedAtFullCost(t *testing.T) {
	t.Parallel()
	cfg := newConfig(t, "")
	cfg.Hashing = identity.Hashing{}
	d, done, err := app.OpenOperator(t.Context(), startService(t, cfg).cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	accounts, err := d.Accounts.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	people, err := d.Accounts.Users(t.Context(), accounts[0].ID)
	if err != nil || len(people) != 1 {
		t.Fatalf("%d users, %v", len(people), err)
	}
	if hash := people[0].PasswordHash; !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("the password hash begins with %.40s, want the parameters of the full cost", hash)
	}
}

func TestTLSAndProxySettingsAreChecked(t *testing.T) {
	t.Parallel()
	for want, set := range map[string]func(*app.Config){
		"": func(c *app.Config) {
			c.ACME, c.ACMEDirectory = "lost.example.com, found.example.com", "https://ca.example.com/dir"
			c.HTTPListen, c.BaseURL = ":80", "https://lost.example.com"
			c.Proxies = "10.0.0.0/8, ::1"
		},
		"HOMEWARD_TLS_CERT and HOMEWARD_TLS_KEY must be set together": func(c *app.Config) { c.TLSCert = "cert.pem" },
		"HOMEWARD_ACME and HOMEWARD_TLS_CERT are alternatives": func(c *app.Config) {
			c.TLSCert, c.TLSKey, c.ACME = "cert.pem", "key.pem", "lost.example.com"
		},
		"HOMEWARD_ACME must be host names": func(c *app.Config) {
			c.ACME = "lost.example.com,https://found.example.com"
		},
		"HOMEWARD_ACME_DIRECTORY needs HOMEWARD_ACME": func(c *app.Config) {
			c.ACMEDirectory = "https://ca.example.com"
		},
		"HOMEWARD_ACME_DIRECTORY must be the HTTPS URL": func(c *app.Config) {
			c.ACME, c.ACMEDirectory = "lost.example.com", "http://ca.example.com"
		},
		"HOMEWARD_BASE_URL must be a URL with one of the host names": func(c *app.Config) {
			c.ACME, c.BaseURL = "lost.example.com", "https://found.example.com"
		},
		"HOMEWARD_ACME_ROOTS needs HOMEWARD_ACME_DIRECTORY": func(c *app.Config) {
			c.ACME, c.ACMERoots = "lost.example.com", "roots.pem"
		},
		"HOMEWARD_BASE_URL must be a URL without a path": func(c *app.Config) {
			c.BaseURL = "https://example.com/lost"
		},
		"HOMEWARD_HTTP_LISTEN must be host:port": func(c *app.Config) {
			c.ACME, c.HTTPListen = "lost.example.com", "80"
		},
		"HOMEWARD_HTTP_LISTEN redirects to HTTPS": func(c *app.Config) { c.HTTPListen = ":80" },
		"HOMEWARD_BASE_URL must be an HTTPS URL": func(c *app.Config) {
			c.ACME, c.BaseURL = "lost.example.com", "http://lost.example.com"
		},
		"HOMEWARD_TRUSTED_PROXIES must be addresses": func(c *app.Config) { c.Proxies = "proxy.example.com" },
	} {
		cfg := newConfig(t, "")
		set(&cfg)
		if err := cfg.Validate(); (want == "") != (err == nil) || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
