package staff

import (
	"net/http"
	"time"

	"homeward/internal/lost"
)

func passkeyRoutes() []Route {
	return []Route{
		{Method: http.MethodPost, Path: "/login/passkey/options", Open: true, serve: (*call).passkeyOptions},
		{Method: http.MethodPost, Path: "/login/passkey", Open: true, serve: (*call).enterByPasskey},
		{Method: http.MethodPost, Path: "/login/code/passkey/options", Open: true, serve: (*call).stepOptions},
		{Method: http.MethodPost, Path: "/login/code/passkey", Open: true, serve: (*call).stepByPasskey},
		{Method: http.MethodGet, Path: "/settings/profile/passkeys/new", serve: (*call).askPasskey},
		{Method: http.MethodPost, Path: "/settings/profile/passkeys/new", serve: (*call).beginPasskey},
		{Method: http.MethodPost, Path: "/settings/profile/passkeys", serve: (*call).addPasskey},
		{Method: http.MethodPost, Path: "/settings/profile/passkeys/options", serve: (*call).confirmOptions},
		{Method: http.MethodGet, Path: "/settings/profile/passkeys/{passkey}/remove", serve: (*call).askRemovePasskey},
		{Method: http.MethodPost, Path: "/settings/profile/passkeys/{passkey}/remove", serve: (*call).removePasskey},
		{Method: http.MethodPost, Path: "/settings/profile/passkeys/{passkey}/remove/passkey", serve: (*call).removeByPasskey},
	}
}

// passkeysPart is what the profile shows of passkeys.
type passkeysPart struct {
	Takes bool
	Data  []lost.Passkey
	Zone  *time.Location
}

func (c *call) passkeysPart(zone *time.Location) (p passkeysPart, err error) {
	p = passkeysPart{Takes: c.desk.TakesPasskeys(), Zone: zone}
	p.Data, err = c.desk.Passkeys(c.ctx(), c.in)
	return p, err
}

// passkeyAsk is how somebody logs in with a passkey; nil where nobody can.
func (c *call) passkeyAsk(next string) *passkeyAsk {
	if !c.desk.TakesPasskeys() {
		return nil
	}
	return &passkeyAsk{Action: "/login/passkey", From: "/login/passkey/options", Next: back(next), Button: "Use a passkey", Suggest: true}
}

func (c *call) passkeyOptions() error { return c.writeOptions(c.desk.AskPasskey(c.ctx(), c.client())) }

func (c *call) enterByPasskey() error {
	answer, next, stay, err := c.answerOf()
	if err != nil {
		return err
	}
	in, err := c.desk.EnterByPasskey(c.ctx(), answer, stay, c.client())
	if err != nil && forPeople(err) {
		return c.notLogged(err)
	}
	if err != nil {
		return err
	}
	return c.letIn(in, next)
}

// offerPasskey adds to the page of the second step that one of the person's passkeys does as well.
func (c *call) offerPasskey(p *askPage) error {
	half, err := c.desk.Halfway(c.ctx(), c.token())
	if err != nil || !c.desk.TakesPasskeys() {
		return err
	}
	has, err := c.desk.Passkeys(c.ctx(), half)
	if len(has) > 0 {
		p.Passkey, p.Scripts = &passkeyAsk{Action: "/login/code/passkey", From: "/login/code/passkey/options", Next: p.Next, Button: "Use a passkey"}, []string{c.assets.Path("passkey.js")}
	}
	return err
}

func (c *call) stepOptions() error {
	half, err := c.desk.Halfway(c.ctx(), c.token())
	if err != nil {
		return err
	}
	return c.writeOptions(c.desk.AskPasskeyOf(c.ctx(), half))
}

func (c *call) stepByPasskey() error {
	answer, next, _, err := c.answerOf()
	if err != nil {
		return err
	}
	half, err := c.desk.Halfway(c.ctx(), c.token())
	if err != nil {
		return err
	}
	in, err := c.desk.SecondStepByPasskey(c.ctx(), half, answer, c.client())
	if err != nil && forPeople(err) {
		return c.notLogged(err)
	}
	if err != nil {
		return err
	}
	return c.letIn(in, next)
}

func (c *call) newPasskeyPage(name string) *askPage {
	p := c.profileAsk("Add a passkey", "Go on",
		&input{Name: "name", Label: "Name of the passkey", Type: "text", Value: name, Hint: "So that you know later which one it is: the device, or what keeps your passwords.", Required: true}, currentInput())
	p.Lead = []string{"With a passkey you log in by your fingerprint, your face or the code of your device. Nobody can guess it, and no false page can have it from you."}
	return p
}

func (c *call) askPasskey() error {
	if !c.desk.TakesPasskeys() {
		return c.see("/settings/profile")
	}
	return c.asks(c.newPasskeyPage(agentWords(c.r.UserAgent())))
}

// passkeyPage has the device make a passkey.
type passkeyPage struct {
	page
	Tabs    []link
	Name    string
	Options string // what the browser is to be asked
}

func (c *call) beginPasskey() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	options, err := c.desk.BeginPasskey(c.ctx(), c.in, values.Get("current"), values.Get("name"))
	if err != nil {
		return c.again(c.newPasskeyPage(values.Get("name")), err)
	}
	return c.write(http.StatusOK, "passkey", passkeyPage{page: c.page("Add a passkey", "passkey.js"), Tabs: c.peopleTabs(), Name: values.Get("name"), Options: string(options)})
}

func (c *call) addPasskey() error {
	answer, _, _, err := c.answerOf()
	if err != nil {
		return err
	}
	p, err := c.desk.AddPasskey(c.ctx(), c.in, answer)
	if err != nil {
		return err
	}
	c.tell("The passkey " + p.Name + " is added. You can log in with it from now on.")
	return c.see("/settings/profile#passkeys")
}

func (c *call) confirmOptions() error { return c.writeOptions(c.desk.AskPasskeyAgain(c.ctx(), c.in)) }

func (c *call) removePasskeyPage() (*askPage, error) {
	key, err := c.desk.Passkey(c.ctx(), c.in, c.r.PathValue("passkey"))
	if err != nil {
		return nil, err
	}
	p := c.profileAsk("Remove the passkey "+key.Name, "Remove it", currentInput())
	p.Danger, p.Lead = true, []string{"It lets nobody in any more. Remove it on the device too, or wherever it is kept."}
	if c.desk.TakesPasskeys() {
		p.Passkey, p.Scripts = &passkeyAsk{Action: "/settings/profile/passkeys/" + key.ID + "/remove/passkey", From: "/settings/profile/passkeys/options", Button: "Use a passkey instead"}, []string{c.assets.Path("passkey.js")}
	}
	return p, nil
}

func (c *call) askRemovePasskey() error {
	p, err := c.removePasskeyPage()
	if err != nil {
		return err
	}
	return c.asks(p)
}

func (c *call) removePasskey() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	p, err := c.removePasskeyPage()
	if err != nil {
		return err
	}
	if err := c.desk.RemovePasskey(c.ctx(), c.in, c.r.PathValue("passkey"), values.Get("current")); err != nil {
		return c.again(p, err)
	}
	return c.passkeyRemoved()
}

func (c *call) passkeyRemoved() error {
	c.tell("The passkey is removed.")
	return c.see("/settings/profile#passkeys")
}

func (c *call) removeByPasskey() error {
	answer, _, _, err := c.answerOf()
	if err != nil {
		return err
	}
	err = c.desk.RemovePasskeyByOne(c.ctx(), c.in, c.r.PathValue("passkey"), answer)
	if lost.CodeOf(err) == lost.Unauthorized && err != nil { // which would log out whoever is in
		return lost.E(lost.Conflict, "%s", lost.Detail(err)).Because(err)
	}
	if err != nil {
		return err
	}
	return c.passkeyRemoved()
}
