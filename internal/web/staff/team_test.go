package staff_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/web/housetest"
)

// Where no mail goes out, the page of the team shows the links of invitations. Whoever has one of an owner becomes one.
func TestOnlyAnOwnerIsShownTheLinkOfAnOwnersInvitation(t *testing.T) {
	h := housetest.One(t)
	owner, admin := h.LogIn(), h.As(h.Member("Ada", lost.AdminRole))
	owner.Post("/settings/team/invite", url.Values{"email": {"olga@homeward.example"}, "name": {"Olga"}, "role": {"owner"}})
	if a := owner.Get("/settings/team"); !strings.Contains(a.Body, "/invitation/") {
		t.Error("the owner is not shown the link")
	}
	if a := admin.Get("/settings/team"); a.Code != http.StatusOK || !strings.Contains(a.Body, "olga@homeward.example") || strings.Contains(a.Body, "/invitation/") {
		t.Errorf("the admin is shown the link, or not the invitation (%d)", a.Code)
	}
}

func TestNobodyGetsMoreLocationsByAChangeOfTheirRole(t *testing.T) {
	h := housetest.One(t)
	hotel, zoo := h.Location("Hotel Adler"), h.Location("Zoo")
	u := h.Member("Vera", lost.ViewerRole, hotel.ID)
	owner, at := h.LogIn(), "/settings/team/members/"+u.ID
	if err := h.Desk.DeleteLocation(t.Context(), h.Actor, hotel.ID); err != nil {
		t.Fatal(err)
	}
	form := formWith(t, owner.Get(at).Body, "role")
	form.Set("role", string(lost.DeskRole))
	owner.Post(at, form)
	if a := h.As(u).Get("/at/" + zoo.ID + "/items"); a.Code != http.StatusNotFound {
		t.Errorf("somebody whose only location is gone sees another one: %d", a.Code)
	}
	if a := owner.Post(at, url.Values{"role": {"desk"}, "reach": {"some"}}); a.Code != http.StatusUnprocessableEntity {
		t.Errorf("some locations, and none of them, answered %d", a.Code)
	}
}
