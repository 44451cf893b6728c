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

// park returns a part of the labelled set: the items found at an amusement park and the requests from its guests.
func park(t *testing.T) (s matchtest.Set) {
	t.Helper()
	all := testkit.Must(matchtest.Default())
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
		t.Fatalf("the set has %d found items and %d requests of the park", len(s.Finds), len(s.Requests))
	}
	return s
}

// best compares each request with every found item, and returns the best match for each request that has a match.
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
		request, highest := match.Read(r.Subject()), 0.0
		for n, f := range s.Finds {
			if score := match.Compare(request, profiles[n], counts); score.Suggested() && score.Value > highest {
				first[r.ID], highest = f.ID, score.Value
			}
		}
	}
	return first
}

// record creates found items. It returns a map from the ids of these items to their ids in the set.
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

// file creates requests in order.
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

// A request is compared with only a few found items. The best match still comes first in almost all cases, whether it
// was recorded before or after the request.
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
		same, total := 0, 0
		for n, r := range requests {
			want := wanted[set.Requests[n].ID]
			if want == "" {
				continue
			}
			total++
			if got := b.matches(r); len(got) > 0 && names[got[0].ItemID] == want {
				same++
			} else {
				b.Logf("%s: %s is not the first of %d matches", set.Requests[n].ID, want, len(got))
			}
		}
		if total < 100 || 100*same < 98*total {
			b.Errorf("the best match comes first for only %d of %d requests", same, total)
		}
	})
}
