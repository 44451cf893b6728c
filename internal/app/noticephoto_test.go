package app_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"net/http"
	"strings"
	"testing"

	"homeward/internal/store/storetest"
)

// The notice shows the newest photo of the item, scaled down.
func TestTheNoticeHasThePhotoOfTheItem(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		var photo bytes.Buffer
		if err := jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 1600, 1200)), nil); err != nil {
			t.Fatal(err)
		}
		i := newSite(t, setting, hotelAdler())
		item := i.must(http.StatusCreated, "POST", i.location+"/items", map[string]any{"description": "Umbrella"})
		path := i.location + "/items/" + item["id"].(string)
		if r, err := i.upload(path+"/upload-image", "image", photo.Bytes()); err != nil || r.status != http.StatusOK {
			t.Fatalf("%d %s %v", r.status, r.body, err)
		}
		i.must(http.StatusOK, "PUT", path, map[string]any{"owner": map[string]any{"email": "anna@example.com"}})
		m := i.mails.Next(t, "anna@example.com")
		config, err := jpeg.DecodeConfig(bytes.NewReader(m.Photo))
		if err != nil || max(config.Width, config.Height) != 640 || !strings.Contains(m.HTML, "cid:photo@homeward") {
			t.Errorf("the photo has %d bytes, %d x %d pixels: %v", len(m.Photo), config.Width, config.Height, err)
		}
	})
}
