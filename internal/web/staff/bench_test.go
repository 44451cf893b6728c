package staff_test

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/testkit"
)

// BenchmarkToday measures how long it takes to load the start page of a location with 200,000 items and 25,000 tasks,
// and the location's report. Filling the database takes one or two minutes.
func BenchmarkToday(b *testing.B) {
	h := testkit.NewServer(b)
	b.Cleanup(h.Services.Close)
	l := h.NewLocation("Hotel Adler")
	fill(b, h, l, 200_000)
	v := h.LogIn()
	b.Run("page", func(b *testing.B) {
		var took []time.Duration
		for b.Loop() {
			start := time.Now()
			if a := v.Get("/?location=" + l.ID); a.Code != http.StatusOK {
				b.Fatal(a.Code)
			}
			took = append(took, time.Since(start))
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
	})
	b.Run("report", func(b *testing.B) {
		for b.Loop() {
			h.Clock.Advance(time.Hour) // the report of an hour ago is not cached any more
			if a := v.Get("/at/" + l.ID + "/reports"); a.Code != http.StatusOK {
				b.Fatal(a.Code)
			}
		}
	})
}

// fill adds many items, spread over two years, to a location. One in eight has a task.
func fill(b *testing.B, h *testkit.Server, l lost.Location, many int) {
	b.Helper()
	const some = 250 // items per transaction; larger transactions are slower per item on SQLite
	r := rand.New(rand.NewPCG(1, 2))
	taken := map[string]bool{}
	begin, step := h.Clock.Now().AddDate(-2, 0, 0), 2*365*24*time.Hour/time.Duration(many)
	for from := 0; from < many; from += some {
		testkit.Must(0, h.DB.Write(b.Context(), func(tx *store.Tx) error {
			for n := from; n < from+some; n++ {
				at := begin.Add(time.Duration(n) * step)
				i := testkit.Must(lost.NewItem(l.Account, l.ID,
					lost.ItemPatch{Description: lost.Set("Hat"), DiscoveryDate: lost.Set(at.Format(lost.DateLayout))},
					at))
				for taken[i.Reference] {
					i.Reference = lost.NewReference()
				}
				taken[i.Reference] = true
				i.Status = lost.Statuses()[n%len(lost.Statuses())]
				i.MovedAt = at.Add(time.Duration(r.IntN(40*24)) * time.Hour)
				if i.Status == lost.PickUp {
					i.ClosedAt = i.MovedAt
				}
				testkit.Must(0, tx.InsertItem(i))
				if i.Status == lost.Pending {
					testkit.Must(0, tx.SetTasks(i, []lost.TaskKind{lost.OverdueTask}))
				}
			}
			return nil
		}))
	}
}
