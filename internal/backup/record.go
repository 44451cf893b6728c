package backup

import (
	"context"
	"errors"

	"homeward/internal/store"
)

// Record stores in a database that a backup of it is complete. It must be called only after the backup is on the disk.
func Record(ctx context.Context, db *store.DB, made store.LastBackup) error {
	known, err := db.KnowsBackups(ctx)
	if err != nil {
		return err
	}
	if !known {
		return errors.New("the database has an older schema: run homeward migrate")
	}
	return db.Write(ctx, func(tx *store.Tx) error { return tx.SetLastBackup(made) })
}
