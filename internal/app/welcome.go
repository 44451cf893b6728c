package app

import (
	"fmt"
	"io"
	"strings"

	"homeward/internal/demo"
	"homeward/internal/identity"
)

// printWelcome prints the dashboard's address, the first user's credentials and an API key. It is called only when
// the service starts for the first time.
func (a *App) printWelcome(out io.Writer, first identity.First) {
	address := a.URL()
	if a.cfg.ServesTLS() { // the certificate is only valid for the public host name
		address = a.cfg.BaseURL
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Homeward is ready. The password and the API key are shown only once:\n\n")
	fmt.Fprintf(&b, "  Dashboard  %s/\n", a.cfg.BaseURL)
	fmt.Fprintf(&b, "  Log in as  %s  password  %s\n", first.User.Email,
		generatedSecret(first.Password, a.cfg.AdminPassword, "as set"))
	fmt.Fprintf(&b, "  API key    %s\n\n", generatedSecret(first.Key.Secret, a.cfg.APIKey, "as set"))
	fmt.Fprintf(&b, "Try it:\n\n  curl -H \"svc-api-key: %s\" -H 'Content-Type: application/json' "+
		"-d '{\"name\":\"Hotel Adler\"}' %s/v1/locations\n\n",
		generatedSecret(first.Key.Secret, a.cfg.APIKey, "$HOMEWARD_API_KEY"), address)
	fmt.Fprintf(&b, "Documentation: %s/docs    More keys: homeward key create --name NAME\n\n", a.cfg.BaseURL)
	_, _ = io.WriteString(out, b.String())
}

// generatedSecret returns a generated secret. If the operator has configured one, it returns placeholder instead,
// because a configured secret is never printed.
func generatedSecret(secret, configured, placeholder string) string {
	if configured != "" {
		return placeholder
	}
	return secret
}

// printDemoWelcome prints the dashboard's address and the demo's users. It is called whenever a demo starts.
// defaultPassword reports whether the demo has the password and the API key from the documentation.
func (a *App) printDemoWelcome(out io.Writer, defaultPassword bool) {
	password, key := "as set", "$HOMEWARD_API_KEY" //nolint:gosec // placeholders, no secrets
	if defaultPassword {
		password, key = demo.Password, demo.Key
	}
	var b strings.Builder
	fmt.Fprintf(&b, "This is a demo. All data is fictional, and no message leaves this machine.\n\n")
	fmt.Fprintf(&b, "  Dashboard  %s/\n", a.cfg.BaseURL)
	fmt.Fprintf(&b, "  Password   %s  for all users:\n\n", password)
	for _, u := range demo.Users() {
		fmt.Fprintf(&b, "    %-26s %-7s %s\n", u.Email, u.Role, u.Name)
	}
	fmt.Fprintf(&b, "\nTry it:\n\n  curl -H \"svc-api-key: %s\" %s/v1/locations\n\n", key, a.URL())
	_, _ = io.WriteString(out, b.String())
}
