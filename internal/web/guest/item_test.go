package guest_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
)

func TestAnOwnerSeesTheItemAndTheChoicesButNoStaffData(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		_, i, link := h.guest()
		a := h.get(link)
		a.want(t, 200, "Hotel Adler has found something of yours", "Black umbrella with a wooden handle",
			"Brolly · black", i.Reference,
			"Saturday 14 November 2026", "Breakfast room", "Monday 14 December 2026", "Seestraße 1", "14467 Potsdam",
			"Germany", "Marta Kahl", "desk@adler.example",
			"Pick it up", "Have it sent", "Donate it", "Leave it behind", "This is not mine")
		secrets := []string{"rude", "Box 7", "cellar", "anna@example.com", "Zwirnmeister", "finder@", "987"}
		for _, secret := range secrets {
			if strings.Contains(a.body, secret) {
				t.Errorf("the page shows %q", secret)
			}
		}
	})
}

func TestPickUpNeedsTwoTaps(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		_, i, link := h.guest()
		first := h.get(link)
		if len(first.all("a", "href", link+"/pickup")) != 1 {
			t.Fatal("the page has no link to the pick-up")
		}
		form := h.get(link + "/pickup")
		form.want(t, 200, "Between 10:00 and 18:00", "Europe/Berlin", "Monday 14 December 2026")
		h.post(link+"/pickup", form.fields()).redirects(t, link)
		// It is 13:00 in Berlin, and the suggestion leaves an hour to travel.
		if now := h.reload(i); now.Status != lost.PickUp || now.Pickup.Date != "2026-11-15" ||
			now.Pickup.Time != "14:00" {
			t.Errorf("got status %s with pickup %+v", now.Status, now.Pickup)
		}
		h.get(link).want(t, 200, "Sunday 15 November 2026, 14:00 (Europe/Berlin)",
			"bring proof of identity", "Seestraße 1", i.Reference, "Change my choice", "Marta Kahl")
		h.post(link+"/pickup", form.fields()).redirects(t, link) // a second tap
		history := must(h.desk.Items.History(t.Context(), h.actor, i.LocationID, i.ID, lost.FirstPage()))
		if history.Count != 2 {
			t.Errorf("the history has %d entries, want the creation and one choice", history.Count)
		}
	})
}

func TestTheSuggestedPickUpTimeIsValid(t *testing.T) {
	h := newServer(t)
	for _, c := range []struct {
		name, from, to string
		keep           int // the storage time, in days
		after          time.Duration
		day, time      string
	}{
		{"before it opens", "15:00", "18:00", 30, 0, "2026-11-15", "15:00"},
		{"while it is open", "10:00", "18:00", 30, 10 * time.Minute, "2026-11-15", "14:30"},
		{"on the hour", "10:00", "18:00", 30, 0, "2026-11-15", "14:00"},
		{"too late for today", "10:00", "13:30", 30, 0, "2026-11-16", "10:00"},
		{"closed for today", "10:00", "12:00", 30, 0, "2026-11-16", "10:00"},
		{"no window", "", "", 30, 0, "2026-11-15", "14:00"},
		{"no window, at night", "", "", 30, 9 * time.Hour, "2026-11-16", "09:00"},
		{"before midnight", "", "", 30, 10*time.Hour + 45*time.Minute, "2026-11-16", "09:00"},
		{"only an end", "", "08:00", 30, 0, "2026-11-16", "00:00"},
		{"only a beginning", "19:00", "", 30, 0, "2026-11-15", "19:00"},
		{"late on the last day", "10:00", "13:30", 1, 0, "2026-11-15", "13:30"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := adler()
			p.StorageDuration, p.Pickup = lost.Set(c.keep), lost.Clear[lost.PickupPatch]()
			if c.from != "" || c.to != "" {
				window := lost.PickupPatch{}
				if c.from != "" {
					window.From = lost.Set(c.from)
				}
				if c.to != "" {
					window.To = lost.Set(c.to)
				}
				p.Pickup = lost.Set(window)
			}
			i := h.item(h.location(p), umbrella())
			link := h.link(i)
			h.clock.Advance(c.after)
			defer h.clock.Advance(-c.after)
			form := h.get(link + "/pickup").fields()
			if form.Get("pickupDate") != c.day || form.Get("pickupTime") != c.time {
				t.Errorf("got the suggestion %s %s, want %s %s", form.Get("pickupDate"), form.Get("pickupTime"),
					c.day, c.time)
			}
			h.post(link+"/pickup", form).redirects(t, link)
		})
	}
}

func TestAnInvalidDayOrTimeIsShownAtItsField(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		_, i, link := h.guest()
		for _, c := range []struct{ day, time, dayWrong, timeWrong string }{
			{"2026-11-14", "12:00", "That date has passed. Choose today or a later date.", ""},
			{
				"2026-12-15", "12:00",
				"The item is kept until Monday 14 December 2026. Choose that date or an earlier one.", "",
			},
			{"2026-11-20", "09:00", "", "Choose a time between 10:00 and 18:00."},
			{"2026-11-15", "12:00", "", "That time has passed. Choose a later time."},
			{"", "", "Fill this in.", "Fill this in."},
			{
				"2026-02-30", "25:99", "Enter a real date, like 2026-11-20.",
				"Enter a time like 14:30.",
			},
		} {
			a := h.post(link+"/pickup", form("pickupDate", c.day, "pickupTime", c.time, "seen", "PENDING"))
			if a.StatusCode != 422 || a.fieldError("pickupDate") != c.dayWrong ||
				a.fieldError("pickupTime") != c.timeWrong {
				t.Errorf("%s %s: %d, %q, %q", c.day, c.time, a.StatusCode, a.fieldError("pickupDate"),
					a.fieldError("pickupTime"))
			}
			shown := a.fields()
			if shown.Get("pickupDate") != c.day || shown.Get("pickupTime") != c.time || shown.Get("seen") != "PENDING" {
				t.Errorf("%s %s: the form is shown again with %v", c.day, c.time, shown)
			}
			for field, wrong := range map[string]string{"pickupDate": c.dayWrong, "pickupTime": c.timeWrong} {
				input, links := a.all("input", "id", field)[0], a.all("a", "href", "#"+field)
				if marked := attr(input, "aria-invalid") == "true" &&
					strings.Contains(attr(input, "aria-describedby"), field+"-error") &&
					len(links) == 1; marked != (wrong != "") {
					t.Errorf("%s %s: field %s: got marked as invalid %t", c.day, c.time, field, marked)
				}
			}
		}
		if now := h.reload(i); now.Status != lost.Pending {
			t.Errorf("the item is %s", now.Status)
		}
	})
}

func TestLeavingAndDonatingAskForConfirmation(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		p := adler()
		l := h.location(p)
		for _, c := range []struct {
			path   string
			status lost.Status
			asks   string
			says   string
		}{
			{"/leave", lost.Discard, "Leave it at Hotel Adler?", "You are leaving it behind"},
			{"/donate", lost.Donate, "Hotel Adler will give it to a charity of its choice.", "You are donating it"},
		} {
			i := h.item(l, umbrella())
			link := h.link(i)
			ask := h.get(link + c.path)
			ask.want(t, 200, c.asks)
			if h.reload(i).Status != lost.Pending {
				t.Fatalf("%s: opening the question changed the status", c.path)
			}
			h.post(link+c.path, ask.fields()).redirects(t, link)
			if now := h.reload(i); now.Status != c.status {
				t.Errorf("%s: the item is %s", c.path, now.Status)
			}
			h.get(link).want(t, 200, c.says, "What happens next", "Change my choice")
			h.get(link+c.path).redirects(t, link) // the question has been answered
		}
		must(h.desk.Locations.Update(t.Context(), h.actor, l.ID,
			lost.LocationPatch{Charity: lost.Set("Red Cross Potsdam")}))
		h.get(h.link(h.item(l, umbrella()))+"/donate").want(t, 200, "Hotel Adler will give it to Red Cross Potsdam.")
	})
}

func TestNotMineIsRecordedAndCanBeUndone(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		_, i, link := h.guest()
		h.get(link+"/not-mine").want(t, 200, "so that they can look for the owner")
		h.post(link+"/not-mine", nil).redirects(t, link)
		if now := h.reload(i); now.DisownedAt.IsZero() || now.Status != lost.Pending {
			t.Errorf("got disowned at %v with status %s", now.DisownedAt, now.Status)
		}
		a := h.get(link)
		a.want(t, 200, "You told us that it is not yours", "If it is yours after all", "Pick it up")
		if strings.Contains(a.shownText(), "This is not mine") {
			t.Error("the question is shown again")
		}
		h.get(link+"/not-mine").redirects(t, link)
		h.post(link+"/leave", form("seen", "PENDING")).redirects(t, link)
		if now := h.reload(i); !now.DisownedAt.IsZero() {
			t.Error("the item is still marked as not theirs after a choice")
		}
	})
}

func TestAChoiceCanBeChangedUntilItIsCarriedOut(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		_, i, link := h.guest()
		h.post(link+"/donate", form("seen", "PENDING")).redirects(t, link)
		change := h.get(link + "?change=1")
		change.want(t, 200, "Change your choice", "Your current choice", "Keep my choice")
		h.post(link+"/leave", h.get(link+"/leave").fields()).redirects(t, link)
		h.move(i, lost.MovePatch{Status: lost.Set("DISCARD"), Closed: lost.Set(true)})
		done := h.get(link)
		done.want(t, 200, "It was left behind")
		if strings.Contains(done.shownText(), "Change my choice") {
			t.Error("a change is still offered")
		}
		for _, path := range []string{"/pickup", "/ship", "/donate", "/not-mine", "?change=1"} {
			a := h.get(link + path)
			if strings.HasPrefix(path, "/") {
				a.redirects(t, link)
			} else {
				a.want(t, 200, "It was left behind")
			}
		}
		a := h.post(link+"/donate", form("seen", "DISCARD"))
		a.want(t, 409, "This was changed in the meantime", "It was left behind")
		h.post(link+"/leave", form("seen", "PENDING")).redirects(t, link) // the same choice again, from an old page
	})
}

func TestAnOutdatedTabChangesNothing(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		_, i, link := h.guest()
		tab := h.get(link + "/leave").fields()
		h.post(link+"/pickup", form("pickupDate", "2026-11-20", "pickupTime", "14:30", "seen", "PENDING")).redirects(t,
			link)
		h.post(link+"/leave", tab).want(t, 409, "This was changed in the meantime", "You are picking it up",
			"Friday 20 November 2026")
		if now := h.reload(i); now.Status != lost.PickUp {
			t.Errorf("the item is %s", now.Status)
		}
	})
}

func TestEveryStatusHasItsPage(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		_, i, link := h.guest()
		for _, c := range []struct {
			move   lost.MovePatch
			says   []string
			change bool
		}{
			{lost.MovePatch{Status: lost.Set("INFO COMPLETED")}, []string{"Address received", "You pay nothing now"},
				true},
			{lost.MovePatch{Status: lost.Set("FEE PAID")}, []string{"Paid, to be shipped", "It will be sent soon"},
				false},
			{lost.MovePatch{Status: lost.Set("SHIPPED"), TrackingNumber: lost.Set("TRACK-1")},
				[]string{"On its way", "TRACK-1"}, false},
			{lost.MovePatch{Status: lost.Set("DELIVERED")}, []string{"Delivered", "It has arrived"}, false},
			{lost.MovePatch{Status: lost.Set("DISCARD")}, []string{"Left behind", "is no longer keeping it"}, false},
			{lost.MovePatch{Status: lost.Set("DONATE")}, []string{"Donated", "It was donated"}, false},
			{lost.MovePatch{Status: lost.Set("PICKUP")}, []string{"You are picking it up"}, false},
			{lost.MovePatch{Status: lost.Set("PICKUP"), PickupDate: lost.Set("2026-11-20")},
				[]string{"Friday 20 November 2026"}, false},
			{lost.MovePatch{Status: lost.Set("PICKUP"), Closed: lost.Set(true)}, []string{"You have it back"}, false},
		} {
			h.move(i, c.move)
			a := h.get(link)
			a.want(t, 200, append(c.says, i.Reference, "What happens next", "Marta Kahl")...)
			if strings.Contains(a.shownText(), "Kept until") {
				t.Errorf("%s: the end of the storage time is still shown", c.move.Status.Value)
			}
			if offered := strings.Contains(a.shownText(), "Change my choice"); offered != c.change {
				t.Errorf("%s: got change offered %t, want %t", c.move.Status.Value, offered, c.change)
			}
			if steps := a.all("li", "aria-current",
				"step"); (len(steps) == 1) != strings.Contains("INFO COMPLETED FEE PAID SHIPPED DELIVERED",
				c.move.Status.Value) {
				t.Errorf("%s: %d steps are marked as current", c.move.Status.Value, len(steps))
			}
		}
	})
}

func TestAMissedPickUpIsExplained(t *testing.T) {
	h := newServer(t)
	_, _, link := h.guest()
	h.post(link+"/pickup", form("pickupDate", "2026-11-16", "pickupTime", "11:00", "seen", "PENDING")).redirects(t,
		link)
	h.clock.Advance(2 * day)
	h.get(link).want(t, 200, "Did you pick it up?", "there is nothing more for you to do", "Change my choice")
	if proposed := h.get(link + "/pickup").fields().Get("pickupDate"); proposed != "2026-11-17" {
		t.Errorf("the form suggests %s, want 2026-11-17", proposed)
	}
}

func TestAnItemPastItsStorageTimeCannotBePickedUp(t *testing.T) {
	h := newServer(t)
	_, _, link := h.guest()
	h.clock.Advance(31 * day)
	a := h.get(link)
	a.want(t, 200, "It was kept until Monday 14 December 2026", "Have it sent")
	if strings.Contains(a.shownText(), "Pick it up") {
		t.Error("a pick-up is offered")
	}
	h.get(link+"/pickup").redirects(t, link)
}

func TestThePriceComesBeforeTheAddress(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		l, plain, unknown := h.guest()
		first := h.get(unknown + "/ship")
		first.want(t, 200, "Where should it go?",
			"Hotel Adler will tell you the price before anything is sent. You pay nothing now.")
		if len(first.all("input", "type", "text")) != 0 {
			t.Error("the first step asks for more than the country")
		}
		h.post(unknown+"/ship", berlin()).redirects(t, unknown) // without a price there is nothing to pay
		h.get(unknown).want(t, 200, "We have your address",
			"Hotel Adler will tell you the price before anything is sent")
		if now := h.reload(plain); now.Status != lost.InfoCompleted {
			t.Errorf("the item is %s", now.Status)
		}
		i := h.item(l, weighedUmbrella())
		link := h.link(i)
		h.get(link).want(t, 200, "To Germany: €5.90")
		h.get(link+"/ship").want(t, 200, "Sending it to Germany costs €5.90.", "Delivery takes 1 to 3 working days.",
			"You pay nothing now. Hotel Adler will tell you how to pay.")
		second := h.get(link + "/ship?country=pl")
		second.want(t, 200, "Sending it to Poland costs €14.90.", "For example, "+lost.PostalExample("PL"))
		fields := second.fields()
		if fields.Get("recipient.name") != "Anna Berg" || fields.Get("recipient.country") != "PL" {
			t.Errorf("the address form is prefilled with %v", fields)
		}
		if page := second.body; strings.Index(page, "€14.90") > strings.Index(page, "recipient.name") {
			t.Error("the price comes after the address")
		}
		set(fields, "recipient.address1", "ul. Długa 5", "recipient.zipCode", "00238", "recipient.city", "Warszawa",
			"recipient.phone", "+48 22 6354 000")
		h.post(link+"/ship", fields).redirects(t, link+"/pay")
		now := h.reload(i)
		want := lost.Recipient{
			Name: "Anna Berg", Address1: "ul. Długa 5", ZipCode: "00-238", City: "Warszawa", Country: "PL",
			Phone: "+48226354000",
		}
		if now.Status != lost.InfoCompleted || now.Shipping.Recipient != want {
			t.Errorf("got status %s with recipient %+v", now.Status, now.Shipping.Recipient)
		}
		h.get(link).want(t, 200, "We have your address", "ul. Długa 5", "00-238 Warszawa", "Poland",
			"See the price and confirm", "Change my choice")
		if again := h.get(link + "/ship?country=PL").fields(); again.Get("recipient.city") != "Warszawa" {
			t.Errorf("the address form is not prefilled: %v", again)
		}
		if moved := h.get(link + "/ship?country=DE").fields(); moved.Get("recipient.city") != "" ||
			moved.Get("recipient.name") != "Anna Berg" {
			t.Errorf("the form for another country is prefilled with %v", moved)
		}
	})
}

func set(values url.Values, pairs ...string) {
	for i := 0; i < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
}

func TestTheCountryIsGuessedFromTheBrowser(t *testing.T) {
	h := newServer(t)
	_, _, link := h.guest()
	for header, want := range map[string]string{
		"": "DE", "fr": "DE", "fr-CH, fr;q=0.9": "CH", "de, en-US;q=0.5": "US", "zh-Hant-TW": "TW", "en-XX": "DE",
		";;,-": "DE",
	} {
		if got := h.get(link+"/ship", "Accept-Language", header).fields().Get("country"); got != want {
			t.Errorf("%q: %s, want %s", header, got, want)
		}
	}
}

func TestAnInvalidAddressIsShownFieldByField(t *testing.T) {
	h := newServer(t)
	_, _, link := h.guest()
	a := h.post(link+"/ship",
		form("recipient.country", "DE", "recipient.name", strings.Repeat("x", 201), "recipient.zipCode", "SW1A",
			"recipient.phone", "12", "recipient.city", " "))
	if a.StatusCode != 422 {
		t.Errorf("got status %d, want 422", a.StatusCode)
	}
	for field, want := range map[string]string{
		"recipient.name": "Use at most 200 characters.", "recipient.address1": "Fill this in.",
		"recipient.zipCode": "Enter a postal code like 12345.",
		"recipient.city":    "Fill this in.",
		"recipient.phone":   "Enter a phone number with the country code, like +49 30 901820.",
		"recipient.company": "",
	} {
		if got := a.fieldError(field); got != want {
			t.Errorf("%s: %q, want %q", field, got, want)
		}
	}
	if shown := a.fields(); shown.Get("recipient.zipCode") != "SW1A" || shown.Get("recipient.country") != "DE" {
		t.Errorf("the form is shown again with %v", shown)
	}
	h.post(link+"/ship", form("recipient.country", "XX")).want(t, 422, "Choose a country from the list.")
	h.get(link+"/ship?country=XX").want(t, 422, "Choose a country from the list.")
	h.get(link+"/ship?country=US").want(t, 200, "State, province or prefecture")
	for country, want := range map[string]bool{"DE": true, "IE": false} {
		if got := strings.Contains(h.get(link+"/ship?country="+country).body, "recipient.zipCode-hint"); got != want {
			t.Errorf("%s: the form shows an example of a postal code: got %t, want %t", country, got, want)
		}
	}
}

func TestAnExpiredLinkCanBeRenewed(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		_, i, link := h.guest()
		h.clock.Advance(lost.LinkLife + time.Hour)
		for _, path := range []string{"", "/pickup", "/ship"} {
			a := h.get(link + path)
			a.want(t, http.StatusGone, "This link has expired", "Hotel Adler", "Marta Kahl")
			if len(a.all("form", "action", link+"/renew")) != 1 || strings.Contains(a.body, "umbrella") {
				t.Errorf("%s: %s", path, a.shownText())
			}
		}
		h.post(link+"/pickup", form("pickupDate", "2027-02-20", "pickupTime", "14:30")).want(t, http.StatusGone)
		h.post(link+"/renew", nil).want(t, 200, "we are sending a new link")
		messages := must(h.desk.Messages.ListOfItem(t.Context(), h.actor, i.LocationID, i.ID, lost.FirstPage()))
		if messages.Count != 2 {
			t.Errorf("got %d messages, want the first and the new one", messages.Count)
		}
		h.get(h.link(i)).want(t, 200, "Have it sent")
	})
}

func TestRenewingALinkRevealsNothing(t *testing.T) {
	h := newServer(t)
	_, i, link := h.guest()
	known := h.post(link+"/renew", nil)
	unknown := h.post("/g/nobody/renew", nil)
	if strings.ReplaceAll(known.body, link, "") != strings.ReplaceAll(unknown.body, "/g/nobody", "") ||
		known.StatusCode != unknown.StatusCode {
		t.Errorf("%d %s\n%d %s", known.StatusCode, known.body, unknown.StatusCode, unknown.body)
	}
	messages := must(h.desk.Messages.ListOfItem(t.Context(), h.actor, i.LocationID, i.ID, lost.FirstPage()))
	if messages.Count != 1 {
		t.Errorf("got %d messages, want 1: a link that works is not renewed", messages.Count)
	}
}

func TestPhotosAreServedByTheServiceWithTheirSize(t *testing.T) {
	h := newServer(t)
	l, i, link := h.guest()
	h.upload(i, 200, 600)
	h.upload(i, 800, 600)
	now := h.reload(i)
	a := h.get(link)
	images := a.all("img")
	if len(images) != 2 || attr(images[0], "src") != "/files/"+now.Images[0].Thumbnail ||
		attr(images[0], "width") != "587" || attr(images[0], "height") != "440" || attr(images[0], "alt") == "" {
		t.Errorf("images: %v", images)
	}
	for _, image := range images {
		if h.get(attr(image, "src")).StatusCode != 200 {
			t.Errorf("%s is not served", attr(image, "src"))
		}
	}
	must(h.desk.Items.Update(t.Context(), h.actor, l.ID, i.ID,
		lost.ItemPatch{ImageURL: lost.Set("https://photos.example/1.jpg")}))
	must(h.desk.Locations.Update(t.Context(), h.actor, l.ID,
		lost.LocationPatch{LogoURL: lost.Set("https://photos.example/logo.png")}))
	a = h.get(link)
	for _, image := range a.all("img") {
		if !strings.HasPrefix(attr(image, "src"), "/files/") {
			t.Errorf("%s is loaded", attr(image, "src"))
		}
	}
	see := a.all("a", "href", "https://photos.example/1.jpg")
	if len(see) != 1 || !strings.Contains(attr(see[0], "rel"), "noreferrer") ||
		!strings.Contains(attr(see[0], "rel"), "nofollow") {
		t.Errorf("links to the photo: got %v", see)
	}
	must(h.desk.Locations.UploadLogo(t.Context(), h.actor, l.ID, reader(photo(200, 80)), lost.IdempotencyKey{}))
	if logo := h.get(link).all("header")[0]; attr(logo.FirstChild.NextSibling, "src") == "" &&
		len(h.get(link).all("img")) != 3 {
		t.Error("the logo is missing")
	}
}
