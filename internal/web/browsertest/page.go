package browsertest

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

//go:embed page.js
var pageScript string

// onPage returns a JavaScript expression that calls a function defined in page.js.
func onPage(function string, arguments ...string) string {
	quoted := make([]string, len(arguments))
	for n, a := range arguments {
		text, _ := json.Marshal(a) // never fails for a string
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

// call sends a command to the browser and returns the result. An error fails the test.
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

// navigate runs do, which opens another document or another position in the current document, and waits until it has
// loaded. It marks the current document to distinguish it from the next one, which may have the same address.
func (v *Visitor) navigate(what string, do func(ctx context.Context) error) {
	v.t.Helper()
	v.visits++
	mark := fmt.Sprintf("%d at %s", v.visits, v.Location())
	v.must(v.eval(fmt.Sprintf("void(window.visitorMark = %d)", v.visits), nil))
	err := do(v.ctx)
	if err == nil {
		err = v.retry(v.ctx, func(context.Context) error {
			var state string
			err := v.eval(fmt.Sprintf("%q === `${window.visitorMark} at ${location.href}` ? 'still the same' : "+
				"document.readyState", mark), &state)
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

// maxPresses is how often press tries to hit an element that a script moves or replaces.
const maxPresses = 3

// press clicks or taps the element identified by what. If the press begins elsewhere, because a script has moved or
// replaced the element since it was measured, it has no effect, and press tries again.
func (v *Visitor) press(ctx context.Context, what string) error {
	for n := 1; ; n++ {
		if err := v.pressOnce(ctx, what); err != nil {
			return err
		}
		if v.options.NoScript { // no script moves anything, and the press cannot be observed
			return nil
		}
		p := v.pressed(ctx)
		switch {
		case p.Result == "lost":
			return fmt.Errorf("the press of %q began on it and ended on %s: the page moved or replaced it meanwhile",
				what, p.On)
		case p.Result != "missed":
			return nil
		case n == maxPresses:
			return fmt.Errorf("%d presses of %q missed it; the last one hit %s", n, what, p.On)
		}
	}
}

// pressOnce clicks or taps the element once it has stopped moving: the page may still be changing to another size.
func (v *Visitor) pressOnce(ctx context.Context, what string) error {
	type position struct{ X, Y float64 }
	var at, before position
	err := v.retry(ctx, func(context.Context) error {
		before = at
		if err := v.eval(onPage("point", what), &at); err != nil {
			return err
		}
		if at != before {
			return fmt.Errorf("%q is moving", what)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if v.options.Phone {
		return chromedp.Do(ctx, chromedp.TapXY(at.X, at.Y))
	}
	return chromedp.Do(ctx, chromedp.MouseClickXY(at.X, at.Y))
}

// press is what the page has observed of a press.
type press struct {
	Result string // empty if nothing was pressed yet
	Began  string // "on it" or "elsewhere"; empty if it has not begun
	On     string // the HTML of the element that was hit
}

// pressed returns what became of the last press. The click of a tap may come later, and not every press becomes a
// click: after a short time, it returns an empty result. If the press has opened another page, it was successful.
func (v *Visitor) pressed(ctx context.Context) (p press) {
	short, cancel := context.WithTimeout(ctx, min(v.wait, 2*time.Second))
	defer cancel()
	errNothing := errors.New("nothing was pressed")
	err := v.retry(short, func(context.Context) error {
		p = press{}
		if err := v.eval(onPage("pressed"), &p); err != nil || p.Result != "" {
			return err
		}
		return errNothing
	})
	if !errors.Is(err, errNothing) { // an error means that another page is being opened
		return p
	}
	if p.Began == "elsewhere" { // it did not become a click
		p.Result = "missed"
		return p
	}
	_ = v.eval(onPage("ignorePress"), nil) // the same
	return p
}

// retry calls check until it succeeds. After the visitor's timeout it returns the last error.
func (v *Visitor) retry(ctx context.Context, check func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, v.wait)
	defer cancel()
	for {
		err := check(ctx)
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

// eval evaluates an expression on the page. The page's content security policy does not apply to it.
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
		return nil, errors.New(exceptionText(e))
	}
	return r.Result, nil
}
