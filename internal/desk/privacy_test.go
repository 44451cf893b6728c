package desk_test

import (
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/message"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
)

// Staff read a message with the privacy notice that guests see.
func TestStaffSeeThePrivacyNoticeOfAMessage(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		sender := testkit.Must(message.New(message.Options{Base: "https://homeward.example", Now: clock.Now}))
		s := testkit.NewServices(db, clock, func(o *services.Options) { o.Messenger = sender })
		f := &testkit.Fixture{T: t, DB: db, Clock: clock, Services: s, Actor: testkit.CreateFirstAccount(t, s)}
		f.Location = f.NewLocation(testkit.LocationNamed("Hotel Adler"))
		i := f.NewItem(testkit.ItemOwnedBy("Umbrella", "anna@example.com"))
		owner := lost.Actor{Account: f.Actor.Account, Kind: lost.ByUser, ID: "usr_1", Role: lost.OwnerRole}
		expect := func(what, want, not string) {
			t.Helper()
			list := testkit.Must(s.Messages.ListOfItem(t.Context(), f.Actor, f.Location.ID, i.ID, lost.FirstPage()))
			one := testkit.Must(s.Messages.Get(t.Context(), f.Actor, list.Data[0].ID))
			for _, text := range []string{list.Data[0].Text, one.Text} {
				if !strings.Contains(text, want) || strings.Contains(text, not) {
					t.Errorf("%s: want %q and not %q in:\n%s", what, want, not, text)
				}
			}
		}
		expect("no notice", "Hotel Adler", "Privacy")
		testkit.Must(0, s.Accounts.SetPrivacyNotice(t.Context(), owner, lost.Set("The account’s text"),
			lost.Field[string]{}))
		expect("the account's", "Privacy at Hotel Adler\n\nThe account’s text\n", "https://adler.example")
		testkit.Must(s.Locations.Update(t.Context(), f.Actor, f.Location.ID,
			lost.LocationPatch{PrivacyURL: lost.Set("https://adler.example/privacy")}))
		expect("the location's", "Privacy at Hotel Adler\nhttps://adler.example/privacy\n", "The account’s text")
	})
}

func TestOnlyOwnersSetThePrivacyNoticeOfTheAccount(t *testing.T) {
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		for _, role := range lost.Roles() {
			err := f.Services.Accounts.SetPrivacyNotice(f.T.Context(), f.Person("usr_"+string(role), role),
				lost.Set("By "+string(role)), lost.Field[string]{})
			if allowed := role.Has(lost.ManageAccount); (err == nil) != allowed {
				f.T.Errorf("%s: got %v, want allowed %v", role, err, allowed)
			}
			if code := lost.CodeOf(err); err != nil && code != lost.Forbidden {
				f.T.Errorf("%s: got %v, want forbidden", role, err)
			}
		}
	})
}
