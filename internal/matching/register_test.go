package matching_test

import (
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
)

func TestAFindThatAClaimantChoseInTheRegisterIsSuggestedFirst(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		other := b.find(b.hotel, "Green felt hat with a feather")
		chosen := b.find(b.hotel, "Violin case, locked")
		p := testkit.RequestFor("My green felt hat with a long feather")
		p.RegisterItemID, p.Proof = chosen.ID, lost.Set("The initials A. B.")
		r := testkit.Must(b.desk.Requests.File(t.Context(), b.by, b.hotel, p, lost.IdempotencyKey{}))
		second := b.miss(b.hotel, "A violin case, locked")
		b.work()
		b.expect("after the claim", r, chosen, other)
		b.expect("from the find", chosen, r, second)
		m := b.matches(r)[0]
		if m.Likelihood != lost.Possible || m.Reasons[0].Code != "register" {
			t.Errorf("got %+v, want a possible match because of the register", m)
		}
		now := testkit.Must(b.desk.Items.Get(t.Context(), b.by, b.hotel, chosen.ID))
		if now.Owner.Known() {
			t.Error("the claim was accepted without the desk")
		}
		if err := b.desk.Suggestions.RejectMatch(t.Context(), b.by, b.hotel, r.ID, chosen.ID); err != nil {
			t.Fatal(err)
		}
		b.work()
		b.expect("after the desk has dismissed it", r, other)
		b.expect("from the dismissed find", chosen, second)
	})
}
