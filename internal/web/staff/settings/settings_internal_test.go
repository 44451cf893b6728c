package settings

import (
	"net/http/httptest"
	"strings"
	"testing"

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
		if actionNames[a] == "" {
			t.Errorf("the audit action %s has no name", a)
		}
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
