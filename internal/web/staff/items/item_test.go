package items_test

import (
	"bytes"
	"fmt"
	"image/color"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/staff/stafftest"
)

func TestAListIsFilteredByItsURL(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l, items := newItems(t, h)
		setFinderAndValue(t, h, items[0])
		v := h.LogIn()
		for query, want := range map[string]string{
			"": "8 items", "?q=umbrella": "1 item", "?status=PENDING": "5 items",
			"?status=PICKUP&status=DONATE": "2 items", "?status=PICKUP&open=1": "1 item", "?where=here": "7 items",
			"?where=gone":         "1 item",
			"?where=gone&q=scarf": "1 item", "?where=here&q=scarf": "0 items",
			"?mine=1": "8 items", "?mine=1&q=keys": "1 item", "?to=2020-01-01": "0 items",
			"?source=request": "0 items", "?q=" + strings.ReplaceAll(items[0].Reference, "-", ""): "1 item",
			"?page=2": "8 items", "?term=umbrella": "1 item", "?q=brolly": "1 item", "?q=umbrela": "1 item",
			"?q=brolly&where=gone": "0 items", "?q=brolly&status=DONATE": "0 items",
			"?ownerState=no-owner": "4 items", "?ownerState=told": "1 item", "?ownerState=no-answer": "0 items",
			"?ownerState=no-owner&q=keys": "1 item", "?ownerState=told&status=SHIPPED": "0 items",
			"?place=room": "3 items", "?place=lobby&q=keys": "1 item", "?place=lobby&q=umbrella": "0 items",
			"?owner=lindqvist": "1 item", "?owner=umbrella": "0 items", "?color=green": "0 items",
			"?finder=marta": "1 item", "?finder=lindqvist": "0 items", "?worth=45": "1 item", "?worth=46": "0 items",
			"?serial=kn+22-09": "1 item", "?serial=KN220": "0 items", "?serial=--": "8 items",
			"?serial=KN2209&worth=45&sort=status&q=keys&where=here": "1 item",
			"?finder=marta&worth=45&q=keys":                         "1 item",
			"?worth=45&sort=status&where=here":                      "1 item",
			"?sort=found":                                           "8 items",
			"?sort=-found&where=here":                               "7 items", "?sort=status": "8 items",
			"?sort=-status&status=PENDING&status=SHIPPED": "6 items", "?sort=price": "8 items",
		} {
			if a := v.Get(stafftest.ItemsPath(l) + query); a.Code != http.StatusOK ||
				!stafftest.Shows(a, `data-part>`+want+`</p>`) {
				t.Errorf("%q: got status %d, and the page lacks %q", query, a.Code, want)
			}
		}
		if a := v.Get(stafftest.ItemsPath(l) + "?from=yesterday"); a.Code != http.StatusUnprocessableEntity ||
			!stafftest.Shows(a, "Must be a valid date.", `value="yesterday"`) {
			t.Errorf("got status %d for an invalid date, want 422", a.Code)
		}
		if a := v.Get(stafftest.ItemsPath(l) + "?worth=0"); a.Code != http.StatusUnprocessableEntity ||
			!stafftest.Shows(a, `id="worth-error"`, `name="worth" type="number" value="0"`) {
			t.Errorf("got status %d for an invalid value, want 422\n%s", a.Code, a.Body)
		}
		if a := v.Get("/at/loc_elsewhere/items"); a.Code != http.StatusNotFound {
			t.Errorf("got status %d for an unknown location, want 404", a.Code)
		}
	})
}

// setFinderAndValue records that Marta Nowak handed an item in, and that it is worth 45 in its currency.
func setFinderAndValue(t *testing.T, h *testkit.Server, i lost.Item) {
	t.Helper()
	_, err := h.Services.Items.Update(t.Context(), h.Actor, i.LocationID, i.ID, lost.ItemPatch{
		Finder: lost.Set(lost.FinderPatch{Name: lost.Set("Marta Nowak")}),
		Value:  lost.Set(lost.ValuePatch{Amount: lost.Set[int64](4500)}), SerialNumber: lost.Set("KN-2209"),
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAListHasPages(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	for n := range 30 {
		h.NewItem(l, fmt.Sprintf("Umbrella number %d", n))
	}
	v := h.LogIn()
	if a := v.Get(stafftest.ItemsPath(l) + "?q=umbrella"); !stafftest.Shows(a,
		`<link rel="next" href="`+stafftest.ItemsPath(l)+`?q=umbrella&amp;page=2">`, "30 items") ||
		strings.Contains(a.Body, `rel="prev"`) {
		t.Error("the first page does not link to the second")
	}
	second := v.Get(stafftest.ItemsPath(l) + "?q=umbrella&page=2")
	if !stafftest.Shows(second, `rel="prev"`, "Umbrella number 0<") || strings.Contains(second.Body, `rel="next"`) {
		t.Error("the second page is not the last")
	}
}

func TestAViewIsSavedRenamedAndDeleted(t *testing.T) {
	h := testkit.NewServer(t)
	l, _ := newItems(t, h)
	v := h.LogIn()
	views := "/at/" + l.ID + "/views"
	if a := v.Post(views,
		url.Values{"name": {""}, "query": {"q=umbrella"}}); a.Code != http.StatusUnprocessableEntity ||
		!stafftest.Shows(a, "This field is required.") {
		t.Errorf("got status %d for a view without a name, want 422", a.Code)
	}
	if a := v.Post(views,
		url.Values{
			"name": {"Rain"}, "query": {"q=umbrella&page=3"}, "shared": {"yes"},
		}); a.Header.Get("Location") != stafftest.ItemsPath(l)+"?q=umbrella" {
		t.Errorf("got status %d and redirect %q for a new view", a.Code, a.Header.Get("Location"))
	}
	if a := v.Get(stafftest.ItemsPath(l) + "?q=umbrella"); !stafftest.Shows(a, `aria-current="true">Rain</a>`) {
		t.Error("the list has no tab for the view")
	}
	list := v.Get(views)
	action := regexp.MustCompile(`action="(/at/[^"]+/views/view_[^"]+)"`).FindStringSubmatch(list.Body)
	if action == nil || !stafftest.Shows(list, "“umbrella”", "shared") {
		t.Fatal("the views are not listed")
	}
	v.Post(action[1], url.Values{"name": {"Wet days"}, "do": {"save"}})
	if a := v.Get(views); !stafftest.Shows(a, "Wet days", "was saved") {
		t.Error("the view was not renamed")
	}
	v.Post(action[1], url.Values{"do": {"delete"}})
	if a := v.Get(views); !stafftest.Shows(a, "No saved views yet") {
		t.Error("the view was not deleted")
	}
}

func TestAnEditConflictIsReported(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		i := h.NewItem(l, "Umbrella")
		v := h.LogIn()
		form := v.Get(stafftest.ItemPath(l, i) + "?edit=what")
		seen := regexp.MustCompile(`name="seen" value="(\d+)"`).FindStringSubmatch(form.Body)
		if seen == nil {
			t.Fatal("the form has no hidden field with the version of the item")
		}
		h.Clock.Advance(time.Second)
		testkit.Must(h.Services.Items.Update(t.Context(), h.Actor, l.ID, i.ID,
			lost.ItemPatch{Brand: lost.Set("Knirps")}))
		for n := range 20 { // more entries than the page shows
			h.Clock.Advance(time.Second)
			testkit.Must(h.Services.Items.Update(t.Context(), h.Actor, l.ID, i.ID,
				lost.ItemPatch{Notes: lost.Set("Note " + strconv.Itoa(n))}))
		}
		typed := url.Values{"group": {"what"}, "seen": {seen[1]}, "description": {"Umbrella"}, "brand": {"Fulton"}}
		again := v.Post(stafftest.ItemPath(l, i), typed)
		if again.Code != http.StatusConflict ||
			!stafftest.Shows(again, "Somebody else changed this", "Changed brand", "Knirps", `value="Fulton"`) {
			t.Fatalf("got status %d, want 409; the page lacks %q", again.Code,
				stafftest.MissingText(again, "Somebody else changed this", "Changed brand", "Knirps", `value="Fulton"`))
		}
		typed.Set("seen", regexp.MustCompile(`name="seen" value="(\d+)"`).FindStringSubmatch(again.Body)[1])
		if a := v.Post(stafftest.ItemPath(l, i), typed); a.Code != http.StatusSeeOther {
			t.Errorf("got status %d when saving the current version, want 303", a.Code)
		}
		if now := testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, i.ID)); now.Brand != "Fulton" {
			t.Errorf("got brand %q, want Fulton", now.Brand)
		}
	})
}

func TestEachGroupOfAnItemIsEdited(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	i := h.NewItem(l, "Umbrella")
	v := h.LogIn()
	post := func(form url.Values) testkit.Response { // sends the form with the current version
		form.Set("seen",
			strconv.FormatInt(testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID,
				i.ID)).UpdatedAt.UnixMicro(), 10))
		return v.Post(stafftest.ItemPath(l, i), form)
	}
	for _, form := range []url.Values{
		{"group": {"what"}, "description": {"Big umbrella"}, "brand": {"Knirps"}, "model": {"T2"}, "color": {"black"}},
		{"group": {"where"}, "discoveryPlace": {"Lobby"}, "discoveryDate": {"2026-11-14"}},
		{"group": {"owner"}, "owner.firstName": {"Anna"}, "owner.email": {"anna@example.com"}, "language": {"de"}},
		{"group": {"storage"}, "storagePlace": {"Shelf B"}},
		{"group": {"notes"}, "notes": {"wet\r\nvery"}},
		{
			"group": {"shipping"}, "shipping.weight": {"0,4"}, "shipping.weightUnit": {"kg"},
			"shipping.boxType": {"long"}, "shipping.isDocument": {"yes"},
		},
	} {
		if a := post(form); a.Code != http.StatusSeeOther {
			t.Errorf("group %s: got status %d, want 303", form.Get("group"), a.Code)
		}
	}
	now := testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, i.ID))
	if now.Description != "Big umbrella" || now.Brand != "Knirps" || now.DiscoveryPlace != "Lobby" ||
		now.Owner.Email != "anna@example.com" || now.Language != "de" ||
		now.StoragePlace != "Shelf B" || now.Notes != "wet\nvery" || *now.Shipping.Weight != 0.4 ||
		now.Shipping.BoxType != "long" || !*now.Shipping.IsDocument {
		t.Errorf("got item %+v", now)
	}
	post(url.Values{"group": {"shipping"}, "shipping.weight": {""}, "shipping.weightUnit": {"kg"}})
	if now := testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, i.ID)); now.Shipping.Weight != nil ||
		now.Shipping.IsDocument != nil {
		t.Errorf("got %+v after clearing the weight", now.Shipping)
	}
	if a := post(url.Values{
		"group": {"shipping"}, "shipping.weight": {"heavy"}, "shipping.weightUnit": {"kg"},
	}); a.Code != http.StatusUnprocessableEntity ||
		!stafftest.Shows(a, "Must be a number, for example 0.4.", `value="heavy"`) {
		t.Errorf("got status %d for a weight that is not a number, want 422", a.Code)
	}
	for _, text := range []string{"NaN", "Infinity", "-inf", "1e999"} {
		if a := post(url.Values{
			"group": {"shipping"}, "shipping.weight": {text}, "shipping.weightUnit": {"kg"},
		}); a.Code != http.StatusUnprocessableEntity || !stafftest.Shows(a, "Must be a number, for example 0.4.") {
			t.Errorf("weight %s: got status %d, want 422", text, a.Code)
		}
		if a := v.Post("/at/"+l.ID+"/find",
			url.Values{"description": {"Hat"}, "shipping.weight": {text}}); a.Code != http.StatusUnprocessableEntity ||
			!stafftest.Shows(a, "Must be a number, for example 0.4.") {
			t.Errorf("new item with the weight %s: got status %d, want 422", text, a.Code)
		}
	}
	if a := post(url.Values{"group": {"everything"}}); a.Code != http.StatusBadRequest {
		t.Errorf("got status %d for an unknown group, want 400", a.Code)
	}
}

func TestAStatusChangeShowsWhoIsNotified(t *testing.T) {
	h := testkit.NewServer(t)
	h.SendsMail = true
	l := h.NewLocation("Hotel Adler")
	i := h.NewItem(l, "Umbrella", stafftest.WithOwner("anna@example.com", "Anna", ""))
	v := h.LogIn()
	at := stafftest.ItemPath(l, i) + "/status"
	if a := v.Get(at + "?to=SHIPPED"); !stafftest.Shows(a, "On its way?", "anna@example.com", "Tracking number") {
		t.Error("the page does not show who is notified")
	}
	if a := v.Get(stafftest.ItemPath(l, i)); !stafftest.Shows(a, "Owner told") {
		t.Error("the confirmation page changed the status")
	}
	if a := v.Post(at,
		url.Values{"to": {"PICKUP"}, "pickupDate": {"2026-02-30"}}); a.Code != http.StatusUnprocessableEntity ||
		!stafftest.Shows(a, "Must be a real date") {
		t.Errorf("got status %d for an invalid date, want 422", a.Code)
	}
	if a := v.Post(at,
		url.Values{
			"to": {"SHIPPED"}, "trackingNumber": {"JJD01"}, "note": {"by bike"},
		}); a.Code != http.StatusSeeOther {
		t.Errorf("got status %d, want 303", a.Code)
	}
	if a := v.Get(stafftest.ItemPath(l, i)); !stafftest.Shows(a, "JJD01", "by bike",
		"Waiting for the owner → On its way", "Sending: Shipped") {
		t.Errorf("the page does not contain %q",
			stafftest.MissingText(a, "JJD01", "by bike", "Waiting for the owner → On its way", "Sending: Shipped"))
	}
}

func TestPhotosAreAddedChosenAndRemoved(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		i := h.NewItem(l, "Umbrella")
		v := h.LogIn()
		send := func(files ...[]byte) testkit.Response {
			var body bytes.Buffer
			form := multipart.NewWriter(&body)
			for _, f := range files {
				part := testkit.Must(form.CreateFormFile("image", "photo.png"))
				testkit.Must(part.Write(f))
			}
			testkit.Must(0, form.Close())
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost,
				testkit.Base+stafftest.ItemPath(l, i)+"/photos", &body)
			r.Header.Set("Content-Type", form.FormDataContentType())
			return v.Do(r)
		}
		if a := send(stafftest.Picture(t, color.Black),
			stafftest.Picture(t, color.White)); a.Code != http.StatusSeeOther {
			t.Fatalf("got status %d, want 303: %s", a.Code, a.Body)
		}
		if a := send([]byte("not a picture"), stafftest.Picture(t, color.RGBA{200, 0, 0, 255}),
			[]byte("nor this")); a.Code != http.StatusUnsupportedMediaType ||
			!stafftest.Shows(a, "Photo 1 was not added") || !stafftest.Shows(a, "Photo 3 was not added") {
			t.Errorf("got status %d for invalid pictures, want 415 and the numbers of both", a.Code)
		}
		many := slices.Repeat([][]byte{stafftest.JPEG(20, 20)}, 11)
		full := i
		i = h.NewItem(l, "Eleven photos")
		if a := send(many...); !stafftest.Shows(a, "You can add up to 10 photos at a time. The others were not") ||
			a.Code != http.StatusRequestEntityTooLarge || len(storedPhotos(t, h, i)) != 10 {
			t.Errorf("got status %d and %d photos for 11 photos", a.Code, len(storedPhotos(t, h, i)))
		}
		if a := send(append([][]byte{{}}, many[:10]...)...); a.Code != http.StatusSeeOther { // and an unused field
			t.Errorf("got status %d for 10 photos, want 303", a.Code)
		}
		i = full
		now := func() lost.Item { return testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, i.ID)) }
		if n := len(now().Images); n != 3 {
			t.Fatalf("got %d photos, want 3", n)
		}
		last := now().Images[2].File
		v.Post(stafftest.ItemPath(l, i)+"/photo", url.Values{"do": {"first"}, "image": {lost.ImageIDOf(last)}})
		if now().ImageFile != last {
			t.Error("the chosen photo is not the main photo")
		}
		v.Post(stafftest.ItemPath(l, i)+"/photo", url.Values{"do": {"remove"}, "image": {lost.ImageIDOf(last)}})
		if n := now(); len(n.Images) != 2 || n.ImageFile != n.Images[0].File {
			t.Errorf("got %d photos with the main photo %s, want 2 photos", len(n.Images), n.ImageFile)
		}
		ids := storedPhotos(t, h, i)
		v.Post(stafftest.ItemPath(l, i)+"/photo", url.Values{"do": {"later"}, "image": {ids[0]}})
		if got := storedPhotos(t, h, i); got[0] != ids[1] || got[1] != ids[0] {
			t.Errorf("got the photos %v, want %v the other way round", got, ids)
		}
		v.Post(stafftest.ItemPath(l, i)+"/photo", url.Values{"do": {"order"}, "order": ids})
		if got := storedPhotos(t, h, i); !slices.Equal(got, ids) {
			t.Errorf("got the photos %v, want %v", got, ids)
		}
		v.Post(stafftest.ItemPath(l, i)+"/photo", url.Values{"do": {"order"}, "order": ids[:1]})
		if text := stafftest.FlashText(v, stafftest.ItemPath(l, i)); !strings.Contains(text, "changed in the mean") {
			t.Errorf("got %q for an incomplete order", text)
		}
		for _, do := range []string{"remove", "first"} { // again, as if from another window
			if a := v.Post(stafftest.ItemPath(l, i)+"/photo",
				url.Values{"do": {do}, "image": {lost.ImageIDOf(last)}}); a.Header.Get("Location") !=
				stafftest.ItemPath(l, i) ||
				stafftest.FlashText(v, stafftest.ItemPath(l, i)) != "That photo no longer exists." {
				t.Errorf("got status %d for a deleted photo", a.Code)
			}
		}
		if a := v.Post(stafftest.ItemsPath(l)+"/item_none/photo",
			url.Values{"do": {"remove"}, "image": {lost.ImageIDOf(last)}}); a.Code != http.StatusNotFound {
			t.Errorf("got status %d for an unknown item, want 404", a.Code)
		}
		if a := v.Get(stafftest.ItemPath(l, i)); !stafftest.Shows(a, "Removed a photo") {
			t.Error("the history does not contain the removal")
		}
	})
}

func TestTheOwnersLinkIsShownAndEnded(t *testing.T) {
	h := testkit.NewServer(t)
	h.SendsMail = true
	l := h.NewLocation("Hotel Adler")
	i := h.NewItem(l, "Umbrella", stafftest.WithOwner("anna@example.com", "Anna", ""))
	v := h.LogIn()
	a := v.Get(stafftest.ItemPath(l, i) + "/link")
	if !stafftest.Shows(a, `href="`+testkit.Base+"/g/") || !stafftest.Shows(a, "Open the page", "Back to the item") {
		t.Error("the link is not shown")
	}
	v.Post(stafftest.ItemPath(l, i)+"/link", nil)
	if a := v.Get(stafftest.ItemPath(l, i) + "/link"); stafftest.Shows(a, testkit.Base+"/g/") {
		t.Error("the page shows a revoked link")
	}
	v.Post(stafftest.ItemPath(l, i)+"/notify", nil)
	if a := v.Get(stafftest.ItemPath(l, i)); !stafftest.Shows(a, "Revoked the owner’s link",
		"The message to anna@example.com was sent.") {
		t.Error("the page does not show the revoked link and the new message")
	}
}

func TestTheDeskSeesWhatOtherProgramsStore(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	i := h.NewItem(l, "Umbrella")
	v := h.LogIn()
	if a := v.Get(stafftest.ItemPath(l, i)); stafftest.Shows(a, "From other programs") {
		t.Error("the page has a section without content")
	}
	testkit.Must(h.Services.Items.Update(t.Context(), h.Actor, l.ID, i.ID, lost.ItemPatch{
		ExternalID: lost.Set("PMS-1"), Metadata: lost.Set(lost.MetadataPatch{"booking": lost.Set("<b>HH-4711")}),
	}))
	if a := v.Get(stafftest.ItemPath(l, i)); !stafftest.Shows(a, "From other programs", "PMS-1", "booking",
		"&lt;b&gt;HH-4711", "external ID") {
		t.Errorf("the page lacks the data of other programs: %s", a.Body)
	}
}

// itemOrder returns the references on a page in their order.
func itemOrder(a testkit.Response, items []lost.Item) (order []int) {
	for n, i := range items {
		if strings.Contains(a.Body, ">"+i.Reference+"</span>") {
			order = append(order, n)
		}
	}
	at := func(n int) int { return strings.Index(a.Body, ">"+items[n].Reference+"</span>") }
	slices.SortFunc(order, func(x, y int) int { return at(x) - at(y) })
	return order
}

func TestAListIsSortedByItsColumns(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		l = testkit.Must(h.Services.Locations.Update(t.Context(), h.Actor, l.ID,
			lost.LocationPatch{StorageDuration: lost.Set(90)}))
		var items []lost.Item
		for n, day := range []string{"2026-10-02", "2026-10-01", "2026-10-03"} {
			items = append(items, h.NewItem(l, fmt.Sprintf("Thing %d", n), stafftest.FoundAt("Lobby", day)))
		}
		testkit.Must(h.Services.Items.SetStatus(t.Context(), h.Actor, l.ID, items[1].ID,
			lost.MovePatch{Status: lost.Set("DONATE")}))
		v := h.LogIn()
		for query, want := range map[string][]int{
			"": {2, 1, 0}, "?sort=found": {1, 0, 2}, "?sort=-found": {2, 0, 1}, "?sort=status": {1, 0, 2},
			"?sort=-status": {2, 0, 1}, "?sort=found&status=PENDING": {0, 2},
			"?sort=found&ownerState=no-owner": {2, 0}, "?sort=found&where=here": {1, 0, 2},
			"?sort=until": {1, 0, 2}, "?sort=-until": {2, 0, 1}, "?sort=until&status=PENDING": {0, 2},
		} {
			if got := itemOrder(v.Get(stafftest.ItemsPath(l)+query), items); !slices.Equal(got, want) {
				t.Errorf("%q: the order is %v, want %v", query, got, want)
			}
		}
		a := v.Get(stafftest.ItemsPath(l) + "?sort=-found")
		if !stafftest.Shows(a, `<th scope="col" aria-sort="descending"><a class="sort" href="`+
			stafftest.ItemsPath(l)+`?sort=found">Found</a>`) {
			t.Error("the heading does not say how the list is sorted, or does not reverse the order")
		}
	})
}

func TestASearchListsExactItemsBeforeSimilarOnes(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		items := []lost.Item{h.NewItem(l, "Red umbrella"), h.NewItem(l, "Parasol for the beach"), h.NewItem(l, "Hat")}
		a := h.LogIn().Get(stafftest.ItemsPath(l) + "?q=umbrella")
		if got := itemOrder(a, items); len(got) == 0 || got[0] != 0 || slices.Contains(got, 2) {
			t.Errorf("the order is %v, want the umbrella first and no hat", got)
		}
		similar := strings.Index(a.Body, `class="similar"`)
		if len(itemOrder(a, items)) == 2 && (similar < strings.Index(a.Body, items[0].Reference) ||
			similar > strings.Index(a.Body, items[1].Reference)) {
			t.Error("the similar item is not marked")
		}
		b := h.LogIn().Get(stafftest.ItemsPath(l) + "?q=brolly")
		if at := strings.Index(b.Body, `class="similar"`); at < 0 || at > strings.Index(b.Body, items[0].Reference) {
			t.Error("the similar items are not marked")
		}
	})
}

func TestEachFilterIsRemovedAlone(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	conditions := []string{
		"category=hat", "color=red", "finder=marta", "owner=anna", "place=lobby", "q=hat", "serial=KN-1",
		"status=PENDING", "status=SHIPPED", "worth=100",
	}
	a := h.LogIn().Get(stafftest.ItemsPath(l) + "?" + strings.Join(conditions, "&"))
	for name, removed := range map[string]string{
		"On its way": "status=SHIPPED", "colour: red": "color=red", "owner: anna": "owner=anna",
		"handed in by: marta": "finder=marta", "worth at least 100": "worth=100",
		"Hat or cap": "category=hat", "place: lobby": "place=lobby", "serial number: KN-1": "serial=KN-1",
	} {
		without := strings.Join(slices.DeleteFunc(slices.Clone(conditions), func(c string) bool {
			return c == removed
		}), "&amp;")
		chip := `href="` + stafftest.ItemsPath(l) + "?" + without + `" aria-label="Remove the filter ` + name + `"`
		if !strings.Contains(a.Body, chip) {
			t.Errorf("the page lacks %s", chip)
		}
	}
}

func TestPeopleGoThroughAListItemByItem(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	var items []lost.Item
	for n := range 27 {
		items = append(items, h.NewItem(l, fmt.Sprintf("Umbrella number %d", n)))
	}
	v := h.LogIn()
	if a := v.Get(stafftest.ItemPath(l, items[20])); strings.Contains(a.Body, "data-queue") {
		t.Error("an item that was not opened from a list has neighbors")
	}
	v.Get(stafftest.ItemsPath(l) + "?status=PENDING")
	link := func(i lost.Item, which string) string {
		return `href="` + stafftest.ItemPath(l, i) + `" rel="` + which
	}
	first, middle := v.Get(stafftest.ItemPath(l, items[26])), v.Get(stafftest.ItemPath(l, items[20]))
	if strings.Contains(first.Body, `data-queue="previous"`) ||
		!stafftest.Shows(first, "1 of 25", link(items[25], "next")) {
		t.Error("the first item is not the first of 25")
	}
	if !stafftest.Shows(middle, "7 of 25", link(items[21], "prev"), link(items[19], "next")) {
		t.Error("an item does not link to its neighbors")
	}
	testkit.Must(h.Services.Items.SetStatus(t.Context(), h.Actor, l.ID, items[20].ID,
		lost.MovePatch{Status: lost.Set("DONATE")}))
	if a := v.Get(stafftest.ItemPath(l, items[20])); !stafftest.Shows(a, "7 of 25", link(items[19], "next")) {
		t.Error("after an action, the item has left the list")
	}
	if a := v.Get(stafftest.ItemPath(l, items[2])); !stafftest.Shows(a,
		`href="`+stafftest.ItemsPath(l)+`?status=PENDING&amp;page=2" rel="next"`) {
		t.Error("the last item of a page does not link to the next page")
	}
}
