package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"homeward/internal/demo"
	"homeward/internal/identity"
	"homeward/internal/lost"
)

// FirstStartFile is the file in the data folder that receives the generated password and API key of the first user if
// the output is not a terminal.
const FirstStartFile = "first-start.txt"

// printWelcome prints the dashboard's address, the first user's credentials and an API key. It is called only when
// the service starts for the first time. Generated credentials are printed on a terminal only, because other output is
// often a log that many people can read: they are then written to a file, and its path is printed and logged.
func (a *App) printWelcome(out io.Writer, first identity.First) error {
	isGenerated := a.cfg.AdminPassword == "" || a.cfg.APIKey == ""
	if !isGenerated || IsTerminal(out) {
		advice := "The password and the API key are shown only once:"
		if !isGenerated {
			advice = "The password and the API key are the configured ones:"
		}
		_, _ = io.WriteString(out, a.welcome(first, advice))
		return nil
	}
	file := filepath.Join(a.cfg.Data, FirstStartFile)
	text := a.welcome(first, "Delete this file when you have saved the password and the API key:")
	if err := writePrivateFile(file, text); err != nil {
		return fmt.Errorf("HOMEWARD_DATA: saving the first user's password and API key failed: %w "+
			"(create others with homeward user reset and homeward key create)", err)
	}
	what := "The first user's password and an API key are"
	switch {
	case a.cfg.AdminPassword != "":
		what = "An API key is"
	case a.cfg.APIKey != "":
		what = "The first user's password is"
	}
	_, _ = fmt.Fprintf(out, "Homeward is ready: %s/\n%s in %s\n", a.cfg.BaseURL, what, file)
	a.log.Info("first user and API key created", "file", file)
	return nil
}

// welcome returns the text for the operator after the first start.
func (a *App) welcome(first identity.First, advice string) string {
	address := a.URL()
	if a.cfg.ServesTLS() { // the certificate is only valid for the public host name
		address = a.cfg.BaseURL
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Homeward is ready. %s\n\n", advice)
	fmt.Fprintf(&b, "  Dashboard  %s/\n", a.cfg.BaseURL)
	fmt.Fprintf(&b, "  Log in as  %s  password  %s\n", first.User.Email,
		generatedSecret(first.Password, a.cfg.AdminPassword, "as set"))
	fmt.Fprintf(&b, "  API key    %s\n\n", generatedSecret(first.Key.Secret, a.cfg.APIKey, "as set"))
	fmt.Fprintf(&b, "Try it:\n\n  curl -H \"svc-api-key: %s\" -H 'Content-Type: application/json' "+
		"-d '{\"name\":\"Hotel Adler\"}' %s/v1/locations\n\n",
		generatedSecret(first.Key.Secret, a.cfg.APIKey, "$HOMEWARD_API_KEY"), address)
	fmt.Fprintf(&b, "Documentation: %s/docs    More keys: homeward key create --name NAME\n\n", a.cfg.BaseURL)
	return b.String()
}

// writePrivateFile replaces a file with one that only its owner can read.
func writePrivateFile(file, text string) error {
	temp, err := os.CreateTemp(filepath.Dir(file), FirstStartFile+"-*") // mode 600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }() // fails after the file has been renamed
	_, err = temp.WriteString(text)
	if err := errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), file)
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
// defaultPassword reports whether the demo's users have the password from the documentation. A HOMEWARD_API_KEY that
// was set only after the demo had been created has no effect, which is printed too.
func (a *App) printDemoWelcome(ctx context.Context, out io.Writer, defaultPassword bool) error {
	password, key := "as set", "$HOMEWARD_API_KEY" //nolint:gosec // placeholders, no secrets
	if defaultPassword {
		password = demo.Password
	}
	isKey := func(secret string) (bool, error) {
		_, err := a.services.Keys.Authenticate(ctx, secret)
		if lost.CodeOf(err) == lost.Unauthorized {
			return false, nil
		}
		return err == nil, err
	}
	hasDefaultKey, err := isKey(demo.Key)
	if err != nil {
		return err
	}
	if hasDefaultKey {
		key = demo.Key
	}
	isIgnored := false
	if a.cfg.APIKey != "" {
		works, err := isKey(a.cfg.APIKey)
		if err != nil {
			return err
		}
		isIgnored = !works
	}
	var b strings.Builder
	fmt.Fprintf(&b, "This is a demo. All data is fictional, and no message leaves this machine.\n\n")
	fmt.Fprintf(&b, "  Dashboard  %s/\n", a.cfg.BaseURL)
	fmt.Fprintf(&b, "  Password   %s  for all users:\n\n", password)
	for _, u := range demo.Users() {
		fmt.Fprintf(&b, "    %-26s %-7s %s\n", u.Email, u.Role, u.Name)
	}
	fmt.Fprintf(&b, "\nTry it:\n\n  curl -H \"svc-api-key: %s\" %s/v1/locations\n\n", key, a.URL())
	if isIgnored {
		fmt.Fprintf(&b, "HOMEWARD_API_KEY has no effect: this demo was created without it. To use it, delete %s.\n\n",
			a.cfg.Data)
	}
	_, _ = io.WriteString(out, b.String())
	return nil
}
