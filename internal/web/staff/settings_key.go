package staff

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/reply"
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
	list, err := c.desk.Keys(c.ctx(), c.actor(), c.settingsPart())
	if err != nil {
		return err
	}
	p := keysPage{settingsPage: c.settings("API keys"), Pager: turn(list, c.r.URL)}
	p.Wide = true
	for _, k := range list.Data {
		p.Keys = append(p.Keys, c.keyLine(k))
	}
	return c.write(http.StatusOK, "keys", p)
}

func (c *call) keyLine(k lost.Key) keyLine {
	line := keyLine{Key: k, RoleName: keyRoleName(k.Role), Where: "All locations", State: state{"Works", "done"}}
	if k.ReadOnly {
		line.RoleName += ", read-only"
	}
	if k.Locations != nil {
		line.Where = strings.Join(c.locationNames(k.Locations), ", ")
	}
	switch {
	case !k.RevokedAt.IsZero():
		line.State = state{"Revoked", "over"}
	case !k.Usable(c.now()):
		line.State = state{"Expired", "over"}
	}
	return line
}

// locationNames gives the names of locations, and how many there are more than are known by name here.
func (c *call) locationNames(ids []string) (names []string) {
	all, _ := c.places() // a list of keys without names is better than none
	for _, l := range all {
		if slices.Contains(ids, l.ID) {
			names = append(names, l.Name)
		}
	}
	if more := len(ids) - len(names); more > 0 {
		names = append(names, strconv.Itoa(more)+" more")
	}
	return names
}

// keyRoleName is a role as people call it.
func keyRoleName(r lost.Role) string {
	switch r {
	case lost.OwnerRole:
		return "Owner"
	case lost.AdminRole:
		return "Admin"
	case lost.DeskRole:
		return "Desk"
	case lost.LoggerRole:
		return "Logger"
	case lost.ViewerRole:
		return "Viewer"
	default:
		return string(r)
	}
}

// keyRoles are the roles of keys, with what each may do.
func keyRoles() []option {
	return []option{
		{string(lost.AdminRole), "Admin: everything but the account itself"},
		{string(lost.DeskRole), "Desk: record and change items, answer requests"},
		{string(lost.LoggerRole), "Logger: record finds only"},
		{string(lost.ViewerRole), "Viewer: see, and change nothing"},
	}
}

// expiries are after how many days a key may end.
func expiries() []option {
	return []option{{"", "Never"}, {"30", "In 30 days"}, {"90", "In 90 days"}, {"365", "In a year"}}
}

type keyForm struct {
	settingsPage
	Name, Role, ReadOnly, Expires input
	Where                         tickGroup
	Once                          string
}

func (c *call) keyForm(values url.Values) keyForm {
	f := keyForm{
		settingsPage: c.settings("New API key"), Once: values.Get("once"),
		Name:     input{Name: "name", Label: "Name", Hint: "Who uses it, such as “Booking system”.", Type: "text", Value: values.Get("name"), Autocomplete: "off", Required: true, Focus: true},
		Role:     input{Name: "role", Label: "Role", Type: "list", Value: values.Get("role"), Options: keyRoles(), Required: true},
		ReadOnly: input{Name: "readOnly", Label: "Read-only: it changes nothing, whatever its role", Type: "check", Value: values.Get("readOnly")},
		Expires:  input{Name: "expiresAt", Label: "Ends", Type: "list", Value: values.Get("expiresAt"), Options: expiries(), Required: true, Narrow: true},
		Where:    tickGroup{Name: "locations", Legend: "Locations", Hint: "Tick none for all of them, those to come included."},
	}
	places, _ := c.places()
	for _, l := range places {
		f.Where.Options = append(f.Where.Options, tickBox{Value: l.ID, Name: l.Name})
	}
	f.Where.tick(values["locations"])
	if f.Once == "" {
		f.Once = newOnce()
	}
	return f
}

func (c *call) askKey() error { return c.write(http.StatusOK, "key-new", c.keyForm(url.Values{})) }

// keyPatch reads the form of a new key.
func (c *call) keyPatch(values url.Values) lost.KeyPatch {
	p := lost.KeyPatch{Name: reply.Typed(values, "name"), Role: reply.Typed(values, "role"), ReadOnly: lost.Set(values.Get("readOnly") != "")}
	if where := values["locations"]; len(where) > 0 {
		p.Locations = lost.Set(where)
	}
	if days, err := strconv.Atoi(values.Get("expiresAt")); err == nil {
		p.ExpiresAt = lost.Set(c.now().UTC().AddDate(0, 0, days).Truncate(time.Second))
	}
	return p
}

type keyMadePage struct {
	settingsPage
	Key  desk.NewKey
	Base string
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
	return c.write(http.StatusOK, "key-made", keyMadePage{settingsPage: c.settings("Your new API key"), Key: made, Base: c.base.String()})
}

// keyAgain shows the form of a new key again, with what is wrong.
func (c *call) keyAgain(values url.Values, err error) error {
	f := c.keyForm(values)
	problems, other := judge([]*input{&f.Name, &f.Role, &f.ReadOnly, &f.Expires}, err)
	if other != nil {
		return other
	}
	f.Problems = problems
	return c.write(reply.Failed(c.w, err), "key-new", f)
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
