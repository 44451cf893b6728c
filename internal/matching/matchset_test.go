package matching_test

import (
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/match"
	"homeward/internal/lost/match/matchtest"
	"homeward/internal/testkit"
)

// park is a part of the labelled set: what an amusement park found, and what its guests miss.
func park(t *testing.T) (s matchtest.Set) {
	t.Helper()
	all := testkit.Must(matchtest.Own())
	for _, f := range all.Finds {
		if strings.HasPrefix(f.ID, "d") {
			s.Finds = append(s.Finds, f)
		}
	}
	for _, r := range all.Requests {
		if strings.HasPrefix(r.ID, "qd") {
			s.Requests = append(s.Requests, r)
		}
	}
	if len(s.Finds) < 300 || len(s.Requests) < 180 {
		t.Fatalf("the set has %d finds and %d requests of the park", len(s.Finds), len(s.Requests))
	}
	return s
}

// best gives for each request the best found item when it is compared with every one, if it may be suggested.
func best(s matchtest.Set) map[string]string {
	counts := match.Counts{"": len(s.Finds)}
	profiles := make([]match.Profile, len(s.Finds))
	for n, f := range s.Finds {
		profiles[n] = match.Read(f.Subject())
		for _, term := range profiles[n].Terms() {
			counts[term]++
		}
	}
	first := map[string]string{}
	for _, r := range s.Requests {
		request, most := match.Read(r.Subject()), 0.0
		for n, f := range s.Finds {
			if score := match.Compare(request, profiles[n], counts); score.Possible() && score.Value > most {
				first[r.ID], most = f.ID, score.Value
			}
		}
	}
	return first
}

// record creates found items, and gives their ids.
func (b *fixture) record(finds []matchtest.Find) map[string]string {
	b.Helper()
	ids := map[string]string{}
	for _, f := range finds {
		b.clock.Advance(time.Millisecond)
		i := testkit.Must(b.desk.Items.Create(b.Context(), b.by, b.hotel, lost.ItemPatch{
			Description: lost.Set(f.Description), Brand: lost.Set(f.Brand), Model: lost.Set(f.Model),
			Color:          lost.Set(f.Color),
			DiscoveryPlace: lost.Set(f.DiscoveryPlace), DiscoveryDate: lost.Set(f.DiscoveryDate),
			Notes: lost.Set(f.Notes),
		}, lost.IdempotencyKey{}))
		ids[i.ID] = f.ID
	}
	return ids
}

// file files requests, in their order.
func (b *fixture) file(requests []matchtest.Request) (filed []lost.Item) {
	b.Helper()
	for _, r := range requests {
		b.clock.Advance(time.Millisecond)
		filed = append(filed, testkit.Must(b.desk.Requests.File(b.Context(), b.by, b.hotel, lost.RequestPatch{
			Description: lost.Set(r.Description), Brand: lost.Set(r.Brand), Model: lost.Set(r.Model),
			Color:     lost.Set(r.Color),
			LostPlace: lost.Set(r.LostPlace), LostDate: lost.Set(r.LostDate), Proof: lost.Set(r.Proof),
			Owner: lost.Set(lost.OwnerPatch{
				FirstName: lost.Set(r.FirstName), LastName: lost.Set(r.LastName), Email: lost.Set("guest@example.com"),
			}),
		}, lost.IdempotencyKey{})))
	}
	return filed
}

// A request is compared with few of the found items. That loses next to nothing: the best of all comes first, whether
// it was there before or came later.
func TestTheBestOfAllFindsComesFirst(t *testing.T) {
	set := park(t)
	wanted := best(set)
	eachFixture(t, func(b *fixture) {
		early := len(set.Finds) * 9 / 10
		names := b.record(set.Finds[:early])
		b.work()
		requests := b.file(set.Requests)
		b.work()
		for id, name := range b.record(set.Finds[early:]) {
			names[id] = name
		}
		b.work()
		same, asked := 0, 0
		for n, r := range requests {
			want := wanted[set.Requests[n].ID]
			if want == "" {
				continue
			}
			asked++
			if got := b.matches(r); len(got) > 0 && names[got[0].ItemID] == want {
				same++
			} else {
				b.Logf("%s: another than %s comes first, of %d", set.Requests[n].ID, want, len(got))
			}
		}
		if asked < 100 || 100*same < 98*asked {
			b.Errorf("for %d requests of %d the best find comes first", same, asked)
		}
	})
}
