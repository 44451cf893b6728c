package users_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/testkit"
	"homeward/internal/web/staff/stafftest"
)

// If e-mail is not set up, the team page shows invitation links. Anyone who has the link to an owner's invitation can
// become an owner, so admins must not see it.
func TestOnlyOwnersSeeTheLinkOfAnOwnersInvitation(t *testing.T) {
	h := testkit.NewServer(t)
	owner, admin := h.LogIn(), h.As(h.NewMember("Ada", lost.AdminRole))
	owner.Post("/settings/team/invite",
		url.Values{"email": {"olga@homeward.example"}, "name": {"Olga"}, "role": {"owner"}})
	if a := owner.Get("/settings/team"); !strings.Contains(a.Body, "/invitation/") {
		t.Error("the page for an owner does not show the link")
	}
	if a := admin.Get("/settings/team"); a.Code != http.StatusOK ||
		!strings.Contains(a.Body, "olga@homeward.example") || strings.Contains(a.Body, "/invitation/") {
		t.Errorf("got status %d; want a page for an admin with the invitation and without its link", a.Code)
	}
}

func TestChangingARoleDoesNotAddLocations(t *testing.T) {
	h := testkit.NewServer(t)
	hotel, zoo := h.NewLocation("Hotel Adler"), h.NewLocation("Zoo")
	u := h.NewMember("Vera", lost.ViewerRole, hotel.ID)
	owner, at := h.LogIn(), "/settings/team/members/"+u.ID
	if err := h.Services.Locations.Delete(t.Context(), h.Actor, hotel.ID); err != nil {
		t.Fatal(err)
	}
	form := stafftest.FormWith(t, owner.Get(at).Body, "role")
	form.Set("role", string(lost.DeskRole))
	owner.Post(at, form)
	if a := h.As(u).Get("/at/" + zoo.ID + "/items"); a.Code != http.StatusNotFound {
		t.Errorf("got status %d for another location, want 404", a.Code)
	}
	if a := owner.Post(at, url.Values{"role": {"desk"}, "reach": {"some"}}); a.Code != http.StatusUnprocessableEntity {
		t.Errorf("got status %d for an empty list of locations, want 422", a.Code)
	}
}

func TestTheTeamShowsUsersWhoseLocationsWereDeleted(t *testing.T) {
	h := testkit.NewServer(t)
	hotel, zoo := h.NewLocation("Hotel Adler"), h.NewLocation("Zoo")
	vera, both := h.NewMember("Vera", lost.ViewerRole, hotel.ID), h.NewMember("Bea", lost.DeskRole, hotel.ID, zoo.ID)
	testkit.Must(0, h.Services.Locations.Delete(t.Context(), h.Actor, hotel.ID))
	team := h.LogIn().Get("/settings/team").Body
	for u, want := range map[string]string{
		vera.Email: "None (deleted)", both.Email: `<td data-label="Locations">Zoo</td>`,
	} {
		_, line, _ := strings.Cut(team, u)
		if line, _, _ := strings.Cut(line, "</tr>"); !strings.Contains(line, want) {
			t.Errorf("the row of %s does not contain %q: %s", u, want, line)
		}
	}
	v := h.As(vera)
	for _, path := range []string{"/at/" + zoo.ID, "/at/" + zoo.ID + "/items", "/at/" + hotel.ID + "/items"} {
		if a := v.Get(path); a.Code != http.StatusNotFound {
			t.Errorf("%s: got status %d, want 404", path, a.Code)
		}
	}
	if a := v.Get("/"); a.Code != http.StatusOK || strings.Contains(a.Body, "Zoo") {
		t.Errorf("start page: got status %d: %s", a.Code, a.Body)
	}
}

func TestAUserWithoutANameIsShownByEmailAddress(t *testing.T) {
	h := testkit.NewServer(t)
	u := testkit.Must(h.Services.Accounts.CreateMember(t.Context(), h.Owner.Account,
		lost.Membership{Email: "kim@homeward.example", Role: lost.ViewerRole}, testkit.Password))
	v, at := h.LogIn(), "/settings/team/members/"+u.ID
	v.Post(at, url.Values{"role": {"desk"}})
	if a := v.Get("/settings/team"); !strings.Contains(a.Body, "kim@homeward.example now has the role Desk.") {
		t.Error("the page does not name the changed user")
	}
	v.Post(at+"/end-sessions", nil)
	if a := v.Get(at); !strings.Contains(a.Body, "kim@homeward.example was logged out everywhere.") {
		t.Error("the page does not name the user who was logged out")
	}
}

// If two people use a link at the same time, the second one sees that the link no longer works.
func TestALinkWorksOnceAlsoForConcurrentRequests(t *testing.T) {
	between, calls := func() {}, 0
	h := testkit.NewServerWith(t, func(o *services.Options) {
		now := o.Now
		o.Now = func() time.Time {
			if calls--; calls == 0 {
				between()
			}
			return now()
		}
	})
	h.SendsMail = true
	from := lost.Client{Address: "192.0.2.1"}
	testkit.Must(0, h.Services.Profile.ForgotPassword(t.Context(), h.Owner.Email, from))
	testkit.Must(h.Services.Team.Invite(t.Context(), h.Actor,
		lost.Membership{Email: "ben@homeward.example", Name: "Ben", Role: lost.ViewerRole}))
	reset, join := h.Link(lost.ResetLink), h.Link(lost.InvitationLink)
	for at, use := range map[string]func() error{
		reset: func() error {
			_, err := h.Services.Profile.ResetPassword(t.Context(), strings.TrimPrefix(reset, "/reset/"),
				identity.PasswordChange{Password: "lantern paper violin"}, from)
			return err
		},
		join: func() error {
			_, err := h.Services.Team.AcceptInvitation(t.Context(), strings.TrimPrefix(join, "/invitation/"), "Ben",
				"lantern paper violin", from)
			return err
		},
	} {
		between, calls = func() { testkit.Must(0, use()) }, 2 // another person uses the link at the second call of Now
		a := h.NewVisitor().Post(at, url.Values{"name": {"Ben"}, "password": {"umbrella station teapot"}})
		if a.Code != http.StatusGone || !strings.Contains(a.Body, "This link no longer works") {
			t.Errorf("%s: got status %d, want 410", at, a.Code)
		}
	}
}

func TestAnAdminRemovesTwoStepLoginAndPasskeysOfALostPhone(t *testing.T) {
	h := testkit.NewServer(t)
	anna := h.NewMember("Anna", lost.DeskRole)
	testkit.Must(0, h.DB.Write(t.Context(), func(tx *store.Tx) error {
		return tx.InsertPasskey(lost.NewPasskey(anna, "Phone", "{}", h.Clock.Now()), "a hash")
	}))
	v, at := h.As(h.NewMember("Ada", lost.AdminRole)), "/settings/team/members/"+anna.ID
	if a := v.Get("/settings/team"); !strings.Contains(a.Body, `<td data-label="Passkeys">1</td>`) {
		t.Error("the team page does not show the number of passkeys")
	}
	if a := v.Get(at); !strings.Contains(a.Body, "Remove all passkeys") {
		t.Error("the member's page has no button to remove passkeys")
	}
	v.Post(at+"/remove-passkeys", nil)
	if a := v.Get(at); !strings.Contains(a.Body, "Anna no longer has passkeys") ||
		strings.Contains(a.Body, "Remove all passkeys") {
		t.Error("the passkeys were not removed")
	}
	if a := v.Get("/settings/team/members/" + h.Owner.ID); strings.Contains(a.Body, "remove-passkeys") {
		t.Error("an admin sees a button to change an owner")
	}
	if a := v.Post("/settings/team/members/"+h.Owner.ID+"/remove-passkeys", nil); a.Code != http.StatusForbidden {
		t.Errorf("got status %d when an admin changes an owner, want 403", a.Code)
	}
}

func TestAnOwnerRenamesTheAccountOnItsPage(t *testing.T) {
	h := testkit.NewServer(t)
	v := h.LogIn()
	if a := v.Post("/settings/account", url.Values{"name": {""}}); a.Code != http.StatusUnprocessableEntity ||
		!strings.Contains(a.Body, "This field is required") {
		t.Errorf("got status %d for an empty name, want 422", a.Code)
	}
	v.Post("/settings/account", url.Values{"name": {"Adler & Sons"}})
	if a := v.Get("/settings/account"); !strings.Contains(a.Body, `value="Adler &amp; Sons"`) ||
		!strings.Contains(a.Body, "The account name was saved.") {
		t.Error("the name was not saved")
	}
	if a := v.Get("/settings/audit"); !strings.Contains(a.Body, "Changed the account") ||
		!strings.Contains(a.Body, "to “Adler &amp; Sons”") {
		t.Error("the audit log has no entry for the new name")
	}
}
