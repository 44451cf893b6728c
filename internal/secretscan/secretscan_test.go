package secretscan_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"homeward/internal/secretscan"
)

func TestSecretsOfRequestsAndResponsesAreFoundInTheLog(t *testing.T) {
	for name, c := range map[string]struct{ logged, want string }{
		"nothing":                {`{"msg":"request","route":"GET /g/{token}"}`, ""},
		"the key of the request": {"error: key client-key-0123456789", "an API key in a request"},
		"the cookie":             {"cookie-set-by-response", "the cookie session"},
		"an earlier cookie":      {"cookie-of-earlier-session", "the cookie session"},
		"a created secret":       {"made made-secret-0123456789", "a secret in a response"},
		"a link":                 {"at https://x.example/g/abcdefghijklmnopqrstuvwxyz", "a link by its format"},
		"a confirmation link":    {"at https://x.example/confirm/abcdefghijklmnopqrstuvwxyz", "a link by its format"},
		"a key":                  {"hw_abcdefghijklmnopqrst0", "an API key by its format"},
		"a secret of a webhook":  {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "a webhook's secret by its format"},
		"a password in a URL":    {"dial smtp://desk:hunter2@mail.example", "a password by its format"},
		"a setting":              {"set-in-the-settings", "the setting"},
	} {
		t.Run(name, func(t *testing.T) {
			log := secretscan.Watch(discard{t})
			log.AddSecret("the setting", "set-in-the-settings", "short")
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				http.SetCookie(w, &http.Cookie{Name: "session", Value: "cookie-set-by-response"})
				_, _ = io.WriteString(w, `{"secret": "made-secret-0123456789"}`)
			}))
			defer s.Close()
			r, _ := http.NewRequest(http.MethodGet, s.URL, nil)
			r.Header.Set("svc-api-key", "client-key-0123456789")
			r.AddCookie(&http.Cookie{Name: "session", Value: "cookie-of-earlier-session"})
			res, err := (&http.Client{Transport: log.Transport(http.DefaultTransport)}).Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.ReadAll(res.Body)
			_ = res.Body.Close()
			fmt.Fprintln(log, c.logged)
			found := strings.Join(log.Leaks(), "\n")
			if (c.want == "") != (found == "") || !strings.HasPrefix(found, c.want) {
				t.Errorf("found %q", found)
			}
			for secret := range strings.FieldsSeq(c.logged) {
				if len(secret) > 16 && c.want != "" && strings.Contains(found, secret) {
					t.Errorf("the report contains the secret: %s", found)
				}
			}
		})
	}
}

// discard is a testing.TB that does not fail when a secret is found.
type discard struct{ testing.TB }

func (discard) Cleanup(func()) {}
