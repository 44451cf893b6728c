package staff_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/lost/notice"
	"homeward/internal/store"
	"homeward/internal/testkit"
	"homeward/internal/web/staff/stafftest"
)

// fixture is an account with one user per role and one record of every kind that a path can name.
type fixture struct {
	*testkit.Server
	at         string // the server's address
	hotel, zoo lost.Location
	people     map[string]lost.User
	text       string // contained in every text in the records
	textCount  int
	sent       lost.Delivery // a delivery to the webhook
	misplaced  string        // an item that the last count found in the wrong place
	photo      string        // the photo of the last item
	image      string        // its id
	last       string        // the reference of the last item
	named      lost.Location // the location to delete
}

func newFixture(t *testing.T, text string) *fixture {
	t.Helper()
	c := &fixture{people: map[string]lost.User{}, text: text}
	c.Server, c.at = testkit.NewNamedBrowserServer(t)
	c.Actor.Address = "198.51.100.1"
	t.Cleanup(c.Services.Close)
	c.hotel, c.zoo = c.newLocation("Hotel"), c.newLocation("Zoo")
	hook := testkit.Must(c.Services.Webhooks.CreateEndpoint(t.Context(), c.Actor, lost.EndpointPatch{
		URL:         lost.Set(stafftest.NewWebhookReceiver(t, http.StatusOK).URL),
		Description: lost.Set(c.uniqueText("Webhook")),
	}, lost.IdempotencyKey{}))
	c.sent = testkit.Must(c.Services.Webhooks.TestEndpoint(t.Context(), c.Actor, hook.ID, lost.TestEvent,
		lost.IdempotencyKey{}))
	for _, role := range lost.Roles() {
		c.people[string(role)] = c.newUser(role, nil)
	}
	for _, role := range lost.Roles() {
		if role.Limited() {
			c.people[string(role)+" elsewhere"] = c.newUser(role, []string{c.zoo.ID})
		}
	}
	return c
}

// uniqueText returns a text that starts with what and differs on each call.
func (c *fixture) uniqueText(what string) string {
	c.textCount++
	return what + " " + strconv.Itoa(c.textCount) + c.text
}

func (c *fixture) field(what string) lost.Field[string] { return lost.Set(c.uniqueText(what)) }

// newLocation creates a location with every text set.
func (c *fixture) newLocation(name string) lost.Location {
	return testkit.Must(c.Services.Locations.Create(c.T.Context(), c.Actor, lost.LocationPatch{
		Name: c.field(name), Description: c.field("About"), StoragePlace: c.field("Shelf"),
		StorageDuration: lost.Set(30), TimeZone: lost.Set("Europe/Berlin"),
		Address1: c.field("Street"), Address2: c.field("Yard"), City: c.field("City"), State: c.field("State"),
		ZipCode: lost.Set("12345"), Country: lost.Set("DE"),
		Charity: c.field("Charity"), PrivacyText: c.field("Privacy"),
		Contact: lost.Set(lost.ContactPatch{Name: c.field("Contact")}),
	}, lost.IdempotencyKey{}))
}

// newUser creates a user without a password, because hashing a password takes time.
func (c *fixture) newUser(role lost.Role, locations []string) lost.User {
	var u lost.User
	name := c.uniqueText(string(role))
	testkit.Must(0, c.DB.Write(c.T.Context(), func(tx *store.Tx) error {
		u = lost.User{
			Account: c.Owner.Account, ID: lost.NewID(lost.UserID, tx.Now()), Name: name, Role: role,
			Locations: locations, CreatedAt: tx.Now(),
		}
		u.Email = u.ID + "@homeward.example"
		return tx.InsertUser(u)
	}))
	return u
}

func (c *fixture) owner() lost.Field[lost.OwnerPatch] {
	return lost.Set(lost.OwnerPatch{
		FirstName: c.field("Anna"), LastName: c.field("Berg"), Email: lost.Set("anna@example.com"),
	})
}

// newItem creates an item at the hotel that is past its storage time, with an owner and every text set.
func (c *fixture) newItem() lost.Item {
	return c.NewItem(c.hotel, c.uniqueText("Hat")+strings.Repeat("W", 5*len(c.text)), func(p *lost.ItemPatch) {
		p.DiscoveryPlace, p.StoragePlace = c.field("Lobby"), c.field("Box")
		p.Brand, p.Model, p.Color = c.field("Brand"), c.field("Model"), c.field("Red")
		p.Notes = lost.Set(c.uniqueText("Note") + strings.Repeat("n", 40*len(c.text)))
		p.Owner, p.DiscoveryDate = c.owner(), lost.Set("2026-01-15")
	})
}

// planPickups opens the hotel on Fridays and plans a pick-up in the opening hours and one outside of them.
func (c *fixture) planPickups() {
	c.hotel = testkit.Must(c.Services.Locations.Update(c.T.Context(), c.Actor, c.hotel.ID, lost.LocationPatch{
		OpeningHours: lost.Set([]lost.OpeningHours{{Days: []string{"fri"}, From: "10:00", To: "13:00"}}),
		Slots:        lost.Set(lost.SlotsPatch{Minutes: lost.Set(60), Capacity: lost.Set(2)}),
		Closures:     lost.Set([]lost.Closure{{From: "2026-11-18", Reason: c.uniqueText("Closed")}}),
	}))
	for _, at := range []string{"10:00", "16:00"} {
		testkit.Must(c.Services.Items.SetStatus(c.T.Context(), c.Actor, c.hotel.ID, c.newItem().ID, lost.MovePatch{
			Status: lost.Set("PICKUP"), PickupDate: lost.Set("2026-11-20"), PickupTime: lost.Set(at),
		}))
	}
}

// payFee adds the payment of a fee, which reports count.
func (c *fixture) payFee(i lost.Item) {
	testkit.Must(0, c.DB.Write(c.T.Context(), func(tx *store.Tx) error {
		s := lost.NewShipment(&i, lost.PayStripe, tx.Now())
		if err := tx.InsertShipment(s); err != nil {
			return err
		}
		s.Quote.Price, s.PaidAt = lost.Price{Postage: 1200, Handling: 300, Currency: "EUR"}, tx.Now()
		return tx.SaveShipment(s)
	}))
}

// newItemsOfOneFinder creates so many items of a finder that reports name them.
func (c *fixture) newItemsOfOneFinder() {
	name := c.field("Marta")
	for range 3 {
		c.NewItem(c.hotel, c.uniqueText("Hat"), func(p *lost.ItemPatch) {
			p.Finder = lost.Set(lost.FinderPatch{Name: name, Email: lost.Set("marta@example.com")})
		})
	}
}

// writeMessages adds a question and an answer to the conversation about an item.
func (c *fixture) writeMessages(i lost.Item) {
	ctx := c.T.Context()
	testkit.Must(c.Services.Threads.Write(ctx, c.Actor, c.hotel.ID, i.ID, desk.Draft{
		Via: lost.ViaPage, ThreadPatch: lost.ThreadPatch{Text: c.field("Question")},
	}, lost.IdempotencyKey{}))
	link, _, err := c.DB.LinkForAddress(ctx, i.Account, i.ID, i.Owner.Address())
	testkit.Must(0, err)
	testkit.Must(0, c.Services.Threads.WriteAsGuest(ctx, testkit.Must(c.DB.LinkToken(link)), desk.Draft{
		Via: lost.ViaPage, ThreadPatch: lost.ThreadPatch{Text: c.field("Answer")},
	}))
}

// newItemWithoutOwner creates an item that may match a request.
func (c *fixture) newItemWithoutOwner() lost.Item {
	return c.NewItem(c.hotel, c.uniqueText("Hat"), func(p *lost.ItemPatch) {
		p.DiscoveryPlace, p.Notes = c.field("Lobby"), c.field("Initials")
		p.Brand, p.Model, p.Color = c.field("Brand"), c.field("Model"), c.field("Red")
	})
}

func (c *fixture) newRequest() lost.Item {
	return testkit.Must(c.Services.Requests.File(c.T.Context(), c.Actor, c.hotel.ID, lost.RequestPatch{
		Description: c.field("My hat"), LostPlace: c.field("Bar"), Proof: c.field("Initials"), Brand: c.field("Brand"),
		Model: c.field("Model"), Color: c.field("Red"), Owner: c.owner(),
		TrackerLink: lost.Set("https://find.apple.com/item/0a1b2c"),
	}, lost.IdempotencyKey{}))
}

// record creates a record for the path parameter with this name and returns the parameter's value. Personal records
// belong to the user.
func (c *fixture) record(name, path string, u lost.User) string {
	ctx := c.T.Context()
	switch name {
	case "location":
		if strings.HasSuffix(path, "{location}/delete") {
			c.named = c.newLocation("Bar")
			return c.named.ID
		}
		return c.hotel.ID
	case "id", "item":
		if strings.Contains(path, "/requests/") {
			r := c.newRequest()
			if path == "/at/{location}/requests/{id}" {
				c.Match(c.newItemWithoutOwner(), r)
			}
			return r.ID
		}
		i := c.newItem()
		// users who may only record items can open only the items that they recorded
		if strings.Contains(path, "/find/") && u.Role.Has(lost.RecordItems) && len(u.Locations) == 0 {
			i = testkit.Must(c.Services.Items.Create(ctx, u.Actor(), c.hotel.ID,
				lost.ItemPatch{Description: c.field("Glove")}, lost.IdempotencyKey{}))
		}
		if path == "/at/{location}/items/{id}" {
			c.writeMessages(i)
			testkit.Must(c.Services.Items.SetStatus(ctx, c.Actor, c.hotel.ID, i.ID,
				lost.MovePatch{Status: lost.Set("SHIPPED"), TrackingNumber: c.field("JJD"), Note: c.field("by bike")}))
		}
		if strings.HasSuffix(path, "{id}/refund") {
			stafftest.PayFee(c.Server, i)
		}
		c.last = i.Reference
		if strings.Contains(path, "/photos/{image}") {
			c.image = testkit.Must(c.Services.Items.UploadImage(ctx, c.Actor, c.hotel.ID, i.ID,
				bytes.NewReader(tinyPNG), lost.IdempotencyKey{})).Images[0].ID()
		}
		if strings.HasSuffix(path, "/photo") {
			c.photo = testkit.Must(c.Services.Items.UploadImage(ctx, c.Actor, c.hotel.ID, i.ID,
				bytes.NewReader(tinyPNG),
				lost.IdempotencyKey{})).ImageFile
		}
		return i.ID
	case "image":
		return c.image
	case "reference":
		return c.newItem().Reference
	case "count":
		count, misplaced := testkit.Must(c.Services.Counts.Begin(ctx, c.Actor, c.hotel.ID, c.newItem().StoragePlace,
			false)),
			c.newItem()
		_, _, err := c.Services.Counts.RecordScan(ctx, c.Actor, c.hotel.ID, count.ID, misplaced.Reference)
		c.misplaced = misplaced.ID
		return testkit.Must(count.ID, err)
	case "decision":
		decided, _, err := c.Services.Storage.DecideOverdue(ctx, c.Actor, c.hotel.ID, []string{c.newItem().ID},
			lost.Donated,
			time.Time{})
		return testkit.Must(decided, err)[0].ID
	case "import":
		quoted := func(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }
		text := "description," + quoted(c.uniqueText("Size")) + "\n" + quoted(c.uniqueText("Scarf")) + ",1\n,2\n"
		return testkit.Must(c.Services.Imports.Stage(ctx, c.Actor, c.hotel.ID, c.uniqueText("finds.csv"),
			strings.NewReader(text))).ID
	case "view":
		// Only users who may view items have saved views.
		if !u.Role.Has(lost.ViewItems) {
			u = c.Owner
		}
		return testkit.Must(c.Services.Views.Create(ctx, u.Actor(),
			lost.ViewPatch{Name: c.field("View"), Query: lost.Set("q=hat")})).ID
	case "key":
		return testkit.Must(c.Services.Keys.Create(ctx, c.Actor, lost.KeyPatch{Name: c.field("Key")},
			lost.IdempotencyKey{})).ID
	case "message":
		c.newItem()
		return testkit.Must(c.Services.Messages.List(ctx, c.Actor,
			lost.MessageFilter{PageCursor: lost.PageCursor{Limit: 1}})).Data[0].ID
	case "user":
		return c.newUser(lost.DeskRole, nil).ID
	case "webhook":
		return c.sent.EndpointID
	case "delivery":
		return c.sent.ID
	case "event":
		return c.sent.EventID
	}
	return c.recordForUser(name, path, u)
}

// recordForUser is the part of record for parameters that name one of the user's own records or a fixed value.
func (c *fixture) recordForUser(name, path string, u lost.User) (value string) {
	if u.ID == "" {
		u = c.Owner
	}
	switch name {
	case "session":
		s, _ := c.Session(u, lost.Client{Agent: c.text})
		return s.ID
	case "browser":
		s, _ := c.Session(u, lost.Client{Agent: c.text})
		value = lost.NewID(lost.PushID, c.Clock.Now())
		testkit.Must(0, c.DB.Write(c.T.Context(), func(tx *store.Tx) error {
			return tx.SavePushSubscription(notice.Subscription{Account: u.Account, ID: value, UserID: u.ID,
				SessionID: s.ID, Endpoint: "https://push.example/" + value, CreatedAt: tx.Now()})
		}))
	case "passkey":
		name := c.uniqueText("Phone")
		testkit.Must(0, c.DB.Write(c.T.Context(), func(tx *store.Tx) error {
			p := lost.NewPasskey(u, name, "{}", tx.Now())
			value = p.ID
			return tx.InsertPasskey(p, store.DirectoryHash(p.ID))
		}))
	case "invitation":
		return c.ticket(lost.InvitationLink, u).ID
	case "token":
		if strings.HasPrefix(path, "/notices/stop/") {
			return testkit.Must(c.DB.NoticeToken(u.Account, u.ID))
		}
		for _, kind := range []lost.EmailLinkKind{lost.InvitationLink, lost.AddressLink, lost.ResetLink} {
			if strings.HasPrefix(path, kind.Path()) {
				value = testkit.Must(c.DB.TicketToken(c.ticket(kind, u)))
			}
		}
	default:
		value = map[string]string{"place": "Shelf", "kind": "store-until", "part": "about", "name": "192.png"}[name]
	}
	if value == "" {
		c.T.Fatalf("%s: recordForUser does not support the parameter {%s}", path, name)
	}
	return value
}

func (c *fixture) ticket(kind lost.EmailLinkKind, u lost.User) (t lost.EmailLink) {
	name := c.uniqueText("Ben")
	testkit.Must(0, c.DB.Write(context.Background(), func(tx *store.Tx) error {
		t = lost.NewEmailLink(kind, u, rand.Text()+"@homeward.example", tx.Now())
		t.Name, t.Role = name, lost.DeskRole
		return tx.SendTicket(t)
	}))
	return t
}

var inBraces = regexp.MustCompile(`\{([^}]+)\}`)

// pathFor fills in the parameters of a path with new records.
func (c *fixture) pathFor(path string, u lost.User) string {
	return inBraces.ReplaceAllStringFunc(path, func(name string) string {
		if name == "{$}" {
			return ""
		}
		return c.record(strings.Trim(name, "{}."), path, u)
	})
}

// pathToNothing fills in the parameters of a path with unknown values.
func pathToNothing(path string) string {
	return inBraces.ReplaceAllStringFunc(path, func(name string) string {
		if name == "{$}" {
			return ""
		}
		return "nothing"
	})
}

// formFor returns a form that the route at path accepts. It is empty if the route accepts an empty form.
func (c *fixture) formFor(path string) (body, kind string) {
	fields := url.Values{}
	switch path {
	case "/at":
		fields.Set("location", c.hotel.ID)
	case "/at/{location}/counts/{count}/correct":
		fields.Set("item", c.misplaced)
	case "/at/{location}/requests/{id}/refuse":
		fields.Set("item", c.newItem().ID)
	case "/at/{location}/items/{id}":
		fields = url.Values{"group": {"notes"}, "seen": {"1"}, "notes": {"wet"}}
	case "/at/{location}/items/{id}/photo":
		fields = url.Values{"do": {"first"}, "file": {c.photo}}
	case "/settings/categories/undo":
		last, _, err := c.Services.Categories.State(c.T.Context(), c.Actor)
		if err == nil && last.ID == "" {
			last, err = c.Services.Categories.Start(c.T.Context(), c.Actor)
		}
		fields.Set("run", testkit.Must(last, err).ID)
	case "/at/{location}/scan/undo":
		fields = url.Values{"item": {c.newItem().ID}, "place": {"Shelf"}, "before": {"Cellar"}}
	case "/at/{location}/items/{id}/delete":
		fields.Set("reference", c.last)
	case "/locations/{location}/delete":
		fields.Set("confirm", c.named.Name)
	case "/at/{location}/items/bulk":
		fields = url.Values{"do": {"export"}, "item": {c.newItem().ID}}
	case "/at/{location}/scan":
		fields.Set("code", c.newItem().Reference)
	case "/settings/events/{event}/send":
		fields.Set("webhook", c.sent.EndpointID)
	case "/at/{location}/items/{id}/photos":
		return stafftest.FileForm("image", tinyPNG)
	case "/at/{location}/items/{id}/photo-fact":
		fields = url.Values{"field": {"color"}, "value": {"red"}}
	case "/at/{location}/items/{id}/suggestion":
		fields.Set("do", "dismiss")
	case "/at/{location}/find/{id}/photos", "/at/{location}/photo-facts":
		return stafftest.FileForm("photo", tinyPNG)
	case "/locations/{location}/logo":
		return stafftest.FileForm("logo", tinyPNG)
	case "/at/{location}/import":
		return stafftest.FileForm("file", []byte("description\nHat\n"))
	case "/locations/{location}/stays/list":
		return stafftest.FileForm("file", []byte("room,departure,name\n207,2026-11-14,Anna\n"))
	case "/at/{location}/papers/hand-over/record":
		return multipartForm(url.Values{})
	case "/at/{location}/items/{id}/hand-over":
		return multipartForm(url.Values{"name": {"Anna"}, "unchecked": {"yes"}})
	case "/at/{location}/scan/read":
		return string(tinyPNG), "image/png"
	}
	return fields.Encode(), "application/x-www-form-urlencoded"
}

// tinyPNG is a very small PNG picture.
var tinyPNG = func() []byte {
	var b bytes.Buffer
	testkit.Must(0, png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))))
	return b.Bytes()
}()

// clientAddress is the address from which send sends requests.
const clientAddress = "192.0.2.1"

// send sends a request in a new session, because some requests end the session in which they are sent.
func (c *fixture) send(handler http.Handler, r row, path string, u lost.User) *httptest.ResponseRecorder {
	c.T.Helper()
	var body, kind string
	if r.method == http.MethodPost {
		body, kind = c.formFor(r.path)
	}
	if strings.HasSuffix(r.path, "/accept") {
		path += "?item=" + c.newItem().ID
	}
	req := httptest.NewRequestWithContext(c.T.Context(), r.method, c.at+path, strings.NewReader(body))
	if r.path != "/at/{location}/find/{id}/photos" { // this route returns more specific errors to scripts
		req.Header.Set("Accept", "text/html")
	}
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.RemoteAddr = clientAddress + ":1234"
	req.Header.Set("Content-Type", kind)
	if u.ID != "" {
		_, token := c.Session(u, lost.Client{})
		req.AddCookie(&http.Cookie{Name: "session", Value: token})
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, req)
	return w
}
