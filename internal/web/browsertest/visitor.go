package browsertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// Options describes a visitor. The zero value is a visitor on a desktop, in light mode and English, with scripts
// enabled.
type Options struct {
	Phone    bool   // a small touch screen
	Narrow   bool   // a phone with the narrowest usual screen
	NoScript bool   // scripts are disabled
	Dark     bool   // prefers dark mode
	Still    bool   // prefers reduced motion
	Paper    bool   // the page as it is printed
	Language string // the Accept-Language of the browser, like "de" or "pt-BR, pt;q=0.9"
	Zone     string // the time zone of the device, like "America/New_York"
}

// String describes the visitor in test names and failure messages.
func (o Options) String() string {
	name := "desktop"
	if o.Phone {
		name = "phone"
	}
	if o.Narrow {
		name = "narrow phone"
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

// Each runs fn as a subtest for every kind of visitor that pages must support: phone and desktop, with and without
// scripts.
func Each(t *testing.T, fn func(t *testing.T, o Options)) {
	t.Helper()
	for _, o := range []Options{{Phone: true}, {Phone: true, NoScript: true}, {}, {NoScript: true}} {
		t.Run(o.String(), func(t *testing.T) { fn(t, o) })
	}
}

// A Visitor is one person with one browser tab and no cookies. Actions wait until their element appears. An action
// that is impossible fails the test.
//
// Elements are identified by text: the text of a link or a button, or the label of a field. A match of the whole text
// takes precedence over a partial match. Exactly one element must match. "css:" followed by a selector identifies any
// element.
type Visitor struct {
	t         testing.TB
	options   Options
	ctx       context.Context
	recording *recording
	visits    int
	wait      time.Duration
}

// New returns a visitor without cookies. When the test ends, the tab is closed, and errors on the visited pages fail
// the test: console errors, violations of the content security policy and missing files.
func New(t testing.TB, o Options) *Visitor {
	t.Helper()
	return open(browser(t), t, o, chromedp.WithNewBrowserContext())
}

// Tab opens a second tab for the same visitor, with the same cookies and storage.
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
		_ = v.eval("0", nil) // when the response arrives, all earlier events have arrived
		leave()
		v.recording.complete()
		for _, fault := range v.recording.faults() {
			t.Errorf("%s: %s", o, fault)
		}
	})
	v.configure(o)
	return v
}

func screenOf(o Options) emulation.SetDeviceMetricsOverrideParams {
	p := emulation.SetDeviceMetricsOverrideParams{Width: 1280, Height: 800, DeviceScaleFactor: 1}
	if o.Phone || o.Narrow {
		p = emulation.SetDeviceMetricsOverrideParams{Width: 390, Height: 844, DeviceScaleFactor: 2, Mobile: true}
	}
	if o.Narrow {
		p.Width, p.Height = 320, 568
	}
	p.ScreenWidth, p.ScreenHeight = p.Width, p.Height
	return p
}

// configure applies the options to the tab.
func (v *Visitor) configure(o Options) {
	v.t.Helper()
	call(v, emulation.SetDeviceMetricsOverride, screenOf(o))
	call(v, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: o.Phone || o.Narrow})
	media := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "light"},
		{Name: "prefers-reduced-motion", Value: "no-preference"}}
	if o.Dark {
		media[0].Value = "dark"
	}
	if o.Still {
		media[1].Value = "reduce"
	}
	medium := ""
	if o.Paper {
		medium = "print"
	}
	call(v, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: medium, Features: media})
	if o.Language != "" {
		call(v, emulation.SetUserAgentOverride,
			emulation.SetUserAgentOverrideParams{UserAgent: v.read("navigator.userAgent"), AcceptLanguage: o.Language})
	}
	call(v, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: o.Zone})
	v.scripts(!o.NoScript)
	// Without a cache, every visit loads and measures the whole page.
	call(v, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	call(v, fetch.Enable, fetch.EnableParams{Patterns: recordedPatterns()}) // every request waits until it is recorded
}

// SetOptions changes the options of the open page, for example to a phone or dark mode, and waits until the page has
// its new size.
func (v *Visitor) SetOptions(o Options) {
	v.t.Helper()
	v.options = o
	v.configure(o)
	width := fmt.Sprintf("(device-width: %dpx)", screenOf(o).Width)
	v.must(v.retry(v.ctx, func(context.Context) error {
		var resized bool
		err := v.eval(fmt.Sprintf("matchMedia(%q).matches", width), &resized)
		if err == nil && !resized {
			err = fmt.Errorf("the page does not have its new size yet: not %s", width)
		}
		return err
	}))
}

// SetCookie sets a cookie as if a page at the address had set it.
func (v *Visitor) SetCookie(address, name, value string) {
	v.t.Helper()
	call(v, network.SetCookie, network.SetCookieParams{Name: name, Value: value, URL: address, Path: "/"})
}

// recordedPatterns selects the requests to record: those made by pages. Requests made by scripts may contain binary
// data, which the browser cannot report. They need no check, because the content security policy prevents scripts
// from sending anything to other sites.
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

// scripts enables or disables scripts. Scripts that were skipped while disabled do not run later.
func (v *Visitor) scripts(on bool) {
	v.t.Helper()
	call(v, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
}

// Visit opens an address and waits until the page and everything on it have loaded.
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

// Follow presses an element that opens another page, and waits until that page has loaded. It may have the same
// address.
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

// Fill replaces the value of a field. Dates are written as 2026-11-15 and times as 14:30.
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

// Choose selects the option with this text in a drop-down list.
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

// keys maps the names of keys that do not type a character to their codes.
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

// Text returns the visible text of the page.
func (v *Visitor) Text() string { v.t.Helper(); return v.read("document.body.innerText") }

// Title returns the page's title.
func (v *Visitor) Title() string { v.t.Helper(); return v.read("document.title") }

// Location returns the page's address.
func (v *Visitor) Location() string { v.t.Helper(); return v.read("location.href") }

// Status returns the HTTP status of the page.
func (v *Visitor) Status() (status int) {
	v.t.Helper()
	v.must(v.eval("performance.getEntriesByType('navigation')[0].responseStatus", &status))
	return status
}

// Focused returns the beginning of the focused element's HTML.
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
