package media

import (
	"context"
	"net/http"
	"strings"

	"homeward/internal/lost"
)

// Handler serves GET and HEAD requests for /files/{name}. A photo's content never changes, so it may be cached forever.
// Nothing may store a private file, which contains a name, an address or a signature. The content is untrusted, so
// browsers must treat it only as the type that was recognised. A missing thumbnail is made during the request; if that
// is not possible, the picture itself is served instead. Errors are passed to fail.
func Handler(store Store, processor *Processor, fail func(http.ResponseWriter, *http.Request, error)) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /files/{name}", func(w http.ResponseWriter, r *http.Request) {
		asked := r.PathValue("name")
		f, name, err := openOrMake(r.Context(), store, processor, asked)
		if err != nil {
			w.Header().Set("Cache-Control", "no-store") // the file may exist later
			fail(w, r, err)
			return
		}
		defer func() { _ = f.Close() }()
		h := w.Header()
		h.Set("Content-Type", ContentType(name))
		h.Set("Content-Disposition", "inline")
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
		if IsPrivate(name) || r.URL.Query().Has(PrivateQuery) {
			h.Set("Cache-Control", "private, no-store")
		} else if name != asked {
			h.Set("Cache-Control", "no-store")
		}
		if strings.HasSuffix(name, ".pdf") {
			// Browsers' PDF viewers need these permissions.
			h.Set("Content-Security-Policy",
				"default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'")
		}
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
		h.Set("ETag", `"`+name+`"`)
		http.ServeContent(w, r, "", f.ModTime, f.Content)
	})
	mux.HandleFunc("/files/{name}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", "GET, HEAD")
		fail(w, r, lost.E(lost.NoMethod, "Files support only GET and HEAD."))
	})
	mux.HandleFunc("/files/", func(w http.ResponseWriter, r *http.Request) { fail(w, r, lost.Missing("file")) })
	return mux
}

// openOrMake opens a file and returns its name. If the file is a missing thumbnail, it is made first. The name is that
// of the picture itself if it cannot have a thumbnail, because a page may show a picture that is still to be verified.
func openOrMake(ctx context.Context, store Store, processor *Processor, name string) (*File, string, error) {
	f, err := store.Open(ctx, name)
	if lost.CodeOf(err) != lost.NotFound {
		return f, name, err
	}
	for _, original := range originals(name) {
		made := processor.makeThumbnails(ctx, store, original, thumbSide(name), ThumbnailLane, nil)
		switch lost.CodeOf(made) {
		case lost.NotFound:
			continue
		case lost.Unsupported:
			f, err := store.Open(ctx, original)
			return f, original, err
		}
		if made != nil {
			return nil, name, made
		}
		f, err := store.Open(ctx, name)
		return f, name, err
	}
	return nil, name, err
}
