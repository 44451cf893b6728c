package app

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"homeward/internal/webhook"
)

func TestASecretThatIsPastedIsUsedFromThenOn(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	secret, body := webhook.NewSecret(), []byte(`{"eventType":"test"}`)
	header := webhook.Headers([]string{secret}, "dlv_1", now, body)
	var out bytes.Buffer
	r := &receiver{out: &out, now: func() time.Time { return now }}
	for _, step := range []struct{ pasted, says, signature string }{
		{"", "", "not checked: no secret yet"},
		{"what is this?\n\n", "That is no secret of a webhook: one begins with whsec_ and has 44 characters more.\n", "not checked: no secret yet"},
		{webhook.NewSecret() + "\n", "From now on signatures are checked with this secret too.\n", "WRONG: the signature was not made with this secret for this body"},
		{webhook.NewSecret() + "\n", "From now on signatures are checked with this secret too.\n", "WRONG: none of the 2 secrets that are known here made it for this body"},
		{"  " + secret + "  ", "From now on signatures are checked with this secret too.\n", "verified"},
	} {
		out.Reset()
		r.readSecrets(strings.NewReader(step.pasted))
		if got := r.signature(header, body); got != step.signature || out.String() != step.says {
			t.Errorf("after %q it prints %q and %q", step.pasted, out.String(), got)
		}
	}
}
