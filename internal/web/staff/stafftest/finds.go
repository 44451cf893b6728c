package stafftest

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/jpeg"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"

	"homeward/internal/lost"
	"homeward/internal/testkit"
)

// JPEG returns a JPEG picture of the given size.
func JPEG(width, height int) []byte {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.Set(x, y, color.RGBA{uint8(60 + 120*x/width), uint8(90 + 80*y/height), 110, 255})
		}
	}
	var b bytes.Buffer
	testkit.Must(0, jpeg.Encode(&b, m, nil))
	return b.Bytes()
}

// SendFind sends the form to record a found item, as a browser without scripts would.
func SendFind(v *testkit.Visitor, at string, fields url.Values, photos ...[]byte) testkit.Response {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, photo := range photos { // photos come first in the form
		testkit.Must(testkit.Must(form.CreateFormFile("photo", "photo.jpg")).Write(photo))
	}
	for name, values := range fields {
		testkit.Must(0, form.WriteField(name, values[0]))
	}
	testkit.Must(0, form.Close())
	r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, testkit.Base+at, &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	return v.Do(r)
}

// NewestItem returns a location's newest item. The test fails if there is none.
func NewestItem(h *testkit.Server, l lost.Location) lost.Item {
	list := testkit.Must(h.Services.Items.List(context.Background(), h.Actor, l.ID,
		lost.ItemFilter{Page: lost.FirstPage()}))
	if len(list.Data) == 0 {
		h.T.Fatal("no item was recorded")
	}
	return list.Data[0]
}
