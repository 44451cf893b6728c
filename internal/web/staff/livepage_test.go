package staff_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

// livePages is a browser whose pages follow what the owner changes elsewhere.
type livePages struct {
	*testkit.Server
	*browsertest.Visitor
	at    string
	hotel lost.Location
}

func newLivePages(t *testing.T) livePages {
	t.Helper()
	h, at := testkit.NewBrowserServer(t)
	return livePagesOf(t, h, at)
}

func livePagesOf(t *testing.T, h *testkit.Server, at string) livePages {
	t.Helper()
	t.Cleanup(h.Services.Close)
	l := livePages{h, browsertest.New(t, browsertest.Options{}), at, h.NewLocation("Hotel Adler")}
	_, token := h.Session(h.Owner, lost.Client{})
	l.SetCookie(at, "session", token)
	return l
}

func (l livePages) visitItem(i lost.Item, query string) {
	l.Visit(l.at + "/at/" + i.LocationID + "/items/" + i.ID + query)
}

func (l livePages) visitItems() { l.Visit(l.at + "/at/" + l.hotel.ID + "/items") }

func (l livePages) patch(i lost.Item, p lost.ItemPatch) {
	l.T.Helper()
	testkit.Must(l.Services.Items.Update(l.T.Context(), l.Actor, i.LocationID, i.ID, p))
}

// value evaluates an expression on the page.
func value[T any](v *browsertest.Visitor, expression string) (result T) {
	v.Run(expression, &result)
	return result
}

func (l livePages) expect(what string, got, want any) {
	l.T.Helper()
	if got != want {
		l.T.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestAFormThatIsBeingFilledInStaysAsItIs(t *testing.T) {
	l := newLivePages(t)
	i := l.NewItem(l.hotel, "An umbrella")
	l.visitItem(i, "?edit=what")
	l.Fill("Description", "A red umbrella")
	const seen = "document.querySelector('[name=description]').form.elements.seen.value"
	before := value[string](l.Visitor, seen)
	l.patch(i, lost.ItemPatch{StoragePlace: lost.Set("Shelf 9")})
	l.See("Shelf 9")
	l.expect("typed text", value[string](l.Visitor, "document.querySelector('[name=description]').value"),
		"A red umbrella")
	l.expect("the version that the form was opened with", value[string](l.Visitor, seen), before)
	l.expect("focus", value[string](l.Visitor, "document.activeElement.name"), "description")
	l.SeeNot("This page has changed.")
	l.patch(i, lost.ItemPatch{Description: lost.Set("A blue umbrella")})
	l.See("This page has changed. Show the changes", "A blue umbrella")
	l.expect("typed text", value[string](l.Visitor, "document.querySelector('[name=description]').value"),
		"A red umbrella")
	l.CheckAccessibility()
	l.Screenshot("note")
	l.SetOptions(browsertest.Options{Phone: true})
	l.Screenshot("note on a phone")
	l.SetOptions(browsertest.Options{})
	l.Follow("Save")
	l.See("Somebody else changed this while you were typing.", "A blue umbrella")
}

func TestAFormThatNobodyFillsInFollowsChanges(t *testing.T) {
	l := newLivePages(t)
	i := l.NewItem(l.hotel, "An umbrella")
	l.visitItem(i, "?edit=what")
	l.Run("void document.activeElement.blur()", nil)
	l.patch(i, lost.ItemPatch{Description: lost.Set("A blue umbrella")})
	l.See("A blue umbrella")
	l.expect("the field", value[string](l.Visitor, "document.querySelector('[name=description]').value"),
		"A blue umbrella")
	l.Fill("Description", "A green umbrella")
	l.Follow("Save")
	l.SeeNot("Somebody else changed this while you were typing.")
	l.See("Saved.", "A green umbrella")
	l.Choose("New status", "Donated") // below the message that the item was saved, which other pages do not show
	l.patch(i, lost.ItemPatch{Description: lost.Set("A yellow umbrella")})
	l.See("Saved.", "A yellow umbrella")
	l.SeeNot("This page has changed.")
	l.expect("forms", value[int](l.Visitor, "document.querySelectorAll('#more form').length"), 1)
	l.expect("choice", value[string](l.Visitor, "document.querySelector('#to').value"), "DONATE")
}

// TestAHiddenPageDoesNotSeeMessages checks that an open page that nobody looks at is read again only when somebody
// does, so that a new message does not count as seen before.
func TestAHiddenPageDoesNotSeeMessages(t *testing.T) {
	l := newLivePages(t)
	i := l.NewItem(l.hotel, "An umbrella", func(p *lost.ItemPatch) {
		p.Owner = lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")})
	})
	link, _, err := l.DB.LinkForAddress(t.Context(), i.Account, i.ID, "anna@example.com")
	testkit.Must(0, err)
	token := testkit.Must(l.DB.LinkToken(link))
	write := func(text string) {
		testkit.Must(0, l.Services.Threads.WriteAsGuest(t.Context(), token, desk.Draft{
			Via: lost.ViaPage, ThreadPatch: lost.ThreadPatch{Text: lost.Set(text)},
		}))
	}
	unseen := func() (n int) {
		for _, m := range testkit.Must(l.DB.Thread(t.Context(), i.Account, i.ID, lost.FirstPage())).Data {
			if m.SeenAt.IsZero() {
				n++
			}
		}
		return n
	}
	l.visitItem(i, "")
	write("Have you found it?")
	l.See("Have you found it?")
	l.expect("unseen messages on the visible page", unseen(), 0)
	l.Run("void Object.defineProperty(document, 'hidden', {get: () => window.away, configurable: true})", nil)
	l.Run(`void (window.away = true, window.requests = [], window.news = [])`, nil)
	l.Run(`void (window.fetch = new Proxy(fetch, {apply: (to, self, given) => {
		window.requests.push(given[0])
		return Reflect.apply(to, self, given)
	}}))`, nil)
	l.Run(`void (JSON.parse = new Proxy(JSON.parse, {apply: (to, self, given) => {
		const read = Reflect.apply(to, self, given)
		if (read.changed) window.news.push(read)
		return read
	}}))`, nil)
	write("It is red.")
	l.waitFor("window.news.length > 0")
	l.Run("new Promise(done => setTimeout(done, window.news[0].delay ?? 0))", nil) // the page would be read before
	l.expect("requests of the hidden page", value[int](l.Visitor, "window.requests.length"), 0)
	l.expect("unseen messages on the hidden page", unseen(), 1)
	l.Run("void (window.away = false)", nil)
	l.Run("void document.dispatchEvent(new Event('visibilitychange', {bubbles: true}))", nil)
	l.See("It is red.")
	l.expect("unseen messages on the visible page", unseen(), 0)
}

func TestSelectedItemsStaySelected(t *testing.T) {
	l := newLivePages(t)
	first, second := l.NewItem(l.hotel, "First"), l.NewItem(l.hotel, "Second")
	l.visitItems()
	l.Click("Select " + first.Reference)
	l.Click("Select " + second.Reference)
	l.NewItem(l.hotel, "Third")
	l.See("Third", "3 items")
	const selected = "[...document.querySelectorAll('[name=item]:checked')].length"
	l.expect("selected items", value[int](l.Visitor, selected), 2)
	l.See("2 selected")
	testkit.Must(0, l.Services.Items.Delete(t.Context(), l.Actor, second.LocationID, second.ID))
	l.See("2 items", "Second", "This page has changed. Show the changes")
	l.expect("selected items", value[int](l.Visitor, selected), 2)
	l.Click("Select " + second.Reference)
	l.Run("void document.activeElement.blur()", nil)
	l.NewItem(l.hotel, "Fourth")
	l.See("Fourth")
	l.SeeNot("Second", "This page has changed.")
}

func TestALargePhotoStaysOpen(t *testing.T) {
	l := newLivePages(t)
	i := l.NewItem(l.hotel, "An umbrella")
	testkit.Must(l.Services.Items.UploadImage(t.Context(), l.Actor, i.LocationID, i.ID,
		bytes.NewReader(stafftest.JPEG(640, 480)), lost.IdempotencyKey{}))
	l.visitItem(i, "")
	l.Click("css:.photo-list a")
	l.See("Photo 1 of 1")
	l.patch(i, lost.ItemPatch{StoragePlace: lost.Set("Shelf 9")})
	l.See("Shelf 9", "Photo 1 of 1")
	const shown = "document.querySelector('.photo-dialog[open] img').src === " +
		"document.querySelector('.photo-list a').href"
	l.expect("the large photo", value[bool](l.Visitor, shown), true)
}

func TestWhatIsInViewDoesNotMove(t *testing.T) {
	l := newLivePages(t)
	for n := range 24 {
		l.NewItem(l.hotel, fmt.Sprintf("Item %d", n))
	}
	l.visitItems()
	l.Run("scrollTo({top: 600, behavior: 'instant'})", nil)
	const top = "[...document.querySelectorAll('tbody tr')].find(r => r.innerText.includes('Item 9'))." +
		"getBoundingClientRect().top"
	before := value[float64](l.Visitor, top)
	l.NewItem(l.hotel, "A new item")
	l.See("25 items")
	l.expect("position", value[float64](l.Visitor, top), before)
	l.CheckLayoutShift()
}

func TestSearchingAndOpenMenusGoOn(t *testing.T) {
	l := newLivePages(t)
	l.NewItem(l.hotel, "Red umbrella")
	l.visitItems()
	l.Click("More")
	l.Fill("Search items", "umbrella")
	l.See("1 item")
	l.NewItem(l.hotel, "Blue umbrella")
	l.NewItem(l.hotel, "A scarf")
	l.See("2 items", "Blue umbrella")
	l.SeeNot("A scarf", "This page has changed.")
	l.expect("search", value[string](l.Visitor, "document.querySelector('#term').value"), "umbrella")
	l.expect("focus", value[string](l.Visitor, "document.activeElement.id"), "term")
	l.expect("menu", value[bool](l.Visitor, "document.querySelector('.tools').open"), true)
}

func TestTheMenuCountsOpenTasksOnEveryPage(t *testing.T) {
	l := newLivePages(t)
	l.Visit(l.at + "/settings/profile")
	l.expect("no number", value[string](l.Visitor, "document.querySelector('[data-count=today]').textContent"), "")
	request := testkit.Must(l.Services.Requests.File(t.Context(), l.Actor, l.hotel.ID, testkit.RequestFor("Umbrella"),
		lost.IdempotencyKey{}))
	liveServer{Server: l.Server}.setTasks(request, lost.AnswerTask)
	l.See("1 open task", "1 open request")
	l.CheckAccessibility()
	l.Screenshot("wide")
	l.SetOptions(browsertest.Options{Phone: true, Dark: true})
	l.CheckAccessibility()
	l.Screenshot("phone")
	l.Visit(l.at + "/settings/profile")
	l.See("1 open task", "1 open request")
}

// TestPagesOfAllLocationsFollowChanges checks that the lists of all locations follow what another session does at any
// of them.
func TestPagesOfAllLocationsFollowChanges(t *testing.T) {
	testkit.EachBrowserServer(t, func(t *testing.T, h *testkit.Server, at string) {
		l := livePagesOf(t, h, at)
		spa, colleague := h.NewLocation("Spa am See"), h.LogIn()
		l.Visit(at + "/at/all/items")
		l.SeeNot("White bathrobe")
		saved := colleague.Post("/at/"+spa.ID+"/find", url.Values{"description": {"White bathrobe"}})
		stafftest.ExpectPage(t, saved, http.StatusSeeOther)
		l.See("White bathrobe", "1 item")
		l.NewItem(l.hotel, "Black umbrella")
		l.See("Black umbrella", "2 items")

		l.Visit(at + "/")
		l.SeeNot("Silver ring")
		request := stafftest.FileRequest(h, spa, "Silver ring")
		liveServer{Server: h}.setTasks(request, lost.AnswerTask)
		l.See("Silver ring", "1 open task")
	})
}

func TestFoldedGroupsOfTasksStayFolded(t *testing.T) {
	l := newLivePages(t)
	const isOpen = "document.querySelector('[data-fold]').open"
	const count = "document.querySelector('.strip strong').textContent"
	file := func(what string) {
		request := testkit.Must(l.Services.Requests.File(t.Context(), l.Actor, l.hotel.ID, testkit.RequestFor(what),
			lost.IdempotencyKey{}))
		liveServer{Server: l.Server}.setTasks(request, lost.AnswerTask)
	}
	file("Umbrella")
	l.Visit(l.at + "/")
	l.expect("open at first", value[bool](l.Visitor, isOpen), true)
	l.Run("document.querySelector('[data-fold] summary').click()", nil)
	l.waitFor("document.cookie.includes('folded=answer-request')")
	file("Scarf")
	l.waitFor(count + " === '2'")
	l.expect("open after an update", value[bool](l.Visitor, isOpen), false)
	l.Reload()
	l.expect("open on the next visit", value[bool](l.Visitor, isOpen), false)
	l.CheckLayoutShift()
	file("Hat")
	l.waitFor(count + " === '3'")
	l.expect("open after an update of the next visit", value[bool](l.Visitor, isOpen), false)
	l.CheckAccessibility()
	l.Run("document.querySelector('.strip a').click()", nil)
	l.waitFor("!document.cookie.includes('answer-request')")
	l.expect("open after its link was followed", value[bool](l.Visitor, isOpen), true)
	l.Reload()
	l.expect("open again", value[bool](l.Visitor, isOpen), true)
}

func TestADeletedItemIsNoted(t *testing.T) {
	l := newLivePages(t)
	i := l.NewItem(l.hotel, "An umbrella")
	l.visitItem(i, "")
	testkit.Must(0, l.Services.Items.Delete(t.Context(), l.Actor, i.LocationID, i.ID))
	l.IgnoreError("404")
	l.See("This page has changed.", "An umbrella")
	l.Follow("Show the changes")
	l.See("Page not found")
}

// The permission for notifications is replaced, because browsers without a window deny it.
func TestNotificationsAreTurnedOnInOneBrowser(t *testing.T) {
	l := newLivePages(t)
	l.Visit(l.at + "/settings/profile")
	l.See("Notifications")
	l.Run(`void Object.defineProperty(Notification, 'permission', {get: () => 'granted'})`, nil)
	l.Run(`void (Notification.requestPermission = async () => 'granted')`, nil)
	l.Run("document.querySelectorAll('[data-notify]').forEach(e => { e.hidden = e.dataset.notify !== 'off' })", nil)
	l.CheckAccessibility()
	l.Screenshot("switch")
	l.Click("Turn on notifications")
	l.See("Turn off")
	l.expect("setting", value[string](l.Visitor, "localStorage.getItem('homeward.notify')"), "on")
	l.Run(`void (window.Notification = Object.assign(function (title) { window.shown = title },
		{permission: 'granted'}))`, nil)
	l.Run("void Object.defineProperty(document, 'hidden', {get: () => true})", nil)
	testkit.Must(l.Services.Requests.File(t.Context(), l.Actor, l.hotel.ID, testkit.RequestFor("Umbrella"),
		lost.IdempotencyKey{}))
	l.waitFor("window.shown === 'New lost report'")
	l.Click("Turn off")
	l.expect("setting", value[string](l.Visitor, "localStorage.getItem('homeward.notify')"), "off")
}

// waitFor waits until an expression is true.
func (l livePages) waitFor(expression string) {
	l.T.Helper()
	l.Run(`new Promise((done, fail) => {
		const end = Date.now() + 20000
		const check = () => {
			if (`+expression+`) done()
			else if (Date.now() > end) fail(new Error('timeout'))
			else setTimeout(check, 20)
		}
		check()
	})`, nil)
}
