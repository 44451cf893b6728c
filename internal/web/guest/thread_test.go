package guest_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/browsertest"
)

// ask writes a message from the desk about an item.
func ask(h *server, i lost.Item, text string) {
	h.t.Helper()
	d := desk.Draft{Via: lost.ViaPage, ThreadPatch: lost.ThreadPatch{Text: lost.Set(text)}}
	must(h.desk.Threads.Write(h.t.Context(), h.actor, i.LocationID, i.ID, d, lost.IdempotencyKey{}))
}

func conversation(h *server, i lost.Item) []lost.ThreadMessage {
	h.t.Helper()
	return must(h.desk.Threads.List(h.t.Context(), h.actor, i.LocationID, i.ID, lost.FirstPage())).Data
}

var onceField = regexp.MustCompile(`name="once" value="([^"]+)"`)

func TestAGuestReadsAndAnswersTheDesk(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		_, i, link := h.guest()
		ask(h, i, "Light or <dark>?")
		page := h.get(link)
		page.want(t, 200, "Light or <dark>?")
		h.clock.Advance(time.Second)
		once := onceField.FindStringSubmatch(page.body)[1]
		for range 2 { // a double click
			h.send(link+"/messages", map[string]string{"text": "Dark.", "once": once}, nil).
				redirects(t, link+"?written=1#messages")
		}
		list := conversation(h, i)
		if len(list) != 2 || list[0].Text != "Dark." || list[0].From != lost.FromGuest || list[0].Via != lost.ViaPage {
			t.Errorf("got %+v", list)
		}
		h.get(link+"?written=1").want(t, 200, "Your message was sent.")
		h.send(link+"/messages", map[string]string{"text": " "}, nil).
			want(t, 422, "Fill this in.")
		h.send(link+"/messages", map[string]string{"text": strings.Repeat("x", lost.MaxThreadText+1)}, nil).
			want(t, 422, "4,000")
		h.send(link+"/messages", map[string]string{"text": "See the photo."}, []byte("no picture")).want(t, 415)
		if n := len(conversation(h, i)); n != 2 {
			t.Errorf("got %d messages, want 2", n)
		}
	})
}

// After a lost response, a guest may change the text and send the same form again. Nothing that was written is lost.
func TestAFormThatIsSentAgainWithAnotherTextIsAnotherMessage(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		_, i, link := h.guest()
		ask(h, i, "Light or dark?")
		once := onceField.FindStringSubmatch(h.get(link).body)[1]
		send := func(text string, photo []byte) {
			h.clock.Advance(time.Second)
			h.send(link+"/messages", map[string]string{"text": text, "once": once}, photo).
				redirects(t, link+"?written=1#messages")
		}
		send("It is blue.", nil)
		send("Please call me.", nil)
		send("It is blue.", nil)
		send("It is blue.", photo(40, 30))
		send("It is blue.", photo(40, 30))
		send("Please call me.", nil)
		var got []string
		for _, m := range slices.Backward(conversation(h, i)) {
			got = append(got, fmt.Sprint(m.Text, " ", len(m.Images)))
		}
		want := []string{"Light or dark? 0", "It is blue. 0", "Please call me. 0", "It is blue. 1"}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// Hidden fields are texts, too: they are stored.
func TestAMessageThatIsNotUTF8IsRefused(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		_, i, link := h.guest()
		ask(h, i, "Light or dark?")
		for _, bad := range []string{"\xff", "\x00", "a\xc3"} {
			for _, field := range []string{"once", "text", "newest", bad} {
				form := map[string]string{"text": "Dark.", field: "x" + bad}
				h.send(link+"/messages", form, nil).want(t, 400, "")
			}
			h.post(link+"/details", url.Values{"proof": {bad}}).want(t, 400, "")
		}
		if n := len(conversation(h, i)); n != 1 {
			t.Errorf("got %d messages, want only that of the desk", n)
		}
	})
}

// Messages of the desk that arrive while the guest writes do not count as answered.
func TestAGuestAnswersOnlyWhatThePageShowed(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		_, i, link := h.guest()
		for n, questions := range []string{"Light or dark?", "Any scratches?"} {
			page := h.get(link)
			newest := formNewest.FindStringSubmatch(page.body)[1]
			h.clock.Advance(time.Second)
			ask(h, i, questions)
			h.clock.Advance(time.Second)
			h.send(link+"/messages", map[string]string{"newest": newest, "text": "Hello."}, nil).
				redirects(t, link+"?written=1#messages")
			list := conversation(h, i)
			if list[1].Text != questions || !list[1].AnsweredAt.IsZero() {
				t.Errorf("a message that the page did not show counts as answered: %+v", list[1])
			}
			if n > 0 && list[3].AnsweredAt.IsZero() {
				t.Errorf("a message that the page showed does not count as answered: %+v", list[3])
			}
		}
	})
}

var formNewest = regexp.MustCompile(`name="newest" value="([^"]+)"`)

// Mail servers and programs open links. Only a person's browser says that messages were seen, or a form that they send.
func TestOpeningTheLinkDoesNotMarkMessagesAsSeen(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		_, i, link := h.guest()
		seen := func() (n int) {
			for _, m := range conversation(h, i) {
				if !m.SeenAt.IsZero() {
					n++
				}
			}
			return n
		}
		ask(h, i, "One?")
		page := h.get(link, "Sec-Purpose", "prefetch")
		h.do(httptest.NewRequest(http.MethodHead, link, nil))
		h.get(link).want(t, 200, "One?")
		if n := seen(); n != 0 {
			t.Errorf("opening the link marked %d messages as seen", n)
		}
		newest := newestField.FindStringSubmatch(page.body)[1]
		h.clock.Advance(time.Second)
		ask(h, i, "Two?")
		h.post(link+"/seen", form("newest", newest), "Sec-Fetch-Site", "cross-site").want(t, 403)
		h.post(link+"/seen", form("newest", newest)).want(t, 204)
		if n := seen(); n != 1 {
			t.Errorf("after the page was seen: got %d messages, want 1", n)
		}
		shown := shownCookie(t, h.get(link))
		h.clock.Advance(time.Second)
		ask(h, i, "Three?")
		h.get(link+"/pickup").want(t, 200)
		book := form("pickupDate", "2026-11-20", "pickupTime", "14:30", "seen", "PENDING")
		h.post(link+"/pickup", book).redirects(t, link)
		if n := seen(); n != 1 {
			t.Errorf("after a form of a browser that showed no message: got %d messages, want 1", n)
		}
		h.post(link+"/cancel", url.Values{}, "Cookie", shown).redirects(t, link+"?canceled=1")
		if n := seen(); n != 2 {
			t.Errorf("after a form of a browser that showed two messages: got %d messages, want 2", n)
		}
		h.post(link+"/pickup", book, "Cookie", shownCookie(t, h.get(link))).redirects(t, link)
		if n := seen(); n != 3 {
			t.Errorf("after a form of a browser that showed all messages: got %d messages, want 3", n)
		}
		if cookies := h.get(link, "Sec-Purpose", "prefetch").Cookies(); len(cookies) > 0 {
			t.Errorf("a prefetched page sets %v", cookies)
		}
		if body := h.get(link).body; newestField.MatchString(body) {
			t.Error("the page still says that there are unseen messages")
		}
	})
}

// shownCookie returns the cookie that tells which messages a page showed.
func shownCookie(t *testing.T, page response) string {
	t.Helper()
	for _, c := range page.Cookies() {
		if c.Name == "shown" && c.HttpOnly && c.Secure && strings.HasPrefix(c.Path, "/g/") && c.MaxAge == 0 {
			return c.Name + "=" + c.Value
		}
	}
	t.Fatalf("the page does not say which messages it shows: %v", page.Cookies())
	return ""
}

// Somebody from the desk may look at the guest's page, to see what the guest sees.
func TestWhatTheDeskSeesOnTheGuestsPageIsNotSeenByTheGuest(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		_, i, link := h.guest()
		ask(h, i, "Light or dark?")
		newest := newestField.FindStringSubmatch(h.get(link).body)[1]
		seen := func() bool { return !conversation(h, i)[0].SeenAt.IsZero() }
		in := must(h.desk.Sessions.SignIn(t.Context(), h.first.User.Email, h.first.Password, true, lost.Client{}))
		staff := "__Host-session=" + in.Token
		h.post(link+"/seen", form("newest", newest), "Cookie", staff).want(t, 204)
		if seen() {
			t.Error("the script in the desk's browser marked the message as seen by the guest")
		}
		h.post(link+"/pickup", form("pickupDate", "2026-11-20", "pickupTime", "14:30", "seen", "PENDING"),
			"Cookie", staff+"; shown="+newest).redirects(t, link)
		if seen() {
			t.Error("a form that the desk sent marked the message as seen by the guest")
		}
		if err := h.desk.Sessions.SignOut(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		h.post(link+"/seen", form("newest", newest), "Cookie", staff).want(t, 204)
		if !seen() {
			t.Error("a browser whose session has ended did not mark the message as seen")
		}
	})
}

// A guest may work for another hotel that uses the same service.
func TestASessionOfAnotherAccountDoesNotHideWhatAGuestSees(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		_, i, link := h.guest()
		ask(h, i, "Light or dark?")
		newest := newestField.FindStringSubmatch(h.get(link).body)[1]
		other := must(h.desk.Accounts.Create(t.Context(), "Other"))
		const email, password = "guest@other.example", "correct horse battery"
		must(h.desk.Accounts.CreateUser(t.Context(), other.ID, email, "Anna", password))
		in := must(h.desk.Sessions.SignIn(t.Context(), email, password, true, lost.Client{}))
		h.post(link+"/seen", form("newest", newest), "Cookie", "__Host-session="+in.Token).want(t, 204)
		if conversation(h, i)[0].SeenAt.IsZero() {
			t.Error("the message does not count as seen")
		}
	})
}

func TestAnsweringAQuestionIsTheMainButtonOfARequest(t *testing.T) {
	h := newServer(t)
	l := h.location(adler())
	h.reported(l, map[string]string{
		"description": "Black umbrella", "owner.firstName": "Anna", "owner.lastName": "Berg",
		"owner.email": "anna@example.com",
	})
	i := h.requests(l)[0]
	link := h.link(i)
	expect := func(want string) {
		t.Helper()
		var main []string
		for _, button := range h.get(link).all("button", "class", "button") {
			main = append(main, text(button))
		}
		if len(main) != 1 || main[0] != want {
			t.Errorf("got the main buttons %q, want %q", main, want)
		}
	}
	expect("Add to my report")
	ask(h, i, "Light or dark?")
	expect("Send message")
	h.clock.Advance(time.Second)
	h.send(link+"/messages", map[string]string{"text": "Dark."}, nil).redirects(t, link+"?written=1#messages")
	expect("Add to my report")
}

var newestField = regexp.MustCompile(`data-newest="([^"]+)"`)

func TestTheBrowserOfAGuestSaysThatMessagesWereSeen(t *testing.T) {
	h := newServer(t)
	_, i, link := h.guest()
	ask(h, i, "Light or dark?")
	marked := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.handler.ServeHTTP(w, r)
		if strings.HasSuffix(r.URL.Path, "/seen") {
			marked <- struct{}{}
		}
	}))
	t.Cleanup(server.Close)
	v := browsertest.New(t, browsertest.Options{Phone: true})
	v.Visit(server.URL + link)
	v.See("Light or dark?")
	select {
	case <-marked:
	case <-time.After(time.Minute):
		t.Fatal("the browser did not say that the message was seen")
	}
	if conversation(h, i)[0].SeenAt.IsZero() {
		t.Error("the message does not count as seen")
	}
}

// sendMessage submits a message with several photos, as a browser would.
func (h *server) sendMessage(link, text string, photos ...[]byte) response {
	h.t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	must(0, w.WriteField("text", text))
	for _, photo := range photos {
		must(must(w.CreateFormFile("attachment", "photo.jpg")).Write(photo))
	}
	must(0, w.Close())
	r := httptest.NewRequest(http.MethodPost, link+"/messages", &b)
	r.Header.Set("Content-Type", w.FormDataContentType())
	return h.do(r)
}

func TestAGuestSendsSeveralPhotos(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		_, i, link := h.guest()
		if input := h.get(link).all("input", "name", "attachment"); len(input) != 1 || !hasAttr(input[0], "multiple") {
			t.Error("the form does not accept several photos")
		}
		h.sendMessage(link, "Three photos", photo(60, 40), nil, photo(50, 40), photo(40, 40)).
			redirects(t, link+"?written=1#messages")
		if list := conversation(h, i); len(list) != 1 || len(list[0].Images) != 3 || list[0].Text != "Three photos" {
			t.Fatalf("got %+v, want three photos", list)
		}
		var six [][]byte
		for n := range lost.MaxThreadImages + 1 {
			six = append(six, photo(60+n, 40))
		}
		h.sendMessage(link, "Too many", six...).want(t, 422, "Too many")
		h.sendMessage(link, "One bad", photo(60, 40), []byte("no picture")).want(t, 415, "One bad")
		if n := len(conversation(h, i)); n != 1 {
			t.Errorf("got %d messages, want 1", n)
		}
		h.sendMessage(link, "", photo(70, 40)).redirects(t, link+"?written=1#messages")
		list := conversation(h, i) // both were sent at the same time, so they can be in any order
		if len(list) != 2 || min(len(list[0].Images), len(list[1].Images)) != 1 {
			t.Errorf("got %+v, want a photo without a text", list)
		}
	})
}
