package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/outbox"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	v1 "homeward/internal/v1"
)

// postman keeps what it is given, and does as it is told.
type postman struct {
	mu     sync.Mutex
	told   []string
	sent   []lost.Letter
	answer func(l lost.Letter, handOver func() error) (lost.Receipt, error) // nil: it takes everything
	fate   func() (lost.MessageState, string, error)
}

func (p *postman) Tell(_ context.Context, to, subject, text string) error {
	if strings.HasPrefix(to, "gone@") {
		return lost.E(lost.Invalid, "There is no such mailbox.")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told = append(p.told, to+" "+subject+" "+text)
	return nil
}

func (p *postman) Compose(lost.Letter) (subject, text string, err error) { return "", "", nil }

func (p *postman) Sends(lost.Channel) bool { return true }

func (p *postman) Send(_ context.Context, l lost.Letter, handOver func() error) (lost.Receipt, error) {
	if p.answer != nil {
		return p.answer(l, handOver)
	}
	if err := handOver(); err != nil {
		return lost.Receipt{}, err
	}
	return p.take(l)
}

func (p *postman) take(l lost.Letter) (lost.Receipt, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent = append(p.sent, l)
	if l.Channel == lost.BySMS {
		return lost.Receipt{State: lost.MessageSent, ProviderID: "SM1"}, nil
	}
	return lost.Receipt{State: lost.MessageSent}, nil
}

func (p *postman) Trace(context.Context, lost.Message) (lost.MessageState, string, error) {
	return p.fate()
}

// take gives the kinds of what was sent since it was last asked, and to whom.
func (p *postman) taken() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, l := range p.sent {
		all = append(all, string(l.Kind)+" to "+l.To)
	}
	p.sent = nil
	slices.Sort(all)
	return all
}

// inn is a location with its desk, an outbox and a clock to turn.
type inn struct {
	t     *testing.T
	db    *store.DB
	clock *storetest.Clock
	desk  *desk.Desk
	actor lost.Actor
	post  *postman
	out   *outbox.Outbox
	where lost.Location
}

// eachInn runs a test on each database with a location in Berlin that keeps things for 30 days, at 13:00 on a Sunday.
func eachInn(t *testing.T, fn func(n *inn)) {
	t.Helper()
	clock := &storetest.Clock{}
	storetest.EachClock(t, clock.Now, func(t *testing.T, db *store.DB) {
		*clock = storetest.Clock{}
		n := &inn{t: t, db: db, clock: clock, post: &postman{}}
		n.desk = desk.New(desk.Options{DB: db, Messenger: n.post, Wire: v1.Wire{Base: "https://homeward.example"}, Now: clock.Now, Nudge: func() {}, NudgeLetters: func() {}, NudgeLanes: func(...store.Lane) {}, Hashing: desk.Hashing{Memory: 8, Passes: 1}})
		first, _, err := n.desk.Begin(t.Context(), desk.FirstSettings{})
		if err != nil {
			t.Fatal(err)
		}
		n.actor = first.Key.Actor()
		n.out = n.copy()
		n.where, err = n.desk.CreateLocation(t.Context(), n.actor, lost.LocationPatch{
			Name: lost.Set("Hotel Adler"), TimeZone: lost.Set("Europe/Berlin"), StorageDuration: lost.Set(30),
			Contact: lost.Set(lost.ContactPatch{Email: lost.Set("desk@adler.example")}),
		}, lost.IdempotencyKey{})
		if err != nil {
			t.Fatal(err)
		}
		fn(n)
	})
}

// copy is another copy of the service's background work.
func (n *inn) copy() *outbox.Outbox {
	return outbox.New(outbox.Options{DB: n.db, Files: newFiles(), Hooks: &hooks{}, Post: n.post, Base: "https://homeward.example", Log: quiet(), Observe: unseen, KeepDeliveries: 30 * 24 * time.Hour})
}

// find records an item with an owner.
func (n *inn) find(email string) lost.Item {
	n.t.Helper()
	i, err := n.desk.CreateItem(n.t.Context(), n.actor, n.where.ID, lost.ItemPatch{
		Description: lost.Set("Umbrella"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set(email)}),
	}, lost.IdempotencyKey{})
	if err != nil {
		n.t.Fatal(err)
	}
	return i
}

// settle lets the outbox look and work until nothing is due.
func (n *inn) settle() {
	n.t.Helper()
	n.clock.Advance(time.Second) // changes of one record are a moment apart, also while the clock stands
	for did := 1; did > 0; {
		looked, err := n.out.LookOnce(n.t.Context())
		if err != nil {
			n.t.Fatal(err)
		}
		done, err := n.out.RunOnce(n.t.Context())
		if err != nil {
			n.t.Fatal(err)
		}
		did = looked + done
	}
}

// expect lets everything settle and compares what was sent.
func (n *inn) expect(when string, want ...string) {
	n.t.Helper()
	n.settle()
	if got := n.post.taken(); !slices.Equal(got, want) {
		n.t.Errorf("%s: sent %q, want %q", when, got, want)
	}
}

// until turns the clock to a moment, written as the location's clock shows it.
func (n *inn) until(local string) {
	n.t.Helper()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		n.t.Fatal(err)
	}
	at, err := time.ParseInLocation("2006-01-02 15:04", local, berlin)
	if err != nil {
		n.t.Fatal(err)
	}
	n.clock.Advance(at.Sub(n.clock.Now()))
}

// move sets an item's status as the desk does.
func (n *inn) move(i lost.Item, p lost.MovePatch) {
	n.t.Helper()
	if _, err := n.desk.SetStatus(n.t.Context(), n.actor, n.where.ID, i.ID, p); err != nil {
		n.t.Fatal(err)
	}
}

// choose is the guest's choice, by the link that was sent.
func (n *inn) choose(i lost.Item, p lost.ChoicePatch) {
	n.t.Helper()
	link, _, err := n.db.LinkTo(n.t.Context(), i.Account, i.ID, i.Owner.Address())
	if err != nil {
		n.t.Fatal(err)
	}
	token, err := n.db.Token(link)
	if err != nil {
		n.t.Fatal(err)
	}
	if _, err := n.desk.Choose(n.t.Context(), token, p); err != nil {
		n.t.Fatal(err)
	}
}

// history lists what an item's history says of messages, newest first.
func (n *inn) history(i lost.Item) []string {
	n.t.Helper()
	list, err := n.desk.History(n.t.Context(), n.actor, n.where.ID, i.ID, lost.Page{Number: 1, Limit: 100})
	if err != nil {
		n.t.Fatal(err)
	}
	var all []string
	for _, e := range list.Data {
		if strings.HasPrefix(string(e.Action), "message-") {
			all = append(all, string(e.Action)+": "+e.Note)
		}
	}
	return all
}

// tasks lists what waits for the desk.
func (n *inn) tasks() []string {
	n.t.Helper()
	list, err := n.desk.Tasks(n.t.Context(), n.actor, n.where.ID, lost.FirstPage())
	if err != nil {
		n.t.Fatal(err)
	}
	var all []string
	for _, task := range list.Data {
		all = append(all, string(task.Kind))
	}
	return all
}

const (
	anna = "anna@example.com"
	bert = "bert@example.com"
)

func TestAnOwnerIsToldOncePerAddress(t *testing.T) {
	eachInn(t, func(n *inn) {
		i := n.find(anna)
		n.expect("at creation", "notice to "+anna)
		update := func(o lost.OwnerPatch) {
			n.t.Helper()
			if _, err := n.desk.UpdateItem(n.t.Context(), n.actor, n.where.ID, i.ID, lost.ItemPatch{Owner: lost.Set(o)}); err != nil {
				n.t.Fatal(err)
			}
		}
		update(lost.OwnerPatch{FirstName: lost.Set("Anna")})
		n.expect("a name")
		update(lost.OwnerPatch{Email: lost.Set(bert)})
		n.expect("another address", "notice to "+bert)
		update(lost.OwnerPatch{Email: lost.Set(anna)})
		n.expect("the first address again")
		update(lost.OwnerPatch{Email: lost.Clear[string](), Phone: lost.Set("+49 30 901820")})
		n.expect("a phone alone", "notice to +4930901820")
		if _, err := n.desk.Notify(n.t.Context(), n.actor, n.where.ID, i.ID, lost.IdempotencyKey{}); err != nil {
			n.t.Fatal(err)
		}
		n.expect("sent again", "notice to +4930901820")
		if got := n.history(i); len(got) != 4 || got[0] != "message-sent: notice by sms to +4930901820" {
			n.t.Errorf("history: %q", got)
		}
	})
}

func TestAMessageThatIsRefusedStandsOnTheHistoryAndWaitsForTheDesk(t *testing.T) {
	eachInn(t, func(n *inn) {
		n.post.answer = func(_ lost.Letter, handOver func() error) (lost.Receipt, error) {
			_ = handOver()
			return lost.Receipt{}, lost.E(lost.Invalid, "No such mailbox here.")
		}
		i := n.find(anna)
		n.settle()
		if got := n.history(i); len(got) != 1 || got[0] != "message-failed: notice by email to anna@example.com: No such mailbox here." {
			n.t.Errorf("history: %q", got)
		}
		if got := n.tasks(); !slices.Equal(got, []string{"unreachable"}) {
			n.t.Errorf("tasks: %q", got)
		}
		n.post.answer = nil
		n.clock.Advance(8 * 24 * time.Hour)
		n.expect("a week later nobody is reminded of what they never got", "digest to desk@adler.example")
		if _, err := n.desk.Notify(n.t.Context(), n.actor, n.where.ID, i.ID, lost.IdempotencyKey{}); err != nil {
			n.t.Fatal(err)
		}
		n.expect("the desk sends it again", "notice to "+anna)
		if got := n.tasks(); len(got) != 0 {
			n.t.Errorf("tasks: %q", got)
		}
	})
}

func TestAMessageThatCannotBeSentNowIsSentLater(t *testing.T) {
	eachInn(t, func(n *inn) {
		n.post.answer = func(lost.Letter, func() error) (lost.Receipt, error) {
			return lost.Receipt{}, errors.New("connection refused")
		}
		i := n.find(anna)
		n.expect("while the server is away")
		n.clock.Advance(time.Hour)
		n.expect("an hour later")
		n.post.answer = nil
		n.clock.Advance(time.Hour)
		n.expect("when it is back", "notice to "+anna)
		if got := n.history(i); len(got) != 1 {
			n.t.Errorf("history: %q", got)
		}
	})
}

func TestAMessageThatCannotBeSentForThreeDaysIsGivenUp(t *testing.T) {
	eachInn(t, func(n *inn) {
		n.post.answer = func(lost.Letter, func() error) (lost.Receipt, error) {
			return lost.Receipt{}, errors.New("connection refused")
		}
		i := n.find(anna)
		for range 5 {
			n.settle()
			n.clock.Advance(24 * time.Hour)
		}
		if got := n.history(i); len(got) != 1 || !strings.HasPrefix(got[0], "message-failed: notice") {
			n.t.Errorf("history: %q", got)
		}
	})
}

func TestRemindersFollowTheLadderUntilTheOwnerChooses(t *testing.T) {
	eachInn(t, func(n *inn) {
		n.find(anna)
		silent := n.find(bert)
		n.expect("at once", "notice to "+anna, "notice to "+bert)
		for _, step := range []struct {
			at   string
			want []string
		}{
			{"2026-11-18 09:59", nil},
			{"2026-11-18 10:00", []string{"reminder to " + anna, "reminder to " + bert}},
			{"2026-11-21 23:00", nil},
			{"2026-11-22 10:00", []string{"reminder to " + anna, "reminder to " + bert}},
			{"2026-12-12 09:59", nil},
			{"2026-12-12 10:00", []string{"last-call to " + anna, "last-call to " + bert}},
			{"2026-12-15 23:59", nil},
			{"2026-12-16 00:00", nil},
			{"2026-12-16 08:00", []string{"digest to desk@adler.example"}}, // kept until the 15th
		} {
			n.until(step.at)
			n.expect(step.at, step.want...)
		}
		if got := n.tasks(); !slices.Equal(got, []string{"store-until", "store-until"}) {
			n.t.Errorf("tasks: %q", got)
		}
		n.move(silent, lost.MovePatch{Status: lost.Set("DISCARD"), Closed: lost.Set(true)})
		n.settle()
		if got := n.tasks(); !slices.Equal(got, []string{"store-until"}) {
			n.t.Errorf("tasks: %q", got)
		}
	})
}

func TestRemindersStopAsSoonAsTheOwnerChooses(t *testing.T) {
	eachInn(t, func(n *inn) {
		i := n.find(anna)
		n.expect("at once", "notice to "+anna)
		n.until("2026-11-18 10:00")
		if _, err := n.out.LookOnce(n.t.Context()); err != nil { // the reminder is on its way
			n.t.Fatal(err)
		}
		n.choose(i, lost.ChoicePatch{Choice: lost.ChooseDonate})
		n.expect("and overtaken", "choice to "+anna)
		n.until("2027-01-01 10:00")
		n.expect("for ever")
	})
}

func TestAPickUpIsRemindedOfAndMissed(t *testing.T) {
	eachInn(t, func(n *inn) {
		i, j := n.find(anna), n.find(bert)
		n.expect("at once", "notice to "+anna, "notice to "+bert)
		for _, each := range []lost.Item{i, j} {
			n.choose(each, lost.ChoicePatch{Choice: lost.ChoosePickUp, PickupDate: lost.Set("2026-11-20"), PickupTime: lost.Set("14:30")})
		}
		n.expect("chosen", "choice to "+anna, "choice to "+bert)
		n.choose(j, lost.ChoicePatch{Choice: lost.ChoosePickUp, PickupDate: lost.Set("2026-11-24"), PickupTime: lost.Set("14:30")})
		n.expect("put off", "choice to "+bert)
		next := func(want ...string) { // who comes within some days is seen at the desk, and nothing that waits
			n.t.Helper()
			var got []string
			for _, g := range must(n.desk.Today(n.t.Context(), n.actor, n.where.ID)) {
				for _, task := range g.Tasks {
					got = append(got, string(g.Kind)+" "+task.Item.Owner.Email)
				}
			}
			if !slices.Equal(got, want) || len(n.tasks()) > 0 {
				n.t.Errorf("at the desk: %q, want %q; tasks: %q", got, want, n.tasks())
			}
		}
		next("pickup-next " + anna) // and Bert in nine days
		n.until("2026-11-16 08:00")
		n.expect("the next morning")
		next("pickup-next "+anna, "pickup-next "+bert)
		n.until("2026-11-19 10:00")
		n.expect("the day before", "pickup-soon to "+anna)
		n.until("2026-11-20 00:00")
		n.expect("the day begins")
		n.until("2026-11-20 09:00")
		n.expect("on the day", "digest to desk@adler.example")
		if got := n.tasks(); !slices.Equal(got, []string{"pickup-today"}) {
			n.t.Errorf("tasks on the day: %q", got)
		}
		n.until("2026-11-21 00:00")
		n.expect("nobody came")
		n.until("2026-11-21 09:00")
		n.expect("in the morning", "digest to desk@adler.example")
		if got := n.tasks(); !slices.Equal(got, []string{"pickup-missed"}) {
			n.t.Errorf("tasks: %q", got)
		}
		n.until("2026-11-21 10:00")
		n.expect("the day after", "pickup-missed to "+anna)
		n.until("2026-11-23 10:00")
		n.expect("the day before the other's", "digest to desk@adler.example", "pickup-soon to "+bert)
		n.move(j, lost.MovePatch{Status: lost.Set("PICKUP"), Closed: lost.Set(true)})
		n.move(i, lost.MovePatch{Status: lost.Set("PICKUP"), Closed: lost.Set(true)})
		n.until("2026-12-31 10:00")
		n.expect("both were collected")
		if got := n.tasks(); len(got) != 0 {
			n.t.Errorf("tasks: %q", got)
		}
	})
}

func TestOfSeveralMissedRemindersOnlyTheLastGoesOut(t *testing.T) {
	eachInn(t, func(n *inn) {
		n.find(anna)
		n.expect("at once", "notice to "+anna)
		n.until("2026-12-01 10:00") // the service was off
		n.expect("both reminders are due", "reminder to "+anna)
	})
}

func TestAReminderThatMayHaveLeftIsNotSentAgain(t *testing.T) {
	eachInn(t, func(n *inn) {
		i := n.find(anna)
		n.expect("at once", "notice to "+anna)
		died := errors.New("killed")
		for _, c := range []struct {
			at      string
			outcome error
			retried bool
		}{
			{"2026-11-18 10:00", died, false},
			{"2026-11-22 10:00", lost.E(lost.Unavailable, "Try again later."), true},
		} {
			n.until(c.at)
			n.post.answer = func(l lost.Letter, handOver func() error) (lost.Receipt, error) {
				if err := handOver(); err != nil {
					return lost.Receipt{}, err
				}
				return lost.Receipt{}, c.outcome
			}
			n.settle()
			n.post.answer = nil
			n.clock.Advance(time.Hour)
			if c.retried {
				n.expect("refused for now", "reminder to "+anna)
			} else {
				n.expect("perhaps sent")
			}
		}
		if got := n.history(i); len(got) != 3 || !strings.HasSuffix(got[1], "not sent again") {
			n.t.Errorf("history: %q", got)
		}
	})
}

// A worker that is killed says nothing: its job comes back with the lease.
func TestAReminderWhoseWorkerDiedAfterHandingItOverIsNotSentAgain(t *testing.T) {
	eachInn(t, func(n *inn) {
		i := n.find(anna)
		n.expect("at once", "notice to "+anna)
		n.until("2026-11-18 10:00")
		if _, err := n.out.LookOnce(n.t.Context()); err != nil {
			n.t.Fatal(err)
		}
		write(n.t, n.db, func(tx *store.Tx) error {
			jobs, err := tx.ClaimJobs([]string{store.JobSendMail}, 1, time.Minute)
			if err != nil || len(jobs) != 1 {
				return fmt.Errorf("claimed %v: %w", jobs, err)
			}
			m, err := tx.LockMessage(jobs[0].Account, jobs[0].Payload)
			if err != nil {
				return err
			}
			mine, err := tx.HandOver(m, jobs[0])
			if !mine {
				n.t.Error("not handed over")
			}
			return err
		})
		n.expect("while it has the lease")
		n.clock.Advance(2 * time.Minute)
		n.expect("after the lease")
		if got := n.history(i); len(got) != 2 || !strings.HasSuffix(got[0], "not sent again") {
			n.t.Errorf("history: %q", got)
		}
	})
}

func TestOtherMessagesAreRatherSentTwiceThanNever(t *testing.T) {
	eachInn(t, func(n *inn) {
		n.find(anna)
		n.post.answer = func(l lost.Letter, handOver func() error) (lost.Receipt, error) {
			_ = handOver()
			return lost.Receipt{}, errors.New("killed")
		}
		n.settle()
		n.post.answer = nil
		n.clock.Advance(time.Hour)
		n.expect("perhaps sent", "notice to "+anna)
	})
}

func TestAServerThatNeverSaysWhetherItTookAMessageGetsItThreeTimes(t *testing.T) {
	eachInn(t, func(n *inn) {
		i := n.find(anna)
		times := 0
		n.post.answer = func(l lost.Letter, handOver func() error) (lost.Receipt, error) {
			if err := handOver(); err != nil {
				return lost.Receipt{}, err
			}
			times++
			return lost.Receipt{}, errors.New("no answer")
		}
		for range 10 {
			n.settle()
			n.clock.Advance(time.Hour)
		}
		if got := n.history(i); times != 3 || len(got) != 1 || !strings.HasSuffix(got[0], "not sent again") {
			n.t.Errorf("sent %d times, history: %q", times, got)
		}
	})
}

func TestCopiesThatLookAtTheSameItemsRemindOnce(t *testing.T) {
	eachInn(t, func(n *inn) {
		const items = 60
		for k := range items {
			n.find(fmt.Sprintf("guest%d@example.com", k))
		}
		n.settle()
		n.post.taken()
		n.until("2026-11-18 10:00")
		var working sync.WaitGroup
		for range 3 {
			o := n.copy()
			working.Go(func() {
				for range 20 {
					_, _ = o.LookOnce(n.t.Context())
					_, _ = o.RunOnce(n.t.Context())
				}
			})
		}
		working.Wait()
		n.settle()
		got := n.post.taken()
		if len(got) != items || len(slices.Compact(got)) != items {
			n.t.Errorf("%d reminders of %d guests", len(got), items)
		}
	})
}

func TestWhatWasSentByTextIsTraced(t *testing.T) {
	eachInn(t, func(n *inn) {
		i, err := n.desk.CreateItem(n.t.Context(), n.actor, n.where.ID, lost.ItemPatch{
			Description: lost.Set("Umbrella"), Owner: lost.Set(lost.OwnerPatch{Phone: lost.Set("+49 30 901820")}),
		}, lost.IdempotencyKey{})
		if err != nil {
			n.t.Fatal(err)
		}
		n.expect("at once", "notice to +4930901820")
		n.post.fate = func() (lost.MessageState, string, error) { return lost.MessageWaiting, "", nil }
		n.clock.Advance(2 * time.Minute)
		n.settle()
		n.post.fate = func() (lost.MessageState, string, error) {
			return lost.MessageFailed, "the number does not exist", nil
		}
		n.clock.Advance(10 * time.Minute)
		n.settle()
		if got := n.history(i); len(got) != 2 || got[0] != "message-failed: notice by sms to +4930901820: the number does not exist" {
			n.t.Errorf("history: %q", got)
		}
		if got := n.tasks(); !slices.Equal(got, []string{"unreachable"}) {
			n.t.Errorf("tasks: %q", got)
		}
	})
}

func TestAChangedLadderCountsForItemsThatAreThere(t *testing.T) {
	eachInn(t, func(n *inn) {
		n.find(anna)
		n.expect("at once", "notice to "+anna)
		_, err := n.desk.UpdateLocation(n.t.Context(), n.actor, n.where.ID, lost.LocationPatch{
			Reminders: lost.Set(lost.ReminderSchedulePatch{AfterNotice: lost.Set([]int{1}), BeforeStoreUntil: lost.Set([]int{})}),
		})
		if err != nil {
			n.t.Fatal(err)
		}
		n.expect("changed")
		n.until("2026-11-16 10:00")
		n.expect("after a day", "reminder to "+anna)
		n.until("2026-12-15 10:00")
		n.expect("and no more")
	})
}

func TestADeskIsWrittenToOnceADayForAsLongAsSomethingWaits(t *testing.T) {
	eachInn(t, func(n *inn) {
		i := n.find(anna)
		n.expect("at once", "notice to "+anna)
		n.move(i, lost.MovePatch{Status: lost.Set("FEE PAID")})
		n.expect("paid")
		for _, day := range []string{"2026-11-16 08:00", "2026-11-17 08:00"} {
			n.until(day)
			n.expect(day, "digest to desk@adler.example")
			n.clock.Advance(8 * time.Hour)
			n.expect("later that day")
		}
		n.move(i, lost.MovePatch{Status: lost.Set("SHIPPED")})
		n.until("2026-11-18 08:00")
		n.expect("shipped", "shipped to "+anna)
	})
}

func TestWhoSaysThatItIsNotTheirsIsLeftAlone(t *testing.T) {
	eachInn(t, func(n *inn) {
		i := n.find(anna)
		n.expect("at once", "notice to "+anna)
		link, _, err := n.db.LinkTo(n.t.Context(), i.Account, i.ID, anna)
		if err != nil {
			n.t.Fatal(err)
		}
		token, err := n.db.Token(link)
		if err != nil {
			n.t.Fatal(err)
		}
		for range 2 { // a double tap
			if _, err := n.desk.Disown(n.t.Context(), token); err != nil {
				n.t.Fatal(err)
			}
		}
		n.expect("said so")
		if got := n.tasks(); !slices.Equal(got, []string{"not-theirs"}) {
			n.t.Errorf("tasks: %q", got)
		}
		n.until("2026-11-18 10:00")
		n.expect("three days later", "digest to desk@adler.example")
	})
}

func TestAnOwnerWhoseNoticeWasCanceledIsToldWhenTheyAreTheOwnerAgain(t *testing.T) {
	eachInn(t, func(n *inn) {
		i := n.find(anna)
		owner := func(email string) {
			n.t.Helper()
			if _, err := n.desk.UpdateItem(n.t.Context(), n.actor, n.where.ID, i.ID, lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{Email: lost.Set(email)})}); err != nil {
				n.t.Fatal(err)
			}
		}
		owner(bert) // before the message to Anna left
		n.expect("another owner", "notice to "+bert)
		owner(anna)
		n.expect("Anna after all", "notice to "+anna)
	})
}

func TestAClaimantWhoOwnsTheItemAlreadyHearsThatTheRequestWasAccepted(t *testing.T) {
	eachInn(t, func(n *inn) {
		i := n.find(anna)
		r, err := n.desk.FileRequest(n.t.Context(), n.actor, n.where.ID, lost.RequestPatch{
			Description: lost.Set("Umbrella"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set(anna)}),
		}, lost.IdempotencyKey{})
		if err != nil {
			n.t.Fatal(err)
		}
		n.expect("filed", "notice to "+anna, "request-received to "+anna)
		if _, err := n.desk.DecideRequest(n.t.Context(), n.actor, n.where.ID, r.ID, lost.DecisionPatch{Type: lost.Set("accept"), ItemID: lost.Set(i.ID)}); err != nil {
			n.t.Fatal(err)
		}
		n.expect("accepted", "match to "+anna)
	})
}

func TestAClaimantWhoseAddressWasWrongIsWrittenToAtTheRightOne(t *testing.T) {
	eachInn(t, func(n *inn) {
		n.post.answer = func(_ lost.Letter, handOver func() error) (lost.Receipt, error) {
			return lost.Receipt{}, lost.E(lost.Invalid, "No such mailbox here.")
		}
		r, err := n.desk.FileRequest(n.t.Context(), n.actor, n.where.ID, lost.RequestPatch{
			Description: lost.Set("Umbrella"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set(anna)}),
		}, lost.IdempotencyKey{})
		if err != nil {
			n.t.Fatal(err)
		}
		n.expect("refused")
		if got := n.tasks(); !slices.Equal(got, []string{"answer-request", "unreachable"}) {
			n.t.Errorf("tasks: %q", got)
		}
		n.post.answer = nil
		if _, err := n.desk.UpdateItem(n.t.Context(), n.actor, n.where.ID, r.ID, lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{Email: lost.Set(bert)})}); err != nil {
			n.t.Fatal(err)
		}
		n.expect("corrected", "request-received to "+bert)
		if got := n.tasks(); !slices.Equal(got, []string{"answer-request"}) {
			n.t.Errorf("tasks: %q", got)
		}
	})
}

func TestOfTwoQuickChoicesOnlyTheLastIsConfirmed(t *testing.T) {
	eachInn(t, func(n *inn) {
		i := n.find(anna)
		n.expect("at once", "notice to "+anna)
		n.choose(i, lost.ChoicePatch{Choice: lost.ChooseDonate})
		n.choose(i, lost.ChoicePatch{Choice: lost.ChooseLeave})
		n.settle()
		n.post.mu.Lock()
		defer n.post.mu.Unlock()
		if len(n.post.sent) != 1 || n.post.sent[0].Item.Status != lost.Discard {
			n.t.Errorf("confirmed %d times", len(n.post.sent))
		}
	})
}

func TestNobodyIsWrittenToInTheNameOfADisabledAccount(t *testing.T) {
	eachInn(t, func(n *inn) {
		n.find(anna)
		n.expect("at once", "notice to "+anna)
		n.find(bert)
		set := func(disabled bool) {
			n.t.Helper()
			if _, err := n.desk.SetAccountDisabled(n.t.Context(), n.actor.Account, disabled); err != nil {
				n.t.Fatal(err)
			}
		}
		set(true)
		n.until("2026-11-18 10:00")
		n.expect("disabled")
		set(false)
		n.until("2026-11-19 10:00")
		n.expect("enabled again", "reminder to "+anna)
	})
}

func TestChangedRulesReachEveryItem(t *testing.T) {
	eachInn(t, func(n *inn) {
		const items = 1100 // more than two pieces
		write(n.t, n.db, func(tx *store.Tx) error {
			for range items {
				i, err := lost.NewItem(n.actor.Account, n.where.ID, lost.ItemPatch{Description: lost.Set("Hat")}, tx.Now())
				if err != nil {
					return err
				}
				if err := tx.InsertItem(i); err != nil {
					return err
				}
			}
			return nil
		})
		n.expect("nothing to say")
		if _, err := n.desk.UpdateLocation(n.t.Context(), n.actor, n.where.ID, lost.LocationPatch{StorageDuration: lost.Set(0)}); err != nil {
			n.t.Fatal(err)
		}
		n.until("2026-11-16 00:00")
		n.settle()
		if list, err := n.desk.Tasks(n.t.Context(), n.actor, n.where.ID, lost.FirstPage()); err != nil || list.Count != items {
			n.t.Errorf("%d tasks of %d: %v", list.Count, items, err)
		}
	})
}
