package cli

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"

	"homeward/internal/app"
	"homeward/internal/mcp"
)

type mcpCommand struct {
	URL string `name:"url" env:"HOMEWARD_URL" default:"${service_url}" placeholder:"URL" help:"${mcp_url_help}"`
}

// Help returns the text above the list of flags.
func (mcpCommand) Help() string {
	return "An AI agent starts this command and talks to it over standard input and output, using the Model Context " +
		"Protocol. The command calls the API of a running service with your API key. The agent gets only the tools " +
		"that the key may use: give it a key with few permissions, such as one that is read-only or limited to a " +
		"location. Agents that speak HTTP use the address /mcp of the service instead."
}

// clientKeyHelp replaces the help text of HOMEWARD_API_KEY, which is about serve.
const clientKeyHelp = "API key for the service. $HOMEWARD_API_KEY" + app.FileSuffix +
	" names a file that contains it. Do not use the flag where others can list the processes."

// errNoKey is the error of commands that call a service.
var errNoKey = errors.New(
	"HOMEWARD_API_KEY is required: create a key with homeward key create --name NAME --role ROLE")

// Run serves an agent until it closes its end or the context ends.
func (c mcpCommand) Run(ctx context.Context, cfg *app.Config, out io.Writer) error {
	if !app.IsURL(c.URL, "http", "https") {
		return app.InvalidSetting("HOMEWARD_URL", "an HTTP or HTTPS URL, such as http://127.0.0.1:8080")
	}
	if cfg.APIKey == "" {
		return errNoKey
	}
	client, err := mcp.NewClient(c.URL, cfg.APIKey, http.DefaultTransport)
	if err != nil {
		return err
	}
	return mcp.Serve(ctx, client, app.Version(), os.Stdin, nopWriteCloser{out})
}

// nopWriteCloser is a writer with a Close method that does nothing.
type nopWriteCloser struct{ io.Writer }

func (nopWriteCloser) Close() error { return nil }
