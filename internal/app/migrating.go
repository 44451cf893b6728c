package app

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"homeward/internal/lost"
	"homeward/internal/web"
	"homeward/internal/web/respond"
)

// migrating serves requests while a database is migrated: health checks and metrics work, and all other requests get
// an error. Its servers continue to serve after the migration, with the service's own handlers.
type migrating struct {
	server   *web.Server                  // nil if no migration was pending
	metrics  *web.Server                  // nil if metrics have no separate address
	finished atomic.Pointer[http.Handler] // handles requests after the migration; nil before
	done     atomic.Int64                 // number of applied migrations
	total    int                          // number of migrations that were pending
}

// migrate applies the missing migrations. On a large database this may take minutes, so requests are served meanwhile.
// An empty database takes less than a second, and requests wait.
func (a *App) migrate(ctx context.Context) error {
	pending, err := a.db.PendingMigrations(ctx)
	if err != nil {
		return err
	}
	if len(pending) > 0 {
		a.serveDuringMigration(len(pending))
	}
	_, err = a.db.Migrate(ctx)
	return err
}

// serveDuringMigration starts the servers. With ACME, connections wait until the migration has finished, because the
// certificates are in the database.
func (a *App) serveDuringMigration(pending int) {
	m := &a.migrating
	m.total = pending
	if a.metricsListener != nil {
		m.metrics = web.Start(a.metricsListener, a.metrics.handler(), a.log)
	}
	if a.cfg.ACME != "" {
		a.log.Info("migrating the database; connections wait until it has finished", "url", a.URL(),
			"version", Version(), "migrations", pending)
		return
	}
	a.log.Info("migrating the database; requests get status 503 until it has finished", "url", a.URL(),
		"version", Version(), "migrations", pending)
	before := a.newMigrationHandler()
	m.server = web.Start(a.mainListener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if handler := m.finished.Load(); handler != nil {
			(*handler).ServeHTTP(w, r)
			return
		}
		before.ServeHTTP(w, r)
	}), a.log)
}

// newMigrationHandler returns the handler of requests that arrive during a migration.
func (a *App) newMigrationHandler() http.Handler {
	none := http.NotFoundHandler() // is not called, because the preparation is never finished
	assets := http.NewServeMux()   // for the page that shows the progress
	assets.HandleFunc("GET "+respond.AssetsPath+"{name}", func(w http.ResponseWriter, r *http.Request) {
		if err := a.assets.Serve(w, r, r.PathValue("name")); err != nil {
			respond.Problem(w, err)
		}
	})
	o := web.Options{
		API: none, Files: none, Guest: assets, Ready: a.db.Ping, Observer: a.metrics, Log: a.log,
		Proxies: a.cfg.proxies(), HTTPS: a.cfg.https(), Prepare: newPreparation(a.assets, a.migrating.progress),
	}
	if a.metricsListener == nil {
		o.Metrics = a.metrics.handler()
	}
	return web.Handler(o)
}

// progress tells the progress of the migration.
func (m *migrating) progress() (p web.Progress, busy bool) {
	const retry = 5 * time.Second
	done := int(m.done.Load())
	err := lost.E(lost.Unavailable, "The database is being updated: %d of %d steps. Try again in a moment.", done,
		m.total)
	err.Wait = retry
	return web.Progress{
		Title: "Updating the database", Status: fmt.Sprintf("%d of %d steps are done.", done, m.total),
		Duration: "This can take some minutes. No data is lost.", Done: done, Total: m.total, Err: err,
	}, true
}

// observeMigration logs a migration that was applied.
func (a *App) observeMigration(name string, took time.Duration) {
	a.migrating.done.Add(1)
	a.log.Info("migration applied", "migration", name, "ms", took.Milliseconds())
}

func (m *migrating) close() {
	for _, server := range []*web.Server{m.server, m.metrics} {
		if server != nil {
			_ = server.Close() // after Wait, it is already closed
		}
	}
}
