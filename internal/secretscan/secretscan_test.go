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
		"the key of the request": {"error: key client-key-0123456789", "the key of a request"},
		"the cookie":             {"cookie-that-was-sent-back", "the cookie session"},
		"the cookie of before":   {"cookie-that-was-kept-long", "the cookie session"},
		"what was made":          {"made made-secret-0123456789", "a secret of a response"},
		"a link":                 {"at https://x.example/g/abcdefghijklmnopqrstuvwxyz", "a link by its shape"},
		"a new address's":        {"at https://x.example/confirm/abcdefghijklmnopqrstuvwxyz", "a link by its shape"},
		"a key":                  {"hw_abcdefghijklmnopqrst0", "an API key by its shape"},
		"a secret of a webhook":  {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "a webhook's secret by its shape"},
		"an address":             {"dial smtp://desk:hunter2@mail.example", "a password by its shape"},
		"what was set":           {"set-in-the-settings", "the setting"},
	} {
		t.Run(name, func(t *testing.T) {
			log := secretscan.Watch(discard{t})
			log.AddSecret("the setting", "set-in-the-settings", "short")
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				http.SetCookie(w, &http.Cookie{Name: "session", Value: "cookie-that-was-sent-back"})
				_, _ = io.WriteString(w, `{"secret": "made-secret-0123456789"}`)
			}))
			defer s.Close()
			r, _ := http.NewRequest(http.MethodGet, s.URL, nil)
			r.Header.Set("svc-api-key", "client-key-0123456789")
			r.AddCookie(&http.Cookie{Name: "session", Value: "cookie-that-was-kept-long"})
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

// discard is a test that does not fail when a secret is found.
type discard struct{ testing.TB }

func (discard) Cleanup(func()) {}
