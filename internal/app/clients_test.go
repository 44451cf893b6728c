package app_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"homeward/internal/npmtest"
	"homeward/internal/store/storetest"
	"homeward/internal/web/api/apitest"
)

// program is a command that gets the address of a service in HOMEWARD_URL, and an API key in HOMEWARD_KEY.
type program struct {
	folder string
	args   []string
}

// run runs the program and fails the test if the program fails.
func (p program) run(t *testing.T, address, key string, more ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), p.args[0], p.args[1:]...)
	cmd.Dir = p.folder
	cmd.Env = append(append(os.Environ(), "HOMEWARD_URL="+address, "HOMEWARD_KEY="+key), more...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(p.args, " "), err, out)
	}
	return string(out)
}

// moduleRoot returns the root folder of the repository.
func moduleRoot(t *testing.T) string {
	t.Helper()
	root, err := npmtest.Root()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// output runs a command that must succeed, in a folder below the root.
func output(t *testing.T, folder string, args ...string) {
	t.Helper()
	program{filepath.Join(moduleRoot(t), folder), args}.run(t, "", "")
}

// dependOn makes the test cache depend on the files of a folder that other programs read.
func dependOn(t *testing.T, folder string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(moduleRoot(t), folder), func(name string, d fs.DirEntry, err error) error {
		if d != nil && d.Name() == "node_modules" {
			return fs.SkipDir
		}
		if err == nil {
			_, err = os.Stat(name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// goTour builds the tour of the Go client.
func goTour(t *testing.T) program {
	t.Helper()
	dependOn(t, "clients/go")
	binary := filepath.Join(t.TempDir(), "tour")
	output(t, "clients/go", "go", "vet", "./...")
	output(t, "clients/go", "go", "test", "-c", "-o", binary, ".")
	return program{t.TempDir(), []string{binary, "-test.v", "-test.run=TestTour"}}
}

// install installs npm packages and returns the folder that contains them.
func install(t *testing.T, folder string) string {
	t.Helper()
	installed, err := npmtest.Install(folder)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(installed, "node_modules")
}

// buildTypeScript compiles the TypeScript client and its tests, as somebody would who installs the client from npm. It
// adds the tour with openapi-fetch and the types that openapi-typescript generates. It returns the folder with the
// compiled programs.
func buildTypeScript(t *testing.T, document string) string {
	t.Helper()
	npmtest.Need(t)
	dependOn(t, "clients/typescript")
	installed := install(t, "clients/typescript")
	tsc := filepath.Join(installed, "typescript", "bin", "tsc")
	root, home := moduleRoot(t), t.TempDir()
	packages, compiled := filepath.Join(home, "node_modules"), filepath.Join(home, "programs")
	client := filepath.Join(packages, "homeward-client")
	output(t, "clients/typescript", "node", tsc, "-p", ".", "--outDir", filepath.Join(client, "dist"))
	copyFile(t, filepath.Join(root, "clients/typescript/package.json"), filepath.Join(client, "package.json"))
	link(t, filepath.Join(installed, "@types"), packages)
	copyFolder(t, "clients/typescript/test", compiled)
	writeFile(t, filepath.Join(home, "package.json"), []byte(`{"type": "module"}`))
	addOpenAPITypeScript(t, document, compiled, packages)
	program{home, []string{"node", tsc, "-p", "programs"}}.run(t, "", "")
	return compiled
}

// link makes a package available in another folder.
func link(t *testing.T, installed, packages string) {
	t.Helper()
	if err := os.Symlink(installed, filepath.Join(packages, filepath.Base(installed))); err != nil {
		t.Fatal(err)
	}
}

// copyFolder copies a folder of the repository as it is in version control, without what programs have added.
func copyFolder(t *testing.T, folder, to string) {
	t.Helper()
	from := filepath.Join(moduleRoot(t), folder)
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == from {
			return errors.Join(err, os.MkdirAll(to, 0o700))
		}
		target := filepath.Join(to, strings.TrimPrefix(name, from))
		switch {
		case slices.Contains([]string{"node_modules", "dist"}, d.Name()):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(target, 0o700)
		default:
			copyFile(t, name, target)
			return nil
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, to, text)
}

func writeFile(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// newDocument returns the OpenAPI document of a running service.
func newDocument(t *testing.T) string {
	t.Helper()
	s := startService(t, newConfig(t, ""))
	name := filepath.Join(t.TempDir(), "openapi.json")
	writeFile(t, name, s.do("", "GET", "/openapi.json", nil).body)
	return name
}

// buildOapiCodegen generates a client with oapi-codegen, and builds the programs that use it. It returns their folder.
func buildOapiCodegen(t *testing.T, document string) string {
	t.Helper()
	const folder = "tools/oapi-codegen"
	dependOn(t, folder)
	home := t.TempDir()
	copyFolder(t, folder, home)
	if err := os.MkdirAll(filepath.Join(home, "api"), 0o700); err != nil {
		t.Fatal(err)
	}
	built := t.TempDir()
	program{home, []string{"go", "tool", "oapi-codegen", "-config", "config.yaml", document}}.run(t, "", "")
	// Without -trimpath, the compiled client would depend on the name of the folder and not be cached.
	program{home, []string{"go", "build", "-trimpath", "-o", built, "./gateway", "./sendback"}}.run(t, "", "")
	return built
}

// addOpenAPITypeScript adds the tour with openapi-fetch to a folder of programs and a folder of packages.
func addOpenAPITypeScript(t *testing.T, document, programs, packages string) {
	t.Helper()
	const folder = "tools/openapi-typescript"
	dependOn(t, folder)
	installed := install(t, folder)
	for _, name := range []string{"openapi-fetch", "openapi-typescript-helpers"} {
		link(t, filepath.Join(installed, name), packages)
	}
	copyFile(t, filepath.Join(moduleRoot(t), folder, "tourfetch.ts"), filepath.Join(programs, "tourfetch.ts"))
	generator := filepath.Join(installed, "openapi-typescript", "bin", "cli.js")
	program{programs, []string{"node", generator, document, "--output", "openapi.ts"}}.run(t, "", "")
}

func TestTheGoClientWorksWithoutAService(t *testing.T) {
	t.Parallel()
	dependOn(t, "clients/go")
	output(t, "clients/go", "go", "test", "-vet=off", "./...")
}

// Our clients, and the clients that oapi-codegen and openapi-typescript generate, call every operation of the API. They
// send whole records back 1,000 times. They talk to the service through a proxy that adds a field to every object in
// every answer, as a later version of the service may do.
func TestTheClientsDoTheWholeTour(t *testing.T) {
	t.Parallel()
	document, tour := newDocument(t), goTour(t)
	generated := buildOapiCodegen(t, document)
	compiled := buildTypeScript(t, document)
	program{compiled, []string{"node", "--test", "client.js"}}.run(t, "", "")
	for name, tour := range map[string]program{
		"go":                 tour,
		"oapi-codegen":       {tour.folder, append([]string{filepath.Join(generated, "gateway")}, tour.args...)},
		"typescript":         {compiled, []string{"node", "runtour.js"}},
		"openapi-typescript": {compiled, []string{"node", "tourfetch.js"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.EachSetting(t, func(t *testing.T, setting string) {
				cfg := newConfig(t, setting)
				cfg.AllowPrivate = true // the tour receives webhooks
				s := startService(t, cfg)
				p := newGrowingProxy(t, s)
				tour.run(t, p.url, s.key)
				// A stay can only be chosen with a hotel system or a guest list, which the dashboard adds. The tours
				// choose one that does not exist.
				missed := p.checker.Unseen()
				if !slices.Equal(missed, []string{"set-owner-from-stay"}) {
					t.Errorf("the tour does not call %s", strings.Join(missed, ", "))
				}
				if p.added.Load() == 0 {
					t.Error("the proxy added no fields")
				}
				if name == "oapi-codegen" {
					program{tour.folder, []string{filepath.Join(generated, "sendback")}}.run(t, p.url, s.key)
				}
			})
		})
	}
}

// growingProxy passes requests to a service and adds a field to every object in its answers. Programs may send it back
// in a whole record; a service that has such a field accepts it, so the proxy removes it from requests.
type growingProxy struct {
	url     string
	checker *apitest.Checker
	added   atomic.Int64
}

const addedField = "addedInALaterVersion"

func newGrowingProxy(t *testing.T, s *service) *growingProxy {
	t.Helper()
	checker, err := apitest.NewChecker(s.do("", "GET", "/openapi.json", nil).body)
	if err != nil {
		t.Fatal(err)
	}
	p := &growingProxy{checker: checker}
	target, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Del("Accept-Encoding") // grow reads the answer
		},
		Transport: checker.Transport(s.unchecked.Transport, func(err error) {
			t.Errorf("not as documented: %v", err)
		}),
		ModifyResponse: p.grow,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := shrink(r); err != nil {
			t.Error(err)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

// grow adds the field to an answer of the API.
func (p *growingProxy) grow(res *http.Response) error {
	if !strings.HasPrefix(res.Request.URL.Path, "/v1/") || !strings.Contains(res.Header.Get("Content-Type"), "json") {
		return nil
	}
	body, err := rewriteJSON(res.Body, func(o map[string]any) { o[addedField] = "new" })
	res.Body = io.NopCloser(bytes.NewReader(body))
	res.ContentLength = int64(len(body))
	res.Header.Set("Content-Length", strconv.Itoa(len(body)))
	p.added.Add(1)
	return err
}

// shrink removes the field from a request.
func shrink(r *http.Request) error {
	if !strings.Contains(r.Header.Get("Content-Type"), "json") {
		return nil
	}
	body, err := rewriteJSON(r.Body, func(o map[string]any) { delete(o, addedField) })
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return err
}

// rewriteJSON reads JSON, changes every object in it and returns the result.
func rewriteJSON(body io.ReadCloser, change func(map[string]any)) ([]byte, error) {
	defer func() { _ = body.Close() }()
	decoder := json.NewDecoder(body)
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return nil, err
	}
	changeObjects(v, change)
	return json.Marshal(v)
}

func changeObjects(v any, change func(map[string]any)) {
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			changeObjects(element, change)
		}
	case map[string]any:
		for _, member := range v {
			changeObjects(member, change)
		}
		change(v)
	}
}
