package cli

import (
	"context"
	"fmt"
	"time"

	"homeward/internal/store"
)

// maxBackupAge is the age of the last backup above which the doctor warns. The alert HomewardBackupIsOld uses the same.
const maxBackupAge = 48 * time.Hour

// checkBackup checks when the database was last backed up. It returns no finding for a database that is empty or has an
// older schema.
func checkBackup(ctx context.Context, db *store.DB) []finding {
	const what, remedy = "backup", "run homeward backup every night and keep the file on another machine"
	known, err := db.KnowsBackups(ctx)
	if err == nil && !known {
		return nil
	}
	var last store.LastBackup
	var found bool
	if err == nil {
		last, found, err = db.LastBackup(ctx)
	}
	switch {
	case err != nil:
		return []finding{result(what, "", err, "make sure that this user owns the database")}
	case !found:
		return []finding{warning(what, "there is no backup since the database was created, restored or moved", remedy)}
	case db.Now().Sub(last.Made) > maxBackupAge:
		return []finding{warning(what, describeBackup(last)+", more than 48 hours ago", remedy)}
	default:
		return []finding{ok(what, describeBackup(last))}
	}
}

// describeBackup returns a sentence about the last backup.
func describeBackup(last store.LastBackup) string {
	content := "with files"
	if !last.Files {
		content = "without files"
	}
	return fmt.Sprintf("the last backup, %s, was made on %s", content, last.Made.Format(time.RFC3339))
}
