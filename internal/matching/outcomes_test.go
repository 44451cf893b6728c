package matching_test

import (
	"maps"
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

// A decision about a request is also one about its other suggestions that looked right: without them, the report would
// count mostly suggestions that were right.
func TestADecisionCountsTheOtherSuggestionsAsWrong(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		outcomes := matching.NewOutcomes(b.db)
		expect := func(when string, want map[lost.Likelihood][2]int) {
			b.Helper()
			got := map[lost.Likelihood][2]int{}
			for _, o := range testkit.Must(outcomes.Report(b.Context(), b.by)) {
				sum := got[o.Likelihood]
				got[o.Likelihood] = [2]int{sum[0] + o.Decided, sum[1] + o.Accepted}
			}
			if !maps.Equal(got, want) {
				b.Errorf("%s: %v were decided and accepted, want %v", when, got, want)
			}
		}
		request := b.miss(b.hotel, lostUmbrella)
		same, right := b.find(b.hotel, foundUmbrella), b.find(b.hotel, foundUmbrella)
		b.find(b.hotel, "Black umbrella, duck") // neither likely nor possible
		b.work()
		shown := b.matches(request)
		likelihoods := map[string]lost.Likelihood{}
		for _, m := range shown {
			likelihoods[m.Other.ID] = m.Likelihood
		}
		if len(shown) != 3 || likelihoods[same.ID] != lost.Possible || likelihoods[right.ID] != lost.Possible ||
			shown[2].Likelihood != lost.Unlikely {
			b.Fatalf("the suggestions are %v", likelihoods)
		}
		undo := func() {
			b.Helper()
			i := testkit.Must(b.desk.Requests.Get(b.Context(), b.by, b.hotel, request.ID))
			d := testkit.Must(b.desk.Requests.OpenDecision(b.Context(), b.by, i))
			if err := b.desk.Requests.Undo(b.Context(), b.by, b.hotel, request.ID, d.ID); err != nil {
				b.Fatal(err)
			}
			b.work()
		}
		decide := func(p lost.DecisionPatch) {
			b.Helper()
			p.Delayed = true
			testkit.Must(b.desk.Requests.Decide(b.Context(), b.by, b.hotel, request.ID, p))
			b.work() // deletes the suggestions
		}
		decide(lost.DecisionPatch{Type: lost.Set(lost.Accept), ItemID: lost.Set(right.ID)})
		expect("accepted", map[lost.Likelihood][2]int{lost.Possible: {2, 1}})
		undo()
		expect("accepting was undone", map[lost.Likelihood][2]int{})
		decide(lost.DecisionPatch{Type: lost.Set(lost.Reject)})
		expect("nothing was found", map[lost.Likelihood][2]int{lost.Possible: {2, 0}})
		undo()
		expect("rejecting was undone", map[lost.Likelihood][2]int{})
		// What the desk has rejected itself stays an example.
		if err := b.desk.Suggestions.RejectMatch(b.Context(), b.by, b.hotel, request.ID, same.ID); err != nil {
			b.Fatal(err)
		}
		b.work()
		decide(lost.DecisionPatch{Type: lost.Set(lost.Reject)})
		expect("nothing was found, and one was rejected before",
			map[lost.Likelihood][2]int{lost.Possible: {1, 0}, lost.Likely: {1, 0}})
		undo()
		expect("one is still rejected", map[lost.Likelihood][2]int{lost.Possible: {1, 0}})
	})
}
