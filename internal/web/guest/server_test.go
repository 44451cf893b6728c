package guest_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/html"

	"homeward/internal/courier"
	"homeward/internal/desk"
	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/media"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	v1 "homeward/internal/v1"
	"homeward/internal/web"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/guest"
	"homeward/internal/web/respond"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// server is the guest part of the service under test: the guest pages, and the services, database and files that they
// use.
type server struct {
	word     string // added to the texts of locations and items, if not empty
	t        *testing.T
	db       *store.DB
	clock    *storetest.Clock
	desk     *services.Services
	actor    lost.Actor
	first    identity.First
	carrier  *carrier
	provider *paymentProvider
	handler  http.Handler
	log      *lockedBuffer
	decoded  atomic.Int64 // how many photos were decoded
}

// eachDatabase runs fn as a subtest on every database, passing it a new server.
func eachDatabase(t *testing.T, fn func(t *testing.T, h *server)) {
	t.Helper()
	storetest.EachSetting(t, func(t *testing.T, setting string) { fn(t, open(t, setting)) })
}

// newServer makes a server on SQLite, for tests that do not depend on the database.
func newServer(t *testing.T) *server {
	t.Helper()
	return open(t, storetest.SQLite(t))
}

func open(t *testing.T, setting string) *server {
	t.Helper()
	clock := &storetest.Clock{}
	db := storetest.Open(t, setting, clock.Now)
	must(db.Migrate(t.Context()))
	h := &server{
		t: t, db: db, clock: clock, carrier: &carrier{Tariff: courier.Tariff{Now: clock.Now}},
		provider: &paymentProvider{by: lost.PayDesk, now: clock.Now}, log: &lockedBuffer{},
	}
	files := must(media.Open(t.Context(), t.TempDir()))
	processor := media.NewProcessor(t.TempDir())
	h.desk = services.New(services.Options{
		DB: db, Wire: v1.Encoder{Base: "https://homeward.example"}, Uploads: pictures{processor, files, &h.decoded},
		Messenger: messenger{}, Carrier: h.carrier, PaymentProvider: h.provider, Documents: documents{},
		Files: documents{}, Now: clock.Now, Wake: func() {}, WakeMessages: func() {},
		WakeDeliveries: func(...store.EndpointQueue) {}, Hashing: identity.Hashing{Memory: 8, Passes: 1},
	})
	first, _, err := h.desk.Accounts.CreateFirst(t.Context(), identity.FirstSettings{})
	if err != nil {
		t.Fatal(err)
	}
	h.actor, h.first = first.Key.Actor(), first
	pages := must(guest.New(guest.Options{
		Services: h.desk, Base: "https://homeward.example", FormKey: []byte("a key for forms in tests"),
		Assets: must(respond.NewAssets()), Now: clock.Now,
	}))
	h.handler = web.Handler(web.Options{
		API: http.NotFoundHandler(), Guest: pages, Log: slog.New(slog.NewTextHandler(h.log, nil)),
		Files: media.Handler(files, processor, func(w http.ResponseWriter, _ *http.Request, err error) {
			respond.Problem(w, err)
		}),
	})
	return h
}

// lockedBuffer is a log that can be read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// messenger is a fake that composes messages containing only the link.
type messenger struct{}

func (messenger) Sends(lost.Channel) bool { return true }

func (messenger) Compose(l lost.MessageData) (subject, text string, err error) { return "", l.URL, nil }

// pictures processes uploaded photos and stores them, as the service does.
type pictures struct {
	processor *media.Processor
	store     media.Store
	decoded   *atomic.Int64 // how many pictures were accepted for decoding
}

func (p pictures) Receive(ctx context.Context, in desk.IncomingPicture) (desk.Upload, error) {
	pic, err := p.processor.Receive(ctx, media.Incoming{
		Field: in.Field, Content: in.Content, Limit: in.Limit, Lane: media.PublicLane,
		Deferred: in.Deferred,
		BeforeDecode: func(sum [sha256.Size]byte) error {
			if in.BeforeDecode != nil {
				if err := in.BeforeDecode(hex.EncodeToString(sum[:])); err != nil {
					return err
				}
			}
			p.decoded.Add(1)
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	return &picture{pic, p.store, media.NewName(pic.Ext)}, nil
}

// Blurred returns no picture.
func (pictures) Blurred(context.Context, string) ([]byte, error) { return nil, nil }

func (p pictures) Verify(ctx context.Context, name string, _ bool) (desk.Verified, error) {
	facts, err := p.processor.Verify(ctx, p.store, name, media.PublicLane)
	return desk.Verified{Damaged: media.IsDamaged(err), Facts: &facts}, nil
}

// FindFacts finds nothing: guests do not ask for the facts of photos.
func (pictures) FindFacts(context.Context, string, io.Reader, int64) (lost.PhotoFacts, error) {
	return lost.PhotoFacts{}, nil
}

func (p pictures) Delete(ctx context.Context, names ...string) error {
	for _, name := range names {
		if err := media.DeletePicture(ctx, p.store, name); err != nil {
			return err
		}
	}
	return nil
}

type picture struct {
	pic   *media.Picture
	store media.Store
	name  string
}

func (u *picture) Image() lost.Image {
	return lost.Image{
		File: u.name, Thumbnail: media.ThumbName(u.name), ContentType: u.pic.ContentType, Width: u.pic.Width,
		Height: u.pic.Height, Size: u.pic.Size,
	}
}
func (u *picture) Save(ctx context.Context) error {
	return u.store.Put(ctx, u.name, u.pic.Content(), u.pic.Size, u.pic.ContentType)
}
func (u *picture) Close() { _ = u.pic.Close() }

// photo returns a JPEG with the given width and height.
func photo(width, height int) []byte {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.Set(x, y, color.RGBA{uint8(60 + 120*x/width), uint8(90 + 80*y/height), 110, 255})
		}
	}
	var b bytes.Buffer
	must(0, jpeg.Encode(&b, m, nil))
	return b.Bytes()
}

// must returns v, and panics on an error, which fails the test.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// adler returns a location with all fields set.
func adler() lost.LocationPatch {
	return lost.LocationPatch{
		Name: lost.Set("Hotel Adler"), Description: lost.Set("A house by the lake.\nOpen all year."),
		Website:     lost.Set("https://adler.example"),
		PrivacyText: lost.Set(privacyText), PrivacyURL: lost.Set(privacyURL),
		Address1: lost.Set("Seestraße 1"), ZipCode: lost.Set("14467"), City: lost.Set("Potsdam"),
		Country:         lost.Set("DE"),
		StorageDuration: lost.Set(30), StoragePlace: lost.Set("Shelf in the secret cellar"),
		TimeZone: lost.Set("Europe/Berlin"),
		Contact: lost.Set(lost.ContactPatch{
			Name: lost.Set("Marta Kahl"), Email: lost.Set("desk@adler.example"), Phone: lost.Set("+49 331 12345678"),
		}),
		Pickup: lost.Set(lost.PickupPatch{From: lost.Set("10:00"), To: lost.Set("18:00")}),
	}
}

func (h *server) location(p lost.LocationPatch) lost.Location {
	h.t.Helper()
	h.append(&p.Name, &p.Description, &p.PrivacyText, &p.Address1, &p.City, &p.Contact.Value.Name)
	return must(h.desk.Locations.Create(h.t.Context(), h.actor, p, lost.IdempotencyKey{}))
}

// append adds the server's long word to the texts that are set.
func (h *server) append(texts ...*lost.Field[string]) {
	for _, text := range texts {
		if text.Sent && h.word != "" {
			text.Value += " " + h.word
		}
	}
}

// umbrella returns an item with an owner.
func umbrella() lost.ItemPatch {
	return lost.ItemPatch{
		Description: lost.Set("Black umbrella with a wooden handle"), Brand: lost.Set("Brolly"),
		Color: lost.Set("black"), DiscoveryDate: lost.Set("2026-11-14"),
		DiscoveryPlace: lost.Set("Breakfast room"), Notes: lost.Set("The guest was rude"),
		StoragePlace: lost.Set("Box 7"), Value: lost.Value{Amount: 98765, Currency: "EUR"}.Patch(),
		Finder: lost.Set(lost.FinderPatch{
			Name: lost.Set("Zwirnmeister"), Email: lost.Set("finder@example.com"), WantsReward: lost.Set(true),
		}),
		Owner: lost.Set(lost.OwnerPatch{
			FirstName: lost.Set("Anna"), LastName: lost.Set("Berg"), Email: lost.Set("anna@example.com"),
		}),
	}
}

func (h *server) item(l lost.Location, p lost.ItemPatch) lost.Item {
	h.t.Helper()
	h.append(&p.Description, &p.Brand, &p.Model, &p.Color, &p.DiscoveryPlace, &p.Owner.Value.FirstName,
		&p.Owner.Value.LastName)
	return must(h.desk.Items.Create(h.t.Context(), h.actor, l.ID, p, lost.IdempotencyKey{}))
}

// link returns the path of the link that was sent to the owner of an item.
func (h *server) link(i lost.Item) string {
	h.t.Helper()
	messages := must(h.desk.Messages.ListOfItem(h.t.Context(), h.actor, i.LocationID, i.ID, lost.FirstPage()))
	for _, m := range messages.Data {
		if m.Text != "" {
			return strings.TrimPrefix(m.Text, "https://homeward.example")
		}
	}
	h.t.Fatal("no message was sent to the owner")
	return ""
}

// guest creates a location and an item with an owner, and returns them with the owner's link.
func (h *server) guest() (lost.Location, lost.Item, string) {
	h.t.Helper()
	l := h.location(adler())
	i := h.item(l, umbrella())
	return l, i, h.link(i)
}

// reload loads the current state of an item.
func (h *server) reload(i lost.Item) lost.Item {
	h.t.Helper()
	return must(h.desk.Items.Get(h.t.Context(), h.actor, i.LocationID, i.ID))
}

func (h *server) move(i lost.Item, p lost.MovePatch) {
	h.t.Helper()
	must(h.desk.Items.SetStatus(h.t.Context(), h.actor, i.LocationID, i.ID, p))
}

// response is an HTTP response with its page.
type response struct {
	*http.Response
	body string
	doc  *html.Node
}

func (h *server) do(r *http.Request) response {
	h.t.Helper()
	w := httptest.NewRecorder()
	h.handler.ServeHTTP(w, r)
	return read(w.Result())
}

func read(r *http.Response) response {
	body := must(io.ReadAll(r.Body))
	doc := must(html.Parse(bytes.NewReader(body)))
	return response{r, string(body), doc}
}

// get requests a page; headers are pairs of names and values.
func (h *server) get(path string, headers ...string) response {
	h.t.Helper()
	return h.do(withHeaders(httptest.NewRequest(http.MethodGet, path, nil), headers))
}

func withHeaders(r *http.Request, headers []string) *http.Request {
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// post sends a form without a file.
func (h *server) post(path string, form url.Values, headers ...string) response {
	h.t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return h.do(withHeaders(r, headers))
}

// send submits a form with a photo, as a browser would. The photo may be nil.
func (h *server) send(path string, form map[string]string, photo []byte, headers ...string) response {
	h.t.Helper()
	r := multipartRequest(path, form, photo)
	return h.do(withHeaders(r, headers))
}

func multipartRequest(path string, form map[string]string, photo []byte) *http.Request {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, value := range form {
		must(0, w.WriteField(name, value))
	}
	file := must(w.CreateFormFile("photo", "photo.jpg"))
	must(file.Write(photo))
	must(0, w.Close())
	r := httptest.NewRequest(http.MethodPost, path, &b)
	r.Header.Set("Content-Type", w.FormDataContentType())
	return r
}

// all returns the elements with a tag and, optionally, with an attribute that has a certain value.
func (a response) all(tag string, attribute ...string) []*html.Node {
	var found []*html.Node
	for n := range a.doc.Descendants() {
		if n.Type == html.ElementNode && n.Data == tag &&
			(len(attribute) == 0 || attr(n, attribute[0]) == attribute[1]) {
			found = append(found, n)
		}
	}
	return found
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// text returns the text of an element.
func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode && d.Parent.Data != "script" && d.Parent.Data != "style" {
			b.WriteString(d.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// shownText returns the text of the page.
func (a response) shownText() string { return text(a.all("body")[0]) }

// title returns the page's heading.
func (a response) title() string {
	if h1 := a.all("h1"); len(h1) == 1 {
		return text(h1[0])
	}
	return fmt.Sprintf("%d headings", len(a.all("h1")))
}

// fields returns the values that the page's form would send.
func (a response) fields() url.Values {
	values := url.Values{}
	for _, n := range a.all("input") {
		if attr(n, "name") != "" && attr(n, "type") != "file" && (attr(n, "type") != "radio" || hasAttr(n, "checked")) {
			values.Set(attr(n, "name"), attr(n, "value"))
		}
	}
	for _, n := range a.all("textarea") {
		if n.FirstChild != nil {
			values.Set(attr(n, "name"), n.FirstChild.Data)
		} else {
			values.Set(attr(n, "name"), "")
		}
	}
	for _, n := range a.all("option") {
		if hasAttr(n, "selected") {
			values.Set(attr(n.Parent, "name"), attr(n, "value"))
		}
	}
	return values
}

func hasAttr(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}

// fieldError returns the error message of a field.
func (a response) fieldError(field string) string {
	for _, n := range a.all("p", "id", field+"-error") {
		return text(n)
	}
	return ""
}

// want fails the test unless the page has the status and shows the texts.
func (a response) want(t *testing.T, status int, texts ...string) {
	t.Helper()
	if a.StatusCode != status {
		t.Errorf("got status %d, want %d: %.500s", a.StatusCode, status, a.shownText())
	}
	for _, s := range texts {
		if !strings.Contains(a.shownText(), s) {
			t.Errorf("the page does not show %q: %.1500s", s, a.shownText())
		}
	}
}

// redirects fails the test unless the response redirects to the given path.
func (a response) redirects(t *testing.T, to string) {
	t.Helper()
	if a.StatusCode != http.StatusSeeOther || a.Header.Get("Location") != to {
		t.Errorf("got status %d to %q, want 303 to %q: %.800s", a.StatusCode, a.Header.Get("Location"), to,
			a.shownText())
	}
}

const day = 24 * time.Hour
