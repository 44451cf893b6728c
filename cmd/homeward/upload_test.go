package main_test

import (
	"bytes"
	"crypto/rand"
	"image"
	"image/png"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// newItemForm returns the body of the dashboard's item form and its Content-Type. The form contains a photo that is
// too large to be kept in memory.
func newItemForm(t *testing.T) (body, contentType string) {
	t.Helper()
	noise := image.NewRGBA(image.Rect(0, 0, 256, 256)) // random pixels cannot be compressed
	_, _ = rand.Read(noise.Pix)                        // never fails
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	_ = form.WriteField("description", "Umbrella") // writing to memory cannot fail
	part, _ := form.CreateFormFile("photo", "a.png")
	if err := png.Encode(part, noise); err != nil {
		t.Fatal(err)
	}
	_ = form.Close()
	const inMemory = 64 << 10
	if b.Len() < 3*inMemory {
		t.Fatalf("the form has only %d bytes", b.Len())
	}
	return b.String(), form.FormDataContentType()
}

// recordItem records an item with a photo in the dashboard.
func recordItem(t *testing.T, p *process) {
	t.Helper()
	hotel := "/locations/" + p.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Hotel"}`)["id"].(string)
	body, contentType := newItemForm(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		p.url+strings.Replace(hotel, "/locations", "/at", 1)+"/find", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = logIn(t, p)
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Accept", "text/html")
	res, err := patientClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusSeeOther {
		t.Errorf("the form returned %d: %s", res.StatusCode, p.stderr)
	}
	for _, item := range p.listAll("/v1" + hotel + "/items") {
		if item["imageUrl"] == nil {
			t.Errorf("the item has no photo: %v", item)
		}
	}
}

func TestUploadsUseOnlyTheDataFolder(t *testing.T) {
	recordItem(t,
		startService(t,
			append(withAdmin(newSettings(t, filepath.Join(t.TempDir(), "homeward.db"))), "TMPDIR=/nowhere")...))
}
