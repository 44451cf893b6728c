package staff

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

func teamRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/settings/team", Right: lost.Staff, serve: (*call).team},
		{Method: http.MethodGet, Path: "/settings/team/invite", Right: lost.Staff, serve: (*call).askInvite},
		{Method: http.MethodPost, Path: "/settings/team/invite", Right: lost.Staff, serve: (*call).invite},
		{Method: http.MethodPost, Path: "/settings/team/invitations/{invitation}/send", Right: lost.Staff, serve: (*call).resendInvitation},
		{Method: http.MethodPost, Path: "/settings/team/invitations/{invitation}/revoke", Right: lost.Staff, serve: (*call).revokeInvitation},
		{Method: http.MethodGet, Path: "/settings/team/members/{user}", Right: lost.Staff, serve: (*call).member},
		{Method: http.MethodPost, Path: "/settings/team/members/{user}", Right: lost.Staff, serve: (*call).changeMember},
		{Method: http.MethodPost, Path: "/settings/team/members/{user}/disable", Right: lost.Staff, serve: (*call).disableMember},
		{Method: http.MethodPost, Path: "/settings/team/members/{user}/enable", Right: lost.Staff, serve: (*call).enableMember},
		{Method: http.MethodPost, Path: "/settings/team/members/{user}/end-sessions", Right: lost.Staff, serve: (*call).endMemberSessions},
		{Method: http.MethodPost, Path: "/settings/team/members/{user}/drop-two-step", Right: lost.Staff, serve: (*call).dropMemberTwoStep},
		{Method: http.MethodPost, Path: "/settings/team/members/{user}/remove-passkeys", Right: lost.Staff, serve: (*call).removeMemberPasskeys},
	}
}

// rolePhrase is a role in words for people.
type rolePhrase struct{ Name, Says string }

func roleWords(r lost.Role) rolePhrase {
	switch r {
	case lost.OwnerRole:
		return rolePhrase{"Owner", "everything, the account itself included"}
	case lost.AdminRole:
		return rolePhrase{"Admin", "everything but the account itself and its owners; keys and webhooks too"}
	case lost.DeskRole:
		return rolePhrase{"Desk", "record, change and hand over items, answer requests"}
	case lost.LoggerRole:
		return rolePhrase{"Logger", "record finds, and see nothing else"}
	case lost.ViewerRole:
		return rolePhrase{"Viewer", "see, and change nothing"}
	default:
		return rolePhrase{string(r), ""}
	}
}

// roleOptions are roles to choose from, with what each may do.
func roleOptions(roles ...lost.Role) (options []option) {
	for _, r := range roles {
		words := roleWords(r)
		options = append(options, option{string(r), words.Name + ": " + words.Says})
	}
	return options
}

// placesOf names the locations that somebody reaches.
func (c *call) placesOf(r lost.Role, ids []string) string {
	if !r.Limited() {
		ids = nil
	}
	return c.named(ids)
}

// named names locations, some of them where there are many; nil stands for all.
func (c *call) named(ids []string) string {
	const named = 3
	if ids == nil {
		return "All locations"
	}
	all, err := c.places()
	if err != nil {
		all = nil // their number says something too
	}
	var names []string
	for _, l := range all {
		if slices.Contains(ids, l.ID) {
			names = append(names, l.Name)
		}
	}
	there := len(ids)
	if err == nil && len(all) < mostPlaces { // which are all that there are
		there = len(names)
	}
	names = names[:min(len(names), named)]
	switch more := there - len(names); {
	case there == 0:
		return "None any more: deleted"
	case len(names) == 0:
		return fmt.Sprintf("%d of the locations", there)
	case more > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), more)
	default:
		return strings.Join(names, ", ")
	}
}

// teamPart is how many of the team one page lists.
const teamPart = 100

type teamPage struct {
	page
	Tabs        []link
	Members     []memberLine
	Invitations []invitationLine
	Mails       bool
	Zone        *time.Location
	pager
}

type memberLine struct {
	lost.User
	RoleName, Where string
	State           state
	Self            bool
	Passkeys        int
}

type invitationLine struct {
	desk.Invitation
	RoleName, Where string
	State           state
}

// called is what people call somebody.
func called(u lost.User) string { return cmp.Or(u.Name, u.Email) }

func (c *call) memberLine(u lost.User) memberLine {
	line := memberLine{User: u, RoleName: roleWords(u.Role).Name, Where: c.placesOf(u.Role, u.Locations), Self: u.ID == c.in.User.ID, State: state{"Works here", "done"}}
	if !u.Active() {
		line.State = state{"Kept out", "over"}
	}
	return line
}

func (c *call) team() error {
	team, err := c.desk.Team(c.ctx(), c.actor())
	if err != nil {
		return err
	}
	p := teamPage{page: c.page("Team"), Tabs: c.peopleTabs(), Mails: c.desk.SendsMail()}
	p.Wide, p.Zone = true, p.zone()
	list := lost.List[lost.User]{Page: c.part(teamPart), Total: lost.TotalOf(len(team.Members))}
	list.Page.Number = min(list.Page.Number, list.Pages())
	first := list.Page.Offset()
	for _, u := range team.Members[first:min(first+teamPart, len(team.Members))] {
		line := c.memberLine(u)
		line.Passkeys = team.Passkeys[u.ID]
		p.Members = append(p.Members, line)
	}
	if p.pager = turn(list, c.r.URL, "Back", "More"); p.Number == 1 {
		p.Invitations = c.invitationLines(team.Invitations)
	}
	return c.write(http.StatusOK, "team", p)
}

func (c *call) invitationLines(all []desk.Invitation) (lines []invitationLine) {
	for _, i := range all {
		line := invitationLine{Invitation: i, RoleName: roleWords(i.Role).Name, Where: c.placesOf(i.Role, i.Locations), State: state{"Invited", "waiting"}}
		if i.Expired {
			line.State = state{"Expired", "over"}
		}
		lines = append(lines, line)
	}
	return lines
}

// memberPage is the form of somebody's role and locations, beside what else is known of them.
type memberPage struct {
	page
	Tabs        []link
	Email, Name *input // of who is invited
	Role        *input
	Some        bool // only some locations
	Where       []tickBox
	Member      memberLine // whom it is about; empty with an invitation
	Changeable  bool
	Why         string // or why not
	Mails       bool
	Zone        *time.Location
	Seen        string // what the form showed
}

func (c *call) memberPage(title string, values url.Values) (p memberPage, err error) {
	p = memberPage{
		page: c.page(title), Tabs: c.peopleTabs(), Changeable: true, Mails: c.desk.SendsMail(),
		Email: &input{Name: "email", Label: "E-mail address", Type: "email", Value: values.Get("email"), Autocomplete: "off", Required: true},
		Name:  &input{Name: "name", Label: "Name", Type: "text", Value: values.Get("name"), Autocomplete: "off", Required: true},
		Role:  &input{Name: "role", Label: "Role", Type: "list", Value: values.Get("role"), Required: true},
	}
	p.Zone = p.zone()
	roles := lost.Roles()
	if !c.may(lost.Govern) {
		roles = slices.DeleteFunc(roles, func(r lost.Role) bool { return r == lost.OwnerRole })
	}
	p.Role.Options, p.Some = roleOptions(roles...), values.Get("reach") == "some"
	p.Where, err = c.placeBoxes(values["locations"])
	return p, err
}

// placeBoxes are the locations to tick. None that is ticked is lost because it is not listed.
func (c *call) placeBoxes(ticked []string) (boxes []tickBox, err error) {
	all, err := c.places()
	for _, l := range all {
		boxes = append(boxes, tickBox{Value: l.ID, Name: l.Name, Checked: slices.Contains(ticked, l.ID)})
	}
	for _, id := range ticked {
		if len(all) == mostPlaces && !slices.ContainsFunc(boxes, func(b tickBox) bool { return b.Value == id }) {
			boxes = append(boxes, tickBox{Value: id, Name: "One that is not listed here", Checked: true})
		}
	}
	return boxes, err
}

// membership reads what somebody is to be.
func membership(values url.Values) lost.Membership {
	m := lost.Membership{Email: values.Get("email"), Name: values.Get("name"), Role: lost.Role(values.Get("role"))}
	if values.Get("reach") == "some" {
		m.Locations = append([]string{}, values["locations"]...) // none of them is not all of them
	}
	return m
}

func (c *call) askInvite() error {
	p, err := c.memberPage("Invite somebody", url.Values{"role": {string(lost.DeskRole)}})
	if err != nil {
		return err
	}
	return c.write(http.StatusOK, "invite", p)
}

func (c *call) invite() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	i, wrong := c.desk.Invite(c.ctx(), c.actor(), membership(values))
	if wrong == nil {
		c.tell(invitedWords(i))
		return c.see("/settings/team")
	}
	p, err := c.memberPage("Invite somebody", values)
	if err != nil {
		return err
	}
	return c.refused("invite", &p, wrong)
}

// invitedWords says where an invitation is.
func invitedWords(i desk.Invitation) string {
	if i.Link != "" {
		return "No mail goes out from here: hand the link below over to " + i.Name + " yourself."
	}
	return "The invitation is on its way to " + i.Email + "."
}

// refused shows the form of a member again.
func (c *call) refused(name string, p *memberPage, wrong error) (err error) {
	if p.Problems, err = judge([]*input{p.Email, p.Name, p.Role}, wrong); err != nil {
		if code := lost.CodeOf(err); code != lost.TooMany && code != lost.Conflict {
			return err
		}
		p.Problems = []problem{{Text: lost.Detail(err)}}
	}
	return c.write(respond.Failed(c.w, wrong), name, p)
}

func (c *call) resendInvitation() error {
	i, err := c.desk.ResendInvitation(c.ctx(), c.actor(), c.r.PathValue("invitation"))
	if err != nil {
		return err
	}
	c.tell(invitedWords(i))
	return c.see("/settings/team")
}

func (c *call) revokeInvitation() error {
	if err := c.desk.RevokeInvitation(c.ctx(), c.actor(), c.r.PathValue("invitation")); err != nil {
		return err
	}
	c.tell("The invitation is revoked.")
	return c.see("/settings/team")
}

func (c *call) showMember(values url.Values) (p memberPage, err error) {
	u, err := c.desk.Member(c.ctx(), c.actor(), c.r.PathValue("user"))
	if err != nil {
		return p, err
	}
	if values == nil {
		values = placeOf(u)
	}
	if p, err = c.memberPage(called(u), values); err != nil {
		return p, err
	}
	p.Member, p.Seen = c.memberLine(u), shownAs(placeOf(u))
	passkeys, err := c.desk.MemberPasskeys(c.ctx(), c.actor(), u)
	p.Member.Passkeys = len(passkeys)
	if why := c.actor().MayChange(u); why != nil {
		p.Changeable, p.Why = false, lost.Detail(why)
	}
	return p, err
}

// placeOf is the role of somebody and where they have it, as the form says it.
func placeOf(u lost.User) url.Values {
	values := url.Values{"role": {string(u.Role)}, "locations": u.Locations}
	if u.Locations != nil {
		values.Set("reach", "some")
	}
	return values
}

func (c *call) member() error {
	p, err := c.showMember(nil)
	if err != nil {
		return err
	}
	return c.write(http.StatusOK, "member", p)
}

func (c *call) changeMember() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	m := membership(values)
	if seen := values.Get("seen"); seen != "" {
		m.Same = func(u lost.User) bool { return shownAs(placeOf(u)) == seen }
	}
	u, wrong := c.desk.ChangeMember(c.ctx(), c.actor(), c.r.PathValue("user"), m)
	if wrong == nil {
		c.tell(called(u) + " is " + roleWords(u.Role).Name + " now.")
		return c.see("/settings/team")
	}
	if code := lost.CodeOf(wrong); code != lost.Invalid && code != lost.Conflict {
		return wrong
	}
	p, err := c.showMember(values)
	if err != nil {
		return err
	}
	if seen := values.Get("seen"); seen != "" && seen != p.Seen && lost.CodeOf(wrong) == lost.Conflict {
		wrong = lost.E(lost.Conflict, "Somebody else changed this in the meantime: now it is %s. %s. What you chose is below, and not yet saved.", p.Member.RoleName, p.Member.Where)
	}
	return c.refused("member", &p, wrong)
}

// memberDone tells what was done to somebody, on their page.
func (c *call) memberDone(u lost.User, err error, told string) error {
	if err != nil {
		return err
	}
	c.tell(called(u) + " " + told)
	return c.see("/settings/team/members/" + url.PathEscape(u.ID))
}

func (c *call) disableMember() error {
	u, err := c.desk.SetMemberDisabled(c.ctx(), c.actor(), c.r.PathValue("user"), true)
	return c.memberDone(u, err, "is logged out everywhere and cannot log in any more.")
}

func (c *call) enableMember() error {
	u, err := c.desk.SetMemberDisabled(c.ctx(), c.actor(), c.r.PathValue("user"), false)
	return c.memberDone(u, err, "can log in again.")
}

func (c *call) endMemberSessions() error {
	u, err := c.desk.EndMemberSessions(c.ctx(), c.actor(), c.r.PathValue("user"))
	return c.memberDone(u, err, "is logged out everywhere.")
}

func (c *call) dropMemberTwoStep() error {
	u, err := c.desk.DropMemberTwoStep(c.ctx(), c.actor(), c.r.PathValue("user"))
	return c.memberDone(u, err, "logs in with the password alone now.")
}

func (c *call) removeMemberPasskeys() error {
	u, err := c.desk.RemoveMemberPasskeys(c.ctx(), c.actor(), c.r.PathValue("user"))
	return c.memberDone(u, err, "has no passkey any more, and logs in with the password.")
}
