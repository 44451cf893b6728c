// Package browsertest lets tests visit pages in a real Chromium browser, as a guest or an employee would: on a phone
// or a desktop, with or without scripts, in dark mode, in any language. A Visitor clicks visible elements by their
// text. It can also check a page's accessibility, size and layout shift. Errors on visited pages fail the test when it
// ends.
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
const patience = time.Minute

// shared is the browser that all tests in a test binary use.
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

// programs lists the possible names of the browser's executable, in order of preference. The headless shell needs
// less CPU.
var programs = []string{
	"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
}

var errNoBrowser = errors.New("no Chromium found; make test installs it if possible (on Debian: apt-get " +
	"install chromium)")

// browser returns the shared browser and starts it on the first call. If no browser is installed, the test is
// skipped; in CI it fails instead.
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

// start starts a browser that can only reach this machine. The browser runs without its sandbox, which does not work
// as root or in containers. This is safe because it loads only the service's own pages.
func start() (ctx context.Context, end func(), err error) {
	program, err := find()
	if err != nil {
		return nil, nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program),
		chromedp.NoSandbox,
		chromedp.WSURLReadTimeout(patience),
		chromedp.Flag("accept-lang", "en-US"), // by default the headless browser sends no Accept-Language
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
