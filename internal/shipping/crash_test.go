package shipping_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
)

// shipThrough performs all steps of a shipment, retrying after failures, and returns the number of failures. It calls
// crash with a function that cancels the current step, to simulate the end of the process.
func (w *fixture) shipThrough(s lost.Shipment, crash func(end func())) (failed int) {
	w.T.Helper()
	var end context.CancelFunc
	step := func() (more bool, err error) {
		ctx, cancel := context.WithCancel(w.T.Context())
		defer cancel()
		end = cancel
		return w.Services.Labels.Ship(ctx, s.Account, s.ID)
	}
	crash(func() { end() })
	const limit = 100
	for range limit {
		more, err := step()
		if err == nil && !more {
			return failed
		}
		if err != nil {
			failed++
		}
	}
	w.T.Fatal("the shipment was not completed")
	return failed
}

// expectOne checks that a shipment was completed, with exactly one label, one event and one message of each kind.
func (w *fixture) expectOne(what string, i lost.Item, s lost.Shipment, invoice int64) {
	w.T.Helper()
	i, s = w.item(i), w.shipment(s)
	if got := w.carrier.bought[s.ID]; len(got) != 1 || s.Postage.Shipment != got[0] {
		w.T.Errorf("%s: bought %q, saved %+v", what, got, s.Postage)
	}
	if s.Invoice != invoice || s.State != lost.ShipmentReady {
		w.T.Errorf("%s: got invoice %d, want %d; state %s", what, s.Invoice, invoice, s.State)
	}
	if events := w.labels(i); len(events) != 1 || events[0].Payload.Files == nil {
		w.T.Errorf("%s: got %d events, want 1", what, len(events))
	}
	messages := w.messages(i)
	if testkit.Count(messages, "receipt to anna@example.com") != 1 ||
		testkit.Count(messages, "label to post@adler.example") != 1 {
		w.T.Errorf("%s: messages %q", what, messages)
	}
	if got := w.path(i); !slices.Equal(got, []lost.Status{lost.InfoCompleted, lost.FeePaid}) {
		w.T.Errorf("%s: path %q", what, got)
	}
	for _, d := range i.Parcel.Documents {
		if w.files.Stored[d.File] == "" {
			w.T.Errorf("%s: %s is not stored", what, d.Kind)
		}
	}
}

func TestACrashAtAnyPointBuysOneLabelAndAnnouncesItOnce(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		crashed := errors.New("crashed")
		// points maps each call to how often it is made for a parcel to the United States, which has four documents.
		// The carrier creates the first one. Print is not listed, because its failure is recorded as a refusal and
		// not retried.
		points := map[string]int{"Prepare": 1, "Buy": 1, "Label": 1, "Keep": 4}
		invoice := int64(0)
		for step, times := range points {
			for time := range times {
				for how, crash := range map[string]func(end func()){
					"fails before": func(func()) {
						w.failNth("before "+step, time, func() error { return crashed })
					},
					"fails after": func(func()) { w.failNth("after "+step, time, func() error { return crashed }) },
					"is the last step": func(end func()) {
						w.failNth("after "+step, time, func() error { end(); return nil })
					},
				} {
					invoice++
					what := fmt.Sprintf("%s %d %s", step, time+1, how)
					i, s := w.paid("US")
					if w.shipThrough(s, crash) != 1 {
						w.T.Errorf("%s: nothing failed", what)
					}
					w.expectOne(what, i, s, invoice)
				}
			}
		}
	})
}

// failNth runs do at a moment such as "before Buy", but only after that moment has occurred the given number of times.
func (w *fixture) failNth(moment string, times int, do func() error) {
	for range times {
		w.Fail(moment, nil)
	}
	w.Next(moment, do)
}

func TestAParcelIsReadyAlthoughEveryStepFailsOnce(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i, s := w.paid("DE")
		failed := w.shipThrough(s, func(func()) {
			for _, step := range []string{"Prepare", "Buy", "Label", "Keep"} {
				w.Fail("before "+step, lost.E(lost.Unavailable, "Try again later."))
				w.Fail("after "+step, errors.New("no response"))
			}
		})
		if failed != 8 {
			w.T.Errorf("got %d failures, want 8", failed)
		}
		w.expectOne("after all failures", i, s, 1)
	})
}

func TestTwoWorkersOnOneShipmentBuyOneLabel(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		for n, moment := range []string{"after Prepare", "after Buy", "after Label", "after Keep"} {
			i, s := w.paid("DE")
			w.Next(moment, func() error { w.shipWithRetries(s); return nil })
			w.shipWithRetries(s)
			i, s = w.item(i), w.shipment(s)
			if got := w.carrier.bought[s.ID]; len(got) != 1 || s.Postage.Shipment != got[0] ||
				s.Invoice != int64(n+1) || len(w.labels(i)) != 1 || s.State != lost.ShipmentReady {
				w.T.Errorf("%s: bought %q, %d events, %+v", moment, got, len(w.labels(i)), s)
			}
			for _, d := range i.Parcel.Documents {
				if w.files.Stored[d.File] == "" {
					w.T.Errorf("%s: %s is not stored", moment, d.Kind)
				}
			}
			if len(w.carrier.voided) != 0 {
				w.T.Errorf("%s: voided %q", moment, w.carrier.voided)
			}
		}
	})
}

func TestACarriersRefusalIsATask(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		for n, step := range []string{"Prepare", "Buy", "Label"} {
			i, s := w.paid("DE")
			if _, err := w.retry(i); lost.CodeOf(err) != lost.Conflict {
				w.T.Errorf("%s: retry before a refusal: got %v, want a conflict", step, err)
			}
			w.Fail("before "+step, lost.E(lost.Invalid, "The street is unknown."))
			w.ship(s)
			i = w.item(i)
			if i.Status != lost.FeePaid || i.Parcel.Problem(lost.LabelTask) != "The street is unknown." ||
				!i.Parcel.Paid {
				w.T.Errorf("%s: %s, %+v", step, i.Status, i.Parcel)
			}
			if got := w.tasks(i); !slices.Contains(got, lost.LabelTask) {
				w.T.Errorf("%s: tasks %q", step, got)
			}
			if events := w.labels(i); len(events) != 1 || events[0].Payload.Files != nil {
				w.T.Errorf("%s: %d events, the first with %+v", step, len(events), events)
			}
			if got := w.notes(i, lost.Labelled); !slices.Equal(got, []string{"Refused: The street is unknown."}) {
				w.T.Errorf("%s: history %q", step, got)
			}
			w.ship(s) // must change nothing
			testkit.Must(w.retry(i))
			if _, err := w.retry(i); lost.CodeOf(err) != lost.Conflict {
				w.T.Errorf("%s: second retry: got %v, want a conflict", step, err)
			}
			w.work()
			i, s = w.item(i), w.shipment(s)
			if i.Status != lost.FeePaid || len(i.Parcel.Documents) != 3 ||
				slices.Contains(w.tasks(i), lost.LabelTask) || s.Invoice != int64(n+1) {
				w.T.Errorf("%s, after the retry: got %s, %+v, invoice %d", step, i.Status, i.Parcel, s.Invoice)
			}
			if len(w.labels(i)) != 1 || testkit.Count(w.messages(i), "receipt to anna@example.com") != 2 ||
				testkit.Count(w.messages(i), "label to post@adler.example") != 1 {
				w.T.Errorf("%s, after the retry: got %d events, messages %q", step, len(w.labels(i)), w.messages(i))
			}
			if got := w.carrier.bought[s.ID]; len(got) != 1 {
				w.T.Errorf("%s: bought %q", step, got)
			}
		}
	})
}

func (w *fixture) retry(i lost.Item) (lost.Item, error) {
	return w.Services.Labels.RetryLabel(w.T.Context(), w.Actor, i.LocationID, i.ID, lost.IdempotencyKey{})
}

func TestATemporaryFailureIsReturnedAndChangesNothing(t *testing.T) {
	eachFixture(t, func(w *fixture) {
		i, s := w.paid("DE")
		before, was := w.item(i), w.shipment(s)
		for _, err := range []error{lost.E(lost.Unavailable, "Try again later."), errors.New("time-out"),
			context.DeadlineExceeded} {
			w.Fail("before Prepare", err)
			if _, got := w.Services.Labels.Ship(w.T.Context(), s.Account, s.ID); !errors.Is(got, err) {
				w.T.Errorf("got %v, want %v", got, err)
			}
		}
		if after, is := w.item(i), w.shipment(s); !after.Parcel.Equal(before.Parcel) || after.Status != before.Status ||
			is.State != was.State || !is.UpdatedAt.Equal(was.UpdatedAt) {
			w.T.Errorf("shipment changed from %+v to %+v", was, is)
		}
		if len(w.labels(i)) != 0 || slices.Contains(w.tasks(i), lost.LabelTask) {
			w.T.Errorf("%d events, tasks %q", len(w.labels(i)), w.tasks(i))
		}
	})
}
