package reply_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"homeward/internal/reply"
	"homeward/internal/reply/replytest"
)

// squeeze makes texts comparable that differ only in white space.
func squeeze(text string) string { return strings.Join(strings.Fields(text), " ") }

// check returns how a message differs from what a case wants.
func check(m reply.Message, c replytest.Case) (faults []string) {
	fault := func(what string, got, want any) {
		if got != want {
			faults = append(faults, fmt.Sprintf("%s = %q, want %q", what, got, want))
		}
	}
	fault("kind", m.Kind, c.Kind)
	fault("token", m.Token, c.Token)
	if c.Text != "*" {
		fault("text", squeeze(m.Text), squeeze(c.Text))
	}
	fault("photos", fmt.Sprint(len(m.Photos)), fmt.Sprint(c.Photos))
	fault("unreachable", m.Unreachable, c.Unreachable)
	return faults
}

func TestAThousandMailsOfAllShapesAreRead(t *testing.T) {
	if n := replytest.Shapes(); n < 30 {
		t.Errorf("only %d shapes", n)
	}
	const want = 98 // percent
	cases := replytest.Generate(22, 1000)
	wrong := 0
	for i, c := range cases {
		m, err := reply.Parse(bytes.NewReader(c.Raw), replytest.Self)
		if err != nil {
			t.Fatalf("%d %s (%s): %v", i, c.Shape, c.Language, err)
		}
		if m.Token != "" && m.Token != c.Token {
			t.Errorf("%d %s: accepted the token %q, want %q", i, c.Shape, m.Token, c.Token)
		}
		if faults := check(m, c); len(faults) > 0 {
			wrong++
			t.Logf("%d %s (%s): %s", i, c.Shape, c.Language, strings.Join(faults, "\n\t"))
		}
	}
	t.Logf("%d of %d mails read correctly", len(cases)-wrong, len(cases))
	if right := 100 * float64(len(cases)-wrong) / float64(len(cases)); right < want {
		t.Errorf("%.1f %% of the mails are read correctly, want %d %%", right, want)
	}
}
