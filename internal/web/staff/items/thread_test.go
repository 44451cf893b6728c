package items_test

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

// ownedItem creates an item whose owner can be reached.
func ownedItem(h *testkit.Server, l lost.Location) lost.Item {
	return h.NewItem(l, "Umbrella", func(p *lost.ItemPatch) {
		p.Owner = lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")})
	})
}

// messagesOf returns the conversation about an item, newest first.
func messagesOf(t *testing.T, h *testkit.Server, i lost.Item) []lost.ThreadMessage {
	t.Helper()
	return testkit.Must(h.Services.Threads.List(t.Context(), h.Actor, i.LocationID, i.ID, lost.FirstPage())).Data
}

func TestTheHistoryDoesNotRepeatTheConversation(t *testing.T) {
	h := testkit.NewServer(t)
	h.SendsMail = true
	l := h.NewLocation("Hotel Adler")
	i, v := ownedItem(h, l), h.LogIn()
	const text = "Does it have a blue zip?"
	stafftest.ExpectPage(t, v.Post(stafftest.ItemPath(l, i)+"/thread", url.Values{"text": {text}}), http.StatusSeeOther)
	if n := strings.Count(v.Get(stafftest.ItemPath(l, i)).Body, text); n != 1 {
		t.Errorf("the page has the message %d times, want once", n)
	}
}

// The desk learns that a guest attached more than photos, and answers only what the page shows.
func TestTheConversationNamesAttachmentsThatWereNotKept(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		i := ownedItem(h, l)
		v := h.LogIn()
		at := stafftest.ItemPath(l, i) + "/thread"
		if a := v.Post(at, url.Values{"text": {"Is it yours?"}}); a.Code != http.StatusSeeOther {
			t.Fatalf("got status %d: %s", a.Code, a.Body)
		}
		link, _, err := h.DB.LinkForAddress(t.Context(), i.Account, i.ID, "anna@example.com")
		if err != nil {
			t.Fatal(err)
		}
		receive := func(id string, omitted []string, photos ...io.Reader) {
			t.Helper()
			h.Clock.Advance(time.Second)
			rejection, err := h.Services.Threads.ReceiveReply(t.Context(), desk.Reply{
				Token: testkit.Must(h.DB.ReplyToken(link)), From: "anna@example.com", ExternalID: id,
				Text: "Message " + id, Via: lost.ViaEmail, Omitted: omitted,
				NextPhoto: func() (photo io.Reader, _ error) {
					if len(photos) > 0 {
						photo, photos = photos[0], photos[1:]
					}
					return photo, nil
				},
			})
			if rejection != "" || err != nil {
				t.Fatalf("got %q, %v", rejection, err)
			}
		}
		photo := func(name, content string) io.Reader {
			return desk.NamedPhoto{Reader: strings.NewReader(content), Name: name}
		}
		photos := []io.Reader{photo("IMG_1.heic", "\x00\x00\x00\x18ftypheic")}
		for n := range lost.MaxThreadImages + 1 {
			picture := stafftest.Picture(t, color.RGBA{R: uint8(n * 40), A: 255})
			photos = append(photos, photo(fmt.Sprintf("IMG_%d.png", n+2), string(picture)))
		}
		receive("1", []string{"<b>invoice</b>.pdf"}, photos...)
		page := v.Get(stafftest.ItemPath(l, i)).Body
		want := "3 attachments were not kept: &lt;b&gt;invoice&lt;/b&gt;.pdf, IMG_1.heic and IMG_7.png"
		if !strings.Contains(page, want) {
			t.Errorf("the page does not contain %q", want)
		}
		newest := messagesOf(t, h, i)[0]
		if len(newest.Images) != lost.MaxThreadImages {
			t.Errorf("got %d photos, want %d", len(newest.Images), lost.MaxThreadImages)
		}
		if !strings.Contains(page, `form="thread-form" name="seen" value="`+newest.ID+`"`) {
			t.Error("the form does not contain the newest message")
		}
		receive("2", nil)
		h.Clock.Advance(time.Second)
		v.Post(at, url.Values{"text": {"Thank you."}, "seen": {newest.ID}})
		if got := messagesOf(t, h, i); got[1].Text != "Message 2" || !got[1].AnsweredAt.IsZero() {
			t.Errorf("a message that the page did not show counts as answered: %+v", got)
		}
	})
}

// A guest writes for the first time while a member of staff does too.
func TestAFirstMessageDoesNotAnswerOneThatThePageDidNotShow(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		i := ownedItem(h, l)
		v := h.LogIn()
		at := stafftest.ItemPath(l, i)
		seen := regexp.MustCompile(`name="seen" value="([^"]+)"`).FindStringSubmatch(v.Get(at).Body)[1]
		link, found, err := h.DB.LinkForAddress(t.Context(), i.Account, i.ID, i.Owner.Address())
		if err != nil || !found {
			t.Fatalf("no link: %v", err)
		}
		h.Clock.Advance(time.Second)
		d := desk.Draft{Via: lost.ViaPage, ThreadPatch: lost.ThreadPatch{Text: lost.Set("Have you found it?")}}
		if err := h.Services.Threads.WriteAsGuest(t.Context(), testkit.Must(h.DB.LinkToken(link)), d); err != nil {
			t.Fatal(err)
		}
		h.Clock.Advance(time.Second)
		v.Post(at+"/thread", url.Values{"text": {"Is it yours?"}, "seen": {seen}})
		got := messagesOf(t, h, i)
		if len(got) != 2 || got[1].Text != "Have you found it?" || !got[1].AnsweredAt.IsZero() {
			t.Errorf("a message that the page did not show counts as answered: %+v", got)
		}
	})
}

func TestTheDeskSendsPhotosInAMessage(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		i := ownedItem(h, l)
		v := h.LogIn()
		send := func(text string, photos ...[]byte) testkit.Response {
			var b bytes.Buffer
			w := multipart.NewWriter(&b)
			testkit.Must(0, w.WriteField("text", text))
			for _, photo := range photos {
				testkit.Must(testkit.Must(w.CreateFormFile("photo", "photo.png")).Write(photo))
			}
			testkit.Must(0, w.Close())
			r := httptest.NewRequest(http.MethodPost, testkit.Base+stafftest.ItemPath(l, i)+"/thread", &b)
			r.Header.Set("Content-Type", w.FormDataContentType())
			return v.Do(r)
		}
		var photos [][]byte
		for _, c := range photoColors {
			photos = append(photos, stafftest.Picture(t, c))
		}
		if a := send("Is it this one?", photos...); a.Code != http.StatusSeeOther {
			t.Fatalf("got status %d: %s", a.Code, a.Body)
		}
		if got := messagesOf(t, h, i); len(got) != 1 || len(got[0].Images) != 3 || got[0].Text != "Is it this one?" {
			t.Errorf("got %+v, want three photos", got)
		}
		for name, c := range map[string]struct {
			text   string
			photos [][]byte
			status int
			field  string
		}{
			"no text":      {" ", nil, 422, "text-error"},
			"no picture":   {"My draft", [][]byte{[]byte("no picture")}, 415, "photo-error"},
			"six pictures": {"My draft", append(photos, photos...), 422, "photo-error"},
		} {
			a := send(c.text, c.photos...)
			if a.Code != c.status || !strings.Contains(a.Body, `id="`+c.field+`"`) ||
				!strings.Contains(a.Body, c.text) {
				t.Errorf("%s: got status %d: %s", name, a.Code, a.Body)
			}
		}
		if n := len(messagesOf(t, h, i)); n != 1 {
			t.Errorf("got %d messages, want 1", n)
		}
	})
}

func TestTheDeskSendsPhotosInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true, NoScript: true}} {
		t.Run(o.String(), func(t *testing.T) {
			i := ownedItem(h, l)
			v := browsertest.New(t, o)
			v.IgnoreError("422")
			stafftest.OpenAsOwner(v, h, at+stafftest.ItemPath(l, i))
			v.Fill("Your message", strings.Repeat("x", lost.MaxThreadText+1))
			v.Follow("Save message")
			v.See("Must have at most 4000 characters")
			v.CheckAccessibility()
			v.Screenshot("refused")
			v.Fill("Your message", "Is it one of these?")
			v.Upload("Photos (up to 5)", photoFiles(t)...)
			v.Follow("Save message")
			v.See("Is it one of these?", "Your message was")
			v.CheckAccessibility()
			v.Screenshot("sent")
			if got := messagesOf(t, h, i); len(got) != 1 || len(got[0].Images) != 3 {
				t.Errorf("got %+v, want three photos", got)
			}
		})
	}
}

func TestTheDeskSeesThatAMessageWasNotAccepted(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		i := ownedItem(h, l)
		v := h.LogIn()
		v.Post(stafftest.ItemPath(l, i)+"/thread", url.Values{"text": {"Is it yours?"}})
		link, _, err := h.DB.LinkForAddress(t.Context(), i.Account, i.ID, i.Owner.Email)
		if err != nil {
			t.Fatal(err)
		}
		h.Clock.Advance(time.Second)
		reason := testkit.Must(h.Services.Threads.ReceiveReply(t.Context(), desk.Reply{
			Token: testkit.Must(h.DB.ReplyToken(link)), From: i.Owner.Email, ExternalID: "1", Via: lost.ViaEmail,
		}))
		const notice = "A message from the guest was not accepted ("
		page := v.Get(stafftest.ItemPath(l, i)).Body
		if reason != lost.RejectedEmpty || !strings.Contains(page, notice) ||
			!strings.Contains(page, "The message had no text and no usable photo.") {
			t.Errorf("%q is not shown", reason)
		}
		h.Clock.Advance(time.Second)
		v.Post(stafftest.ItemPath(l, i)+"/thread", url.Values{"text": {"Please write again."}})
		if page = v.Get(stafftest.ItemPath(l, i)).Body; strings.Contains(page, notice) {
			t.Error("the notice is still shown after the desk wrote")
		}
	})
}
