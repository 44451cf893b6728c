package homeward_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	homeward "homeward/clients/go"
)

// tour calls every operation of a running service. HOMEWARD_URL and HOMEWARD_KEY name the service; the service's own
// tests start it.
type tour struct {
	*testing.T
	*homeward.Client
	ctx      context.Context
	location homeward.Location
}

func TestTour(t *testing.T) {
	address, key := os.Getenv("HOMEWARD_URL"), os.Getenv("HOMEWARD_KEY")
	if address == "" {
		t.Skip("HOMEWARD_URL names no service; the service's own tests run the tour")
	}
	client, err := homeward.New(address, key)
	if err != nil {
		t.Fatal(err)
	}
	tr := &tour{T: t, Client: client, ctx: t.Context()}
	tr.locations()
	tr.items()
	tr.changes()
	tr.bulk()
	tr.requests()
	tr.shipping()
	tr.webhooks()
	tr.persons()
	tr.keys()
	tr.sendBack()
	tr.must(client.DeleteLocation(tr.ctx, tr.location.ID))
}

func (t *tour) must(err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// must1 returns the response of a call that must succeed: must1(client.GetItem(…))(t).
func must1[T any](response T, err error) func(*tour) T {
	return func(t *tour) T {
		t.Helper()
		t.must(err)
		return response
	}
}

// until repeats a check until background work is done.
func (t *tour) until(what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	ctx, cancel := context.WithTimeout(t.ctx, time.Minute)
	defer cancel()
	for !done() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("timed out waiting until %s", what)
		}
	}
}

func photo() io.Reader {
	var out bytes.Buffer
	_ = png.Encode(&out, image.NewRGBA(image.Rect(0, 0, 40, 30))) // a buffer has no errors
	return bytes.NewReader(out.Bytes())
}

func (t *tour) locations() {
	t.location = must1(t.CreateLocation(t.ctx, homeward.LocationInput{
		Name: "Hotel Adler", Type: homeward.Set(homeward.LocationTypeHotel), City: homeward.Set("Hamburg"),
		Country: homeward.Set("DE"), Address1: homeward.Set("Hafenstraße 12"), ZipCode: homeward.Set("20457"),
		StorageDuration: homeward.Set(30),
		Contact:         homeward.Set(homeward.ContactInput{Email: homeward.Set("desk@example.com")}),
	}))(t)
	changed := must1(t.UpdateLocation(t.ctx, t.location.ID, homeward.LocationPatch{
		StorageDuration: homeward.Null[int](), Charity: homeward.Set("Red Cross"),
	}))(t)
	if changed.StorageDuration != nil || changed.Charity != "Red Cross" || changed.City != "Hamburg" {
		t.Errorf("after the change: %+v", changed)
	}
	must1(t.UpdateLocation(t.ctx, t.location.ID, homeward.LocationPatch{
		OpeningHours: homeward.Set([]homeward.OpeningHoursInput{
			{Days: []homeward.Weekday{homeward.WeekdayFri}, From: "10:00", To: "12:00"},
		}),
		Slots: homeward.Set(homeward.SlotsInput{Minutes: homeward.Set(30), Capacity: homeward.Set(2)}),
	}))(t)
	slots := must1(t.ListSlots(t.ctx, t.location.ID, homeward.ListSlotsQuery{From: "2036-11-17", To: "2036-11-23"}))(t)
	if len(slots.Data) != 4 || slots.Data[0].Time != "10:00" || slots.Data[0].Free != 2 {
		t.Errorf("the slots of a week: %+v", slots.Data)
	}
	must1(t.UploadLogo(t.ctx, t.location.ID, photo()))(t)
	if got := must1(t.GetLocation(t.ctx, t.location.ID))(t); got.LogoURL == "" {
		t.Error("the logo is missing")
	}
	seen := 0
	for location, err := range t.AllLocations(t.ctx, homeward.ListLocationsQuery{Term: "adler"}) {
		t.must(err)
		if location.ID == t.location.ID {
			seen++
		}
	}
	if seen != 1 {
		t.Errorf("the list has the location %d times", seen)
	}
	_, err := t.GetLocation(t.ctx, "loc_none")
	var problem *homeward.Problem
	if !errors.As(err, &problem) || problem.Code != homeward.ProblemCodeNotFound || problem.RequestID == "" {
		t.Errorf("a location that does not exist: %v", err)
	}
}

func (t *tour) newItem(description string) homeward.Item {
	t.Helper()
	return must1(t.CreateItem(t.ctx, t.location.ID, homeward.ItemInput{Description: description}))(t)
}

func (t *tour) items() {
	for range 12 {
		t.newItem("Umbrella")
	}
	item := t.newItem("Camera")
	must1(t.UploadImage(t.ctx, t.location.ID, item.ID, photo()))(t)
	item = must1(t.UpdateItem(t.ctx, t.location.ID, item.ID, homeward.ItemPatch{
		Brand: homeward.Set("Leica"), Owner: homeward.Set(homeward.OwnerInput{Email: homeward.Set("a@example.com")}),
	}))(t)
	if item.Brand != "Leica" || item.Owner.Email != "a@example.com" || len(item.Images) != 1 {
		t.Errorf("after the change: %+v", item)
	}
	must1(t.UpdateStatus(t.ctx, t.location.ID, item.ID, homeward.MoveInput{
		Status: homeward.ItemStatusPickup, PickupDate: homeward.Set("2036-11-20"), PickupTime: homeward.Set("14:30"),
	}))(t)
	if got := must1(t.GetItem(t.ctx, t.location.ID, item.ID))(t); got.Pickup == nil || got.Pickup.Time != "14:30" {
		t.Errorf("after the choice: %+v", got)
	}
	found := 0
	query := homeward.ListItemsQuery{Status: []homeward.ItemStatus{"PENDING", "PICKUP"}, Limit: 10}
	for _, err := range t.AllItems(t.ctx, t.location.ID, query) {
		t.must(err)
		found++
	}
	if found != 13 {
		t.Errorf("the iterator found %d items, want 13 on two pages", found)
	}
	ranked := must1(t.ListAllItems(t.ctx, homeward.ListAllItemsQuery{Q: "brolly"}))(t)
	if ranked.Exact == nil || *ranked.Exact != 0 || ranked.Total == 0 {
		t.Errorf("the search found %+v, want similar items", ranked)
	}
	must1(t.ListItems(t.ctx, t.location.ID, homeward.ListItemsQuery{Q: "umbrela"}))(t)
	must1(t.ListItems(t.ctx, t.location.ID, homeward.ListItemsQuery{OwnerState: "no-owner"}))(t)
	must1(t.ListAllItems(t.ctx, homeward.ListAllItemsQuery{OwnerState: "no-answer"}))(t)
	all := must1(t.ListAllItems(t.ctx, homeward.ListAllItemsQuery{Location: []string{t.location.ID}}))(t)
	if all.Total != 13 {
		t.Errorf("all locations have %d items", all.Total)
	}
	if list := must1(t.ListHistory(t.ctx, t.location.ID, item.ID, homeward.ListHistoryQuery{}))(t); list.Total < 3 {
		t.Errorf("the history has %d entries", list.Total)
	}
	must1(t.ListItemMatches(t.ctx, t.location.ID, item.ID, homeward.ListItemMatchesQuery{}))(t)
	must1(t.NotifyOwner(t.ctx, t.location.ID, item.ID))(t)
	must1(t.ListMessages(t.ctx, t.location.ID, item.ID, homeward.ListMessagesQuery{}))(t)
	must1(t.WriteItemThread(t.ctx, t.location.ID, item.ID, homeward.ThreadMessageInput{Text: "Light or dark?"}))(t)
	withPhoto := must1(t.WriteItemThread(t.ctx, t.location.ID, item.ID, homeward.ThreadMessageInput{Text: "This one?"},
		homeward.WithImages(photo(), photo())))(t)
	if len(withPhoto.Images) != 2 {
		t.Errorf("got %+v, want two images", withPhoto)
	}
	must1(t.ListItemThread(t.ctx, t.location.ID, item.ID, homeward.ListItemThreadQuery{}))(t)
	must1(t.RevokeLink(t.ctx, t.location.ID, item.ID))(t)
	must1(t.ListTasks(t.ctx, t.location.ID, homeward.ListTasksQuery{}))(t)
	t.must(t.DeleteItem(t.ctx, t.location.ID, item.ID))

	_, err := t.CreateItem(t.ctx, t.location.ID, homeward.ItemInput{
		Description: "Hat", Owner: homeward.Set(homeward.OwnerInput{Email: homeward.Set("nobody")}),
	})
	var problem *homeward.Problem
	if !errors.As(err, &problem) {
		t.Fatalf("an invalid e-mail address: %v", err)
	}
	if e, ok := problem.Field("owner.email"); !ok || e.Code != homeward.FieldCodeInvalidEmail {
		t.Errorf("an invalid e-mail address: %+v", problem)
	}
}

// changes reads an item only if it has changed, changes it only if nobody else has, and follows its deletion.
func (t *tour) changes() {
	id := t.newItem("Watch").ID
	var read, written homeward.Response
	must1(t.GetItem(t.ctx, t.location.ID, id, homeward.WithResponse(&read)))(t)
	_, err := t.GetItem(t.ctx, t.location.ID, id, homeward.WithIfNoneMatch(read.ETag()))
	if !errors.Is(err, homeward.ErrNotModified) {
		t.Errorf("an item that has not changed: %v", err)
	}
	patch := homeward.ItemPatch{Color: homeward.Set("gold")}
	must1(t.UpdateItem(t.ctx, t.location.ID, id, patch, homeward.WithIfMatch(read.ETag()),
		homeward.WithResponse(&written)))(t)
	_, err = t.UpdateItem(t.ctx, t.location.ID, id, patch, homeward.WithIfMatch(read.ETag()))
	var problem *homeward.Problem
	if !errors.As(err, &problem) || problem.Code != homeward.ProblemCodePreconditionFailed {
		t.Errorf("an item that somebody else has changed: %v", err)
	}
	t.must(t.DeleteItem(t.ctx, t.location.ID, id, homeward.WithIfMatch(written.ETag())))
	query := homeward.ListAllItemsQuery{UpdatedSince: time.Now().Add(-time.Hour)}
	t.until("the deleted item is listed", func() bool {
		for item, err := range t.AllItemsOfAllLocations(t.ctx, query) {
			t.must(err)
			if item.ID == id && item.Deleted != nil && *item.Deleted {
				return true
			}
		}
		return false
	})
}

// bulk records several items at once, gives them a status and hands one over, after its photos were sorted.
func (t *tour) bulk() {
	results := must1(t.CreateItems(t.ctx, t.location.ID, homeward.NewItemsInput{Items: []homeward.ItemInput{
		{Description: "Key ring"}, {Description: ""},
	}}))(t).Results
	if len(results) != 2 || results[0].Item == nil || results[1].Problem == nil {
		t.Fatalf("a good and a bad item: %+v", results)
	}
	id := results[0].Item.ID
	must1(t.UploadImage(t.ctx, t.location.ID, id, photo()))(t)
	images := must1(t.UploadImage(t.ctx, t.location.ID, id, photo()))(t).Images
	order := homeward.ImageOrderInput{Order: []string{images[1].ID, images[0].ID}}
	if sorted := must1(t.SortImages(t.ctx, t.location.ID, id, order))(t); sorted.Images[0].ID != images[1].ID {
		t.Errorf("after they were sorted: %+v", sorted.Images)
	}
	t.must(t.DeleteImage(t.ctx, t.location.ID, id, images[0].ID))
	moved := must1(t.UpdateItemsStatus(t.ctx, t.location.ID, homeward.BulkMoveInput{
		Ids: []string{id}, Status: homeward.ItemStatusPickup,
	}))(t).Results
	if len(moved) != 1 || moved[0].Item == nil || moved[0].Item.Status != homeward.ItemStatusPickup {
		t.Errorf("after the move: %+v", moved)
	}
	found := must1(t.ListStays(t.ctx, t.location.ID, homeward.ListStaysQuery{Room: "Room 207", Date: "2026-11-14"}))(t)
	if found.Room != "207" || len(found.Data) != 0 { // the location has no hotel system and no guest list
		t.Errorf("who stayed in the room: %+v", found)
	}
	var missing *homeward.Problem
	_, err := t.SetOwnerFromStay(t.ctx, t.location.ID, id, homeward.StayChoiceInput{StayID: "stay_none"})
	if !errors.As(err, &missing) || missing.Status != 404 {
		t.Errorf("an unknown stay: %v", err)
	}
	must1(t.HandOver(t.ctx, t.location.ID, id, homeward.HandOverInput{Recipient: "Anna Kowalska"}))(t)
}

func (t *tour) requests() {
	found := must1(t.CreateItem(t.ctx, t.location.ID, homeward.ItemInput{
		Description: "Black umbrella, duck head handle", Brand: homeward.Set("Knirps"),
	}))(t)
	file := func() homeward.Item {
		return must1(t.CreateRequest(t.ctx, t.location.ID, homeward.RequestInput{
			Description: "Black Knirps umbrella, its handle is a duck head", LostPlace: homeward.Set("Bar"),
			TrackerLink: homeward.Set("https://find.apple.com/item/0a1b2c"),
			Owner:       homeward.OwnerInput{Email: homeward.Set("zoe@example.com")},
		}))(t)
	}
	first, second := file(), file()
	t.until("matches are found", func() bool {
		query := homeward.ListRequestMatchesQuery{}
		list := must1(t.ListRequestMatches(t.ctx, t.location.ID, first.ID, query))(t)
		return (list.Pending == nil || !*list.Pending) && len(list.Data) > 0
	})
	t.must(t.RefuseMatch(t.ctx, t.location.ID, first.ID, found.ID))
	must1(t.UpdateRequestStatus(t.ctx, t.location.ID, first.ID, homeward.DecisionInput{
		Type: homeward.DecisionTypeReject, Reason: homeward.Set("It is another one."),
	}))(t)
	must1(t.UpdateRequestStatus(t.ctx, t.location.ID, second.ID, homeward.DecisionInput{
		Type: homeward.DecisionTypeAccept, ItemID: homeward.Set(found.ID),
	}))(t)
	request := must1(t.GetRequest(t.ctx, t.location.ID, second.ID))(t)
	if request.Request == nil || request.Request.State != homeward.RequestStateMatched {
		t.Errorf("after it was accepted: %+v", request.Request)
	}
	must1(t.ListAllRequests(t.ctx, homeward.ListAllRequestsQuery{Q: "umbrela"}))(t)
	must1(t.ListRequests(t.ctx, t.location.ID, homeward.ListRequestsQuery{Q: "umbrela"}))(t)
	must1(t.WriteRequestThread(t.ctx, t.location.ID, second.ID, homeward.ThreadMessageInput{Text: "It is here."}))(t)
	must1(t.ListRequestThread(t.ctx, t.location.ID, second.ID, homeward.ListRequestThreadQuery{}))(t)
	if list := must1(t.ListRequests(t.ctx, t.location.ID, homeward.ListRequestsQuery{}))(t); list.Total != 2 {
		t.Errorf("there are %d requests", list.Total)
	}
}

var guestLink = regexp.MustCompile(`https?://\S+/g/[\w-]+`)

// shipping goes through a parcel whose first label is refused, because nobody knows its weight.
func (t *tour) shipping() {
	hat := must1(t.CreateItem(t.ctx, t.location.ID, homeward.ItemInput{
		Description: "Hat", Owner: homeward.Set(homeward.OwnerInput{Phone: homeward.Set("+48 22 123 45 67")}),
	}))(t)
	link := ""
	t.until("the owner is notified", func() bool {
		for m, err := range t.AllMessages(t.ctx, t.location.ID, hat.ID, homeward.ListMessagesQuery{}) {
			t.must(err)
			link = guestLink.FindString(m.Text)
		}
		return link != ""
	})
	address := url.Values{
		"recipient.country": {"PL"}, "recipient.name": {"Anna Kowalska"}, "recipient.address1": {"ul. Długa 7"},
		"recipient.city": {"Warszawa"}, "recipient.zipCode": {"00-238"},
	}
	res, err := http.PostForm(link+"/ship", address)
	t.must(err)
	t.must(res.Body.Close())
	if res.StatusCode != http.StatusOK {
		t.Fatalf("the guest's address: %s", res.Status)
	}
	must1(t.UpdateStatus(t.ctx, t.location.ID, hat.ID, homeward.MoveInput{Status: homeward.ItemStatusFeePaid}))(t)
	t.awaitTask(homeward.TaskKindLabelRefused)
	must1(t.UpdateItem(t.ctx, t.location.ID, hat.ID, homeward.ItemPatch{
		Shipping: homeward.Set(homeward.ShippingPatch{Weight: homeward.Set(0.2)}),
	}))(t)
	must1(t.RetryLabel(t.ctx, t.location.ID, hat.ID))(t)
	quotes := must1(t.ListQuotes(t.ctx, t.location.ID, hat.ID, homeward.ListQuotesQuery{Country: "PL"}))(t)
	if len(quotes.Data) != 1 || quotes.Data[0].Price.Total <= 0 {
		t.Errorf("quotes: %+v", quotes)
	}
	must1(t.RefundItem(t.ctx, t.location.ID, hat.ID, homeward.RefundInput{Reason: homeward.Set("Never sent.")}))(t)
	t.awaitTask(homeward.TaskKindRefundDue)
	must1(t.RefundItem(t.ctx, t.location.ID, hat.ID, homeward.RefundInput{}))(t) // confirms that the desk has paid it
}

// awaitTask waits until the desk has a task of a kind.
func (t *tour) awaitTask(kind homeward.TaskKind) {
	t.Helper()
	t.until("the desk has the task "+string(kind), func() bool {
		for task, err := range t.AllTasks(t.ctx, t.location.ID, homeward.ListTasksQuery{}) {
			t.must(err)
			if task.Kind == kind {
				return true
			}
		}
		return false
	})
}

// receiver verifies webhook requests. Until it knows the secret, it accepts requests without reading them.
type receiver struct {
	mu      sync.Mutex
	secrets []string
	events  chan homeward.EventBody
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.secrets) == 0 {
		return
	}
	event, err := homeward.ReadWebhook(req, r.secrets...)
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	r.events <- event
}

func (r *receiver) know(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets = append(r.secrets, secret)
}

func (t *tour) webhooks() {
	r := &receiver{events: make(chan homeward.EventBody, 100)}
	server := httptest.NewServer(r)
	defer server.Close()
	hook := must1(t.CreateWebhook(t.ctx, homeward.WebhookInput{URL: server.URL}))(t)
	r.know(hook.Secret)
	hook = must1(t.UpdateWebhook(t.ctx, hook.ID, homeward.WebhookPatch{Description: homeward.Set("Tour")}))(t)
	r.know(must1(t.RotateWebhookSecret(t.ctx, hook.ID))(t).Secret)
	secrets := must1(t.GetWebhookSecret(t.ctx, hook.ID))(t)
	if len(secrets.OldSecrets) != 1 || hook.Description != "Tour" {
		t.Errorf("the webhook is %+v, its secrets %+v", hook, secrets)
	}
	must1(t.TestWebhook(t.ctx, hook.ID, homeward.WebhookTestInput{
		EventType: homeward.Set(homeward.StoredEventStatusChanged),
	}))(t)
	if event := <-r.events; event.EventType != homeward.EventTypeStatusChanged || event.Payload.PreviousStatus == "" {
		t.Errorf("got %+v, want a sample", event)
	}
	test := must1(t.TestWebhook(t.ctx, hook.ID, homeward.WebhookTestInput{}))(t)
	if event := <-r.events; event.EventType != homeward.EventTypeTest {
		t.Errorf("got %+v, want the test event", event)
	}
	t.until("the delivery is recorded", func() bool {
		return must1(t.GetDelivery(t.ctx, test.ID))(t).State == homeward.DeliveryStateDelivered
	})
	item := t.newItem("Glove")
	must1(t.UpdateStatus(t.ctx, t.location.ID, item.ID, homeward.MoveInput{Status: homeward.ItemStatusDonate}))(t)
	if event := <-r.events; event.EventType != homeward.EventTypeDonate || event.Payload.Item.ID != item.ID {
		t.Errorf("got %+v, want the choice to donate", event)
	}
	must1(t.ReplayDelivery(t.ctx, test.ID))(t)
	<-r.events
	since := homeward.Set(time.Now().Add(-time.Hour))
	must1(t.ReplayWebhook(t.ctx, hook.ID, homeward.ReplayInput{Since: since}))(t)
	must1(t.ListDeliveries(t.ctx, hook.ID, homeward.ListDeliveriesQuery{}))(t)
	must1(t.ListWebhooks(t.ctx, homeward.ListWebhooksQuery{}))(t)
	must1(t.GetWebhook(t.ctx, hook.ID))(t)
	for event, err := range t.AllEvents(t.ctx, homeward.ListEventsQuery{Types: []string{"*"}}) {
		t.must(err)
		got := must1(t.GetEvent(t.ctx, event.ID))(t)
		if got.EventType == homeward.EventTypeDonate && got.Payload.Item.Description != "Glove" {
			t.Errorf("the event is %+v", got)
		}
	}
	t.must(t.DeleteWebhook(t.ctx, hook.ID))
}

func (t *tour) persons() {
	person := homeward.PersonInput{Email: homeward.Set("zoe@example.com")}
	if export := must1(t.ExportPerson(t.ctx, person))(t); len(export.Records) == 0 {
		t.Error("the export is empty")
	}
	erasure := must1(t.ErasePerson(t.ctx, person))(t)
	t.until("the person is erased", func() bool {
		return must1(t.GetErasure(t.ctx, erasure.ID))(t).State == homeward.ErasureStateDone
	})
}

func (t *tour) keys() {
	if account := must1(t.GetAccount(t.ctx))(t); account.Key.Role != homeward.KeyRoleAdmin {
		t.Errorf("the account is %+v", account)
	}
	key := must1(t.CreateKey(t.ctx, homeward.KeyInput{Name: "Tour", ReadOnly: homeward.Set(true)}))(t)
	if key = must1(t.RenameKey(t.ctx, key.ID, homeward.KeyNameInput{Name: "Round"}))(t); key.Name != "Round" {
		t.Errorf("after it was renamed: %+v", key)
	}
	must1(t.GetKey(t.ctx, key.ID))(t)
	must1(t.ListKeys(t.ctx, homeward.ListKeysQuery{}))(t)
	t.must(t.RevokeKey(t.ctx, key.ID))
	report := must1(t.GetReport(t.ctx, homeward.GetReportQuery{Location: []string{t.location.ID}}))(t)
	if report.Items.Found == 0 || len(report.Months) < 12 {
		t.Errorf("the report is %+v", report)
	}
	must1(t.GetReport(t.ctx, homeward.GetReportQuery{From: "2026-01-01", To: "2026-01-31"}))(t)
	revoked := 0
	for entry, err := range t.AllAudit(t.ctx, homeward.ListAuditQuery{Limit: 10}) {
		t.must(err)
		if entry.Action == homeward.AuditActionKeyRevoked {
			revoked++
		}
	}
	if revoked == 0 {
		t.Error("the audit log does not have the revoked key")
	}
}

// sendBack sends whole records back 1,000 times, in random zones and precisions. The service must accept each of them.
// HOMEWARD_SEED repeats a run.
func (t *tour) sendBack() {
	const records, rounds = 8, 125
	seed, err := strconv.ParseUint(os.Getenv("HOMEWARD_SEED"), 10, 64)
	if err != nil {
		seed = rand.Uint64()
	}
	t.Log("HOMEWARD_SEED:", seed)
	precisions := []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, time.Second}
	var working sync.WaitGroup
	for n := range records {
		item := t.newItem("Glove")
		random := rand.New(rand.NewPCG(seed, uint64(n)))
		respell := func(at time.Time) time.Time {
			zone := time.FixedZone("", 60*(random.IntN(24*60)-12*60))
			return at.Truncate(precisions[random.IntN(len(precisions))]).In(zone)
		}
		working.Go(func() {
			for range rounds {
				item.CreatedAt, item.UpdatedAt = respell(item.CreatedAt), respell(item.UpdatedAt)
				patch, err := item.Patch()
				if err == nil && random.IntN(2) == 0 {
					patch.Notes = homeward.Set(fmt.Sprint(random.Uint64()))
				}
				if err == nil {
					item, err = t.UpdateItem(t.ctx, t.location.ID, item.ID, patch)
				}
				if err != nil {
					t.Errorf("an item was not accepted: %v", err)
					return
				}
			}
		})
	}
	working.Wait()
}
