package notify_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/courier"
	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/lost/notice"
	"homeward/internal/outbox"
	"homeward/internal/payment"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
)

// outgoing records messages to staff instead of sending them.
type outgoing struct {
	mu       sync.Mutex
	messages []notice.Message
	fail     error                // returned instead of sending
	before   func(notice.Message) // called before each message
	after    func()               // called after each message
}

func (*outgoing) Sends(lost.Channel) bool { return true }

func (*outgoing) ComposePush(m notice.Message) (title, body string) {
	return string(m.Kinds[0]), m.Lines[0].Item.Reference
}

func (o *outgoing) MailNotices(_ context.Context, m notice.Message) error {
	if o.before != nil {
		o.before(m)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.fail != nil {
		return o.fail
	}
	o.messages = append(o.messages, m)
	if o.after != nil {
		o.after()
	}
	return nil
}

// fixture is an account with a location, and a member of staff who gets notices.
type fixture struct {
	*testkit.Account
	by       lost.Actor
	location lost.Location
	staff    lost.User
	out      *outgoing
}

func each(t *testing.T, fn func(h *fixture)) {
	t.Helper()
	testkit.EachAccount(t, func(a *testkit.Account) {
		h := &fixture{Account: a, by: a.Owner.Actor(), out: &outgoing{}}
		h.Services = testkit.NewServices(a.DB, a.Clock, func(o *services.Options) { o.StaffMessenger = h.out })
		h.location = h.newLocation("Hotel Adler")
		h.staff = a.NewMember("ben", lost.DeskRole)
		fn(h)
	})
}

func (h *fixture) newLocation(name string) lost.Location {
	p := testkit.LocationNamed(name)
	p.TimeZone = lost.Set("Europe/Berlin")
	return testkit.Must(h.Services.Locations.Create(h.T.Context(), h.by, p, lost.IdempotencyKey{}))
}

// choose sets what the member of staff wants.
func (h *fixture) choose(change func(*notice.Settings), kinds ...notice.Kind) {
	h.T.Helper()
	s := notice.NewSettings(h.staff)
	s.TimeZone = "Europe/Berlin"
	for _, k := range kinds {
		s.Kinds[k] = notice.Choice{Email: notice.AtOnce}
	}
	if change != nil {
		change(&s)
	}
	h.Clock.Advance(time.Second)
	if err := h.Services.Notices.Change(h.T.Context(), h.staff.Actor(), s); err != nil {
		h.T.Fatal(err)
	}
	h.Clock.Advance(time.Second)
}

func daily(s *notice.Settings) {
	for k := range s.Kinds {
		s.Kinds[k] = notice.Choice{Email: notice.Daily}
	}
}

func (h *fixture) file(text string) lost.Item {
	h.T.Helper()
	h.Clock.Advance(time.Second)
	return testkit.Must(h.Services.Requests.File(h.T.Context(), h.by, h.location.ID, testkit.RequestFor(text),
		lost.IdempotencyKey{}))
}

func (h *fixture) find(p lost.ItemPatch) lost.Item {
	h.T.Helper()
	return testkit.Must(h.Services.Items.Create(h.T.Context(), h.by, h.location.ID, p, lost.IdempotencyKey{}))
}

// settle waits until all events are visible. On PostgreSQL, they are listed when earlier transactions of the whole
// server have ended, including those of other tests.
func (h *fixture) settle() {
	h.T.Helper()
	all := lost.EventFilter{Types: []lost.EventType{lost.AllEvents}, Page: lost.Page{Number: 1, Limit: 1000}}
	want := len(testkit.Must(h.DB.Events(h.T.Context(), h.by.Account, all)).Data)
	ctx, cancel := context.WithTimeout(h.T.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for len(testkit.Must(h.DB.EventChanges(ctx, h.by.Account, all, time.Time{})).Data) < want {
		<-tick.C
	}
}

func (h *fixture) run() {
	h.T.Helper()
	h.settle()
	if err := h.Services.Notices.RunOnce(h.T.Context()); err != nil {
		h.T.Fatal(err)
	}
}

// sent returns the messages that were sent since the last call, each with the kinds and references of its lines.
func (h *fixture) sent() (all []string) {
	h.run()
	for _, m := range h.out.messages {
		text := m.User.Email + ":"
		for _, l := range m.Lines {
			text += " " + string(l.Kind) + " " + l.Item.Description
		}
		if m.Reported != nil {
			text += " report " + m.Reported.Period.From
		}
		all = append(all, text)
	}
	h.out.messages = nil
	return all
}

func (h *fixture) expect(when string, want ...string) {
	h.T.Helper()
	if got := h.sent(); !slices.Equal(got, want) {
		h.T.Errorf("%s: got %q, want %q", when, got, want)
	}
}

// likelyMatch records that found items are the likely matches for a request.
func (h *fixture) likelyMatch(request lost.Item, found ...lost.Item) {
	h.T.Helper()
	h.Clock.Advance(time.Second)
	var matches []lost.Match
	for _, i := range found {
		matches = append(matches, lost.Match{RequestID: request.ID, ItemID: i.ID, Likelihood: lost.Likely, Other: i})
	}
	testkit.Must(0, h.DB.Write(h.T.Context(), func(tx *store.Tx) error {
		if err := tx.SaveSuggestions(request, matches); err != nil {
			return err
		}
		return tx.SetTasks(request, []lost.TaskKind{lost.MatchTask})
	}))
}

// pay sets an item to the status after a payment, without an address, so that no label is bought.
func (h *fixture) pay(i lost.Item) {
	testkit.Must(h.Services.Items.SetStatus(h.T.Context(), h.by, i.LocationID, i.ID,
		lost.MovePatch{Status: lost.Set(string(lost.FeePaid))}))
}

// answer writes a message as the owner of an item.
func (h *fixture) answer(i lost.Item, text string) {
	link, found, err := h.DB.LinkForAddress(h.T.Context(), i.Account, i.ID, i.Owner.Address())
	if err != nil || !found {
		h.T.Fatalf("no link: %v", err)
	}
	d := desk.Draft{Via: lost.ViaPage, ThreadPatch: lost.ThreadPatch{Text: lost.Set(text)}}
	if err := h.Services.Threads.WriteAsGuest(h.T.Context(), testkit.Must(h.DB.LinkToken(link)), d); err != nil {
		h.T.Fatal(err)
	}
}

// happen makes one thing of each kind happen, and returns the lines about them.
func (h *fixture) happen() []string {
	h.file("Scarf")
	request := h.file("Ring")
	h.likelyMatch(request, h.find(testkit.ItemDescribed("Ring")))
	umbrella := h.find(testkit.ItemOwnedBy("Umbrella", "anna@example.com"))
	h.answer(umbrella, "That is mine.")
	h.pay(h.find(testkit.ItemDescribed("Laptop")))
	return []string{"report Scarf", "report Ring", "match Ring", "answer Umbrella", "payment Laptop"}
}

func TestEveryKindIsSentAtOnceInOneMessage(t *testing.T) {
	each(t, func(h *fixture) {
		h.file("Before the choice")
		h.choose(nil, notice.Kinds()...)
		h.expect("before anything happens")
		lines := h.happen()
		h.run()
		if len(h.out.messages) != 1 {
			h.T.Fatalf("got %d messages, want 1", len(h.out.messages))
		}
		var got []string
		for _, l := range h.out.messages[0].Lines {
			got = append(got, string(l.Kind)+" "+l.Item.Description)
		}
		slices.Sort(got)
		slices.Sort(lines)
		if !slices.Equal(got, lines) {
			h.T.Errorf("got %q, want %q", got, lines)
		}
		h.out.messages = nil
		h.Clock.Advance(time.Hour)
		h.expect("an hour later")
	})
}

func TestNobodyHearsOfWhatHappenedBeforeTheirChoice(t *testing.T) {
	each(t, func(h *fixture) {
		staff := h.staff
		h.staff = h.Owner
		h.choose(nil, notice.Report)
		h.file("Scarf")
		h.staff = staff
		h.choose(nil, notice.Report)
		h.file("Ring")
		got := h.sent()
		slices.Sort(got)
		want := []string{"ben@hotel.example: report Ring", "owner@hotel.example: report Scarf report Ring"}
		if !slices.Equal(got, want) {
			h.T.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestADigestIsSentOnceADayAndNotWithoutContent(t *testing.T) {
	each(t, func(h *fixture) {
		h.choose(daily, notice.Kinds()[:5]...)
		lines := h.happen()
		h.expect("immediately")
		for range 48 {
			h.Clock.Advance(30 * time.Minute)
			h.run()
		}
		if len(h.out.messages) != 1 || len(h.out.messages[0].Lines) != len(lines) {
			h.T.Errorf("got %d messages in a day, want 1: %+v", len(h.out.messages), h.out.messages)
		}
		h.out.messages = nil
		h.Clock.Advance(24 * time.Hour)
		h.expect("the next day")
	})
}

func TestStorageIsANoticeBeforeTheLastDay(t *testing.T) {
	each(t, func(h *fixture) {
		_, err := h.Services.Locations.Update(h.T.Context(), h.by, h.location.ID,
			lost.LocationPatch{StorageDuration: lost.Set(30)})
		if err != nil {
			h.T.Fatal(err)
		}
		h.choose(nil, notice.Storage)
		today := h.Clock.Now().In(h.location.Zone())
		found := func(text string, daysAgo int) lost.Item {
			p := testkit.ItemDescribed(text)
			p.DiscoveryDate = lost.Set(today.AddDate(0, 0, -daysAgo).Format(lost.DateLayout))
			return h.find(p)
		}
		found("tomorrow", 29) // recorded too late for a notice on the day before
		found("in three days", 27)
		found("overdue", 31)
		extended := found("extended", 40)
		_, _, err = h.Services.Storage.KeepLonger(h.T.Context(), h.by, h.location.ID, []string{extended.ID},
			lost.KeepPatch{Until: today.AddDate(0, 0, 3).Format(lost.DateLayout)})
		if err != nil {
			h.T.Fatal(err)
		}
		held := found("on hold", 29)
		testkit.Must(h.Services.Storage.Hold(h.T.Context(), h.by, h.location.ID, []string{held.ID}, "police"))
		h.expect("today")
		h.Clock.Advance(24 * time.Hour)
		h.expect("tomorrow", "ben@hotel.example: storage tomorrow")
		h.Clock.Advance(time.Hour)
		h.expect("an hour later")
		h.Clock.Advance(24 * time.Hour)
		got := h.sent()
		if len(got) != 1 || !strings.Contains(got[0], "storage in three days") ||
			!strings.Contains(got[0], "storage extended") {
			h.T.Errorf("on the day before the last one: got %q", got)
		}
		h.Clock.Advance(24 * time.Hour)
		h.expect("on the last day")
	})
}

// A change of rules that moves the end a little tells nobody twice; people are told again if it is much later.
func TestAChangeOfRulesTellsStaffOnce(t *testing.T) {
	each(t, func(h *fixture) {
		jobs := outbox.New(outbox.Options{
			DB: h.DB, Log: slog.New(slog.DiscardHandler), Clearances: h.Services.Storage,
			Observe: func(lost.DeliveryState, time.Duration) {},
		})
		h.choose(nil, notice.Storage)
		i := h.find(testkit.ItemDescribed("Umbrella"))
		start := h.location.Day(h.Clock.Now())
		rule := func(days int) {
			h.T.Helper()
			testkit.Must(h.Services.Locations.Update(h.T.Context(), h.by, h.location.ID, lost.LocationPatch{
				KeepingRules: lost.Set([]lost.KeepingRule{{Days: days, Then: lost.ThenDonate}}),
			}))
			for testkit.Must(jobs.RunOnce(h.T.Context())) > 0 {
				h.Clock.Advance(time.Millisecond)
			}
			now := testkit.Must(h.Services.Items.Get(h.T.Context(), h.by, h.location.ID, i.ID))
			if now.StoreUntil() != lost.AddDays(start, days) {
				h.T.Fatalf("%d days: stored until %s", days, now.StoreUntil())
			}
		}
		advanceTo := func(days int) {
			for h.location.Day(h.Clock.Now()) < lost.AddDays(start, days) {
				h.Clock.Advance(6 * time.Hour)
			}
		}
		rule(5)
		h.expect("at creation")
		advanceTo(4)
		h.expect("a day before the end", "ben@hotel.example: storage Umbrella")
		rule(7)
		advanceTo(6)
		h.expect("a day before an end that was moved by two days")
		rule(45)
		advanceTo(44)
		h.expect("a day before a much later end", "ben@hotel.example: storage Umbrella")
	})
}

// The notice arrives in time even if the daily e-mail was just sent when the day before the last one begins.
func TestADailyEmailAboutStorageArrivesBeforeTheLastDay(t *testing.T) {
	each(t, func(h *fixture) {
		testkit.Must(h.Services.Locations.Update(h.T.Context(), h.by, h.location.ID,
			lost.LocationPatch{StorageDuration: lost.Set(3)}))
		h.choose(func(s *notice.Settings) {
			daily(s)
			s.DigestHour = 0
		}, notice.Storage)
		i := h.find(testkit.ItemDescribed("Umbrella"))
		last := testkit.Must(time.ParseInLocation(lost.DateLayout, i.StoreUntil(), h.location.Zone()))
		for h.Clock.Now().Before(last) {
			h.run()
			if len(h.out.messages) > 0 {
				h.T.Fatalf("got a notice at %s, two days before the end", h.Clock.Now())
			}
			h.Clock.Advance(min(time.Hour, max(time.Minute, last.Sub(h.Clock.Now()))))
		}
		h.expect("when the last day begins", "ben@hotel.example: storage Umbrella")
	})
}

// failingCarrier sells no labels while it is down.
type failingCarrier struct {
	courier.Tariff
	down bool
}

func (c *failingCarrier) Prepare(ctx context.Context, s lost.Shipment,
	o lost.ParcelOrder) (lost.Quote, lost.Postage, error) {
	if c.down {
		return lost.Quote{}, lost.Postage{}, lost.E(lost.Unavailable, "Try again later.")
	}
	return c.Tariff.Prepare(ctx, s, o)
}

// blankPrinter prints empty documents.
type blankPrinter struct{}

func (blankPrinter) Print(lost.DocumentKind, lost.Shipment, lost.ParcelOrder) ([]byte, string, error) {
	return []byte("%PDF"), "A4", nil
}

// People are told when the fee is paid, not when the carrier has sold the label.
func TestAPaymentIsANoticeWhileTheCarrierFails(t *testing.T) {
	each(t, func(h *fixture) {
		carrier := &failingCarrier{Tariff: courier.Tariff{Now: h.Clock.Now}, down: true}
		h.Services = testkit.NewServices(h.DB, h.Clock, func(o *services.Options) {
			o.StaffMessenger, o.Carrier, o.Documents = h.out, carrier, blankPrinter{}
			o.PaymentProvider = payment.Test{Now: h.Clock.Now}
		})
		testkit.Must(h.Services.Locations.Update(h.T.Context(), h.by, h.location.ID, lost.LocationPatch{
			Address1: lost.Set("Unter den Linden 1"), City: lost.Set("Berlin"), ZipCode: lost.Set("10117"),
			Country: lost.Set("DE"),
		}))
		h.choose(nil, notice.Payment)
		p := testkit.ItemOwnedBy("Umbrella", "anna@example.com")
		p.Shipping = lost.Set(lost.ShippingPatch{Weight: lost.Set(1.0), WeightUnit: lost.Set("kg")})
		i := h.find(p)
		paid := h.payAsGuest(i)
		h.expect("when the fee is paid", "ben@hotel.example: payment Umbrella")
		if _, err := h.Services.Labels.Ship(h.T.Context(), paid.Account, paid.Parcel.ShipmentID); err == nil {
			h.T.Error("the carrier does not fail")
		}
		h.expect("after the carrier failed")
		carrier.down = false
		for more := true; more; {
			h.Clock.Advance(time.Minute)
			more = testkit.Must(h.Services.Labels.Ship(h.T.Context(), paid.Account, paid.Parcel.ShipmentID))
		}
		paid = testkit.Must(h.DB.Item(h.T.Context(), i.Account, i.LocationID, i.ID))
		if len(paid.Parcel.Documents) == 0 {
			h.T.Errorf("the label was not bought: %+v", paid.Parcel)
		}
		h.expect("after the label was bought")
	})
}

// payAsGuest has the owner of an item choose shipping and pay, and returns the item.
func (h *fixture) payAsGuest(i lost.Item) lost.Item {
	h.T.Helper()
	link, found, err := h.DB.LinkForAddress(h.T.Context(), i.Account, i.ID, i.Owner.Address())
	if err != nil || !found {
		h.T.Fatalf("no link: %v", err)
	}
	token := testkit.Must(h.DB.LinkToken(link))
	testkit.Must(h.Services.Guests.Choose(h.T.Context(), token, lost.ChoicePatch{
		Choice: lost.ChooseShip, Recipient: lost.RecipientPatch{
			Name: lost.Set("Anna Arden"), Address1: lost.Set("1 High Street"), City: lost.Set("Munich"),
			ZipCode: lost.Set("80331"), Country: lost.Set("DE"),
		},
	}))
	bill := testkit.Must(h.Services.Payments.Bill(h.T.Context(), token))
	testkit.Must(h.Services.Payments.Checkout(h.T.Context(), token, bill.Shipment.Offers[0].Key(), "en"))
	return testkit.Must(h.Services.Payments.PayTest(h.T.Context(), token)).Item
}

// Other changes of the status are no payments, however many there are.
func TestAPaymentAmongManyChangesIsANotice(t *testing.T) {
	each(t, func(h *fixture) {
		h.choose(nil, notice.Payment)
		i := h.find(testkit.ItemDescribed("Laptop"))
		for range lost.MaxLimit {
			for _, s := range []lost.Status{lost.Donate, lost.Pending} {
				testkit.Must(h.Services.Items.SetStatus(h.T.Context(), h.by, i.LocationID, i.ID,
					lost.MovePatch{Status: lost.Set(string(s))}))
			}
		}
		h.pay(i)
		h.expect("in one pass", "ben@hotel.example: payment Laptop")
	})
}

func TestQuietHoursDelayAndCombine(t *testing.T) {
	each(t, func(h *fixture) {
		now := h.Clock.Now().In(h.location.Zone())
		h.choose(func(s *notice.Settings) {
			s.QuietFrom = now.Add(-time.Hour).Format(lost.TimeLayout)
			s.QuietTo = now.Add(2 * time.Hour).Format(lost.TimeLayout)
		}, notice.Report)
		h.file("One")
		h.expect("in the quiet hours")
		h.Clock.Advance(time.Hour)
		h.file("Two")
		h.expect("later in the quiet hours")
		h.Clock.Advance(time.Hour)
		h.expect("after them", "ben@hotel.example: report One report Two")
	})
}

// What a colleague has done in the quiet hours is no longer worth a notice.
func TestWhatIsDoneIsLeftOut(t *testing.T) {
	each(t, func(h *fixture) {
		now := h.Clock.Now().In(h.location.Zone())
		h.choose(func(s *notice.Settings) {
			s.QuietFrom = now.Add(-time.Hour).Format(lost.TimeLayout)
			s.QuietTo = now.Add(2 * time.Hour).Format(lost.TimeLayout)
		}, notice.Match, notice.Storage)
		testkit.Must(h.Services.Locations.Update(h.T.Context(), h.by, h.location.ID,
			lost.LocationPatch{StorageDuration: lost.Set(30)}))
		var items []lost.Item
		for _, text := range []string{"Ring", "Watch", "Hat", "Scarf"} {
			p := testkit.ItemDescribed(text)
			if text == "Hat" || text == "Scarf" {
				p.DiscoveryDate = lost.Set(now.AddDate(0, 0, -29).Format(lost.DateLayout))
			}
			items = append(items, h.find(p))
		}
		ring, watch := h.file("Ring"), h.file("Watch")
		h.likelyMatch(ring, items[0])
		h.likelyMatch(watch, items[1])
		h.Clock.Advance(23 * time.Hour) // the quiet hours of the next day
		h.expect("in the quiet hours")
		testkit.Must(h.Services.Requests.Decide(h.T.Context(), h.by, h.location.ID, ring.ID,
			lost.DecisionPatch{Type: lost.Set(lost.Accept), ItemID: lost.Set(items[0].ID)}))
		testkit.Must(h.Services.Items.SetStatus(h.T.Context(), h.by, h.location.ID, items[2].ID,
			lost.MovePatch{Status: lost.Set("DONATE")}))
		h.Clock.Advance(4 * time.Hour)
		got := h.sent()
		if len(got) != 1 || len(strings.Fields(got[0])) != 5 || !strings.Contains(got[0], "match Watch") ||
			!strings.Contains(got[0], "storage Scarf") {
			h.T.Errorf("after them: got %q, want the watch and the scarf", got)
		}
	})
}

func TestWhoMayNotSeeItGetsNothing(t *testing.T) {
	for name, lose := range map[string]func(h *fixture){
		"disabled": func(h *fixture) {
			testkit.Must(h.Services.Team.SetMemberDisabled(h.T.Context(), h.by, h.staff.ID, true))
		},
		"another role":     func(h *fixture) { h.assign(lost.LoggerRole, nil) },
		"another location": func(h *fixture) { h.assign(lost.DeskRole, []string{h.newLocation("Airport").ID}) },
		"stopped":          func(h *fixture) { h.choose(nil) },
		"other locations chosen": func(h *fixture) {
			other := h.newLocation("Airport").ID
			h.choose(func(s *notice.Settings) { s.Locations = []string{other} }, notice.Report)
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(h *fixture) {
				h.choose(daily, notice.Report)
				h.file("Scarf")
				h.expect("while the notice waits")
				lose(h)
				h.Clock.Advance(24 * time.Hour)
				h.expect("when it is due")
			})
		})
	}
}

func (h *fixture) assign(role lost.Role, locations []string) {
	h.T.Helper()
	testkit.Must(0, h.DB.Write(h.T.Context(), func(tx *store.Tx) error {
		u, err := tx.LockUser(h.staff.Account, h.staff.ID)
		if err != nil {
			return err
		}
		u.Role, u.Locations = role, locations
		return tx.SaveUser(u)
	}))
}

func TestOneClickStopsTheKindsOfAnEmail(t *testing.T) {
	each(t, func(h *fixture) {
		h.choose(nil, notice.Report, notice.Answer)
		h.file("Scarf")
		h.run()
		stop := h.out.messages[0].StopURL
		h.out.messages = nil
		_, rest, _ := strings.Cut(stop, "/notices/stop/")
		token, query, _ := strings.Cut(rest, "?")
		if query != "kind=report" {
			h.T.Errorf("got the query %q", query)
		}
		from := testkit.ClientAt("192.0.2.1")
		for range 2 { // it is idempotent
			err := h.Services.Notices.StopEmails(h.T.Context(), token, []notice.Kind{notice.Report}, from)
			h.ExpectCode(err, "", "stop")
		}
		if got := h.AuditNotes(lost.PersonChanged); len(got) != 2 { // the choice, and the first click
			h.T.Errorf("got the audit log %q", got)
		}
		h.file("Ring")
		h.answer(h.find(testkit.ItemOwnedBy("Umbrella", "anna@example.com")), "Mine.")
		h.expect("after the kind was stopped", "ben@hotel.example: answer Umbrella")
		h.ExpectCode(h.Services.Notices.StopEmails(h.T.Context(), token, nil, from), "", "stop all")
		h.answer(h.find(testkit.ItemOwnedBy("Bag", "anna@example.com")), "Mine.")
		h.expect("after all were stopped")
		for _, forged := range []string{"", token + "x", strings.Replace(token, h.staff.ID, h.Owner.ID, 1)} {
			h.ExpectCode(h.Services.Notices.StopEmails(h.T.Context(), forged, nil, from), lost.NotFound, "forged")
		}
	})
}

func TestFailedMessagesAreRetriedAndGivenUp(t *testing.T) {
	each(t, func(h *fixture) {
		h.choose(nil, notice.Report)
		h.file("Scarf")
		h.out.fail = errors.New("no connection")
		h.expect("while the mail server is down")
		h.out.fail = nil
		h.expect("too early")
		h.Clock.Advance(time.Minute)
		h.expect("after a minute", "ben@hotel.example: report Scarf")

		h.file("Ring")
		h.out.fail = lost.E(lost.Invalid, "There is no such mailbox.")
		h.expect("rejected")
		h.out.fail = nil
		h.Clock.Advance(48 * time.Hour)
		h.expect("after it was rejected")
	})
}

// A notice that is given up after its last attempt does not take newer ones in the same e-mail with it.
func TestGivingUpANoticeKeepsNewerOnes(t *testing.T) {
	each(t, func(h *fixture) {
		const attempts = 8
		h.choose(nil, notice.Report)
		h.file("Scarf")
		h.out.fail = errors.New("no connection")
		for n := range attempts {
			if n == attempts-1 {
				h.file("Ring")
			}
			h.expect("while the mail server is down")
			h.Clock.Advance(24 * time.Hour)
		}
		h.out.fail = nil
		h.expect("when it is up again", "ben@hotel.example: report Ring")
	})
}

func TestAnEmailHasAtMostFiftyLines(t *testing.T) {
	each(t, func(h *fixture) {
		h.choose(daily, notice.Report)
		for range notice.MaxLines + 3 {
			h.file("Scarf")
		}
		h.run()
		h.Clock.Advance(24 * time.Hour)
		h.run()
		if len(h.out.messages) != 1 || len(h.out.messages[0].Lines) != notice.MaxLines || h.out.messages[0].More != 3 {
			h.T.Errorf("got %+v", h.out.messages)
		}
	})
}

func TestTheMonthlyReportHasTheFiguresOfTheMonth(t *testing.T) {
	each(t, func(h *fixture) {
		h.find(testkit.ItemDescribed("Umbrella"))
		h.choose(nil, notice.Monthly)
		month := h.Clock.Now().In(h.location.Zone()).Format("2006-01") + "-01"
		for days := range 40 {
			h.Clock.Advance(24 * time.Hour)
			h.run()
			if len(h.out.messages) > 0 && days < 10 {
				break
			}
		}
		if len(h.out.messages) != 1 || h.out.messages[0].Reported == nil {
			h.T.Fatalf("got %+v, want one report", h.out.messages)
		}
		m := h.out.messages[0]
		if m.Reported.Period.From != month || m.Reported.Items.Found != 1 {
			h.T.Errorf("got %d items found from %s, want 1 from %s", m.Reported.Items.Found, m.Reported.Period.From,
				month)
		}
		if !strings.HasPrefix(m.Path, "/at/all/reports?from="+month) {
			h.T.Errorf("got a link to %s", m.Path)
		}
	})
}

// The report of some of the locations links to their figures, not to those of all.
func TestTheMonthlyReportOfSomeLocationsLinksToThem(t *testing.T) {
	each(t, func(h *fixture) {
		airport, zoo := h.newLocation("Airport"), h.newLocation("Zoo")
		h.choose(func(s *notice.Settings) { s.Locations = []string{airport.ID, zoo.ID} }, notice.Monthly)
		for range 40 {
			h.Clock.Advance(24 * time.Hour)
			h.run()
		}
		if len(h.out.messages) == 0 {
			h.T.Fatal("got no report")
		}
		m := h.out.messages[0]
		if !slices.Equal(m.Where, []string{"Airport", "Zoo"}) || !strings.HasPrefix(m.Path, "/at/all/reports?from=") ||
			!strings.Contains(m.Path, "&location="+airport.ID+"&location="+zoo.ID+"&to=") {
			h.T.Errorf("got a report on %q with a link to %s", m.Where, m.Path)
		}
	})
}

// The report of a location without items says so. There is none of a location that was deleted.
func TestTheMonthlyReportIsSentWithoutItems(t *testing.T) {
	each(t, func(h *fixture) {
		empty := h.newLocation("Airport")
		h.find(testkit.ItemDescribed("Umbrella"))
		h.choose(func(s *notice.Settings) { s.Locations = []string{empty.ID} }, notice.Monthly)
		for range 40 {
			h.Clock.Advance(24 * time.Hour)
			h.run()
		}
		if len(h.out.messages) == 0 || h.out.messages[0].Reported == nil {
			h.T.Fatalf("got %+v, want a report", h.out.messages)
		}
		m := h.out.messages[0]
		if m.Reported.Items.Found != 0 || !slices.Equal(m.Where, []string{"Airport"}) ||
			!strings.HasPrefix(m.Path, "/at/"+empty.ID+"/reports?from=") {
			h.T.Errorf("got %d items found at %q, and a link to %s", m.Reported.Items.Found, m.Where, m.Path)
		}
		h.out.messages = nil
		if err := h.Services.Locations.Delete(h.T.Context(), h.by, empty.ID); err != nil {
			h.T.Fatal(err)
		}
		h.Clock.Advance(40 * 24 * time.Hour)
		h.expect("without a location")
	})
}

// Nobody has asked for notices, so the events are not even read.
func TestEventsWithoutSubscribersCostNothing(t *testing.T) {
	each(t, func(h *fixture) {
		for range 20 {
			h.file("Scarf")
		}
		ctx, statements := storetest.RecordStatements(h.T.Context())
		if err := h.Services.Notices.RunOnce(ctx); err != nil {
			h.T.Fatal(err)
		}
		if got := statements(); len(got) > 3 {
			h.T.Errorf("got %d statements, want 3: %q", len(got), got)
		}
	})
}
