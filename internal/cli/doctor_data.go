package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"homeward/internal/app"
	"homeward/internal/store"
	"homeward/internal/store/transfer"
)

// Free disk space in bytes below which the doctor warns, and below which it reports a problem.
const (
	lowSpace = 1 << 30
	minSpace = 100 << 20
)

func checkData(_ context.Context, cfg *app.Config) []finding {
	const what = "HOMEWARD_DATA"
	info, err := os.Stat(cfg.Data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []finding{warning(what, "the folder "+cfg.Data+" does not exist yet: the first start creates it",
			"if the service has run before, set HOMEWARD_DATA to its folder")}
	case err != nil:
		return []finding{incorrect(what, err.Error(), "give the service's user access to the folder")}
	case !info.IsDir():
		return []finding{incorrect(what, cfg.Data+" is not a folder", "set it to a folder")}
	}
	probe, err := os.CreateTemp(cfg.Data, ".doctor-*")
	if err == nil {
		_, err = probe.Write(make([]byte, probeSize)) // a full disk still has room for an empty file
		err = errors.Join(err, probe.Sync(), probe.Close(), os.Remove(probe.Name()))
	}
	all := []finding{result(what, "the folder "+cfg.Data+" is writable", err,
		writeRemedy(err, "give the service's user write access to the folder"))}
	if free, _, known := app.DiskSpace(cfg.Data); known {
		f := ok("disk", fmt.Sprintf("%d MB free", free>>20))
		if free < lowSpace {
			f.State, f.Remedy = stateWarning, spaceRemedy
		}
		if free < minSpace {
			f.State = stateWrong
		}
		all = append(all, f)
	}
	return all
}

const (
	probeSize   = 64 << 10
	spaceRemedy = "free some space, or move the folder to a larger disk"
)

// writeRemedy returns the remedy for an error from writing to a disk: space if the disk is full, otherwise the given
// remedy.
func writeRemedy(err error, remedy string) string {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || store.IsDiskFull(err) {
		return spaceRemedy
	}
	return remedy
}

func checkDatabase(ctx context.Context, cfg *app.Config) []finding {
	const what = "HOMEWARD_DATABASE"
	if isMissingFile(cfg.Database) {
		return []finding{warning(what, "there is no database at "+cfg.Database+" yet: the first start creates it",
			"if the service has run before, set HOMEWARD_DATA or HOMEWARD_DATABASE to its location")}
	}
	if err := checkWritable(cfg.Database); err != nil {
		return []finding{incorrect(what, err.Error(), "run this command as the service's user, "+
			"and give that user read and write access to the file and its folder")}
	}
	db, err := store.Open(ctx, cfg.Database, time.Now)
	if err != nil {
		return []finding{result(what, "", err, writeRemedy(err, databaseRemedy(err)))}
	}
	defer db.Close()
	if err := db.Usable(ctx); err != nil {
		return []finding{incorrect(what, err.Error(), "follow the instructions in the message")}
	}
	x, err := transfer.Examine(ctx, db)
	if err != nil {
		return []finding{result(what, "", err,
			writeRemedy(err, "make sure that it is a Homeward database, and that this user owns it"))}
	}
	engine := ok(what, fmt.Sprintf("connected to %s %s", app.EngineName(cfg.Database), x.Version))
	if x.TooOld {
		engine.State, engine.Remedy = stateWrong, "use PostgreSQL 14 or newer"
	}
	all := []finding{engine, checkSchema(x)}
	if store.IsPostgres(cfg.Database) {
		all = append(all, checkExtensions(x), checkClock("database clock", x.Ahead))
		all = append(all, checkReplica(ctx, cfg, db)...)
	} else {
		all = append(all, checkIntegrity(ctx, db))
	}
	all = append(all, checkBackup(ctx, db)...)
	return append(all, checkSecrets(cfg, x.Secrets)...)
}

// checkWritable returns an error if this user may not write to a SQLite file. It returns nil for any other problem,
// because the error from opening the database describes it better.
func checkWritable(database string) error {
	if store.IsPostgres(database) {
		return nil
	}
	f, err := os.OpenFile(database, os.O_RDWR, 0)
	if err == nil {
		_ = f.Close() // nothing was written
	}
	if errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

func databaseRemedy(err error) string {
	if store.IsNoDatabase(err) {
		return "create it as a user with permission to do so: createdb --owner USER NAME, with the user and name in " +
			"HOMEWARD_DATABASE"
	}
	return "make sure that the database is running, can be reached from here, and accepts this user and password"
}

func checkReplica(ctx context.Context, cfg *app.Config, db *store.DB) []finding {
	if cfg.Replica == "" {
		return nil
	}
	err := db.UseReplica(ctx, cfg.Replica)
	if err == nil {
		err = db.CheckReplica(ctx)
	}
	return []finding{result("HOMEWARD_DATABASE_REPLICA", "it replicates the database", err,
		"set it to a streaming replica of HOMEWARD_DATABASE that can be reached from here, or remove it")}
}

func checkSchema(x transfer.Examination) finding {
	const what = "schema"
	switch {
	case x.Schema == 0:
		return warning(what, "the database is empty: the first start creates the tables",
			"if the service has run before, this is the wrong database")
	case x.Schema < x.Newest:
		return warning(what, fmt.Sprintf("version %d; this program uses version %d", x.Schema, x.Newest),
			"run homeward migrate, or start this version, which migrates the database itself")
	case x.Schema > x.Newest:
		return incorrect(what, fmt.Sprintf("version %d; this program supports only up to %d", x.Schema, x.Newest),
			"use a newer version of homeward")
	default:
		return ok(what, fmt.Sprintf("version %d, the newest", x.Schema))
	}
}

func checkExtensions(x transfer.Examination) finding {
	const what = "extensions"
	if len(x.Extensions) > 0 {
		return incorrect(what, "PostgreSQL does not have "+strings.Join(x.Extensions, " and "),
			"install PostgreSQL's contrib package on the database's machine")
	}
	return ok(what, "pg_trgm and btree_gin are available")
}

// maxClockSkew is the largest acceptable difference between two clocks. Above it, event times and the lifetimes of
// links and sessions become noticeably wrong.
const maxClockSkew = 5 * time.Second

func checkClock(what string, ahead time.Duration) finding {
	if ahead.Abs() > maxClockSkew {
		return warning(what, fmt.Sprintf("it differs from this machine's clock by %s", ahead.Abs().Round(time.Second)),
			"synchronize the clocks of both machines with NTP")
	}
	return ok(what, "it agrees with this machine's clock")
}

func checkIntegrity(ctx context.Context, db *store.DB) finding {
	const what = "integrity"
	err := transfer.QuickCheck(ctx, db)
	if err != nil && ctx.Err() != nil {
		return warning(what, "the file is too large to be checked in "+checkTimeout.String(),
			"check it while the service is stopped: sqlite3 FILE 'PRAGMA quick_check'")
	}
	return result(what, "the file is intact", err,
		"stop the service and restore the last backup; keep the damaged file")
}

// checkSecrets checks whether the current secret or a former one matches the database.
func checkSecrets(cfg *app.Config, fingerprints []string) []finding {
	const what, whatOld = "HOMEWARD_SECRET", "HOMEWARD_SECRET_OLD"
	secret, err := cfg.CurrentSecret()
	if err != nil {
		return []finding{incorrect(what, err.Error(), "give the service's user read access to the file")}
	}
	former, err := cfg.FormerSecrets()
	if err != nil {
		return []finding{incorrect(whatOld, err.Error(),
			"correct it, or give the service's user read access to the file")}
	}
	all := append(checkFormerSecrets(whatOld, fingerprints, secret, former), checkPermissions(cfg.SecretPath())...)
	return append(all, checkCurrentSecret(what, cfg.SecretPath(), fingerprints, secret, former))
}

func checkCurrentSecret(what, path string, fingerprints []string, secret []byte, former [][]byte) finding {
	switch {
	case len(fingerprints) == 0 && secret == nil:
		return ok(what, "there is none yet: the first start creates one, "+path)
	case len(fingerprints) == 0:
		return ok(what, "it is set; the database has not been used with a secret yet")
	case secret == nil && app.AnyFingerprint(fingerprints[0], former):
		return ok(what, "the database's secret is set as a former secret: the next start creates a new one, "+path)
	case secret == nil:
		return incorrect(what, "the database was used with a secret, but none is set", app.SecretAdvice)
	case app.IsFingerprint(fingerprints[0], secret):
		return ok(what, "it matches the database")
	case app.AnyFingerprint(fingerprints[0], former):
		return ok(what, "it is a new secret, and the database's secret is set as a former secret")
	default:
		return incorrect(what, "it does not match the database", app.SecretAdvice)
	}
}

// checkPermissions warns if other users can read the secret's file.
func checkPermissions(file string) []finding {
	info, err := os.Stat(file)
	isWindows := runtime.GOOS == "windows" // Windows has no such permission bits
	if err != nil || info.Mode().Perm()&0o077 == 0 || isWindows {
		return nil
	}
	return []finding{warning(app.SecretFileName, file+" can be read by other users of this machine", "chmod 600 "+file)}
}

// checkFormerSecrets reports the next step in replacing the secret, if former secrets are set.
func checkFormerSecrets(what string, fingerprints []string, secret []byte, former [][]byte) []finding {
	if len(former) == 0 {
		return nil
	}
	f := warning(what, fmt.Sprintf("former secrets are set: %d", len(former)),
		"run homeward secret rotate, then restart every instance without this setting")
	isCurrent := func(p string) bool { return app.IsFingerprint(p, secret) }
	switch {
	case len(fingerprints) == 1 && isCurrent(fingerprints[0]):
		f.Message += ", and nothing is known to be encrypted with them"
		f.Remedy = "restart every instance without this setting, unless you are about to replace the secret"
	case len(fingerprints) > 0 && !slices.ContainsFunc(fingerprints, isCurrent):
		f.Remedy = "restart every instance with the current settings, run homeward secret rotate, " +
			"then restart every instance without this setting"
	}
	return []finding{f}
}

func checkFiles(ctx context.Context, cfg *app.Config) []finding {
	const what = "HOMEWARD_FILES"
	remedy := "give the service's user write access to the folder"
	if strings.HasPrefix(cfg.Files, "s3://") {
		remedy = "make sure that the endpoint can be reached, the bucket exists, " +
			"and the keys may read, write and delete in it"
	} else if _, err := os.Stat(cfg.Files); errors.Is(err, fs.ErrNotExist) {
		return []finding{warning(what, "the folder "+cfg.Files+" does not exist yet: the first start creates it",
			"if the service has run before, set it to the location of its files")}
	}
	files, done, err := openFiles(ctx, what, cfg.Files)
	if err != nil {
		return []finding{result(what, "", err, remedy)}
	}
	defer done()
	err = files.Check(ctx)
	return []finding{result(what, "a file was written, read and deleted", err, writeRemedy(err, remedy))}
}
