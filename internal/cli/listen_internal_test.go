package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"homeward/internal/webhook"
)

func TestPastedSecretIsUsedFromThenOn(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	secret, body := webhook.NewSecret(), []byte(`{"eventType":"test"}`)
	header := webhook.Headers([]string{secret}, "dlv_1", now, body)
	const accepted = "From now on signatures are checked with this secret too.\n"
	var out bytes.Buffer
	r := &receiver{out: &out, now: func() time.Time { return now }}
	for _, step := range []struct{ pasted, printed, signature string }{
		{"", "", "not checked: no secret yet"},
		{"what is this?\n\n",
			"That is not a webhook secret: it begins with whsec_, followed by 44 characters.\n",
			"not checked: no secret yet"},
		{webhook.NewSecret() + "\n", accepted, "WRONG: the signature does not match the secret and the body"},
		{webhook.NewSecret() + "\n", accepted, "WRONG: the signature matches none of the 2 known secrets"},
		{"  " + secret + "  ", accepted, "verified"},
	} {
		out.Reset()
		r.readSecrets(strings.NewReader(step.pasted))
		if got := r.signature(header, body); got != step.signature || out.String() != step.printed {
			t.Errorf("after %q: printed %q, signature %q", step.pasted, out.String(), got)
		}
	}
}
