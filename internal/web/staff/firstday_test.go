package staff_test

import (
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/staff/stafftest"
)

// expectTexts fails the test unless the HTML of a page contains all texts.
func expectTexts(t *testing.T, a testkit.Response, texts ...string) {
	t.Helper()
	if text := stafftest.MissingText(a, texts...); text != "" {
		t.Errorf("the page (status %d) does not contain %q", a.Code, text)
	}
}

// setPickup sets the date and time at which an item will be collected.
func setPickup(h *testkit.Server, l lost.Location, i lost.Item, day, hour string) lost.Item {
	h.T.Helper()
	p := lost.MovePatch{Status: lost.Set("PICKUP"), PickupDate: lost.Set(day), PickupTime: lost.Set(hour)}
	return testkit.Must(h.Services.Items.SetStatus(h.T.Context(), h.Actor, l.ID, i.ID, p))
}

func TestThePickUpDateIsShownAndCanBeChanged(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		hotel := h.NewLocation("Hotel Adler")
		late := setPickup(h, hotel,
			h.NewItem(hotel, "Umbrella", stafftest.WithOwner("anna@example.com", "Anna", "Arden")), "2026-11-20",
			"16:00")
		soon := setPickup(h, hotel, h.NewItem(hotel, "Purse"), "2026-11-17", "11:30")
		h.NewItem(hotel, "Violin")
		v := h.LogIn()
		list := v.Get(stafftest.ItemsPath(hotel) + "?open=1&status=PICKUP")
		expectTexts(t, list, "Tue 17 Nov, 11:30", "Fri 20 Nov, 16:00", "earliest pick-up first")
		if strings.Index(list.Body, soon.ID) > strings.Index(list.Body, late.ID) ||
			strings.Contains(list.Body, "Violin") {
			t.Error("the list is not sorted by pick-up date, or contains other items")
		}
		page := v.Get(stafftest.ItemPath(hotel, late))
		expectTexts(t, page, "Friday 20 November 2026 at 16:00</span>", "For Friday 20 November 2026 at 16:00.",
			stafftest.ItemPath(hotel, late)+"/status?to=PICKUP", "Change date")
		form := v.Get(stafftest.ItemPath(hotel, late) + "/status?to=PICKUP")
		expectTexts(t, form, "When will the owner collect it?", `value="2026-11-20"`, `value="16:00"`)
		if strings.Contains(form.Body, "Already collected") || strings.Contains(form.Body, "becomes") {
			t.Error("the form asks for more than date and time")
		}
		v.Post(stafftest.ItemPath(hotel, late)+"/status",
			url.Values{"to": {"PICKUP"}, "pickupDate": {"2026-11-16"}, "pickupTime": {"10:15"}})
		page = v.Get(stafftest.ItemPath(hotel, late))
		expectTexts(t, page, "Monday 16 November 2026 at 10:15</span>")
		if strings.Contains(page.Body, "20 November") {
			t.Error("the page still shows the previous date")
		}
		viewer := h.As(h.NewMember("Vera", lost.ViewerRole))
		page = viewer.Get(stafftest.ItemPath(hotel, late))
		expectTexts(t, page, "Monday 16 November 2026 at 10:15</span>")
		if strings.Contains(page.Body, "Change date") {
			t.Error("a viewer sees the link to change the date")
		}
	})
}

func TestTodayShowsUpcomingPickUpsAndAWelcomeOnce(t *testing.T) {
	h := testkit.NewServer(t)
	t.Cleanup(h.Services.Close)
	hotel := h.NewLocation("Hotel Adler")
	v := h.LogIn()
	expectTexts(t, v.Get("/"), "No open tasks", "Record an item with its owner")
	i := h.NewItem(hotel, "Umbrella", stafftest.WithOwner("anna@example.com", "Anna", "Arden"))
	for _, at := range []string{"/", "/?location=" + hotel.ID} {
		a := v.Get(at)
		expectTexts(t, a, "No open tasks", "Everything is done")
		if strings.Contains(a.Body,
			"Record an item with its owner") {
			t.Error("the page shows the welcome text although an item was recorded")
		}
	}
	stafftest.AddTasks(h, setPickup(h, hotel, i, "2026-11-16", "11:30"), lost.NextPickupTask)
	a := v.Get("/")
	expectTexts(t, a, "Upcoming pick-ups", "Monday 16 November 2026 at 11:30, Anna Arden",
		"/hand-over")
	if strings.Contains(a.Body, "No open tasks") {
		t.Error("the page says that there are no open tasks despite a pick-up")
	}
	expectTexts(t, v.Get("/tasks/pickup-next"), "Anna Arden")
}

func TestTheNoticeOfAMissingCountryLinksToItsForm(t *testing.T) {
	h := testkit.NewServer(t)
	t.Cleanup(h.Services.Close)
	hotel := h.NewLocation("Hotel Adler")
	i := h.NewItem(hotel, "Umbrella", stafftest.WithOwner("anna@example.com", "Anna", "Arden"),
		func(p *lost.ItemPatch) {
			p.Shipping = lost.Set(lost.ShippingPatch{Weight: lost.Set(1.0), WeightUnit: lost.Set("kg")})
		})
	i = testkit.Must(h.Services.Payments.SetAddress(t.Context(), h.Actor, hotel.ID, i.ID, lost.RecipientPatch{
		Name: lost.Set("Anna Arden"), Address1: lost.Set("Lindenweg 3"), City: lost.Set("Berlin"),
		ZipCode: lost.Set("10117"), Country: lost.Set("DE"),
	}))
	expectTexts(t, h.LogIn().Get(stafftest.ItemPath(hotel, i)), "The price is being calculated.")
	testkit.Must(h.Services.Labels.Ship(t.Context(), i.Account, i.Parcel.ShipmentID))
	stafftest.AddTasks(h, i, lost.ShippingTask)
	form := `href="/locations/` + hotel.ID + `/address#country">Set`
	v, at := h.LogIn(), h.As(h.NewMember("Desmond", lost.DeskRole))
	for _, page := range []string{"/", stafftest.ItemPath(hotel, i), stafftest.ItemPath(hotel, i) + "?quote=DE"} {
		expectTexts(t, v.Get(page), "The location has no country. Set its country", form)
		a := at.Get(page)
		expectTexts(t, a, "The location has no country")
		if strings.Contains(a.Body, form) {
			t.Errorf("%s links to a form that the desk may not open", page)
		}
	}
	expectTexts(t, at.Get("/"), "Ask an admin to set it.")
	expectTexts(t, at.Get(stafftest.ItemPath(hotel, i)), "Ask an admin to set it.")
	expectTexts(t, v.Get("/locations/"+hotel.ID+"/address"), `id="country"`)
}

func TestTheTabsOfItemsKeepTheSearchTerm(t *testing.T) {
	h := testkit.NewServer(t)
	hotel := h.NewLocation("Hotel Adler")
	h.NewItem(hotel, "Umbrella")
	a := h.LogIn().Get(stafftest.ItemsPath(hotel) + "?q=umbr&where=here")
	expectTexts(t, a, `?q=umbr">All</a>`, `?q=umbr&amp;where=here" aria-current="true">Here</a>`,
		`?open=1&amp;q=umbr&amp;status=PICKUP">To collect</a>`)
}

func TestWithoutEmailTheOwnersLinkIsTheFirstStep(t *testing.T) {
	h := testkit.NewServer(t)
	hotel := h.NewLocation("Hotel Adler")
	i := h.NewItem(hotel, "Umbrella", stafftest.WithOwner("anna@example.com", "Anna", "Arden"))
	v := h.LogIn()
	a := v.Get(stafftest.ItemPath(hotel, i))
	expectTexts(t, a,
		`<a class="button" href="`+stafftest.ItemPath(hotel, i)+
			`/link">Owner’s page and link</a>`)
	if strings.Contains(a.Body, "Send again") {
		t.Error("the page has the button “Send again” although messages are not sent")
	}
	h.SendsMail = true
	expectTexts(t, v.Get(stafftest.ItemPath(hotel, i)),
		`<a class="button" href="`+stafftest.ItemPath(hotel, i)+`/notify">Send again</a>`)
}

func TestTheTimelineCollapsesOlderAndWebhookEntries(t *testing.T) {
	h := testkit.NewServer(t)
	hotel := h.NewLocation("Hotel Adler")
	hook := stafftest.NewWebhookReceiver(t, http.StatusOK)
	testkit.Must(h.Services.Webhooks.CreateEndpoint(t.Context(), h.Actor, lost.EndpointPatch{URL: lost.Set(hook.URL)},
		lost.IdempotencyKey{}))
	hook.Status.Store(http.StatusInternalServerError)
	i := h.NewItem(hotel, "Umbrella")
	setPickup(h, hotel, i, "2026-11-16", "11:30")
	stafftest.DeliverWebhooks(h)
	const entry = "Webhook pending: pickup"
	folded := func(v *testkit.Visitor) bool {
		shown, more, _ := strings.Cut(v.Get(stafftest.ItemPath(hotel, i)).Body,
			`<details class="fold"><summary>1 more</summary>`)
		if !strings.Contains(shown+more, entry) {
			t.Error("the timeline does not contain the webhook delivery")
		}
		return strings.Contains(more, entry)
	}
	if folded(h.LogIn()) || !folded(h.As(h.NewMember("Desmond", lost.DeskRole))) {
		t.Error("webhook entries are collapsed for an owner, or visible for a desk user")
	}
	for n := range 6 { // the owner then has 8 entries; two are too few to be collapsed
		if n > 0 {
			testkit.Must(h.Services.Items.Update(t.Context(), h.Actor, hotel.ID, i.ID,
				lost.ItemPatch{Notes: lost.Set(strings.Repeat("n", n))}))
		}
	}
	v := h.LogIn()
	if a := v.Get(stafftest.ItemPath(hotel, i)); strings.Contains(a.Body, " more</summary>") {
		t.Error("two entries are collapsed")
	}
	testkit.Must(h.Services.Items.Update(t.Context(), h.Actor, hotel.ID, i.ID, lost.ItemPatch{Notes: lost.Set("More")}))
	expectTexts(t, v.Get(stafftest.ItemPath(hotel, i)), "<summary>3 more</summary>")
}

func TestTeamAndProfileNameTheTimeZone(t *testing.T) {
	h := testkit.NewServer(t)
	h.NewLocation("Hotel Adler")
	v := h.LogIn()
	for _, page := range []string{"/settings/team", "/settings/profile"} {
		expectTexts(t, v.Get(page), "Times are in the time zone Europe/Berlin.")
	}
}

func TestAHandOverWithoutAnIDNeedsConfirmationAndCanBeUndone(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		hotel := h.NewLocation("Hotel Adler")
		i := setPickup(h, hotel, h.NewItem(hotel, "Umbrella", stafftest.WithOwner("anna@example.com", "Anna", "Arden")),
			"2026-11-17", "11:30")
		held := h.NewItem(hotel, "Purse")
		testkit.Must(h.Services.Storage.Hold(t.Context(), h.Actor, hotel.ID, []string{held.ID}, "She called"))
		v, at := h.LogIn(), stafftest.ItemPath(hotel, i)+"/hand-over"
		send := func(at string, fields url.Values) testkit.Response {
			body, kind := multipartForm(fields)
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, testkit.Base+at, strings.NewReader(body))
			r.Header.Set("Content-Type", kind)
			return v.Do(r)
		}
		a := send(at, url.Values{"recipient": {"Anna Arden"}})
		expectTexts(t, a, "Hand over without checking the ID?", `name="unchecked"`,
			`value="Anna Arden"`)
		if a.Code != http.StatusUnprocessableEntity {
			t.Errorf("got status %d without an ID check, want 422", a.Code)
		}
		if now := testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, hotel.ID, i.ID)); !now.ClosedAt.IsZero() {
			t.Error("the item was handed over without confirmation")
		}
		for _, each := range []lost.Item{i, held} {
			before := testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, hotel.ID, each.ID))
			at := stafftest.ItemPath(hotel, each)
			if a := send(at+"/hand-over",
				url.Values{"recipient": {"Anna Arden"}, "unchecked": {"yes"}}); a.Code != http.StatusSeeOther {
				t.Fatalf("got status %d for the hand-over, want 303", a.Code)
			}
			expectTexts(t, v.Get(at+"/hand-over"), at+"/hand-over/undo", "You can undo it until 13:15.")
			expectTexts(t, v.Get(at), at+"/hand-over/undo")
			v.Post(at+"/hand-over/undo", nil)
			expectTexts(t, v.Get(at), "Undone. ", "The hand-over was undone.")
			now := testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, hotel.ID, each.ID))
			if now.Status != before.Status || now.Pickup != before.Pickup || now.Hold != before.Hold ||
				now.StoredAt() != before.StoredAt() || !now.ClosedAt.IsZero() || now.Handover.Known() {
				t.Errorf("after undo: got status %s, pick-up %+v, hold %q, hand-over %+v", now.Status,
					now.Pickup, now.Hold, now.Handover)
			}
			if a := v.Post(at+"/hand-over/undo", nil); a.Code != http.StatusConflict {
				t.Errorf("got status %d for a second undo, want 409", a.Code)
			}
		}
		send(at, url.Values{"recipient": {"Anna Arden"}, "idChecked": {"yes"}})
		h.Clock.Advance(lost.UndoTime)
		if a := v.Post(at+"/undo", nil); a.Code != http.StatusConflict || strings.Contains(v.Get(at).Body, "/undo") {
			t.Errorf("got status %d for an undo that is too late, want 409", a.Code)
		}
	})
}

// multipartForm encodes a form as multipart/form-data.
func multipartForm(fields url.Values) (body, kind string) {
	var b strings.Builder
	w := multipart.NewWriter(&b)
	for name := range fields {
		testkit.Must(0, w.WriteField(name, fields.Get(name)))
	}
	testkit.Must(0, w.Close())
	return b.String(), w.FormDataContentType()
}

func TestANewLocationHasDefaultsAndASetupChecklist(t *testing.T) {
	h := testkit.NewServer(t)
	t.Cleanup(h.Services.Close)
	v := h.LogIn()
	form := v.Get("/locations/new")
	expectTexts(t, form, `value="90"`, `value="7"`, "If empty: the country’s time zone")
	fields := stafftest.FormWith(t, form.Body, "name")
	fields.Set("name", "Hotel Adler")
	fields.Set("country", "DE")
	at, _, _ := strings.Cut(v.Post("/locations/new", fields).Header.Get("Location"), "?")
	l := testkit.Must(h.Services.Locations.Get(t.Context(), h.Actor, strings.TrimPrefix(at, "/locations/")))
	if l.TimeZone != "Europe/Berlin" || l.StorageDuration == nil || *l.StorageDuration != 90 || l.Reminders == nil ||
		len(l.Reminders.AfterNotice) != 2 || len(l.Reminders.BeforePickup) != 1 {
		t.Errorf("got time zone %q, storage duration %v, reminders %+v", l.TimeZone, l.StorageDuration, l.Reminders)
	}
	if a := v.Post("/locations/new",
		url.Values{
			"name": {"Zoo"}, "type": {"hotel"}, "reminders.afterNotice": {"soon"},
		}); a.Code != http.StatusUnprocessableEntity {
		t.Errorf("got status %d for invalid reminders, want 422", a.Code)
	}
	link := func(path string) string { return `href="` + at + path + `"` }
	today := v.Get("/")
	expectTexts(t, today, "Finish setting up Hotel Adler", link("/address"), link("/hours"),
		link("/shipping"))
	if strings.Contains(today.Body, link("/reminders")) {
		t.Error("the checklist contains reminders although they are set")
	}
	if a := h.As(h.NewMember("Desmond", lost.DeskRole)).Get("/"); strings.Contains(a.Body, "Finish setting up") {
		t.Error("a desk user sees the checklist")
	}
	testkit.Must(h.Services.Locations.Update(t.Context(), h.Actor, l.ID, lost.LocationPatch{
		Address1: lost.Set("Linden 1"), City: lost.Set("Berlin"),
		Pickup:   lost.Set(lost.PickupPatch{From: lost.Set("10:00"), To: lost.Set("18:00")}),
		Shipping: lost.Set(lost.ShippingRulesPatch{Handling: lost.Set[int64](100)}),
	}))
	if a := v.Get("/"); strings.Contains(a.Body, "Finish setting up") {
		t.Error("the page shows the checklist although all settings are set")
	}
}
