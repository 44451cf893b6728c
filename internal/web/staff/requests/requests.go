package requests

import (
	"cmp"
	"net/http"
	"net/url"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// requestsPage is the list of requests.
type requestsPage struct {
	frame.Page
	Term     string
	State    lost.RequestState
	Tabs     []frame.Link
	Requests []frame.ItemSummary
	Total    string
	frame.Pager
	CanFile bool
}

// inboxTabs are the states by which requests are looked at, in words.
var inboxTabs = []struct {
	state lost.RequestState
	name  string
}{
	{lost.RequestPending, "To answer"}, {lost.RequestMatched, "Found"}, {lost.RequestRejected, "Not found"}, {lost.RequestWithdrawn, "Withdrawn"},
}

func (c *call) requests() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	query := c.Request.URL.Query()
	p := requestsPage{Page: c.NewPage("Requests"), Term: lost.Cut(query.Get("term"), lost.MaxTerm), CanFile: c.May(lost.Handle)}
	state := inboxTabs[0].state
	for _, tab := range inboxTabs {
		if query.Get("state") == string(tab.state) {
			state = tab.state
		}
	}
	for _, tab := range inboxTabs {
		p.Tabs = append(p.Tabs, frame.Link{Name: tab.name, Href: "?" + url.Values{"state": {string(tab.state)}, "term": {p.Term}}.Encode(), Current: tab.state == state})
	}
	p.State = state
	list, err := c.Desk.Requests(c.Context(), c.Actor(), l.ID, lost.ItemFilter{Term: p.Term, States: []lost.RequestState{state}, Glance: true, Page: c.PageFromQuery(frame.ListLimit)})
	if err != nil {
		return err
	}
	p.Requests, p.Total, p.Pager = frame.SummarizeItems(list.Data), frame.CountText(list.Total, "request", "requests"), frame.NewPager(list, c.Request.URL, "Newer", "Older")
	return c.Render(http.StatusOK, "requests", p)
}

// requestPage is one request, with found items beside it.
type requestPage struct {
	frame.Page
	Item       lost.Item
	State      frame.State
	Who        string
	Traits     string
	Filed      string
	Lost       string
	Proof      string
	Open       bool // it can be decided
	Matched    *frame.ItemSummary
	MatchedAt  string // the location, where it is another
	Term       string
	Suggested  []frame.Suggestion
	OutOfReach bool // something that is likely it is where whoever looks does not reach
	Searched   bool
	Likely     []likelyFind // what was searched for
	Reason     frame.Input
	Question   frame.Input
	Once       string // so that a question is asked once
	Kept       string // that nothing is sent; empty where it is
	CanHandle  bool
}

// likelyFind is a found item that somebody looked for.
type likelyFind struct {
	frame.ItemSummary
	Fits bool // the request can be answered with it
}

// request shows a request beside what may be it: what is suggested, or what somebody looks for.
func (c *call) request() error { return c.showRequest(http.StatusOK, nil, nil) }

// showRequest shows a request; values and wrong are those of a form that was not taken.
func (c *call) showRequest(status int, values url.Values, wrong error) error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	i, err := c.Desk.Request(c.Context(), c.Actor(), l.ID, c.Request.PathValue("id"))
	if err != nil {
		return err
	}
	p := requestPage{
		Page: c.NewPage("Request " + i.Reference), Item: i, Once: frame.NewFormKey(), State: frame.RequestState(i.Claim.State), Who: frame.FullName(i.Owner), Traits: frame.Traits(i), Filed: frame.Moment(i.CreatedAt, l.Zone()),
		Lost: frame.Day(i.Claim.LostDate), Proof: i.Claim.Proof, Open: i.Claim.State == lost.RequestPending, CanHandle: c.May(lost.Handle), Term: lost.Cut(c.Request.URL.Query().Get("term"), lost.MaxTerm),
		Reason:   frame.Input{Name: "reason", Label: "What you tell them", Type: "area", Value: values.Get("reason"), Hint: "It is sent as you write it, with a kind word around it."},
		Question: frame.Input{Name: "question", Label: "Your question", Type: "area", Value: values.Get("question"), Required: true, Hint: "They answer on the page of their request; you see it here."},
	}
	if p.Problems, err = frame.MarkErrors([]*frame.Input{&p.Reason, &p.Question}, wrong); err != nil {
		return err
	}
	if p.Kept = c.NotSentTo(i.Owner); p.Kept != "" {
		p.Reason.Hint, p.Question.Hint = "It is kept with the message.", "It is kept with the message."
	}
	if err := c.besideRequest(&p, i); err != nil {
		return err
	}
	return c.Render(status, "request", p)
}

// besideRequest puts found items beside a request.
func (c *call) besideRequest(p *requestPage, i lost.Item) (err error) {
	if id := i.Claim.MatchedItemID; id != "" {
		found, err := c.Desk.AnyItem(c.Context(), c.Actor(), id)
		if err != nil {
			return lost.UnlessMissing(err)
		}
		g := frame.SummarizeItem(found)
		p.Matched = &g
		p.MatchedAt, err = c.OtherLocation(i, found)
		return err
	}
	if !p.Open {
		return nil
	}
	if p.Searched = p.Term != ""; !p.Searched {
		if p.Suggested, err = c.suggestFinds(i); err == nil {
			p.OutOfReach, err = c.Desk.LikelyElsewhere(c.Context(), c.Actor(), i)
		}
		return err
	}
	list, err := c.Desk.Items(c.Context(), c.Actor(), i.LocationID, lost.ItemFilter{Term: p.Term, Source: lost.Found, Glance: true, Page: lost.Page{Number: 1, Limit: maxSuggestions}})
	if err != nil {
		return err
	}
	for _, found := range list.Data {
		p.Likely = append(p.Likely, likelyFind{frame.SummarizeItem(found), i.MayMatch(found) == nil})
	}
	return nil
}

// acceptPage asks once more before somebody is told that their thing was found.
type acceptPage struct {
	frame.Page
	Request, Found frame.ItemSummary
	Where          string // the found item's location, where it is another
	Claimant       lost.Owner
	Former         string // who was the owner of the found item
	Sends          bool
	Obstacle       string // why this cannot be; then there is nothing to say yes to
	Owned          string // where the found item's owner is changed, who is the obstacle
	Search         string // where another item is looked for; empty where the request is answered
}

func (c *call) askAccept() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	i, err := c.Desk.Request(c.Context(), c.Actor(), l.ID, c.Request.PathValue("id"))
	if err != nil {
		return err
	}
	found, err := c.Desk.AnyItem(c.Context(), c.Actor(), c.Request.URL.Query().Get("item"))
	if err != nil {
		return err
	}
	p := acceptPage{Page: c.NewPage("Is this it?"), Request: frame.SummarizeItem(i), Found: frame.SummarizeItem(found), Claimant: i.Owner, Sends: c.Desk.Writes(i.Owner)}
	if p.Where, err = c.OtherLocation(i, found); err != nil {
		return err
	}
	if err := c.Desk.MayAnswer(c.Context(), c.Actor(), i, found); err != nil {
		return c.obstacle(p, i, found, err)
	}
	if found.Owner.Known() && found.Owner != i.Owner {
		p.Former = cmp.Or(frame.FullName(found.Owner), found.Owner.Address())
	}
	return c.Render(http.StatusOK, "accept", p)
}

// obstacle says why a request cannot be answered with an item, and where to go instead.
func (c *call) obstacle(p acceptPage, i, found lost.Item, why error) error {
	if lost.CodeOf(why) != lost.Conflict {
		return why
	}
	p.Title, p.Obstacle = "This does not fit", lost.Detail(why)
	if i.Claim.State == lost.RequestPending {
		p.Search = p.Request.Href + "#likely"
		if found.Source == lost.Found && found.Status == lost.Pending {
			p.Owned = p.Found.Href + "?edit=owner#owner"
		}
	}
	return c.Render(http.StatusOK, "accept", p)
}

// decide answers a request and leads back to it.
func (c *call) decide(p lost.DecisionPatch, values url.Values, told, done string) error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	i, err := c.Desk.DecideRequest(c.Context(), c.Actor(), l.ID, c.Request.PathValue("id"), p)
	if lost.CodeOf(err) == lost.Invalid {
		return c.showRequest(respond.Failed(c.Writer, err), values, err)
	}
	if err != nil {
		return err
	}
	c.FlashMessageSent(i.Owner.Channel(), told, done)
	return c.Redirect(frame.LocationPath(l.ID, "/requests/"+i.ID))
}

func (c *call) acceptRequest() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	return c.decide(lost.DecisionPatch{Type: lost.Set(lost.Accept), ItemID: respond.Typed(values, "item")}, values, "They are told that it was found, and choose what happens with it.", "The request is matched.")
}

func (c *call) rejectRequest() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	return c.decide(lost.DecisionPatch{Type: lost.Set(lost.Reject), Reason: respond.Typed(values, "reason")}, values, "They are told that it was not found.", "The request is closed.")
}

func (c *call) askClaimant() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	l, err := c.Location()
	if err != nil {
		return err
	}
	i, err := c.Desk.AskClaimant(c.Context(), c.Actor(), l.ID, c.Request.PathValue("id"), respond.Typed(values, "question"), frame.FormKey(values, "question "+c.Request.PathValue("id")))
	if lost.CodeOf(err) == lost.Invalid {
		return c.showRequest(respond.Failed(c.Writer, err), values, err)
	}
	if err != nil {
		return err
	}
	c.FlashMessageSent(i.Owner.Channel(), "Your question is on its way to them.", "Your question is noted.")
	return c.Redirect(frame.LocationPath(l.ID, "/requests/"+c.Request.PathValue("id")))
}

// filePage is the form for what somebody lost who calls or stands at the desk.
type filePage struct {
	frame.Page
	Once   string
	Inputs []*frame.Input
}

func requestInputs(values url.Values, today string) []*frame.Input {
	v := values.Get
	return []*frame.Input{
		{Name: "description", Label: "What was lost", Type: "area", Value: v("description"), Required: true, Focus: true, Hint: "What it is, what it looks like, what is in it."},
		{Name: "lostPlace", Label: "Where", Type: "text", Value: v("lostPlace")},
		{Name: "lostDate", Label: "When", Type: "date", Value: v("lostDate"), Max: today, Narrow: true},
		{Name: "proof", Label: "What only the owner can know", Type: "area", Value: v("proof"), Hint: "An engraving, the lock screen, what is in the left pocket. Nobody else is shown it."},
		{Name: "brand", Label: "Brand", Type: "text", Value: v("brand")},
		{Name: "model", Label: "Model", Type: "text", Value: v("model")},
		{Name: "color", Label: "Colour", Type: "text", Value: v("color")},
		{Name: "owner.firstName", Label: "Their first name", Type: "text", Value: v("owner.firstName")},
		{Name: "owner.lastName", Label: "Their last name", Type: "text", Value: v("owner.lastName")},
		{Name: "owner.email", Label: "Their e-mail address", Type: "email", Value: v("owner.email"), Hint: "This, or a phone number: a way to reach them."},
		{Name: "owner.phone", Label: "Their phone number", Type: "tel", Value: v("owner.phone"), Hint: "With the country code, such as +49 331 1234567."},
	}
}

func (c *call) askRequest() error { return c.showRequestForm(http.StatusOK, url.Values{}, nil) }

func (c *call) showRequestForm(status int, values url.Values, wrong error) error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	p := filePage{Page: c.NewPage("Somebody lost something"), Once: cmp.Or(values.Get("once"), frame.NewFormKey()), Inputs: requestInputs(values, l.Day(c.Now()))}
	if p.Problems, err = frame.MarkErrors(p.Inputs, wrong); err != nil {
		return err
	}
	return c.Render(status, "request-new", p)
}

func (c *call) fileRequest() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	l, err := c.Location()
	if err != nil {
		return err
	}
	typed := func(name string) lost.Field[string] { return respond.Typed(values, name) }
	i, err := c.Desk.FileRequest(c.Context(), c.Actor(), l.ID, lost.RequestPatch{
		Description: typed("description"), LostPlace: typed("lostPlace"), LostDate: typed("lostDate"), Proof: typed("proof"),
		Brand: typed("brand"), Model: typed("model"), Color: typed("color"),
		Owner: lost.Set(lost.OwnerPatch{FirstName: typed("owner.firstName"), LastName: typed("owner.lastName"), Email: typed("owner.email"), Phone: typed("owner.phone")}),
	}, frame.FormKey(values, "request"))
	if lost.CodeOf(err) == lost.Invalid {
		return c.showRequestForm(respond.Failed(c.Writer, err), values, err)
	}
	if err != nil {
		return err
	}
	c.Flash("Request " + i.Reference + " is filed.")
	return c.Redirect(frame.LocationPath(l.ID, "/requests/"+i.ID))
}
