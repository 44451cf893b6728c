package frame_test

import (
	"testing"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

func TestTheHistoryOfARequestNamesTheClaimant(t *testing.T) {
	lang := frame.Locale{Language: i18n.Choose("en")}
	byGuest := lost.Entry{Action: lost.Updated, Actor: lost.Actor{Kind: lost.ByGuest}}
	if got := lang.NewTimelineEntry(lost.Item{Source: lost.Request}, byGuest).Who; got != "Claimant" {
		t.Errorf("a request: got %q", got)
	}
	if got := lang.NewTimelineEntry(lost.Item{Source: lost.Found}, byGuest).Who; got != "The owner" {
		t.Errorf("a found item: got %q", got)
	}
}
