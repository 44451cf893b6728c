package api

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"net/http"
	"time"

	"github.com/swaggest/swgui/v5emb"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

//go:embed docs
var docFiles embed.FS

var problemsPage = template.Must(template.ParseFS(docFiles, "docs/problems.html"))

// What a page may load. The reference draws its icons from data: addresses in its own
// stylesheet, and asks this service for the document and for what is tried out.
const (
	textPolicy      = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	referencePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

// mountDocs serves the OpenAPI document, the page that shows it and the one that explains
// the problems. They need no key and load nothing from elsewhere.
func (a *API) mountDocs(mux *http.ServeMux) error {
	document, err := openAPI(a.operations())
	if err != nil {
		return err
	}
	var explained bytes.Buffer
	err = problemsPage.Execute(&explained, map[string]any{"Problems": problems, "Faults": faults})
	if err != nil {
		return err
	}
	const html = "text/html; charset=utf-8"
	get(mux, "/openapi.json", made(jsonType, textPolicy, document))
	get(mux, "/docs", made(html, referencePolicy, docFile("index.html")))
	get(mux, "/docs/problems", made(html, textPolicy, explained.Bytes()))
	get(mux, "/docs/docs.css", made("text/css; charset=utf-8", textPolicy, docFile("docs.css")))
	get(mux, "/docs/docs.js", made("text/javascript; charset=utf-8", textPolicy, docFile("docs.js")))
	get(mux, "/docs/icon.svg", made("image/svg+xml", textPolicy, docFile("icon.svg")))
	get(mux, "/docs/{$}", guarded(textPolicy, http.RedirectHandler("/docs", http.StatusMovedPermanently)))
	swagger := guarded(textPolicy, v5emb.New("", "/openapi.json", "/docs/"))
	get(mux, "/docs/swagger-ui.css", swagger)
	get(mux, "/docs/swagger-ui-bundle.js", swagger)
	mux.HandleFunc("/docs/", func(w http.ResponseWriter, _ *http.Request) {
		respond.Problem(w, lost.E(lost.NotFound, "There is nothing at this address."))
	})
	return nil
}

// get mounts something to be read, and refuses other methods as the rest of the API does.
func get(mux *http.ServeMux, path string, h http.Handler) {
	mux.Handle("GET "+path, h)
	mux.Handle(path, respond.MethodNotAllowedHandler(http.MethodGet))
}

// docFile reads an embedded file. They are all there: a test looks at each page.
func docFile(name string) []byte {
	body, _ := docFiles.ReadFile("docs/" + name)
	return body
}

// made serves bytes that do not change while the program runs. A client keeps them and
// asks each time whether they are still the same.
func made(contentType, policy string, body []byte) http.Handler {
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:16]) + `"`
	return guarded(policy, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("ETag", tag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	}))
}

// guarded says what a page may load and who may show it.
func guarded(policy string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		next.ServeHTTP(w, r)
	})
}
