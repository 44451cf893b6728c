package settings

import (
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

func TestQueryParametersAreCutToTheLongestID(t *testing.T) {
	long := strings.Repeat("x", 3*maxID)
	request := httptest.NewRequest("GET", "/settings/audit?before="+long+"&who="+long, nil)
	c := &call{&frame.Call{Request: request}}
	if got := c.seekFromQuery().Before; got != long[:maxID] {
		t.Errorf("got before %q", got)
	}
	if got := c.auditFilter().Actor; got != long[:maxID] {
		t.Errorf("got actor %q", got)
	}
}

func TestEveryAuditActionHasAName(t *testing.T) {
	for _, a := range lost.AuditActions() {
		if !frame.English().Has(actionPrefix + string(a)) {
			t.Errorf("the audit action %s has no name", a)
		}
	}
}

func TestTimesAreInTheLanguageOfThePage(t *testing.T) {
	at := time.Date(2026, 11, 17, 22, 9, 46, 0, time.UTC)
	for tag, want := range map[string]string{"en": "Tue 17 Nov 2026, 22:09:46", "de": "Di 17. Nov. 2026, 22:09:46"} {
		p := settingsPage{Page: frame.Page{Locale: frame.Locale{Language: i18n.Choose(tag)}}, Zone: time.UTC}
		if got := p.When(at); got != want {
			t.Errorf("%s: got %q, want %q", tag, got, want)
		}
	}
}

func TestThePageListsTheSameErasedRecordsAsTheAuditLog(t *testing.T) {
	var e lost.Erased
	if got := erasedText(frame.English(), e); got != e.String() {
		t.Errorf("got %q, want %q", got, e)
	}
	counts := reflect.ValueOf(&e).Elem()
	for n := range counts.NumField() {
		counts.Field(n).SetInt(int64(n + 1))
	}
	if got := erasedText(frame.English(), e); got != e.String() {
		t.Errorf("got %q, want %q", got, e)
	}
}

func TestHeadersAreReadOnePerLine(t *testing.T) {
	var problems lost.Problems
	got := readHeaders("Authorization:  Bearer a:b \n\nX-Till: 7\n", &problems).Value
	if len(got) != 2 || got["Authorization"] != "Bearer a:b" || got["X-Till"] != "7" {
		t.Errorf("got headers %q", got)
	}
	if readHeaders("Authorization Bearer", &problems).Sent || !problems.Has("headers") {
		t.Errorf("got problems %v for a line without a colon", problems)
	}
}
