package app

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// partState is the state of a part of the service, as shown by /readyz?verbose.
type partState string

const (
	partUnknown partState = "unknown" // not checked yet
	partOff     partState = "off"     // not set up
	partOK      partState = "ok"
	partFailing partState = "failing"
)

// monitor checks a part that only some requests need, such as the file storage. It logs when the part fails and when
// it works again. Its state appears in /readyz?verbose and in the metrics.
type monitor struct {
	name    string // for log lines
	effect  string // what does not work without this part
	check   func(context.Context) error
	timeout time.Duration // how long a check may take
	// every is the interval between checks while the part works, and everyFailing while it does not.
	every, everyFailing time.Duration
	log                 *slog.Logger
	wake                chan struct{}

	mu       sync.Mutex
	state    partState
	failedAt time.Time
}

// newFilesMonitor returns the monitor of the file storage.
func (a *App) newFilesMonitor() *monitor {
	return &monitor{
		name: "file storage", effect: "uploads and files return 503 until it works again",
		check: a.files.Check, timeout: 10 * time.Second, every: 15 * time.Second, everyFailing: 5 * time.Second,
		log: a.log, wake: make(chan struct{}, 1), state: partUnknown,
	}
}

// newMailMonitor returns the monitor of the mail server. Many servers limit log-ins, so it checks less often.
func (a *App) newMailMonitor(check func(context.Context) error) *monitor {
	m := &monitor{
		name: "mail server", effect: "e-mails wait until it works again",
		check: check, timeout: 30 * time.Second, every: 5 * time.Minute, everyFailing: 30 * time.Second,
		log: a.log, wake: make(chan struct{}, 1), state: partUnknown,
	}
	if a.cfg.SMTP == "" {
		m.state = partOff
	}
	return m
}

// newReplicaMonitor returns the monitor of the database replica. It also notices that the replay is paused.
func (a *App) newReplicaMonitor() *monitor {
	m := &monitor{
		name: "database replica", effect: "lists are read from the primary until it works again",
		check: a.db.CheckReplica, timeout: 10 * time.Second, every: 15 * time.Second, everyFailing: 5 * time.Second,
		log: a.log, wake: make(chan struct{}, 1), state: partUnknown,
	}
	if !a.db.HasReplica() {
		m.state = partOff
	}
	return m
}

// run checks the part until the context ends.
func (m *monitor) run(ctx context.Context) {
	if m.current() == partOff {
		return
	}
	for ctx.Err() == nil {
		m.runOnce(ctx)
		wait := m.every
		if m.current() == partFailing {
			wait = m.everyFailing
		}
		select {
		case <-ctx.Done():
		case <-m.wake:
		case <-time.After(wait):
		}
	}
}

// runOnce checks the part and records the result.
func (m *monitor) runOnce(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	err := m.check(limited)
	if ctx.Err() != nil { // the service is stopping
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	before, now := m.state, time.Now()
	if err != nil {
		m.state = partFailing
		if before != partFailing {
			m.failedAt = now
			m.log.Warn("a part of the service failed", "part", m.name, "effect", m.effect, "error", Cause(err))
		}
		return
	}
	m.state = partOK
	if before == partFailing {
		m.log.Info("a part of the service works again", "part", m.name,
			"after", now.Sub(m.failedAt).Round(time.Second).String())
	}
}

// suspect makes the monitor check now, because the part has just failed somebody. It does nothing while the part is
// known to fail.
func (m *monitor) suspect() {
	if m.current() == partFailing {
		return
	}
	select {
	case m.wake <- struct{}{}:
	default: // a check is already pending
	}
}

func (m *monitor) current() partState {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state
}

// up returns the state as the value of a gauge, and false if it is not known.
func (m *monitor) up() (value float64, known bool) {
	switch m.current() {
	case partOK:
		return 1, true
	case partFailing:
		return 0, true
	default:
		return 0, false
	}
}
