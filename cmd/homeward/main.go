// Command homeward is a lost-and-found service in one program.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	_ "time/tzdata" // locations name time zones; the machine may not know them

	"github.com/alecthomas/kong"

	"homeward/internal/app"
	"homeward/internal/lost"
)

// commands is the command line. The settings belong to every command.
type commands struct {
	app.Config `embed:"" group:"Settings (flag, environment variable, or NAME=value line in the --config file)"`

	ConfigFile string `name:"config" placeholder:"FILE" help:"File of settings, one NAME=value a line."`

	Serve   serveCommand   `cmd:"" default:"withargs" help:"Run everything: API, pages, background work (the default)."`
	Migrate migrateCommand `cmd:"" help:"Bring the database to this version, and exit."`
	Account accountCommand `cmd:"" help:"Create, list, disable or enable accounts."`
	User    userCommand    `cmd:"" help:"Create, list, disable or enable users."`
	Key     keyCommand     `cmd:"" help:"Create, list or revoke API keys."`
	Version versionCommand `cmd:"" help:"Print the version."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// errHelp says that help was asked for and given.
var errHelp = errors.New("help was shown")

// run is the program: it says what went wrong in one line, and gives the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	err := execute(ctx, args, stdout, stderr)
	switch {
	case err == nil || errors.Is(err, errHelp):
		return 0
	default:
		fmt.Fprintln(stderr, "homeward: "+message(err))
		return 1
	}
}

func execute(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	var c commands
	helped := false
	parser, err := kong.New(&c,
		kong.Name("homeward"),
		kong.Description("Homeward is a lost-and-found service: locations record what was found, owners are told and choose what happens to it."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(int) { helped = true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true}),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.BindTo(stdout, (*io.Writer)(nil)),
		kong.Resolvers(settingsFile(args)),
	)
	if err != nil {
		return err
	}
	parsed, err := parser.Parse(args)
	if helped {
		return errHelp
	}
	if err != nil {
		return settingError(err)
	}
	return parsed.Run(&c.Config, verb(parsed.Selected().Name))
}

// message is an error for a person at a terminal: one line, with every bad field in it.
func message(err error) string {
	e, ok := errors.AsType[*lost.Error](err)
	if !ok {
		return err.Error()
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
	version := "development"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		version = info.Main.Version
	}
	_, err := fmt.Fprintln(out, "homeward", version)
	return err
}
