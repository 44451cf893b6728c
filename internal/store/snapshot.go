package store

import "context"

// Snapshot is a view of the database as it was at one moment, no matter how long it is read and who writes meanwhile.
type Snapshot struct{ reader }

// Snapshot runs fn on a view of the database as it is now.
func (db *DB) Snapshot(ctx context.Context, fn func(s *Snapshot) error) error {
	return db.engine.snapshot(MaintenanceContext(ctx), func(h handle) error {
		r := db.reader
		r.h = h
		return fn(&Snapshot{r})
	})
}

// SchemaVersion is the number of the newest migration that was applied.
func (s *Snapshot) SchemaVersion(ctx context.Context) (int64, error) { return s.schemaVersion(ctx) }

// SecretPrint is the fingerprint of the current secret; empty when the database was never used with one.
func (s *Snapshot) SecretPrint(ctx context.Context) (string, error) { return s.secretFingerprint(ctx) }

func (r reader) secretFingerprint(ctx context.Context) (string, error) {
	first, _, err := r.Lookup(ctx, secretEntry, "")
	return first.Subject, err
}
