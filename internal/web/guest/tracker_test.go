package guest_test

import (
	"context"
	"errors"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"homeward/internal/lost"
)

// refuseLookups makes every look-up of a host's name fail until the end of the test, and returns how many there were.
func refuseLookups(t *testing.T) (count func() int64) {
	t.Helper()
	var n atomic.Int64
	former := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{
		PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
			n.Add(1)
			return nil, errors.New("names are not looked up in this test")
		},
	}
	t.Cleanup(func() { net.DefaultResolver = former })
	return n.Load
}

// No test host is on the list of trackers, so a request to one would begin with the look-up of its name.
func TestTheServiceNeverFetchesATracker(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		lookups := refuseLookups(t)
		l := h.location(adler())
		fields := maps.Clone(report())
		fields["trackerLink"] = tracker
		thanks := h.reported(l, fields)
		i := h.requests(l)[0]
		link := h.link(i)
		h.get(thanks).want(t, 200)
		h.get(link).want(t, 200, "You shared a link from Apple Find My")
		h.post(link+"/tracker", form("trackerLink", otherTracker)).redirects(t, link+"?tracker=shared")
		must(h.desk.Requests.Get(t.Context(), h.actor, l.ID, i.ID))
		if opened := must(h.desk.Requests.OpenTracker(t.Context(), h.actor, l.ID, i.ID)); opened != otherTracker {
			t.Errorf("the desk is led to %q", opened)
		}
		if n := lookups(); n > 0 {
			t.Errorf("%d names were looked up", n)
		}
		r := must(http.NewRequestWithContext(t.Context(), http.MethodGet, tracker, nil))
		if res, err := http.DefaultClient.Do(r); err == nil || lookups() == 0 {
			if err == nil {
				_ = res.Body.Close()
			}
			t.Error("the test does not notice a request to a tracker")
		}
	})
}

const (
	tracker      = "https://find.apple.com/item/0a1b2c"
	otherTracker = "https://app.chipolo.net/3d4e5f"
)

func TestAClaimantReportsAnItemWithATracker(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		l := h.location(adler())
		fields := maps.Clone(report())
		fields["trackerLink"] = "https://evil.example/find.apple.com"
		bad := h.send("/l/"+l.Permalink, h.withFormToken(l, fields), nil)
		if bad.StatusCode != 422 || !strings.HasPrefix(bad.fieldError("trackerLink"), "This is not a share link") ||
			bad.fields().Get("trackerLink") != fields["trackerLink"] {
			t.Errorf("a link to another site: got status %d, error %q", bad.StatusCode, bad.fieldError("trackerLink"))
		}
		fields["trackerLink"] = tracker
		thanks := h.reported(l, fields)
		i := h.requests(l)[0]
		if i.Claim.TrackerLink != tracker {
			t.Errorf("got the link %q", i.Claim.TrackerLink)
		}
		for _, path := range []string{thanks, h.link(i)} {
			if a := h.get(path); strings.Contains(a.body, "find.apple.com") {
				t.Errorf("%s shows the link", path)
			}
		}
	})
}

func TestAClaimantSharesATrackerLinkLater(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		l := h.location(adler())
		h.reported(l, report())
		i := h.requests(l)[0]
		link := h.link(i)
		h.get(link).want(t, 200, "Share a tracker link")
		bad := h.post(link+"/tracker", form("trackerLink", "https://find.apple.com.evil.example/"))
		if bad.StatusCode != 422 || bad.fieldError("trackerLink") == "" {
			t.Errorf("a link to another site: got status %d, error %q", bad.StatusCode, bad.fieldError("trackerLink"))
		}
		none := h.post(link+"/tracker", form("trackerLink", " "))
		if none.StatusCode != 422 || none.fieldError("trackerLink") != "Fill this in." {
			t.Errorf("no link: got status %d, error %q", none.StatusCode, none.fieldError("trackerLink"))
		}
		h.post(link+"/tracker", form("trackerLink", tracker)).redirects(t, link+"?tracker=shared")
		h.get(link+"?tracker=shared").want(t, 200, "The link was shared.",
			"You shared a link from Apple Find My with Hotel Adler.")
		h.post(link+"/tracker", form("trackerLink", otherTracker)).redirects(t, link+"?tracker=shared")
		if now := h.reload(i); now.Claim.TrackerLink != otherTracker {
			t.Errorf("got the link %q, want the second", now.Claim.TrackerLink)
		}
		h.post(link+"/tracker", form("remove", "1")).redirects(t, link+"?tracker=removed")
		h.get(link+"?tracker=removed").want(t, 200, "The link was removed.", "Share a tracker link")
		if now := h.reload(i); now.Claim.TrackerLink != "" {
			t.Errorf("got the link %q after it was removed", now.Claim.TrackerLink)
		}
		h.post(link+"/tracker", form("trackerLink", tracker)).redirects(t, link+"?tracker=shared")
		h.clock.Advance(lost.TrackerLife + time.Second) // no job has run
		if a := h.get(link); strings.Contains(a.body, "You have shared") {
			t.Error("an expired link is shown")
		}
		h.post(link+"/found", nil).redirects(t, link)
		h.post(link+"/tracker", form("trackerLink", tracker)).want(t, 409, "You have it back")
	})
}
