package web

import (
	"context"
	"net/http"
	"sync"
	"time"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// serveReadiness returns a handler that reports whether this instance can serve requests, which needs only the
// database, and that the instance is prepared and not about to stop. With ?verbose it also reports the parts that
// only some requests need.
func serveReadiness(o Options) http.HandlerFunc {
	cached := &cachedCheck{check: o.Ready}
	return func(w http.ResponseWriter, r *http.Request) {
		err := cached.result(r.Context())
		if err != nil {
			err = lost.E(lost.Unavailable, "The service is not ready.").WithCause(err)
		}
		if o.Prepare != nil {
			if progress, busy := o.Prepare.Progress(); busy {
				respond.Problem(w, progress.Err)
				return
			}
		}
		switch {
		case o.Stopping != nil && o.Stopping():
			respond.Problem(w, lost.E(lost.Unavailable, "This instance is stopping."))
		case r.URL.Query().Has("verbose"):
			writeParts(w, o.Parts, err)
		case err != nil:
			respond.Problem(w, err)
		default:
			writeText(w, http.StatusOK, "ready")
		}
	}
}

// writeParts writes the state of every part as JSON. It omits the causes of failures, because anybody can read it; the
// log contains them.
func writeParts(w http.ResponseWriter, parts func() map[string]string, err error) {
	all := map[string]string{}
	if parts != nil {
		all = parts()
	}
	all["database"] = "ok"
	status := http.StatusOK
	if err != nil {
		all["database"] = "failing"
		status = respond.RecordError(w, err)
	}
	w.Header().Set("Cache-Control", "no-store")
	_ = respond.JSON(w, status, map[string]any{"ready": err == nil, "parts": all})
}

// cachedCheck caches the result of a check for one second, because anybody can request it.
type cachedCheck struct {
	check func(context.Context) error
	mu    sync.Mutex
	at    time.Time
	err   error
}

func (c *cachedCheck) result(ctx context.Context) error {
	const maxAge, timeout = time.Second, 5 * time.Second
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.at) > maxAge {
		// Other clients share the result, so the check must not be canceled if this client disconnects.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
		defer cancel()
		c.err = c.check(ctx)
		c.at = time.Now()
	}
	return c.err
}
