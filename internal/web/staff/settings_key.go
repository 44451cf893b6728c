package staff

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

func keyRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/settings/keys", Right: lost.Integrate, serve: (*call).listKeys},
		{Method: http.MethodGet, Path: "/settings/keys/new", Right: lost.Integrate, serve: (*call).askKey},
		{Method: http.MethodPost, Path: "/settings/keys/new", Right: lost.Integrate, serve: (*call).makeKey},
		{Method: http.MethodGet, Path: "/settings/keys/{key}", Right: lost.Integrate, serve: (*call).showKey},
		{Method: http.MethodPost, Path: "/settings/keys/{key}/revoke", Right: lost.Integrate, serve: (*call).revokeKey},
	}
}

// keyLine is one key as it is shown.
type keyLine struct {
	lost.Key
	RoleName string
	Where    string // the names of its locations
	State    state
}

type keysPage struct {
	settingsPage
	Keys  []keyLine
	Pager pager
}

func (c *call) listKeys() error {
	list, err := c.desk.Keys(c.ctx(), c.actor(), c.part(tableLimit))
	if err != nil {
		return err
	}
	p := keysPage{settingsPage: c.settings("API keys"), Pager: turn(list, c.r.URL, "Newer", "Older")}
	p.Wide = true
	for _, k := range list.Data {
		p.Keys = append(p.Keys, c.keyLine(k))
	}
	return c.write(http.StatusOK, "keys", p)
}

func (c *call) keyLine(k lost.Key) keyLine {
	line := keyLine{Key: k, RoleName: roleWords(k.Role).Name, Where: c.named(k.Locations), State: state{"Works", "done"}}
	if k.ReadOnly {
		line.RoleName += ", read-only"
	}
	switch {
	case !k.RevokedAt.IsZero():
		line.State = state{"Revoked", "over"}
	case !k.Usable(c.now()):
		line.State = state{"Expired", "over"}
	}
	return line
}

// keyRoles are the roles of keys, the least first. None is chosen for whoever makes a key.
func keyRoles() []option {
	return append([]option{{"", "Choose what it may do"}}, roleOptions(lost.ViewerRole, lost.LoggerRole, lost.DeskRole, lost.AdminRole)...)
}

// never is said of a key that does not end by itself.
const never = "never"

// expiries are after how many days a key may end.
func expiries() []option {
	return []option{{"", "Choose when"}, {"30", "In 30 days"}, {"90", "In 90 days"}, {"365", "In a year"}, {never, "Never, until you revoke it"}}
}

type keyForm struct {
	settingsPage
	Name, Role, ReadOnly, Expires, Reach input
	Where                                []tickBox
	Once                                 string
}

func (c *call) keyForm(values url.Values) keyForm {
	f := keyForm{
		settingsPage: c.settings("New API key"), Once: values.Get("once"),
		Name:     input{Name: "name", Label: "Name", Hint: "Who uses it, such as “Booking system”.", Type: "text", Value: values.Get("name"), Autocomplete: "off", Required: true, Focus: true},
		Role:     input{Name: "role", Label: "Role", Type: "list", Value: values.Get("role"), Options: keyRoles(), Required: true},
		ReadOnly: input{Name: "readOnly", Label: "Read-only: it changes nothing, whatever its role", Type: "check", Value: values.Get("readOnly")},
		Expires:  input{Name: "expiresAt", Label: "Ends", Type: "list", Value: values.Get("expiresAt"), Options: expiries(), Required: true, Narrow: true},
		Reach:    input{Name: "reach", Label: "Locations", Value: values.Get("reach")},
	}
	f.Where, _ = c.placeBoxes(values["locations"])
	if f.Once == "" {
		f.Once = newOnce()
	}
	return f
}

func (c *call) askKey() error { return c.write(http.StatusOK, "key-new", c.keyForm(url.Values{})) }

// keyPatch reads the form of a new key. What a program may leave out, a person chooses: a key that may do everything, everywhere and
// forever is never made by not looking.
func (c *call) keyPatch(values url.Values) lost.KeyPatch {
	p := lost.KeyPatch{Name: respond.Typed(values, "name"), Role: respond.Typed(values, "role"), ReadOnly: lost.Set(values.Get("readOnly") != "")}
	if values.Get("role") == "" {
		p.Problems.Add("role", "required", "is required. The least that is enough is best")
	}
	switch where := values["locations"]; {
	case values.Get("reach") == "some" && len(where) > 0:
		p.Locations = lost.Set(where)
	case values.Get("reach") == "some":
		p.Problems.Add("reach", "required", "are required. Tick those that the key is for")
	case values.Get("reach") != "all":
		p.Problems.Add("reach", "required", "are required. Choose all of them, or only some")
	}
	days, err := strconv.Atoi(values.Get("expiresAt"))
	switch {
	case err == nil:
		p.ExpiresAt = lost.Set(c.now().UTC().AddDate(0, 0, days).Truncate(time.Second))
	case values.Get("expiresAt") != never:
		p.Problems.Add("expiresAt", "required", "is required. Choose when the key ends")
	}
	return p
}

type keyMadePage struct {
	settingsPage
	Key         desk.NewKey
	Role, Where string
	Base        string
}

func (c *call) makeKey() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	made, err := c.desk.CreateKey(c.ctx(), c.actor(), c.keyPatch(values), once(values, "key"))
	if err != nil {
		return c.keyAgain(values, err)
	}
	line := c.keyLine(made.Key)
	return c.write(http.StatusOK, "key-made", keyMadePage{settingsPage: c.settings("Your new API key"), Key: made, Role: line.RoleName, Where: line.Where, Base: c.base.String()})
}

// keyAgain shows the form of a new key again, with what is wrong.
func (c *call) keyAgain(values url.Values, err error) error {
	f := c.keyForm(values)
	problems, other := judge([]*input{&f.Name, &f.Role, &f.ReadOnly, &f.Reach, &f.Expires}, err)
	if other != nil {
		return other
	}
	f.Problems = problems
	return c.write(respond.Failed(c.w, err), "key-new", f)
}

type keyPage struct {
	settingsPage
	Key keyLine
}

func (c *call) showKey() error {
	k, err := c.desk.Key(c.ctx(), c.actor(), c.r.PathValue("key"))
	if err != nil {
		return err
	}
	return c.write(http.StatusOK, "key", keyPage{settingsPage: c.settings(k.Name), Key: c.keyLine(k)})
}

func (c *call) revokeKey() error {
	if err := c.desk.RevokeKey(c.ctx(), c.actor(), c.r.PathValue("key")); err != nil {
		return err
	}
	c.tell("The key is revoked. It opens nothing any more.")
	return c.see("/settings/keys")
}
