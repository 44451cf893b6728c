package webhook_test

import (
	"fmt"
	"strings"
	"testing"

	"homeward/internal/webhook"
)

func TestCheckHeadersFindsProblems(t *testing.T) {
	many := map[string]string{}
	for i := range 21 {
		many[fmt.Sprint("X-", i)] = "1"
	}
	for _, tt := range []struct {
		name    string
		headers map[string]string
		want    string // the field and code of each problem
	}{
		{"none", nil, ""},
		{"usual ones", map[string]string{"Authorization": "Bearer abc~", "X-Api-Key": "k", "Cookie": "a=b", "x-1": ""},
			""},
		{"an imitation of svc-signature", map[string]string{"svc_signature": "t=1,v1=ab"}, "headers invalid-name"},
		{"as long as allowed", map[string]string{"X-A": strings.Repeat("a", 4096-3)}, ""},
		{"too long", map[string]string{"X-A": strings.Repeat("a", 4096-2)}, "headers too-long"},
		{"too many", many, "headers too-many"},
		{"no name", map[string]string{"": "a"}, "headers invalid-name"},
		{"a space", map[string]string{"X A": "a"}, "headers invalid-name"},
		{"a colon", map[string]string{":authority": "a"}, "headers invalid-name"},
		{"a line break in the name", map[string]string{"X\r\nHost": "a"}, "headers invalid-name"},
		{"a letter beyond ASCII", map[string]string{"Schlüssel": "a"}, "headers invalid-name"},
		{"a line break", map[string]string{"X-A": "a\r\nHost: evil"}, "headers.X-A invalid-value"},
		{"a lone line feed", map[string]string{"X-A": "a\nb"}, "headers.X-A invalid-value"},
		{"a zero", map[string]string{"X-A": "\x00"}, "headers.X-A invalid-value"},
		{"a value beyond ASCII", map[string]string{"X-A": "ü"}, "headers.X-A invalid-value"},
		{"twice", map[string]string{"X-A": "1", "x-a": "2"}, "headers.x-a duplicate"},
		{"several", map[string]string{"Host": "a", "X-A": "\n"}, "headers.Host reserved, headers.X-A invalid-value"},
	} {
		if got := problemsOf(tt.headers); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

var reserved = []string{
	"Content-Type", "content-length", "Content-Encoding", "Host", "USER-AGENT", "svc-signature", "Svc-Anything",
	"webhook-id", "webhook-timestamp", "webhook-signature", "Connection", "Keep-Alive", "Transfer-Encoding", "TE",
	"Trailer",
	"Upgrade", "Expect", "Proxy-Authorization", "Proxy-Connection", "Accept-Encoding", "Idempotency-Key",
	"X-Idempotency-Key",
}

func TestReservedHeadersCannotBeSet(t *testing.T) {
	for _, name := range reserved {
		if got, want := problemsOf(map[string]string{name: "x"}), "headers."+name+" reserved"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestAProblemNeverContainsTheHeadersValue(t *testing.T) {
	for _, name := range []string{"X-A", "Host", "bad name"} {
		if got := fmt.Sprint(webhook.CheckHeaders(map[string]string{name: "secret\n"})); strings.Contains(got,
			"secret") {
			t.Error(got)
		}
	}
}

func problemsOf(headers map[string]string) string {
	var all []string
	for _, p := range webhook.CheckHeaders(headers) {
		all = append(all, p.Field+" "+p.Code)
	}
	return strings.Join(all, ", ")
}
