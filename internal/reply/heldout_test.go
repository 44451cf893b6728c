package reply_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"homeward/internal/reply"
	"homeward/internal/reply/replytest"
)

// readCase reads a file in testdata/mails: comment lines with what is wanted, and the e-mail.
func readCase(t *testing.T, name string) replytest.Case {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	c := replytest.Case{Shape: filepath.Base(name)}
	for bytes.HasPrefix(raw, []byte("# ")) {
		line, rest, _ := bytes.Cut(raw, []byte("\n"))
		raw = rest
		key, value, _ := strings.Cut(strings.TrimPrefix(string(line), "# "), ":")
		value = strings.TrimSpace(value)
		switch key {
		case "kind":
			c.Kind = reply.Kind(value)
		case "token":
			if value == "yes" {
				c.Token = token
			}
		case "photos":
			c.Photos, err = strconv.Atoi(value)
		case "unreachable":
			c.Unreachable = value
		case "text":
			c.Text = value
		default:
			t.Fatalf("%s: unknown line %q", name, line)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	c.Raw = bytes.ReplaceAll(raw, []byte("\n"), []byte("\r\n"))
	return c
}

// TestMailsWrittenByHandAreRead reads e-mails that were written before the parser was tried on them.
func TestMailsWrittenByHandAreRead(t *testing.T) {
	names, err := filepath.Glob("testdata/mails/*.eml")
	if err != nil || len(names) < 130 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	for _, name := range names {
		c := readCase(t, name)
		m, err := reply.Parse(bytes.NewReader(c.Raw), replytest.Self)
		if err != nil {
			t.Errorf("%s: %v", c.Shape, err)
			continue
		}
		for _, fault := range check(m, c) {
			t.Errorf("%s: %s", c.Shape, fault)
		}
	}
}
