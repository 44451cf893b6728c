package stafftest

import (
	"bytes"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"regexp"
	"time"

	"homeward/internal/lost"
	"homeward/internal/outbox"
	"homeward/internal/testkit"
)

// FullStorage is a server with a hotel that has items past their storage time.
type FullStorage struct {
	*testkit.Server
	outbox *outbox.Outbox
	Hotel  lost.Location
	Path   string
}

// NewFullStorage records items with these descriptions and advances the clock past their storage time.
func NewFullStorage(h *testkit.Server, what ...string) *FullStorage {
	s := &FullStorage{Server: h, Hotel: h.NewLocation("Hotel Adler")}
	s.Path = "/at/" + s.Hotel.ID + "/storage"
	testkit.Must(h.Services.Locations.Update(h.T.Context(), h.Actor, s.Hotel.ID,
		lost.LocationPatch{Charity: lost.Set("Caritas")}))
	s.outbox = outbox.New(outbox.Options{
		DB: h.DB, Clearances: h.Services.Storage, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		KeepDeliveries: time.Hour,
		Observe:        func(lost.DeliveryState, time.Duration) {},
	})
	for _, text := range what {
		h.NewItem(s.Hotel, text)
	}
	h.Clock.Advance(31 * 24 * time.Hour)
	s.RunJobs()
	return s
}

// RunJobs runs the background jobs that are due.
func (s *FullStorage) RunJobs() {
	s.Clock.Advance(10 * time.Millisecond)
	for range 100 {
		if testkit.Must(s.outbox.CheckItemsOnce(s.T.Context()))+testkit.Must(s.outbox.RunOnce(s.T.Context())) == 0 {
			return
		}
	}
}

// Item returns the item with this description. The test fails unless there is exactly one.
func (s *FullStorage) Item(what string) lost.Item {
	s.T.Helper()
	list := testkit.Must(s.Services.Items.List(s.T.Context(), s.Actor, s.Hotel.ID,
		lost.ItemFilter{Term: what, Page: lost.FirstPage()}))
	if len(list.Data) != 1 {
		s.T.Fatalf("got %d items with the description %q, want 1", len(list.Data), what)
	}
	return list.Data[0]
}

// FlashText opens a page and returns the flash message on it.
func FlashText(v *testkit.Visitor, path string) string {
	text := regexp.MustCompile(`(?s)role="status"><p>(.*?)</p>`).FindStringSubmatch(v.Get(path).Body)
	if text == nil {
		return ""
	}
	return text[1]
}

// SignedForm returns a request with a signed hand-over form, as a browser would send it.
func SignedForm(s *FullStorage, path, name, picture string, more ...string) *http.Request {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	testkit.Must(0, w.WriteField("recipient", name))
	testkit.Must(0, w.WriteField("idChecked", "yes"))
	testkit.Must(0, w.WriteField("signature", picture))
	for n := 0; n < len(more); n += 2 {
		testkit.Must(0, w.WriteField(more[n], more[n+1]))
	}
	testkit.Must(0, w.Close())
	r := httptest.NewRequestWithContext(s.T.Context(), http.MethodPost, testkit.Base+path, &b)
	r.Header.Set("Content-Type", w.FormDataContentType())
	return r
}
