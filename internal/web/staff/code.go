package staff

import (
	"net/http"
	"net/url"

	"homeward/internal/lost"
)

func codeRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/login/code", Open: true, serve: (*call).askCode},
		{Method: http.MethodPost, Path: "/login/code", Open: true, serve: (*call).takeCode},
	}
}

// withNext is an address with where the person wants to go after it.
func withNext(at, next string) string {
	if next = back(next); next == "/" {
		return at
	}
	return at + "?next=" + url.QueryEscape(next)
}

func (c *call) codePage(next string) *askPage {
	p := c.ask("One more step", "Log in", codeInput("Or one of your recovery codes, if you do not have your phone."))
	p.Lead = []string{"Open the app that you have set up, and type the code that it shows for Homeward."}
	p.Next, p.After = back(next), []link{{Href: "/login", Name: "Log in as somebody else"}}
	return p
}

func codeInput(hint string) *input {
	return &input{Name: "code", Label: "Code", Hint: hint, Type: "text", Autocomplete: "one-time-code", Required: true, Narrow: true, Focus: true}
}

// askCode asks for the second step of a log-in.
func (c *call) askCode() error {
	if _, err := c.desk.Halfway(c.ctx(), c.token()); err != nil {
		return err
	}
	p := c.codePage(c.r.URL.Query().Get("next"))
	if err := c.offerPasskey(p); err != nil {
		return err
	}
	return c.asks(p)
}

func (c *call) takeCode() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	half, err := c.desk.Halfway(c.ctx(), c.token())
	if err != nil {
		return err
	}
	in, err := c.desk.SecondStep(c.ctx(), half, values.Get("code"), c.client())
	if lost.CodeOf(err) == lost.Unauthorized && err != nil {
		return err
	}
	if err != nil {
		return c.again(c.codePage(values.Get("next")), err)
	}
	if in.Session.Proven[len(in.Session.Proven)-1] == lost.RecoveryProof {
		c.tell("You used a recovery code. It works no more; your profile shows how many are left.")
	}
	return c.letIn(in, values.Get("next"))
}
