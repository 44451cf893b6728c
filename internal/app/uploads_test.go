package app_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"homeward/internal/store/storetest"
)

const (
	maxLogo  = 2 << 20
	maxImage = 10 << 20
)

// upload sends a file in a form.
func (s *service) upload(path, part string, data []byte) (response, error) {
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	file, err := form.CreateFormFile(part, "picture")
	if err != nil {
		return response{}, err
	}
	if _, err = file.Write(data); err != nil {
		return response{}, err
	}
	if err := form.Close(); err != nil {
		return response{}, err
	}
	r, err := http.NewRequest("POST", s.url+path, &b)
	if err != nil {
		return response{}, err
	}
	r.Header.Set("svc-api-key", s.key)
	r.Header.Set("Content-Type", form.FormDataContentType())
	return s.send(r)
}

// sendingClient is a Python program that sends a whole request before it reads the response, as http.client does.
const sendingClient = `
import http.client, sys
host, key, path, content_type, size = sys.argv[1:]
head = b'--x\r\nContent-Disposition: form-data; name="image"; filename="a.jpg"\r\n\r\n'
body = (head if content_type.startswith("multipart") else b"") + b" " * int(size)
connection = http.client.HTTPConnection(host)
connection.request("POST", path, body, {"svc-api-key": key, "Content-Type": content_type})
print(connection.getresponse().status)
`

// Clients that send everything before they read the response get the error, and not a broken connection.
func TestAnErrorArrivesAlthoughTheBodyIsTooLarge(t *testing.T) {
	t.Parallel()
	s := startService(t, newConfig(t, ""))
	hotel := s.newLocation(`{"name": "Hotel"}`)
	items := "/v1/locations/" + hotel + "/items"
	image := items + "/" + s.newItem(hotel, `{"description": "Umbrella"}`) + "/upload-image"
	host := strings.TrimPrefix(s.url, "http://")
	python, missing := exec.LookPath("python3")
	for _, c := range []struct {
		name, key, path, contentType string
		size                         int
		want                         int
	}{
		{"JSON", s.key, items, "application/json", 8 << 20, http.StatusRequestEntityTooLarge},
		{"one byte of JSON too many", s.key, items, "application/json", 1<<20 + 1, http.StatusRequestEntityTooLarge},
		{"an image", s.key, image, "multipart/form-data; boundary=x", 30 << 20, http.StatusRequestEntityTooLarge},
		{"an image for no item", s.key, items + "/item_none/upload-image", "multipart/form-data; boundary=x", 8 << 20,
			http.StatusNotFound},
		{"an image with a wrong key", "hw_wrong", image, "multipart/form-data; boundary=x", 8 << 20,
			http.StatusUnauthorized},
	} {
		t.Run(c.name+" from Go", func(t *testing.T) {
			for range 5 { // a connection that is reset too early loses the response only sometimes
				if got := sendWholeRequest(t, host, c.key, c.path, c.contentType, c.size); got != c.want {
					t.Errorf("got %d, want %d", got, c.want)
				}
			}
		})
		t.Run(c.name+" from Python", func(t *testing.T) {
			if missing != nil && os.Getenv("CI") == "" {
				t.Skip("python3 is not installed")
			}
			out, err := exec.CommandContext(t.Context(), python, "-c", sendingClient, host, c.key, c.path,
				c.contentType, strconv.Itoa(c.size)).CombinedOutput()
			if err != nil || strings.TrimSpace(string(out)) != strconv.Itoa(c.want) {
				t.Errorf("%v: %s, want %d", err, out, c.want)
			}
		})
	}
}

// sendWholeRequest sends a request, and only then reads the status of the response.
func sendWholeRequest(t *testing.T, host, key, path, contentType string, size int) int {
	t.Helper()
	connection, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	head := ""
	if strings.HasPrefix(contentType, "multipart") {
		head = "--x\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a.jpg\"\r\n\r\n"
	}
	_, err = fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: %s\r\nsvc-api-key: %s\r\nContent-Type: %s\r\n"+
		"Content-Length: %d\r\n\r\n%s%s", path, host, key, contentType, len(head)+size, head, strings.Repeat(" ", size))
	if err != nil {
		t.Errorf("the connection broke while the body was sent: %v", err)
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Errorf("there is no response: %v", err)
		return 0
	}
	_ = response.Body.Close()
	return response.StatusCode
}

func TestUploadSizeLimit(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := startService(t, newConfig(t, setting))
		hotel := s.newLocation(`{"name": "Hotel"}`)
		umbrella := s.newItem(hotel, `{"description": "Umbrella"}`)
		image := "/v1/locations/" + hotel + "/items/" + umbrella + "/upload-image"
		for _, c := range []struct {
			path, part string
			data       []byte
			status     int
		}{
			{
				"/v1/locations/" + hotel + "/upload-logo", "logo", padded("png", maxLogo+1),
				http.StatusRequestEntityTooLarge,
			},
			{
				"/v1/locations/" + hotel + "/upload-logo", "logo", padded("jpeg", maxLogo+1),
				http.StatusRequestEntityTooLarge,
			},
			{image, "image", padded("jpeg", maxImage+1), http.StatusRequestEntityTooLarge},
			{image, "image", padded("png", maxImage+1), http.StatusRequestEntityTooLarge},
			{image, "image", padded("text", maxImage+1), http.StatusRequestEntityTooLarge},
			{image, "image", padded("text", 1000), http.StatusUnsupportedMediaType},
			{image, "image", picture("png")[:60], http.StatusUnsupportedMediaType},
			{image, "image", bomb(), http.StatusUnprocessableEntity},
			{image, "image", nil, http.StatusUnsupportedMediaType},
		} {
			a, err := s.upload(c.path, c.part, c.data)
			if err != nil || a.status != c.status {
				t.Errorf("%s of %d bytes returned %d, want %d: %v %s", c.part, len(c.data), a.status, c.status, err,
					a.body)
			}
		}
		if files := s.listFiles(); len(files) > 0 {
			t.Errorf("rejected uploads left files behind: %v", files)
		}
		if files := listFiles(t, filepath.Join(s.cfg.Data, "tmp")); len(files) > 0 {
			t.Errorf("rejected uploads left temporary files behind: %v", files)
		}
		a, err := s.upload("/v1/locations/"+hotel+"/upload-logo", "logo", padded("png", maxLogo))
		if err != nil || a.status != http.StatusOK {
			t.Errorf("a logo of exactly the limit returned %d: %v %s", a.status, err, a.body)
		}
		a, err = s.upload(image, "image", padded("jpeg", maxImage))
		if err != nil || a.status != http.StatusOK {
			t.Errorf("an image of exactly the limit returned %d: %v %s", a.status, err, a.body)
		}
	})
}

// bomb returns a small PNG file that claims to be 100,000 pixels wide and high.
func bomb() []byte {
	data := slices.Clone(picture("png"))
	copy(data[16:24], []byte{0, 1, 0x86, 0xa0, 0, 1, 0x86, 0xa0})
	return fixCRC(data)
}

func TestItemImagesAreDeletedWithTheItem(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := startService(t, newConfig(t, setting))
		hotel := s.newLocation(`{"name": "Hotel"}`)
		umbrella := s.newItem(hotel, `{"description": "Umbrella"}`)
		path := "/v1/locations/" + hotel + "/items/" + umbrella
		const most = 50
		for n := range most {
			a, err := s.upload(path+"/upload-image", "image", picture("png"))
			if err != nil || a.status != http.StatusOK {
				t.Fatalf("image %d returned %d: %v %s", n, a.status, err, a.body)
			}
		}
		a, err := s.upload(path+"/upload-image", "image", picture("png"))
		if err != nil || a.status != http.StatusConflict {
			t.Errorf("image %d returned %d, want 409: %v %s", most, a.status, err, a.body)
		}
		record := s.must(http.StatusOK, "GET", path, nil)
		images := record["images"].([]any)
		if len(images) != most {
			t.Fatalf("%d images, want %d", len(images), most)
		}
		newest := images[0].(map[string]any)
		if record["imageUrl"] != newest["url"] {
			t.Errorf("imageUrl is %v, want the newest, %v", record["imageUrl"], newest["url"])
		}
		for n := 1; n < len(images); n++ {
			if at := images[n].(map[string]any)["createdAt"].(string); at >
				images[n-1].(map[string]any)["createdAt"].(string) {
				t.Errorf("image %d is newer than the one before it", n)
			}
		}
		waitUntil(t, "every thumbnail exists", func() bool { return len(s.listFiles()) == 2*most })
		thumb := strings.TrimPrefix(newest["thumbnailUrl"].(string), s.url)
		if a := s.do("", "GET", thumb, nil); a.status != http.StatusOK || a.header.Get("Content-Type") != "image/png" {
			t.Errorf("the thumbnail returned %d %s", a.status, a.header.Get("Content-Type"))
		}
		s.must(http.StatusNoContent, "DELETE", path, nil)
		waitUntil(t, "the item's files are removed", func() bool { return len(s.listFiles()) == 0 })
	})
}

// damagedPhoto returns a JPEG whose structure is valid, but whose pixels are incomplete.
func damagedPhoto(t *testing.T) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 800, 600))
	for i := range m.Pix {
		m.Pix[i] = byte(i * i >> 7)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return append(b.Bytes()[:b.Len()/2], 0xff, 0xd9)
}

func TestADamagedPhotoIsRemovedAndTheHistorySaysSo(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := startService(t, newConfig(t, setting))
		hotel := s.newLocation(`{"name": "Hotel"}`)
		path := "/v1/locations/" + hotel + "/items/" + s.newItem(hotel, `{"description": "Umbrella"}`)
		good, err := s.upload(path+"/upload-image", "image", picture("jpeg"))
		if err != nil || good.status != http.StatusOK {
			t.Fatalf("%d %v %s", good.status, err, good.body)
		}
		kept := s.must(http.StatusOK, "GET", path, nil)["imageUrl"]
		bad, err := s.upload(path+"/upload-image", "image", damagedPhoto(t))
		if err != nil || bad.status != http.StatusOK {
			t.Fatalf("%d %v %s", bad.status, err, bad.body)
		}
		var uploaded struct{ ImageURL string }
		if err := json.Unmarshal(bad.body, &uploaded); err != nil || uploaded.ImageURL == kept {
			t.Fatalf("got %+v, %v, want the new image", uploaded, err)
		}
		waitUntil(t, "the damaged photo is removed", func() bool {
			i := s.must(http.StatusOK, "GET", path, nil)
			return len(i["images"].([]any)) == 1 && i["imageUrl"] == kept
		})
		history, _ := s.listAll(path + "/history")
		newest := history[0]
		if newest["action"] != "image-removed" || newest["actor"].(map[string]any)["type"] != "service" ||
			!strings.Contains(text(newest["note"]), "damaged") {
			t.Errorf("the newest entry is %v", newest)
		}
		file := strings.TrimPrefix(uploaded.ImageURL, s.url)
		waitUntil(t, "its file is removed", func() bool {
			return s.do("", "GET", file, nil).status == http.StatusNotFound
		})
		waitUntil(t, "only the other photo's files are left", func() bool { return len(s.listFiles()) == 2 })
	})
}

func TestADamagedPhotoLeavesTheMainImageAsItWas(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := startService(t, newConfig(t, setting))
		hotel := s.newLocation(`{"name": "Hotel"}`)
		const external = "https://elsewhere.example/umbrella.jpg"
		path := "/v1/locations/" + hotel + "/items/" +
			s.newItem(hotel, `{"description": "Umbrella", "imageUrl": "`+external+`"}`)
		upload := func(data []byte) any {
			t.Helper()
			a, err := s.upload(path+"/upload-image", "image", data)
			if err != nil || a.status != http.StatusOK {
				t.Fatalf("%d %v %s", a.status, err, a.body)
			}
			return s.must(http.StatusOK, "GET", path, nil)["imageUrl"]
		}
		waitForMain := func(photos int, want any) {
			t.Helper()
			waitUntil(t, "the damaged photo is removed", func() bool {
				i := s.must(http.StatusOK, "GET", path, nil)
				return len(i["images"].([]any)) == photos && i["imageUrl"] == want
			})
		}
		upload(damagedPhoto(t))
		waitForMain(0, external)
		first := upload(picture("jpeg"))
		upload(picture("jpeg"))
		s.must(http.StatusOK, "PUT", path, map[string]any{"imageUrl": first})
		upload(damagedPhoto(t))
		waitForMain(2, first)
	})
}

// A stop between the response and the job loses neither the photo nor the job.
func TestAPhotoIsVerifiedAfterARestart(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		cfg := newConfig(t, setting)
		s := startService(t, cfg)
		hotel := s.newLocation(`{"name": "Hotel"}`)
		path := "/v1/locations/" + hotel + "/items/" + s.newItem(hotel, `{"description": "Umbrella"}`)
		for _, data := range [][]byte{picture("jpeg"), damagedPhoto(t)} {
			if a, err := s.upload(path+"/upload-image", "image", data); err != nil || a.status != http.StatusOK {
				t.Fatalf("%d %v %s", a.status, err, a.body)
			}
		}
		if err := s.stop(); err != nil { // whether or not the jobs have finished
			t.Fatal(err)
		}
		s = startService(t, cfg)
		waitUntil(t, "the damaged photo is removed", func() bool {
			return len(s.must(http.StatusOK, "GET", path, nil)["images"].([]any)) == 1
		})
		waitUntil(t, "the thumbnail exists", func() bool { return len(s.listFiles()) == 2 })
	})
}

func TestFilesOfADeletedLocationAreRemovedAfterARestart(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		cfg := newConfig(t, setting)
		s := startService(t, cfg)
		hotel := s.newLocation(`{"name": "Hotel"}`)
		for n := range 5 {
			id := s.newItem(hotel, fmt.Sprintf(`{"description": "Item %d"}`, n))
			if a, err := s.upload("/v1/locations/"+hotel+"/items/"+id+"/upload-image", "image",
				picture("jpeg")); err != nil || a.status != http.StatusOK {
				t.Fatalf("%d %v %s", a.status, err, a.body)
			}
		}
		s.must(http.StatusNoContent, "DELETE", "/v1/locations/"+hotel, nil)
		if err := s.stop(); err != nil { // whether or not the jobs have finished
			t.Fatal(err)
		}
		s = startService(t, cfg)
		waitUntil(t, "all files are removed", func() bool { return len(s.listFiles()) == 0 })
		if _, total := s.listAll("/v1/locations"); total != 0 {
			t.Errorf("%d locations are left", total)
		}
	})
}

func TestAbortedUploadLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := startService(t, newConfig(t, setting))
		hotel := s.newLocation(`{"name": "Hotel"}`)
		body, feed := io.Pipe()
		r, err := http.NewRequest("POST", s.url+"/v1/locations/"+hotel+"/upload-logo", body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("svc-api-key", s.key)
		r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		go func() {
			_, _ = io.WriteString(feed, "--b\r\nContent-Disposition: form-data; name=\"logo\"; filename=\"a\"\r\n\r\n")
			_, _ = feed.Write(picture("png")[:50])
			_ = feed.CloseWithError(io.ErrUnexpectedEOF)
		}()
		if _, err := s.client.Do(r); err == nil {
			t.Error("the upload was not aborted")
		}
		waitUntil(t, "the request has ended", func() bool { return strings.Contains(s.log.String(), "upload-logo") })
		if files := append(s.listFiles(), listFiles(t, filepath.Join(s.cfg.Data, "tmp"))...); len(files) > 0 {
			t.Errorf("files are left behind: %v", files)
		}
		if l := s.must(http.StatusOK, "GET", "/v1/locations/"+hotel, nil); l["logoUrl"] != nil {
			t.Errorf("the location has a logo: %v", l["logoUrl"])
		}
	})
}

// redThing returns a JPEG of a red thing on a grey table.
func redThing(t testing.TB) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 400, 300))
	draw.Draw(m, m.Rect, image.NewUniform(color.RGBA{150, 152, 150, 255}), image.Point{}, draw.Src)
	draw.Draw(m, image.Rect(80, 60, 320, 240), image.NewUniform(color.RGBA{190, 30, 40, 255}), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestFactsOfAPhotoAreReturnedAndDoNotCountAsAChange(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := startService(t, newConfig(t, setting))
		hotel := s.newLocation(`{"name": "Hotel"}`)
		path := "/v1/locations/" + hotel + "/items/" + s.newItem(hotel, `{"description": "Umbrella"}`)
		var first, last response
		for n := range 2 {
			uploaded, err := s.upload(path+"/upload-image", "image", redThing(t))
			if err != nil || uploaded.status != http.StatusOK {
				t.Fatalf("%d %v %s", uploaded.status, err, uploaded.body)
			}
			last = uploaded
			if n == 0 {
				first = uploaded
			}
		}
		before := s.must(http.StatusOK, "GET", path, nil)
		var i map[string]any
		waitUntil(t, "the colours of the photos are known", func() bool {
			i = s.must(http.StatusOK, "GET", path, nil)
			return !slices.ContainsFunc(i["images"].([]any), func(image any) bool {
				return !reflect.DeepEqual(image.(map[string]any)["colors"], []any{"red"})
			})
		})
		main := i["images"].([]any)[0].(map[string]any)
		if main["orientation"] != "landscape" || main["codes"] != nil {
			t.Errorf("the image is %v", main)
		}
		if i["updatedAt"] != before["updatedAt"] || i["color"] != nil {
			t.Errorf("the facts have changed the item: %v", i)
		}
		stale, current := first.header.Get("ETag"), last.header.Get("ETag")
		if a := s.putIfMatch(path, stale, `{"notes": "Stale"}`); a.status != http.StatusPreconditionFailed {
			t.Errorf("the tag from before the second photo: status %d, want 412", a.status)
		}
		if a := s.putIfMatch(path, current, `{"notes": "Wet"}`); a.status != http.StatusOK {
			t.Errorf("the tag of the last upload: status %d, want 200: %s", a.status, a.body)
		}
		if a := s.putIfMatch(path, current, `{"notes": "Dry"}`); a.status != http.StatusPreconditionFailed {
			t.Errorf("the same tag again: status %d, want 412", a.status)
		}
		list := before["images"].([]any) // as a client sends them back that has read them before the colours were known
		s.must(http.StatusOK, "PUT", path, map[string]any{"images": list, "notes": "Dry"})
		list[0].(map[string]any)["colors"] = []any{"blue"}
		s.must(http.StatusUnprocessableEntity, "PUT", path, map[string]any{"images": list})
	})
}
