package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"homeward/internal/lost"
)

// commands is the command line. The settings belong to every command.
type commands struct {
	Config `embed:"" group:"settings"`

	ConfigFile string `name:"config" placeholder:"FILE" help:"File of settings, one NAME=value a line."`

	Serve   serveCommand   `cmd:"" default:"withargs" help:"Run everything: API, dashboard, guest pages, background work (the default)."`
	Migrate migrateCommand `cmd:"" help:"Bring the database to this version, and exit."`
	Account accountCommand `cmd:"" help:"Create, list, disable or enable accounts."`
	User    userCommand    `cmd:"" help:"Create, list, disable or enable users."`
	Key     keyCommand     `cmd:"" help:"Create, list or revoke API keys."`
	Import  importCommand  `cmd:"" help:"Import items from a CSV file."`
	Export  exportCommand  `cmd:"" help:"Export a location's items as CSV."`
	Backup  backupCommand  `cmd:"" help:"Write the whole service into one file while it runs, or check such a file."`
	Restore restoreCommand `cmd:"" help:"Fill an empty place from a backup."`
	Move    moveCommand    `cmd:"" help:"Move everything, or one account, from SQLite to PostgreSQL."`
	Doctor  doctorCommand  `cmd:"" help:"Try every setting, and say what is wrong and what to do."`
	Person  personCommand  `cmd:"" help:"Export or erase what is kept of a guest."`
	Secrets secretCommand  `cmd:"" name:"secret" help:"Change the service's secret."`
	Webhook webhookCommand `cmd:"" help:"Receive webhooks on this machine, for development."`
	Health  healthCommand  `cmd:"" help:"Ask the running service whether it is ready: exit code 0 or 1."`
	Version versionCommand `cmd:"" help:"Print the version."`
}

// errHelp says that help was asked for and given.
var errHelp = errors.New("help was shown")

// Command is the program: it runs what the arguments ask for until it is done or the context
// ends, says in one line what went wrong, and gives the exit code.
func Command(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	err := execute(ctx, args, stdout, stderr)
	switch {
	case err == nil || errors.Is(err, errHelp):
		return 0
	default:
		fmt.Fprintln(stderr, "homeward: "+oneLine(err))
		return 1
	}
}

// execute runs what the arguments ask for. A setting that cannot be read ends it, but for the doctor, who passes over it and tries the others.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var unread unreadSettings
	without, examined := map[string]bool{}, slices.Contains(args, "doctor")
	for {
		c := commands{Config: Config{examined: examined}}
		run, err := c.parse(ctx, args, without, stdout, stderr)
		fault, ok := errors.AsType[settingFault](err)
		switch {
		case err == nil:
			return run.Run(&c.Config, verb(run.Selected().Name), unread)
		case !ok || !examined:
			return err
		case without[fault.setting]: // it is a flag, which cannot be passed over
			c.Doctor.JSON = slices.Contains(args, "--json")
			return c.Doctor.tell(stdout, settingFindings(&c.Config, unread))
		}
		without[fault.setting], unread = true, append(unread, fault)
	}
}

// parse reads the arguments and the settings, without some of these.
func (c *commands) parse(ctx context.Context, args []string, without map[string]bool, stdout, stderr io.Writer) (*kong.Context, error) {
	for name := range without {
		_ = os.Unsetenv(name) // which is passed over for good: nothing runs but this command
	}
	helped := false
	parser, err := kong.New(c,
		kong.Name("homeward"),
		kong.Description("Homeward is a lost-and-found service: locations record what was found, owners are told and choose what happens to it."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(int) { helped = true }),
		kong.ExplicitGroups([]kong.Group{
			{Key: "settings", Title: "Settings: a flag, an environment variable, or a NAME=value line in the file of --config"},
		}),
		kong.Help(help),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true}),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.BindTo(stdout, (*io.Writer)(nil)),
		kong.Bind(sidelines{stderr}),
		kong.Vars(defaults(args)),
		kong.Resolvers(settingsFile(args, without)),
	)
	if err != nil {
		return nil, err
	}
	parsed, err := parser.Parse(args)
	if helped {
		return nil, errHelp
	}
	if err != nil {
		return nil, settingError(parser.Model, err)
	}
	return parsed, nil
}

// settingsOf are the settings that commands other than serve follow: those about where the data is. Commands that are not here follow none.
var settingsOf = map[string][]string{
	"migrate": stored, "account": stored, "user": append([]string{"base-url"}, stored...), "key": stored, "import": stored, "secret": stored, "person": append([]string{"base-url"}, stored...), "export": append([]string{"base-url"}, stored...),
	"backup": stored, "restore": stored, "move": stored,
	"health": {"listen", "base-url", "tls-cert", "tls-key", "acme"},
}

var stored = []string{"data", "database", "files", "secret", "secret-file", "secret-old", "secret-old-file", "demo"}

// help prints how a command is used, with those settings alone that it follows.
func help(o kong.HelpOptions, ctx *kong.Context) error {
	n := slices.IndexFunc(ctx.Path, func(p *kong.Path) bool { return p.Command != nil })
	if n < 0 || slices.Contains([]string{"serve", "doctor"}, ctx.Path[n].Command.Name) {
		return kong.DefaultHelpPrinter(o, ctx)
	}
	follows := settingsOf[ctx.Path[n].Command.Name]
	for _, f := range ctx.Model.Flags {
		if f.Group != nil && f.Group.Key == "settings" && !slices.Contains(follows, f.Name) {
			f.Hidden = true
		}
	}
	return kong.DefaultHelpPrinter(o, ctx)
}

// oneLine is an error for a person at a terminal: one line, with every bad field in it.
func oneLine(err error) string {
	e, ok := err.(*lost.Error) //nolint:errorlint // one that is wrapped says by what, and why, to the operator
	if !ok {
		return strings.Join(strings.Fields(err.Error()), " ")
	}
	parts := []string{e.Detail}
	for _, f := range e.Fields {
		parts = append(parts, f.Field+" "+f.Message+".")
	}
	return strings.Join(parts, " ")
}

type versionCommand struct{}

// stamped is the version that whoever builds a release names, with -ldflags '-X homeward/internal/app.stamped=…'.
var stamped string //nolint:gochecknoglobals // the linker can set nothing else

// Run prints the version.
func (versionCommand) Run(out io.Writer) error {
	line := "homeward " + version()
	if of := commit(); of != "" {
		line += " (commit " + of + ")"
	}
	_, err := fmt.Fprintln(out, line)
	return err
}

func version() string {
	if stamped != "" {
		return stamped
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "development"
}

// commit is what the program was built of, where the build has noted it.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}
