package lost_test

import (
	"testing"
	"time"

	"homeward/internal/lost"
)

func TestStatisticsCountOutcomes(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	at := func(text string) time.Time {
		parsed, err := time.Parse(time.DateTime, text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	berlin := lost.NewMonthlyCounts("Europe/Berlin", now)
	for _, f := range []lost.FindFacts{
		{Status: lost.Pending, CreatedAt: at("2026-10-31 23:30:00")}, // November in Berlin
		{
			Status: lost.PickUp, DiscoveryDate: "2026-11-01", ClosedAt: at("2026-11-03 23:30:00"),
			MovedAt: at("2026-11-02 10:00:00"),
		},
		{Status: lost.PickUp, DiscoveryDate: "2026-11-01", MovedAt: at("2026-11-02 10:00:00")},
		{Status: lost.Delivered, DiscoveryDate: "2026-10-10", MovedAt: at("2026-10-18 10:00:00")},
		// a recording mistake: returned before it was found
		{Status: lost.Delivered, DiscoveryDate: "2026-10-10", MovedAt: at("2026-10-09 10:00:00")},
		{Status: lost.Delivered, DiscoveryDate: "2026-10-10"}, // return time not known
		{Status: lost.Shipped, DiscoveryDate: "2026-10-10"},
		{Status: lost.Donate, DiscoveryDate: "2026-10-10"},
		{Status: lost.Discard, Destination: lost.Police, DiscoveryDate: "2026-10-10"},
		{Status: lost.Delivered, DiscoveryDate: "2020-01-01", MovedAt: now}, // before the counted months
		{Status: lost.Delivered, DiscoveryDate: "2027-01-01", MovedAt: now}, // after the counted months
	} {
		berlin.Add(f)
	}
	n := lost.SumMonths(2, lost.LastMonth(now, berlin), berlin)
	for outcome, want := range map[lost.FindOutcome]int{
		lost.OutcomeCollected: 1, lost.OutcomeDelivered: 3, lost.OutcomeInTransit: 1, lost.OutcomeDonated: 1,
		lost.OutcomePolice: 1,
		lost.OutcomeOpen:   2,
	} {
		if n.Outcomes[outcome] != want {
			t.Errorf("%s: %d, want %d", outcome, n.Outcomes[outcome], want)
		}
	}
	if rate, _ := n.Rate(); n.Found != 9 || n.Returned != 4 || rate != 44 {
		t.Errorf("%d found, %d returned, %d %%", n.Found, n.Returned, rate)
	}
	// The median of 0, 3 and 8 days. 23:30 UTC on 3 November is 4 November in Berlin, so that item took 3 days.
	if days, known := n.MedianDays(); days != 3 || !known {
		t.Errorf("median %v, %v", days, known)
	}
	october, november := n.Months[0], n.Months[1]
	if october.Found != 6 || november.Found != 3 || october.Month.FirstDay().Month() != time.October {
		t.Errorf("by month: %+v, %+v", october, november)
	}
	if busy, ok := n.Busiest(); !ok || busy.Month != october.Month {
		t.Errorf("busiest: %+v, %v", busy, ok)
	}
	if median, _ := october.MedianDays(); median != 4 { // between 0 and 8
		t.Errorf("median of October: got %v, want 4", median)
	}
	total := berlin.Total(2, lost.LastMonth(now, berlin))
	if total.Found != n.Found || total.Returned != n.Returned {
		t.Errorf("total of one location: %+v", total)
	}
}

func TestStatisticsWithoutItems(t *testing.T) {
	n := lost.SumMonths(12, lost.MonthOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)))
	_, rate := n.Rate()
	_, median := n.MedianDays()
	_, busy := n.Busiest()
	if rate || median || busy || len(n.Months) != 12 || n.Months[0].Month.FirstDay().Format("2006-01") != "2025-02" {
		t.Errorf("%+v", n)
	}
}

func TestSpansAreWithinTheLimit(t *testing.T) {
	for _, s := range lost.Spans() {
		if s < 1 || s > lost.MaxSpan || lost.SpanOf(int(s)) != s {
			t.Errorf("span %d", s)
		}
	}
	if lost.SpanOf(-1) != lost.DefaultSpan || lost.SpanOf(1000) != lost.DefaultSpan {
		t.Error("got an unsupported span, want the default")
	}
}
