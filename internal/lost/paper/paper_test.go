package paper_test

import (
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/paper"
)

// problems lists the field problems of an error, each as "field code".
func problems(err error) string {
	var all []string
	for _, p := range lost.ProblemsOf(err) {
		all = append(all, p.Field+" "+p.Code)
	}
	return strings.Join(all, ", ")
}

func TestTheTextsOfAHandoverAreChecked(t *testing.T) {
	for name, c := range map[string]struct {
		patch paper.HandoverPatch
		want  string
	}{
		"valid":        {paper.HandoverPatch{Recipient: "Max Weiß", Note: "Receipt 17\nCase 4"}, ""},
		"no recipient": {paper.HandoverPatch{Recipient: " "}, "recipient required"},
		"a note that is too long": {
			paper.HandoverPatch{Recipient: "Max", Note: strings.Repeat("a", lost.MaxDescription+1)}, "note too-long",
		},
		"control characters": {
			paper.HandoverPatch{Recipient: "M\x7fax", Organisation: "Station\n11", Note: "a\x00b"},
			"recipient control-character, organisation control-character, note control-character",
		},
		"nobody receives what is discarded": {
			paper.HandoverPatch{Recipient: "Max", Destination: string(lost.Discarded)}, "destination not-allowed",
		},
		"invalid UTF-8": {paper.HandoverPatch{Recipient: "Max\xff"}, "recipient control-character"},
	} {
		if c.patch.Destination == "" {
			c.patch.Destination = string(lost.Police)
		}
		h, err := c.patch.Read(time.Time{})
		if got := problems(err); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		if c.want == "" && (h.Recipient != c.patch.Recipient || h.Note != c.patch.Note) {
			t.Errorf("%s: got %+v", name, h)
		}
	}
	if _, err := (paper.Destroyed{Witness: "Eva\nHan"}).Read(); problems(err) != "witness control-character" {
		t.Errorf("witness: got %v", err)
	}
}
