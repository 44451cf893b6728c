package privacy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
)

// auditEntries lists the audit log, oldest first, and fails the test if an entry names a guest.
func auditEntries(t *testing.T, d *services.Services, a lost.Actor, f lost.AuditFilter) (all []string) {
	t.Helper()
	if f.Limit == 0 {
		f.Limit = 100
	}
	for _, e := range testkit.Must(d.AuditLog.List(t.Context(), a, f)).Data {
		all = append(all, strings.TrimSpace(string(e.Action)+" "+e.Note))
		if e.Actor.ID != a.ID || e.At.IsZero() || strings.Contains(fmt.Sprint(e), "anna@") {
			t.Errorf("unexpected entry: %+v", e)
		}
	}
	slices.Reverse(all)
	return all
}

func TestChangesOfTheAccountAreAudited(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		a, ctx := testkit.CreateFirstAccount(t, d), t.Context()
		a.Role = lost.OwnerRole
		step := func(err error) {
			t.Helper()
			clock.Advance(time.Second)
			if err != nil {
				t.Fatal(err)
			}
		}
		hotel := testkit.Must(d.Locations.Create(ctx, a, testkit.LocationNamed("Hotel"), lost.IdempotencyKey{}))
		step(nil)
		_, err := d.Locations.Update(ctx, a, hotel.ID, testkit.LocationNamed("Resort"))
		step(err)
		_, err = d.Locations.Update(ctx, a, hotel.ID, testkit.LocationNamed("Resort")) // no change, so no entry
		step(err)
		owned := testkit.ItemDescribed("Hat")
		owned.Owner = lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")})
		item := testkit.Must(d.Items.Create(ctx, a, hotel.ID, owned, lost.IdempotencyKey{}))
		step(d.Items.Delete(ctx, a, hotel.ID, item.ID))
		again := lost.IdempotencyKey{Key: "k", Request: "r"}
		key := testkit.Must(d.Keys.Create(ctx, a, lost.KeyPatch{Name: lost.Set("Checkout")}, again))
		// A repeated request adds no entry.
		testkit.Must(d.Keys.Create(ctx, a, lost.KeyPatch{Name: lost.Set("Checkout")}, again))
		step(nil)
		step(d.Keys.Revoke(ctx, a, key.ID))
		step(d.Keys.Revoke(ctx, a, key.ID))
		hook := testkit.Must(d.Webhooks.CreateEndpoint(ctx, a,
			testkit.EndpointAt("https://hotel.example/?token=secret"),
			lost.IdempotencyKey{}))
		step(nil)
		_, err = d.Webhooks.Secret(ctx, a, hook.ID)
		step(err)
		_, err = d.Webhooks.RotateSecret(ctx, a, hook.ID, lost.IdempotencyKey{})
		step(err)
		_, err = d.Webhooks.TestEndpoint(ctx, a, hook.ID, lost.TestEvent, lost.IdempotencyKey{})
		step(err)
		_, err = d.Webhooks.ReplayFailed(ctx, a, hook.ID, time.Time{}, lost.IdempotencyKey{})
		step(err)
		_, err = d.Webhooks.UpdateEndpoint(ctx, a, hook.ID, lost.EndpointPatch{Enabled: lost.Set(false)})
		step(err)
		step(d.Webhooks.DeleteEndpoint(ctx, a, hook.ID))
		step(d.RetentionPolicy.Set(ctx, a, 365))
		step(d.RetentionPolicy.Set(ctx, a, 365))
		step(d.Locations.Delete(ctx, a, hotel.ID))

		want := []string{
			"location-created Hotel", "location-changed Resort", "item-deleted " + item.Reference,
			"key-created Checkout",
			"key-revoked Checkout",
			"webhook-created hotel.example", "webhook-secret-revealed hotel.example",
			"webhook-secret-rotated hotel.example", "webhook-tested",
			"deliveries-replayed 0 that failed", "webhook-changed hotel.example: enabled",
			"webhook-deleted hotel.example", "retention-changed from 180 to 365 days",
			"location-deleted Resort",
		}
		if got := auditEntries(t, d, a, lost.AuditFilter{}); !slices.Equal(got, want) {
			t.Errorf("got audit log\n%q, want\n%q", got, want)
		}
		if got := auditEntries(t, d, a, lost.AuditFilter{Action: lost.KeyRevoked, Actor: a.ID}); !slices.Equal(got,
			[]string{"key-revoked Checkout"}) {
			t.Errorf("entries about revoked keys: got %q", got)
		}
		newest := testkit.Must(d.AuditLog.List(ctx, a, lost.AuditFilter{PageCursor: lost.PageCursor{Limit: 10}}))
		rest := testkit.Must(d.AuditLog.List(ctx, a,
			lost.AuditFilter{PageCursor: lost.PageCursor{Limit: 10, Before: newest.Data[9].ID}}))
		if !newest.More || rest.More || len(newest.Data)+len(rest.Data) != len(want) {
			t.Errorf("two pages: got %d and %d entries", len(newest.Data), len(rest.Data))
		}
	})
}

func TestALoginIsAudited(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		first, _, err := d.Accounts.CreateFirst(t.Context(),
			identity.FirstSettings{Email: "a@b.example", Password: "correct horse battery"})
		if err != nil {
			t.Fatal(err)
		}
		in := testkit.Must(d.Sessions.SignIn(t.Context(), "a@b.example", "correct horse battery", false, lost.Client{}))
		clock.Advance(time.Second)
		if err := d.Sessions.SignOut(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		if got := auditEntries(t, d, first.User.Actor(), lost.AuditFilter{}); !slices.Equal(got,
			[]string{"logged-in", "logged-out"}) {
			t.Errorf("audit log: got %q", got)
		}
	})
}

func TestAUserAddedByTheOperatorIsAudited(t *testing.T) {
	testkit.EachAccount(t, func(l *testkit.Account) {
		testkit.Must(l.Services.Accounts.CreateMember(t.Context(), l.Owner.Account,
			lost.Membership{Email: "ben@hotel.example", Name: "Ben", Role: lost.DeskRole}, testkit.OwnerPassword))
		if got := l.AuditNotes(lost.PersonCreated); !slices.Equal(got, []string{"command ben@hotel.example as desk"}) {
			t.Errorf("audit log: got %q", got)
		}
	})
}

func TestChangesOfUsersAreAudited(t *testing.T) {
	testkit.EachAccount(t, func(l *testkit.Account) {
		ctx, in := t.Context(), l.LoggedIn()
		l.SetUpTOTP(in)
		l.Clock.Advance(time.Second)
		testkit.Must(l.Services.TOTP.RenewRecovery(ctx, in, testkit.OwnerPassword))
		l.Clock.Advance(time.Second)
		_, _, err := l.Services.Profile.ResetLink(ctx, l.Owner.Email, false)
		l.ExpectCode(err, "", "link")
		l.Clock.Advance(time.Second)
		_, _, err = l.Services.Profile.ResetLink(ctx, l.Owner.Email, true)
		l.ExpectCode(err, "", "link that disables two-step login")
		l.Clock.Advance(time.Second)
		testkit.Must(l.Services.Accounts.SetUserDisabled(ctx, l.Owner.Account, l.NewMember("anna", lost.DeskRole).ID,
			true))
		testkit.Must(l.Services.Team.Invite(ctx, l.Owner.Actor(),
			testkit.Invitation("ben@hotel.example", lost.ViewerRole)))
		testkit.Must(l.Services.Team.AcceptInvitation(ctx, l.Token(lost.InvitationLink), "Ben",
			"lantern paper violin",
			testkit.ClientAt("192.0.2.1")))
		owner := "owner@hotel.example, owner: "
		want := []string{
			"user " + owner + "two-step login switched on, other sessions ended",
			"user " + owner + "new recovery codes",
			"command " + owner + "password reset link created",
			"command " + owner + "password reset link created, two-step login switched off",
			"command anna@hotel.example, desk: blocked",
		}
		if got := l.AuditNotes(lost.PersonChanged); !slices.Equal(got, want) {
			t.Errorf("entries about changed users: got\n%q, want\n%q", got, want)
		}
		if got := l.AuditNotes(lost.PersonJoined); !slices.Equal(got, []string{"user ben@hotel.example as viewer"}) {
			t.Errorf("entries about new members: got %q", got)
		}
	})
}

func TestAnOwnerRenamesTheAccount(t *testing.T) {
	testkit.EachAccount(t, func(l *testkit.Account) {
		ctx, a := t.Context(), l.Owner.Actor()
		l.ExpectCode(l.Services.Accounts.RenameAccount(ctx, l.NewMember("admin", lost.AdminRole).Actor(), "Mine"),
			lost.Forbidden, "an admin")
		l.ExpectCode(l.Services.Accounts.RenameAccount(ctx, a, " "), lost.Invalid, "no name")
		for range 2 {
			l.ExpectCode(l.Services.Accounts.RenameAccount(ctx, a, "Hotel Adler"), "", "a name")
		}
		if name := testkit.Must(l.Services.Accounts.Account(ctx, a)).Name; name != "Hotel Adler" {
			t.Errorf("got name %q", name)
		}
		l.Clock.Advance(time.Second)
		testkit.Must(l.Services.Accounts.SetDisabled(ctx, a.Account, true))
		if got := l.AuditNotes(lost.AccountChanged); !slices.Equal(got,
			[]string{"user name, from “Homeward” to “Hotel Adler”", "command switched off"}) {
			t.Errorf("audit log: got %q", got)
		}
	})
}

// A user's role decides whether the user may see the audit log, the retention policy and the messages.
func TestAccountSettingsNeedPermission(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		all, ctx := testkit.CreateFirstAccount(t, d), t.Context()
		hotel := testkit.Must(d.Locations.Create(ctx, all, testkit.LocationNamed("Hotel"), lost.IdempotencyKey{}))
		zoo := testkit.Must(d.Locations.Create(ctx, all, testkit.LocationNamed("Zoo"), lost.IdempotencyKey{}))
		owned := testkit.ItemDescribed("Hat")
		owned.Owner = lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")})
		testkit.Must(d.Items.Create(ctx, all, hotel.ID, owned, lost.IdempotencyKey{}))
		message := testkit.Must(d.Messages.List(ctx, all,
			lost.MessageFilter{PageCursor: lost.PageCursor{Limit: 10}})).Data[0]
		for _, role := range lost.Roles() {
			a := all
			a.Role = role
			limited := a
			limited.Locations = []string{zoo.ID}
			check := func(what string, err error, may bool) {
				t.Helper()
				if may != (err == nil) || err != nil && lost.CodeOf(err) != lost.Forbidden {
					t.Errorf("%s by %s: %v", what, role, err)
				}
			}
			_, err := d.AuditLog.List(ctx, a, lost.AuditFilter{PageCursor: lost.PageCursor{Limit: 10}})
			check("Audit", err, role.Has(lost.ManageStaff))
			_, err = d.AuditLog.Actors(ctx, a)
			check("AuditActors", err, role.Has(lost.ManageStaff))
			_, err = d.RetentionPolicy.Get(ctx, a)
			check("Retention", err, role.Has(lost.ManageAccount))
			_, err = d.RetentionPolicy.Preview(ctx, a, 30)
			check("RetentionPreview", err, role.Has(lost.ManageAccount))
			check("SetRetention", d.RetentionPolicy.Set(ctx, a, 180), role.Has(lost.ManageAccount))
			_, err = d.Messages.List(ctx, a, lost.MessageFilter{PageCursor: lost.PageCursor{Limit: 10}})
			check("AllMessages", err, role.Has(lost.ViewItems))
			got, err := d.Messages.Get(ctx, a, message.ID)
			check("Message", err, role.Has(lost.ViewItems))
			if has := got.Text != ""; has != role.Has(lost.HandleItems) {
				t.Errorf("%s sees the text: %v", role, has)
			}
			if _, err := d.Messages.Get(ctx, limited, message.ID); lost.CodeOf(err) != lost.NotFound {
				t.Errorf("%s of another location: got %v, want not found", role, err)
			}
			list, _ := d.Messages.List(ctx, limited, lost.MessageFilter{PageCursor: lost.PageCursor{Limit: 10}})
			_, err = d.Messages.List(ctx, limited,
				lost.MessageFilter{Location: hotel.ID, PageCursor: lost.PageCursor{Limit: 10}})
			if len(list.Data) > 0 || role.Has(lost.ViewItems) && lost.CodeOf(err) != lost.NotFound {
				t.Errorf("%s of another location: got %d messages, %v", role, len(list.Data), err)
			}
		}
	})
}

func TestMessagesAreFilteredByState(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		a, ctx := testkit.CreateFirstAccount(t, d), t.Context()
		hotel := testkit.Must(d.Locations.Create(ctx, a, testkit.LocationNamed("Hotel"), lost.IdempotencyKey{}))
		zoo := testkit.Must(d.Locations.Create(ctx, a, testkit.LocationNamed("Zoo"), lost.IdempotencyKey{}))
		addMessage := func(l lost.Location, state lost.MessageState) {
			owned := testkit.ItemDescribed("Hat")
			owned.Owner = lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")})
			i := testkit.Must(d.Items.Create(ctx, a, l.ID, owned, lost.IdempotencyKey{}))
			clock.Advance(time.Second)
			m := testkit.Must(db.Messages(ctx, a.Account, i.ID, lost.FirstPage())).Data[0]
			m.State = state
			if err := db.Write(ctx, func(tx *store.Tx) error { return tx.SaveMessage(m) }); err != nil {
				t.Fatal(err)
			}
		}
		for n, state := range []lost.MessageState{
			lost.MessageSent, lost.MessageFailed, lost.MessageSent, lost.MessageSaved,
		} {
			addMessage([]lost.Location{hotel, zoo}[n%2], state)
		}
		some := a
		some.Locations = []string{zoo.ID, hotel.ID}
		for _, c := range []struct {
			who  lost.Actor
			f    lost.MessageFilter
			want string
		}{
			{a, lost.MessageFilter{}, "kept sent failed sent"},
			{some, lost.MessageFilter{}, "kept sent failed sent"},
			{a, lost.MessageFilter{State: lost.MessageSent}, "sent sent"},
			{a, lost.MessageFilter{Location: zoo.ID}, "kept failed"},
			{some, lost.MessageFilter{Location: zoo.ID, State: lost.MessageSaved}, "kept"},
		} {
			var got []string
			for f := c.f; ; { // one message per page, newest first
				f.Limit = 1
				page := testkit.Must(d.Messages.List(ctx, c.who, f))
				for _, m := range page.Data {
					got, f.Before = append(got, string(m.State)), m.ID
				}
				if !page.More {
					break
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%+v: got %q, want %q", c.f, got, c.want)
			}
		}
	})
}
