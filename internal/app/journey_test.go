package app_test

import (
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	catalog "homeward/internal/i18n"
	"homeward/internal/message/mailtest"
	"homeward/internal/web/browsertest"
)

// Every journey begins with what a desk or a guest does first, goes through the mail that really came and the page that
// its link leads to, and ends with what is left behind: status, history, messages, webhooks, and what the page says then.
func TestGuestsArriveOnEveryScreenWithScriptsAndWithout(t *testing.T) {
	phone, desk := browsertest.Options{Phone: true}.String(), browsertest.Options{Dark: true}.String()
	journeys := []struct {
		name   string
		travel func(j *journey)
		axe    string // the visitor for whom pages are also searched for what is hard to use; together these meet every kind of page
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
		i := openInn(t, databaseFor(t, o), adler())
		t.Run("to", func(t *testing.T) {
			for n, tt := range journeys {
				t.Run(tt.name, func(t *testing.T) {
					// On a phone with scripts everybody travels; the other ways share the journeys, unless there is time for all.
					if meets := tt.axe == o.String() || o.Phone && !o.NoScript || o.NoScript && (n%2 == 0) == o.Phone; !meets && os.Getenv("HOMEWARD_TEST_LONG") == "" {
						return
					}
					t.Parallel()
					j := i.begin(t, o)
					j.axe = tt.axe == o.String()
					tt.travel(j)
				})
			}
		})
		i.settle(t)
	})
}

func pickUpThenDonate(j *journey) {
	item := j.found(map[string]any{"brand": "Knirps", "owner": owner("anna")})
	j.photographed(item)
	notice := j.mail("anna", 1)
	if got := subject(notice); got != "We found something of yours at Hotel Adler: Black umbrella with a wooden handle" {
		j.t.Errorf("the mail is about %q", got)
	}
	if !strings.Contains(notice.HTML, ">Choose what happens to it</a>") || !strings.Contains(notice.Text, "Hello Anna,") {
		j.t.Errorf("the mail says\n%s\n%s", notice.Text, notice.HTML)
	}
	link := j.link(notice)
	day := j.day(3)

	j.v.Visit(link)
	j.look("choose", "Hotel Adler has found something of yours", "Black umbrella with a wooden handle", "Knirps", "Room 312", "Kept until", spelled(j.day(29)), "Hafenmission")
	j.v.SeeNo("minibar", "Cellar shelf") // the desk's own
	j.v.Follow("Pick it up")
	j.v.Fill("Day", day)
	j.v.Fill("Time", "16:30")
	j.look("when", "Between 08:00 and 20:00, local time (Europe/Berlin)")
	j.tapTwice("Confirm the pick-up", "You are picking it up")
	when := spelled(day) + ", 16:30 (Europe/Berlin)"
	j.look("picking up", when, "Hafenstraße 12", "bring something that shows who you are", "Change my choice")
	j.v.Back() // to the form, which knows what was chosen
	j.v.See("When will you pick it up?")
	j.v.Follow("Confirm the pick-up")
	j.v.See("You are picking it up", when)
	one := outcome{
		"PICKUP", []string{"created by key", "image-added by key", "PENDING to PICKUP by guest"},
		[]string{"notice", "choice"}, []string{"pickup " + day + " 16:30"},
	}
	if pickup := j.left(item, one)["pickup"].(map[string]any); pickup["date"] != day || pickup["time"] != "16:30" {
		j.t.Errorf("the pick-up is %v", pickup)
	}
	confirmed := j.mail("anna", 2)
	if !strings.Contains(confirmed.Text, "Your pick-up is arranged") || !strings.Contains(confirmed.Text, spelled(day)+" at 16:30") || j.link(confirmed) != link {
		j.t.Errorf("the mail says\n%s", confirmed.Text)
	}

	j.v.Follow("Change my choice")
	j.look("change", "Change your choice", "Your choice so far", "Keep it as it is")
	j.v.Follow("Donate it")
	j.look("donate", "Hotel Adler gives it to Hafenmission.")
	j.v.Follow("Donate it")
	j.look("donating", "You are donating it", "Hafenmission")
	j.v.Back()
	j.v.Visit(link)
	j.v.See("You are donating it")
	two := outcome{
		"DONATE", append(one.acts, "PICKUP to DONATE by guest"),
		[]string{"notice", "choice", "choice"}, append(one.events, "donate"),
	}
	if record := j.left(item, two); record["pickup"] != nil {
		j.t.Errorf("the pick-up is still %v", record["pickup"])
	}
	if donated := j.mail("anna", 3); !strings.Contains(donated.Text, "Thank you for donating it") {
		j.t.Errorf("the mail says\n%s", donated.Text)
	}
}

// chooses is a journey that ends with a yes to one question.
func chooses(j *journey, name, choice, question, status, says, event, mail string) {
	j.t.Helper()
	item := j.found(map[string]any{"owner": owner(name)})
	link := j.link(j.mail(name, 1))
	j.v.Visit(link)
	j.v.Follow(choice)
	j.look("question", question)
	j.v.Follow("css:main button")
	j.look("answered", says, "There is nothing left to do.", "Questions? Ask Hotel Adler", "desk@adler.example")
	j.left(item, outcome{status, []string{"created by key", "PENDING to " + status + " by guest"}, []string{"notice", "choice"}, []string{event}})
	if got := j.mail(name, 2); !strings.Contains(got.Text, mail) || j.link(got) != link {
		j.t.Errorf("the mail says\n%s", got.Text)
	}
}

func leaveBehind(j *journey) {
	chooses(j, "bruno", "Leave it behind", "Leave it at Hotel Adler?", "DISCARD", "You are leaving it behind", "discard", "You chose to leave it behind")
}

func donate(j *journey) {
	chooses(j, "carla", "Donate it", "Hotel Adler gives it to Hafenmission.", "DONATE", "You are donating it", "donate", "Hotel Adler will give it to Hafenmission.")
}

func haveItSent(j *journey) {
	item := j.found(map[string]any{"owner": owner("dora")})
	link := j.link(j.mail("dora", 1))
	j.v.Visit(link)
	j.v.Follow("Have it sent")
	j.look("country", "Where should it go?", "Hotel Adler tells you the price before anything is sent.")
	j.v.Choose("Country", "France")
	j.v.Follow("Continue")
	price := "Hotel Adler tells you the price before anything is sent. You pay nothing now."
	j.look("address", "Your address", "France", price)
	var name string
	if j.v.Run("document.getElementById('recipient.name').value", &name); name != "Dora Berg" {
		j.t.Errorf("the address begins with %q", name)
	}
	j.v.Fill("Street and number", "12 rue de la Paix")
	j.v.Fill("Postal code", "2000")
	j.v.Fill("City", "Paris")
	j.v.Fill("Phone", "+33 1 44 55 66 77")
	j.v.Follow("Save the address")
	j.look("mistake", "Something is not right yet", "Postal code – Write the postal code like 12345.", price)
	var kept []string
	j.v.Run("[...document.querySelectorAll('main form .row input')].map(e => e.value)", &kept)
	if want := []string{"Dora Berg", "", "12 rue de la Paix", "", "2000", "Paris", "+33 1 44 55 66 77"}; !slices.Equal(kept, want) || j.v.Status() != http.StatusUnprocessableEntity {
		j.t.Errorf("the form came again with %q and %d, want %q", kept, j.v.Status(), want)
	}
	j.v.Click("Postal code – Write the postal code like 12345.") // leads to the field
	if at := j.v.Focused(); !strings.Contains(at, `id="recipient.zipCode"`) {
		j.t.Errorf("the summary leads to %s", at)
	}
	j.v.Fill("Postal code", "75002")
	j.v.Follow("Save the address")
	j.look("sending", "We have your address", "Address received", price, "12 rue de la Paix", "75002 Paris")
	record := j.left(item, outcome{"INFO COMPLETED", []string{"created by key", "PENDING to INFO COMPLETED by guest"}, []string{"notice", "choice"}, nil})
	want := map[string]any{"name": "Dora Berg", "address1": "12 rue de la Paix", "zipCode": "75002", "city": "Paris", "country": "FR", "phone": "+33144556677"}
	same(j.t, "the recipient", record["shipping"].(map[string]any)["recipient"].(map[string]any), want)
	if confirmed := j.mail("dora", 2); !strings.Contains(confirmed.Text, "We have your address") || j.link(confirmed) != link {
		j.t.Errorf("the mail says\n%s", confirmed.Text)
	}
	j.waits(item, "shipping-wanted")
}

func notMine(j *journey) {
	item := j.found(map[string]any{"owner": owner("emil")})
	link := j.link(j.mail("emil", 1))
	j.v.Visit(link)
	j.v.Follow("This is not mine")
	j.look("question", "Not yours?", "You get no more reminders about it.")
	j.tapTwice("It is not mine", "You told us that it is not yours")
	j.look("told", "Hotel Adler knows, and there is nothing left to do.", "If it is yours after all")
	record := j.left(item, outcome{"PENDING", []string{"created by key", "not-theirs by guest"}, []string{"notice"}, nil})
	if record["disownedAt"] == nil {
		j.t.Errorf("the item says nothing of it: %v", record)
	}
	j.waits(item, "not-theirs")
}

func reportAndFindIt(j *journey) {
	j.v.Visit(j.inn.public)
	j.look("public", "Lost something at Hotel Adler?", "Eighty rooms by the harbour.", "desk@adler.example")
	item := j.report(j.v, map[string]string{
		"What is it?": "Green scarf", "Where did you last have it?": "At the bar", "When did you lose it?": j.day(-1), "What does only the owner know?": "A hole in one corner",
		"First name": "Finn", "E-mail": "finn@example.com",
	}, j.file("scarf.jpg", photograph()))
	filed := j.must(http.StatusOK, "GET", item, nil)
	reference := filed["reference"].(string)
	j.look("thanks", reference, "we write to finn@example.com either way")
	if claim := filed["request"].(map[string]any); claim["state"] != "PENDING" || claim["lostPlace"] != "At the bar" || claim["lostDate"] != j.day(-1) ||
		claim["proof"] != "A hole in one corner" || len(filed["images"].([]any)) != 1 || filed["language"] != "en" {
		j.t.Errorf("filed was %v", filed)
	}
	j.told(filed["id"].(string), []string{"request"})
	j.waits(item, "answer-request")
	received := j.mail("finn", 1)
	if subject(received) != "Hotel Adler has your report "+reference || !strings.Contains(received.HTML, ">Follow your report</a>") {
		j.t.Errorf("the mail is about %q and says\n%s", subject(received), received.Text)
	}
	link := j.link(received)
	j.v.Follow("Follow your report")
	if at := j.v.Location(); at != link {
		j.t.Errorf("the page leads to %s, the mail to %s", at, link)
	}
	j.v.Visit(link)
	j.look("follow", "Hotel Adler is looking for it", reference, "Green scarf", "A hole in one corner", "At the bar")
	j.v.Fill("What should they know?", "It is from Loden Frey.\nMy initials are in it.")
	j.v.Follow("Add it to my report")
	j.look("added", "Green scarf", "It is from Loden Frey.")
	if added := j.must(http.StatusOK, "GET", item, nil); added["description"] != "Green scarf\n\nIt is from Loden Frey.\nMy initials are in it." {
		j.t.Errorf("the request says %q", added["description"])
	}
	j.tapTwice("I found it, thanks", "You have it back")
	j.look("found", "Hotel Adler knows, and looks no longer.")
	found := j.left(item, outcome{
		"PENDING", []string{"created by public", "updated by guest", "request-withdrawn by guest"}, []string{"request-received"}, []string{"request"},
	})
	if state := found["request"].(map[string]any)["state"]; state != "WITHDRAWN" {
		j.t.Errorf("the request is %v", state)
	}
	j.waits(item)
}

// Two claimants; the desk has found what the one lost, and not what the other did.
func reportAndBeAnswered(j *journey) {
	other := browsertest.New(j.t, j.options)
	j.v.Visit(j.inn.public)
	other.Visit(j.inn.public)
	lucky := j.report(j.v, map[string]string{"What is it?": "Silver ring", "E-mail": "gerd@example.com", "First name": "Gerd"}, "")
	unlucky := j.report(other, map[string]string{"What is it?": "Red hat", "E-mail": "hanna@example.com"}, "")
	follow, first := j.link(j.mail("gerd", 1)), j.link(j.mail("hanna", 1))
	j.waits(lucky, "answer-request")
	j.waits(unlucky, "answer-request")

	ring := j.found(map[string]any{"description": "Ring, silver", "color": "silver"})
	decide := func(request string, body map[string]any) {
		j.t.Helper()
		j.must(http.StatusOK, "PUT", strings.Replace(request, "/items/", "/requests/", 1)+"/update-status", body)
	}
	decide(lucky, map[string]any{"type": "accept", "itemId": ring[strings.LastIndexByte(ring, '/')+1:]})
	decide(unlucky, map[string]any{"type": "reject", "reason": "We looked in the bar,\nand asked the cleaners."})

	news := j.mail("gerd", 2)
	if got := subject(news); got != "Good news from Hotel Adler, we found it: Ring, silver" {
		j.t.Errorf("the mail is about %q", got)
	}
	link := j.link(news)
	j.v.Visit(follow)
	j.look("good news", "Good news: Hotel Adler has found it", "We have written to you how you get it back.")
	j.v.Visit(link) // only the mail leads to it
	j.v.See("Ring, silver")
	j.v.Follow("Pick it up") // two taps: day and time are proposed
	var proposed []string
	j.v.Run("[...document.querySelectorAll('main form .row input')].map(e => e.value)", &proposed)
	j.v.Follow("Confirm the pick-up")
	j.look("picking up", "You are picking it up", spelled(proposed[0])+", "+proposed[1])
	j.left(ring, outcome{
		"PICKUP", []string{"created by key", "updated by key", "PENDING to PICKUP by guest"}, []string{"match", "choice"}, []string{"pickup " + strings.Join(proposed, " ")},
	})
	matched := j.left(lucky, outcome{"PENDING", []string{"created by public", "request-accepted by key"}, []string{"request-received"}, []string{"request"}})
	if claim := matched["request"].(map[string]any); claim["state"] != "MATCHED" || !strings.HasSuffix(ring, text(claim["matchedItemId"])) {
		j.t.Errorf("the request is %v", claim)
	}

	sorry := j.mail("hanna", 2)
	if !strings.Contains(sorry.Text, "We looked in the bar, and asked the cleaners.") || subject(sorry) != "About your report at Hotel Adler: "+text(j.must(http.StatusOK, "GET", unlucky, nil)["reference"]) || strings.Contains(sorry.Text, "Red hat") {
		j.t.Errorf("the mail is about %q and says\n%s", subject(sorry), sorry.Text)
	}
	other.Visit(j.link(sorry))
	other.See("Hotel Adler has not found it", "We looked in the bar,", "Report it once more")
	j.inspect(other, "sorry")
	if other.Location() != first {
		j.t.Errorf("the link is another now")
	}
	rejected := j.left(unlucky, outcome{
		"PENDING", []string{"created by public", "request-rejected by key"}, []string{"request-received", "request-rejected"}, []string{"request"},
	})
	if state := rejected["request"].(map[string]any)["state"]; state != "REJECTED" {
		j.t.Errorf("the request is %v", state)
	}
	j.waits(lucky)
	j.waits(unlucky)
}

// A tab that was forgotten undoes nothing, and says how things stand.
func TestAForgottenTabIsToldWhatWasChosenMeanwhile(t *testing.T) {
	i := openInn(t, filepath.Join(t.TempDir(), "homeward.db"), adler())
	j := i.begin(t, browsertest.Options{Phone: true})
	item := j.found(map[string]any{"owner": owner("ida")})
	link := j.link(j.mail("ida", 1))
	j.v.Visit(link)
	stale := j.v.Tab()
	stale.Visit(link)
	stale.Follow("Pick it up")
	j.v.Follow("Leave it behind")
	j.v.Follow("css:main button")
	j.v.See("You are leaving it behind")
	stale.Follow("Confirm the pick-up")
	stale.See("This was changed in the meantime, so nothing new was saved.", "You are leaving it behind", "Change my choice")
	j.inspect(stale, "stale")
	if stale.Status() != http.StatusConflict {
		t.Errorf("it came with %d", stale.Status())
	}
	j.left(item, outcome{"DISCARD", []string{"created by key", "PENDING to DISCARD by guest"}, []string{"notice", "choice"}, []string{"discard"}})
	j.v.Visit(link)
	j.v.See("You are leaving it behind")
}

// The item's language goes before the browser's, and that before the location's.
func TestGuestsAreSpokenToInTheirLanguage(t *testing.T) {
	place := adler()
	place["language"] = "it"
	i := openInn(t, filepath.Join(t.TempDir(), "homeward.db"), place)
	for _, tt := range []struct{ name, item, browser, mail, page string }{
		{"karl", "de-AT", "fr", "de", "de"},
		{"lena", "", "ja", "it", "ja"},
		{"mila", "", "sv", "it", "it"},
	} {
		t.Run(tt.page+" for a browser in "+tt.browser, func(t *testing.T) {
			t.Parallel()
			j := i.begin(t, browsertest.Options{Phone: true, Language: tt.browser})
			item := map[string]any{"owner": owner(tt.name)}
			if tt.item != "" {
				item["language"] = tt.item
			}
			path := j.found(item)
			mail, title := j.mail(tt.name, 1), "message.notice.title"
			if say := catalog.Choose(tt.mail).Say(title); say == catalog.Choose("en").Say(title) || !strings.Contains(mail.Text, say) || !strings.Contains(mail.HTML, `<html lang="`+tt.mail+`"`) {
				t.Errorf("the mail does not say %q:\n%s", say, mail.Text)
			}
			j.v.Visit(j.link(mail))
			speaks(j, tt.page)
			l := catalog.Choose(tt.page)
			if say := l.Say("guest.choose.pickup"); say == catalog.Choose("en").Say("guest.choose.pickup") {
				t.Errorf("nobody has translated %q", say)
			}
			j.look("choose", l.Say("guest.choose.pickup"), l.Date(j.day(29)))
			j.v.Follow(l.Say("guest.choose.leave"))
			j.v.Follow("css:main button")
			speaks(j, tt.page)
			j.look("left", l.Say("guest.left.title"))
			j.left(path, outcome{"DISCARD", []string{"created by key", "PENDING to DISCARD by guest"}, []string{"notice", "choice"}, []string{"discard"}})
		})
	}
}

// speaks checks the language of a page.
func speaks(j *journey, language string) {
	j.t.Helper()
	var lang string
	if j.v.Run("document.documentElement.lang", &lang); lang != language {
		j.t.Errorf("the page is in %q, want %q", lang, language)
	}
}

// What hostile people write wherever something can be written, and what they add where lines can be broken.
const (
	tag       = `"><script>alert(1)</script>'{{.}}`
	injection = "\r\nBcc: x@evil.example\r\n\r\n"
	// separated has what some programs take for the end of a line.
	separated = tag + "\u2028Bcc: x@evil.example"
)

// A line break is refused where a line is wanted, by the API and by the pages.
func TestHeadersCannotBeInjectedIntoAnyField(t *testing.T) {
	i := openInn(t, filepath.Join(t.TempDir(), "homeward.db"), adler())
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
		{"/v1/locations", with(evil("name", "website", "address1", "address2", "city", "state", "zipCode", "country", "storagePlace", "timeZone", "language"), "contact", evil("name", "email", "email2", "phone")), []string{
			"address1", "address2", "city", "contact.email", "contact.email2", "contact.name", "contact.phone", "country", "language", "name", "state", "storagePlace", "timeZone", "website", "zipCode",
		}},
		{i.hotel + "/items", with(with(evil("discoveryPlace", "brand", "model", "color", "storagePlace", "language", "imageUrl"), "owner", person), "description", "Hat"), []string{
			"brand", "color", "discoveryPlace", "imageUrl", "language", "model", "owner.email", "owner.firstName", "owner.lastName", "owner.phone", "storagePlace",
		}},
		{i.hotel + "/requests", with(with(evil("lostPlace", "brand", "model", "color", "language"), "owner", person), "description", "Hat"), []string{
			"brand", "color", "language", "lostPlace", "model", "owner.email", "owner.firstName", "owner.lastName", "owner.phone",
		}},
	} {
		var problem struct{ Errors []struct{ Field string } }
		a := i.do(i.key, "POST", tt.path, tt.body)
		if err := json.Unmarshal(a.body, &problem); err != nil || a.status != http.StatusUnprocessableEntity {
			t.Fatalf("%s answered %d %s", tt.path, a.status, a.body)
		}
		var faults []string
		for _, e := range problem.Errors {
			faults = append(faults, e.Field)
		}
		if slices.Sort(faults); !slices.Equal(faults, tt.faults) {
			t.Errorf("%s refused %q, want %q", tt.path, faults, tt.faults)
		}
	}

	j := i.begin(t, browsertest.Options{})
	j.found(map[string]any{"owner": owner("nils")})
	form := url.Values{"recipient.country": {"US"}}
	for _, name := range []string{"name", "company", "address1", "address2", "city", "state", "zipCode", "phone"} {
		form.Set("recipient."+name, "1"+injection+"2")
	}
	res, err := i.lax.PostForm(j.link(j.mail("nils", 1))+"/ship", form)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	page, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusUnprocessableEntity || strings.Count(string(page), `<p class="error"`) != 8 {
		t.Errorf("%v, %d\n%s", err, res.StatusCode, page)
	}
	if mails := i.mails.All(); len(mails) != 1 {
		t.Errorf("%d mails were sent", len(mails))
	}
}

// Whatever somebody writes is shown as it was written, on every page and in every mail, and does nothing there.
func TestHostileWordsDoNoHarm(t *testing.T) {
	place := adler()
	for _, f := range []string{"name", "address1", "address2", "city", "state", "zipCode"} {
		place[f] = separated
	}
	place["description"], place["charity"], place["website"] = tag+injection+tag, tag+injection, "https://evil.example/'onmouseover='alert(1)'"
	place["contact"] = map[string]any{"name": separated, "email": "desk'{{.}}@adler.example", "phone": "+4940123456"}
	i := openInn(t, filepath.Join(t.TempDir(), "homeward.db"), place)
	j := i.begin(t, browsertest.Options{})
	const email = "olga'{{.}}"
	them := map[string]any{"firstName": separated, "lastName": separated, "email": email + "@example.com"}
	item := j.found(map[string]any{
		"description": tag + injection + tag, "discoveryPlace": separated, "brand": separated, "model": separated, "color": separated,
		"notes": "Secret " + tag, "storagePlace": "Secret " + tag, "imageUrl": "https://evil.example/'onmouseover='alert(1)'", "owner": them,
	})
	link := j.link(j.mail(email, 1))
	harmless := func(name string, texts ...string) {
		t.Helper()
		j.look(name, append(texts, tag)...) // a dialog would hold the page, and this would wait in vain
		j.v.SeeNo("Secret")
		var strange []string
		j.v.Run(`[...document.querySelectorAll('*')].filter(e => e.matches('script:not([src^="/assets/"]), iframe, object, embed, base, meta[http-equiv], [style]')
			|| [...e.attributes].some(a => a.name.startsWith('on'))).map(e => e.outerHTML)`, &strange)
		if len(strange) > 0 {
			t.Errorf("%s: the page has %q", name, strange)
		}
	}
	j.v.Visit(link)
	harmless("choose", "See the photo", "Bcc: x@evil.example")
	for _, choice := range []string{"/pickup", "/donate", "/leave", "/not-mine", "/ship"} {
		j.v.Visit(link + choice)
		harmless(choice[1:])
	}
	j.v.Choose("Country", "Ireland")
	j.v.Follow("Continue")
	for _, f := range []string{"Name", "Company", "Street and number", "Apartment, floor, building", "City", "Phone"} {
		j.v.Fill(f, separated)
	}
	j.v.Fill("Postal code", `"><b>'{{.}}`)
	j.v.Follow("Save the address")
	harmless("address", "Phone – Begin with + and the country code")
	j.v.Fill("Phone", "")
	j.v.Follow("Save the address")
	harmless("sending", "We have your address", `"><b>'{{.}}`)
	j.v.Visit(link + "/pickup")
	j.v.Follow("Confirm the pick-up")
	harmless("picking up", "You are picking it up")
	if status := j.must(http.StatusOK, "GET", item, nil)["status"]; status != "PICKUP" {
		t.Errorf("the item is %v", status)
	}

	j.v.Visit(i.public)
	harmless("public", "Lost something at")
	claim := j.report(j.v, map[string]string{
		"What is it?": tag + injection + tag, "Where did you last have it?": separated, "What does only the owner know?": tag + injection,
		"First name": separated, "Last name": separated, "E-mail": "paul'{{.}}@example.com",
	}, "")
	harmless("thanks")
	j.v.Follow("Follow your report")
	j.v.Fill("What should they know?", tag+injection+tag)
	j.v.Follow("Add it to my report")
	harmless("added", "is looking for it")
	j.must(http.StatusOK, "PUT", strings.Replace(claim, "/items/", "/requests/", 1)+"/update-status", map[string]any{"type": "reject", "reason": tag + injection + tag})
	rejected := j.mail("paul'{{.}}", 2)
	j.v.Visit(j.link(rejected))
	harmless("rejected", "has not found it")
	eventually(t, "every message is sent", func() bool { return j.settled(item) && j.settled(claim) })
	i.settle(t)
	for _, m := range i.mails.All() {
		wellFormed(t, m, "desk'{{.}}@adler.example")
	}
	if mails := i.mails.All(); len(mails) != 5 { // notice, two choices, received, rejected
		t.Errorf("%d mails were sent", len(mails))
	}
}

// wellFormed checks a mail that is full of hostile words: it has the header fields that every mail has, each once, and shows what was written.
func wellFormed(t *testing.T, m mailtest.Mail, desk string) {
	t.Helper()
	var names []string
	for f := m.Header.Fields(); f.Next(); {
		names = append(names, strings.ToLower(f.Key()))
	}
	slices.Sort(names)
	want := []string{"auto-submitted", "content-type", "date", "from", "message-id", "mime-version", "reply-to", "subject", "to", "x-auto-response-suppress"}
	if !slices.Equal(names, want) {
		t.Errorf("the mail's fields are %q, want %q", names, want)
	}
	from, fromErr := m.Header.AddressList("From")
	reply, replyErr := m.Header.AddressList("Reply-To")
	if fromErr != nil || replyErr != nil || len(from) != 1 || from[0].Address != "lost@example.com" || len(reply) != 1 || reply[0].Address != desk {
		t.Errorf("the mail is from %v, to be answered to %v: %v, %v", from, reply, fromErr, replyErr)
	}
	if !strings.Contains(m.Text, tag) || !strings.Contains(m.HTML, html.EscapeString(tag)) || strings.Contains(m.HTML, "<script") || strings.Contains(m.HTML, "evil.example/") {
		t.Errorf("the mail does not show what was written:\n%s\n%s", m.Text, m.HTML)
	}
}

// A photo that cannot be taken costs the claimant nothing but the photo.
func TestAPhotoThatIsRefusedLosesNothingThatWasTyped(t *testing.T) {
	i := openInn(t, filepath.Join(t.TempDir(), "homeward.db"), adler())
	j := i.begin(t, browsertest.Options{Phone: true})
	j.v.Visit(i.public)
	typed := []string{"Green scarf\nwith fringes", "At the bar", j.day(-1), "A hole", "Quentin", "Berg", "quentin@example.com", ""}
	for n, label := range []string{"What is it?", "Where did you last have it?", "When did you lose it?", "What does only the owner know?", "First name", "Last name", "E-mail"} {
		j.v.Fill(label, typed[n])
	}
	j.takeTime(j.v)
	for _, tt := range []struct {
		file   string
		data   []byte
		status int
		says   string
	}{
		{"large.jpg", padded("jpeg", 20<<20), http.StatusRequestEntityTooLarge, "The photo has more than 10 MB. Choose a smaller one, or send the form without it."},
		{"note.jpg", picture("text"), http.StatusUnsupportedMediaType, "That file is not a photo that we can show. Choose a JPEG, PNG, WebP or GIF."},
	} {
		j.v.Upload("A photo of it", j.file(tt.file, tt.data))
		j.v.Follow("Send the report")
		j.look(tt.file, "Something is not right yet", "A photo of it – "+tt.says)
		var kept []string
		j.v.Run("[...document.querySelectorAll('fieldset input, fieldset textarea')].map(e => e.value)", &kept)
		if j.v.Status() != tt.status || !slices.Equal(kept, typed) {
			t.Errorf("%s: the form came again with %d and %q, want %d and %q", tt.file, j.v.Status(), kept, tt.status, typed)
		}
	}
	if requests, _ := j.all(i.hotel + "/requests"); len(requests)+len(i.files()) != 0 {
		t.Errorf("there are %v and %q", requests, i.files())
	}
	j.v.Follow("Send the report") // without a photo
	j.v.See("Thank you, we have your report")
	requests, _ := j.all(i.hotel + "/requests")
	if len(requests) != 1 || requests[0]["description"] != typed[0] || requests[0]["request"].(map[string]any)["proof"] != "A hole" || len(i.files()) != 0 {
		t.Errorf("filed were %v with %q", requests, i.files())
	}
	if got := j.mail("quentin", 1); !strings.Contains(got.Text, "We have your report") {
		t.Errorf("the mail says\n%s", got.Text)
	}
}
