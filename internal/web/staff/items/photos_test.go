package items_test

import (
	"bytes"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

// photoColors are the colours of the photos in these tests, by which they are told apart.
var photoColors = []color.RGBA{{200, 30, 30, 255}, {30, 160, 30, 255}, {30, 30, 200, 255}}

// photoFiles writes the photos into files and returns their paths.
func photoFiles(t *testing.T) (files []string) {
	t.Helper()
	folder := t.TempDir()
	for n, c := range photoColors {
		file := filepath.Join(folder, fmt.Sprintf("photo-%d.png", n+1))
		testkit.Must(0, os.WriteFile(file, stafftest.Picture(t, c), 0o600))
		files = append(files, file)
	}
	return files
}

// addPhotos adds the photos to an item, the first one as its main photo, and returns their ids in this order.
func addPhotos(t *testing.T, h *testkit.Server, i lost.Item) (ids []string) {
	t.Helper()
	for _, c := range slices.Backward(photoColors) {
		i = testkit.Must(h.Services.Items.UploadImage(t.Context(), h.Actor, i.LocationID, i.ID,
			bytes.NewReader(stafftest.Picture(t, c)), lost.IdempotencyKey{}))
	}
	for _, img := range lost.MainImageFirst(i) {
		ids = append(ids, img.ID())
	}
	return ids
}

// storedPhotos returns the ids of an item's photos.
func storedPhotos(t *testing.T, h *testkit.Server, i lost.Item) (ids []string) {
	t.Helper()
	now := testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, i.LocationID, i.ID))
	for _, img := range lost.MainImageFirst(now) {
		ids = append(ids, img.ID())
	}
	return ids
}

// shownPhotos returns how many photos the gallery shows.
const shownPhotos = `document.querySelectorAll(".photo-list img").length`

// reportProgress makes uploads report progress as for a large file, of which a quarter and then three quarters were
// sent, and notes the values that the progress bar then has.
const reportProgress = `(() => {
	const send = XMLHttpRequest.prototype.send;
	window.progress = [];
	XMLHttpRequest.prototype.send = function (body) {
		for (const loaded of [250, 750]) {
			this.upload.onprogress(new ProgressEvent("progress", {lengthComputable: true, loaded, total: 1000}));
			const bar = document.querySelector(".previews progress");
			window.progress.push(bar.hidden ? -1 : bar.value);
		}
		send.call(this, body);
	};
})()`

// expectProgress checks that the progress bar followed what reportProgress reported.
func expectProgress(t *testing.T, v *browsertest.Visitor) {
	t.Helper()
	var values []float64
	if v.Run("window.progress", &values); !slices.Equal(values, []float64{0.25, 0.75}) {
		t.Errorf("the progress bar had the values %v, want 0.25 and 0.75", values)
	}
}

func TestPhotosAreUploadedRetriedDroppedAndPastedInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	files := photoFiles(t)
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true}} {
		t.Run(o.String(), func(t *testing.T) {
			i := h.NewItem(l, "Red and blue ball")
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+stafftest.ItemPath(l, i))
			v.Click("Add photos")
			var failing int
			v.Run(`(() => {
				const send = XMLHttpRequest.prototype.send;
				let requests = 0;
				XMLHttpRequest.prototype.send = function (body) {
					if (++requests === 2) this.dispatchEvent(new Event("error"));
					else send.call(this, body);
				};
				return requests;
			})()`, &failing)
			v.Upload("Choose photos", slices.Clone(files)...)
			v.See("2 photos were added.", "Not uploaded. Check your connection.")
			v.CheckAccessibility()
			stafftest.ExpectNoOverflow(t, v)
			v.Screenshot("failed")
			if n := len(storedPhotos(t, h, i)); n != 2 {
				t.Fatalf("got %d photos, want the 2 that did not fail", n)
			}
			v.Run(reportProgress, nil)
			v.Click("Try again")
			v.See("1 photo was added.")
			expectProgress(t, v)
			v.SeeNot("Try again")
			stafftest.GivePhoto(t, v, "drop")
			v.See("Photo 4")
			stafftest.GivePhoto(t, v, "paste")
			v.See("Photo 5")
			var shown int
			v.Run(shownPhotos, &shown)
			if n := len(storedPhotos(t, h, i)); n != 5 || shown != 5 {
				t.Errorf("got %d photos, of which %d are shown, want 5", n, shown)
			}
			v.CheckAccessibility()
			stafftest.ExpectNoOverflow(t, v)
			v.Screenshot("added")
			bad := filepath.Join(t.TempDir(), "photo.jpg")
			testkit.Must(0, os.WriteFile(bad, []byte("not a picture"), 0o600))
			v.IgnoreError("415")
			v.Upload("Choose photos", bad)
			v.See("It is not a picture we can read; choose a JPEG, PNG, WebP or GIF.")
			v.Click("css:.previews .away")
			v.SeeNot("It is not a picture")
			v.Upload("Choose photos", slices.Repeat(files, 4)...)
			v.See("You can add up to 10 photos at a time. The others were not added.")
		})
	}
}

func TestPhotosAreSortedAndRemovedInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	browsertest.Each(t, func(t *testing.T, o browsertest.Options) {
		i := h.NewItem(l, "Red and blue ball")
		ids := addPhotos(t, h, i)
		expect := func(order ...int) {
			t.Helper()
			var want []string
			for _, n := range order {
				want = append(want, ids[n])
			}
			if got := storedPhotos(t, h, i); !slices.Equal(got, want) {
				t.Fatalf("got the photos %v, want %v", got, want)
			}
		}
		v := browsertest.New(t, o)
		press := v.Follow
		if !o.NoScript {
			press = v.Click
		}
		open := func() {
			if o.NoScript {
				v.Click("Change the photos") // the page was loaded again
			}
		}
		stafftest.OpenAsOwner(v, h, at+stafftest.ItemPath(l, i))
		v.CheckLayoutShift()
		v.Click("Change the photos")
		press("Move photo 3 forward")
		v.See("The order of the photos was saved.")
		expect(0, 2, 1)
		if f := v.Focused(); !o.NoScript && !strings.Contains(f, `value="earlier"`) {
			t.Errorf("got focus on %s, want the button to move the same photo again", f)
		}
		open()
		press("css:[data-id='" + ids[1] + "'] [value=first]")
		v.See("This is now the main photo.")
		expect(1, 0, 2)
		open()
		v.Screenshot("sorted")
		v.Click("css:[data-id='" + ids[0] + "'] summary")
		press("css:[data-id='" + ids[0] + "'] [value=remove]")
		v.See("The photo was removed.")
		expect(1, 2)
		if o.NoScript {
			return
		}
		var dragged bool
		v.Run(`(() => {
			const [first, second] = document.querySelectorAll("#photo-lines li");
			const drag = (target, kind) => target.dispatchEvent(
				new DragEvent(kind, {bubbles: true, cancelable: true, dataTransfer: new DataTransfer()}));
			drag(second, "dragstart");
			drag(first, "dragover");
			return drag(second, "dragend");
		})()`, &dragged)
		v.See("The order of the photos was saved.")
		expect(2, 1)
		v.CheckAccessibility()
	})
}

func TestPhotosAreEnlargedWithTheKeyboardAndBySwiping(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	i := h.NewItem(l, "Red and blue ball")
	addPhotos(t, h, i)
	for _, o := range []browsertest.Options{{}, {Phone: true}, {Phone: true, Dark: true}} {
		t.Run(o.String(), func(t *testing.T) {
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+stafftest.ItemPath(l, i))
			v.CheckAccessibility()
			stafftest.ExpectNoOverflow(t, v)
			v.Screenshot("item")
			var done bool
			v.Run(`(document.querySelector(".photo-list a").focus(), true)`, &done)
			v.Press("Enter")
			v.See("Photo 1 of 3")
			v.CheckAccessibility()
			v.Screenshot("large")
			v.Press("ArrowRight")
			v.See("Photo 2 of 3")
			v.Press("ArrowLeft", "ArrowLeft")
			v.See("Photo 3 of 3")
			v.Click("Next ›")
			v.See("Photo 1 of 3")
			v.Run(`(() => {
				const image = document.querySelector(".photo-dialog img");
				const touch = (kind, x) => {
					const at = new Touch({identifier: 1, target: image, clientX: x, clientY: 300});
					image.dispatchEvent(new TouchEvent(kind, {bubbles: true, changedTouches: [at],
						touches: kind === "touchstart" ? [at] : []}));
				};
				touch("touchstart", 300);
				touch("touchend", 100);
				return true;
			})()`, &done)
			v.See("Photo 2 of 3")
			v.Press("Escape")
			v.SeeNot("Photo 2 of 3")
			var returned bool
			v.Run(`document.activeElement === document.querySelector(".photo-list a")`, &returned)
			if !returned {
				t.Errorf("got focus on %s, want the photo that was opened", v.Focused())
			}
		})
	}
}
