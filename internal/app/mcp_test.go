package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"homeward/internal/mcp"
	"homeward/internal/store/storetest"
)

// desktop is a service with two locations, as AI agents see it.
type desktop struct {
	*service
	hotel, zoo string
	umbrella   string // a found item at the hotel, with a photo and an owner
	bear       string // a found item at the zoo
	scarf      string // a request at the hotel
	connect    func(t *testing.T, key string) sdk.Transport
}

// eachTransport runs fn with both databases and both transports. Every run has its own service.
func eachTransport(t *testing.T, fn func(t *testing.T, d *desktop)) {
	t.Helper()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		d := newDesktop(t, setting)
		for name, connect := range map[string]func(*testing.T, string) sdk.Transport{"http": d.http, "stdio": d.stdio} {
			t.Run(name, func(t *testing.T) {
				copied, service := *d, *d.service
				service.t, copied.service, copied.connect = t, &service, connect
				fn(t, &copied)
			})
		}
	})
}

func newDesktop(t *testing.T, setting string) *desktop {
	t.Helper()
	s := startService(t, newConfig(t, setting))
	d := &desktop{service: s, hotel: s.newLocation(`{"name": "Hotel"}`), zoo: s.newLocation(`{"name": "Zoo"}`)}
	d.umbrella = s.newItem(d.hotel, `{"description": "Black umbrella", "discoveryPlace": "Room 312",
		"notes": "In the minibar", "owner": {"firstName": "Anna", "lastName": "Berg", "email": "anna@example.com"}}`)
	d.bear = s.newItem(d.zoo, `{"description": "Brown teddy bear"}`)
	d.scarf = s.newRequest(d.hotel, `{"description": "Navy wool scarf", "lostPlace": "Bar",
		"owner": {"email": "zoe@example.com"}}`)
	a, err := s.upload("/v1/locations/"+d.hotel+"/items/"+d.umbrella+"/upload-image", "image", samplePhoto())
	if err != nil || a.status != http.StatusOK {
		t.Fatalf("%v, %d %s", err, a.status, a.body)
	}
	return d
}

// http connects to the address /mcp of the service.
func (d *desktop) http(_ *testing.T, key string) sdk.Transport {
	return &sdk.StreamableClientTransport{
		Endpoint: d.url + "/mcp", MaxRetries: -1,
		HTTPClient: &http.Client{Transport: bearer{key, d.unchecked.Transport}},
	}
}

// bearer adds a key to every request.
type bearer struct {
	key  string
	base http.RoundTripper
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.key)
	return b.base.RoundTrip(r)
}

// stdio connects to what homeward mcp runs.
func (d *desktop) stdio(t *testing.T, key string) sdk.Transport {
	t.Helper()
	client, err := mcp.NewClient(d.url, key, d.client.Transport) // which checks the calls against the document
	if err != nil {
		t.Fatal(err)
	}
	in, fromAgent := io.Pipe()
	toAgent, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- mcp.Serve(context.Background(), client, "test", in, out) }()
	t.Cleanup(func() {
		_ = fromAgent.Close()
		if err := <-ended; err != nil && !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("serve: %v", err)
		}
	})
	return &sdk.IOTransport{Reader: toAgent, Writer: fromAgent}
}

// agent is an AI agent that is connected with a key.
type agent struct {
	*sdk.ClientSession
	t *testing.T
}

func (d *desktop) agent(key string) agent {
	d.t.Helper()
	t := d.t.(*testing.T)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), d.connect(t, key), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return agent{session, t}
}

// agentWith connects with a new key that has these properties.
func (d *desktop) agentWith(properties map[string]any) agent {
	d.t.Helper()
	properties["name"] = "An agent"
	_, key := d.newKey(properties)
	return d.agent(key)
}

type args map[string]any

// tryCall calls a tool, and returns the text of its result and whether it is an error.
func (a agent) tryCall(tool string, arguments args) (text string, failed bool) {
	a.t.Helper()
	res, err := a.CallTool(a.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		a.t.Fatalf("%s: %v", tool, err)
	}
	return res.Content[0].(*sdk.TextContent).Text, res.IsError
}

// call calls a tool that must succeed, and returns its record.
func (a agent) call(tool string, arguments args) map[string]any {
	a.t.Helper()
	text, failed := a.tryCall(tool, arguments)
	if failed {
		a.t.Fatalf("%s: %s", tool, text)
	}
	var record map[string]any
	if err := json.Unmarshal([]byte(text), &record); err != nil {
		a.t.Fatalf("%s returned %s: %v", tool, text, err)
	}
	return record
}

// refuse calls a tool that must fail with an error that contains the texts.
func (a agent) refuse(tool string, arguments args, texts ...string) {
	a.t.Helper()
	text, failed := a.tryCall(tool, arguments)
	if !failed {
		a.t.Errorf("%s succeeded: %s", tool, text)
	}
	for _, want := range texts {
		if !strings.Contains(text, want) {
			a.t.Errorf("%s failed with %q, want %q in it", tool, text, want)
		}
	}
}

// data returns the records of a list.
func data(list map[string]any) (records []map[string]any) {
	for _, r := range list["data"].([]any) {
		records = append(records, r.(map[string]any))
	}
	return records
}

// toolNames returns the sorted names of the tools that the agent sees.
func (a agent) toolNames() (names []string) {
	a.t.Helper()
	res, err := a.ListTools(a.t.Context(), nil)
	if err != nil {
		a.t.Fatal(err)
	}
	for _, tool := range res.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return names
}

// read reads a resource.
func (a agent) read(uri string) (*sdk.ResourceContents, error) {
	a.t.Helper()
	res, err := a.ReadResource(a.t.Context(), &sdk.ReadResourceParams{URI: uri})
	if err != nil {
		return nil, err
	}
	return res.Contents[0], nil
}

// item returns an item as the API returns it.
func (d *desktop) item(location, id string) map[string]any {
	d.t.Helper()
	return d.must(http.StatusOK, "GET", "/v1/locations/"+location+"/items/"+id, nil)
}
