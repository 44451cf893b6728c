package demo_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"homeward/internal/courier"
	"homeward/internal/demo"
	"homeward/internal/desk"
	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/message"
	"homeward/internal/outbox"
	"homeward/internal/payment"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	v1 "homeward/internal/v1"
	"homeward/internal/webhook"
)

// TestASmallDemoHasAllKindsOfData checks that a small demo contains the same kinds of data as a large one, and that
// the data is the same on every database.
func TestASmallDemoHasAllKindsOfData(t *testing.T) {
	var summaries []string
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		now := time.Date(2026, 11, 15, 14, 30, 0, 0, time.UTC)
		d := fillDemo(t, setting, now, 45)
		owner := ownerOf(t, d)
		summary, statuses := summarize(t, d, owner, now)
		summaries = append(summaries, summary)
		for _, s := range lost.Statuses() {
			if statuses[s] == 0 {
				t.Errorf("no item has the status %s", s)
			}
		}
		checkTasks(t, d, owner)
		checkDeliveries(t, d, owner)
		checkRegister(t, d, owner, now)
		if state, err := d.Accounts.Demo(t.Context()); err != nil ||
			state != (identity.Demo{Begun: true, Filled: true, Known: true}) {
			t.Errorf("the demo's state is %+v: %v", state, err)
		}
		clerk := demo.Users()[2]
		if in, err := d.Sessions.SignIn(t.Context(), clerk.Email, demo.Password, false, lost.Client{}); err != nil ||
			in.User.Role != clerk.Role || len(in.User.Locations) != 1 {
			t.Errorf("%s cannot log in, or is a %s at %v: %v", clerk.Email, in.User.Role, in.User.Locations, err)
		}
	})
	if len(summaries) == 2 && summaries[0] != summaries[1] {
		t.Errorf("the demo differs between databases:\n%s\n\n%s", summaries[0], summaries[1])
	}
}

// TestADemoCanBeFilledAtAnyHour fills demos at different hours. At night, most of the current day is in the future.
func TestADemoCanBeFilledAtAnyHour(t *testing.T) {
	for hour := 2; hour < 24; hour += 8 {
		fillDemo(t, t.TempDir()+"/homeward.db", time.Date(2026, 11, 15, hour, 7, 0, 0, time.UTC), 60)
	}
}

func TestADemoNeedsAnEmptyDatabase(t *testing.T) {
	setting := t.TempDir() + "/homeward.db"
	o := options(t, setting, time.Date(2026, 11, 15, 14, 30, 0, 0, time.UTC))
	if _, err := o.Services.Accounts.Create(t.Context(), "Somebody's"); err != nil {
		t.Fatal(err)
	}
	if err := demo.Fill(t.Context(), o); err == nil {
		t.Error("a demo was added to existing data")
	}
}

// fillDemo fills a database with a demo, and returns services whose clock is at the end of the demo.
func fillDemo(t *testing.T, setting string, now time.Time, finds int) *services.Services {
	t.Helper()
	o := options(t, setting, now)
	o.Items = finds
	last := 0
	o.OnProgress = func(done, all int) {
		if done != last+1 || all != finds {
			t.Errorf("progress %d of %d after %d", done, all, last)
		}
		last = done
	}
	if err := demo.Fill(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if last != finds {
		t.Errorf("created %d items, want %d", last, finds)
	}
	o.Clock.Advance(now)
	return o.Services
}

// options returns demo options with fake dependencies that store nothing.
func options(t *testing.T, setting string, now time.Time) demo.Options {
	t.Helper()
	clock := demo.NewClock(now)
	db := storetest.Open(t, setting, clock.Now)
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	messenger, err := message.New(message.Options{From: "lost@example.com", Base: "http://demo.example"})
	if err != nil {
		t.Fatal(err)
	}
	woken := &atomic.Bool{}
	wake := func() { woken.Store(true) }
	fakes := &outside{Receivers: &demo.Receivers{Clock: clock}}
	d := services.New(services.Options{
		DB: db, Wire: v1.Encoder{Base: "http://demo.example"}, Uploads: fakes, Hooks: fakes, Messenger: messenger,
		Carrier: courier.Tariff{Now: clock.Now}, PaymentProvider: payment.Test{Now: clock.Now},
		Documents: fakes, Files: fakes, Now: clock.Now, Wake: wake, WakeMessages: wake,
		WakeDeliveries: func(...store.EndpointQueue) { wake() }, Hashing: identity.Hashing{Memory: 8, Passes: 1},
	})
	b := outbox.New(outbox.Options{
		DB: db, Files: fakes, Hooks: fakes, Messenger: messenger, Shipments: d.ShippingSteps(),
		Log:     slog.New(slog.DiscardHandler),
		Observe: func(lost.DeliveryState, time.Duration) {},
	})
	return demo.Options{Services: d, Jobs: b, Woken: woken, Clock: clock, Receivers: fakes.Receivers, Items: 10}
}

// outside is a fake of all external dependencies: files, documents and webhook receivers.
type outside struct {
	*demo.Receivers
	names atomic.Int64
}

func (r *outside) NewName() string { return fmt.Sprintf("file-%d", r.names.Add(1)) }

func (r *outside) Receive(_ context.Context, in desk.IncomingPicture) (desk.Upload, error) {
	n, err := io.Copy(io.Discard, in.Content)
	return upload{lost.Image{
		File: r.NewName(), Thumbnail: "small", ContentType: "image/jpeg", Width: 4, Height: 3, Size: n,
	}}, err
}

func (*outside) Save(context.Context, string, []byte) error { return nil }
func (*outside) Delete(context.Context, ...string) error    { return nil }
func (*outside) Thumbnail(context.Context, string) error    { return nil }

// Blurred returns no picture.
func (*outside) Blurred(context.Context, string) ([]byte, error) { return nil, nil }

func (*outside) Verify(context.Context, string, bool) (desk.Verified, error) {
	return desk.Verified{}, nil
}
func (*outside) FindFacts(context.Context, string, io.Reader, int64) (lost.PhotoFacts, error) {
	return lost.PhotoFacts{}, nil
}
func (*outside) Read(context.Context, string, int64) ([]byte, error) {
	return []byte("%PDF"), nil
}

func (*outside) Print(lost.DocumentKind, lost.Shipment, lost.ParcelOrder) ([]byte, string, error) {
	return []byte("%PDF"), "A4", nil
}

func (*outside) Check(lost.Endpoint) lost.Problems { return nil }
func (*outside) NewSecret() string                 { return "whsec_" + strings.Repeat("A", 43) + "=" }
func (*outside) Timeout() time.Duration            { return time.Minute }
func (*outside) Delay(failures int) (time.Duration, bool) {
	return webhook.Delay(failures, webhook.RetryUnit)
}

type upload struct{ image lost.Image }

func (u upload) Image() lost.Image        { return u.image }
func (upload) Save(context.Context) error { return nil }
func (upload) Close()                     {}

// ownerOf returns the owner of the demo account.
func ownerOf(t *testing.T, d *services.Services) lost.Actor {
	t.Helper()
	in, err := d.Sessions.SignIn(t.Context(), demo.Users()[0].Email, demo.Password, false, lost.Client{})
	if err != nil {
		t.Fatal(err)
	}
	return in.Actor()
}

// summarize returns a description of the demo's data without random values, and the number of items by status. It
// also checks each item.
func summarize(t *testing.T, d *services.Services, by lost.Actor, now time.Time) (string, map[lost.Status]int) {
	t.Helper()
	var lines []string
	statuses := map[lost.Status]int{}
	for _, l := range locations(t, d, by) {
		for page := (lost.Page{Number: 1, Limit: lost.MaxLimit}); ; page.Number++ {
			list, err := d.Items.List(t.Context(), by, l.ID, lost.ItemFilter{Page: page})
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range list.Data {
				statuses[i.Status]++
				checkItem(t, d, by, i, now)
				lines = append(lines,
					fmt.Sprintln(l.Name, i.Source, i.Status, i.Description, i.Claim.State,
						i.CreatedAt.Format(time.DateTime), i.Owner.Address(), len(i.Images), i.Pickup.Date))
			}
			if !list.More() {
				break
			}
		}
	}
	return strings.Join(lines, ""), statuses
}

func locations(t *testing.T, d *services.Services, by lost.Actor) []lost.Location {
	t.Helper()
	list, err := d.Locations.List(t.Context(), by, lost.LocationFilter{Page: lost.FirstPage()})
	if err != nil || len(list.Data) != 3 {
		t.Fatalf("there are %d locations: %v", len(list.Data), err)
	}
	return list.Data
}

// nameOnItem matches a detail that contains the name on an item.
var nameOnItem = regexp.MustCompile(`(name[^:]*: .*|\{.*\})$`)

// checkItem checks that nothing is in the future, and that all e-mail addresses are fictional.
func checkItem(t *testing.T, d *services.Services, by lost.Actor, i lost.Item, now time.Time) {
	t.Helper()
	if i.CreatedAt.Before(now.AddDate(0, 0, -demo.Days)) || i.UpdatedAt.After(now) {
		t.Errorf("%s was recorded at %s and changed at %s", i.Description, i.CreatedAt, i.UpdatedAt)
	}
	if a := i.Owner.Email; a != "" && !strings.HasSuffix(a, "@example.com") {
		t.Errorf("%s may be a real address", a)
	}
	if named := nameOnItem.FindString(i.Description); named != "" && i.Owner.Known() && i.DisownedAt.IsZero() &&
		!strings.HasSuffix(named, " "+i.Owner.FirstName) && !strings.HasSuffix(named, ". "+i.Owner.LastName) {
		t.Errorf("%q is on an item that belongs to %s %s", named, i.Owner.FirstName, i.Owner.LastName)
	}
	list, err := d.Messages.ListOfItem(t.Context(), by, i.LocationID, i.ID, lost.FirstPage())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list.Data {
		if m.State != lost.MessageSaved && m.State != lost.MessageCanceled {
			t.Errorf("the %s message about %s is %s", m.Kind, i.Description, m.State)
		}
	}
}

func checkTasks(t *testing.T, d *services.Services, by lost.Actor) {
	t.Helper()
	var kinds []lost.TaskKind
	for _, l := range locations(t, d, by) {
		list, err := d.Reports.Tasks(t.Context(), by, l.ID, lost.Page{Number: 1, Limit: lost.MaxLimit})
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range list.Data {
			kinds = append(kinds, task.Kind)
		}
	}
	for _, want := range []lost.TaskKind{
		lost.AnswerTask, lost.ShipTask, lost.MissedTask, lost.DisownedTask, lost.OverdueTask,
	} {
		if !slices.Contains(kinds, want) {
			t.Errorf("no desk has the task %s: %v", want, kinds)
		}
	}
}

// checkRegister checks that a location has a public register with finds, and that a claimant has shared the link of a
// tracker.
func checkRegister(t *testing.T, d *services.Services, by lost.Actor, now time.Time) {
	t.Helper()
	var entries []lost.RegisterEntry
	tracked := 0
	for _, l := range locations(t, d, by) {
		for page := (lost.Page{Number: 1, Limit: lost.MaxLimit}); ; page.Number++ {
			list, err := d.Items.List(t.Context(), by, l.ID, lost.ItemFilter{Page: page})
			if err != nil {
				t.Fatal(err)
			}
			entries = append(entries, l.Register(list.Data, now)...)
			for _, i := range list.Data {
				if i.Claim.Tracker(now) != "" {
					tracked++
				}
			}
			if !list.More() {
				break
			}
		}
	}
	if len(entries) == 0 || tracked == 0 {
		t.Errorf("the public registers list %v, and %d requests have the link of a tracker", entries, tracked)
	}
}

func checkDeliveries(t *testing.T, d *services.Services, by lost.Actor) {
	t.Helper()
	endpoints, err := d.Webhooks.Endpoints(t.Context(), by, lost.FirstPage())
	if err != nil {
		t.Fatal(err)
	}
	states := map[lost.DeliveryState]int{}
	for _, e := range endpoints.Data {
		list, err := d.Webhooks.Deliveries(t.Context(), by,
			lost.DeliveryFilter{Endpoint: e.ID, Page: lost.Page{Number: 1, Limit: lost.MaxLimit}})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range list.Data {
			states[v.State]++
		}
	}
	if states[lost.DeliveryDelivered] == 0 || states[lost.DeliveryFailed] == 0 || states[lost.DeliveryPending] > 0 {
		t.Errorf("deliveries are %v", states)
	}
}
