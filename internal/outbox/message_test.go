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

	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/outbox"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	v1 "homeward/internal/v1"
)

// fakeMessenger records messages and returns the results that a test has set.
type fakeMessenger struct {
	mu    sync.Mutex
	mails []string
	sent  []lost.MessageData
	send  func(l lost.MessageData, handOver func() error) (lost.SendResult, error) // nil accepts every message
	state func() (lost.MessageState, string, error)
}

func (p *fakeMessenger) MailUser(_ context.Context, to, subject, text string) error {
	if strings.HasPrefix(to, "unknown@") {
		return lost.E(lost.Invalid, "There is no such mailbox.")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mails = append(p.mails, to+" "+subject+" "+text)
	return nil
}

func (p *fakeMessenger) Compose(lost.MessageData) (subject, text string, err error) {
	return "", "", nil
}

func (p *fakeMessenger) Sends(lost.Channel) bool { return true }

func (p *fakeMessenger) Send(_ context.Context, l lost.MessageData, handOver func() error) (lost.SendResult, error) {
	if p.send != nil {
		return p.send(l, handOver)
	}
	if err := handOver(); err != nil {
		return lost.SendResult{}, err
	}
	return p.take(l)
}

func (p *fakeMessenger) take(l lost.MessageData) (lost.SendResult, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent = append(p.sent, l)
	if l.Channel == lost.BySMS {
		return lost.SendResult{State: lost.MessageSent, ProviderID: "SM1"}, nil
	}
	return lost.SendResult{State: lost.MessageSent}, nil
}

func (p *fakeMessenger) DeliveryState(context.Context, lost.Message) (lost.MessageState, string, error) {
	return p.state()
}

// taken returns the kinds and recipients of the messages sent since the last call.
func (p *fakeMessenger) taken() []string {
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

// fixture is a location with its use cases, an outbox and a clock that the test controls.
type fixture struct {
	t         *testing.T
	db        *store.DB
	clock     *storetest.Clock
	desk      *services.Services
	actor     lost.Actor
	messenger *fakeMessenger
	out       *outbox.Outbox
	where     lost.Location
}

// eachFixture runs a test on every database. The location is in Berlin and keeps items for 30 days, and the clock
// starts at 13:00 on a Sunday.
func eachFixture(t *testing.T, fn func(n *fixture)) {
	t.Helper()
	clock := &storetest.Clock{}
	storetest.EachClock(t, clock.Now, func(t *testing.T, db *store.DB) {
		*clock = storetest.Clock{}
		n := &fixture{t: t, db: db, clock: clock, messenger: &fakeMessenger{}}
		n.desk = n.newServices()
		first, _, err := n.desk.Accounts.CreateFirst(t.Context(), identity.FirstSettings{})
		if err != nil {
			t.Fatal(err)
		}
		n.actor = first.Key.Actor()
		n.out = n.newInstance()
		n.where, err = n.desk.Locations.Create(t.Context(), n.actor, lost.LocationPatch{
			Name: lost.Set("Hotel Adler"), TimeZone: lost.Set("Europe/Berlin"), StorageDuration: lost.Set(30),
			Contact: lost.Set(lost.ContactPatch{Email: lost.Set("desk@adler.example")}),
		}, lost.IdempotencyKey{})
		if err != nil {
			t.Fatal(err)
		}
		fn(n)
	})
}

// newServices returns other use cases on the same database.
func (n *fixture) newServices() *services.Services {
	return services.New(services.Options{
		DB: n.db, Messenger: n.messenger, Wire: v1.Encoder{Base: "https://homeward.example"}, Now: n.clock.Now,
		Wake: func() {}, WakeMessages: func() {}, WakeDeliveries: func(...store.EndpointQueue) {},
		Hashing: identity.Hashing{Memory: 8, Passes: 1},
	})
}

// newInstance returns another outbox on the same database.
func (n *fixture) newInstance() *outbox.Outbox {
	return outbox.New(outbox.Options{
		DB: n.db, Files: newFiles(), Hooks: &hooks{}, Messenger: n.messenger, Base: "https://homeward.example",
		Log: discardLogger(), ReadsReplies: true,
		Observe: ignoreAttempt, KeepDeliveries: 30 * 24 * time.Hour,
	})
}

// createOwned creates an item with an owner.
func (n *fixture) createOwned(email string) lost.Item {
	n.t.Helper()
	i, err := n.desk.Items.Create(n.t.Context(), n.actor, n.where.ID, lost.ItemPatch{
		Description: lost.Set("Umbrella"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set(email)}),
	}, lost.IdempotencyKey{})
	if err != nil {
		n.t.Fatal(err)
	}
	return i
}

// runAll checks items and performs jobs until nothing is due.
func (n *fixture) runAll() {
	n.t.Helper()
	n.clock.Advance(time.Second) // two changes to a record must have different times
	for count := 1; count > 0; {
		checked, err := n.out.CheckItemsOnce(n.t.Context())
		if err != nil {
			n.t.Fatal(err)
		}
		done, err := n.out.RunOnce(n.t.Context())
		if err != nil {
			n.t.Fatal(err)
		}
		count = checked + done
	}
}

// expectSent performs everything that is due and checks which messages were sent.
func (n *fixture) expectSent(when string, want ...string) {
	n.t.Helper()
	n.runAll()
	if got := n.messenger.taken(); !slices.Equal(got, want) {
		n.t.Errorf("%s: sent %q, want %q", when, got, want)
	}
}

// advanceTo sets the clock to a time in the location's time zone.
func (n *fixture) advanceTo(local string) {
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

// move changes an item's status as a desk user would.
func (n *fixture) move(i lost.Item, p lost.MovePatch) {
	n.t.Helper()
	if _, err := n.desk.Items.SetStatus(n.t.Context(), n.actor, n.where.ID, i.ID, p); err != nil {
		n.t.Fatal(err)
	}
}

// choose makes the guest's choice through the link in their message.
func (n *fixture) choose(i lost.Item, p lost.ChoicePatch) {
	n.t.Helper()
	link, _, err := n.db.LinkForAddress(n.t.Context(), i.Account, i.ID, i.Owner.Address())
	if err != nil {
		n.t.Fatal(err)
	}
	token, err := n.db.LinkToken(link)
	if err != nil {
		n.t.Fatal(err)
	}
	if _, err := n.desk.Guests.Choose(n.t.Context(), token, p); err != nil {
		n.t.Fatal(err)
	}
}

// history returns the entries about messages in an item's history, newest first.
func (n *fixture) history(i lost.Item) []string {
	n.t.Helper()
	list, err := n.desk.Items.History(n.t.Context(), n.actor, n.where.ID, i.ID, lost.Page{Number: 1, Limit: 100})
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

// tasks returns the desk's tasks.
func (n *fixture) tasks() []string {
	n.t.Helper()
	list, err := n.desk.Reports.Tasks(n.t.Context(), n.actor, n.where.ID, lost.FirstPage())
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

func TestAnOwnerIsNotifiedOncePerAddress(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		i := n.createOwned(anna)
		n.expectSent("at creation", "notice to "+anna)
		update := func(o lost.OwnerPatch) {
			n.t.Helper()
			if _, err := n.desk.Items.Update(n.t.Context(), n.actor, n.where.ID, i.ID,
				lost.ItemPatch{Owner: lost.Set(o)}); err != nil {
				n.t.Fatal(err)
			}
		}
		update(lost.OwnerPatch{FirstName: lost.Set("Anna")})
		n.expectSent("a name")
		update(lost.OwnerPatch{Email: lost.Set(bert)})
		n.expectSent("another address", "notice to "+bert)
		update(lost.OwnerPatch{Email: lost.Set(anna)})
		n.expectSent("the first address again")
		update(lost.OwnerPatch{Email: lost.Clear[string](), Phone: lost.Set("+49 30 901820")})
		n.expectSent("a phone alone", "notice to +4930901820")
		if _, err := n.desk.Messages.Notify(n.t.Context(), n.actor, n.where.ID, i.ID,
			lost.IdempotencyKey{}); err != nil {
			n.t.Fatal(err)
		}
		n.expectSent("sent again", "notice to +4930901820")
		if got := n.history(i); len(got) != 4 || got[0] != "message-sent: notice by sms to +4930901820" {
			n.t.Errorf("history: %q", got)
		}
	})
}

// The notice of an item whose photos are being uploaded waits for them.
func TestANoticeWaitsForPhotos(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		_, err := n.desk.Items.Create(n.t.Context(), n.actor, n.where.ID, lost.ItemPatch{
			Description: lost.Set("Umbrella"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set(anna)}),
			PhotosFollow: true,
		}, lost.IdempotencyKey{})
		if err != nil {
			n.t.Fatal(err)
		}
		n.expectSent("while the photos are uploaded")
		n.clock.Advance(30 * time.Second)
		n.expectSent("afterwards", "notice to "+anna)
	})
}

func TestARefusedMessageIsInTheHistoryAndBecomesATask(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		n.messenger.send = func(_ lost.MessageData, handOver func() error) (lost.SendResult, error) {
			_ = handOver()
			return lost.SendResult{}, lost.E(lost.Invalid, "No such mailbox here.")
		}
		i := n.createOwned(anna)
		n.runAll()
		if got := n.history(i); len(got) != 1 ||
			got[0] != "message-failed: notice by email to anna@example.com: No such mailbox here." {
			n.t.Errorf("history: %q", got)
		}
		if got := n.tasks(); !slices.Equal(got, []string{"unreachable"}) {
			n.t.Errorf("tasks: %q", got)
		}
		n.messenger.send = nil
		n.clock.Advance(8 * 24 * time.Hour)
		n.expectSent("a week later, without a reminder", "digest to desk@adler.example")
		if _, err := n.desk.Messages.Notify(n.t.Context(), n.actor, n.where.ID, i.ID,
			lost.IdempotencyKey{}); err != nil {
			n.t.Fatal(err)
		}
		n.expectSent("the desk sends it again", "notice to "+anna)
		if got := n.tasks(); len(got) != 0 {
			n.t.Errorf("tasks: %q", got)
		}
	})
}

func TestAMessageThatCannotBeSentNowIsSentLater(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		n.messenger.send = func(lost.MessageData, func() error) (lost.SendResult, error) {
			return lost.SendResult{}, errors.New("connection refused")
		}
		i := n.createOwned(anna)
		n.expectSent("while the server is down")
		n.clock.Advance(time.Hour)
		n.expectSent("an hour later")
		n.messenger.send = nil
		n.clock.Advance(time.Hour)
		n.expectSent("after the server recovered", "notice to "+anna)
		if got := n.history(i); len(got) != 1 {
			n.t.Errorf("history: %q", got)
		}
	})
}

func TestAMessageThatCannotBeSentForThreeDaysIsGivenUp(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		n.messenger.send = func(lost.MessageData, func() error) (lost.SendResult, error) {
			return lost.SendResult{}, errors.New("connection refused")
		}
		i := n.createOwned(anna)
		for range 5 {
			n.runAll()
			n.clock.Advance(24 * time.Hour)
		}
		if got := n.history(i); len(got) != 1 || !strings.HasPrefix(got[0], "message-failed: notice") {
			n.t.Errorf("history: %q", got)
		}
	})
}

func TestRemindersFollowTheScheduleUntilTheOwnerChooses(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		n.createOwned(anna)
		unanswered := n.createOwned(bert)
		n.expectSent("at creation", "notice to "+anna, "notice to "+bert)
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
			{"2026-12-16 08:00", []string{"digest to desk@adler.example"}}, // items are kept until the 15th
		} {
			n.advanceTo(step.at)
			n.expectSent(step.at, step.want...)
		}
		if got := n.tasks(); !slices.Equal(got, []string{"store-until", "store-until"}) {
			n.t.Errorf("tasks: %q", got)
		}
		n.move(unanswered, lost.MovePatch{Status: lost.Set("DISCARD"), Closed: lost.Set(true)})
		n.runAll()
		if got := n.tasks(); !slices.Equal(got, []string{"store-until"}) {
			n.t.Errorf("tasks: %q", got)
		}
	})
}

func TestRemindersStopAsSoonAsTheOwnerChooses(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		i := n.createOwned(anna)
		n.expectSent("at creation", "notice to "+anna)
		n.advanceTo("2026-11-18 10:00")
		if _, err := n.out.CheckItemsOnce(n.t.Context()); err != nil { // adds the reminder but does not send it
			n.t.Fatal(err)
		}
		n.choose(i, lost.ChoicePatch{Choice: lost.ChooseDonate})
		n.expectSent("after the choice", "choice to "+anna)
		n.advanceTo("2027-01-01 10:00")
		n.expectSent("weeks later")
	})
}

func pickupOn(day string) lost.ChoicePatch {
	return lost.ChoicePatch{Choice: lost.ChoosePickUp, PickupDate: lost.Set(day), PickupTime: lost.Set("14:30")}
}

func TestAPickupHasAReminderAndAMissedMessage(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		i, j := n.createOwned(anna), n.createOwned(bert)
		n.expectSent("at creation", "notice to "+anna, "notice to "+bert)
		for _, each := range []lost.Item{i, j} {
			n.choose(each, pickupOn("2026-11-20"))
		}
		n.expectSent("chosen", "choice to "+anna, "choice to "+bert)
		n.choose(j, pickupOn("2026-11-24"))
		n.expectSent("postponed", "choice to "+bert)
		expectPickups := func(want ...string) { // checks that the desk sees only the pickups of the next few days
			n.t.Helper()
			var got []string
			for _, g := range must(n.desk.Reports.Today(n.t.Context(), n.actor, n.where.ID)) {
				for _, task := range g.Tasks {
					got = append(got, string(g.Kind)+" "+task.Item.Owner.Email)
				}
			}
			if !slices.Equal(got, want) || len(n.tasks()) > 0 {
				n.t.Errorf("pickups: %q, want %q; tasks: %q", got, want, n.tasks())
			}
		}
		expectPickups("pickup-next " + anna) // Bert's pickup is in nine days
		n.advanceTo("2026-11-16 08:00")
		n.expectSent("the next morning")
		expectPickups("pickup-next "+anna, "pickup-next "+bert)
		n.advanceTo("2026-11-19 10:00")
		n.expectSent("the day before", "pickup-soon to "+anna)
		n.advanceTo("2026-11-20 00:00")
		n.expectSent("the day begins")
		n.advanceTo("2026-11-20 09:00")
		n.expectSent("on the day", "digest to desk@adler.example")
		if got := n.tasks(); !slices.Equal(got, []string{"pickup-today"}) {
			n.t.Errorf("tasks on the day: %q", got)
		}
		n.advanceTo("2026-11-21 00:00")
		n.expectSent("at the end of the day")
		n.advanceTo("2026-11-21 09:00")
		n.expectSent("the next morning", "digest to desk@adler.example")
		if got := n.tasks(); !slices.Equal(got, []string{"pickup-missed"}) {
			n.t.Errorf("tasks: %q", got)
		}
		n.advanceTo("2026-11-21 10:00")
		n.expectSent("the day after", "pickup-missed to "+anna)
		n.advanceTo("2026-11-23 10:00")
		n.expectSent("the day before the other pickup", "digest to desk@adler.example", "pickup-soon to "+bert)
		n.move(j, lost.MovePatch{Status: lost.Set("PICKUP"), Closed: lost.Set(true)})
		n.move(i, lost.MovePatch{Status: lost.Set("PICKUP"), Closed: lost.Set(true)})
		n.advanceTo("2026-12-31 10:00")
		n.expectSent("both were collected")
		if got := n.tasks(); len(got) != 0 {
			n.t.Errorf("tasks: %q", got)
		}
	})
}

func TestOfSeveralMissedRemindersOnlyTheLastIsSent(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		n.createOwned(anna)
		n.expectSent("at creation", "notice to "+anna)
		n.advanceTo("2026-12-01 10:00") // the service was stopped until now
		n.expectSent("both reminders are due", "reminder to "+anna)
	})
}

func TestAReminderThatMayHaveBeenSentIsNotSentAgain(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		i := n.createOwned(anna)
		n.expectSent("at creation", "notice to "+anna)
		died := errors.New("killed")
		for _, c := range []struct {
			at      string
			outcome error
			retried bool
		}{
			{"2026-11-18 10:00", died, false},
			{"2026-11-22 10:00", lost.E(lost.Unavailable, "Try again later."), true},
		} {
			n.advanceTo(c.at)
			n.messenger.send = func(l lost.MessageData, handOver func() error) (lost.SendResult, error) {
				if err := handOver(); err != nil {
					return lost.SendResult{}, err
				}
				return lost.SendResult{}, c.outcome
			}
			n.runAll()
			n.messenger.send = nil
			n.clock.Advance(time.Hour)
			if c.retried {
				n.expectSent("after a temporary rejection", "reminder to "+anna)
			} else {
				n.expectSent("after an unknown outcome")
			}
		}
		if got := n.history(i); len(got) != 3 || !strings.HasSuffix(got[1], "not be sent again") {
			n.t.Errorf("history: %q", got)
		}
	})
}

// TestAReminderIsNotSentAgainIfItsWorkerDiedAfterSubmittingIt simulates a worker that dies after it has submitted a
// reminder but before it has finished the job. The job is due again when its lease expires.
func TestAReminderIsNotSentAgainIfItsWorkerDiedAfterSubmittingIt(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		i := n.createOwned(anna)
		n.expectSent("at creation", "notice to "+anna)
		n.advanceTo("2026-11-18 10:00")
		if _, err := n.out.CheckItemsOnce(n.t.Context()); err != nil {
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
			mine, err := tx.RecordSubmission(m, jobs[0])
			if !mine {
				n.t.Error("the submission was not recorded")
			}
			return err
		})
		n.expectSent("before the lease expires")
		n.clock.Advance(2 * time.Minute)
		n.expectSent("after the lease expired")
		if got := n.history(i); len(got) != 2 || !strings.HasSuffix(got[0], "not be sent again") {
			n.t.Errorf("history: %q", got)
		}
	})
}

func TestOtherMessagesMayBeSentTwiceRatherThanNever(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		n.createOwned(anna)
		n.messenger.send = func(l lost.MessageData, handOver func() error) (lost.SendResult, error) {
			_ = handOver()
			return lost.SendResult{}, errors.New("killed")
		}
		n.runAll()
		n.messenger.send = nil
		n.clock.Advance(time.Hour)
		n.expectSent("after an unknown outcome", "notice to "+anna)
	})
}

func TestAMessageThatIsNeverConfirmedIsSentThreeTimes(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		i := n.createOwned(anna)
		times := 0
		n.messenger.send = func(l lost.MessageData, handOver func() error) (lost.SendResult, error) {
			if err := handOver(); err != nil {
				return lost.SendResult{}, err
			}
			times++
			return lost.SendResult{}, errors.New("timeout")
		}
		for range 10 {
			n.runAll()
			n.clock.Advance(time.Hour)
		}
		if got := n.history(i); times != 3 || len(got) != 1 || !strings.HasSuffix(got[0], "not be sent again") {
			n.t.Errorf("sent %d times, history: %q", times, got)
		}
	})
}

func TestSeveralInstancesSendEachReminderOnce(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		const items = 60
		for k := range items {
			n.createOwned(fmt.Sprintf("guest%d@example.com", k))
		}
		n.runAll()
		n.messenger.taken()
		n.advanceTo("2026-11-18 10:00")
		var working sync.WaitGroup
		for range 3 {
			o := n.newInstance()
			working.Go(func() {
				for range 20 {
					_, _ = o.CheckItemsOnce(n.t.Context())
					_, _ = o.RunOnce(n.t.Context())
				}
			})
		}
		working.Wait()
		n.runAll()
		got := n.messenger.taken()
		if len(got) != items || len(slices.Compact(got)) != items {
			n.t.Errorf("got %d reminders, want %d", len(got), items)
		}
	})
}

func TestTheStateOfAnSMSIsTracked(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		i, err := n.desk.Items.Create(n.t.Context(), n.actor, n.where.ID, lost.ItemPatch{
			Description: lost.Set("Umbrella"), Owner: lost.Set(lost.OwnerPatch{Phone: lost.Set("+49 30 901820")}),
		}, lost.IdempotencyKey{})
		if err != nil {
			n.t.Fatal(err)
		}
		n.expectSent("at creation", "notice to +4930901820")
		n.messenger.state = func() (lost.MessageState, string, error) { return lost.MessageWaiting, "", nil }
		n.clock.Advance(2 * time.Minute)
		n.runAll()
		n.messenger.state = func() (lost.MessageState, string, error) {
			return lost.MessageFailed, "the number does not exist", nil
		}
		n.clock.Advance(10 * time.Minute)
		n.runAll()
		if got := n.history(i); len(got) != 2 ||
			got[0] != "message-failed: notice by sms to +4930901820: the number does not exist" {
			n.t.Errorf("history: %q", got)
		}
		if got := n.tasks(); !slices.Equal(got, []string{"unreachable"}) {
			n.t.Errorf("tasks: %q", got)
		}
	})
}

func TestAChangedScheduleAppliesToExistingItems(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		n.createOwned(anna)
		n.expectSent("at creation", "notice to "+anna)
		_, err := n.desk.Locations.Update(n.t.Context(), n.actor, n.where.ID, lost.LocationPatch{
			Reminders: lost.Set(lost.ReminderSchedulePatch{
				AfterNotice: lost.Set([]int{1}), BeforeStoreUntil: lost.Set([]int{}),
			}),
		})
		if err != nil {
			n.t.Fatal(err)
		}
		n.expectSent("changed")
		n.advanceTo("2026-11-16 10:00")
		n.expectSent("after a day", "reminder to "+anna)
		n.advanceTo("2026-12-15 10:00")
		n.expectSent("and no more")
	})
}

func TestADeskGetsADigestOnceADayWhileTasksAreOpen(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		i := n.createOwned(anna)
		n.expectSent("at creation", "notice to "+anna)
		n.move(i, lost.MovePatch{Status: lost.Set("FEE PAID")})
		n.expectSent("paid")
		for _, day := range []string{"2026-11-16 08:00", "2026-11-17 08:00"} {
			n.advanceTo(day)
			n.expectSent(day, "digest to desk@adler.example")
			n.clock.Advance(8 * time.Hour)
			n.expectSent("later that day")
		}
		n.move(i, lost.MovePatch{Status: lost.Set("SHIPPED")})
		n.advanceTo("2026-11-18 08:00")
		n.expectSent("shipped", "shipped to "+anna)
	})
}

func TestAGuestWhoDisownsAnItemGetsNoReminders(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		i := n.createOwned(anna)
		n.expectSent("at creation", "notice to "+anna)
		link, _, err := n.db.LinkForAddress(n.t.Context(), i.Account, i.ID, anna)
		if err != nil {
			n.t.Fatal(err)
		}
		token, err := n.db.LinkToken(link)
		if err != nil {
			n.t.Fatal(err)
		}
		for range 2 { // simulates a double tap
			if _, err := n.desk.Guests.Disown(n.t.Context(), token); err != nil {
				n.t.Fatal(err)
			}
		}
		n.expectSent("disowned")
		if got := n.tasks(); !slices.Equal(got, []string{"not-theirs"}) {
			n.t.Errorf("tasks: %q", got)
		}
		n.advanceTo("2026-11-18 10:00")
		n.expectSent("three days later", "digest to desk@adler.example")
	})
}

func TestAnOwnerIsNotifiedAfterACanceledNoticeWhenSetAgain(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		i := n.createOwned(anna)
		setOwner := func(email string) {
			n.t.Helper()
			if _, err := n.desk.Items.Update(n.t.Context(), n.actor, n.where.ID, i.ID,
				lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{Email: lost.Set(email)})}); err != nil {
				n.t.Fatal(err)
			}
		}
		setOwner(bert) // happens before the message to Anna is sent
		n.expectSent("another owner", "notice to "+bert)
		setOwner(anna)
		n.expectSent("Anna again", "notice to "+anna)
	})
}

func TestAClaimantWhoAlreadyOwnsTheItemIsNotifiedOfTheAcceptance(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		i := n.createOwned(anna)
		r, err := n.desk.Requests.File(n.t.Context(), n.actor, n.where.ID, lost.RequestPatch{
			Description: lost.Set("Umbrella"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set(anna)}),
		}, lost.IdempotencyKey{})
		if err != nil {
			n.t.Fatal(err)
		}
		n.expectSent("filed", "notice to "+anna, "request-received to "+anna)
		if _, err := n.desk.Requests.Decide(n.t.Context(), n.actor, n.where.ID, r.ID,
			lost.DecisionPatch{Type: lost.Set("accept"), ItemID: lost.Set(i.ID)}); err != nil {
			n.t.Fatal(err)
		}
		n.expectSent("accepted", "match to "+anna)
	})
}

func TestAClaimantIsNotifiedAtACorrectedAddress(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		n.messenger.send = func(_ lost.MessageData, handOver func() error) (lost.SendResult, error) {
			return lost.SendResult{}, lost.E(lost.Invalid, "No such mailbox here.")
		}
		r, err := n.desk.Requests.File(n.t.Context(), n.actor, n.where.ID, lost.RequestPatch{
			Description: lost.Set("Umbrella"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set(anna)}),
		}, lost.IdempotencyKey{})
		if err != nil {
			n.t.Fatal(err)
		}
		n.expectSent("refused")
		if got := n.tasks(); !slices.Equal(got, []string{"answer-request", "unreachable"}) {
			n.t.Errorf("tasks: %q", got)
		}
		n.messenger.send = nil
		if _, err := n.desk.Items.Update(n.t.Context(), n.actor, n.where.ID, r.ID,
			lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{Email: lost.Set(bert)})}); err != nil {
			n.t.Fatal(err)
		}
		n.expectSent("corrected", "request-received to "+bert)
		if got := n.tasks(); !slices.Equal(got, []string{"answer-request"}) {
			n.t.Errorf("tasks: %q", got)
		}
	})
}

func TestOfTwoQuickChoicesOnlyTheLastIsConfirmed(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		i := n.createOwned(anna)
		n.expectSent("at creation", "notice to "+anna)
		n.choose(i, lost.ChoicePatch{Choice: lost.ChooseDonate})
		n.choose(i, lost.ChoicePatch{Choice: lost.ChooseLeave})
		n.runAll()
		n.messenger.mu.Lock()
		defer n.messenger.mu.Unlock()
		if len(n.messenger.sent) != 1 || n.messenger.sent[0].Item.Status != lost.Discard {
			n.t.Errorf("sent %d confirmations, want only one, for the last choice", len(n.messenger.sent))
		}
	})
}

func TestADisabledAccountSendsNoMessages(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		n.createOwned(anna)
		n.expectSent("at creation", "notice to "+anna)
		n.createOwned(bert)
		set := func(disabled bool) {
			n.t.Helper()
			if _, err := n.desk.Accounts.SetDisabled(n.t.Context(), n.actor.Account, disabled); err != nil {
				n.t.Fatal(err)
			}
		}
		set(true)
		n.advanceTo("2026-11-18 10:00")
		n.expectSent("disabled")
		set(false)
		n.advanceTo("2026-11-19 10:00")
		n.expectSent("enabled again", "reminder to "+anna)
	})
}

func TestChangedRulesApplyToEveryItem(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		const items = 1100 // more than two batches
		write(n.t, n.db, func(tx *store.Tx) error {
			for range items {
				i, err := lost.NewItem(n.actor.Account, n.where.ID, lost.ItemPatch{Description: lost.Set("Hat")},
					tx.Now())
				if err != nil {
					return err
				}
				if err := tx.InsertItem(i); err != nil {
					return err
				}
			}
			return nil
		})
		n.expectSent("without changes")
		if _, err := n.desk.Locations.Update(n.t.Context(), n.actor, n.where.ID,
			lost.LocationPatch{StorageDuration: lost.Set(0)}); err != nil {
			n.t.Fatal(err)
		}
		n.advanceTo("2026-11-16 00:00")
		n.runAll()
		if list, err := n.desk.Reports.Tasks(n.t.Context(), n.actor, n.where.ID, lost.FirstPage()); err != nil ||
			list.Count != items {
			n.t.Errorf("got %d tasks, want %d; %v", list.Count, items, err)
		}
	})
}

// An owner can choose before the notice is sent, for example with the link that the desk has shown them while the mail
// server is down. The confirmation of the choice is then the only message, unless the desk sends the notice again.
func TestAnOwnerWhoHasAnsweredIsNotAskedToChoose(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		for name, answer := range map[string]struct {
			give func(i lost.Item)
			want []string
		}{
			"no answer": {func(lost.Item) {}, []string{"notice to " + anna}},
			"a choice": {func(i lost.Item) {
				n.choose(i, lost.ChoicePatch{
					Choice: lost.ChoosePickUp, PickupDate: lost.Set("2026-11-20"), PickupTime: lost.Set("14:00"),
				})
			}, []string{"choice to " + anna}},
			"not mine": {func(i lost.Item) {
				link, _, err := n.db.LinkForAddress(t.Context(), i.Account, i.ID, anna)
				if err != nil {
					t.Fatal(err)
				}
				token, err := n.db.LinkToken(link)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := n.desk.Guests.Disown(t.Context(), token); err != nil {
					t.Fatal(err)
				}
			}, nil},
			"a choice of the desk": {func(i lost.Item) {
				n.move(i, lost.MovePatch{Status: lost.Set("PICKUP")})
			}, []string{"notice to " + anna}},
		} {
			i := n.createOwned(anna)
			n.clock.Advance(time.Minute)
			answer.give(i)
			n.expectSent(name, answer.want...)
			if _, err := n.desk.Messages.Notify(t.Context(), n.actor, n.where.ID, i.ID,
				lost.IdempotencyKey{}); err != nil {
				t.Fatal(err)
			}
			n.expectSent(name+", sent again", "notice to "+anna)
		}
	})
}

// A request of the owner can be accepted before the notice is sent.
func TestAClaimantWhoIsTheOwnerIsToldOnce(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		request := n.fileRequest(anna)
		n.expectSent("the request", "request-received to "+anna)
		accept := func(request, i lost.Item) {
			if _, err := n.desk.Requests.Decide(t.Context(), n.actor, n.where.ID, request.ID,
				lost.DecisionPatch{Type: lost.Set(lost.Accept), ItemID: lost.Set(i.ID)}); err != nil {
				t.Fatal(err)
			}
		}
		accept(request, n.createOwned(anna))
		n.expectSent("before the notice", "match to "+anna)

		request = n.fileRequest(bert)
		i := n.createOwned(bert)
		n.expectSent("the notice", "notice to "+bert, "request-received to "+bert)
		accept(request, i)
		n.expectSent("after the notice", "match to "+bert)
	})
}
