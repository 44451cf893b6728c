package browsertest_test

import (
	"fmt"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"homeward/internal/web/browsertest"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// policy is a content security policy as strict as the one on the service's pages.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; " +
	"frame-src http:; connect-src 'self'"

const layout = `<!doctype html><html lang="en"><head><title>Lost</title>
	<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/style.css"></head>
	<body><main><h1>Umbrella</h1>%s</main></body></html>`

const startPage = `<p>Requested language: LANGUAGE.</p><noscript>No scripts here.</noscript>
	<p id="scheme"></p><div class="tall"></div>
	<form method="post" action="/sent" enctype="multipart/form-data">
	<label for="name">Your name <span class="hint">as on the ticket</span></label>
	<input id="name" name="name" value="old">
	<label>Day <input type="date" name="day"></label>
	<label>Country <select name="country">
	<option value="de">Germany</option><option value="fr">France</option></select></label>
	<fieldset><legend>What shall we do?</legend>
	<label><input type="radio" name="do" value="keep"> Keep it</label>
	<label><input type="radio" name="do" value="ship"> Ship it to me</label></fieldset>
	<label>Photo <input type="file" name="photo" class="away"></label>
	<button>Send</button></form>
	<button type="button" id="more">Show more</button><p id="result"></p>
	<a href="/next">Continue</a><script src="/script.js"></script>`

const style = `.hint{color:#555} .tall{height:2000px} .away{position:absolute;width:1px;height:1px;opacity:0}
	.pale{color:#ccc;background:#fff} .shift{height:300px} .cover{position:fixed;inset:0;background:#fff}
	#scheme::before{content:"light"} @media (prefers-color-scheme: dark){#scheme::before{content:"dark"}}`

const script = `const show = () => document.getElementById('result').textContent = 'There is more: '
		+ matchMedia('(prefers-color-scheme: dark)').matches
		+ matchMedia('(prefers-reduced-motion: reduce)').matches + innerWidth
	document.getElementById('more').onclick = () => setTimeout(show, 50)`

const movingScript = `requestAnimationFrame(() => requestAnimationFrame(() => {
	const above = document.createElement('div')
	above.className = 'shift'
	document.querySelector('main').prepend(above)
}))`

// jumpingScript moves a button once it was measured twice, as a live update may do. A link takes its place. With the
// query always, it moves again whenever it was measured twice; with the query pressed, when a press begins.
const jumpingScript = `const button = document.querySelector('button'), measure = document.elementFromPoint
	const link = Object.assign(document.createElement('a'), {href: '/next', textContent: 'Elsewhere'})
	Object.assign(link.style, {display: 'block', height: '300px'})
	let measured = 0, sent = 0
	const jump = () => button.previousSibling === link ? button.after(link) : button.before(link)
	document.elementFromPoint = (...at) => {
		measured++
		if (location.search === '' && measured === 2) queueMicrotask(jump)
		if (location.search === '?always' && measured % 2 === 0) queueMicrotask(jump)
		return measure.apply(document, at)
	}
	if (location.search === '?pressed') button.onpointerdown = jump
	button.onclick = () => document.querySelector('p').textContent = 'Sent: ' + ++sent`

// testSite is the handler of a test server. Its methods add pages and files.
type testSite struct{ *http.ServeMux }

func (s testSite) page(pattern, body string) {
	s.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		values := strings.NewReplacer("LANGUAGE", r.Header.Get("Accept-Language"), "FOREIGN", r.URL.RawQuery)
		_, _ = fmt.Fprintf(w, layout, values.Replace(body))
	})
}

func (s testSite) file(path, kind, body string) {
	s.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, body)
	})
}

// site starts a server with one correct page and several pages with one fault each.
func site(t *testing.T) *httptest.Server {
	t.Helper()
	s := testSite{http.NewServeMux()}
	s.page("/{$}", startPage)
	s.page("/next", `<p>The next page.</p><a href="#below">Below</a>`)
	s.HandleFunc("POST /sent", acceptForm)
	s.HandleFunc("/thanks", showSent)
	s.file("/style.css", "text/css", style)
	s.file("/script.js", "text/javascript", script)

	s.page("/pale", `<p class="pale">Hard to read</p><input name="nameless">`)
	s.page("/heavy", `<p>`+strings.Repeat("word ", 25_000)+`</p>`)
	s.page("/busy", `<script src="/nothing.js?1"></script><script src="/nothing.js?2"></script>`)
	s.page("/foreign", `<iframe title="Elsewhere" src="FOREIGN"></iframe>`)
	s.page("/angry", `<script src="/angry.js"></script>`)
	s.page("/inline", `<p style="color:red">Against the policy</p>`)
	s.page("/broken", `<img alt="An umbrella" src="/no-such.png">`)
	s.page("/moving", `<p>It moves.</p><script src="/moving.js"></script>`)
	s.page("/covered", `<button>Send</button><div class="cover">Wait</div>`)
	s.page("/twice", `<button>Send</button><button>Send</button>`)
	s.page("/jumping", `<p>It jumps.</p><button>Send</button><script src="/jumping.js"></script>`)
	s.file("/jumping.js", "text/javascript", jumpingScript)
	s.file("/nothing.js", "text/javascript", "")
	s.file("/angry.js", "text/javascript", "console.error('no', {a: 1}, 7); throw new Error('on purpose')")
	s.file("/moving.js", "text/javascript", movingScript)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server
}

func acceptForm(w http.ResponseWriter, r *http.Request) {
	values := []string{r.FormValue("name"), r.FormValue("day"), r.FormValue("country"), r.FormValue("do")}
	sent := strings.Join(values, " ")
	if _, photo, err := r.FormFile("photo"); err == nil {
		sent += " " + photo.Filename
	}
	http.SetCookie(w, &http.Cookie{Name: "sent", Value: url.QueryEscape(sent)})
	http.Redirect(w, r, "/thanks", http.StatusSeeOther)
}

func showSent(w http.ResponseWriter, r *http.Request) {
	sent, err := r.Cookie("sent")
	if err != nil {
		http.Error(w, "We do not know you.", http.StatusForbidden)
		return
	}
	text, _ := url.QueryUnescape(sent.Value) // set by acceptForm
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, text)
}

func TestAVisitorFillsInAForm(t *testing.T) {
	s := site(t)
	photo := filepath.Join(t.TempDir(), "umbrella.jpg")
	if err := os.WriteFile(photo, []byte("not really"), 0o600); err != nil {
		t.Fatal(err)
	}
	browsertest.Each(t, func(t *testing.T, o browsertest.Options) {
		v := browsertest.New(t, o)
		v.Visit(s.URL)
		if v.Title() != "Lost" || v.Location() != s.URL+"/" || v.Status() != http.StatusOK {
			t.Errorf("got title %q at %s with status %d", v.Title(), v.Location(), v.Status())
		}
		if off := strings.Contains(v.Text(), "No scripts here."); off != o.NoScript {
			t.Errorf("scripts disabled: got %t", off)
		}
		v.Fill("Your name", "Zoë Łukasz 💥")
		v.Fill("Day", "2026-11-15")
		v.Choose("Country", "France")
		v.Click("Ship it to me")
		v.Upload("Photo", photo)
		v.Follow("Send")
		v.See("Zoë Łukasz 💥 2026-11-15 fr ship umbrella.jpg")
		if v.Location() != s.URL+"/thanks" {
			t.Errorf("got address %s, want /thanks", v.Location())
		}
	})
}

func TestPhoneAndDesktopDiffer(t *testing.T) {
	s := site(t)
	for _, tt := range []struct {
		who  browsertest.Options
		text string
	}{
		{browsertest.Options{}, "falsefalse1280"},
		{browsertest.Options{Phone: true}, "falsefalse390"},
		{browsertest.Options{Dark: true}, "truefalse1280"},
		{browsertest.Options{Phone: true, Still: true, Language: "de"}, "falsetrue390"},
	} {
		t.Run(tt.who.String(), func(t *testing.T) {
			v := browsertest.New(t, tt.who)
			v.Visit(s.URL)
			v.Click("Show more")
			v.See("There is more: " + tt.text)
			language := tt.who.Language
			if language == "" {
				language = "en-US"
			}
			v.See("Requested language: " + language)
		})
	}
}

func TestDarkModeWorksWithoutScripts(t *testing.T) {
	s := site(t)
	v := browsertest.New(t, browsertest.Options{Dark: true, NoScript: true})
	v.Visit(s.URL)
	var scheme string
	if v.Run("getComputedStyle(document.getElementById('scheme'), '::before').content", &scheme); scheme != `"dark"` {
		t.Errorf("got scheme %s, want dark", scheme)
	}
}

func TestBackAndASecondTabKeepTheCookies(t *testing.T) {
	s := site(t)
	for _, o := range []browsertest.Options{{Phone: true}, {NoScript: true}} {
		v := browsertest.New(t, o)
		v.Visit(s.URL)
		v.Follow("Continue")
		v.See("The next page.")
		v.Visit(s.URL + "/next#below") // another position on the same page
		v.Back()
		v.Back()
		v.See("Show more")
		v.Follow("Continue")
		v.Reload()
		v.See("The next page.")

		tab := v.Tab()
		tab.Visit(s.URL + "/thanks")
		if tab.Status() != http.StatusForbidden { // expected by the test, so it is not reported
			t.Errorf("got status %d for a new visitor, want 403", tab.Status())
		}
		v.Run(`void(document.cookie = "sent=hello; path=/")`, nil)
		tab.Reload()
		tab.See("hello")
		other := browsertest.New(t, o)
		other.Visit(s.URL + "/thanks")
		other.See("We do not know you.")
	}
}

func TestKeysGoToTheFocusedElement(t *testing.T) {
	s := site(t)
	v := browsertest.New(t, browsertest.Options{})
	v.Visit(s.URL)
	v.Press("Tab", "Tab", "Shift+Tab")
	if !strings.Contains(v.Focused(), `id="name"`) {
		t.Errorf("got focus on %s", v.Focused())
	}
	v.Press("End", "!", "Enter") // submits the form
	v.See("old!")
}

func TestEveryRequestIsRecorded(t *testing.T) {
	s := site(t)
	browsertest.Each(t, func(t *testing.T, o browsertest.Options) {
		v := browsertest.New(t, o)
		for range 2 { // nothing is cached, so the second visit makes the same requests
			v.Visit(s.URL)
			var seen []string
			for _, r := range v.Requests() {
				if r.Type == "Other" { // the icon, which the browser may request and cancel at any time
					continue
				}
				seen = append(seen, r.Type+" "+r.URL)
				if r.Bytes < 100 || r.Foreign {
					t.Errorf("got request %+v", r)
				}
			}
			want := []string{"Document " + s.URL + "/", "Stylesheet " + s.URL + "/style.css",
				"Script " + s.URL + "/script.js"}
			if o.NoScript {
				want = want[:2]
			}
			if got := strings.Join(seen, "\n"); got != strings.Join(want, "\n") {
				t.Errorf("got requests\n%s", got)
			}
			v.CheckWeight()
			v.CheckLayoutShift()
			v.CheckAccessibility()
		}
	})
}

// fakeTest is passed to code that is expected to fail the test, and records the failures.
type fakeTest struct {
	testing.TB
	mu       sync.Mutex
	failures []string
	cleanups []func()
}

func (f *fakeTest) Helper()           {}
func (f *fakeTest) Cleanup(fn func()) { f.cleanups = append(f.cleanups, fn) }

func (f *fakeTest) Errorf(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failures = append(f.failures, fmt.Sprintf(format, args...))
}

func (f *fakeTest) Fatalf(format string, args ...any) {
	f.Errorf(format, args...)
	runtime.Goexit()
}

// try runs fn as a test, including its cleanup functions, and returns the failures.
func try(t *testing.T, fn func(t testing.TB)) string {
	t.Helper()
	f := &fakeTest{TB: t}
	stage := func(fn func()) {
		var done sync.WaitGroup
		done.Go(fn) // in a goroutine, because fn may call runtime.Goexit
		done.Wait()
	}
	stage(func() { fn(f) })
	for _, fn := range f.cleanups {
		stage(fn)
	}
	return strings.Join(f.failures, "\n")
}

func TestErrorsOnAPageFailTheTest(t *testing.T) {
	s := site(t)
	elsewhere := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(elsewhere.Close)
	light, axe, noShift := (*browsertest.Visitor).CheckWeight, (*browsertest.Visitor).CheckAccessibility,
		(*browsertest.Visitor).CheckLayoutShift
	nothing := func(*browsertest.Visitor) {}
	for _, tt := range []struct {
		page   string
		check  func(*browsertest.Visitor)
		faults []string
		script bool // the fault occurs only with scripts enabled
	}{
		{page: "/next", check: func(v *browsertest.Visitor) { light(v); axe(v); noShift(v) }},
		{
			page: "/pale", check: axe,
			faults: []string{"color-contrast (serious)", `<p class="pale">`, "label (critical)"},
		},
		{page: "/heavy", check: light, faults: []string{"bytes without pictures; fewer than 100000"}},
		{page: "/busy", check: light, faults: []string{"makes 4 requests"}, script: true},
		{
			page: "/foreign?" + elsewhere.URL, check: light,
			faults: []string{"loads from another origin: " + elsewhere.URL},
		},
		{page: "/moving", check: noShift, faults: []string{"layout shift of 0."}, script: true},
		{page: "/angry", check: nothing, faults: []string{`console: "no" Object 7`, "Error: on purpose"}, script: true},
		{page: "/inline", check: nothing, faults: []string{"Content Security Policy"}},
		{page: "/broken", check: nothing, faults: []string{"404 (Not Found) " + s.URL + "/no-such.png"}},
	} {
		for _, o := range []browsertest.Options{{}, {Phone: true, NoScript: true}} {
			if tt.script && o.NoScript {
				continue
			}
			found := try(t, func(t testing.TB) {
				v := browsertest.New(t, o)
				v.Visit(s.URL + tt.page)
				tt.check(v)
			})
			if len(tt.faults) == 0 && found != "" {
				t.Errorf("%s %s: %s", tt.page, o, found)
			}
			for _, fault := range tt.faults {
				if !strings.Contains(found, fault) {
					t.Errorf("%s %s: no %q in the failures:\n%s", tt.page, o, fault, found)
				}
			}
		}
	}
}

func TestAnExpectedErrorIsIgnored(t *testing.T) {
	s := site(t)
	v := browsertest.New(t, browsertest.Options{})
	v.IgnoreError("no-such.png")
	v.Visit(s.URL + "/broken")
}

func TestAnImpossibleActionFailsTheTest(t *testing.T) {
	s := site(t)
	for name, tt := range map[string]struct {
		page  string
		do    func(v *browsertest.Visitor)
		fault string
	}{
		"a missing button": {"/next", func(v *browsertest.Visitor) {
			v.Click("Send")
		}, `no link or button is named "Send"`},
		"a covered button": {"/covered", func(v *browsertest.Visitor) {
			v.Click("Send")
		}, `"Send" is covered by <div class="cover">`},
		"two buttons": {"/twice", func(v *browsertest.Visitor) {
			v.Click("Send")
		}, `2 elements are named "Send"`},
		"a missing field": {"/next", func(v *browsertest.Visitor) {
			v.Fill("Your name", "Anna")
		}, `no field is named "Your name"`},
		"an invalid date": {"/", func(v *browsertest.Visitor) {
			v.Fill("Day", "2026-02-30")
		}, `"Day" does not accept "2026-02-30"`},
		"a missing option": {"/", func(v *browsertest.Visitor) {
			v.Choose("Country", "Spain")
		}, `"Country" has no option "Spain": Germany, France`},
		"a missing text": {"/next", func(v *browsertest.Visitor) {
			v.See("The last page.")
		}, `does not show "The last page."`},
		"a text that must disappear": {"/next", func(v *browsertest.Visitor) {
			v.SeeNot("The next page.")
		}, `still shows "The next page."`},
		"a button that moves all the time": {"/jumping?always", func(v *browsertest.Visitor) {
			v.Click("Send")
		}, `3 presses of "Send" missed it`},
		"a button that moves when it is pressed": {"/jumping?pressed", func(v *browsertest.Visitor) {
			v.Click("Send")
		}, `the press of "Send" began on it and ended on`},
		"no page to go to": {"/", func(v *browsertest.Visitor) { v.Follow("Keep it") }, "the page is still the same"},
		"no server":        {"/", func(v *browsertest.Visitor) { v.Visit("http://127.0.0.1:1/") }, "ERR_UNSAFE_PORT"},
		"another host": {"/", func(v *browsertest.Visitor) {
			v.Visit("http://example.com/")
		}, "ERR_NAME_NOT_RESOLVED"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := try(t, func(t testing.TB) {
				v := browsertest.New(t, browsertest.Options{})
				v.Visit(s.URL + tt.page)
				v.SetShortTimeout()
				tt.do(v)
			})
			if !strings.Contains(found, tt.fault) {
				t.Errorf("failures: no %q in %q", tt.fault, found)
			}
		})
	}
}

// A live update may move an element after it was measured. The press is then repeated, and has pressed nothing else.
func TestAPressThatMissesIsRepeated(t *testing.T) {
	s := site(t)
	for _, o := range []browsertest.Options{{}, {Phone: true}} {
		t.Run(o.String(), func(t *testing.T) {
			v := browsertest.New(t, o)
			v.Visit(s.URL + "/jumping")
			v.Click("Send")
			v.See("Sent: 1", "Elsewhere")
			v.Click("Send")
			v.See("Sent: 2", "Elsewhere")
			v.Follow("Elsewhere")
			v.See("The next page.")
		})
	}
}

func TestScreenshotsAreSaved(t *testing.T) {
	s, folder := site(t), filepath.Join(t.TempDir(), "shots")
	v := browsertest.New(t, browsertest.Options{Phone: true})
	v.Visit(s.URL)
	t.Setenv("HOMEWARD_TEST_SCREENSHOTS", "")
	v.Screenshot("unwanted")
	t.Setenv("HOMEWARD_TEST_SCREENSHOTS", folder)
	v.Screenshot("form")
	found, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(found) != 1 || filepath.Base(found[0]) != t.Name()+" form.png" {
		t.Fatalf("got files %v, %v", found, err)
	}
	f, err := os.Open(found[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if size, err := png.DecodeConfig(f); err != nil || size.Width != 2*390 || size.Height < 2*2000 {
		t.Errorf("got size %+v, %v", size, err)
	}
}
