package privacy

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// accessLog keeps who saw guests' data until it is written to the audit log: some at a time, and once an hour for the
// same person or key and the same thing. Whoever looks does not wait for it. What was seen in the last moments before a
// crash is lost, and nothing else.
type AccessLog struct {
	db    *store.DB
	every time.Duration // after which what is new is written; 0 for never
	log   *slog.Logger

	flushing sync.Mutex // one at a time, so that whoever stops waits for it

	mu      sync.Mutex
	hour    time.Time
	seen    map[accessKey]bool
	each    map[string]int // how many things each actor has seen in the hour
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
	maxSightings = 50000 // that are remembered, and wait
	maxOfOne     = 500   // items that one actor sees in an hour, of which there is a line each
	flushTime    = 10 * time.Second
)

// note keeps that somebody saw something. Of a program that goes through all items there are no more lines than a
// person could have read: after that many it is the location alone.
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

// flush writes what waits. What cannot be written waits on.
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
				if err := tx.AddSighting(e); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			s.log.Error("desk: writing down who saw guests' data failed", "lines", len(lines), "error", err)
			s.mu.Lock()
			defer s.mu.Unlock()
			s.waiting = append(lines, s.waiting...)
			return // with the next that is seen, or at the end
		}
		lines = lines[len(now):]
	}
}

// close writes what still waits.
func (s *AccessLog) Close() {
	s.mu.Lock()
	if s.timer != nil {
		s.timer.Stop()
	}
	s.mu.Unlock()
	s.flush()
}
