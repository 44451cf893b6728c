package live

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"homeward/internal/store"
)

// listen starts to listen to other processes, unless it already does. The caller holds mu.
func (h *Hub) listen() {
	if h.idle != nil {
		h.idle.Stop()
		h.idle = nil
	}
	if h.stop != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	h.stop = cancel
	h.running.Go(func() { h.listenUntil(ctx) })
}

// stopIfIdle stops listening if no page is open.
func (h *Hub) stopIfIdle() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.tabs > 0 || h.stop == nil {
		return
	}
	h.stop()
	h.stop, h.idle, h.listening = nil, nil, time.Time{}
}

// listenUntil listens until the context ends. After a failure, it tries again, and then tells all pages to read
// themselves again, because it may have missed changes.
func (h *Hub) listenUntil(ctx context.Context) {
	const retryInterval = time.Second
	for ctx.Err() == nil {
		err := h.db.ListenForChanges(ctx, h.sender, func() { h.setListening(ctx) }, h.deliver)
		if ctx.Err() != nil {
			return
		}
		h.mu.Lock()
		h.listening = time.Time{}
		h.mu.Unlock()
		h.log.Warn("open pages do not hear of changes in other instances; retrying", "error", err)
		select {
		case <-time.After(retryInterval):
		case <-ctx.Done():
		}
	}
}

// setListening records that all changes are heard from now on. Pages that were opened earlier may have missed some.
func (h *Hub) setListening(ctx context.Context) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	h.listening = time.Now()
	for _, a := range h.accounts {
		a.generation++
		for t := range a.tabs {
			t.news.Access = true
			t.readAgain(len(a.tabs))
		}
	}
}

// The broadcast of changes to other processes.
const (
	broadcastInterval = 100 * time.Millisecond
	broadcastTimeout  = 5 * time.Second
	// maxChanges is the maximum number of changes in an account that are broadcast at once. More of them become one
	// change of the whole account.
	maxChanges = 50
)

// broadcast sends changes to other processes, at most once in each broadcastInterval.
type broadcast struct {
	send func(ctx context.Context, changes []store.PageChange) error

	mu      sync.Mutex
	waiting map[string]map[store.PageChange]struct{} // by account
	timer   *time.Timer
	closed  bool
}

// add adds changes to the next broadcast.
func (b *broadcast) add(changes []store.PageChange) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	if b.waiting == nil {
		b.waiting = map[string]map[store.PageChange]struct{}{}
	}
	for _, c := range changes {
		of := b.waiting[c.Account]
		if of == nil {
			of = map[store.PageChange]struct{}{}
			b.waiting[c.Account] = of
		}
		if len(of) >= maxChanges && c.Kind == "" {
			c = store.PageChange{Account: c.Account}
		}
		of[c] = struct{}{}
	}
	b.schedule()
}

// schedule schedules the next broadcast. The caller holds mu.
func (b *broadcast) schedule() {
	if b.timer == nil && !b.closed {
		b.timer = time.AfterFunc(broadcastInterval, b.flush)
	}
}

// flush sends the changes. If that fails, it tries again later.
func (b *broadcast) flush() {
	b.mu.Lock()
	waiting := b.waiting
	b.waiting, b.timer = nil, nil
	b.mu.Unlock()
	var changes []store.PageChange
	for _, of := range waiting {
		changes = slices.AppendSeq(changes, maps.Keys(of))
	}
	if len(changes) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), broadcastTimeout)
	defer cancel()
	if b.send(ctx, changes) != nil {
		b.add(changes)
	}
}

// close sends the last changes.
func (b *broadcast) close() {
	b.mu.Lock()
	if b.timer != nil {
		b.timer.Stop()
	}
	b.closed = true
	b.mu.Unlock()
	b.flush()
}
