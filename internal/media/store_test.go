package media_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"homeward/internal/lost"
	"homeward/internal/media"
)

// eachStore runs a test on every kind of store. If HOMEWARD_TEST_S3 is set, it adds a real server, which is stricter
// than the fake.
func eachStore(t *testing.T, test func(t *testing.T, store media.Store)) {
	settings := map[string]func(t *testing.T) string{
		"disk": func(t *testing.T) string { return filepath.Join(t.TempDir(), "new", "files") },
		"S3":   func(t *testing.T) string { return fakeS3(t) + "&prefix=some/folder" },
	}
	if real := os.Getenv("HOMEWARD_TEST_S3"); real != "" {
		settings["real S3"] = func(t *testing.T) string {
			return real + separator(real) + "prefix=" + strings.ToLower(strings.ReplaceAll(t.Name(), "/", "-")) +
				media.NewName("x")
		}
	}
	for name, setting := range settings {
		t.Run(name, func(t *testing.T) { test(t, open(t, setting(t))) })
	}
}

func separator(setting string) string {
	if strings.Contains(setting, "?") {
		return "&"
	}
	return "?"
}

func open(t testing.TB, setting string) media.Store {
	t.Helper()
	store, err := media.Open(t.Context(), setting)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func fakeS3(t testing.TB) string {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("lost"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	return "s3://lost?access_key=key&secret_key=very+secret&path_style=true&endpoint=" + server.URL
}

func put(t testing.TB, store media.Store, name, content string) {
	t.Helper()
	if err := store.Put(t.Context(), name, strings.NewReader(content), int64(len(content)),
		media.ContentType(name)); err != nil {
		t.Fatal(err)
	}
}

func content(t testing.TB, store media.Store, name string) string {
	t.Helper()
	f, err := store.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(f.Content)
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(b)) != f.Size {
		t.Errorf("Size is %d, there are %d bytes", f.Size, len(b))
	}
	if age := time.Since(f.ModTime); age < -time.Hour || age > time.Hour {
		t.Errorf("ModTime is %v", f.ModTime)
	}
	return string(b)
}

func expectMissing(t testing.TB, store media.Store, name string) {
	t.Helper()
	if _, err := store.Open(t.Context(), name); lost.CodeOf(err) != lost.NotFound {
		t.Errorf("open %q: %v, want not-found", name, err)
	}
}

func names(t testing.TB, store media.Store) []string {
	t.Helper()
	var all []string
	if err := store.Walk(t.Context(), func(name string) error { all = append(all, name); return nil }); err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

func TestAStoreKeepsFiles(t *testing.T) {
	eachStore(t, func(t *testing.T, store media.Store) {
		name := media.NewName("jpg")
		expectMissing(t, store, name)
		put(t, store, name, "one")
		put(t, store, name, "another")
		if got := content(t, store, name); got != "another" {
			t.Errorf("got %q", got)
		}
		for range 2 {
			if err := store.Delete(t.Context(), name); err != nil {
				t.Errorf("delete: %v", err)
			}
		}
		expectMissing(t, store, name)
	})
}

func TestAFileCanBeReadFromAnyOffset(t *testing.T) {
	eachStore(t, func(t *testing.T, store media.Store) {
		name := media.NewName("png")
		put(t, store, name, "0123456789")
		f, err := store.Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		for _, at := range []int64{7, 2, 9, 0} {
			if _, err := f.Content.Seek(at, io.SeekStart); err != nil {
				t.Fatal(err)
			}
			if b, err := io.ReadAll(f.Content); err != nil || string(b) != "0123456789"[at:] {
				t.Errorf("from %d: %q, %v", at, b, err)
			}
		}
	})
}

func TestAFailedPutKeepsThePreviousFile(t *testing.T) {
	eachStore(t, func(t *testing.T, store media.Store) {
		old, fresh := media.NewName("jpg"), media.NewName("jpg")
		put(t, store, old, "whole")
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		for name, r := range map[string]io.Reader{
			"failing":  io.MultiReader(strings.NewReader("ha"), iotest.ErrReader(errors.New("cut off"))),
			"short":    strings.NewReader("half"),
			"empty":    iotest.ErrReader(errors.New("cut off")),
			"slow end": iotest.OneByteReader(strings.NewReader("half")),
		} {
			for _, file := range []string{old, fresh} {
				if err := store.Put(t.Context(), file, r, 10, "image/jpeg"); err == nil {
					t.Errorf("%s: no error", name)
				}
			}
		}
		if err := store.Put(cancelled, fresh, strings.NewReader("x"), 1, "image/jpeg"); !errors.Is(err,
			context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		if got := content(t, store, old); got != "whole" {
			t.Errorf("got %q", got)
		}
		expectMissing(t, store, fresh)
		if got := names(t, store); !slices.Equal(got, []string{old}) {
			t.Errorf("the store has %v", got)
		}
	})
}

func TestInvalidNamesAreNotFound(t *testing.T) {
	eachStore(t, func(t *testing.T, store media.Store) {
		good := media.NewName("jpg")
		for _, name := range []string{
			"", ".", "..", "../secret.key", "/etc/passwd", "a/b/" + good, "../" + good, good + "/..",
			strings.ToUpper(good),
			good + "\x00", strings.TrimSuffix(good, "jpg") + "html", good[1:], ".tmp/x", "C:\\x.jpg", good + "\n",
			" " + good,
		} {
			if err := store.Put(t.Context(), name, strings.NewReader("x"), 1,
				"image/jpeg"); lost.CodeOf(err) != lost.NotFound {
				t.Errorf("put %q: %v", name, err)
			}
			expectMissing(t, store, name)
			if err := store.Delete(t.Context(), name); err != nil {
				t.Errorf("delete %q: %v", name, err)
			}
		}
	})
}

func TestWalkVisitsEveryFileUntilVisitFails(t *testing.T) {
	eachStore(t, func(t *testing.T, store media.Store) {
		var want []string
		for range 40 {
			name := media.NewName("gif")
			put(t, store, name, "x")
			want = append(want, name)
		}
		slices.Sort(want)
		if got := names(t, store); !slices.Equal(got, want) {
			t.Errorf("got %d names, want %d", len(got), len(want))
		}
		stop, visited := errors.New("stop"), 0
		err := store.Walk(t.Context(), func(string) error { visited++; return stop })
		if !errors.Is(err, stop) || visited != 1 {
			t.Errorf("got %v after %d files, want the error after the first", err, visited)
		}
	})
}

func TestConcurrentPutsOfOneFile(t *testing.T) {
	eachStore(t, func(t *testing.T, store media.Store) {
		name := media.NewName("png")
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() { put(t, store, name, strings.Repeat("same", 10_000)) })
		}
		all.Wait()
		if got := content(t, store, name); got != strings.Repeat("same", 10_000) {
			t.Errorf("got %d bytes", len(got))
		}
	})
}

func TestCheckPassesAndLeavesNothing(t *testing.T) {
	eachStore(t, func(t *testing.T, store media.Store) {
		if err := store.Check(t.Context()); err != nil {
			t.Error(err)
		}
		if got := names(t, store); len(got) > 0 {
			t.Errorf("left %v", got)
		}
	})
}

func TestDeletePictureRemovesTheThumbnail(t *testing.T) {
	eachStore(t, func(t *testing.T, store media.Store) {
		name := media.NewName("webp")
		put(t, store, name, "picture")
		put(t, store, media.ThumbName(name), "thumbnail")
		for range 2 {
			if err := media.DeletePicture(t.Context(), store, name); err != nil {
				t.Error(err)
			}
		}
		if got := names(t, store); len(got) > 0 {
			t.Errorf("left %v", got)
		}
	})
}

func TestCheckReportsAMissingBucket(t *testing.T) {
	store := open(t, strings.Replace(fakeS3(t), "s3://lost", "s3://elsewhere", 1))
	if err := store.Check(t.Context()); err == nil ||
		!strings.Contains(err.Error(), `bucket "elsewhere" does not exist`) {
		t.Errorf("got %v", err)
	}
}

func TestAnUnreachableServerIsUnavailable(t *testing.T) {
	server := httptest.NewServer(nil)
	store := open(t, "s3://lost?access_key=key&secret_key=very-secret&endpoint="+server.URL)
	server.Close()
	_, err := store.Open(t.Context(), media.NewName("jpg"))
	if lost.CodeOf(err) != lost.Unavailable {
		t.Errorf("got %v, want unavailable", err)
	}
	if err := store.Check(t.Context()); err == nil || strings.Contains(err.Error(), "very-secret") {
		t.Errorf("got %v", err)
	}
}

func TestNamesAreRandomAndThumbnailsDependOnThem(t *testing.T) {
	if a, b := media.NewName("jpg"), media.NewName("jpg"); a == b || len(a) < 26+4 {
		t.Errorf("%s and %s", a, b)
	}
	for name, want := range map[string]string{
		"abc.jpg": "abc-640.jpg", "abc.png": "abc-640.png", "abc.webp": "abc-640.png", "abc.gif": "abc-640.png",
	} {
		if got := media.ThumbName(name); got != want {
			t.Errorf("ThumbName(%s) = %s, want %s", name, got, want)
		}
	}
}

func TestAPictureIsSavedUnderANewName(t *testing.T) {
	eachStore(t, func(t *testing.T, store media.Store) {
		data := encodePNG(t, noise(300, 300))
		p, err := newProcessor(t).Receive(t.Context(), incoming(bytes.NewReader(data), plenty))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = p.Close() }()
		name, err := p.Save(t.Context(), store)
		if err != nil || !strings.HasSuffix(name, ".png") || content(t, store, name) != string(data) {
			t.Errorf("got %s, %v", name, err)
		}
	})
}
