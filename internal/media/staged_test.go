package media_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"homeward/internal/media"
)

func TestAnUploadIsShownOnlyOnceItHasAName(t *testing.T) {
	eachStore(t, func(t *testing.T, store media.Store) {
		processor := newProcessor(t)
		data := encodeJPEG(t, noise(300, 200))
		receive := func() *media.Picture {
			in := deferred(data)
			in.Store = store
			p, err := processor.Receive(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		p, rejected := receive(), receive()
		if shown := names(t, store); len(shown) > 0 {
			t.Errorf("before they have a name, the store shows %v", shown)
		}
		name := media.NewName("jpg")
		if err := p.StoreAs(t.Context(), store, name); err != nil {
			t.Fatal(err)
		}
		for _, p := range []*media.Picture{p, rejected} {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
		if shown := names(t, store); !slices.Equal(shown, []string{name}) {
			t.Errorf("the store shows %v, want only %s", shown, name)
		}
		if content(t, store, name) != string(data) {
			t.Error("the stored picture differs from the upload")
		}
	})
}

func TestARejectedUploadLeavesNothingInTheStore(t *testing.T) {
	folder := t.TempDir()
	store, processor := open(t, folder), newProcessor(t)
	for _, data := range [][]byte{[]byte("no picture"), encodeJPEG(t, noise(300, 200))[:5000]} {
		in := deferred(data)
		in.Store = store
		if _, err := processor.Receive(t.Context(), in); err == nil {
			t.Error("the upload was accepted")
		}
	}
	in := deferred(bytes.Repeat([]byte{0xff}, 100))
	in.Store, in.Limit = store, 10
	if _, err := processor.Receive(t.Context(), in); err == nil {
		t.Error("the upload was accepted")
	}
	left, err := filepath.Glob(filepath.Join(folder, ".tmp", "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
