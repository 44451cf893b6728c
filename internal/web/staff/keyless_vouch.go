package staff

import (
	"crypto/subtle"
	"net/http"
	"time"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// vouchRoutes are those of logging in with a provider. They are opened by links: a form may lead nowhere else.
func vouchRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/login/with", Open: true, serve: (*call).goVouched},
		{Method: http.MethodGet, Path: "/login/back", Open: true, serve: (*call).comeBack},
		{Method: http.MethodGet, Path: "/settings/profile/unlink", serve: (*call).askUnlink},
		{Method: http.MethodPost, Path: "/settings/profile/unlink", serve: (*call).unlink},
	}
}

// voucherPart is what a page shows of the provider.
type voucherPart struct {
	Name   string
	Down   bool
	Href   string
	Linked lost.Identity // of the person who is in
	Zone   *time.Location
}

// voucherPart is how somebody logs in with the provider; nil where there is none.
func (c *call) voucherPart(next string) *voucherPart {
	name, down := c.desk.VouchedBy()
	if name == "" {
		return nil
	}
	return &voucherPart{Name: name, Down: down, Href: withNext("/login/with", next)}
}

// linkedPart is what the profile shows of the provider.
func (c *call) linkedPart(zone *time.Location) (*voucherPart, error) {
	p := c.voucherPart("")
	if p == nil {
		return nil, nil
	}
	var err error
	p.Zone = zone
	p.Linked, err = c.desk.Identity(c.ctx(), c.in)
	return p, lost.UnlessMissing(err)
}

// stateCookie holds what tells a log-in with the provider that was begun in this browser.
const stateCookie = "state"

func (c *call) goVouched() error {
	next := back(c.r.URL.Query().Get("next"))
	if c.in.User.ID != "" {
		return c.see(next)
	}
	state, address, err := c.desk.BeginVouched(c.ctx(), next, c.client())
	if code := lost.CodeOf(err); err != nil && (code == lost.Unavailable || code == lost.TooMany) {
		p := c.signInPage(c.r.URL.Query())
		p.Problems = []problem{{Text: lost.Detail(err)}}
		return c.write(respond.Failed(c.w, err), "login", p)
	}
	if err != nil {
		return err
	}
	c.keep(stateCookie, state, int(lost.Vouching.Life().Seconds()))
	return c.see(address)
}

// comeBack lets in whom the provider has sent back. Nothing that the address says is shown.
func (c *call) comeBack() error {
	name, _ := c.desk.VouchedBy()
	if name == "" {
		return nothing(c)
	}
	query, kept := c.r.URL.Query(), c.cookie(stateCookie)
	c.keep(stateCookie, "", -1)
	if kept == "" || subtle.ConstantTimeCompare([]byte(kept), []byte(query.Get("state"))) != 1 {
		return c.notLogged(lost.E(lost.Conflict, "This log-in was not begun in this browser, or was begun once more meanwhile. Begin again."))
	}
	if refusal := query.Get("error"); refusal != "" {
		return c.notLogged(refused(name, refusal))
	}
	in, next, err := c.desk.EndVouched(c.ctx(), kept, query.Get("code"), c.client())
	if err != nil && forPeople(err) {
		return c.notLogged(err)
	}
	if err != nil {
		return err
	}
	return c.letIn(in, next)
}

// refused says that the provider let nobody come back with its word.
func refused(name, why string) error {
	switch why {
	case "access_denied", "login_required", "interaction_required", "consent_required", "account_selection_required":
		return lost.E(lost.Forbidden, "You, or %s, said no to logging in. Nothing was changed.", name)
	case "server_error", "temporarily_unavailable":
		return lost.E(lost.Unavailable, "%s has a problem at the moment. Log in with your password, or try again later.", name)
	default:
		return lost.E(lost.Forbidden, "%s did not take our question: it is not set up for this service. Tell whoever runs this service.", name)
	}
}

func (c *call) unlinkPage() *askPage {
	name, _ := c.desk.VouchedBy()
	p := c.profileAsk("Undo the link to "+name, "Undo the link", currentInput())
	p.Danger, p.Lead = true, []string{"Whoever logs in with " + name + " next, and has your e-mail address there, is linked to you again."}
	return p
}

func (c *call) askUnlink() error {
	if name, _ := c.desk.VouchedBy(); name == "" {
		return c.see("/settings/profile")
	}
	return c.asks(c.unlinkPage())
}

func (c *call) unlink() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	if err := c.desk.Unlink(c.ctx(), c.in, values.Get("current")); err != nil {
		return c.again(c.unlinkPage(), err)
	}
	c.tell("The link is undone.")
	return c.see("/settings/profile")
}
