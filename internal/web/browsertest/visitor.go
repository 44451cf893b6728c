package browsertest

import (
	"context"
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

// Options describe a visitor. The zero value uses a desktop, light mode, English and scripts.
type Options struct {
	Phone    bool   // a small touch screen
	NoScript bool   // scripts are disabled
	Dark     bool   // prefers dark mode
	Still    bool   // prefers reduced motion
	Language string // the Accept-Language of the browser, like "de" or "pt-BR, pt;q=0.9"
}

// String is the visitor's name in test names.
func (o Options) String() string {
	name := "desktop"
	if o.Phone {
		name = "phone"
	}
	if o.NoScript {
		name += " without scripts"
	}
	if o.Dark {
		name += " in dark mode"
	}
	if o.Still {
		name += " without motion"
	}
	if o.Language != "" {
		name += " in " + o.Language
	}
	return name
}

// Each runs a test for every kind of visitor that a page must support: phone and desktop, with and without scripts.
func Each(t *testing.T, fn func(t *testing.T, o Options)) {
	t.Helper()
	for _, o := range []Options{{Phone: true}, {Phone: true, NoScript: true}, {}, {NoScript: true}} {
		t.Run(o.String(), func(t *testing.T) { fn(t, o) })
	}
}

// A Visitor is one person with one browser tab and no cookies. An action that is impossible fails the test. Actions
// wait until their element appears.
//
// Elements are identified by their text: that of a link or a button, or the label of a field. A match of the whole text
// has precedence over a match of a part, and it must be unique. "css:" followed by a selector identifies any element.
type Visitor struct {
	t         testing.TB
	options   Options
	ctx       context.Context
	recording *recording
	visits    int
	wait      time.Duration
}

// New makes a visitor without cookies. At the end of the test the tab is closed, and errors on the visited pages fail
// the test: console errors, violations of the content security policy, missing files.
func New(t testing.TB, o Options) *Visitor {
	t.Helper()
	return open(browser(t), t, o, chromedp.WithNewBrowserContext())
}

// Tab opens a second tab of the same visitor, with the same cookies and storage.
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
	v := &Visitor{t: t, options: o, ctx: ctx, recording: record(ctx), wait: patience}
	t.Cleanup(func() {
		t.Helper()
		_ = v.eval("0", nil) // events before the response have arrived with it
		leave()
		v.recording.complete()
		for _, fault := range v.recording.faults() {
			t.Errorf("%s: %s", o, fault)
		}
	})
	v.configure(o)
	return v
}

// configure applies the options to the tab.
func (v *Visitor) configure(o Options) {
	v.t.Helper()
	screen, touch := emulation.SetDeviceMetricsOverrideParams{Width: 1280, Height: 800, DeviceScaleFactor: 1},
		emulation.SetTouchEmulationEnabledParams{}
	if o.Phone {
		screen = emulation.SetDeviceMetricsOverrideParams{Width: 390, Height: 844, DeviceScaleFactor: 2, Mobile: true}
		touch.Enabled = true
	}
	call(v, emulation.SetDeviceMetricsOverride, screen)
	call(v, emulation.SetTouchEmulationEnabled, touch)
	media := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "light"},
		{Name: "prefers-reduced-motion", Value: "no-preference"}}
	if o.Dark {
		media[0].Value = "dark"
	}
	if o.Still {
		media[1].Value = "reduce"
	}
	call(v, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: media})
	if o.Language != "" {
		call(v, emulation.SetUserAgentOverride,
			emulation.SetUserAgentOverrideParams{UserAgent: v.read("navigator.userAgent"), AcceptLanguage: o.Language})
	}
	v.scripts(!o.NoScript)
	// Every page is measured without a cache.
	call(v, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	call(v, fetch.Enable, fetch.EnableParams{Patterns: recordedPatterns()}) // every request waits until it is recorded
}

// SetOptions shows the open page with other options, for example on a phone or in dark mode.
func (v *Visitor) SetOptions(o Options) {
	v.t.Helper()
	v.options = o
	v.configure(o)
}

// SetCookie sets a cookie as if a page at the address had set it.
func (v *Visitor) SetCookie(address, name, value string) {
	v.t.Helper()
	call(v, network.SetCookie, network.SetCookieParams{Name: name, Value: value, URL: address, Path: "/"})
}

// recordedPatterns lists the requests to record: those of pages. Requests of scripts may contain bytes that are not
// text, which the browser cannot report; the pages' policy forbids scripts to send anything to other sites.
func recordedPatterns() (patterns []*fetch.RequestPattern) {
	for _, kind := range []network.ResourceType{
		network.ResourceTypeDocument, network.ResourceTypeStylesheet, network.ResourceTypeImage,
		network.ResourceTypeMedia, network.ResourceTypeFont,
		network.ResourceTypeScript, network.ResourceTypeOther,
	} {
		patterns = append(patterns, &fetch.RequestPattern{ResourceType: kind})
	}
	return patterns
}

// scripts enables or disables scripts. Scripts that were skipped before do not run later.
func (v *Visitor) scripts(on bool) {
	v.t.Helper()
	call(v, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
}

// Visit opens an address and waits until the page has loaded with everything on it.
func (v *Visitor) Visit(address string) {
	v.t.Helper()
	v.navigate("open "+address, func(ctx context.Context) error {
		r, err := chromedp.Call(ctx, page.Navigate, page.NavigateParams{URL: address})
		if err == nil && r.ErrorText != "" {
			return errors.New(r.ErrorText)
		}
		return err
	})
}

// Click presses an element, by touch on a phone and with the mouse on a desktop. It does not wait for the result: use
// See for that, or Follow for an element that opens another page.
func (v *Visitor) Click(what string) {
	v.t.Helper()
	v.must(v.press(v.ctx, what))
}

// Follow presses an element that opens another page, and waits until that has loaded. The address may be the same as
// before.
func (v *Visitor) Follow(what string) {
	v.t.Helper()
	v.navigate("follow "+what, func(ctx context.Context) error { return v.press(ctx, what) })
}

// Back goes back to the previous page and waits until it is shown.
func (v *Visitor) Back() {
	v.t.Helper()
	v.navigate("go back", func(ctx context.Context) error {
		past, err := chromedp.Call(ctx, page.GetNavigationHistory, cdp.Empty{})
		if err != nil {
			return err
		}
		if past.CurrentIndex < 1 {
			return errors.New("there is no previous page")
		}
		_, err = chromedp.Call(ctx, page.NavigateToHistoryEntry,
			page.NavigateToHistoryEntryParams{EntryID: past.Entries[past.CurrentIndex-1].ID})
		return err
	})
}

// Reload loads the page again.
func (v *Visitor) Reload() {
	v.t.Helper()
	v.navigate("reload", func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, page.Reload, page.ReloadParams{})
		return err
	})
}

// Fill replaces the value of a field. The format of a date is 2026-11-15, that of a time 14:30.
func (v *Visitor) Fill(label, value string) {
	v.t.Helper()
	v.must(v.retry(v.ctx, func(context.Context) error {
		var typed bool
		if err := v.eval(onPage("enter", label, value), &typed); err != nil || !typed {
			return err
		}
		_, err := chromedp.Call(v.ctx, input.InsertText, input.InsertTextParams{Text: value})
		return err
	}))
}

// Choose selects an option of a list by its text.
func (v *Visitor) Choose(label, option string) {
	v.t.Helper()
	v.must(v.retry(v.ctx, func(context.Context) error { return v.eval(onPage("choose", label, option), nil) }))
}

// Upload selects files in a file field.
func (v *Visitor) Upload(label string, files ...string) {
	v.t.Helper()
	for n, file := range files {
		full, err := filepath.Abs(file)
		v.must(err)
		files[n] = full
	}
	v.must(v.retry(v.ctx, func(context.Context) error {
		field, err := v.evaluate(runtime.EvaluateParams{Expression: onPage("find", "field", label)})
		if err != nil {
			return err
		}
		_, err = chromedp.Call(v.ctx, dom.SetFileInputFiles,
			dom.SetFileInputFilesParams{Files: files, ObjectID: field.ObjectID})
		return err
	}))
}

// keys are the keys that have a name and no character.
var keys = map[string]string{
	"Tab": kb.Tab, "Enter": kb.Enter, "Escape": kb.Escape, "Backspace": kb.Backspace, "Delete": kb.Delete,
	"Home": kb.Home, "End": kb.End,
	"ArrowUp": kb.ArrowUp, "ArrowDown": kb.ArrowDown, "ArrowLeft": kb.ArrowLeft, "ArrowRight": kb.ArrowRight,
	"PageUp": kb.PageUp, "PageDown": kb.PageDown,
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

// See waits until the page shows all of these texts.
func (v *Visitor) See(texts ...string) {
	v.t.Helper()
	v.must(v.look(texts, func(shown bool) bool { return shown }, "does not show"))
}

// SeeNot waits until the page shows none of these texts.
func (v *Visitor) SeeNot(texts ...string) {
	v.t.Helper()
	v.must(v.look(texts, func(shown bool) bool { return !shown }, "still shows"))
}

func (v *Visitor) look(texts []string, accept func(shown bool) bool, complaint string) error {
	v.t.Helper()
	return v.retry(v.ctx, func(context.Context) error {
		var all string
		if err := v.eval("document.body.innerText", &all); err != nil {
			return err
		}
		for _, text := range texts {
			if !accept(strings.Contains(tidy(all), tidy(text))) {
				return fmt.Errorf("the page %s %q:\n%s", complaint, text, all)
			}
		}
		return nil
	})
}

func tidy(text string) string { return strings.Join(strings.Fields(text), " ") }

// Text is the visible text of the page.
func (v *Visitor) Text() string { v.t.Helper(); return v.read("document.body.innerText") }

// Title is the page's title.
func (v *Visitor) Title() string { v.t.Helper(); return v.read("document.title") }

// Location is the page's address.
func (v *Visitor) Location() string { v.t.Helper(); return v.read("location.href") }

// Status is the HTTP status of the page.
func (v *Visitor) Status() (status int) {
	v.t.Helper()
	v.must(v.eval("performance.getEntriesByType('navigation')[0].responseStatus", &status))
	return status
}

// Focused is the beginning of the focused element's HTML.
func (v *Visitor) Focused() string {
	v.t.Helper()
	return v.read("document.activeElement.outerHTML.slice(0, 200)")
}

// Run evaluates an expression on the page and stores the result in into. The content security policy of the page does
// not apply. Use it only if no other method is suitable.
func (v *Visitor) Run(expression string, into any) {
	v.t.Helper()
	v.must(v.eval(expression, into))
}

// RunInFrame evaluates an expression in the first frame of the page, even if the frame belongs to another site.
func (v *Visitor) RunInFrame(expression string, into any) {
	v.t.Helper()
	tree, err := chromedp.Call(v.ctx, page.GetFrameTree, cdp.Empty{})
	v.must(err)
	if len(tree.FrameTree.ChildFrames) == 0 {
		v.t.Fatal("the page has no frame")
	}
	world, err := chromedp.Call(v.ctx, page.CreateIsolatedWorld,
		page.CreateIsolatedWorldParams{FrameID: tree.FrameTree.ChildFrames[0].Frame.ID})
	v.must(err)
	yes := true
	r, err := v.evaluate(runtime.EvaluateParams{
		Expression: expression, ContextID: world.ExecutionContextID, ReturnByValue: &yes, AwaitPromise: &yes,
	})
	v.must(err)
	if into != nil {
		v.must(json.Unmarshal(r.Value, into))
	}
}

// Screenshot saves a picture of the whole page in the folder HOMEWARD_TEST_SCREENSHOTS, if this variable is set.
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

// Picture returns the visible part of the page as a PNG.
func (v *Visitor) Picture() []byte {
	v.t.Helper()
	picture, err := chromedp.Run(v.ctx, chromedp.CaptureScreenshot())
	v.must(err)
	return picture
}
