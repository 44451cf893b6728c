package privacy

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// AccessLog keeps who read guests' data until it is written to the audit log: many entries at once, and one per hour
// for the same actor and subject. Readers do not wait for it. A crash loses the entries of the last moments and
// nothing else.
type AccessLog struct {
	db    *store.DB
	every time.Duration // after which new entries are written; 0 for never
	log   *slog.Logger

	flushing sync.Mutex // one flush at a time, so that Close waits for it

	mu      sync.Mutex
	hour    time.Time
	seen    map[accessKey]bool
	each    map[string]int // how many entries each actor has in this hour
	waiting []lost.AuditEntry
	timer   *time.Timer
}

// AccessLogOptions are the dependencies of an AccessLog.
type AccessLogOptions struct {
	DB *store.DB
	// Every is after how long new entries are written; 0 for never.
	Every time.Duration
	Log   *slog.Logger
}

// NewAccessLog makes an AccessLog.
func NewAccessLog(o AccessLogOptions) *AccessLog {
	return &AccessLog{db: o.DB, every: o.Every, log: o.Log}
}

type accessKey struct {
	account, actor string
	deed           lost.AuditAction
	subject        string
}

const (
	maxSightings = 50000 // in memory
	maxOfOne     = 500   // entries about single items that one actor gets in an hour
	flushTime    = 10 * time.Second
)

// Note records that an actor saw something. A program that reads all items gets no more entries than a person could
// have caused: after that many, only the location is recorded.
func (s *AccessLog) Note(a lost.Actor, deed lost.AuditAction, location, subject string, now time.Time) {
	if s.every == 0 || a.Kind != lost.ByKey && a.Kind != lost.ByUser && a.Kind != lost.ByCommand {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if hour := now.Truncate(time.Hour); !hour.Equal(s.hour) || len(s.seen) >= maxSightings {
		s.hour, s.seen, s.each = hour, map[accessKey]bool{}, map[string]int{}
	}
	if deed == lost.ItemSeen && s.each[a.ID] >= maxOfOne {
		deed, subject = lost.ItemsSeen, location
	}
	it := accessKey{a.Account, a.ID, deed, subject}
	if s.seen[it] || len(s.waiting) >= maxSightings {
		return
	}
	s.seen[it] = true
	s.each[a.ID]++
	s.waiting = append(s.waiting, lost.NewAuditEntry(a, deed, subject, "", now))
	if s.timer == nil {
		s.timer = time.AfterFunc(s.every, s.flush)
	}
}

// flush writes the waiting entries. Those that cannot be written keep waiting.
func (s *AccessLog) flush() {
	const some = 500
	s.flushing.Lock()
	defer s.flushing.Unlock()
	s.mu.Lock()
	lines := s.waiting
	s.waiting, s.timer = nil, nil
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	for len(lines) > 0 {
		now := lines[:min(some, len(lines))]
		err := s.db.Write(ctx, func(tx *store.Tx) error {
			for _, e := range now {
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
			return // until the next entry, or Close
		}
		lines = lines[len(now):]
	}
}

// Close writes the waiting entries.
func (s *AccessLog) Close() {
	s.mu.Lock()
	if s.timer != nil {
		s.timer.Stop()
	}
	s.mu.Unlock()
	s.flush()
}
