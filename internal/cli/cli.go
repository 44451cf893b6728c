// Package cli is the command line of the service. It parses commands and flags, reads settings from flags,
// environment variables and the file passed to --config, and prints help. app.Config defines and checks the
// settings. The commands call app, backup, store/transfer and the use cases. The package contains no domain rules.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"homeward/internal/app"
	"homeward/internal/lost"
)

// commands defines the command line. Every command accepts all settings.
type commands struct {
	Settings settings `embed:"" group:"settings"`

	ConfigFile string `name:"config" placeholder:"FILE" help:"Settings file with one NAME=value per line."`

	Serve   serveCommand   `cmd:"" default:"withargs" help:"Run the service: API, dashboard, guest pages, jobs."`
	Migrate migrateCommand `cmd:"" help:"Upgrade the database to this version, and exit."`
	Account accountCommand `cmd:"" help:"Create, list, disable or enable accounts."`
	User    userCommand    `cmd:"" help:"Create, list, disable or enable users."`
	Key     keyCommand     `cmd:"" help:"Create, list or revoke API keys."`
	Import  importCommand  `cmd:"" help:"Import items from a CSV file."`
	Export  exportCommand  `cmd:"" help:"Export a location's items as CSV."`
	Backup  backupCommand  `cmd:"" help:"Back up the whole service to one file while it runs, or verify a backup."`
	Restore restoreCommand `cmd:"" help:"Restore a backup."`
	Move    moveCommand    `cmd:"" help:"Move everything, or one account, from SQLite to PostgreSQL."`
	Audit   auditCommand   `cmd:"" help:"Export the audit log."`
	Match   matchCommand   `cmd:"" help:"Report how often suggested matches were right."`
	Doctor  doctorCommand  `cmd:"" help:"Test every setting; report problems and how to fix them."`
	Person  personCommand  `cmd:"" help:"Export or erase a guest's personal data."`
	Secrets secretCommand  `cmd:"" name:"secret" help:"Replace the service's secret, or a lost one."`
	Webhook webhookCommand `cmd:"" help:"Receive webhooks on this machine, for development."`
	MCP     mcpCommand     `cmd:"" name:"mcp" help:"Offer a service to an AI agent, over standard input and output."`
	Health  healthCommand  `cmd:"" help:"Check whether the running service is ready: exit code 0 or 1."`
	Version versionCommand `cmd:"" help:"Print the version."`

	// invalidAllowed makes Validate accept invalid settings. It is set for the doctor, which reports all of them.
	invalidAllowed bool
}

// Validate checks the settings. kong calls it before running a command.
func (c *commands) Validate() error {
	if c.invalidAllowed {
		return nil
	}
	return c.config().Validate()
}

// settings is app.Config without its methods. Otherwise kong would call app.Config's Validate even for the doctor.
type settings app.Config

// config returns the settings as an app.Config.
func (c *commands) config() *app.Config { return (*app.Config)(&c.Settings) }

// errHelpShown ends parsing after the help text has been printed.
var errHelpShown = errors.New("help was shown")

// Run runs the command named by the arguments until it finishes or ctx is canceled. It prints any error on one line
// and returns the program's exit code.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	err := execute(ctx, args, stdout, stderr)
	switch {
	case err == nil || errors.Is(err, errHelpShown):
		return 0
	default:
		_, _ = fmt.Fprintln(stderr, "homeward: "+oneLine(err))
		return 1
	}
}

// execute runs the command named by the arguments. It returns an error if a setting cannot be read. Only the doctor
// reports such a setting, ignores it and checks the others.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var unreadable unreadableSettings
	ignored := map[string]bool{}
	isDoctor := slices.Contains(args, "doctor")
	for {
		c := commands{invalidAllowed: isDoctor}
		command, err := c.parse(ctx, args, ignored, stdout, stderr)
		if err == nil {
			return command.Run(c.config(), verb(command.Selected().Name), unreadable)
		}
		problem, ok := errors.AsType[settingProblem](err)
		switch {
		case !ok || !isDoctor:
			return err
		case ignored[problem.setting]: // it is set by a flag, and flags cannot be ignored
			c.Doctor.JSON = slices.Contains(args, "--json")
			return c.Doctor.report(stdout, settingFindings(c.config(), unreadable))
		}
		ignored[problem.setting] = true
		unreadable = append(unreadable, problem)
	}
}

// parse reads the arguments and the settings, except for the ignored settings.
func (c *commands) parse(
	ctx context.Context, args []string, ignored map[string]bool, stdout, stderr io.Writer,
) (*kong.Context, error) {
	for name := range ignored {
		_ = os.Unsetenv(name) // permanently: this process runs no other command
	}
	helpShown := false
	files := newResolver(args, ignored)
	parser, err := kong.New(c,
		kong.Name("homeward"),
		kong.Description("Homeward is a lost-and-found service: locations record found items, "+
			"owners are notified and choose how to get them back."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(int) { helpShown = true }),
		kong.ExplicitGroups([]kong.Group{{
			Key:   "settings",
			Title: "Settings: a flag, an environment variable, or a NAME=value line in the --config file",
		}}),
		kong.PostBuild(addSettingHelp),
		kong.Help(printHelp),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true}),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.BindTo(stdout, (*io.Writer)(nil)),
		kong.Bind(statusWriter{stderr}),
		kong.Bind(reloader{args}),
		kong.Vars(defaults(args)), helpTexts(),
		kong.Resolvers(files),
	)
	if err != nil {
		return nil, err
	}
	parsed, err := parser.Parse(args)
	if helpShown {
		return nil, errHelpShown
	}
	if err != nil && files.problem != nil { // other errors may only be its consequence
		return nil, files.problem
	}
	if err != nil {
		return nil, nameSetting(parser.Model, err)
	}
	isListen := func(arg string) bool { return arg == "--listen" || strings.HasPrefix(arg, "--listen=") }
	if parsed.Command() == "webhook listen" && slices.ContainsFunc(args, isListen) {
		return nil, errors.New("--listen is the address of the service: homeward webhook listen has --at HOST:PORT")
	}
	return parsed, nil
}

// defaults returns the defaults that depend on --demo: a demo has its own data folder, keeps webhook data
// longer and stops immediately.
func defaults(args []string) map[string]string {
	if slices.Contains(args, "--demo") || slices.Contains(args, "--demo=true") {
		return map[string]string{"data": "./homeward-demo", "retention": "2400h", "drain": "0s"}
	}
	return map[string]string{"data": "./homeward-data", "retention": "720h", "drain": "3s"}
}

// oneLine formats an error as a single line that includes every invalid field.
func oneLine(err error) string {
	e, ok := err.(*lost.Error) //nolint:errorlint // a wrapped error already has a message for the operator
	if !ok {
		text := err.Error()
		if inner, found := errors.AsType[*lost.Error](err); found { // its code is for programs
			text = strings.ReplaceAll(text, inner.Error(), oneLine(inner))
		}
		return strings.Join(strings.Fields(text), " ")
	}
	parts := []string{e.Detail}
	for _, f := range e.Fields {
		parts = append(parts, f.Field+" "+f.Message+".")
	}
	return strings.Join(parts, " ")
}

type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run(out io.Writer) error {
	line := "homeward " + app.Version()
	if commit := app.Commit(); commit != "" {
		line += " (commit " + commit + ")"
	}
	_, err := fmt.Fprintln(out, line)
	return err
}
