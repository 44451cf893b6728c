package main_test

import (
	"os/exec"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestAnAgentStartsTheCommandAndCallsATool(t *testing.T) {
	p := startService(t, "HOMEWARD_DATA="+t.TempDir(), "HOMEWARD_API_KEY="+apiKey)
	cmd := exec.Command(self(t), "mcp")
	cmd.Env = environment("HOMEWARD_URL="+p.url, "HOMEWARD_API_KEY="+apiKey)
	var stderr output
	cmd.Stderr = &stderr
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "list_locations"})
	if err != nil || res.IsError || !strings.Contains(res.Content[0].(*sdk.TextContent).Text, "No locations found.") {
		t.Errorf("%v, %v", err, res)
	}
	if err := session.Close(); err != nil {
		t.Errorf("the command did not end with its input: %v", err)
	}
	if stderr.String() != "" {
		t.Errorf("the command wrote %s", stderr.String())
	}
}

func TestTheCommandForAgentsSaysWhatIsMissing(t *testing.T) {
	p := startService(t, "HOMEWARD_DATA="+t.TempDir(), "HOMEWARD_API_KEY="+apiKey)
	for _, c := range []struct {
		settings []string
		want     string
	}{
		{nil, "HOMEWARD_API_KEY is required"},
		{[]string{"HOMEWARD_API_KEY=" + apiKey, "HOMEWARD_URL=lost.example.com"}, "HOMEWARD_URL must be"},
		{[]string{"HOMEWARD_API_KEY=" + apiKey, "HOMEWARD_URL=http://127.0.0.1:1"}, "does not respond"},
		{[]string{"HOMEWARD_API_KEY=hw_another-key-of-somebody", "HOMEWARD_URL=" + p.url}, "API key"},
		{[]string{"HOMEWARD_API_KEY=hwp_a-publishable-key", "HOMEWARD_URL=" + p.url}, "publishable"},
	} {
		cmd := exec.Command(self(t), "mcp")
		cmd.Env = environment(c.settings...)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), c.want) || strings.Count(string(out), "\n") != 1 ||
			strings.Contains(string(out), "somebody") {
			t.Errorf("%q: %v, %s; want one line with %q", c.settings, err, out, c.want)
		}
	}
}
