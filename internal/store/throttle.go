package store

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"

	"homeward/internal/lost"
)

// slotCount is the number of slots for each kind of throttle. Two callers with the same slot share
// their failure count, which is rare and mostly harmless. The fixed number of slots limits the size
// of the table.
const slotCount = 1 << 20

// throttleSlot returns the slot of a caller, which is identified by a string such as an address. The slot depends on
// the service's secret, so that nobody can choose an address that has the same slot as somebody else's.
func (tx *Tx) throttleSlot(caller string) int64 {
	var key []byte
	if len(tx.encrypter.keys) > 0 {
		key = tx.encrypter.keys[0].linkKey
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("throttle " + caller))
	return int64(binary.BigEndian.Uint32(mac.Sum(nil)) % slotCount)
}

// LockThrottle returns the recent failures of a caller and locks them until the transaction ends.
func (tx *Tx) LockThrottle(kind, caller string) (lost.Throttle, error) {
	slot := tx.throttleSlot(caller)
	_, err := tx.exec("INSERT INTO throttles (kind, slot, failures, free_at, over_at) VALUES ($1, $2, 0, 0, 0) ON "+
		"CONFLICT (kind, slot) DO NOTHING", kind, slot)
	if err != nil {
		return lost.Throttle{}, err
	}
	rs, err := tx.h.Query(tx.ctx,
		"SELECT failures, free_at, over_at FROM throttles AS t WHERE kind = $1 AND slot = $2"+tx.d.lock("t"), kind,
		slot)
	return requireRow("throttle", rs, err, func(rs rows) (t lost.Throttle, err error) {
		var free, over int64
		err = rs.Scan(&t.Failures, &free, &over)
		t.AllowedAt, t.ExpiresAt = fromMicros(free), fromMicros(over)
		return t, err
	})
}

// SaveThrottle saves the failures of a caller, or deletes the row if there are none.
func (tx *Tx) SaveThrottle(kind, caller string, t lost.Throttle) error {
	slot := tx.throttleSlot(caller)
	if t.Failures == 0 {
		return tx.queue("DELETE FROM throttles WHERE kind = $1 AND slot = $2", kind, slot)
	}
	return tx.queue("UPDATE throttles SET failures = $3, free_at = $4, over_at = $5 WHERE kind = $1 AND slot = $2",
		kind, slot, t.Failures, micros(t.AllowedAt), micros(t.ExpiresAt))
}

// PruneThrottles deletes at most limit expired rows and returns the number deleted. It works across
// all accounts; only cleanup uses it.
func (tx *Tx) PruneThrottles(limit int) (int64, error) {
	return tx.deleteOld("DELETE FROM throttles WHERE (kind, slot) IN "+
		"(SELECT kind, slot FROM throttles WHERE over_at < $1 LIMIT $2)", micros(tx.now), limit)
}
