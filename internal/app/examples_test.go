package app_test

import (
	"bufio"
	"bytes"
	"image"
	"image/png"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"homeward/internal/npmtest"
	"homeward/internal/store/storetest"
	"homeward/internal/web/browsertest"
)

// maxExample is the largest number of lines of an example.
const maxExample = 60

func TestExamplesAreShort(t *testing.T) {
	t.Parallel()
	root := moduleRoot(t)
	readme, err := os.ReadFile(filepath.Join(root, "examples", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	err = fs.WalkDir(os.DirFS(root), "examples", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".go" && filepath.Ext(name) != ".ts" {
			return err
		}
		n++
		text, err := os.ReadFile(filepath.Join(root, name))
		if lines := bytes.Count(text, []byte("\n")); lines >= maxExample {
			t.Errorf("%s has %d lines, want fewer than %d", name, lines, maxExample)
		}
		if !bytes.Contains(readme, []byte("("+strings.TrimPrefix(name, "examples/")+")")) {
			t.Errorf("examples/README.md does not list %s", name)
		}
		return err
	})
	if err != nil || n != 10 {
		t.Errorf("found %d examples, want 10: %v", n, err)
	}
}

// exampleRun runs the examples with one service.
type exampleRun struct {
	t        *testing.T
	s        *service
	compiled string // the folder with the programs in TypeScript
	built    string // the folder with the programs in Go
	folder   string // where the programs write
	location string
}

// run runs an example and checks that its output has the given texts.
func (x *exampleRun) run(name string, args []string, wants ...string) string {
	x.t.Helper()
	p := program{x.folder, append([]string{filepath.Join(x.built, name)}, args...)}
	if _, err := os.Stat(p.args[0]); err != nil {
		p.args = append([]string{"node", filepath.Join(x.compiled, name+".js")}, args...)
	}
	out := p.run(x.t, x.s.url, x.s.key)
	for _, want := range wants {
		if !strings.Contains(out, want) {
			x.t.Errorf("%s printed\n%s\nwithout %s", name, out, want)
		}
	}
	return out
}

// file writes a file into the folder of the run.
func (x *exampleRun) file(name string, content []byte) string {
	x.t.Helper()
	name = filepath.Join(x.folder, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		x.t.Fatal(err)
	}
	if err := os.WriteFile(name, content, 0o600); err != nil {
		x.t.Fatal(err)
	}
	return name
}

// buildExamples compiles the programs in TypeScript as examples/README.md says. It returns their folder.
func buildExamples(t *testing.T) string {
	t.Helper()
	npmtest.Need(t)
	dependOn(t, "clients/typescript")
	home := t.TempDir()
	for _, folder := range []string{"examples", "clients/typescript"} {
		copyFolder(t, folder, filepath.Join(home, folder))
	}
	program{filepath.Join(home, "examples"), []string{"npm", "ci", "--prefer-offline"}}.run(t, "", "")
	return filepath.Join(home, "examples")
}

func TestExamplesWork(t *testing.T) {
	t.Parallel()
	built := t.TempDir()
	dependOn(t, "examples")
	dependOn(t, "clients/go")
	output(t, "examples", "go", "vet", "./...")
	output(t, "examples", "go", "build", "-o", built+string(filepath.Separator), "./...")
	compiled := buildExamples(t)
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		cfg := newConfig(t, setting)
		cfg.AllowPrivate = true
		s := startService(t, cfg)
		x := &exampleRun{t: t, s: s, compiled: compiled, built: built, folder: t.TempDir()}
		x.location = s.newLocation(`{"name": "Hotel & Adler", "storageDuration": 1}`)
		x.recordAndImport()
		x.readAll()
		x.embed()
		x.decide()
		x.receive()
	})
}

func (x *exampleRun) recordAndImport() {
	var photo bytes.Buffer
	if err := png.Encode(&photo, image.NewRGBA(image.Rect(0, 0, 40, 30))); err != nil {
		x.t.Fatal(err)
	}
	picture := x.file("one.png", photo.Bytes())
	out := x.run("record-find", []string{x.location, "Black umbrella", "anna@example.com", picture},
		"Black umbrella is recorded with 1 photo")
	reference := strings.TrimSuffix(strings.Fields(out)[8], ".")
	x.file("photos/"+reference+".png", photo.Bytes())
	x.file("photos/NOBODY.png", photo.Bytes())
	photos := filepath.Join(x.folder, "photos")
	x.run("upload-photos", []string{x.location, photos}, "photo 2 of the item", "no item has")

	rows := x.file("finds.csv", []byte("id;description;place\n1;Green scarf;Bar\n2;Hat;\n"))
	first := x.run("import-finds", []string{x.location, rows}, "1: ", "2: ")
	if again := x.run("import-finds", []string{x.location, rows}); again != first {
		x.t.Errorf("a second import printed\n%s\nthe first\n%s", again, first)
	}
}

func (x *exampleRun) readAll() {
	x.s.newItem(x.location, `{"description": "Old glove", "discoveryDate": "2020-01-01"}`)
	x.sync()
	x.run("print-tags", []string{x.location, "2020-01-01"}, "<strong>", "Old glove")
	x.run("overdue-report", nil, "Old glove", "1 overdue")
	x.run("nightly-export", []string{x.folder}, "locations: 1", "items: 4", "events: ")
}

// sync copies all items to a spreadsheet. A second run follows a change and a deletion.
func (x *exampleRun) sync() {
	hat := x.s.newItem(x.location, `{"description": "Straw hat"}`)
	sheet := filepath.Join(x.folder, "items.csv")
	read := func() string {
		x.run("sync-csv", []string{sheet})
		text, err := os.ReadFile(sheet)
		if err != nil {
			x.t.Fatal(err)
		}
		return string(text)
	}
	waitUntil(x.t, "the spreadsheet has all items", func() bool {
		text := read()
		return strings.Count(text, "\n") == 6 && strings.Contains(text, "Straw hat")
	})
	x.s.must(http.StatusNoContent, "DELETE", "/v1/locations/"+x.location+"/items/"+hat, nil)
	ring := x.s.newItem(x.location, `{"description": "Ring"}`)
	waitUntil(x.t, "the spreadsheet has the changes", func() bool {
		text := read()
		return strings.Count(text, "\n") == 6 && !strings.Contains(text, "Straw hat") && strings.Contains(text, "Ring")
	})
	x.s.must(http.StatusNoContent, "DELETE", "/v1/locations/"+x.location+"/items/"+ring, nil)
}

// embed files a report with the form, on another website than the service's.
func (x *exampleRun) embed() {
	public := filepath.Join(x.folder, "public")
	website := httptest.NewServer(http.FileServer(http.Dir(public)))
	defer website.Close()
	x.run("embed-form", []string{website.URL, public}, "hotel-adler.html")
	v := browsertest.New(x.t, browsertest.Options{})
	v.Visit(website.URL + "/hotel-adler.html")
	v.See("Hotel & Adler")
	v.Fill("What did you lose?", "Silver spoon")
	v.Fill("Your e-mail address", "nobody")
	v.Click("Send") // the browser shows what is wrong
	v.Fill("Your e-mail address", "eve@example.com")
	v.Click("Send")
	v.See("Thank you. Your reference is ")
	list := x.s.must(http.StatusOK, "GET", "/v1/locations/"+x.location+"/requests?term=spoon", nil)
	if list["total"] != 1.0 {
		x.t.Errorf("the requests are %v", list)
	}
}

func (x *exampleRun) decide() {
	request := x.s.newRequest(x.location,
		`{"description": "Green scarf", "lostPlace": "Bar", "owner": {"email": "zoe@example.com"}}`)
	at := "/v1/locations/" + x.location + "/requests/" + request
	waitUntil(x.t, "matches are found", func() bool {
		list := x.s.must(http.StatusOK, "GET", at+"/matches", nil)
		return list["pending"] == nil && list["total"] == 1.0
	})
	x.run("decide-requests", []string{"-accept", x.location}, "%")
	if got := x.s.must(http.StatusOK, "GET", at, nil)["request"].(map[string]any)["state"]; got != "MATCHED" {
		x.t.Errorf("the request is %v", got)
	}
}

// receive registers a webhook with one receiver, which does not know the secret, and delivers to another, which does.
func (x *exampleRun) receive() {
	hook := newReceiver(x.t)
	webhook := x.s.must(http.StatusCreated, "POST", "/v1/webhooks", map[string]any{"url": hook.url})
	cmd := exec.CommandContext(x.t.Context(), filepath.Join(x.built, "receive-webhooks"), "127.0.0.1:0")
	cmd.Env = append(os.Environ(), "WEBHOOK_SECRET="+webhook["secret"].(string))
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		x.t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	lines := bufio.NewScanner(out)
	lines.Scan()
	address := strings.TrimPrefix(lines.Text(), "listening on ")
	path := "/v1/webhooks/" + webhook["id"].(string)
	x.s.must(http.StatusOK, "PUT", path, map[string]any{"url": address})
	x.s.must(http.StatusCreated, "POST", path+"/test", nil)
	for _, want := range []string{" verification ", " test "} {
		if lines.Scan(); !strings.Contains(lines.Text(), want) {
			x.t.Errorf("the receiver printed %q, want%s", lines.Text(), want)
		}
	}
}
