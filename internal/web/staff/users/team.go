package users

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"homeward/internal/i18n"
	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// teamPart is the maximum number of users on one page.
const teamPart = 100

type teamPage struct {
	frame.Page
	Tabs        []frame.Link
	Members     []memberLine
	Invitations []invitationLine
	Mails       bool
	Zone        *time.Location
	frame.Pager
}

type memberLine struct {
	lost.User
	RoleName, Where string
	State           frame.State
	Self            bool
	Passkeys        int
}

type invitationLine struct {
	identity.Invitation
	RoleName, Where string
	State           frame.State
}

func (c *call) memberLine(u lost.User) memberLine {
	line := memberLine{
		User: u, RoleName: c.RoleText(u.Role).Name, Where: c.LocationsOf(u.Role, u.Locations),
		Self: u.ID == c.Session.User.ID, State: frame.State{Word: c.Say("users.team.active"), Shape: "done"},
	}
	if !u.Active() {
		line.State = frame.State{Word: c.Say("users.team.blocked"), Shape: "over"}
	}
	return line
}

func (c *call) team() error {
	team, err := c.Services.Team.List(c.Context(), c.Actor())
	if err != nil {
		return err
	}
	p := teamPage{Page: c.NewPage(c.Say("users.team")), Tabs: c.FormTabs(), Mails: c.Services.Profile.SendsMail()}
	p.Wide, p.Zone = true, p.TimeZone()
	members := i18n.SortByName(c.Language, team.Members, frame.DisplayName)
	list := lost.List[lost.User]{Page: c.PageFromQuery(teamPart), Total: lost.TotalOf(len(members))}
	list.Page.Number = min(list.Page.Number, list.Pages())
	first := list.Page.Offset()
	for _, u := range members[first:min(first+teamPart, len(members))] {
		line := c.memberLine(u)
		line.Passkeys = team.Passkeys[u.ID]
		p.Members = append(p.Members, line)
	}
	if p.Pager = frame.NewPager(list, c.Request.URL, c.Say("frame.back"), c.Say("frame.more")); p.Number == 1 {
		p.Invitations = c.invitationLines(team.Invitations)
	}
	return c.Render(http.StatusOK, "team", p)
}

func (c *call) invitationLines(all []identity.Invitation) (lines []invitationLine) {
	for _, i := range all {
		line := invitationLine{
			Invitation: i, RoleName: c.RoleText(i.Role).Name, Where: c.LocationsOf(i.Role, i.Locations),
			State: frame.State{Word: c.Say("users.team.invited"), Shape: "waiting"},
		}
		if i.Expired {
			line.State = frame.State{Word: c.Say("users.team.expired"), Shape: "over"}
		}
		lines = append(lines, line)
	}
	return lines
}

// memberPage is the form to invite a user or to change a user's role and locations.
type memberPage struct {
	frame.Page
	Tabs        []frame.Link
	Email, Name *frame.Input // shown only when a user is invited
	Role        *frame.Input
	Some        bool // the user can access only some locations
	Where       []frame.CheckBox
	Member      memberLine // the user; empty when inviting a new user
	Changeable  bool
	Why         string // why the user cannot be changed
	Mails       bool
	Zone        *time.Location
	Seen        string // a digest of the values in the form
}

func (c *call) memberPage(title string, values url.Values) (p memberPage, err error) {
	p = memberPage{
		Page: c.NewPage(title), Tabs: c.FormTabs(), Changeable: true, Mails: c.Services.Profile.SendsMail(),
		Email: &frame.Input{
			Name: "email", Label: c.Say("users.email"), Type: "email", Value: values.Get("email"), Autocomplete: "off",
			Required: true,
		},
		Name: &frame.Input{
			Name: "name", Label: c.Say("users.name"), Type: "text", Value: values.Get("name"), Autocomplete: "off",
			Required: true,
		},
		Role: &frame.Input{
			Name: "role", Label: c.Say("users.role"), Type: "list", Value: values.Get("role"), Required: true,
		},
	}
	p.Zone = p.TimeZone()
	roles := lost.Roles()
	if !c.May(lost.ManageAccount) {
		roles = slices.DeleteFunc(roles, func(r lost.Role) bool { return r == lost.OwnerRole })
	}
	p.Role.Options, p.Some = c.RoleOptions(roles...), values.Get("reach") == "some"
	p.Where, err = c.LocationBoxes(values["locations"])
	return p, err
}

// membership reads the role and locations from the form.
func membership(values url.Values) lost.Membership {
	m := lost.Membership{Email: values.Get("email"), Name: values.Get("name"), Role: lost.Role(values.Get("role"))}
	if values.Get("reach") == "some" {
		m.Locations = append([]string{}, values["locations"]...) // not nil, which would mean all locations
	}
	return m
}

func (c *call) askInvite() error {
	p, err := c.memberPage(c.Say("users.invite.title"), url.Values{"role": {string(lost.DeskRole)}})
	if err != nil {
		return err
	}
	return c.Render(http.StatusOK, "invite", p)
}

func (c *call) invite() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	i, wrong := c.Services.Team.Invite(c.Context(), c.Actor(), membership(values))
	if wrong == nil {
		c.Flash(invitedText(c.Locale, i))
		return c.Redirect("/settings/team")
	}
	p, err := c.memberPage(c.Say("users.invite.title"), values)
	if err != nil {
		return err
	}
	return c.memberFormAgain("invite", &p, wrong)
}

// invitedText returns the message after an invitation: where it was sent, or that the link must be passed on.
func invitedText(lang frame.Locale, i identity.Invitation) string {
	if i.Link != "" {
		return lang.Say("users.invite.link", "name", i.Name)
	}
	return lang.Say("users.invite.sent", "email", i.Email)
}

// memberFormAgain shows the form again with the errors in wrong.
func (c *call) memberFormAgain(name string, p *memberPage, wrong error) (err error) {
	if p.Problems, err = c.MarkErrors([]*frame.Input{p.Email, p.Name, p.Role}, wrong); err != nil {
		if code := lost.CodeOf(err); code != lost.TooMany && code != lost.Conflict {
			return err
		}
		p.Problems = []frame.Problem{{Text: c.ErrorText(err)}}
	}
	return c.Render(respond.RecordError(c.Writer, wrong), name, p)
}

func (c *call) resendInvitation() error {
	i, err := c.Services.Team.ResendInvitation(c.Context(), c.Actor(), c.Request.PathValue("invitation"))
	if err != nil {
		return err
	}
	c.Flash(invitedText(c.Locale, i))
	return c.Redirect("/settings/team")
}

func (c *call) revokeInvitation() error {
	if err := c.Services.Team.RevokeInvitation(c.Context(), c.Actor(), c.Request.PathValue("invitation")); err != nil {
		return err
	}
	c.Flash(c.Say("users.team.revoked"))
	return c.Redirect("/settings/team")
}

func (c *call) showMember(values url.Values) (p memberPage, err error) {
	u, err := c.Services.Team.Member(c.Context(), c.Actor(), c.Request.PathValue("user"))
	if err != nil {
		return p, err
	}
	if values == nil {
		values = membershipValues(u)
	}
	if p, err = c.memberPage(frame.DisplayName(u), values); err != nil {
		return p, err
	}
	p.Member, p.Seen = c.memberLine(u), frame.FormDigest(membershipValues(u))
	passkeys, err := c.Services.Team.MemberPasskeys(c.Context(), c.Actor(), u)
	p.Member.Passkeys = len(passkeys)
	if why := c.Actor().MayChange(u); why != nil {
		p.Changeable, p.Why = false, c.ErrorText(why)
	}
	return p, err
}

// membershipValues returns a user's role and locations as form values.
func membershipValues(u lost.User) url.Values {
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
	return c.Render(http.StatusOK, "member", p)
}

func (c *call) changeMember() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	m := membership(values)
	if seen := values.Get("seen"); seen != "" {
		m.Same = func(u lost.User) bool { return frame.FormDigest(membershipValues(u)) == seen }
	}
	u, wrong := c.Services.Team.ChangeMember(c.Context(), c.Actor(), c.Request.PathValue("user"), m)
	if wrong == nil {
		c.Flash(c.Say("users.member.changed", "name", frame.DisplayName(u), "role", c.RoleText(u.Role).Name))
		return c.Redirect("/settings/team")
	}
	if code := lost.CodeOf(wrong); code != lost.Invalid && code != lost.Conflict {
		return wrong
	}
	p, err := c.showMember(values)
	if err != nil {
		return err
	}
	if seen := values.Get("seen"); seen != "" && seen != p.Seen && lost.CodeOf(wrong) == lost.Conflict {
		wrong = c.NewError(lost.Conflict, "users.member.conflict", "role", p.Member.RoleName,
			"locations", p.Member.Where)
	}
	return c.memberFormAgain("member", &p, wrong)
}

// memberDone redirects to the user's page, which shows the text of a key. If err is set, it returns err.
func (c *call) memberDone(u lost.User, err error, key string) error {
	if err != nil {
		return err
	}
	c.Flash(c.Say(key, "name", frame.DisplayName(u)))
	return c.Redirect("/settings/team/members/" + url.PathEscape(u.ID))
}

func (c *call) disableMember() error {
	u, err := c.Services.Team.SetMemberDisabled(c.Context(), c.Actor(), c.Request.PathValue("user"), true)
	return c.memberDone(u, err, "users.member.done.blocked")
}

func (c *call) enableMember() error {
	u, err := c.Services.Team.SetMemberDisabled(c.Context(), c.Actor(), c.Request.PathValue("user"), false)
	return c.memberDone(u, err, "users.member.done.unblocked")
}

func (c *call) endMemberSessions() error {
	u, err := c.Services.Team.EndMemberSessions(c.Context(), c.Actor(), c.Request.PathValue("user"))
	return c.memberDone(u, err, "users.member.done.logout")
}

func (c *call) resetMemberTOTP() error {
	u, err := c.Services.Team.DisableMemberTOTP(c.Context(), c.Actor(), c.Request.PathValue("user"))
	return c.memberDone(u, err, "users.member.done.two-step")
}

func (c *call) removeMemberPasskeys() error {
	u, err := c.Services.Team.RemoveMemberPasskeys(c.Context(), c.Actor(), c.Request.PathValue("user"))
	return c.memberDone(u, err, "users.member.done.passkeys")
}
