package api

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"net/http"
	"sync"
	"time"

	"github.com/swaggest/swgui/v5emb"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

//go:embed docs
var docFiles embed.FS

var problemsPage = template.Must(template.ParseFS(docFiles, "docs/problems.html"))

// The content security policies of the pages. The API reference needs additional permissions: its stylesheet contains
// icons as data: URLs, and its script requests the OpenAPI document and the operations that a reader tries out.
const (
	textPolicy = "default-src 'none'; style-src 'self'; img-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	referencePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
		"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

// mountDocs mounts the OpenAPI document, the page that shows it, the page that explains problems and the guides. They
// need no API key and load nothing from other sites.
func mountDocs(mux *http.ServeMux, operations []operation) error {
	var problemsHTML bytes.Buffer
	err := problemsPage.Execute(&problemsHTML, map[string]any{"Problems": problems, "FieldCodes": fieldCodes})
	if err != nil {
		return err
	}
	const html = "text/html; charset=utf-8"
	// Describing the operations takes as much time and memory as the rest of the start, so it waits for a request.
	document := sync.OnceValues(func() ([]byte, error) { return openAPI(operations) })
	get(mux, "/openapi.json", onFirstRequest(func() (http.Handler, error) {
		body, err := document()
		return static(jsonType, textPolicy, body), err
	}))
	get(mux, "/openapi.yaml", onFirstRequest(func() (http.Handler, error) {
		body, err := document()
		if err != nil {
			return nil, err
		}
		text, err := yamlOf(body)
		return static(yamlType, textPolicy, text), err
	}))
	get(mux, "/docs", static(html, referencePolicy, docFile("index.html")))
	get(mux, "/docs/problems", static(html, textPolicy, problemsHTML.Bytes()))
	get(mux, "/docs/docs.css", static("text/css; charset=utf-8", textPolicy, docFile("docs.css")))
	get(mux, "/docs/docs.js", static("text/javascript; charset=utf-8", textPolicy, docFile("docs.js")))
	get(mux, "/docs/icon.svg", static("image/svg+xml", textPolicy, docFile("icon.svg")))
	get(mux, "/docs/{$}", withPolicy(textPolicy, http.RedirectHandler("/docs", http.StatusMovedPermanently)))
	swagger := withPolicy(textPolicy, v5emb.New("", "/openapi.json", "/docs/"))
	get(mux, "/docs/swagger-ui.css", swagger)
	get(mux, "/docs/swagger-ui-bundle.js", swagger)
	if err := mountGuides(mux); err != nil {
		return err
	}
	mux.HandleFunc("/docs/", func(w http.ResponseWriter, _ *http.Request) {
		respond.Problem(w, lost.E(lost.NotFound, "There is nothing at this address."))
	})
	return nil
}

// yamlType is the media type of YAML (RFC 9512).
const yamlType = "application/yaml"

// onFirstRequest returns a handler that is made when it is first used. Its responses may be read by the pages of every
// website, because they contain nothing that is secret.
func onFirstRequest(create func() (http.Handler, error)) http.Handler {
	created := sync.OnceValues(create)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serve, err := created()
		if err != nil {
			respond.Problem(w, err)
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", "*")
		serve.ServeHTTP(w, r)
	})
}

// get mounts a handler for GET. Other methods get the same error as in the rest of the API.
func get(mux *http.ServeMux, path string, h http.Handler) {
	mux.Handle("GET "+path, h)
	mux.Handle(path, respond.MethodNotAllowedHandler(http.MethodGet))
}

// docFile returns an embedded file. It ignores errors, because a test requests each page.
func docFile(name string) []byte {
	body, _ := docFiles.ReadFile("docs/" + name)
	return body
}

// static returns a handler for content that does not change while the program runs. Clients cache it and revalidate
// it with its ETag.
func static(contentType, policy string, body []byte) http.Handler {
	sum := sha256.Sum256(body)
	tag := hex.EncodeToString(sum[:16])
	zipped := sync.OnceValue(func() []byte { return respond.Compress(body) })
	return withPolicy(policy, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, content, tag := w.Header(), body, tag
		h.Set("Content-Type", contentType)
		h.Set("Vary", "Accept-Encoding")
		if respond.AcceptsGzip(r.Header) {
			h.Set("Content-Encoding", "gzip")
			content, tag = zipped(), tag+"-gzip"
		}
		h.Set("ETag", `"`+tag+`"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	}))
}

// withPolicy adds a page's security headers to each response.
func withPolicy(policy string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		next.ServeHTTP(w, r)
	})
}
