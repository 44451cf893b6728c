package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"homeward/internal/store"
	"homeward/internal/store/transfer"
)

type doctorCommand struct{ output }

// The states of a finding.
const (
	fine    = "ok"
	warning = "warning"
	bad     = "wrong"
)

// finding is what came of trying one thing.
type finding struct {
	State  string `json:"state"`
	What   string `json:"what"`   // a setting, or what it is about
	Said   string `json:"said"`   // what was found
	Remedy string `json:"remedy"` // what to do about it; empty where all is well
}

// examTime bounds each group of things that are tried. They are tried at the same time.
const examTime = 20 * time.Second

// Run tries every setting. What is wrong makes the exit code 1; warnings do not.
func (c *doctorCommand) Run(ctx context.Context, cfg *Config, unread unreadSettings, out io.Writer) error {
	return c.tell(out, examine(ctx, cfg, unread))
}

// tell prints findings, and is an error where something is wrong.
func (c *doctorCommand) tell(out io.Writer, all []finding) error {
	if err := c.printFindings(out, all); err != nil {
		return err
	}
	wrongs := 0
	for _, f := range all {
		if f.State == bad {
			wrongs++
		}
	}
	if wrongs > 0 {
		return fmt.Errorf("%d of %d are wrong", wrongs, len(all))
	}
	return nil
}

func (c *doctorCommand) printFindings(out io.Writer, all []finding) error {
	if c.JSON {
		return printJSON(out, all)
	}
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	for _, f := range all {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\n", f.State, f.What, plainLine(f.Said))
		if f.Remedy != "" {
			_, _ = fmt.Fprintf(table, "\t\t-> %s\n", plainLine(f.Remedy))
		}
	}
	return table.Flush()
}

func plainLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// examine tries everything, each group by itself, but for what a wrong setting says how to try.
func examine(ctx context.Context, cfg *Config, unread unreadSettings) []finding {
	faults := append(unread, cfg.faults()...)
	groups := []func(context.Context, *Config) []finding{
		examineData, examineDatabase, examineFiles, examineMail, examineTexts, examinePayment, examineCarrier, examineProvider, examineCollector, examineListen, examineCertificate, examineBase,
	}
	found := make([][]finding, len(groups))
	var trying sync.WaitGroup
	for i, try := range groups {
		trying.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, examTime)
			defer cancel()
			found[i] = try(ctx, cfg)
		})
	}
	trying.Wait()
	all := settingFindings(cfg, faults)
	for _, f := range slices.Concat(found...) {
		if !slices.ContainsFunc(faults, func(err error) bool { return settingInError.FindString(err.Error()) == f.What }) {
			all = append(all, f)
		}
	}
	return all
}

// settingInError finds the setting that an error is about, which it names first.
var settingInError = regexp.MustCompile(`HOMEWARD_[A-Z_]+`)

// outcome is a finding by whether something went wrong.
func outcome(what, well string, err error, remedy string) finding {
	if err != nil {
		return finding{bad, what, forOperators(err).Error(), remedy}
	}
	return finding{fine, what, well, ""}
}

func settingFindings(cfg *Config, faults []error) (all []finding) {
	for _, err := range faults {
		all = append(all, finding{bad, "settings", err.Error(), "correct it; homeward doctor --help lists all settings"})
	}
	for _, name := range unknownSettings(os.Environ()) {
		all = append(all, finding{warning, name, "there is no such setting", "correct its spelling, or remove it"})
	}
	for _, name := range cfg.idle() {
		all = append(all, finding{warning, name, "it is given and not used, because of another one", "remove it, or set HOMEWARD_CARRIER=easypost"})
	}
	if len(all) == 0 {
		all = []finding{{fine, "settings", "each is one that there is, and is written as it should be", ""}}
	}
	return all
}

const (
	littleSpace = 1 << 30
	noSpace     = 100 << 20
)

func examineData(_ context.Context, cfg *Config) []finding {
	const what = "HOMEWARD_DATA"
	info, err := os.Stat(cfg.Data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []finding{{warning, what, "there is no folder " + cfg.Data + " yet: the first start makes it", "if the service has run before, set HOMEWARD_DATA to its folder"}}
	case err != nil:
		return []finding{{bad, what, err.Error(), "let the service's user reach the folder"}}
	case !info.IsDir():
		return []finding{{bad, what, cfg.Data + " is no folder", "set it to a folder"}}
	}
	probe, err := os.CreateTemp(cfg.Data, ".doctor-*")
	if err == nil {
		err = errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	all := []finding{outcome(what, "the folder "+cfg.Data+" can be written", err, "let the service's user write to the folder")}
	if left, _, known := diskSpace(cfg.Data); known {
		f := finding{fine, "disk", fmt.Sprintf("%d MB are left", left>>20), ""}
		if left < littleSpace {
			f.State, f.Remedy = warning, "make room, or move the folder to a larger disk"
		}
		if left < noSpace {
			f.State = bad
		}
		all = append(all, f)
	}
	return all
}

func examineDatabase(ctx context.Context, cfg *Config) []finding {
	const what = "HOMEWARD_DATABASE"
	if _, err := os.Stat(cfg.Database); !store.IsPostgres(cfg.Database) && errors.Is(err, fs.ErrNotExist) {
		return []finding{{warning, what, "there is no database at " + cfg.Database + " yet: the first start makes it", "if the service has run before, set HOMEWARD_DATA or HOMEWARD_DATABASE to where it was"}}
	}
	if err := mayWrite(cfg.Database); err != nil {
		return []finding{{bad, what, err.Error(), "run this as the service's user, and let that user read and write the file and its folder"}}
	}
	db, err := store.Open(ctx, cfg.Database, time.Now)
	if err != nil {
		return []finding{outcome(what, "", err, databaseRemedy(err))}
	}
	defer db.Close()
	if err := db.Usable(ctx); err != nil {
		return []finding{{bad, what, err.Error(), "do as it says"}}
	}
	x, err := transfer.Examine(ctx, db)
	if err != nil {
		return []finding{outcome(what, "", err, "see that it is a database of homeward, and that this user owns it")}
	}
	all := []finding{{fine, what, fmt.Sprintf("%s %s answers", engineName(cfg.Database), x.Version), ""}}
	if x.TooOld {
		all[0].State, all[0].Remedy = bad, "use PostgreSQL 14 or newer"
	}
	all = append(all, schemaFinding(x))
	if store.IsPostgres(cfg.Database) {
		all = append(all, extensionFinding(x), clockFinding("clock of the database", x.Ahead))
		all = append(all, replicaFinding(ctx, cfg, db)...)
	} else {
		all = append(all, soundFinding(ctx, db))
	}
	return append(all, secretFindings(cfg, x.Secrets)...)
}

// mayWrite is the error of a SQLite file that this user may not use.
func mayWrite(database string) error {
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
	return nil // what else is wrong with it, the database says better
}

func databaseRemedy(err error) string {
	if store.IsNoDatabase(err) {
		return "create it, as a user who may: createdb --owner USER NAME, with user and name as in HOMEWARD_DATABASE"
	}
	return "see that the database runs, can be reached from here, and takes this user and password"
}

func replicaFinding(ctx context.Context, cfg *Config, db *store.DB) []finding {
	if cfg.Replica == "" {
		return nil
	}
	err := db.UseReplica(ctx, cfg.Replica)
	if err == nil {
		err = db.TryReplica(ctx)
	}
	return []finding{outcome("HOMEWARD_DATABASE_REPLICA", "it follows the database", err, "set it to a streaming replica of HOMEWARD_DATABASE that can be reached from here, or leave it out")}
}

func schemaFinding(x transfer.Examination) finding {
	const what = "schema"
	switch {
	case x.Schema == 0:
		return finding{warning, what, "the database is empty: the first start makes the tables", "if the service has run before, this is not its database"}
	case x.Schema < x.Newest:
		return finding{warning, what, fmt.Sprintf("version %d, and this program has %d", x.Schema, x.Newest), "run homeward migrate, or start this version: it does so by itself"}
	case x.Schema > x.Newest:
		return finding{bad, what, fmt.Sprintf("version %d, and this program knows only %d", x.Schema, x.Newest), "use a newer homeward"}
	default:
		return finding{fine, what, fmt.Sprintf("version %d, the newest", x.Schema), ""}
	}
}

func extensionFinding(x transfer.Examination) finding {
	if len(x.Extensions) > 0 {
		return finding{bad, "extensions", "PostgreSQL does not have " + strings.Join(x.Extensions, " and "), "install PostgreSQL's contrib package on the database's machine"}
	}
	return finding{fine, "extensions", "pg_trgm and btree_gin are to be had", ""}
}

// maxApart is how far clocks may be apart before it is felt: times of events, and how long links and log-ins are good.
const maxApart = 5 * time.Second

func clockFinding(what string, ahead time.Duration) finding {
	if ahead.Abs() > maxApart {
		return finding{warning, what, fmt.Sprintf("it is %s apart from this machine's", ahead.Abs().Round(time.Second)), "have both machines set their clocks by NTP"}
	}
	return finding{fine, what, "it agrees with this machine's", ""}
}

func soundFinding(ctx context.Context, db *store.DB) finding {
	const what, remedy = "integrity", "stop the service and restore the last backup; keep the damaged file"
	err := transfer.QuickCheck(ctx, db)
	if err != nil && ctx.Err() != nil {
		return finding{warning, what, "the file is too large to be checked in " + examTime.String(), "check it when the service is stopped: sqlite3 FILE 'PRAGMA quick_check'"}
	}
	return outcome(what, "the file is sound", err, remedy)
}

// secretFindings tells whether the secret that is given, or a former one that is given too, is the one that the database is used with.
func secretFindings(cfg *Config, used []string) []finding {
	const what, whatOld = "HOMEWARD_SECRET", "HOMEWARD_SECRET_OLD"
	secret, err := cfg.knownSecret()
	if err != nil {
		return []finding{{bad, what, err.Error(), "let the service's user read the file"}}
	}
	former, err := cfg.formerSecrets()
	if err != nil {
		return []finding{{bad, whatOld, err.Error(), "correct it, or let the service's user read the file"}}
	}
	all := append(formerFinding(whatOld, used, secret, former), openFinding(cfg.keptSecret())...)
	switch {
	case len(used) == 0 && secret == nil:
		return append(all, finding{fine, what, "there is none yet: the first start makes one, " + cfg.keptSecret(), ""})
	case len(used) == 0:
		return append(all, finding{fine, what, "it is there; the database has not been used with one yet", ""})
	case secret == nil && anyPrint(used[0], former):
		return append(all, finding{fine, what, "the one before it is given as a former one: the next start makes another, " + cfg.keptSecret(), ""})
	case secret == nil:
		return append(all, finding{bad, what, "the database was used with a secret, and there is none here", giveItBack})
	case isPrint(used[0], secret):
		return append(all, finding{fine, what, "it is the one that the database was used with", ""})
	case anyPrint(used[0], former):
		return append(all, finding{fine, what, "it is a new one, and the one before it is given too", ""})
	default:
		return append(all, finding{bad, what, "it is not the secret that the database was first used with", giveItBack})
	}
}

// openFinding warns of a kept secret that is not its owner's alone.
func openFinding(file string) []finding {
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm()&0o077 == 0 || runtime.GOOS == "windows" { // which has rights of another kind
		return nil
	}
	return []finding{{warning, secretFile, file + " can be read by others on this machine", "chmod 600 " + file}}
}

// formerFinding tells how far the replacing of a secret has come, where former ones are given.
func formerFinding(what string, used []string, secret []byte, former [][]byte) []finding {
	if len(former) == 0 {
		return nil
	}
	f := finding{warning, what, fmt.Sprintf("former secrets are given: %d", len(former)), "run homeward secret rotate, then start every copy without it"}
	switch {
	case len(used) == 1 && isPrint(used[0], secret):
		f.Said += ", and nothing is known to be sealed with them"
		f.Remedy = "start every copy without it, unless you are about to replace the secret"
	case len(used) > 0 && !slices.ContainsFunc(used, func(p string) bool { return isPrint(p, secret) }):
		f.Remedy = "start every copy with these settings, then run homeward secret rotate, and start every copy without it"
	}
	return []finding{f}
}

func examineFiles(ctx context.Context, cfg *Config) []finding {
	const what = "HOMEWARD_FILES"
	remedy := "let the service's user write to the folder"
	if strings.HasPrefix(cfg.Files, "s3://") {
		remedy = "see that the endpoint can be reached, the bucket exists, and the keys may read, write and delete in it"
	} else if _, err := os.Stat(cfg.Files); errors.Is(err, fs.ErrNotExist) {
		return []finding{{warning, what, "there is no folder " + cfg.Files + " yet: the first start makes it", "if the service has run before, set it to where its files are"}}
	}
	files, done, err := openFiles(ctx, "HOMEWARD_FILES", cfg.Files)
	if err != nil {
		return []finding{outcome(what, "", err, remedy)}
	}
	defer done()
	return []finding{outcome(what, "a file was written, read and deleted", files.Check(ctx), remedy)}
}
