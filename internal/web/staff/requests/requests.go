package requests

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// requestsPage is the list of requests.
type requestsPage struct {
	frame.Page
	List     string // the path of the page
	Query    string
	State    lost.RequestState
	Tabs     []frame.Link
	Requests []frame.ItemSummary
	Similar  int // index of the first request that is only similar; -1 if there is none
	Total    string
	frame.Pager
	NewForm string // the path of the form for a new report; empty if the user may not file one
	Public  string // the path of the location's public page; empty for several locations
}

// inboxTabs are the states of a request that have a tab in the list.
var inboxTabs = []lost.RequestState{
	lost.RequestPending, lost.RequestMatched, lost.RequestRejected, lost.RequestWithdrawn,
}

func (c *call) requests() error {
	s, err := frame.ReadListScope(c.Call)
	if err != nil {
		return err
	}
	query := c.Request.URL.Query()
	p := requestsPage{
		Page: c.NewPage(c.Say("frame.menu.requests"), "items.js"), List: c.Request.URL.Path,
		Query: lost.Truncate(query.Get("q"), lost.MaxTerm),
	}
	if c.May(lost.HandleItems) {
		p.NewForm = frame.LocationPath(s.At.ID, "/requests/new")
	}
	if !s.All {
		p.Public = "/l/" + s.At.Permalink
	}
	state := inboxTabs[0]
	if asked := lost.RequestState(query.Get("state")); slices.Contains(inboxTabs, asked) {
		state = asked
	}
	for _, tab := range inboxTabs {
		p.Tabs = append(p.Tabs,
			frame.Link{
				Name: c.RequestState(tab).Word, Current: tab == state,
				Href: "?" + url.Values{"state": {string(tab)}, "q": {p.Query}}.Encode(),
			})
	}
	p.State = state
	list, err := c.Services.Requests.List(c.Context(), c.Actor(), s.ID(),
		lost.ItemFilter{
			Query: p.Query, States: []lost.RequestState{state}, Bounded: true, Page: c.PageFromQuery(frame.ListLimit),
		})
	if err != nil {
		return err
	}
	if p.Requests, err = frame.SummarizeList(c.Call, s, list.Data); err != nil {
		return err
	}
	frame.RememberListed(c.Call, frame.URLWithQuery(c.Request.URL.Path, query), list.Data)
	p.Similar = list.FirstSimilar()
	p.Total = c.Total(list.Total, "requests.count", "requests.count.at-least")
	p.Pager = frame.NewPager(list, c.Request.URL, c.Say("frame.newer"), c.Say("frame.older"))
	return c.Render(http.StatusOK, "requests", p)
}

// requestPage is one request with possible matches.
type requestPage struct {
	frame.Page
	Item       lost.Item
	Position   *frame.ListPosition // nil if the request is not from a list
	Photos     []frame.Photo
	Editor     *frame.PhotoEditor // nil if the user cannot change the photos
	Compared   frame.ComparedPhotos
	State      frame.State
	Who        string
	Traits     string
	Filed      string
	Lost       string
	Proof      string
	Tracker    *tracker           // nil if the claimant has shared none
	Claims     *frame.ItemSummary // the find that the claimant chose in the public register; nil if none
	Programs   []frame.ItemFact   // what client programs store on the request for themselves
	Open       bool               // the request is not answered yet
	Matched    *frame.ItemSummary
	MatchedAt  string // the found item's location, if it is not the request's
	Query      string
	Suggested  []frame.Suggestion
	Meaning    string // how often matches are right
	Pending    bool   // matches are still being computed
	OutOfReach bool   // there is a likely match at a location that the user cannot access
	Searched   bool
	Results    []searchResult
	Similar    int // index of the first result that is only similar; -1 if there is none
	Reason     frame.Input
	Thread     *frame.Thread
	NotSent    string // the notice that messages are not sent; empty if they are sent
	Undo       string // until when the decision can be undone; empty if it cannot
	Decision   string // its id
	CanHandle  bool
}

// searchResult is a found item that a search has found.
type searchResult struct {
	frame.ItemSummary
	Fits bool // the request can be answered with this item
}

// request shows a request with possible matches: suggestions or search results.
func (c *call) request() error { return c.showRequest(http.StatusOK, nil, nil) }

// showRequest renders a request. If a form was rejected, values contains the submitted values, and wrong is the
// reason.
func (c *call) showRequest(status int, values url.Values, wrong error) error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	i, err := c.Services.Requests.Get(c.Context(), c.Actor(), l.ID, c.Request.PathValue("id"))
	if err != nil {
		return err
	}
	p := requestPage{
		Page:     c.NewPage(c.Say("requests.title", "reference", i.Reference), "photos.js", "items.js", "category.js"),
		Item:     i,
		Position: frame.PositionOf(c.Call, i),
		State:    c.RequestState(i.Claim.State), Who: frame.OwnerName(c.Locale, i.Owner), Traits: frame.Traits(i),
		Filed: c.Moment(i.CreatedAt, l.Zone()),
		Lost:  c.Day(i.Claim.LostDate), Proof: i.Claim.Proof, Tracker: c.trackerOf(l, i),
		Programs:  c.ProgramFacts(i),
		Open:      i.Claim.State == lost.RequestPending,
		CanHandle: c.May(lost.HandleItems), Query: lost.Truncate(c.Request.URL.Query().Get("q"), lost.MaxTerm),
		Reason: frame.Input{
			Name: "reason", Label: c.Say("requests.reason"), Type: "area", Value: values.Get("reason"),
			Hint: c.Say("requests.reason.hint"),
		},
	}
	if p.Problems, err = c.MarkErrors([]*frame.Input{&p.Reason}, wrong); err != nil {
		return err
	}
	if p.Claims, err = c.claimedFind(i); err != nil {
		return err
	}
	if p.Photos, _, err = c.ShownPhotos(i); err != nil {
		return err
	}
	if p.Open && p.CanHandle {
		p.Editor = frame.EditPhotos(i, p.Photos)
	}
	if p.NotSent = c.NotSentTo(i.Owner); p.NotSent != "" {
		p.Reason.Hint = c.Say("requests.saved.hint")
	}
	if open, err := c.Services.Requests.OpenDecision(c.Context(), c.Actor(), i); err != nil {
		return err
	} else if open.ID != "" && p.CanHandle {
		p.Undo, p.Decision = open.Until.In(l.Zone()).Format(lost.TimeLayout), open.ID
	}
	if p.Thread, err = frame.LoadThread(c.Call, i, l); err != nil {
		return err
	}
	if err := c.addFoundItems(&p, i); err != nil {
		return err
	}
	return c.Render(status, "request", p)
}

// claimedFind returns the find that the claimant chose in the public register. It returns nil if there is none, or none
// that the user may see.
func (c *call) claimedFind(i lost.Item) (*frame.ItemSummary, error) {
	if i.Claim.RegisterItemID == "" {
		return nil, nil //nolint:nilnil // most requests claim no find
	}
	found, err := c.Services.Items.GetAnywhere(c.Context(), c.Actor(), i.Claim.RegisterItemID)
	if err != nil {
		return nil, lost.IgnoreNotFound(err)
	}
	g := c.SummarizeItem(found)
	return &g, nil
}

// addFoundItems adds the suggested items or the search results to the page of a request.
func (c *call) addFoundItems(p *requestPage, i lost.Item) (err error) {
	if id := i.Claim.MatchedItemID; id != "" {
		found, err := c.Services.Items.GetAnywhere(c.Context(), c.Actor(), id)
		if err != nil {
			return lost.IgnoreNotFound(err)
		}
		g := c.SummarizeItem(found)
		p.Matched, p.Compared = &g, frame.ComparePhotos(c.Locale, i, found)
		p.MatchedAt, err = c.OtherLocation(i, found)
		return err
	}
	if !p.Open {
		return nil
	}
	if p.Searched = strings.TrimSpace(p.Query) != ""; !p.Searched {
		p.Meaning = c.DescribeLikelihoods()
		if p.Suggested, p.Pending, err = c.suggestFinds(i); err == nil {
			p.OutOfReach, err = c.Services.Suggestions.LikelyElsewhere(c.Context(), c.Actor(), i)
		}
		return err
	}
	list, err := c.Services.Items.List(c.Context(), c.Actor(), i.LocationID,
		lost.ItemFilter{
			Query: p.Query, Source: lost.Found, Bounded: true, Page: lost.Page{Number: 1, Limit: maxSuggestions},
		})
	if err != nil {
		return err
	}
	p.Similar = list.FirstSimilar()
	for _, found := range list.Data {
		p.Results = append(p.Results, searchResult{c.SummarizeItem(found), i.MayMatch(found) == nil})
	}
	return nil
}

// acceptPage asks for confirmation before a guest is notified that their item was found.
type acceptPage struct {
	frame.Page
	Request, Found frame.ItemSummary
	Compared       frame.ComparedPhotos
	Where          string // the found item's location, if it is not the request's
	Claimant       lost.Owner
	CurrentOwner   string // the found item's current owner
	Sends          bool
	Obstacle       string // why the item cannot be matched; empty if it can
	OwnerForm      string // the path of the form to change the found item's owner, if the owner is the obstacle
	Search         string // the path to search for another item; empty if the request is answered
}

func (c *call) askAccept() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	i, err := c.Services.Requests.Get(c.Context(), c.Actor(), l.ID, c.Request.PathValue("id"))
	if err != nil {
		return err
	}
	found, err := c.Services.Items.GetAnywhere(c.Context(), c.Actor(), c.Request.URL.Query().Get("item"))
	if err != nil {
		return err
	}
	p := acceptPage{
		Page:    c.NewPage(c.Say("requests.accept.title"), "photos.js"),
		Request: c.SummarizeItem(i), Found: c.SummarizeItem(found),
		Claimant: i.Owner, Sends: c.Services.Messages.SendsTo(i.Owner),
		Compared: frame.ComparePhotos(c.Locale, i, found),
	}
	if p.Where, err = c.OtherLocation(i, found); err != nil {
		return err
	}
	if err := c.Services.Requests.CheckMatch(c.Context(), c.Actor(), i, found); err != nil {
		return c.obstacle(p, i, found, err)
	}
	if found.Owner.Known() && found.Owner != i.Owner {
		p.CurrentOwner = cmp.Or(frame.OwnerName(c.Locale, found.Owner), found.Owner.Address())
	}
	return c.Render(http.StatusOK, "accept", p)
}

// obstacle shows why a request cannot be answered with an item, and what to do instead.
func (c *call) obstacle(p acceptPage, i, found lost.Item, why error) error {
	if lost.CodeOf(why) != lost.Conflict {
		return why
	}
	p.Title, p.Obstacle = c.Say("requests.accept.refused"), c.ErrorText(why)
	if i.Claim.State == lost.RequestPending {
		p.Search = p.Request.Href + "#likely"
		if found.Source == lost.Found && found.Status == lost.Pending {
			p.OwnerForm = p.Found.Href + "?edit=owner#owner"
		}
	}
	return c.Render(http.StatusOK, "accept", p)
}

func (c *call) acceptRequest() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	return c.decide(lost.DecisionPatch{Type: lost.Set(lost.Accept), ItemID: respond.FormText(values, "item")}, values,
		c.Say("requests.accepted.sent"), c.Say("requests.accepted"))
}

func (c *call) rejectRequest() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	return c.decide(lost.DecisionPatch{Type: lost.Set(lost.Reject), Reason: respond.FormText(values, "reason")}, values,
		c.Say("requests.rejected.sent"), c.Say("requests.rejected"))
}
