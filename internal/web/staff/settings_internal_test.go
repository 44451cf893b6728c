package staff

import (
	"testing"

	"homeward/internal/lost"
)

func TestEveryDeedAndMessageHasWordsForPeople(t *testing.T) {
	for _, d := range lost.AuditActions() {
		if deedNames[d] == "" {
			t.Errorf("%s has none", d)
		}
	}
	for _, k := range lost.MessageKinds() {
		if postNames[k] == "" {
			t.Errorf("a message %s has none", k)
		}
	}
}

func TestHeadersAreReadOneToALine(t *testing.T) {
	var problems lost.Problems
	if got := readHeaders("Authorization:  Bearer a:b \n\nX-Till: 7\n", &problems).Value; len(got) != 2 || got["Authorization"] != "Bearer a:b" || got["X-Till"] != "7" {
		t.Errorf("read %q", got)
	}
	if readHeaders("Authorization Bearer", &problems).Sent || !problems.Has("headers") {
		t.Errorf("without a colon: %v", problems)
	}
}
