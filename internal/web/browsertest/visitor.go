package browsertest

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Options say who visits. The zero value sits at a desk, sees light pages in English and runs scripts.
type Options struct {
	Phone    bool   // a small screen that is touched
	NoScript bool   // scripts are switched off
	Dark     bool   // prefers dark pages
	Still    bool   // prefers reduced motion
	Language string // what the browser asks for, like "de" or "pt-BR, pt;q=0.9"
}

// String names the visitor in a test's name.
func (o Options) String() string {
	name := "desktop"
	if o.Phone {
		name = "phone"
	}
	if o.NoScript {
		name += " without scripts"
	}
	if o.Dark {
		name += " in the dark"
	}
	if o.Still {
		name += " without motion"
	}
	if o.Language != "" {
		name += " in " + o.Language
	}
	return name
}

// Each runs a test for every visitor whom a page must serve: on a phone and at a desk, with scripts and without.
func Each(t *testing.T, fn func(t *testing.T, o Options)) {
	t.Helper()
	for _, o := range []Options{{Phone: true}, {Phone: true, NoScript: true}, {}, {NoScript: true}} {
		t.Run(o.String(), func(t *testing.T) { fn(t, o) })
	}
}

// A Visitor is one person in front of one tab, whom no page knows yet. What it is told to do and cannot fails the
// test. It waits for what it looks for: a thing that appears a moment later is found.
//
// Things are named by what is written on them: the text of a link or a button, the label of a field. The whole
// text goes before a part of it, and it must be one thing only. "css:" followed by a selector names anything else.
type Visitor struct {
	t       testing.TB
	options Options
	ctx     context.Context
	notes   *notes
	visits  int
	wait    time.Duration
}

// New is a visitor who comes for the first time. When the test ends, the visitor leaves, and what went wrong on
// the pages meanwhile fails it: errors in the console, violations of the content security policy, files that are missing.
func New(t testing.TB, o Options) *Visitor {
	t.Helper()
	return open(browser(t), t, o, chromedp.WithNewBrowserContext())
}

// Tab is a second tab of the same visitor: whatever a page has left in the browser, it finds there.
func (v *Visitor) Tab() *Visitor {
	v.t.Helper()
	return open(v.ctx, v.t, v.options)
}

func open(parent context.Context, t testing.TB, o Options, options ...chromedp.ContextOption) *Visitor {
	t.Helper()
	ctx, leave := chromedp.NewContext(parent, options...)
	if err := chromedp.Do(ctx); err != nil {
		leave()
		t.Fatalf("open a tab: %v", err)
	}
	v := &Visitor{t: t, options: o, ctx: ctx, notes: takeNotes(ctx), wait: patience}
	t.Cleanup(func() {
		t.Helper()
		_ = v.eval("0", nil) // what the browser said before its answer has arrived with it
		leave()
		v.notes.complete()
		for _, fault := range v.notes.faults() {
			t.Errorf("%s: %s", o, fault)
		}
	})
	v.become(o)
	return v
}

// become makes the tab the visitor's.
func (v *Visitor) become(o Options) {
	v.t.Helper()
	screen, touch := emulation.SetDeviceMetricsOverrideParams{Width: 1280, Height: 800, DeviceScaleFactor: 1}, emulation.SetTouchEmulationEnabledParams{}
	if o.Phone {
		screen = emulation.SetDeviceMetricsOverrideParams{Width: 390, Height: 844, DeviceScaleFactor: 2, Mobile: true}
		touch.Enabled = true
	}
	call(v, emulation.SetDeviceMetricsOverride, screen)
	call(v, emulation.SetTouchEmulationEnabled, touch)
	media := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "light"}, {Name: "prefers-reduced-motion", Value: "no-preference"}}
	if o.Dark {
		media[0].Value = "dark"
	}
	if o.Still {
		media[1].Value = "reduce"
	}
	call(v, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: media})
	if o.Language != "" {
		call(v, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: v.read("navigator.userAgent"), AcceptLanguage: o.Language})
	}
	v.scripts(!o.NoScript)
	// Every page is weighed as if it were the first.
	call(v, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	call(v, fetch.Enable, fetch.EnableParams{Patterns: written()}) // every request waits until it is written down
}

// Turn has the visitor look at the page that is open as another does: on a phone, at a desk, in the dark.
func (v *Visitor) Turn(o Options) {
	v.t.Helper()
	v.options = o
	v.become(o)
}

// Keep puts a cookie of an address into the browser, as if a page there had.
func (v *Visitor) Keep(address, name, value string) {
	v.t.Helper()
	call(v, network.SetCookie, network.SetCookieParams{Name: name, Value: value, URL: address, Path: "/"})
}

// written lists the requests that are written down: those that pages make. What scripts send may hold bytes that are no text, which
// the browser could not tell of; pages of ours let them send nothing elsewhere.
func written() (patterns []*fetch.RequestPattern) {
	for _, kind := range []network.ResourceType{
		network.ResourceTypeDocument, network.ResourceTypeStylesheet, network.ResourceTypeImage, network.ResourceTypeMedia, network.ResourceTypeFont,
		network.ResourceTypeScript, network.ResourceTypeOther,
	} {
		patterns = append(patterns, &fetch.RequestPattern{ResourceType: kind})
	}
	return patterns
}

// scripts switches the page's scripts on or off. Those that were passed over stay so.
func (v *Visitor) scripts(on bool) {
	v.t.Helper()
	call(v, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
}

// Visit opens an address and waits until the page has loaded with everything on it.
func (v *Visitor) Visit(address string) {
	v.t.Helper()
	v.arrive("open "+address, func(ctx context.Context) error {
		r, err := chromedp.Call(ctx, page.Navigate, page.NavigateParams{URL: address})
		if err == nil && r.ErrorText != "" {
			return errors.New(r.ErrorText)
		}
		return err
	})
}

// Click presses a thing, with a finger on a phone and with the mouse at a desk. It does not wait for
// what comes of it: See does. For a thing that leads to another page there is Follow.
func (v *Visitor) Click(what string) {
	v.t.Helper()
	v.must(v.press(v.ctx, what))
}

// Follow presses a thing that leads to another page, and waits until that has loaded. Another page is also the same
// address, loaded anew.
func (v *Visitor) Follow(what string) {
	v.t.Helper()
	v.arrive("follow "+what, func(ctx context.Context) error { return v.press(ctx, what) })
}

// Back goes back to the page before, and waits until it is shown.
func (v *Visitor) Back() {
	v.t.Helper()
	v.arrive("go back", func(ctx context.Context) error {
		past, err := chromedp.Call(ctx, page.GetNavigationHistory, cdp.Empty{})
		if err != nil {
			return err
		}
		if past.CurrentIndex < 1 {
			return errors.New("there is no page before")
		}
		_, err = chromedp.Call(ctx, page.NavigateToHistoryEntry, page.NavigateToHistoryEntryParams{EntryID: past.Entries[past.CurrentIndex-1].ID})
		return err
	})
}

// Reload loads the page again.
func (v *Visitor) Reload() {
	v.t.Helper()
	v.arrive("load again", func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, page.Reload, page.ReloadParams{})
		return err
	})
}

// Fill writes a value into a field, in place of what is there. A date is written as 2026-11-15, a time as 14:30.
func (v *Visitor) Fill(label, value string) {
	v.t.Helper()
	v.must(v.until(v.ctx, func(context.Context) error {
		var typed bool
		if err := v.eval(onPage("enter", label, value), &typed); err != nil || !typed {
			return err
		}
		_, err := chromedp.Call(v.ctx, input.InsertText, input.InsertTextParams{Text: value})
		return err
	}))
}

// Choose takes an option of a list by its text.
func (v *Visitor) Choose(label, option string) {
	v.t.Helper()
	v.must(v.until(v.ctx, func(context.Context) error { return v.eval(onPage("choose", label, option), nil) }))
}

// Upload puts files into a field for files.
func (v *Visitor) Upload(label string, files ...string) {
	v.t.Helper()
	for n, file := range files {
		full, err := filepath.Abs(file)
		v.must(err)
		files[n] = full
	}
	v.must(v.until(v.ctx, func(context.Context) error {
		field, err := v.evaluate(runtime.EvaluateParams{Expression: onPage("find", "field", label)})
		if err != nil {
			return err
		}
		_, err = chromedp.Call(v.ctx, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: files, ObjectID: field.ObjectID})
		return err
	}))
}

// keys are the keys that have a name and no sign.
var keys = map[string]string{
	"Tab": kb.Tab, "Enter": kb.Enter, "Escape": kb.Escape, "Backspace": kb.Backspace, "Delete": kb.Delete, "Home": kb.Home, "End": kb.End,
	"ArrowUp": kb.ArrowUp, "ArrowDown": kb.ArrowDown, "ArrowLeft": kb.ArrowLeft, "ArrowRight": kb.ArrowRight, "PageUp": kb.PageUp, "PageDown": kb.PageDown,
}

// Press presses keys one after the other: "Tab", "Shift+Tab", "Enter", "Escape", "ArrowDown", or a character.
func (v *Visitor) Press(names ...string) {
	v.t.Helper()
	for _, name := range names {
		key, shifted := strings.CutPrefix(name, "Shift+")
		var with []chromedp.KeyOption
		if shifted {
			with = append(with, chromedp.KeyModifiers(chromedp.ModifierShift))
		}
		if code, named := keys[key]; named {
			key = code
		}
		v.must(chromedp.Do(v.ctx, chromedp.KeyEvent(key, with...)))
	}
}

// See waits until the page shows each of these texts, wherever on it.
func (v *Visitor) See(texts ...string) {
	v.t.Helper()
	v.must(v.look(texts, func(shown bool) bool { return shown }, "shows no"))
}

// SeeNo waits until the page shows none of these texts.
func (v *Visitor) SeeNo(texts ...string) {
	v.t.Helper()
	v.must(v.look(texts, func(shown bool) bool { return !shown }, "still shows"))
}

func (v *Visitor) look(texts []string, content func(shown bool) bool, complaint string) error {
	v.t.Helper()
	return v.until(v.ctx, func(context.Context) error {
		var all string
		if err := v.eval("document.body.innerText", &all); err != nil {
			return err
		}
		for _, text := range texts {
			if !content(strings.Contains(tidy(all), tidy(text))) {
				return fmt.Errorf("the page %s %q, it is:\n%s", complaint, text, all)
			}
		}
		return nil
	})
}

func tidy(text string) string { return strings.Join(strings.Fields(text), " ") }

// Text is all that the page shows.
func (v *Visitor) Text() string { v.t.Helper(); return v.read("document.body.innerText") }

// Title is the page's title.
func (v *Visitor) Title() string { v.t.Helper(); return v.read("document.title") }

// Location is the page's address.
func (v *Visitor) Location() string { v.t.Helper(); return v.read("location.href") }

// Status is the HTTP status that the page came with.
func (v *Visitor) Status() (status int) {
	v.t.Helper()
	v.must(v.eval("performance.getEntriesByType('navigation')[0].responseStatus", &status))
	return status
}

// Focused is what a key would go to: the beginning of its HTML.
func (v *Visitor) Focused() string {
	v.t.Helper()
	return v.read("document.activeElement.outerHTML.slice(0, 200)")
}

// Run evaluates an expression on the page, whatever its policy about scripts says, and puts what comes out
// into the place given. It is for what no other method tells.
func (v *Visitor) Run(expression string, into any) {
	v.t.Helper()
	v.must(v.eval(expression, into))
}

// RunInFrame evaluates an expression in the first frame of the page, whichever site that is of.
func (v *Visitor) RunInFrame(expression string, into any) {
	v.t.Helper()
	tree, err := chromedp.Call(v.ctx, page.GetFrameTree, cdp.Empty{})
	v.must(err)
	if len(tree.FrameTree.ChildFrames) == 0 {
		v.t.Fatal("the page has no frame")
	}
	world, err := chromedp.Call(v.ctx, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: tree.FrameTree.ChildFrames[0].Frame.ID})
	v.must(err)
	yes := true
	r, err := v.evaluate(runtime.EvaluateParams{Expression: expression, ContextID: world.ExecutionContextID, ReturnByValue: &yes, AwaitPromise: &yes})
	v.must(err)
	if into != nil {
		v.must(json.Unmarshal(r.Value, into))
	}
}

// Screenshot keeps a picture of the whole page in the folder that HOMEWARD_TEST_SCREENSHOTS names, if it does.
func (v *Visitor) Screenshot(name string) {
	v.t.Helper()
	folder := os.Getenv("HOMEWARD_TEST_SCREENSHOTS")
	if folder == "" {
		return
	}
	picture, err := chromedp.Run(v.ctx, chromedp.FullScreenshot(100))
	v.must(err)
	v.must(os.MkdirAll(folder, 0o755))
	file := strings.NewReplacer("/", " ", "_", " ").Replace(v.t.Name() + " " + name)
	v.must(os.WriteFile(filepath.Join(folder, file+".png"), picture, 0o644))
}

// Picture is what the window shows, as a PNG.
func (v *Visitor) Picture() []byte {
	v.t.Helper()
	picture, err := chromedp.Run(v.ctx, chromedp.CaptureScreenshot())
	v.must(err)
	return picture
}

// ---- how it is done ----

//go:embed page.js
var pageScript string

// onPage is a call of one of the functions in page.js.
func onPage(function string, arguments ...string) string {
	quoted := make([]string, len(arguments))
	for n, a := range arguments {
		text, _ := json.Marshal(a) // a string always can be
		quoted[n] = string(text)
	}
	return fmt.Sprintf("(%s).%s(%s)", strings.TrimSpace(pageScript), function, strings.Join(quoted, ", "))
}

func (v *Visitor) must(err error) {
	v.t.Helper()
	if err != nil {
		v.t.Fatalf("%s: %v", v.options, err)
	}
}

// call gives the browser a command that it must be able to follow.
func call[P, R any](v *Visitor, command cdp.Command[P, R], params P) R {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.ctx, patience)
	defer cancel()
	r, err := chromedp.Call(ctx, command, params)
	if err != nil {
		v.t.Fatalf("%s: %s: %v", v.options, command.Method, err)
	}
	return r
}

// arrive does what leads to another document, or to another place in this one, and waits until that has loaded. The
// present document gets a mark by which it is told from the next, whatever the address.
func (v *Visitor) arrive(what string, do func(ctx context.Context) error) {
	v.t.Helper()
	v.visits++
	mark := fmt.Sprintf("%d at %s", v.visits, v.Location())
	v.must(v.eval(fmt.Sprintf("void(window.visitorsMark = %d)", v.visits), nil))
	err := do(v.ctx)
	if err == nil {
		err = v.until(v.ctx, func(context.Context) error {
			var state string
			err := v.eval(fmt.Sprintf("%q === `${window.visitorsMark} at ${location.href}` ? 'still the same' : document.readyState", mark), &state)
			if err == nil && state != "complete" {
				err = fmt.Errorf("the page is %s", state)
			}
			return err
		})
	}
	if err != nil {
		v.t.Fatalf("%s: %s: %v", v.options, what, err)
	}
}

// press finds a thing and presses it.
func (v *Visitor) press(ctx context.Context, what string) error {
	var at struct{ X, Y float64 }
	if err := v.until(ctx, func(context.Context) error { return v.eval(onPage("point", what), &at) }); err != nil {
		return err
	}
	if v.options.Phone {
		return chromedp.Do(ctx, chromedp.TapXY(at.X, at.Y))
	}
	return chromedp.Do(ctx, chromedp.MouseClickXY(at.X, at.Y))
}

// until asks again and again, and gives the last complaint when it lost its patience.
func (v *Visitor) until(ctx context.Context, ask func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, v.wait)
	defer cancel()
	for {
		err := ask(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return err
		}
	}
}

func (v *Visitor) read(expression string) (text string) {
	v.t.Helper()
	v.must(v.eval(expression, &text))
	return text
}

// eval evaluates an expression on the page. What the page's policy forbids its scripts does not bind it.
func (v *Visitor) eval(expression string, into any) error {
	yes := true
	r, err := v.evaluate(runtime.EvaluateParams{Expression: expression, ReturnByValue: &yes, AwaitPromise: &yes})
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(r.Value, into)
}

func (v *Visitor) evaluate(what runtime.EvaluateParams) (*runtime.RemoteObject, error) {
	ctx, cancel := context.WithTimeout(v.ctx, patience)
	defer cancel()
	r, err := chromedp.Call(ctx, runtime.Evaluate, what)
	if err != nil {
		return nil, err
	}
	if e := r.ExceptionDetails; e != nil {
		return nil, errors.New(thrown(e))
	}
	return r.Result, nil
}
