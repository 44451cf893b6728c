package staff

import (
	"cmp"
	"net/http"
	"net/url"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

func requestRoutes() []Route {
	const one = "/at/{location}/requests/{id}"
	return []Route{
		{Method: http.MethodGet, Path: "/at/{location}/requests", Right: lost.Look, serve: (*call).requests},
		{Method: http.MethodGet, Path: "/at/{location}/requests/new", Right: lost.Handle, serve: (*call).askRequest},
		{Method: http.MethodPost, Path: "/at/{location}/requests/new", Right: lost.Handle, serve: (*call).fileRequest},
		{Method: http.MethodGet, Path: one, Right: lost.Look, serve: (*call).request},
		{Method: http.MethodGet, Path: one + "/accept", Right: lost.Handle, serve: (*call).askAccept},
		{Method: http.MethodPost, Path: one + "/accept", Right: lost.Handle, serve: (*call).acceptRequest},
		{Method: http.MethodPost, Path: one + "/refuse", Right: lost.Handle, serve: (*call).refuseMatch},
		{Method: http.MethodPost, Path: one + "/reject", Right: lost.Handle, serve: (*call).rejectRequest},
		{Method: http.MethodPost, Path: one + "/ask", Right: lost.Handle, serve: (*call).askClaimant},
	}
}

// inbox is the list of requests.
type inbox struct {
	page
	Term     string
	State    lost.RequestState
	Tabs     []link
	Requests []glimpse
	Total    string
	pager
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
	l, err := c.at()
	if err != nil {
		return err
	}
	query := c.r.URL.Query()
	p := inbox{page: c.page("Requests"), Term: lost.Cut(query.Get("term"), lost.MaxTerm), CanFile: c.may(lost.Handle)}
	state := inboxTabs[0].state
	for _, tab := range inboxTabs {
		if query.Get("state") == string(tab.state) {
			state = tab.state
		}
	}
	for _, tab := range inboxTabs {
		p.Tabs = append(p.Tabs, link{Name: tab.name, Href: "?" + url.Values{"state": {string(tab.state)}, "term": {p.Term}}.Encode(), Current: tab.state == state})
	}
	p.State = state
	list, err := c.desk.Requests(c.ctx(), c.actor(), l.ID, lost.ItemFilter{Term: p.Term, States: []lost.RequestState{state}, Glance: true, Page: c.part(listLimit)})
	if err != nil {
		return err
	}
	p.Requests, p.Total, p.pager = glances(list.Data), total(list.Total, "request", "requests"), turn(list, c.r.URL, "Newer", "Older")
	return c.write(http.StatusOK, "requests", p)
}

// requestPage is one request, with found items beside it.
type requestPage struct {
	page
	Item       lost.Item
	State      state
	Who        string
	Traits     string
	Filed      string
	Lost       string
	Proof      string
	Open       bool // it can be decided
	Matched    *glimpse
	MatchedAt  string // the location, where it is another
	Term       string
	Suggested  []suggestion
	OutOfReach bool // something that is likely it is where whoever looks does not reach
	Searched   bool
	Likely     []likelyFind // what was searched for
	Reason     input
	Question   input
	Once       string // so that a question is asked once
	Kept       string // that nothing is sent; empty where it is
	CanHandle  bool
}

// likelyFind is a found item that somebody looked for.
type likelyFind struct {
	glimpse
	Fits bool // the request can be answered with it
}

// request shows a request beside what may be it: what is suggested, or what somebody looks for.
func (c *call) request() error { return c.presentRequest(http.StatusOK, nil, nil) }

// presentRequest shows a request; values and wrong are those of a form that was not taken.
func (c *call) presentRequest(status int, values url.Values, wrong error) error {
	l, err := c.at()
	if err != nil {
		return err
	}
	i, err := c.desk.Request(c.ctx(), c.actor(), l.ID, c.r.PathValue("id"))
	if err != nil {
		return err
	}
	p := requestPage{
		page: c.page("Request " + i.Reference), Item: i, Once: newOnce(), State: requestState(i.Claim.State), Who: fullName(i.Owner), Traits: traits(i), Filed: moment(i.CreatedAt, l.Zone()),
		Lost: day(i.Claim.LostDate), Proof: i.Claim.Proof, Open: i.Claim.State == lost.RequestPending, CanHandle: c.may(lost.Handle), Term: lost.Cut(c.r.URL.Query().Get("term"), lost.MaxTerm),
		Reason:   input{Name: "reason", Label: "What you tell them", Type: "area", Value: values.Get("reason"), Hint: "It is sent as you write it, with a kind word around it."},
		Question: input{Name: "question", Label: "Your question", Type: "area", Value: values.Get("question"), Required: true, Hint: "They answer on the page of their request; you see it here."},
	}
	if p.Problems, err = judge([]*input{&p.Reason, &p.Question}, wrong); err != nil {
		return err
	}
	if p.Kept = c.keptFrom(i.Owner); p.Kept != "" {
		p.Reason.Hint, p.Question.Hint = "It is kept with the message.", "It is kept with the message."
	}
	if err := c.besideRequest(&p, i); err != nil {
		return err
	}
	return c.write(status, "request", p)
}

// besideRequest puts found items beside a request.
func (c *call) besideRequest(p *requestPage, i lost.Item) (err error) {
	if id := i.Claim.MatchedItemID; id != "" {
		found, err := c.desk.AnyItem(c.ctx(), c.actor(), id)
		if err != nil {
			return lost.UnlessMissing(err)
		}
		g := glance(found)
		p.Matched = &g
		p.MatchedAt, err = c.elsewhere(i, found)
		return err
	}
	if !p.Open {
		return nil
	}
	if p.Searched = p.Term != ""; !p.Searched {
		if p.Suggested, err = c.suggestFinds(i); err == nil {
			p.OutOfReach, err = c.desk.LikelyElsewhere(c.ctx(), c.actor(), i)
		}
		return err
	}
	list, err := c.desk.Items(c.ctx(), c.actor(), i.LocationID, lost.ItemFilter{Term: p.Term, Source: lost.Found, Glance: true, Page: lost.Page{Number: 1, Limit: mostSuggestions}})
	if err != nil {
		return err
	}
	for _, found := range list.Data {
		p.Likely = append(p.Likely, likelyFind{glance(found), i.MayMatch(found) == nil})
	}
	return nil
}

// acceptPage asks once more before somebody is told that their thing was found.
type acceptPage struct {
	page
	Request, Found glimpse
	Where          string // the found item's location, where it is another
	Claimant       lost.Owner
	Former         string // who was the owner of the found item
	Sends          bool
	Obstacle       string // why this cannot be; then there is nothing to say yes to
	Owned          string // where the found item's owner is changed, who is the obstacle
	Search         string // where another item is looked for; empty where the request is answered
}

func (c *call) askAccept() error {
	l, err := c.at()
	if err != nil {
		return err
	}
	i, err := c.desk.Request(c.ctx(), c.actor(), l.ID, c.r.PathValue("id"))
	if err != nil {
		return err
	}
	found, err := c.desk.AnyItem(c.ctx(), c.actor(), c.r.URL.Query().Get("item"))
	if err != nil {
		return err
	}
	p := acceptPage{page: c.page("Is this it?"), Request: glance(i), Found: glance(found), Claimant: i.Owner, Sends: c.desk.Writes(i.Owner)}
	if p.Where, err = c.elsewhere(i, found); err != nil {
		return err
	}
	if err := c.desk.MayAnswer(c.ctx(), c.actor(), i, found); err != nil {
		return c.obstacle(p, i, found, err)
	}
	if found.Owner.Known() && found.Owner != i.Owner {
		p.Former = cmp.Or(fullName(found.Owner), found.Owner.Address())
	}
	return c.write(http.StatusOK, "accept", p)
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
	return c.write(http.StatusOK, "accept", p)
}

// decide answers a request and leads back to it.
func (c *call) decide(p lost.DecisionPatch, values url.Values, told, done string) error {
	l, err := c.at()
	if err != nil {
		return err
	}
	i, err := c.desk.DecideRequest(c.ctx(), c.actor(), l.ID, c.r.PathValue("id"), p)
	if lost.CodeOf(err) == lost.Invalid {
		return c.presentRequest(respond.Failed(c.w, err), values, err)
	}
	if err != nil {
		return err
	}
	c.tellWritten(i.Owner.Channel(), told, done)
	return c.see(atPath(l.ID, "/requests/"+i.ID))
}

func (c *call) acceptRequest() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	return c.decide(lost.DecisionPatch{Type: lost.Set(lost.Accept), ItemID: respond.Typed(values, "item")}, values, "They are told that it was found, and choose what happens with it.", "The request is matched.")
}

func (c *call) rejectRequest() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	return c.decide(lost.DecisionPatch{Type: lost.Set(lost.Reject), Reason: respond.Typed(values, "reason")}, values, "They are told that it was not found.", "The request is closed.")
}

func (c *call) askClaimant() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	l, err := c.at()
	if err != nil {
		return err
	}
	i, err := c.desk.AskClaimant(c.ctx(), c.actor(), l.ID, c.r.PathValue("id"), respond.Typed(values, "question"), once(values, "question "+c.r.PathValue("id")))
	if lost.CodeOf(err) == lost.Invalid {
		return c.presentRequest(respond.Failed(c.w, err), values, err)
	}
	if err != nil {
		return err
	}
	c.tellWritten(i.Owner.Channel(), "Your question is on its way to them.", "Your question is noted.")
	return c.see(atPath(l.ID, "/requests/"+c.r.PathValue("id")))
}

// filePage is the form for what somebody lost who calls or stands at the desk.
type filePage struct {
	page
	Once   string
	Inputs []*input
}

func requestInputs(values url.Values, today string) []*input {
	v := values.Get
	return []*input{
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

func (c *call) askRequest() error { return c.presentFiling(http.StatusOK, url.Values{}, nil) }

func (c *call) presentFiling(status int, values url.Values, wrong error) error {
	l, err := c.at()
	if err != nil {
		return err
	}
	p := filePage{page: c.page("Somebody lost something"), Once: cmp.Or(values.Get("once"), newOnce()), Inputs: requestInputs(values, l.Day(c.now()))}
	if p.Problems, err = judge(p.Inputs, wrong); err != nil {
		return err
	}
	return c.write(status, "request-new", p)
}

func (c *call) fileRequest() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	l, err := c.at()
	if err != nil {
		return err
	}
	typed := func(name string) lost.Field[string] { return respond.Typed(values, name) }
	i, err := c.desk.FileRequest(c.ctx(), c.actor(), l.ID, lost.RequestPatch{
		Description: typed("description"), LostPlace: typed("lostPlace"), LostDate: typed("lostDate"), Proof: typed("proof"),
		Brand: typed("brand"), Model: typed("model"), Color: typed("color"),
		Owner: lost.Set(lost.OwnerPatch{FirstName: typed("owner.firstName"), LastName: typed("owner.lastName"), Email: typed("owner.email"), Phone: typed("owner.phone")}),
	}, once(values, "request"))
	if lost.CodeOf(err) == lost.Invalid {
		return c.presentFiling(respond.Failed(c.w, err), values, err)
	}
	if err != nil {
		return err
	}
	c.tell("Request " + i.Reference + " is filed.")
	return c.see(atPath(l.ID, "/requests/"+i.ID))
}

// requestState gives the words of a request's state.
func requestState(s lost.RequestState) state {
	switch s {
	case lost.RequestMatched:
		return state{"Found", "done"}
	case lost.RequestRejected:
		return state{"Not found", "over"}
	case lost.RequestWithdrawn:
		return state{"Withdrawn", "over"}
	default:
		return state{"To answer", "waiting"}
	}
}
