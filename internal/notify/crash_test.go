package notify_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/notice"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
)

// newInstance returns another instance of the service on the same database. It has connections of its own, so that it
// can crash.
func (h *fixture) newInstance(out *outgoing) (s *services.Services, crash func()) {
	db, crash := storetest.Reopen(h.T, h.DB, h.Clock.Now)
	return testkit.NewServices(db, h.Clock, func(o *services.Options) { o.StaffMessenger = out }), crash
}

// claimEnd is longer than another instance waits before it repeats a message that was under way.
const claimEnd = 5 * time.Minute

func TestAStoppedServiceContinuesLater(t *testing.T) {
	each(t, func(h *fixture) {
		h.choose(nil, notice.Report)
		h.file("Scarf")
		stopped, stop := context.WithCancel(h.T.Context())
		h.out.before = func(notice.Message) { stop() }
		h.out.fail = errors.New("stopped")
		h.settle()
		if err := h.Services.Notices.RunOnce(stopped); err == nil {
			h.T.Error("the pass ended without an error")
		}
		h.out.before, h.out.fail = nil, nil
		h.file("Ring")
		h.expect("after the restart", "ben@hotel.example: report Scarf report Ring")
	})
}

// The service is killed after a message was sent and before that is recorded. Only this message is repeated, and not
// while it may still be under way.
func TestACrashRepeatsOnlyTheMessageUnderWay(t *testing.T) {
	each(t, func(h *fixture) {
		h.choose(nil, notice.Report)
		h.file("Scarf")
		h.expect("before the crash", "ben@hotel.example: report Scarf")
		h.file("Ring")
		h.settle()
		crashing := &outgoing{}
		other, crash := h.newInstance(crashing)
		crashing.after = crash
		if err := other.Notices.RunOnce(h.T.Context()); err == nil {
			h.T.Error("the pass ended without an error")
		}
		if len(crashing.messages) != 1 {
			h.T.Fatalf("got %d messages before the crash, want 1", len(crashing.messages))
		}
		h.expect("just after the crash")
		h.file("Hat")
		h.expect("of later notices", "ben@hotel.example: report Hat")
		h.Clock.Advance(claimEnd)
		h.expect("later", "ben@hotel.example: report Ring")
		h.Clock.Advance(claimEnd)
		h.expect("much later")
	})
}

// A notice whose message ends the whole program each time is given up.
func TestANoticeThatAlwaysCrashesIsGivenUp(t *testing.T) {
	each(t, func(h *fixture) {
		h.choose(nil, notice.Report)
		h.file("Scarf")
		h.settle()
		crashes := 0
		for range 20 {
			crashing := &outgoing{}
			other, crash := h.newInstance(crashing)
			crashing.after = crash
			if err := other.Notices.RunOnce(h.T.Context()); err == nil {
				break
			}
			crashes++
			h.Clock.Advance(24 * time.Hour)
		}
		if crashes < 2 || crashes > 10 {
			h.T.Errorf("got %d crashes", crashes)
		}
	})
}

// While one instance is sending, another one runs a whole pass.
func TestAnInstanceDoesNotSendWhatAnotherOneIsSending(t *testing.T) {
	each(t, func(h *fixture) {
		h.choose(nil, notice.Report)
		h.file("Scarf")
		h.settle()
		sending, proceed, done := make(chan struct{}), make(chan struct{}), make(chan error)
		slow := &outgoing{before: func(notice.Message) { close(sending); <-proceed }}
		other, _ := h.newInstance(slow)
		go func() { done <- other.Notices.RunOnce(h.T.Context()) }()
		<-sending
		h.expect("while another instance is sending")
		close(proceed)
		if err := <-done; err != nil {
			h.T.Error(err)
		}
		if len(slow.messages) != 1 {
			h.T.Errorf("got %d messages, want 1", len(slow.messages))
		}
		h.Clock.Advance(claimEnd)
		h.expect("later")
	})
}

func TestTwoInstancesSendOnce(t *testing.T) {
	each(t, func(h *fixture) {
		h.choose(nil, notice.Report)
		other, _ := h.newInstance(h.out)
		both := []*services.Services{h.Services, other}
		const rounds = 10
		for n := range rounds {
			h.file(fmt.Sprintf("Scarf %d", n))
			h.settle()
			var running sync.WaitGroup
			for _, s := range both {
				running.Go(func() {
					if err := s.Notices.RunOnce(h.T.Context()); err != nil {
						h.T.Error(err)
					}
				})
			}
			running.Wait()
		}
		if len(h.out.messages) != rounds {
			h.T.Errorf("got %d messages, want %d", len(h.out.messages), rounds)
		}
	})
}

// A message that panics is retried, and does not affect the messages to other people.
func TestAPanicAffectsOneMessage(t *testing.T) {
	each(t, func(h *fixture) {
		staff := h.staff
		h.staff = h.Owner
		h.choose(nil, notice.Report)
		h.staff = staff
		h.choose(nil, notice.Report)
		h.out.before = func(m notice.Message) {
			if m.User.ID == staff.ID {
				panic("cannot compose")
			}
		}
		h.file("Scarf")
		h.expect("while it panics", "owner@hotel.example: report Scarf")
		h.out.before = nil
		h.Clock.Advance(time.Minute)
		h.expect("after a minute", "ben@hotel.example: report Scarf")
	})
}

// A notice of a kind that only a later version knows is dropped after that version was replaced by this one.
func TestUnknownKindsAreDropped(t *testing.T) {
	each(t, func(h *fixture) {
		h.choose(nil, notice.Report)
		scarf := h.file("Scarf")
		testkit.Must(0, h.DB.Write(h.T.Context(), func(tx *store.Tx) error {
			s := notice.NewSettings(h.staff)
			s.Kinds["later"] = notice.Choice{Email: notice.AtOnce}
			s.Kinds[notice.Report] = notice.Choice{Email: notice.AtOnce}
			if err := tx.SaveNoticeSettings(s); err != nil {
				return err
			}
			return tx.AddNotices([]notice.Notice{{
				Account: h.staff.Account, ID: lost.NewID(lost.NoticeID, tx.Now()), UserID: h.staff.ID, Kind: "later",
				Subject: "later", LocationID: scarf.LocationID, ItemID: scarf.ID, DueAt: tx.Now(), CreatedAt: tx.Now(),
			}})
		}))
		h.expect("with the other notice", "ben@hotel.example: report Scarf")
	})
}
