// Package browsertest lets tests visit pages with a real Chromium, as a guest or a clerk would: on a phone or
// at a desk, with scripts or without, in the dark, in their language. A Visitor clicks what it can see, by the
// words that are written on it, and what goes wrong on the page fails the test at its end, asked or not.
//
// A package with such tests starts and ends the browser around them:
//
//	func TestMain(m *testing.M) { browsertest.Main(m) }
package browsertest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// patience is how long a visitor waits for anything before the test fails. It is long because machines are busy.
const patience = 20 * time.Second

// only is the one browser of a test binary.
var only struct {
	announced atomic.Bool // Main is there to end it
	starting  sync.Once
	ctx       context.Context
	end       func()
	err       error
}

// Main runs the tests of a package, and ends the browser if one of them started it.
func Main(m *testing.M) {
	only.announced.Store(true)
	m.Run()
	if only.end != nil {
		only.end()
	}
}

// programs are the names under which a browser is found: Debian's first, and of these the one without windows, which is less work for the machine.
var programs = []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

var errNoBrowser = errors.New("needs Chromium: make test installs it where it may (on Debian: apt-get install chromium)")

// browser is the browser, started when it is needed first. Without one the test is skipped, except in CI,
// where nothing may be left out.
func browser(t testing.TB) context.Context {
	t.Helper()
	if !only.announced.Load() {
		t.Fatal("nobody would end the browser: the package needs func TestMain(m *testing.M) { browsertest.Main(m) }")
	}
	only.starting.Do(func() { only.ctx, only.end, only.err = start() })
	switch {
	case errors.Is(only.err, errNoBrowser) && os.Getenv("CI") == "":
		t.Skip(only.err)
	case only.err != nil:
		t.Fatalf("the browser did not start: %v", only.err)
	}
	return only.ctx
}

// start starts a browser that reaches nothing but this machine. It may do without its sandbox, because
// the pages are our own; as root and in containers it would not start with it.
func start() (ctx context.Context, end func(), err error) {
	program, err := find()
	if err != nil {
		return nil, nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program),
		chromedp.NoSandbox,
		chromedp.Flag("accept-lang", "en-US"), // which the browser without windows would not say
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"),
	)
	process, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, leave := chromedp.NewContext(process)
	end = func() {
		leave()
		stop()
	}
	if err := chromedp.Do(ctx); err != nil {
		end()
		return nil, nil, err
	}
	return ctx, end, nil
}

func find() (string, error) {
	for _, name := range programs {
		if program, err := exec.LookPath(name); err == nil {
			return program, nil
		}
	}
	return "", errNoBrowser
}
