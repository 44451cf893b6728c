package web

import (
	_ "embed"
	"html/template"
	"net/http"
	"strings"

	"homeward/internal/web/respond"
)

// Preparation is work that must be finished before requests can be handled, such as a migration.
type Preparation struct {
	// Progress describes the work. It returns false when the work is finished.
	Progress func() (p Progress, busy bool)
	// Style, Script and Icon are the paths of the page's stylesheet, script and icon.
	Style, Script, Icon string
}

// Progress describes work that goes on before requests can be handled.
type Progress struct {
	Title       string // what the service is doing, as the page's heading
	Status      string // how far it is
	Duration    string // how long it usually takes, as a sentence
	Done, Total int    // the number of finished steps, and of all steps
	Err         error  // the error for requests that arrive now
}

//go:embed preparing.html
var preparingText string

var preparingPage = template.Must(template.New("preparing").Parse(preparingText))

// untilPrepared handles requests with next as soon as the preparation is finished. Until then, browsers get a page that
// shows the progress, and other clients get an error. Health checks and stylesheets work as always.
func untilPrepared(next http.Handler, p *Preparation) http.Handler {
	if p == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		progress, busy := p.Progress()
		target := interfaceOf(r.URL.Path)
		if !busy || target == InterfaceProbe || target == InterfaceAssets {
			next.ServeHTTP(w, r)
			return
		}
		if target == InterfaceAPI || !strings.Contains(r.Header.Get("Accept"), "text/html") {
			respond.Problem(w, progress.Err)
			return
		}
		w.Header().Set("Content-Security-Policy",
			"default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "+
				"base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		data := map[string]any{"Style": p.Style, "Script": p.Script, "Icon": p.Icon, "Progress": progress}
		status := respond.RecordError(w, progress.Err)
		if err := respond.Page(w, status, preparingPage, "preparing", data); err != nil {
			respond.Problem(w, err)
		}
	})
}
