package settings

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// keyLine is one key as shown on a page.
type keyLine struct {
	lost.Key
	RoleName string
	Where    string // the names of its locations
	State    frame.State
}

type keysPage struct {
	settingsPage
	Keys  []keyLine
	Pager frame.Pager
}

func (c *keyCall) listKeys() error {
	list, err := c.Services.Keys.List(c.Context(), c.Actor(), c.PageFromQuery(frame.TableLimit))
	if err != nil {
		return err
	}
	p := keysPage{
		settingsPage: newSettingsPage(c.Call, c.Say("settings.keys")),
		Pager:        frame.NewPager(list, c.Request.URL, c.Say("frame.newer"), c.Say("frame.older")),
	}
	p.Wide = true
	for _, k := range list.Data {
		p.Keys = append(p.Keys, c.keyLine(k))
	}
	return c.Render(http.StatusOK, "keys", p)
}

func (c *keyCall) keyLine(k lost.Key) keyLine {
	line := keyLine{
		Key: k, RoleName: c.RoleText(k.Role).Name, Where: c.LocationNames(k.Locations),
		State: frame.State{Word: c.Say("settings.key.active"), Shape: "done"},
	}
	if k.ReadOnly {
		line.RoleName = c.Say("settings.key.role.read-only", "role", line.RoleName)
	}
	switch {
	case !k.RevokedAt.IsZero():
		line.State = frame.State{Word: c.Say("settings.key.revoked"), Shape: "over"}
	case !k.Usable(c.Now()):
		line.State = frame.State{Word: c.Say("settings.key.expired"), Shape: "over"}
	}
	return line
}

// keyRoles returns the roles that a key can have, those with the fewest permissions first. None is preselected.
func keyRoles(lang frame.Locale) []frame.Option {
	return append([]frame.Option{{Value: "", Name: lang.Say("settings.key.new.role")}},
		lang.RoleOptions(lost.PublishableRole, lost.ViewerRole, lost.LoggerRole, lost.DeskRole, lost.AdminRole)...)
}

// never is the value for a key that does not expire.
const never = "never"

// expiries returns the choices for when a key expires.
func expiries(lang frame.Locale) []frame.Option {
	return []frame.Option{
		{Value: "", Name: lang.Say("settings.key.new.expiry")},
		{Value: "30", Name: lang.Say("settings.key.new.expiry.days", "n", 30)},
		{Value: "90", Name: lang.Say("settings.key.new.expiry.days", "n", 90)},
		{Value: "365", Name: lang.Say("settings.key.new.expiry.year")},
		{Value: never, Name: lang.Say("settings.never")},
	}
}

type keyForm struct {
	settingsPage
	Name, Role, ReadOnly, Origins, Expires, Reach frame.Input
	Where                                         []frame.CheckBox
	Once                                          string
}

func (c *keyCall) keyForm(values url.Values) keyForm {
	f := keyForm{
		settingsPage: newSettingsPage(c.Call, c.Say("settings.key.new")), Once: values.Get("once"),
		Name: frame.Input{
			Name: "name", Label: c.Say("settings.name"), Hint: c.Say("settings.key.new.name.hint"),
			Type: "text", Value: values.Get("name"), Autocomplete: "off", Required: true, Focus: true,
		},
		Role: frame.Input{
			Name: "role", Label: c.Say("settings.key.role"), Type: "list", Value: values.Get("role"),
			Options: keyRoles(c.Locale), Required: true,
		},
		ReadOnly: frame.Input{
			Name: "readOnly", Label: c.Say("settings.key.new.read-only"), Type: "check", Value: values.Get("readOnly"),
		},
		Origins: frame.Input{
			Name: "origins", Label: c.Say("settings.key.new.origins"), Type: "area", Value: values.Get("origins"),
			Hint: c.Say("settings.key.new.origins.hint"),
		},
		Expires: frame.Input{
			Name: "expiresAt", Label: c.Say("settings.key.expires"), Type: "list", Value: values.Get("expiresAt"),
			Options: expiries(c.Locale), Required: true, Narrow: true,
		},
		Reach: frame.Input{Name: "reach", Label: c.Say("settings.locations"), Value: values.Get("reach")},
	}
	f.Where, _ = c.LocationBoxes(values["locations"])
	if f.Once == "" {
		f.Once = frame.NewFormKey()
	}
	return f
}

func (c *keyCall) askKey() error { return c.Render(http.StatusOK, "key-new", c.keyForm(url.Values{})) }

// keyPatch reads the form of a new key. Fields with a default in the API are required here, so that nobody
// accidentally creates a key that never expires and has all permissions at all locations.
func (c *keyCall) keyPatch(values url.Values) lost.KeyPatch {
	p := lost.KeyPatch{
		Name: respond.FormText(values, "name"), Role: respond.FormText(values, "role"),
		ReadOnly: lost.Set(values.Get("readOnly") != ""),
	}
	if values.Get("role") == "" {
		p.Problems.Add("role", "required", "is required. Choose the role with the fewest permissions needed")
	}
	switch where := values["locations"]; {
	case values.Get("reach") == "some" && len(where) > 0:
		p.Locations = lost.Set(where)
	case values.Get("reach") == "some":
		p.Problems.Add("reach", "required", "is required. Select at least one location")
	case values.Get("reach") != "all":
		p.Problems.Add("reach", "required", "is required. Choose all locations or select some")
	}
	if origins := strings.Fields(values.Get("origins")); len(origins) > 0 {
		p.Origins = lost.Set(origins)
	}
	days, err := strconv.Atoi(values.Get("expiresAt"))
	switch {
	case err == nil:
		p.ExpiresAt = lost.Set(c.Now().UTC().AddDate(0, 0, days).Truncate(time.Second))
	case values.Get("expiresAt") != never:
		p.Problems.Add("expiresAt", "required", "is required. Choose when the key expires")
	}
	return p
}

type keyMadePage struct {
	settingsPage
	Key         identity.NewKey
	Role, Where string
	Base        string
}

// Command returns a command that tries the key.
func (p keyMadePage) Command() string {
	return "curl -sS -H 'svc-api-key: " + p.Key.Secret + "' " + p.Base + "/v1/locations"
}

func (c *keyCall) makeKey() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	created, err := c.Services.Keys.Create(c.Context(), c.Actor(), c.keyPatch(values), frame.FormKey(values, "key"))
	if err != nil {
		return c.keyAgain(values, err)
	}
	line := c.keyLine(created.Key)
	return c.Render(http.StatusOK, "key-made",
		keyMadePage{
			settingsPage: newSettingsPage(c.Call, c.Say("settings.key.made")), Key: created, Role: line.RoleName,
			Where: line.Where, Base: c.Base.String(),
		})
}

// keyAgain shows the form of a new key again with its errors.
func (c *keyCall) keyAgain(values url.Values, err error) error {
	f := c.keyForm(values)
	problems, other := c.MarkErrors([]*frame.Input{&f.Name, &f.Role, &f.ReadOnly, &f.Origins, &f.Reach,
		&f.Expires}, lineProblems(err))
	if other != nil {
		return other
	}
	f.Problems = problems
	return c.Render(respond.RecordError(c.Writer, err), "key-new", f)
}

// lineProblems turns the problems of single websites, which are lines of one input, into problems of that input.
func lineProblems(err error) error {
	e, ok := errors.AsType[*lost.Error](err)
	if !ok {
		return err
	}
	lines := *e
	lines.Fields = slices.Clone(e.Fields)
	for n, f := range lines.Fields {
		if strings.HasPrefix(f.Field, "origins[") {
			lines.Fields[n].Field = "origins"
		}
	}
	return &lines
}

type keyPage struct {
	settingsPage
	Key  keyLine
	Name frame.Input
}

func (c *keyCall) showKey() error { return c.renderKey(http.StatusOK, nil, nil) }

// renderKey shows the page of a key, with the submitted name and its error if there is one.
func (c *keyCall) renderKey(status int, values url.Values, problem error) error {
	k, err := c.Services.Keys.Get(c.Context(), c.Actor(), c.Request.PathValue("key"))
	if err != nil {
		return err
	}
	p := keyPage{settingsPage: newSettingsPage(c.Call, k.Name), Key: c.keyLine(k), Name: frame.Input{
		Name: "name", Label: c.Say("settings.name"), Type: "text", Value: k.Name, Autocomplete: "off", Required: true,
	}}
	if values != nil {
		p.Name.Value = values.Get("name")
	}
	if p.Problems, err = c.MarkErrors([]*frame.Input{&p.Name}, problem); err != nil {
		return err
	}
	return c.Render(status, "key", p)
}

func (c *keyCall) renameKey() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	patch := lost.KeyPatch{Name: lost.Set(values.Get("name"))}
	_, err = c.Services.Keys.Rename(c.Context(), c.Actor(), c.Request.PathValue("key"), patch)
	if lost.CodeOf(err) == lost.Invalid {
		return c.renderKey(respond.RecordError(c.Writer, err), values, err)
	}
	if err != nil {
		return err
	}
	c.Flash(c.Say("settings.key.renamed"))
	return c.Redirect("/settings/keys/" + c.Request.PathValue("key"))
}

func (c *keyCall) revokeKey() error {
	if err := c.Services.Keys.Revoke(c.Context(), c.Actor(), c.Request.PathValue("key")); err != nil {
		return err
	}
	c.Flash(c.Say("settings.key.revoke.done"))
	return c.Redirect("/settings/keys")
}
