package web

import (
	"context"
	"net/http"
	"sync"
	"time"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// serveReadiness returns a handler that reports whether the database and the file storage work.
func serveReadiness(check func(context.Context) error) http.HandlerFunc {
	cached := &cachedCheck{check: check}
	return func(w http.ResponseWriter, r *http.Request) {
		if err := cached.result(r.Context()); err != nil {
			respond.Problem(w, lost.E(lost.Unavailable, "The service is not ready.").WithCause(err))
			return
		}
		writeText(w, http.StatusOK, "ready")
	}
}

// cachedCheck caches the result of a check for one second, because the check writes files and anybody can request it.
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
