package privacy

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// AccessLog buffers entries about who read guests' data, and writes them to the audit log in batches. It writes at
// most one entry per hour for each actor, address and subject. Reading guests' data does not wait for the log. A crash
// loses only the buffered entries.
type AccessLog struct {
	db    *store.DB
	every time.Duration // interval between writes; 0 disables the access log
	log   *slog.Logger

	flushing sync.Mutex // allows one flush at a time, so that Close waits for a running flush

	mu       sync.Mutex
	hour     time.Time
	seen     map[accessKey]bool
	perActor map[string]int // number of entries by each actor in this hour
	waiting  []lost.AuditEntry
	timer    *time.Timer
}

// AccessLogOptions are the dependencies of an AccessLog.
type AccessLogOptions struct {
	DB *store.DB
	// Every is the interval between writes. 0 disables the access log.
	Every time.Duration
	Log   *slog.Logger
}

// NewAccessLog creates an AccessLog.
func NewAccessLog(o AccessLogOptions) *AccessLog {
	return &AccessLog{db: o.DB, every: o.Every, log: o.Log}
}

type accessKey struct {
	account, actor string
	action         lost.AuditAction
	subject        string
	address        string
}

const (
	maxEntries  = 50000 // maximum number of entries in memory
	maxPerActor = 500   // maximum number of entries about single items or other addresses per actor and hour
	flushTime   = 10 * time.Second
)

// Note records that an actor read guests' data. The number of entries about single items is limited, so that a client
// that reads all items does not fill the log: after the limit, only the location is recorded. The same view from
// another address is recorded too, up to the same limit.
func (s *AccessLog) Note(a lost.Actor, action lost.AuditAction, location, subject string, now time.Time) {
	if s.every == 0 || a.Kind != lost.ByKey && a.Kind != lost.ByUser && a.Kind != lost.ByCommand {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if hour := now.Truncate(time.Hour); !hour.Equal(s.hour) || len(s.seen) >= maxEntries {
		s.hour, s.seen, s.perActor = hour, map[accessKey]bool{}, map[string]int{}
	}
	key := accessKey{a.Account, a.ID, action, subject, a.Address}
	if s.perActor[a.ID] >= maxPerActor {
		key.address = ""
		if action == lost.ItemSeen {
			key.action, key.subject = lost.ItemsSeen, location
		}
	}
	if s.seen[key] || len(s.waiting) >= maxEntries {
		return
	}
	s.seen[key] = true
	s.perActor[a.ID]++
	s.waiting = append(s.waiting, lost.NewAuditEntry(a, key.action, key.subject, "", now))
	if s.timer == nil {
		s.timer = time.AfterFunc(s.every, s.flush)
	}
}

// flush writes the buffered entries. Entries that cannot be written stay in the buffer.
func (s *AccessLog) flush() {
	const batchSize = 500
	s.flushing.Lock()
	defer s.flushing.Unlock()
	s.mu.Lock()
	lines := s.waiting
	s.waiting, s.timer = nil, nil
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	for len(lines) > 0 {
		batch := lines[:min(batchSize, len(lines))]
		err := s.db.Write(ctx, func(tx *store.Tx) error {
			for _, e := range batch {
				if err := tx.AddAuditOnce(e); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			s.log.Error("cannot write the access log; retrying with the next entry", "lines", len(lines), "error", err)
			s.mu.Lock()
			defer s.mu.Unlock()
			s.waiting = append(lines, s.waiting...)
			return // the next entry or Close retries
		}
		lines = lines[len(batch):]
	}
}

// Close writes the buffered entries.
func (s *AccessLog) Close() {
	s.mu.Lock()
	if s.timer != nil {
		s.timer.Stop()
	}
	s.mu.Unlock()
	s.flush()
}
