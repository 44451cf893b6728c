package requests

import (
	"net/http"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// tracker is the tracker link of a request as pages show it: the service behind it, but not the link itself.
type tracker struct {
	Service string
	Until   string // when the link is deleted
	Open    string // the path of the page that opens it; empty if the user may not
}

// trackerOf returns the tracker link of a request, or nil if there is none or it has expired.
func (c *call) trackerOf(l lost.Location, i lost.Item) *tracker {
	link := i.Claim.Tracker(c.Now())
	if link == "" {
		return nil
	}
	t := &tracker{Service: lost.TrackerServiceName(link), Until: c.Moment(i.Claim.TrackerUntil, l.Zone())}
	if c.May(lost.HandleItems) {
		t.Open = frame.ItemPath(i) + "/tracker"
	}
	return t
}

// trackerPage asks for confirmation before the tracker link of a request is opened, and then leads to it. The
// Content-Security-Policy does not allow a form to redirect to another site, so the page does that when To is set.
type trackerPage struct {
	frame.Page
	Request frame.ItemSummary
	Tracker tracker
	To      string // the link; empty until the user has confirmed
}

// askTracker shows where the tracker link leads, and that opening it is recorded.
func (c *call) askTracker() error { return c.showTracker("") }

// openTracker records that the user opens the tracker link, and leads to it. It goes to the stored link only.
func (c *call) openTracker() error {
	link, err := c.Services.Requests.OpenTracker(c.Context(), c.Actor(), c.Request.PathValue("location"),
		c.Request.PathValue("id"))
	if err != nil {
		return err
	}
	c.Writer.Header().Set("Referrer-Policy", "no-referrer")
	return c.showTracker(link)
}

func (c *call) showTracker(to string) error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	i, err := c.Services.Requests.Get(c.Context(), c.Actor(), l.ID, c.Request.PathValue("id"))
	if err != nil {
		return err
	}
	t := c.trackerOf(l, i)
	if t == nil {
		return lost.Missing("request")
	}
	return c.Render(http.StatusOK, "tracker", trackerPage{
		Page: c.NewPage(c.Say("requests.tracker.title")), Request: c.SummarizeItem(i), Tracker: *t, To: to,
	})
}
