package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"homeward/internal/app"
)

type doctorCommand struct{ output }

// The states of a finding.
const (
	stateOK      = "ok"
	stateWarning = "warning"
	stateWrong   = "wrong"
)

// finding is the result of one check.
type finding struct {
	State   string `json:"state"`
	What    string `json:"what"`   // the setting or other subject that was checked
	Message string `json:"said"`   // the result
	Remedy  string `json:"remedy"` // how to fix it; empty if the state is ok
}

func ok(what, message string) finding { return finding{stateOK, what, message, ""} }
func warning(what, message, remedy string) finding {
	return finding{stateWarning, what, message, remedy}
}
func incorrect(what, message, remedy string) finding {
	return finding{stateWrong, what, message, remedy}
}

// result returns an ok finding with the success message, or a wrong one with the remedy if err is not nil.
func result(what, success string, err error, remedy string) finding {
	if err != nil {
		return incorrect(what, app.Cause(err).Error(), remedy)
	}
	return ok(what, success)
}

// checkTimeout is how long each group of checks may take. The groups run concurrently.
const checkTimeout = 20 * time.Second

// Run checks every setting. Problems make the exit code 1; warnings do not.
func (c *doctorCommand) Run(ctx context.Context, cfg *app.Config, unreadable unreadableSettings, out io.Writer) error {
	return c.report(out, runChecks(ctx, cfg, unreadable))
}

// report prints findings, and returns an error if the state of any of them is wrong.
func (c *doctorCommand) report(out io.Writer, all []finding) error {
	if err := c.printFindings(out, all); err != nil {
		return err
	}
	problems := 0
	for _, f := range all {
		if f.State == stateWrong {
			problems++
		}
	}
	if problems > 0 {
		return fmt.Errorf("%d of %d checks failed", problems, len(all))
	}
	return nil
}

func (c *doctorCommand) printFindings(out io.Writer, all []finding) error {
	if c.JSON {
		return printJSON(out, all)
	}
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	for _, f := range all {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\n", f.State, f.What, singleLine(f.Message))
		if f.Remedy != "" {
			_, _ = fmt.Fprintf(table, "\t\t-> %s\n", singleLine(f.Remedy))
		}
	}
	return table.Flush()
}

func singleLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// runChecks runs all groups of checks. It omits findings about settings that are already reported as invalid.
func runChecks(ctx context.Context, cfg *app.Config, unreadable unreadableSettings) []finding {
	problems := append(unreadable, cfg.Problems()...)
	groups := []func(context.Context, *app.Config) []finding{
		checkData, checkDatabase, checkFiles, checkMail, checkMailbox, checkTextMessages, checkPayment,
		checkCarrier, checkProvider, checkVision, checkEmbeddings, checkCollector,
		checkListen, checkCertificate, checkBaseURL,
	}
	found := make([][]finding, len(groups))
	var running sync.WaitGroup
	for i, check := range groups {
		running.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, checkTimeout)
			defer cancel()
			found[i] = check(ctx, cfg)
		})
	}
	running.Wait()
	all := settingFindings(cfg, problems)
	for _, f := range slices.Concat(found...) {
		isAbout := func(err error) bool { return settingOf(err) == f.What }
		if !slices.ContainsFunc(problems, isAbout) {
			all = append(all, f)
		}
	}
	return all
}

// settingInError matches the name of a setting. An error is about the first setting that it names.
var settingInError = regexp.MustCompile(`HOMEWARD_[A-Z_]+`)

// settingOf returns the name of the setting that an error is about. An error about NAME_FILE is about NAME.
func settingOf(err error) string {
	name := settingInError.FindString(err.Error())
	if of := strings.TrimSuffix(name, app.FileSuffix); slices.Contains(app.SecretSettings(), of) {
		return of
	}
	return name
}

func settingFindings(cfg *app.Config, problems []error) (all []finding) {
	for _, err := range problems {
		all = append(all, incorrect("settings", err.Error(), "correct it; homeward doctor --help lists all settings"))
	}
	for _, name := range app.UnknownSettings(os.Environ()) {
		all = append(all, warning(name, "this setting does not exist", "correct its spelling, or remove it"))
	}
	for _, name := range cfg.Unused() {
		all = append(all, warning(name, "this setting has no effect because HOMEWARD_CARRIER is "+cfg.Carrier,
			"remove it, or set HOMEWARD_CARRIER=easypost"))
	}
	if len(all) == 0 {
		all = []finding{ok("settings", "all settings are valid")}
	}
	return all
}
