package app_test

import (
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	catalog "homeward/internal/i18n"
	"homeward/internal/message/mailtest"
	"homeward/internal/store/storetest"
	"homeward/internal/web/browsertest"
)

// Every journey begins with an action by the desk or the guest, continues with the resulting e-mail and the page that
// it links to, and ends by checking the status, history, messages, webhooks and the final page.
func TestGuestJourneysOnEveryScreenWithAndWithoutJavaScript(t *testing.T) {
	t.Parallel()
	phone, desk := browsertest.Options{Phone: true}.String(), browsertest.Options{Dark: true}.String()
	journeys := []struct {
		name string
		run  func(j *journey)
		axe  string // the kind of visitor for which accessibility is checked; the journeys cover all pages
	}{
		{"pick up, then donate", pickUpThenDonate, phone},
		{"report and find it", reportAndFindIt, desk},
		{"report and be answered", reportAndBeAnswered, ""},
		{"have it sent", haveItSent, phone},
		{"leave behind", leaveBehind, desk},
		{"donate", donate, ""},
		{"not mine", notMine, ""},
	}
	browsertest.Each(t, func(t *testing.T, o browsertest.Options) {
		o.Dark = !o.Phone && !o.NoScript
		i := newSite(t, databaseFor(t, o), hotelAdler())
		t.Run("to", func(t *testing.T) {
			for n, tt := range journeys {
				t.Run(tt.name, func(t *testing.T) {
					// All journeys run on a phone with JavaScript. Each of them also runs for some of the other
					// visitors, or for all if HOMEWARD_TEST_LONG is set.
					if selected := tt.axe == o.String() || o.Phone && !o.NoScript ||
						o.NoScript && (n%2 == 0) == o.Phone; !selected && os.Getenv("HOMEWARD_TEST_LONG") == "" {
						return
					}
					t.Parallel()
					j := i.newJourney(t, o)
					j.axe = tt.axe == o.String()
					tt.run(j)
				})
			}
		})
		i.checkDeliveries(t)
	})
}

func pickUpThenDonate(j *journey) {
	item := j.createItem(map[string]any{"brand": "Knirps", "owner": newOwner("anna")})
	j.addPhoto(item)
	notice := j.waitForMail("anna", 1)
	if got := subject(notice); got !=
		"We found something of yours at Hotel Adler: Black umbrella with a wooden handle" {
		j.t.Errorf("subject %q", got)
	}
	if !strings.Contains(notice.HTML, ">Choose what happens to it</a>") ||
		!strings.Contains(notice.Text, "Hello Anna,") {
		j.t.Errorf("the e-mail is\n%s\n%s", notice.Text, notice.HTML)
	}
	link := j.guestLink(notice)
	day := j.day(3)

	j.v.Visit(link)
	j.checkPage("choose", "Hotel Adler has found something of yours", "Black umbrella with a wooden handle", "Knirps",
		"Room 312", "Kept until", formatDay(j.day(29)), "Hafenmission")
	j.v.SeeNot("minibar", "Cellar shelf") // internal fields
	j.v.Follow("Pick it up")
	j.v.Fill("Day", day)
	j.v.Fill("Time", "16:30")
	j.checkPage("when", "Between 08:00 and 20:00, local time (Europe/Berlin)")
	j.tapTwice("Confirm pick-up", "You are picking it up")
	when := formatDay(day) + ", 16:30 (Europe/Berlin)"
	j.checkPage("picking up", when, "Hafenstraße 12", "bring proof of identity", "Change my choice")
	j.v.Back() // to the form, which still contains the values
	j.v.See("When will you pick it up?")
	j.v.Follow("Confirm pick-up")
	j.v.See("You are picking it up", when)
	one := outcome{
		"PICKUP", []string{"created by key", "image-added by key", "PENDING to PICKUP by guest"},
		[]string{"notice", "choice"}, []string{"pickup " + day + " 16:30"},
	}
	if pickup := j.checkOutcome(item, one)["pickup"].(map[string]any); pickup["date"] != day ||
		pickup["time"] != "16:30" {
		j.t.Errorf("pickup %v", pickup)
	}
	confirmed := j.waitForMail("anna", 2)
	if !strings.Contains(confirmed.Text, "Your pick-up is arranged") ||
		!strings.Contains(confirmed.Text, formatDay(day)+" at 16:30") || j.guestLink(confirmed) != link {
		j.t.Errorf("the e-mail is\n%s", confirmed.Text)
	}

	j.v.Follow("Change my choice")
	j.checkPage("change", "Change your choice", "Your current choice", "Keep my choice")
	j.v.Follow("Donate it")
	j.checkPage("donate", "Hotel Adler will give it to Hafenmission.")
	j.v.Follow("Donate it")
	j.checkPage("donating", "You are donating it", "Hafenmission")
	j.v.Back()
	j.v.Visit(link)
	j.v.See("You are donating it")
	two := outcome{
		"DONATE", append(one.acts, "PICKUP to DONATE by guest"),
		[]string{"notice", "choice", "choice"}, append(one.events, "donate"),
	}
	if record := j.checkOutcome(item, two); record["pickup"] != nil {
		j.t.Errorf("pickup %v, want none", record["pickup"])
	}
	if donated := j.waitForMail("anna", 3); !strings.Contains(donated.Text, "Thank you for donating it") {
		j.t.Errorf("the e-mail is\n%s", donated.Text)
	}
}

// chooseAndConfirm is a journey in which the guest confirms one choice.
func chooseAndConfirm(j *journey, name, choice, question, status, says, event, mail string) {
	j.t.Helper()
	item := j.createItem(map[string]any{"owner": newOwner(name)})
	link := j.guestLink(j.waitForMail(name, 1))
	j.v.Visit(link)
	j.v.Follow(choice)
	j.checkPage("question", question)
	j.v.Follow("css:main button")
	j.checkPage("answered", says, "There is nothing more for you to do.", "Questions? Ask Hotel Adler",
		"desk@adler.example")
	j.checkOutcome(item,
		outcome{
			status, []string{"created by key", "PENDING to " + status + " by guest"}, []string{"notice", "choice"},
			[]string{event},
		})
	if got := j.waitForMail(name, 2); !strings.Contains(got.Text, mail) || j.guestLink(got) != link {
		j.t.Errorf("the e-mail is\n%s", got.Text)
	}
}

func leaveBehind(j *journey) {
	chooseAndConfirm(j, "bruno", "Leave it behind", "Leave it at Hotel Adler?", "DISCARD", "You are leaving it behind",
		"discard", "You chose to leave it behind")
}

func donate(j *journey) {
	chooseAndConfirm(j, "carla", "Donate it", "Hotel Adler will give it to Hafenmission.", "DONATE",
		"You are donating it",
		"donate", "Hotel Adler will give it to Hafenmission.")
}

func haveItSent(j *journey) {
	item := j.createItem(map[string]any{"owner": newOwner("dora")})
	link := j.guestLink(j.waitForMail("dora", 1))
	j.v.Visit(link)
	j.v.Follow("Have it sent")
	j.checkPage("country", "Where should it go?", "Hotel Adler will tell you the price before anything is sent.")
	j.v.Choose("Country", "France")
	j.v.Follow("Continue")
	price := "Hotel Adler will tell you the price before anything is sent. You pay nothing now."
	j.checkPage("address", "Your address", "France", price)
	var name string
	j.v.Run("document.getElementById('recipient.name').value", &name)
	if name != "Dora Berg" {
		j.t.Errorf("the name in the address is %q", name)
	}
	j.v.Fill("Street and number", "12 rue de la Paix")
	j.v.Fill("Postal code", "2000")
	j.v.Fill("City", "Paris")
	j.v.Fill("Phone", "+33 1 44 55 66 77")
	j.v.Follow("Save address")
	j.checkPage("mistake", "Please check the form", "Postal code – Enter a postal code like 12345.", price)
	var values []string
	j.v.Run("[...document.querySelectorAll('main form .row input')].map(e => e.value)", &values)
	if want := []string{
		"Dora Berg", "", "12 rue de la Paix", "", "2000", "Paris", "+33 1 44 55 66 77",
	}; !slices.Equal(values, want) || j.v.Status() != http.StatusUnprocessableEntity {
		j.t.Errorf("the form has the values %q with status %d, want %q", values, j.v.Status(), want)
	}
	j.v.Click("Postal code – Enter a postal code like 12345.") // moves the focus to the field
	if at := j.v.Focused(); !strings.Contains(at, `id="recipient.zipCode"`) {
		j.t.Errorf("the summary moves the focus to %s", at)
	}
	j.v.Fill("Postal code", "75002")
	j.v.Follow("Save address")
	j.checkPage("sending", "We have your address", "Address received", price, "12 rue de la Paix", "75002 Paris")
	record := j.checkOutcome(item,
		outcome{
			"INFO COMPLETED", []string{"created by key", "PENDING to INFO COMPLETED by guest"},
			[]string{"notice", "choice"}, nil,
		})
	want := map[string]any{
		"name": "Dora Berg", "address1": "12 rue de la Paix", "zipCode": "75002", "city": "Paris", "country": "FR",
		"phone": "+33144556677",
	}
	same(j.t, "the recipient", record["shipping"].(map[string]any)["recipient"].(map[string]any), want)
	if confirmed := j.waitForMail("dora", 2); !strings.Contains(confirmed.Text, "We have your address") ||
		j.guestLink(confirmed) != link {
		j.t.Errorf("the e-mail is\n%s", confirmed.Text)
	}
	j.checkTasks(item, "shipping-wanted")
}

func notMine(j *journey) {
	item := j.createItem(map[string]any{"owner": newOwner("emil")})
	link := j.guestLink(j.waitForMail("emil", 1))
	j.v.Visit(link)
	j.v.Follow("This is not mine")
	j.checkPage("question", "Not yours?", "You will not get any more reminders about it.")
	j.tapTwice("It is not mine", "You told us that it is not yours")
	j.checkPage("answered", "Hotel Adler has been told, and there is nothing more for you to do.",
		"If it is yours after all")
	record := j.checkOutcome(item,
		outcome{"PENDING", []string{"created by key", "not-theirs by guest"}, []string{"notice"}, nil})
	if record["disownedAt"] == nil {
		j.t.Errorf("the item has no disownedAt: %v", record)
	}
	j.checkTasks(item, "not-theirs")
}

func reportAndFindIt(j *journey) {
	j.v.Visit(j.site.public)
	j.checkPage("public", "Lost something at Hotel Adler?", "Eighty rooms by the harbour.", "desk@adler.example")
	item := j.reportLoss(j.v, map[string]string{
		"What is it?": "Green scarf", "Where did you last have it?": "At the bar", "When did you lose it?": j.day(-1),
		"What would only the owner know?": "A hole in one corner",
		"First name":                      "Finn", "E-mail": "finn@example.com",
	}, j.writeFile("scarf.jpg", samplePhoto()))
	filed := j.must(http.StatusOK, "GET", item, nil)
	reference := filed["reference"].(string)
	j.checkPage("thanks", reference, "we will write to finn@example.com either way")
	if claim := filed["request"].(map[string]any); claim["state"] != "PENDING" || claim["lostPlace"] != "At the bar" ||
		claim["lostDate"] != j.day(-1) ||
		claim["proof"] != "A hole in one corner" || len(filed["images"].([]any)) != 1 || filed["language"] != "en" {
		j.t.Errorf("the request is %v", filed)
	}
	j.checkEvents(filed["id"].(string), []string{"request"})
	j.checkTasks(item, "answer-request")
	received := j.waitForMail("finn", 1)
	if subject(received) != "Hotel Adler has received your report "+reference ||
		!strings.Contains(received.HTML, ">Follow your report</a>") {
		j.t.Errorf("subject %q, text\n%s", subject(received), received.Text)
	}
	link := j.guestLink(received)
	j.v.Follow("Follow your report")
	if at := j.v.Location(); at != link {
		j.t.Errorf("the page links to %s, the e-mail to %s", at, link)
	}
	j.v.Visit(link)
	j.checkPage("follow", "Hotel Adler is looking for it", reference, "Green scarf", "A hole in one corner",
		"At the bar")
	j.v.Fill("What else should they know?", "It is from Loden Frey.\nMy initials are in it.")
	j.v.Follow("Add to my report")
	j.checkPage("added", "Green scarf", "It is from Loden Frey.")
	if added := j.must(http.StatusOK, "GET", item,
		nil); added["description"] != "Green scarf\n\nIt is from Loden Frey.\nMy initials are in it." {
		j.t.Errorf("description %q", added["description"])
	}
	j.tapTwice("I found it, thanks", "You have it back")
	j.checkPage("found", "Hotel Adler has been told and has stopped looking for it.")
	found := j.checkOutcome(item, outcome{
		"PENDING", []string{"created by public", "updated by guest", "request-withdrawn by guest"},
		[]string{"request-received"}, []string{"request"},
	})
	if state := found["request"].(map[string]any)["state"]; state != "WITHDRAWN" {
		j.t.Errorf("state %v", state)
	}
	j.checkTasks(item)
}

// reportAndBeAnswered is a journey of two claimants. The desk has found the first claimant's item, but not the
// second's.
func reportAndBeAnswered(j *journey) {
	second := browsertest.New(j.t, j.options)
	j.v.Visit(j.site.public)
	second.Visit(j.site.public)
	acceptedRequest := j.reportLoss(j.v,
		map[string]string{"What is it?": "Silver ring", "E-mail": "gerd@example.com", "First name": "Gerd"}, "")
	rejectedRequest := j.reportLoss(second,
		map[string]string{"What is it?": "Red hat", "E-mail": "hanna@example.com"}, "")
	follow, first := j.guestLink(j.waitForMail("gerd", 1)), j.guestLink(j.waitForMail("hanna", 1))
	j.checkTasks(acceptedRequest, "answer-request")
	j.checkTasks(rejectedRequest, "answer-request")

	ring := j.createItem(map[string]any{"description": "Ring, silver", "color": "silver"})
	decide := func(request string, body map[string]any) {
		j.t.Helper()
		j.must(http.StatusOK, "PUT", strings.Replace(request, "/items/", "/requests/", 1)+"/update-status", body)
	}
	decide(acceptedRequest, map[string]any{"type": "accept", "itemId": ring[strings.LastIndexByte(ring, '/')+1:]})
	decide(rejectedRequest,
		map[string]any{"type": "reject", "reason": "We looked in the bar,\nand asked the cleaners."})

	acceptance := j.waitForMail("gerd", 2)
	if got := subject(acceptance); got != "Good news from Hotel Adler, we found it: Ring, silver" {
		j.t.Errorf("subject %q", got)
	}
	link := j.guestLink(acceptance)
	j.v.Visit(follow)
	j.checkPage("good news", "Good news: Hotel Adler has found it",
		"We have sent you a message that explains how to get it back.")
	j.v.Visit(link) // the page that only the e-mail links to
	j.v.See("Ring, silver")
	j.v.Follow("Pick it up") // two taps are enough, because the day and time are already filled in
	var proposed []string
	j.v.Run("[...document.querySelectorAll('main form .row input')].map(e => e.value)", &proposed)
	j.v.Follow("Confirm pick-up")
	j.checkPage("picking up", "You are picking it up", formatDay(proposed[0])+", "+proposed[1])
	j.checkOutcome(ring, outcome{
		"PICKUP", []string{"created by key", "updated by key", "PENDING to PICKUP by guest"},
		[]string{"match", "choice"}, []string{"pickup " + strings.Join(proposed, " ")},
	})
	matched := j.checkOutcome(acceptedRequest,
		outcome{
			"PENDING", []string{"created by public", "request-accepted by key"}, []string{"request-received"},
			[]string{"request"},
		})
	if claim := matched["request"].(map[string]any); claim["state"] != "MATCHED" ||
		!strings.HasSuffix(ring, text(claim["matchedItemId"])) {
		j.t.Errorf("the request is %v", claim)
	}

	rejection := j.waitForMail("hanna", 2)
	if !strings.Contains(rejection.Text, "We looked in the bar, and asked the cleaners.") ||
		subject(rejection) != "About your report at Hotel Adler: "+
			text(j.must(http.StatusOK, "GET", rejectedRequest, nil)["reference"]) ||
		strings.Contains(rejection.Text, "Red hat") {
		j.t.Errorf("subject %q, text\n%s", subject(rejection), rejection.Text)
	}
	second.Visit(j.guestLink(rejection))
	second.See("Hotel Adler has not found it", "We looked in the bar,", "Report it again")
	j.inspectPage(second, "sorry")
	if second.Location() != first {
		j.t.Errorf("the link has changed")
	}
	rejected := j.checkOutcome(rejectedRequest, outcome{
		"PENDING", []string{"created by public", "request-rejected by key"},
		[]string{"request-received", "request-rejected"}, []string{"request"},
	})
	if state := rejected["request"].(map[string]any)["state"]; state != "REJECTED" {
		j.t.Errorf("state %v", state)
	}
	j.checkTasks(acceptedRequest)
	j.checkTasks(rejectedRequest)
}

// Submitting a form in a stale tab changes nothing and shows the current state.
func TestStaleTabShowsTheCurrentChoice(t *testing.T) {
	t.Parallel()
	i := newSite(t, storetest.SQLite(t), hotelAdler())
	j := i.newJourney(t, browsertest.Options{Phone: true})
	item := j.createItem(map[string]any{"owner": newOwner("ida")})
	link := j.guestLink(j.waitForMail("ida", 1))
	j.v.Visit(link)
	stale := j.v.Tab()
	stale.Visit(link)
	stale.Follow("Pick it up")
	j.v.Follow("Leave it behind")
	j.v.Follow("css:main button")
	j.v.See("You are leaving it behind")
	stale.Follow("Confirm pick-up")
	stale.See("This was changed in the meantime, so nothing new was saved.", "You are leaving it behind",
		"Change my choice")
	j.inspectPage(stale, "stale")
	if stale.Status() != http.StatusConflict {
		t.Errorf("status %d", stale.Status())
	}
	j.checkOutcome(item,
		outcome{
			"DISCARD", []string{"created by key", "PENDING to DISCARD by guest"}, []string{"notice", "choice"},
			[]string{"discard"},
		})
	j.v.Visit(link)
	j.v.See("You are leaving it behind")
}

// The item's language takes precedence over the browser's, which takes precedence over the location's.
func TestGuestPagesUseTheGuestsLanguage(t *testing.T) {
	t.Parallel()
	place := hotelAdler()
	place["language"] = "it"
	i := newSite(t, storetest.SQLite(t), place)
	for _, tt := range []struct{ name, item, browser, mail, page string }{
		{"karl", "de-AT", "fr", "de", "de"},
		{"lena", "", "ja", "it", "ja"},
		{"mila", "", "sv", "it", "it"},
	} {
		t.Run(tt.page+" for a browser in "+tt.browser, func(t *testing.T) {
			t.Parallel()
			j := i.newJourney(t, browsertest.Options{Phone: true, Language: tt.browser})
			item := map[string]any{"owner": newOwner(tt.name)}
			if tt.item != "" {
				item["language"] = tt.item
			}
			path := j.createItem(item)
			mail, title := j.waitForMail(tt.name, 1), "message.notice.title"
			if say := catalog.Choose(tt.mail).Say(title); say == catalog.Choose("en").Say(title) ||
				!strings.Contains(mail.Text, say) || !strings.Contains(mail.HTML, `<html lang="`+tt.mail+`"`) {
				t.Errorf("the e-mail lacks %q:\n%s", say, mail.Text)
			}
			j.v.Visit(j.guestLink(mail))
			checkLanguage(j, tt.page)
			l := catalog.Choose(tt.page)
			if say := l.Say("guest.choose.pickup"); say == catalog.Choose("en").Say("guest.choose.pickup") {
				t.Errorf("%q has no translation", say)
			}
			j.checkPage("choose", l.Say("guest.choose.pickup"), l.Date(j.day(29)))
			j.v.Follow(l.Say("guest.choose.leave"))
			j.v.Follow("css:main button")
			checkLanguage(j, tt.page)
			j.checkPage("left", l.Say("guest.left.title"))
			j.checkOutcome(path,
				outcome{
					"DISCARD", []string{"created by key", "PENDING to DISCARD by guest"}, []string{"notice", "choice"},
					[]string{"discard"},
				})
		})
	}
}

// checkLanguage checks the language of a page.
func checkLanguage(j *journey, language string) {
	j.t.Helper()
	var lang string
	j.v.Run("document.documentElement.lang", &lang)
	if lang != language {
		j.t.Errorf("the page's language is %q, want %q", lang, language)
	}
}

// Hostile text for every field, and for multi-line fields.
const (
	tag       = `"><script>alert(1)</script>'{{.}}`
	injection = "\r\nBcc: x@evil.example\r\n\r\n"
	// separated contains a character that some programs treat as the end of a line.
	separated = tag + "\u2028Bcc: x@evil.example"
)

// The API and the pages reject line breaks in single-line fields.
func TestNoFieldAllowsHeaderInjection(t *testing.T) {
	t.Parallel()
	i := newSite(t, storetest.SQLite(t), hotelAdler())
	evil := func(fields ...string) (all map[string]any) {
		all = map[string]any{}
		for _, f := range fields {
			all[f] = "a" + injection + "b"
		}
		return all
	}
	with := func(all map[string]any, name string, value any) map[string]any {
		all[name] = value
		return all
	}
	person := evil("firstName", "lastName", "email", "phone")
	for _, tt := range []struct {
		path   string
		body   map[string]any
		faults []string
	}{
		{"/v1/locations",
			with(evil("name", "website", "address1", "address2", "city", "state", "zipCode", "country", "storagePlace",
				"timeZone", "language", "privacyUrl"), "contact", evil("name", "email", "email2", "phone")), []string{
				"address1", "address2", "city", "contact.email", "contact.email2", "contact.name", "contact.phone",
				"country", "language", "name", "privacyUrl", "state", "storagePlace", "timeZone", "website", "zipCode",
			}},
		{i.location + "/items",
			with(with(evil("discoveryPlace", "brand", "model", "color", "storagePlace", "language", "imageUrl"),
				"owner", person), "description", "Hat"), []string{
				"brand", "color", "discoveryPlace", "imageUrl", "language", "model", "owner.email", "owner.firstName",
				"owner.lastName", "owner.phone", "storagePlace",
			}},
		{i.location + "/requests",
			with(with(evil("lostPlace", "brand", "model", "color", "language"), "owner", person), "description", "Hat"),
			[]string{
				"brand", "color", "language", "lostPlace", "model", "owner.email", "owner.firstName", "owner.lastName",
				"owner.phone",
			}},
	} {
		var problem struct{ Errors []struct{ Field string } }
		a := i.do(i.key, "POST", tt.path, tt.body)
		if err := json.Unmarshal(a.body, &problem); err != nil || a.status != http.StatusUnprocessableEntity {
			t.Fatalf("%s returned %d %s", tt.path, a.status, a.body)
		}
		var faults []string
		for _, e := range problem.Errors {
			faults = append(faults, e.Field)
		}
		slices.Sort(faults)
		if !slices.Equal(faults, tt.faults) {
			t.Errorf("%s rejected %q, want %q", tt.path, faults, tt.faults)
		}
	}

	j := i.newJourney(t, browsertest.Options{})
	j.createItem(map[string]any{"owner": newOwner("nils")})
	form := url.Values{"recipient.country": {"US"}}
	for _, name := range []string{"name", "company", "address1", "address2", "city", "state", "zipCode", "phone"} {
		form.Set("recipient."+name, "1"+injection+"2")
	}
	res, err := i.unchecked.PostForm(j.guestLink(j.waitForMail("nils", 1))+"/ship", form)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	page, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusUnprocessableEntity ||
		strings.Count(string(page), `<p class="error"`) != 8 {
		t.Errorf("%v, %d\n%s", err, res.StatusCode, page)
	}
	if mails := i.mails.All(); len(mails) != 1 {
		t.Errorf("%d e-mails were sent", len(mails))
	}
}

// hostileHotel returns a location with hostile text in every field.
func hostileHotel() map[string]any {
	place := hotelAdler()
	for _, f := range []string{"name", "address1", "address2", "city", "state", "zipCode"} {
		place[f] = separated
	}
	place["description"], place["charity"], place["website"] = tag+injection+tag, tag+injection,
		"https://evil.example/'onmouseover='alert(1)'"
	place["privacyText"], place["privacyUrl"] = tag+injection+"\n"+tag, "https://odd.example/'onmouseover='alert(1)'"
	place["contact"] = map[string]any{"name": separated, "email": "desk'{{.}}@adler.example", "phone": "+4940123456"}
	return place
}

// checkHarmless checks that the page shows the hostile text, and that the text has not added any element or attribute
// to the page.
func (j *journey) checkHarmless(name string, texts ...string) {
	j.t.Helper()
	j.checkPage(name, append(texts, tag)...) // if the text opened a dialog, this check would time out
	j.v.SeeNot("Secret")
	var unsafe []string
	j.v.Run(`[...document.querySelectorAll('*')].filter(e =>
		e.matches('script:not([src^="/assets/"]), iframe, object, embed, base, meta[http-equiv], [style]')
		|| [...e.attributes].some(a => a.name.startsWith('on'))).map(e => e.outerHTML)`, &unsafe)
	if len(unsafe) > 0 {
		j.t.Errorf("%s: the page contains %q", name, unsafe)
	}
}

// chooseWithHostileText visits all of a guest's pages, and enters hostile text in the address form.
func chooseWithHostileText(j *journey, item, link string) {
	j.t.Helper()
	j.v.Visit(link)
	j.checkHarmless("choose", "View the photo", "Bcc: x@evil.example")
	for _, choice := range []string{"/pickup", "/donate", "/leave", "/not-mine", "/ship"} {
		j.v.Visit(link + choice)
		j.checkHarmless(choice[1:])
	}
	j.v.Choose("Country", "Ireland")
	j.v.Follow("Continue")
	for _, f := range []string{"Name", "Company", "Street and number", "Apartment, floor, building", "City", "Phone"} {
		j.v.Fill(f, separated)
	}
	j.v.Fill("Postal code", `"><b>'{{.}}`)
	j.v.Follow("Save address")
	j.checkHarmless("address", "Phone – Enter a phone number with the country code")
	j.v.Fill("Phone", "")
	j.v.Follow("Save address")
	j.checkHarmless("sending", "We have your address", `"><b>'{{.}}`)
	j.v.Visit(link + "/pickup")
	j.v.Follow("Confirm pick-up")
	j.checkHarmless("picking up", "You are picking it up")
	if status := j.must(http.StatusOK, "GET", item, nil)["status"]; status != "PICKUP" {
		j.t.Errorf("the item is %v", status)
	}
}

// reportWithHostileText reports a loss with hostile text as a claimant, and rejects the request as the desk. It
// returns the request.
func reportWithHostileText(j *journey) (claim string) {
	j.t.Helper()
	j.v.Visit(j.site.public)
	j.checkHarmless("public", "Lost something at")
	claim = j.reportLoss(j.v, map[string]string{
		"What is it?": tag + injection + tag, "Where did you last have it?": separated,
		"What would only the owner know?": tag + injection,
		"First name":                      separated, "Last name": separated, "E-mail": "paul'{{.}}@example.com",
	}, "")
	j.checkHarmless("thanks")
	j.v.Follow("Follow your report")
	j.v.Fill("What else should they know?", tag+injection+tag)
	j.v.Follow("Add to my report")
	j.checkHarmless("added", "is looking for it")
	j.must(http.StatusOK, "PUT", strings.Replace(claim, "/items/", "/requests/", 1)+"/update-status",
		map[string]any{"type": "reject", "reason": tag + injection + tag})
	rejected := j.waitForMail("paul'{{.}}", 2)
	j.v.Visit(j.guestLink(rejected))
	j.checkHarmless("rejected", "has not found it")
	return claim
}

// All text is shown as it was entered, on every page and in every e-mail, and is never executed.
func TestHostileTextIsNeverExecuted(t *testing.T) {
	t.Parallel()
	i := newSite(t, storetest.SQLite(t), hostileHotel())
	j := i.newJourney(t, browsertest.Options{})
	const email = "olga'{{.}}"
	them := map[string]any{"firstName": separated, "lastName": separated, "email": email + "@example.com"}
	item := j.createItem(map[string]any{
		"description": tag + injection + tag, "discoveryPlace": separated, "brand": separated, "model": separated,
		"color": separated,
		"notes": "Secret " + tag, "storagePlace": "Secret " + tag,
		"imageUrl": "https://evil.example/'onmouseover='alert(1)'", "owner": them,
	})
	chooseWithHostileText(j, item, j.guestLink(j.waitForMail(email, 1)))
	claim := reportWithHostileText(j)
	waitUntil(t, "every message is sent", func() bool { return j.messagesSettled(item) && j.messagesSettled(claim) })
	i.checkDeliveries(t)
	for _, m := range i.mails.All() {
		checkHostileMail(t, m, "desk'{{.}}@adler.example")
	}
	if mails := i.mails.All(); len(mails) != 5 { // a notice, two confirmations, and two about the report
		t.Errorf("%d e-mails were sent", len(mails))
	}
}

// checkHostileMail checks that an e-mail full of hostile text has the usual header fields, each once, and shows the
// text unchanged.
func checkHostileMail(t *testing.T, m mailtest.Mail, desk string) {
	t.Helper()
	var names []string
	for f := m.Header.Fields(); f.Next(); {
		names = append(names, strings.ToLower(f.Key()))
	}
	slices.Sort(names)
	want := []string{
		"auto-submitted", "content-type", "date", "from", "message-id", "mime-version", "reply-to", "subject", "to",
		"x-auto-response-suppress",
	}
	if !slices.Equal(names, want) {
		t.Errorf("header fields %q, want %q", names, want)
	}
	from, fromErr := m.Header.AddressList("From")
	reply, replyErr := m.Header.AddressList("Reply-To")
	if fromErr != nil || replyErr != nil || len(from) != 1 || from[0].Address != "lost@example.com" ||
		len(reply) != 1 || reply[0].Address != desk {
		t.Errorf("from %v, reply to %v: %v, %v", from, reply, fromErr, replyErr)
	}
	if !strings.Contains(m.Text, tag) || !strings.Contains(m.HTML, html.EscapeString(tag)) ||
		strings.Contains(m.HTML, "<script") || strings.Contains(m.HTML, "evil.example/") ||
		!strings.Contains(m.HTML, `href="https://odd.example/%27onmouseover=%27alert%281%29%27" rel="noopener"`) {
		t.Errorf("the e-mail does not show the text:\n%s\n%s", m.Text, m.HTML)
	}
}

// If a photo is rejected, the claimant keeps all other input.
func TestRejectedPhotoKeepsTheFormsInput(t *testing.T) {
	t.Parallel()
	i := newSite(t, storetest.SQLite(t), hotelAdler())
	j := i.newJourney(t, browsertest.Options{Phone: true})
	j.v.Visit(i.public)
	input := []string{
		"Green scarf\nwith fringes", "At the bar", j.day(-1), "A hole", "Quentin", "Berg", "quentin@example.com", "",
	}
	for n, label := range []string{
		"What is it?", "Where did you last have it?", "When did you lose it?", "What would only the owner know?",
		"First name", "Last name", "E-mail",
	} {
		j.v.Fill(label, input[n])
	}
	j.waitForFormAge(j.v)
	for _, tt := range []struct {
		file   string
		data   []byte
		status int
		says   string
	}{
		{
			"large.jpg", padded("jpeg", 20<<20), http.StatusRequestEntityTooLarge,
			"The photo is larger than 10 MB. Choose a smaller one, or send the form without it.",
		},
		{
			"note.jpg", picture("text"), http.StatusUnsupportedMediaType,
			"We cannot use that file. Choose a JPEG, PNG, WebP or GIF image.",
		},
	} {
		j.v.Upload("A photo of the item", j.writeFile(tt.file, tt.data))
		j.v.Follow("Send report")
		j.checkPage(tt.file, "Please check the form", "A photo of the item – "+tt.says)
		shown := slices.Insert(slices.Clone(input), 4, "")
		shown = slices.Insert(shown, 3, "") // no serial number and no tracker link
		var values []string
		j.v.Run("[...document.querySelectorAll('fieldset input, fieldset textarea')].map(e => e.value)", &values)
		if j.v.Status() != tt.status || !slices.Equal(values, shown) {
			t.Errorf("%s: status %d with the values %q, want %d and %q", tt.file, j.v.Status(), values, tt.status,
				shown)
		}
	}
	if requests, _ := j.listAll(i.location + "/requests"); len(requests)+len(i.listFiles()) != 0 {
		t.Errorf("requests %v, files %q", requests, i.listFiles())
	}
	j.v.Follow("Send report") // without a photo
	j.v.See("Thank you, we have your report")
	requests, _ := j.listAll(i.location + "/requests")
	if len(requests) != 1 || requests[0]["description"] != input[0] ||
		requests[0]["request"].(map[string]any)["proof"] != "A hole" || len(i.listFiles()) != 0 {
		t.Errorf("requests %v, files %q", requests, i.listFiles())
	}
	if got := j.waitForMail("quentin", 1); !strings.Contains(got.Text, "We have received your report") {
		t.Errorf("the e-mail is\n%s", got.Text)
	}
}
