package matching_test

import (
	"testing"

	"homeward/internal/lost"
	"homeward/internal/matching"
	"homeward/internal/testkit"
)

// Decisions about suggestions are kept as examples: accepted ones, and rejected ones. A decision that is undone, and a
// pair that was not suggested, are none.
func TestDecisionsAboutSuggestionsAreCounted(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		outcomes := matching.NewOutcomes(b.db)
		expect := func(when string, decided, accepted int) {
			b.Helper()
			var got lost.MatchOutcome
			for _, o := range testkit.Must(outcomes.Report(b.Context(), b.by)) {
				got.Decided, got.Accepted = got.Decided+o.Decided, got.Accepted+o.Accepted
				if o.Likelihood != lost.Likely || o.First.IsZero() || o.Last.Before(o.First) {
					b.Errorf("%s: got %+v", when, o)
				}
			}
			if got.Decided != decided || got.Accepted != accepted {
				b.Errorf("%s: %d decided, %d accepted, want %d and %d", when, got.Decided, got.Accepted, decided,
					accepted)
			}
		}
		umbrella, phone := b.find(b.hotel, foundUmbrella), b.find(b.hotel, foundPhone)
		other := b.find(b.hotel, "Grey woollen sock")
		first, second := b.miss(b.hotel, lostUmbrella), b.miss(b.hotel, lostPhone)
		b.work()
		expect("nothing decided", 0, 0)

		reject := func(item string) {
			b.Helper()
			if err := b.desk.Suggestions.RejectMatch(b.Context(), b.by, b.hotel, second.ID, item); err != nil {
				b.Fatal(err)
			}
		}
		reject(other.ID)
		expect("a pair that was not suggested", 0, 0)
		reject(phone.ID)
		reject(phone.ID)
		expect("a rejected match", 1, 0)

		accept := func() {
			b.Helper()
			testkit.Must(b.desk.Requests.Decide(b.Context(), b.by, b.hotel, first.ID, lost.DecisionPatch{
				Type: lost.Set(lost.Accept), ItemID: lost.Set(umbrella.ID), Delayed: true,
			}))
		}
		accept()
		expect("an accepted match", 2, 1)
		request := testkit.Must(b.desk.Requests.Get(b.Context(), b.by, b.hotel, first.ID))
		d := testkit.Must(b.desk.Requests.OpenDecision(b.Context(), b.by, request))
		if err := b.desk.Requests.Undo(b.Context(), b.by, b.hotel, first.ID, d.ID); err != nil {
			b.Fatal(err)
		}
		expect("an undone decision", 1, 0)
		b.work()
		accept()
		expect("accepted again", 2, 1)
	})
}
