// Package browsertest lets tests visit pages with a real Chromium, like a guest or an employee: on a phone or a
// desktop, with or without scripts, in dark mode, in any language. A Visitor clicks visible elements by their text.
// Errors on the pages fail the test at its end.
//
// A package with such tests needs a TestMain that stops the browser:
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

// patience is how long a visitor waits before the test fails. It is long because test machines are busy.
const patience = 20 * time.Second

// shared is the browser of a test binary.
var shared struct {
	mainCalled atomic.Bool // Main will stop the browser
	starting   sync.Once
	ctx        context.Context
	end        func()
	err        error
}

// Main runs the tests of a package and stops the browser if one of them started it.
func Main(m *testing.M) {
	shared.mainCalled.Store(true)
	m.Run()
	if shared.end != nil {
		shared.end()
	}
}

// programs are the names of the browser in order of preference. The headless one needs less CPU.
var programs = []string{
	"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
}

var errNoBrowser = errors.New("no Chromium found; make test installs it if possible (on Debian: apt-get " +
	"install chromium)")

// browser returns the browser and starts it at the first call. If it is not installed, the test is skipped, except in
// CI, where no test may be skipped.
func browser(t testing.TB) context.Context {
	t.Helper()
	if !shared.mainCalled.Load() {
		t.Fatal("browsertest.Main was not called; add func TestMain(m *testing.M) { browsertest.Main(m) }")
	}
	shared.starting.Do(func() { shared.ctx, shared.end, shared.err = start() })
	switch {
	case errors.Is(shared.err, errNoBrowser) && os.Getenv("CI") == "":
		t.Skip(shared.err)
	case shared.err != nil:
		t.Fatalf("the browser did not start: %v", shared.err)
	}
	return shared.ctx
}

// start starts a browser that can only reach this machine. It runs without its sandbox, which does not work as root and
// in containers; that is safe, because it loads only pages of the service.
func start() (ctx context.Context, end func(), err error) {
	program, err := find()
	if err != nil {
		return nil, nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program),
		chromedp.NoSandbox,
		chromedp.Flag("accept-lang", "en-US"), // the headless browser does not send it by default
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
