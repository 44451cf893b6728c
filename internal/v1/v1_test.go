package v1_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var (
	wire = v1.Encoder{
		Base: "https://homeward.example",
		Now:  func() time.Time { return time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC) },
	}
	noon = time.Date(2026, 11, 15, 12, 0, 0, 123456000, time.UTC)
)

func ptr[T any](v T) *T { return &v }

func fullLocation() lost.Location {
	return lost.Location{
		Account: "acc_1", ID: "loc_1", Permalink: "hotel-adler", Name: "Hotel Adler", Website: "https://a.example",
		LogoFile: "logo.png", Description: "At <the> harbour & more",
		Type: "hotel", StorageDuration: ptr(90), StoragePlace: "Shelf B", Address1: "Hafenstraße 12", Address2: "Rear",
		City: "Hamburg", State: "HH", ZipCode: "20457", Country: "DE",
		Contact: lost.Contact{Name: "Jonas", Email: "lost@a.example", Email2: "desk@a.example", Phone: "+4940123456"},
		Pickup:  lost.PickupWindow{From: "10:00", To: "18:00"}, TimeZone: "Europe/Berlin", Charity: "Mission",
		OpeningHours: []lost.OpeningHours{
			{Days: []string{"mon", "fri"}, From: "09:00", To: "12:00"},
			{Days: []string{"sat"}, From: "20:00", To: "24:00"},
		},
		Closures: []lost.Closure{
			{From: "2026-12-24", To: "2026-12-26", Reason: "Christmas", Yearly: true},
			{From: "2027-01-01", To: "2027-01-01"},
		},
		Slots:    lost.Slots{Minutes: 30, Capacity: 2},
		Language: "de-CH", PrivacyText: "Used to return your item.\nDeleted later.",
		PrivacyURL: "https://a.example/privacy",
		Reminders: &lost.ReminderSchedule{
			AfterNotice: []int{2, 5}, BeforeStoreUntil: nil, BeforePickup: []int{}, AfterMissedPickup: []int{1},
		}, Shipping: &lost.ShippingRules{
			Offered: true, Service: "DHL <Paket>", Currency: "EUR", Handling: 300, TaxRate: 810, TaxID: "DE136695976",
			Tracking: "https://carrier.example/?n={number}",
			Domestic: lost.Zone{
				Prices: []lost.Band{{Grams: 2000, Price: 690}, {Grams: 10_000, Price: 1290}}, Document: ptr(int64(350)),
				FromDays: 1, ToDays: 3,
			},
			Neighbour: lost.Zone{Prices: []lost.Band{{Grams: 2000, Price: 1690}}, Document: ptr(int64(0))},
		}, CreatedAt: noon, UpdatedAt: noon.Add(time.Hour),
	}
}

// paidItem returns an item whose shipping fee was paid and whose label exists.
func paidItem() lost.Item {
	i := fullItem()
	i.Status, i.Pickup = lost.FeePaid, lost.Pickup{}
	i.ClosedAt, i.DisownedAt = time.Time{}, time.Time{}
	i.Parcel = lost.Parcel{
		ShipmentID: "shp_1", PayBy: lost.PayStripe, Offered: true, Paid: true, Service: "Parcel EU",
		Price:        lost.Price{Postage: 1690, Handling: 300, Currency: "EUR"},
		ShippingDate: "2026-11-16", TrackingURL: "https://carrier.example/T1", Documents: []lost.Document{
			{Kind: lost.LabelPaper, File: "label.pdf", Paper: "A6"},
			{Kind: lost.InvoicePaper, File: "invoice.pdf", Paper: "A4"},
			{Kind: lost.SlipPaper, File: "slip.pdf", Paper: "A4"},
			{Kind: lost.CustomsPaper, File: "customs.pdf", Paper: "A6"},
		},
	}
	return i
}

// refusedItem returns an item whose parcel the carrier refused, and whose refund failed.
func refusedItem() lost.Item {
	return lost.Item{
		ID: "item_4", LocationID: "loc_1", Reference: "K7F-3QG", Source: lost.Found, Status: lost.Pending,
		Description: "Drone", CreatedAt: noon, UpdatedAt: noon,
		Shipping: lost.Shipping{NotShipped: "Batteries may not <travel>."},
		Parcel: lost.Parcel{ShipmentID: "shp_2", PayBy: lost.PayTest, Offered: true, Refund: lost.RefundFailed,
			Troubles: []lost.ParcelProblem{
				{Kind: lost.LabelTask, Why: "Too long."}, {Kind: lost.RefundTask, Why: "The card was closed."}}},
	}
}

func fullItem() lost.Item {
	return lost.Item{
		Account: "acc_1", ID: "item_1", LocationID: "loc_1", Reference: "K7F-3QD", Source: lost.Found,
		Status:      lost.PickUp,
		Description: "Black umbrella", DiscoveryPlace: "Room 312", DiscoveryDate: "2026-11-14", Brand: "Knirps",
		Model: "T.200", Color: "black", Notes: "Scratched",
		ImageFile: "a.jpg",
		Images: []lost.Image{{
			File: "a.jpg", Thumbnail: "a-640.jpg", ContentType: "image/jpeg", Width: 3024, Height: 4032, Size: 2481152,
			At: noon, Facts: &lost.PhotoFacts{
				Colors: []lost.Color{lost.Black, lost.Brown}, Hash: 7,
				Codes: []lost.PhotoCode{{Format: lost.Code128, Text: "SN-8841-C"}},
			},
		}},
		Shipping: lost.Shipping{Weight: ptr(0.4), WeightUnit: lost.Kilogram, BoxType: "long", IsDocument: ptr(false),
			TrackingNumber: "T1", Recipient: lost.Recipient{
				Name: "Anna Kowalska", Company: "Fala", Address1: "ul. Długa 7", Address2: "m. 12", City: "Warszawa",
				State: "MZ", ZipCode: "00-238", Country: "PL", Phone: "+48221234567"}},
		Owner:    lost.Owner{FirstName: "Anna", LastName: "Kowalska", Email: "anna@example.com", Phone: "+48221234567"},
		Language: "pl",
		Pickup:   lost.Pickup{Date: "2026-11-20", Time: "14:30", Planned: true}, MovedBy: lost.ByGuest, MovedAt: noon,
		ClosedAt: noon.Add(time.Hour), DisownedAt: noon,
		Terms:     lost.Terms{StoragePlace: "Shelf B", StorageDuration: ptr(90), TimeZone: "Europe/Berlin"},
		CreatedAt: noon, UpdatedAt: noon.Add(time.Hour),
	}
}

// heldItem returns an item with an extended storage time, a hold and a handover.
func heldItem() lost.Item {
	i := fullItem()
	i.Status, i.ClosedAt, i.Destination = lost.PickUp, noon, lost.Police
	i.Hold, i.KeepUntil = "It is evidence", "2027-03-31"
	i.Handover = lost.Handover{
		Name: "Anna Kowalska", IDChecked: true, At: noon, SignatureFile: "signature.png", ReceiptFile: "receipt.pdf",
	}
	return i
}

func fullRequest() lost.Item {
	return lost.Item{
		Account: "acc_1", ID: "item_3", LocationID: "loc_1", Reference: "K7F-3QF", Source: lost.Request,
		Status: lost.Pending, Description: "Green scarf", Language: "fr",
		Owner: lost.Owner{FirstName: "Zoë", Email: "zoe@example.com"},
		Claim: lost.Claim{
			State: lost.RequestRejected, LostPlace: "Bar", LostDate: "2026-11-13", Proof: "A hole",
			Reason: "Not <here>", MatchedItemID: "item_1",
		},
		Terms:     lost.Terms{StoragePlace: "Shelf B", StorageDuration: ptr(90), TimeZone: "Europe/Berlin"},
		CreatedAt: noon.Add(time.Hour), UpdatedAt: noon.Add(time.Hour),
	}
}

func TestPublishedShapesStayTheSame(t *testing.T) {
	key := lost.Key{
		ID: "key_1", Name: "Desk", Hint: "hw_3k9f", Role: lost.DeskRole, ReadOnly: true, Locations: []string{"loc_1"},
		ExpiresAt: noon.Add(time.Hour), CreatedAt: noon,
	}
	entry := lost.Entry{
		ID: "hist_1", At: noon, Actor: key.Actor(), Action: lost.Moved, From: lost.Pending, To: lost.PickUp,
		Fields: []string{"status", "pickup"}, Note: "Called",
	}
	list := lost.List[lost.Location]{
		Data: []lost.Location{{ID: "loc_2", Name: "Zoo", Type: "zoo", CreatedAt: noon, UpdatedAt: noon}},
		Page: lost.Page{Number: 2, Limit: 10}, Total: lost.TotalOf(10001),
	}
	message := lost.Message{
		Account: "acc_1", ID: "msg_1", LocationID: "loc_1", ItemID: "item_1", LinkID: "lnk_1", Kind: lost.NoticeMessage,
		Once: "notice x", Channel: lost.ByEmail, To: "anna@example.com",
		State: lost.MessageFailed, Handovers: 1, ProviderID: "SM1", Error: "550 No <such> mailbox", CreatedAt: noon,
		SettledAt: noon.Add(time.Second),
	}
	attempts := []lost.Attempt{
		{At: noon, Took: 15 * time.Second, Error: "no answer within 15 s"},
		{
			At: noon.Add(15 * time.Second), Took: 84500 * time.Microsecond, Status: 500,
			Error: "answered 500 Internal Server Error", Response: "no\n<b>way</b>",
		},
	}
	for name, v := range map[string]any{
		"location": wire.Location(fullLocation()),
		"location-bare": wire.Location(lost.Location{
			ID: "loc_2", Permalink: "zoo", Name: "Zoo", Type: "zoo", CreatedAt: noon, UpdatedAt: noon,
		}),
		"item": wire.Item(fullItem()),
		"item-bare": wire.Item(lost.Item{
			ID: "item_2", LocationID: "loc_1", Reference: "K7F-3QE", Source: lost.Found, Status: lost.Pending,
			Description: "Hat", CreatedAt: noon, UpdatedAt: noon,
		}),
		"item-paid":    wire.Item(paidItem()),
		"item-refused": wire.Item(refusedItem()),
		"item-cared":   wire.Item(heldItem()),
		"request":      wire.Item(fullRequest()),
		"message":      wire.Message(message, "We found <it>", "Choose here: https://homeward.example/g/k3v5"),
		"message-bare": wire.Message(lost.Message{
			ID: "msg_2", Kind: lost.ReminderMessage, Channel: lost.BySMS, To: "+48221234567",
			State: lost.MessageWaiting, CreatedAt: noon,
		}, "", ""),
		"match": wire.MatchedItem(lost.Match{
			ItemID: "item_1", Score: 934_215, Likelihood: lost.Likely,
			Reasons: []lost.Reason{{Text: "same brand: knirps"}},
			Other:   lost.Item{LocationID: "loc_1"},
		}),
		"matched": wire.MatchedRequest(lost.Match{
			RequestID: "item_3", Score: 500_000, Likelihood: lost.Possible,
			Reasons: []lost.Reason{{Text: "different colour"}},
			Other:   lost.Item{LocationID: "loc_2"},
		}),
		"task": wire.Task(lost.Task{
			Account: "acc_1", LocationID: "loc_1", ItemID: "item_3", Kind: lost.AnswerTask, Since: noon,
			Item: fullRequest(),
		}),
		"task-reason": wire.Task(lost.Task{
			Account: "acc_1", LocationID: "loc_1", ItemID: "item_4", Kind: lost.RefundTask, Since: noon,
			Item: refusedItem(),
		}),
		"quotes": wire.Quotes(lost.Offers{
			Quotes: []lost.Quote{{
				Service: "Parcel <EU>", Rate: "rate_1",
				Price: lost.Price{Postage: 1690, Handling: 300, Currency: "EUR"}, FromDays: 3, ToDays: 6,
			}, {Service: "Express", Price: lost.Price{Postage: 4000, Currency: "EUR"}}},
		}),
		"quotes-none": wire.Quotes(lost.Offers{Why: "The item has no weight or box. Set one of them."}),
		"key":         wire.Key(key, ""),
		"key-new":     wire.Key(key, "hw_3k9fq7x2m8v4w1d6n5b0c7r2t9"),
		"account": wire.Account(lost.Account{
			ID: "acc_1", Name: "Harbour Hotels", CreatedAt: noon,
			Privacy: lost.PrivacyNotice{Text: "Used to return your item.", URL: "https://h.example/privacy"},
		}, key.Actor()),
		"entry": wire.Entry(entry),
		"audit-entry": wire.AuditEntry(lost.AuditEntry{
			ID: "aud_1", At: noon, Actor: key.Actor().WithAddress("2001:db8::/64"), Action: lost.KeyRevoked,
			Subject: "key_2", Note: "Kiosk <2>",
		}),
		"list":    v1.ListOf(list, wire.Location),
		"webhook": wire.Webhook(fullEndpoint()),
		"webhook-bare": wire.Webhook(lost.Endpoint{
			ID: "whk_2", URL: "https://zoo.example/", Reason: "It failed.", CreatedAt: noon, UpdatedAt: noon,
		}),
		"webhook-new": wire.WebhookWithSecret(fullEndpoint()),
		"secrets":     wire.Secrets(fullEndpoint()),
		"event": wire.Event(lost.Event{
			ID: "evt_1", Type: lost.PickupEvent, At: noon, LocationID: "loc_1", ItemID: "item_1",
			Body: []byte(`{"eventType":"pickup","eventTime":"x","payload":{"item":{"id":"item_1"}}}`),
		}),
		"delivery": wire.Delivery(lost.Delivery{
			ID: "dlv_1", EventID: "evt_1", EventType: lost.PickupEvent, EndpointID: "whk_1",
			State: lost.DeliveryPending, DueAt: noon.Add(time.Minute), Attempts: attempts, CreatedAt: noon,
		}),
		"delivery-new": wire.Delivery(lost.Delivery{
			ID: "dlv_2", EventID: "evt_2", EventType: lost.TestEvent, EndpointID: "whk_1", State: lost.DeliveryCanceled,
			CreatedAt: noon,
		}),
		"problem": v1.Problem{
			Type: "/docs/problems#invalid", Title: "T", Status: 422, Detail: "D", Code: "invalid", RequestID: "req_1",
			Errors: v1.FieldErrors([]lost.FieldError{{Field: "f", Code: "c", Message: "m"}}),
		},
	} {
		body, err := v1.Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		var pretty bytes.Buffer
		_ = json.Indent(&pretty, body, "", "  ")
		golden(t, name+".json", pretty.String())
	}
}

// golden reports an error if a text differs from a golden file. With -update, it rewrites the file.
func golden(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), text+"\n"); d != "" {
		t.Errorf("%s: %s", name, d)
	}
}

// Event bodies are signed and stored, so the encoding of published events must not change by a single byte.
func TestPublishedEventBodiesStayTheSame(t *testing.T) {
	at := noon.Add(time.Hour)
	moved := func(to lost.Status) lost.Item {
		i := fullItem()
		i.Status = to
		if to != lost.PickUp {
			i.Pickup = lost.Pickup{}
		}
		return i
	}
	asked := fullRequest()
	asked.Claim = lost.Claim{State: lost.RequestPending, LostPlace: "Bar"}
	withoutDate := moved(lost.PickUp)
	withoutDate.Pickup = lost.Pickup{}
	for name, c := range map[string]struct {
		event lost.EventType
		item  lost.Item
	}{
		"event-pickup":         {lost.PickupEvent, moved(lost.PickUp)},
		"event-pickup-bare":    {lost.PickupEvent, withoutDate},
		"event-discard":        {lost.DiscardEvent, moved(lost.Discard)},
		"event-donate":         {lost.DonateEvent, moved(lost.Donate)},
		"event-shipping-label": {lost.LabelEvent, paidItem()},
		"event-shipping-bare":  {lost.LabelEvent, moved(lost.FeePaid)},
		"event-request":        {lost.RequestEvent, asked},
	} {
		body, err := wire.EventBody(lost.NewEvent(c.event, c.item, at), c.item)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name+".json", string(body))
		item, err := v1.Encode(wire.Item(c.item))
		if err != nil || !bytes.Contains(body, []byte(`"payload":{"item":`+string(item))) {
			t.Errorf("%s: the item differs from get-item:\n%s\n%s (%v)", name, body, item, err)
		}
	}
	for _, event := range []lost.EventType{lost.TestEvent, lost.Verification} {
		body, err := wire.EmptyBody(lost.Event{Type: event, At: at})
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "event-"+string(event)+".json", string(body))
	}
}

// The samples are what webhooks receive, and the examples of the OpenAPI document.
func TestSamplesOfChangesStayTheSame(t *testing.T) {
	for _, kind := range lost.ChangeEventTypes() {
		body, err := v1.SampleEvent(kind)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "event-"+string(kind)+".json", string(body))
	}
}

func TestAChangeIsAnEventOfEachTypeThatItConcerns(t *testing.T) {
	item, request := fullItem(), fullRequest()
	changed := func(of lost.Item, change func(*lost.Item)) *lost.Item {
		of.UpdatedAt = of.UpdatedAt.Add(time.Minute)
		change(&of)
		return &of
	}
	for want, c := range map[string]struct{ before, after *lost.Item }{
		"item-created": {nil, &item},
		"":             {nil, &request}, // it has an event of its own
		"item-updated": {&item, changed(item, func(i *lost.Item) { i.Notes = "Wet" })},
		"status-changed": {&item, changed(item, func(i *lost.Item) {
			i.Status, i.MovedBy, i.MovedAt = lost.Shipped, lost.ByUser, noon.Add(time.Minute)
		})},
		"status-changed item-updated": {&item, changed(item, func(i *lost.Item) {
			i.Status, i.Pickup = lost.Discard, lost.Pickup{}
		})},
		"request-updated": {&request, changed(request, func(i *lost.Item) { i.Claim.State = lost.RequestRejected })},
		"item-deleted":    {&request, nil},
	} {
		events, err := wire.ChangeEvents(c.before, c.after, noon)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range events {
			got = append(got, string(e.Type))
			if c.after != nil && !e.At.Equal(c.after.UpdatedAt) {
				t.Errorf("%s happened at %s, want %s", e.Type, e.At, c.after.UpdatedAt)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("got %v, want %q", got, want)
		}
	}
}

// The event for a paid fee has exactly the fields that the specification defines.
func TestLabelEventHasTheSpecifiedShape(t *testing.T) {
	body, err := wire.EventBody(lost.NewEvent(lost.LabelEvent, paidItem(), noon), paidItem())
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	payload := got["payload"].(map[string]any)
	if id := payload["item"].(map[string]any)["id"]; id != "item_1" {
		t.Errorf("got item %v", id)
	}
	delete(payload, "item")
	file := func(paper, name string) map[string]any {
		return map[string]any{"paper_size": paper, "url": "https://homeward.example/files/" + name, "file_type": "pdf"}
	}
	want := map[string]any{
		"eventType": "shipping-label", "eventTime": "2026-11-15T12:00:00.123Z",
		"payload": map[string]any{
			"shippingDate": "2026-11-16", "serviceName": "Parcel EU",
			"files": map[string]any{"label": file("A6", "label.pdf"), "invoice": file("A4", "invoice.pdf")},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func fullEndpoint() lost.Endpoint {
	return lost.Endpoint{
		Account: "acc_1", ID: "whk_1", URL: "https://hotel.example/hooks",
		Events: []lost.EventType{lost.DonateEvent, lost.PickupEvent}, Enabled: true,
		Description: "Property management", Headers: map[string]string{"X-Desk": "12", "Authorization": "Bearer 3k9f"},
		Secret: "whsec_new", OldSecrets: []lost.OldSecret{{Secret: "whsec_old", Until: noon.Add(24 * time.Hour)}},
		FailingSince: noon, CreatedAt: noon, UpdatedAt: noon.Add(time.Hour),
	}
}

func TestWebhookCanBeSentBackUnchanged(t *testing.T) {
	for name, shown := range map[string]v1.Webhook{
		"read": wire.Webhook(fullEndpoint()), "made": wire.WebhookWithSecret(fullEndpoint()),
	} {
		p, err := v1.DecodeWebhook(echo(t, shown, func(map[string]any) {}))
		if err != nil {
			t.Fatal(err)
		}
		e := fullEndpoint()
		if err := wire.CheckReadOnlyWebhook(&p, e); err != nil {
			t.Fatal(err)
		}
		if err := e.Update(p, noon.Add(2*time.Hour)); err != nil {
			t.Errorf("%s: sending it back was rejected: %v", name, err)
		}
		if d := cmp.Diff(fullEndpoint(), e); d != "" {
			t.Errorf("%s: sending it back changed it: %s", name, d)
		}
	}
	p, err := v1.DecodeWebhook([]byte(`{"secret":"whsec_old","headerNames":["X-Desk"],
		"failingSince":null,"disabledReason":null}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := wire.CheckReadOnlyWebhook(&p, fullEndpoint()); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"failingSince read-only", "headerNames read-only", "secret read-only"},
		fieldsOf(p.Problems)); d != "" {
		t.Error(d)
	}
}

func TestWebhookHeadersMustBeStrings(t *testing.T) {
	p, err := v1.DecodeWebhook([]byte(`{"headers":{"X-D":"d","X-C":{},"X-B":null,"X-A":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"headers.X-A wrong-type", "headers.X-B wrong-type", "headers.X-C wrong-type"},
		fieldsOf(p.Problems)); d != "" {
		t.Error(d)
	}
	for body, want := range map[string]lost.Field[map[string]string]{
		`{}`: {}, `{"headers":null}`: lost.Clear[map[string]string](),
		`{"headers":{"X-A":" a "}}`: lost.Set(map[string]string{"X-A": " a "}),
		`{"headers":{}}`:            lost.Set(map[string]string{}),
	} {
		if p, err := v1.DecodeWebhook([]byte(body)); err != nil || len(p.Problems) > 0 || !cmp.Equal(p.Headers, want) {
			t.Errorf("%s: %+v %v %v", body, p.Headers, p.Problems, err)
		}
	}
}

func fieldsOf(p lost.Problems) []string {
	var out []string
	for _, f := range p {
		out = append(out, f.Field+" "+f.Code)
	}
	return out
}

func TestBodiesMustBeJSONObjects(t *testing.T) {
	for _, body := range []string{
		"", " ", "null", "[]", `"x"`, "5", "{", `{"a":}`, `{"a":1,}`, `{"a":1}{}`, `{"a":1} x`, "{'a':1}", "\xff{}",
		`{"a":"` + "\xff" + `"}`, `{"a":01}`,
		`{"owner":` + strings.Repeat("[", 20000), "\ufeff\ufeff{}", "{\ufeff}",
	} {
		if _, err := v1.DecodeItem([]byte(body)); lost.CodeOf(err) != lost.Unreadable {
			t.Errorf("%.40q: %v", body, err)
		}
	}
}

func TestAByteOrderMarkIsIgnored(t *testing.T) {
	p, err := v1.DecodeItem([]byte("\ufeff{\"description\":\"Umbrella\"}"))
	if err != nil || p.Description != lost.Set("Umbrella") {
		t.Errorf("%+v, %v", p.Description, err)
	}
}

func TestAnEmptyTimeIsNotGiven(t *testing.T) {
	p, err := v1.DecodeKey([]byte(`{"name":"Front desk","expiresAt":""}`))
	if err != nil || len(p.Problems) > 0 || p.ExpiresAt != lost.Clear[time.Time]() {
		t.Errorf("%+v, %v, %v", p.ExpiresAt, p.Problems, err)
	}
}

func TestEveryFieldOfTheWrongTypeOrNameIsReported(t *testing.T) {
	p, err := v1.DecodeItem([]byte(`{
		"description": 5, "brand": ["x"], "BRAND": "x", "color": "red", "color": "blue",
		"shipping": {"weight": "1", "isDocument": "yes", "size": 3},
		"owner": "Anna", "nme": null, "status": "PICKUP", "storeUntil": null}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"color duplicate", "description wrong-type", "brand wrong-type", "shipping.weight wrong-type",
		"shipping.isDocument wrong-type",
		"shipping.size unknown-field", "owner wrong-type", "BRAND unknown-field", "nme unknown-field",
	}
	if d := cmp.Diff(want, fieldsOf(p.Problems)); d != "" {
		t.Error(d)
	}
	unpaired, err := v1.DecodeItem([]byte(`{"description":"half \ud800 pair","brand":"whole \ud83d\ude00",
		"color":"\ufffd","model":"�"}`))
	if d := cmp.Diff([]string{"description invalid-text"}, fieldsOf(unpaired.Problems)); d != "" || err != nil ||
		unpaired.Brand.Value != "whole 😀" || unpaired.Color.Value != "�" {
		t.Errorf("%s %v %+v", d, err, unpaired)
	}
	if d := cmp.Diff(map[string]any{"status": "PICKUP", "storeUntil": nil}, p.Echo); d != "" {
		t.Error(d)
	}
	if i := slices.IndexFunc(p.Problems, func(f lost.FieldError) bool {
		return f.Field == "BRAND"
	}); !strings.Contains(p.Problems[i].Message, "did you mean brand") {
		t.Errorf("no suggestion: %+v", p.Problems[i])
	}
}

func TestNumbersAreDecodedExactly(t *testing.T) {
	for body, want := range map[string]lost.Field[int]{
		`{"storageDuration": 30}`: lost.Set(30), `{"storageDuration": 30.0}`: lost.Set(30),
		`{"storageDuration": 3e1}`:  lost.Set(30),
		`{"storageDuration": null}`: lost.Clear[int](), `{}`: {}, `{"storageDuration": 30.5}`: {},
		`{"storageDuration": "30"}`: {}, `{"storageDuration": 1e400}`: {},
		`{"storageDuration": true}`: {},
	} {
		p, err := v1.DecodeLocation([]byte(body))
		if err != nil || p.StorageDuration != want {
			t.Errorf("%s: %+v, %v", body, p.StorageDuration, err)
		}
	}
}

func TestNumberListsAreDecodedExactly(t *testing.T) {
	for body, want := range map[string]lost.Field[[]int]{
		`[3, 7]`: lost.Set([]int{3, 7}), `[]`: lost.Set([]int{}), `[3.0, 1e1]`: lost.Set([]int{3, 10}),
		`null`:  lost.Clear[[]int](),
		`[0.5]`: {}, `["3"]`: {}, `[3, null]`: {}, `[null]`: {}, `[[3]]`: {}, `[1e300]`: {}, `[1e400]`: {}, `3`: {},
		`{}`: {}, `"3"`: {}, `true`: {},
	} {
		p, err := v1.DecodeLocation([]byte(`{"reminders":{"beforePickup":` + body + `}}`))
		if err != nil || !cmp.Equal(p.Reminders.Value.BeforePickup, want) || !p.Reminders.Sent ||
			want.Sent != (len(p.Problems) == 0) {
			t.Errorf("%s: %+v %v, %v", body, p.Reminders, p.Problems, err)
		}
	}
	p, _ := v1.DecodeLocation([]byte(`{"reminders":{"afterNotice":5,"often":[1]}}`))
	if d := cmp.Diff([]string{"reminders.afterNotice wrong-type", "reminders.often unknown-field"},
		fieldsOf(p.Problems)); d != "" {
		t.Error(d)
	}
}

func TestRequestIsDecodedWithItsProblems(t *testing.T) {
	p, err := v1.DecodeRequest([]byte(`{"description":"Scarf","lostPlace":"Bar","lostDate":"2026-11-13",
		"proof":"p","brand":"b","model":"m","color":"c","language":"fr","owner":{"email":"zoe@example.com"}}`))
	if err != nil || len(p.Problems) != 0 || p.LostPlace.Value != "Bar" || p.LostDate.Value != "2026-11-13" ||
		p.Proof.Value != "p" || p.Language.Value != "fr" || p.Owner.Value.Email.Value != "zoe@example.com" {
		t.Errorf("got %+v, %v", p, err)
	}
	p, err = v1.DecodeRequest([]byte(`{"lostDate":1,"owner":{"mail":"x"},"notes":"n",
		"discoveryPlace":"d","request":{"state":"MATCHED"}}`))
	if d := cmp.Diff([]string{
		"lostDate wrong-type", "owner.mail unknown-field", "discoveryPlace unknown-field", "notes unknown-field",
	}, fieldsOf(p.Problems)); d != "" || err != nil || p.Echo["request"] == nil {
		t.Errorf("%s %v %v", d, p.Echo, err)
	}
	d, err := v1.DecodeDecision([]byte(`{"type":"accept","itemId":"item_1","reason":null,"state":"MATCHED"}`))
	if diff := cmp.Diff([]string{"state unknown-field"}, fieldsOf(d.Problems)); diff != "" || err != nil ||
		d.Type.Value != "accept" || d.ItemID.Value != "item_1" || !d.Reason.Null {
		t.Errorf("%s %+v %v", diff, d, err)
	}
}

func TestKeysReadListsAndTimes(t *testing.T) {
	p, err := v1.DecodeKey([]byte(`{"name":"n","readOnly":true,"locations":["a","b"],
		"expiresAt":"2027-01-31T12:00:00+01:00"}`))
	if err != nil || len(p.Problems) != 0 || !slices.Equal(p.Locations.Value, []string{"a", "b"}) ||
		!p.ExpiresAt.Value.Equal(time.Date(2027, 1, 31, 11, 0, 0, 0, time.UTC)) {
		t.Errorf("got %+v, %v", p, err)
	}
	p, _ = v1.DecodeKey([]byte(`{"locations":["a",null],"expiresAt":"tomorrow","readOnly":1,"key":"x"}`))
	if d := cmp.Diff([]string{"readOnly wrong-type", "locations wrong-type", "expiresAt wrong-type"},
		fieldsOf(p.Problems)); d != "" || p.Echo["key"] != "x" {
		t.Errorf("%s %v", d, p.Echo)
	}
}

// echo returns the JSON of a record, as a client would send it back. change may modify the fields.
func echo(t *testing.T, record any, change func(map[string]any)) []byte {
	t.Helper()
	body, err := v1.Encode(record)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(body, &fields); err != nil {
		t.Fatal(err)
	}
	change(fields)
	body, _ = json.Marshal(fields)
	return body
}

func TestWholeRecordCanBeSentBack(t *testing.T) {
	for _, i := range []lost.Item{fullItem(), fullRequest(), paidItem(), refusedItem(), heldItem()} {
		p, err := v1.DecodeItem(echo(t, wire.Item(i), func(map[string]any) {}))
		if err != nil {
			t.Fatal(err)
		}
		if err := wire.CheckReadOnlyItem(&p, i); err != nil {
			t.Fatal(err)
		}
		if len(p.Problems) != 0 {
			t.Errorf("rejected: %+v", p.Problems)
		}
		after := i
		changed, err := after.Update(p, noon.Add(2*time.Hour))
		if d := cmp.Diff(i, after); d != "" || err != nil || len(changed) != 0 {
			t.Errorf("sending the item back changed %v: %s (%v)", changed, d, err)
		}
	}
	l := fullLocation()
	lp, err := v1.DecodeLocation(echo(t, wire.Location(l), func(map[string]any) {}))
	if err != nil {
		t.Fatal(err)
	}
	if err := wire.CheckReadOnlyLocation(&lp, l); err != nil {
		t.Fatal(err)
	}
	if changed, err := l.Update(lp, noon); changed || err != nil || l.LogoFile != "logo.png" {
		t.Errorf("sending the location back: changed %v, error %v", changed, err)
	}
	if d := cmp.Diff(fullLocation().Shipping, l.Shipping, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("sending the location back changed the tariff: %s", d)
	}
}

func TestChangedReadOnlyFieldsAreRefused(t *testing.T) {
	i := fullItem()
	p, err := v1.DecodeItem(echo(t, wire.Item(i), func(f map[string]any) {
		f["id"], f["status"] = "item_2", "PENDING"
		f["images"], f["createdAt"] = []any{}, nil
		f["closedAt"], f["disownedAt"], f["request"] = nil, "2026-11-15T12:00:01Z", map[string]any{"state": "PENDING"}
		f["shipping"].(map[string]any)["trackingNumber"] = "T2"
		f["shipping"].(map[string]any)["recipient"].(map[string]any)["city"] = "Kraków"
	}))
	if err != nil {
		t.Fatal(err)
	}
	if err := wire.CheckReadOnlyItem(&p, i); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"closedAt read-only", "createdAt read-only", "disownedAt read-only", "id read-only", "images read-only",
		"request read-only",
		"shipping.recipient read-only", "shipping.trackingNumber read-only", "status read-only",
	}
	if d := cmp.Diff(want, fieldsOf(p.Problems)); d != "" {
		t.Error(d)
	}
}

func TestParcelFieldsAreReadOnly(t *testing.T) {
	i := paidItem()
	p, err := v1.DecodeItem(echo(t, wire.Item(i), func(f map[string]any) {
		s := f["shipping"].(map[string]any)
		s["service"], s["payment"], s["refund"] = "Pigeon", nil, "done"
		s["shippingDate"], s["trackingUrl"] = "2026-11-17", "https://elsewhere.example/"
		s["price"].(map[string]any)["total"] = 1
		s["documents"] = s["documents"].([]any)[1:]
	}))
	if err != nil {
		t.Fatal(err)
	}
	if err := wire.CheckReadOnlyItem(&p, i); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"shipping.documents read-only", "shipping.payment read-only", "shipping.price read-only",
		"shipping.refund read-only",
		"shipping.service read-only", "shipping.shippingDate read-only", "shipping.trackingUrl read-only",
	}
	if d := cmp.Diff(want, fieldsOf(p.Problems)); d != "" {
		t.Error(d)
	}
}

func TestWhyAnItemIsNotShippedIsSetAndCleared(t *testing.T) {
	i := fullItem()
	for _, want := range []string{"Batteries may not travel.", ""} {
		body := `{"shipping":{"notShippedBecause":null}}`
		if want != "" {
			body = `{"shipping":{"notShippedBecause":" ` + want + ` "}}`
		}
		p, err := v1.DecodeItem([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		changed, err := i.Update(p, noon)
		if err != nil || i.Shipping.NotShipped != want ||
			!slices.Equal(changed, []string{"shipping.notShippedBecause"}) || i.Shipping.BoxType != "long" {
			t.Errorf("%s: got %+v, changed fields %v, error %v", body, i.Shipping, changed, err)
		}
	}
	p, _ := v1.DecodeItem([]byte(`{"shipping":{"notShippedBecause":"` + strings.Repeat("x", 501) + `"}}`))
	if _, err := i.Update(p, noon); !lost.ProblemsOf(err).Has("shipping.notShippedBecause") {
		t.Errorf("501 characters: %v", err)
	}
	if shown := wire.Item(refusedItem()).Shipping; shown == nil || shown.NotShippedBecause == "" {
		t.Errorf("shown: %+v", shown)
	}
	bare := refusedItem()
	bare.Shipping.NotShipped, bare.Parcel.Refund = "", ""
	if shown := wire.Item(bare).Shipping; shown != nil {
		t.Errorf("got %+v without shipping data, want nil", shown)
	}
}

// FuzzDecode checks that every input is either unreadable or decodes to a patch that the domain accepts or rejects
// without panicking. It also checks that a patch without problems can be encoded and decoded again.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"description":"x"}`,
		`{"description":"x","shipping":{"weight":1e-7},"owner":{"phone":"+49 30 901820"}}`, `{"owner":null,"id":"x"}`,
		`{`, `{"type":"reject","reason":"x","closed":true}`,
		`{"name":"x","reminders":{"afterNotice":[3,7.0]}}`,
		`{"name":"x","shipping":{"taxRate":8.1,"world":{"prices":[{"upToGrams":1e3,"price":5}]}}}`, `{"reason":"x"}`,
		`{"description":"x","lostDate":"2026-11-13","language":"pt-br","owner":{"email":"a@b.example"}}`,
		`{"a":{"b":[]}}`,
		" {\"brand\" : \"a\\\\\" ,\t\"\\u006dodel\":\"\\\"}\",\"shipping\":{ },\"x\":[1, {\"y\":[\"]\"]},-1.5e3 " +
			",true]\n} "} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if p, err := v1.DecodeLocation(body); err == nil {
			showAgain(t, body, p)
		}
		if p, err := v1.DecodeRefund(body); err == nil {
			_, _ = p.ValidReason()
		}
		if p, err := v1.DecodeMove(body); err == nil {
			_, _ = p.Move()
		}
		if p, err := v1.DecodeKey(body); err == nil {
			_, _ = lost.NewKey("acc_1", p, noon)
		}
		if p, err := v1.DecodeWebhook(body); err == nil {
			_, _ = lost.NewEndpoint("acc_1", p, noon)
		}
		if p, err := v1.DecodeRequest(body); err == nil {
			_, _ = lost.NewRequest("acc_1", "loc_1", p, noon)
		}
		if p, err := v1.DecodeDecision(body); err == nil {
			_, _ = p.Decision()
		}
		if p, err := v1.DecodeReplay(body); err == nil {
			_ = p.Check()
		}
		p, err := v1.DecodeItem(body)
		object := utf8.Valid(body) && json.Valid(body) && bytes.HasPrefix(bytes.TrimSpace(body), []byte("{"))
		if (err == nil) != object {
			t.Fatalf("%q: %v", body, err)
		}
		if err != nil {
			return
		}
		i, err := lost.NewItem("acc_1", "loc_1", p, noon)
		if err != nil {
			return
		}
		again, err := v1.DecodeItem(echo(t, wire.Item(i), func(map[string]any) {}))
		if err != nil {
			t.Fatal(err)
		}
		wire.CheckReadOnlyItem(&again, i)
		after := i
		if changed, err := after.Update(again, noon.Add(time.Hour)); err != nil || len(changed) != 0 {
			t.Errorf("%s: sending the record back changed %v, error %v", body, changed, err)
		}
	})
}

// showAgain creates a location from a valid patch, encodes and decodes the location, and checks that applying the
// decoded patch changes nothing.
func showAgain(t *testing.T, body []byte, p lost.LocationPatch) {
	t.Helper()
	l, err := lost.NewLocation("acc_1", p, noon)
	if err != nil {
		return
	}
	again, err := v1.DecodeLocation(echo(t, wire.Location(l), func(map[string]any) {}))
	if err != nil {
		t.Fatal(err)
	}
	wire.CheckReadOnlyLocation(&again, l)
	if changed, err := l.Update(again, noon.Add(time.Hour)); err != nil || changed {
		t.Errorf("%s: sending the record back changed %v, error %v", body, changed, err)
	}
}

// FuzzPatch applies a patch to an item that has all fields. It checks that the patch is either rejected with
// problems, or changes nothing when it is applied a second time.
func FuzzPatch(f *testing.F) {
	for _, s := range []string{
		`{"brand":null}`, `{"shipping":{"weight":null,"weightUnit":"lb"}}`,
		`{"owner":{"email":"x@y.example","phone":null}}`, `{"shipping":null,"imageUrl":null}`,
		`{"storagePlace":"Shelf B"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		i := fullItem()
		p, err := v1.DecodeItem(body)
		if err != nil {
			return
		}
		apply := func(i *lost.Item) ([]string, error) {
			p := p
			wire.CheckReadOnlyItem(&p, *i)
			return i.Update(p, noon.Add(2*time.Hour))
		}
		if _, err := apply(&i); err != nil {
			if lost.CodeOf(err) != lost.Invalid || len(err.(*lost.Error).Fields) == 0 {
				t.Errorf("%s: %v", body, err)
			}
			return
		}
		delete(p.Echo, "updatedAt") // the first update has changed it
		delete(p.Echo, "disownedAt")
		if changed, err := apply(&i); err != nil || len(changed) != 0 {
			t.Errorf("%s: applying it twice changed %v, error %v", body, changed, err)
		}
	})
}

func TestProblemsOfOneBodyAreBounded(t *testing.T) {
	var unknown, twice strings.Builder
	for n := range 50_000 {
		fmt.Fprintf(&unknown, `,"x%d":1`, n)
		fmt.Fprintf(&twice, `,"y%d":1,"y%d":1`, n, n)
	}
	long := `,"` + strings.Repeat("z", 10_000) + `":1`
	for name, rest := range map[string]string{"unknown": unknown.String(), "twice": twice.String(), "long": long} {
		p, err := v1.DecodeItem([]byte(`{"description":"d"` + rest + `}`))
		if err != nil {
			t.Fatal(err)
		}
		_, err = lost.NewItem("acc_1", "loc_1", p, noon)
		e, ok := err.(*lost.Error)
		if !ok || len(e.Fields) == 0 || len(e.Fields) > 100 || len(err.Error()) > 5000 {
			t.Errorf("%s: got %d problems in %d bytes, want 1 to 100 in at most 5000", name, len(e.Fields),
				len(err.Error()))
		}
	}
}

func TestPhotosOfIdentityPapersShowNoCodes(t *testing.T) {
	for category, want := range map[lost.Category]int{
		lost.PhoneCategory: 1, lost.PassportCategory: 0, lost.CardCategory: 0, lost.DocumentCategory: 0,
	} {
		i := fullItem()
		i.Category = category
		if got := wire.Item(i).Images[0]; len(got.Codes) != want || len(got.Colors) != 2 {
			t.Errorf("%s: the image is %+v", category, got)
		}
	}
}
