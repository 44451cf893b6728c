package app

import (
	"context"
	"sync"
	"time"

	"homeward/internal/web"
)

// Run serves requests and does background work until the context ends. It then continues for the drain time, in which
// /readyz tells load balancers to use other instances. Finally it finishes the work in progress. While a new demo is
// filled, requests get a page that shows the progress.
func (a *App) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(a.afterDrain(ctx))
	defer cancel()
	var background sync.WaitGroup
	var prepareErr error
	background.Go(func() {
		if prepareErr = a.prepare(ctx); prepareErr != nil {
			cancel()
			return
		}
		for _, work := range a.backgroundWork() {
			background.Go(func() { work(ctx) })
		}
	})
	a.log.Info("listening", "url", a.URL(), "version", Version(), "schema", a.schema,
		"database", EngineName(a.cfg.Database),
		"mail", messageMode(a.cfg.SMTP), "texts", messageMode(a.cfg.TwilioAccount),
		"payment", a.cfg.Payment, "carrier", a.cfg.Carrier)
	err := a.serve(ctx)
	cancel()
	background.Wait()
	a.log.Info("stopped")
	a.close()
	if prepareErr != nil {
		return prepareErr
	}
	return err
}

// afterDrain returns a context that ends when ctx has ended and the drain time has passed.
func (a *App) afterDrain(ctx context.Context) context.Context {
	later, end := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() {
		a.stopping.Store(true)
		a.services.Live.Drain()
		if a.cfg.Drain > 0 {
			a.log.Info("stopping; requests are accepted until load balancers have noticed", "for", a.cfg.Drain.String())
		}
		time.AfterFunc(a.cfg.Drain, end)
	})
	return later
}

// backgroundWork returns the functions that run concurrently with the main server. Each function returns when its
// context ends.
func (a *App) backgroundWork() []func(context.Context) {
	work := []func(context.Context){
		a.outbox.Run, a.warnOfUndecryptable, a.filesMonitor.run, a.mailMonitor.run, a.replicaMonitor.run,
		a.services.Reports.Run,
		func(ctx context.Context) { a.newLease("notices").run(ctx, a.services.Notices.Run) },
	}
	if a.thumbnails != nil {
		work = append(work, func(ctx context.Context) { a.thumbnails.create(ctx, a.log) })
	}
	if a.mailbox != nil {
		work = append(work, func(ctx context.Context) { a.newLease("mailbox").run(ctx, a.mailbox.Run) })
	}
	if a.metricsListener != nil {
		work = append(work, a.serveMetrics)
	}
	if a.debugListener != nil {
		work = append(work, a.serveDebug)
	}
	if a.plainListener != nil {
		work = append(work, a.serveRedirects)
	}
	if a.acme != nil {
		work = append(work, a.acme.Run)
	}
	return work
}

// serve handles requests until the context ends. If requests were already served during a migration, it uses the same
// server.
func (a *App) serve(ctx context.Context) error {
	if a.migrating.server == nil {
		return web.Serve(ctx, a.mainListener, a.handler, a.log)
	}
	a.migrating.finished.Store(&a.handler)
	return a.migrating.server.Wait(ctx)
}

// serveMetrics serves metrics on their own address until the context ends.
func (a *App) serveMetrics(ctx context.Context) {
	server := a.migrating.metrics
	if server == nil {
		server = web.Start(a.metricsListener, a.metrics.handler(), a.log)
	}
	if err := server.Wait(ctx); err != nil {
		a.log.Error("metrics server stopped", "error", err)
	}
}

// warnOfUndecryptable logs a warning if any data is encrypted with a secret that is not configured.
func (a *App) warnOfUndecryptable(ctx context.Context) {
	const timeout = time.Minute
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if n, err := a.db.CountUndecryptable(ctx); err == nil && n > 0 {
		a.log.Warn("data is encrypted with a secret that is not set; add it to HOMEWARD_SECRET_OLD and run "+
			"homeward secret rotate", "texts", n)
	}
}

// messageMode returns what happens to messages: "sent" if the setting for sending them is present, or "kept" if not,
// because they are then only saved.
func messageMode(setting string) string {
	if setting == "" {
		return "kept"
	}
	return "sent"
}

// parts returns the state of every part that only some requests need. If one of them fails, this instance can still
// serve all other requests.
func (a *App) parts() map[string]string {
	return map[string]string{
		"files": string(a.filesMonitor.current()), "mail": string(a.mailMonitor.current()),
		"replica": string(a.replicaMonitor.current()),
	}
}
