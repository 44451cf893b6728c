package web

import (
	_ "embed"
	"html/template"
	"net/http"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// DemoPreparation is the creation of a demo's data, which must be finished before requests can be handled.
type DemoPreparation struct {
	// Progress returns how many steps are done, the number of steps, and whether the work is still going on.
	Progress func() (done, total int, busy bool)
	// Style, Script and Icon are the paths of the page's stylesheet, script and icon.
	Style, Script, Icon string
}

//go:embed preparing.html
var preparingText string

var preparingPage = template.Must(template.New("preparing").Parse(preparingText))

// untilPrepared handles requests with next as soon as the preparation is finished. Until then, browsers get a page that
// shows the progress, and other clients get an error. Health checks and stylesheets work as always.
func untilPrepared(next http.Handler, p *DemoPreparation) http.Handler {
	if p == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		done, total, busy := p.Progress()
		target := interfaceOf(r.URL.Path)
		if !busy || target == InterfaceProbe || target == InterfaceAssets {
			next.ServeHTTP(w, r)
			return
		}
		err := errPreparingDemo(done, total)
		if target == InterfaceAPI || !strings.Contains(r.Header.Get("Accept"), "text/html") {
			respond.Problem(w, err)
			return
		}
		w.Header().Set("Content-Security-Policy",
			"default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "+
				"base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		data := map[string]any{"Style": p.Style, "Script": p.Script, "Icon": p.Icon, "Done": done, "Total": total}
		if err := respond.Page(w, respond.RecordError(w, err), preparingPage, "preparing", data); err != nil {
			respond.Problem(w, err)
		}
	})
}

// errPreparingDemo is the error for requests that arrive while the demo is being created.
func errPreparingDemo(done, total int) error {
	err := lost.E(lost.Unavailable, "The demo is being created: %d of %d items. Try again in a moment.", done, total)
	err.Wait = time.Second
	return err
}
