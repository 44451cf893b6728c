package media_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/media"
)

func serve(t *testing.T, h http.Handler, method, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func handler(t *testing.T, store media.Store) http.Handler {
	status := map[lost.Code]int{
		lost.NotFound: http.StatusNotFound, lost.NoMethod: http.StatusMethodNotAllowed,
		lost.Unavailable: http.StatusServiceUnavailable,
	}
	return media.Handler(store, newProcessor(t), func(w http.ResponseWriter, _ *http.Request, err error) {
		http.Error(w, string(lost.CodeOf(err)), status[lost.CodeOf(err)])
	})
}

func TestFilesAreServedWithSafeHeaders(t *testing.T) {
	eachStore(t, func(t *testing.T, store media.Store) {
		h := handler(t, store)
		for ext, want := range map[string]string{
			"jpg": "image/jpeg", "png": "image/png", "webp": "image/webp", "gif": "image/gif", "pdf": "application/pdf",
		} {
			name := media.NewName(ext)
			put(t, store, name, "<script>0123456789")
			w := serve(t, h, "GET", "/files/"+name)
			if w.Code != http.StatusOK || w.Body.String() != "<script>0123456789" {
				t.Errorf("%s: %d %q", ext, w.Code, w.Body)
			}
			cache := "public, max-age=31536000, immutable"
			policy := "default-src 'none'; sandbox; frame-ancestors 'none'"
			if ext == "pdf" { // a PDF contains an address, and PDF viewers do not work in a sandbox
				cache, policy = "private, no-store",
					"default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'"
			}
			for header, value := range map[string]string{
				"Content-Type":                 want,
				"Content-Length":               "18",
				"Content-Disposition":          "inline",
				"Cache-Control":                cache,
				"X-Content-Type-Options":       "nosniff",
				"Content-Security-Policy":      policy,
				"Cross-Origin-Resource-Policy": "cross-origin",
				"ETag":                         `"` + name + `"`,
			} {
				if got := w.Header().Get(header); got != value {
					t.Errorf("%s: %s is %q, want %q", ext, header, got, value)
				}
			}
			if w := serve(t, h, "HEAD", "/files/"+name); w.Code != http.StatusOK || w.Body.Len() != 0 ||
				w.Header().Get("Content-Length") != "18" {
				t.Errorf("HEAD: %d, %d bytes", w.Code, w.Body.Len())
			}
			w = serve(t, h, "GET", "/files/"+name, "If-None-Match", `"`+name+`"`)
			if w.Code != http.StatusNotModified {
				t.Errorf("with the current ETag: %d", w.Code)
			}
			if w := serve(t, h, "GET", "/files/"+name, "Range", "bytes=8-10"); w.Code != http.StatusPartialContent ||
				w.Body.String() != "012" {
				t.Errorf("a range: %d %q", w.Code, w.Body)
			}
			if w := serve(t, h, "POST", "/files/"+name); w.Code != http.StatusMethodNotAllowed {
				t.Errorf("POST: %d", w.Code)
			}
		}
	})
}

// Nothing may store a signature or a document with personal data. Photos and their thumbnails are cached forever.
func TestPrivateFilesAreNotStored(t *testing.T) {
	store := open(t, t.TempDir())
	h := handler(t, store)
	const forever, never = "public, max-age=31536000, immutable", "private, no-store"
	photo := media.NewName("png")
	for name, want := range map[string]string{
		media.NewName("jpg"): forever, photo: forever, media.ThumbName(photo): forever,
		media.NewName("pdf"): never, media.NewSignatureName("png"): never,
		"signatureabcdefghijklmnopqr.png": never, "signatureabcdefghijklmnopq.png": forever, // 27 and 26 characters
	} {
		put(t, store, name, "content")
		if got := serve(t, h, "GET", "/files/"+name).Header().Get("Cache-Control"); got != want {
			t.Errorf("%s: Cache-Control is %q, want %q", name, got, want)
		}
		if got := serve(t, h, "GET", "/files/"+name+"?private").Header().Get("Cache-Control"); got != never {
			t.Errorf("%s with ?private: Cache-Control is %q, want %q", name, got, never)
		}
	}
}

func TestAMissingFileIsNotCached(t *testing.T) {
	h := handler(t, open(t, t.TempDir()))
	name := media.NewName("jpg")
	for _, path := range []string{
		name, media.ThumbName(name), media.ThumbName(media.NewName("png")), "x", "..%2f..%2fsecret.key", "%00",
		name + ".html",
	} {
		w := serve(t, h, "GET", "/files/"+path)
		if w.Code != http.StatusNotFound || w.Header().Get("Cache-Control") != "no-store" ||
			w.Header().Get("ETag") != "" {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
	}
}

func TestAMissingThumbnailIsMadeDuringTheRequest(t *testing.T) {
	store := open(t, t.TempDir())
	h := handler(t, store)
	for ext, data := range map[string][]byte{
		"jpg": encodeJPEG(t, scene(720, 90)), "png": encodePNG(t, scene(720, 90)),
		"gif": encodeGIF(t, 1, scene(720, 90)), "webp": encodeWebP(720, 90),
	} {
		name := media.NewName(ext)
		put(t, store, name, string(data))
		w := serve(t, h, "GET", "/files/"+media.ThumbName(name))
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", ext, w.Code, w.Body)
		}
		wantScene(t, decodeAs(t, w.Header().Get("Content-Type"), w.Body.Bytes()), 640, 80)
		_ = content(t, store, media.ThumbName(name))
	}
	broken := media.NewName("jpg")
	put(t, store, broken, "no picture at all")
	w := serve(t, h, "GET", "/files/"+media.ThumbName(broken))
	if w.Code != http.StatusOK || w.Body.String() != "no picture at all" ||
		w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("Content-Type") != "image/jpeg" {
		t.Errorf("thumbnail of a broken picture: %d %q %v", w.Code, w.Body, w.Header())
	}
}

// downStore is a store that is unavailable.
type downStore struct{ media.Store }

func (downStore) Open(context.Context, string) (*media.File, error) {
	return nil, lost.E(lost.Unavailable, "Down.").WithCause(io.ErrClosedPipe)
}

func TestAFailingStoreIsReported(t *testing.T) {
	w := serve(t, handler(t, downStore{}), "GET", "/files/"+media.NewName("jpg"))
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Cache-Control") != "no-store" ||
		w.Body.String() != "unavailable\n" {
		t.Errorf("%d %v %q", w.Code, w.Header(), w.Body)
	}
}
