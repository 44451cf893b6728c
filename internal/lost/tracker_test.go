package lost_test

import (
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
)

func trackedRequest(t *testing.T, link string, now time.Time) (lost.Item, error) {
	t.Helper()
	return lost.NewRequest("acc_1", "loc_1", lost.RequestPatch{
		Description: lost.Set("Blue suitcase"), TrackerLink: lost.Set(link),
		Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")}),
	}, now)
}

func TestATrackerLinkLeadsToAKnownService(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	for link, service := range map[string]string{
		"https://find.apple.com/item/0a1b#key=x":            "Apple Find My",
		"https://FIND.apple.com/item/0a1b":                  "Apple Find My",
		"https://find.apple.com.cn/item/0a1b":               "Apple Find My",
		"https://share.apple.com/0a1b":                      "Apple Find My",
		"https://www.google.com/android/find":               "Google Find Hub",
		"https://www.google.com/android/find/share?link=0a": "Google Find Hub",
		"https://samsungfind.samsung.com/0a1b":              "Samsung Find",
		"https://smartthingsfind.samsung.com/0a1b":          "Samsung Find",
		"https://tile.com/0a1b":                             "Tile",
		"https://web.thetileapp.com/0a1b":                   "Tile",
		"https://app.chipolo.net/0a1b":                      "Chipolo",

		"http://find.apple.com/item/0a1b":                     "",
		"find.apple.com/item/0a1b":                            "",
		"//find.apple.com/item/0a1b":                          "",
		"javascript://find.apple.com/%0aalert(1)":             "",
		"https:/find.apple.com/item":                          "",
		"https:find.apple.com/item":                           "",
		"https://find.apple.com:8443/item/0a1b":               "",
		"https://find.apple.com:443/item/0a1b":                "",
		"https://find.apple.com:/item/0a1b":                   "",
		"https://find.apple.com./item/0a1b":                   "",
		"https://anna@find.apple.com/item/0a1b":               "",
		"https://find.apple.com@evil.example/item":            "",
		"https://find.apple.com\\@evil.example/item":          "",
		"https://evil.example\\.find.apple.com/item":          "",
		"https://evil.example/https://find.apple.com":         "",
		"https://evil.example#find.apple.com":                 "",
		"https://find.apple.com.evil.example/item":            "",
		"https://evilfind.apple.com/item":                     "",
		"https://sub.find.apple.com/item":                     "",
		"https://apple.com/item":                              "",
		"https://eviltile.com/0a1b":                           "",
		"https://tile.com.evil.example/0a1b":                  "",
		"https://www.google.com/url?q=https://evil.example":   "",
		"https://www.google.com/android/findevil":             "",
		"https://www.google.com/android/find/../../url?q=x":   "",
		"https://www.google.com/android/find/%2e%2e/url?q=x":  "",
		"https://google.com/android/find":                     "",
		"https://find.apple.com/item\nx":                      "",
		"https://find.apple.com/item x":                       "",
		"https://fınd.apple.com/item":                         "",
		"https://find.apple.com/\u202e":                       "",
		"https://find.apple.com/" + strings.Repeat("a", 2048): "",
		"https://17.253.144.10/item":                          "",
		"https://[::1]/item":                                  "",
		"https://find%2eapple.com/item":                       "",
		"https://find.apple.com%00.evil.example/item":         "",
		"data:text/html,https://find.apple.com":               "",
	} {
		i, err := trackedRequest(t, link, now)
		problem := lost.ProblemsOf(err)
		switch {
		case service == "" && (len(problem) != 1 || problem[0].Field != "trackerLink"):
			t.Errorf("%q: got %v, want one problem of trackerLink", link, err)
		case service == "" && (problem[0].Code != "not-a-tracker" ||
			!strings.Contains(problem[0].Message, "find.apple.com")):
			t.Errorf("%q: got %+v, want a problem that lists the hosts", link, problem[0])
		case service != "" && (err != nil || i.Claim.TrackerLink != link || lost.TrackerServiceName(link) != service):
			t.Errorf("%q: got %q of %q (%v), want it of %q", link, i.Claim.TrackerLink,
				lost.TrackerServiceName(link), err, service)
		}
	}
}

func TestATrackerLinkExpires(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	const link = "https://find.apple.com/item/0a1b"
	i, err := trackedRequest(t, link, now)
	end := now.Add(7 * 24 * time.Hour)
	if err != nil || !i.Claim.TrackerUntil.Equal(end) {
		t.Fatalf("got a link until %v (%v), want %v", i.Claim.TrackerUntil, err, end)
	}
	if last := end.Add(-time.Second); i.Claim.Tracker(last) != link || i.Claim.ExpireTracker(last) {
		t.Error("the link expires too early")
	}
	if i.Claim.Tracker(end) != "" {
		t.Error("the link is shown after it has expired")
	}
	if !i.Claim.ExpireTracker(end) || i.Claim.TrackerLink != "" || !i.Claim.TrackerUntil.IsZero() ||
		i.Claim.ExpireTracker(end) {
		t.Errorf("the link stays after it has expired: %+v", i.Claim)
	}
}

func TestAClaimantSharesReplacesAndRemovesATrackerLink(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	i, err := trackedRequest(t, "", now)
	if err != nil || !i.Claim.TrackerUntil.IsZero() {
		t.Fatalf("got a link until %v without a link (%v)", i.Claim.TrackerUntil, err)
	}
	share := func(link string, at time.Time, want bool) {
		t.Helper()
		before := i
		changed, err := i.Claim.ShareTracker(lost.Set(link), at)
		if err != nil || changed != want || changed != lost.MayChangeTasks(before, i) {
			t.Errorf("sharing %q at %v: changed is %t (%v), want %t, and a check to be scheduled", link, at, changed,
				err, want)
		}
	}
	share("https://find.apple.com/a", now, true)
	share("https://find.apple.com/a", now.Add(time.Second), false)
	share("https://find.apple.com/a", now.Add(time.Hour), true)
	share("https://app.chipolo.net/b", now.Add(2*time.Hour), true)
	if _, err := i.Claim.ShareTracker(lost.Field[string]{}, now); !lost.ProblemsOf(err).Has("trackerLink") {
		t.Errorf("sharing nothing: got %v, want a problem", err)
	}
	changed, err := i.Claim.ShareTracker(lost.Clear[string](), now)
	if err != nil || !changed || i.Claim.TrackerLink != "" {
		t.Errorf("removing the link: changed is %t (%v), and the link %q", changed, err, i.Claim.TrackerLink)
	}
	share("https://find.apple.com/a", now, true)
	if err := i.Reject("", now); err != nil || i.Claim.TrackerLink != "" || !i.Claim.TrackerUntil.IsZero() {
		t.Errorf("after the decision, the link is %q (%v)", i.Claim.TrackerLink, err)
	}
	if _, err := i.Claim.ShareTracker(lost.Set("https://find.apple.com/a"), now); lost.CodeOf(err) != lost.Conflict {
		t.Errorf("sharing after the decision: got %v, want a conflict", err)
	}
}
