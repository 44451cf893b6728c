package guest

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

const (
	// registerAge is how long the register of a location is kept, in memory and in browsers together. A find that got
	// an owner disappears after that time at the latest.
	registerAge = time.Minute
	// maxRegisters is the maximum number of registers in memory.
	maxRegisters = 200
	// findsPerPage is the number of finds on one page of a register.
	findsPerPage = 50
)

// listedFind is a find in a register, with today's token.
type listedFind struct {
	lost.RegisterEntry
	token string
}

// registers keeps the public registers of locations for a short time.
type registers struct {
	tokens registerTokens
	mu     sync.Mutex
	known  map[string]register // by the id of the location and the time of its last change
}

// register is the public register of a location at a time.
type register struct {
	finds []listedFind
	full  bool // it has as many finds as are listed at most; there may be older ones
	at    time.Time
}

// get returns the register of a location, whose finds load reads if they are not known. Finds that look the same
// are in the order of their tokens, which says nothing about them and changes every day.
func (r *registers) get(ctx context.Context, l lost.Location, now time.Time,
	load func(context.Context, lost.Location) ([]lost.RegisterEntry, bool, error)) (register, error) {
	version := l.ID + " " + strconv.FormatInt(l.UpdatedAt.UnixMicro(), 36)
	r.mu.Lock()
	known, found := r.known[version]
	r.mu.Unlock()
	if found && now.Sub(known.at) < registerAge && !now.Before(known.at) {
		return known, nil
	}
	entries, full, err := load(ctx, l)
	if err != nil {
		return register{}, err
	}
	fresh := register{at: now, full: full, finds: make([]listedFind, len(entries))}
	for n, e := range entries {
		fresh.finds[n] = listedFind{e, r.tokens.issue(l.ID, e.ItemID, now)}
	}
	slices.SortFunc(fresh.finds, func(x, y listedFind) int {
		return cmp.Or(x.Compare(y.RegisterEntry), cmp.Compare(x.token, y.token))
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil || len(r.known) >= maxRegisters {
		r.known = map[string]register{}
	}
	r.known[version] = fresh
	return fresh, nil
}

// registerPage is the public list of a location's finds. It has no photo, description or reference, and no id that
// stays the same.
type registerPage struct {
	page
	Action     string // the path of the list
	Finds      []registerRow
	Categories []registerChoice
	Of         string // which page it is; empty if there is only one
	Newer      string // the path of the page before; empty if this is the first
	Older      string
	Most       string // says that only the newest finds are listed; empty if all are
	Report     string // the path of the form for an item that is not listed
}

// registerRow is one find in the list.
type registerRow struct{ ID, Name, Day, Area, Href string }

// registerChoice is a category that the list can be limited to.
type registerChoice struct {
	Value, Name string
	Current     bool
}

// register returns the register of the location.
func (c publicCall) register() (register, error) {
	return c.registers.get(c.r.Context(), *c.place, c.now(), c.services.Locations.Register)
}

// found serves a page of the location's public register.
func (c publicCall) found() error {
	if err := c.loadLocation(); err != nil {
		return err
	}
	if !c.place.PublicRegister {
		return lost.Missing("page")
	}
	if _, wait := c.registersByClient.Take(respond.ClientNetwork(c.r)); wait > 0 {
		return c.tooManyRequests(wait)
	}
	known, err := c.register()
	if err != nil {
		return err
	}
	finds, left := known.finds, registerAge-c.now().Sub(known.at)
	c.w.Header().Set("X-Robots-Tag", "noindex, nofollow")
	c.w.Header().Set("Cache-Control", "private, max-age="+strconv.Itoa(int(max(left, 0).Seconds())))
	l, query := c.language(), c.r.URL.Query()
	p := registerPage{
		page:   c.page(l.Say("public.register.title", "location", c.place.Name)),
		Action: c.publicPath("/found"), Report: c.publicPath(""),
	}
	chosen := lost.Category(query.Get("category"))
	p.Categories, chosen = categoryChoices(l, finds, chosen)
	if chosen != "" {
		finds = slices.DeleteFunc(slices.Clone(finds), func(f listedFind) bool { return f.Category != chosen })
	}
	pages := max(1, (len(finds)+findsPerPage-1)/findsPerPage)
	number, _ := strconv.Atoi(query.Get("page"))
	number = min(max(number, 1), pages)
	first := (number - 1) * findsPerPage
	for n, f := range finds[first:min(first+findsPerPage, len(finds))] {
		p.Finds = append(p.Finds, registerRow{
			ID: "find-" + strconv.Itoa(n+1), Name: categoryName(l, f.Category), Day: l.Date(f.Day), Area: f.Area,
			Href: withQuery(c.publicPath(""), "find", f.token),
		})
	}
	if pages > 1 {
		p.Of = l.Say("public.register.page", "n", number, "m", pages)
	}
	if known.full {
		p.Most = l.Say("public.register.most", "n", lost.MaxRegister)
	}
	at := withQuery(p.Action, "category", string(chosen))
	if number > 1 {
		p.Newer = withQuery(at, "page", strconv.Itoa(number-1))
	}
	if number < pages {
		p.Older = withQuery(at, "page", strconv.Itoa(number+1))
	}
	return c.write(http.StatusOK, "found", p)
}

// categoryName returns the name of a category in a language.
func categoryName(l *i18n.Language, c lost.Category) string {
	return l.Say("common.category." + string(c))
}

// categoryChoices returns the categories of some finds, and the chosen one if it is among them.
func categoryChoices(l *i18n.Language, finds []listedFind,
	chosen lost.Category) (choices []registerChoice, current lost.Category) {
	for _, category := range lost.PublicCategories() {
		if !slices.ContainsFunc(finds, func(f listedFind) bool { return f.Category == category }) {
			continue
		}
		if category == chosen {
			current = category
		}
		choices = append(choices, registerChoice{
			Value: string(category), Name: categoryName(l, category), Current: category == chosen,
		})
	}
	return choices, current
}

// withQuery adds a parameter to a path that may already have some. It adds none without a value.
func withQuery(path, name, value string) string {
	if value == "" {
		return path
	}
	u, err := url.Parse(path)
	if err != nil { // a path of this package
		return path
	}
	query := u.Query()
	query.Set(name, value)
	u.RawQuery = query.Encode()
	return u.String()
}

// findField is the hidden field with the token of the find that a visitor chose in the register.
const findField = "find"

// claimed returns the find that a token names. It returns false if there is none, or if the register does not list it
// any more.
func (c publicCall) claimed(token string) (find listedFind, ok bool, err error) {
	item, valid := c.registers.tokens.open(c.place.ID, token, c.now())
	if !valid || !c.place.PublicRegister {
		return find, false, nil
	}
	known, err := c.register()
	n := slices.IndexFunc(known.finds, func(f listedFind) bool { return f.ItemID == item })
	if err != nil || n < 0 {
		return find, false, err
	}
	return known.finds[n], true, nil
}

// claimedItem returns the id of the find that a token names, or an empty string. The find may have got an owner since
// the visitor saw the register: the desk decides.
func (c publicCall) claimedItem(token string) string {
	item, _ := c.registers.tokens.open(c.place.ID, token, c.now())
	return item
}

// addClaim adds the find that a visitor chose in the register to the form for a report. The form then asks for a proof,
// because the register says nothing about the find that only its owner knows. A new form has the category of the find.
func (c publicCall) addClaim(p *publicPage, values url.Values) error {
	token := values.Get(findField)
	find, ok, err := c.claimed(token)
	if err != nil || !ok {
		return err
	}
	l := p.Language
	c.w.Header().Set("X-Robots-Tag", "noindex, nofollow")
	item := i18n.Join(", ", categoryName(l, find.Category), l.Date(find.Day), find.Area)
	p.Find, p.FindField = token, findField
	p.Claim = l.Say("public.register.claim", "item", item, "location", c.place.Name)
	if !values.Has("category") {
		values.Set("category", string(find.Category))
	}
	for _, i := range p.ItemInputs {
		if i.Name == "proof" {
			i.Optional = false
		}
	}
	return nil
}
