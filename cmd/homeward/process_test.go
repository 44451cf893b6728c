package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	main "homeward/cmd/homeward"
	"homeward/internal/secretscan"
	"homeward/internal/store/storetest"
)

const apiKey = "hw_the-first-key-of-the-tests"

// process is the program running as a separate process.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	url    string
	stdout *output
	stderr *processLog
	ended  chan struct{}
}

// environment returns the environment for a process in a test, without settings from the machine's environment.
func environment(settings ...string) []string {
	return append([]string{main.RunMain + "=1", "PATH=" + os.Getenv("PATH"), "HOME=" + os.TempDir()}, settings...)
}

// startService starts homeward serve and waits until it listens.
func startService(t *testing.T, settings ...string) *process {
	t.Helper()
	return startProgram(t, self(t), settings...)
}

// startProgram is startService for a given program, which may be another version.
func startProgram(t *testing.T, program string, settings ...string) *process {
	t.Helper()
	p := launchProgram(t, program, settings...)
	p.awaitListening()
	return p
}

// launchProgram is startProgram, but does not wait.
func launchProgram(t *testing.T, program string, settings ...string) *process {
	t.Helper()
	return launchWithFlags(t, program, nil, settings...)
}

// launchWithFlags is launchProgram with flags.
func launchWithFlags(t *testing.T, program string, flags []string, settings ...string) *process {
	t.Helper()
	p := &process{t: t, stdout: &output{}, stderr: &processLog{secretscan.Watch(t)}, ended: make(chan struct{})}
	for _, s := range settings {
		if name, value, _ := strings.Cut(s, "="); secretSetting.MatchString(name) {
			p.stderr.AddSecret(name, value)
		}
	}
	p.cmd = exec.Command(program, append([]string{"serve"}, flags...)...)
	p.cmd.Env = environment(append([]string{"HOMEWARD_LISTEN=127.0.0.1:0", "HOMEWARD_RATE_LIMIT=0",
		"HOMEWARD_DRAIN=0s"}, settings...)...)
	p.cmd.Stdout, p.cmd.Stderr = p.stdout, p.stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // the result is in ProcessState
		close(p.ended)
	}()
	t.Cleanup(p.kill)
	return p
}

// awaitListening waits until the service listens.
func (p *process) awaitListening() {
	p.t.Helper()
	waitUntil(p.t, "the service listens", func() bool {
		select {
		case <-p.ended:
			p.t.Fatalf("the service ended: %s", p.stderr)
		default:
		}
		p.url = p.stderr.listening()
		return p.url != ""
	})
}

func self(t *testing.T) string {
	t.Helper()
	file, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// kill ends the process abruptly, as a power failure would.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended already
	<-p.ended
}

// terminate stops the process gracefully and returns its exit code.
func (p *process) terminate() int {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
	<-p.ended
	return p.cmd.ProcessState.ExitCode()
}

// output is a buffer for the output of a process.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// secretSetting matches the names of secret settings.
var secretSetting = regexp.MustCompile(`_(SECRET|KEY|PASSWORD|TOKEN)$|_SECRET_`)

// processLog is the log of a process. It is searched for secrets when the test ends.
type processLog struct{ *secretscan.Log }

// listening finds the service's address in its log.
func (o *processLog) listening() string {
	lines := bufio.NewScanner(strings.NewReader(o.String()))
	for lines.Scan() {
		var line struct{ Msg, URL string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "listening" {
			return line.URL
		}
	}
	return ""
}

// response is an HTTP response with its whole body.
type response struct {
	status int
	body   []byte
}

// sendRequest sends a request with a JSON body, which may be empty, and headers in pairs.
func sendRequest(method, address, body string, header ...string) (response, error) {
	r, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		return response{}, err
	}
	r.Header.Set("svc-api-key", apiKey)
	r.Header.Set("Content-Type", "application/json")
	for n := 0; n+1 < len(header); n += 2 {
		r.Header.Set(header[n], header[n+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return response{}, err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	return response{res.StatusCode, text}, err
}

// must sends a request, checks the status of the response and returns the record.
func (p *process) must(status int, method, path, body string) map[string]any {
	p.t.Helper()
	a, err := sendRequest(method, p.url+path, body)
	if err != nil || a.status != status {
		p.t.Fatalf("%s %s returned %d, want %d: %v %s", method, path, a.status, status, err, a.body)
	}
	var m map[string]any
	if err := json.Unmarshal(a.body, &m); err != nil && len(a.body) > 0 {
		p.t.Fatal(err)
	}
	return m
}

// listAll reads every page of a list.
func (p *process) listAll(path string) (records []map[string]any) {
	p.t.Helper()
	for page := 1; ; page++ {
		l := p.must(http.StatusOK, "GET", fmt.Sprintf("%s?limit=100&page=%d", path, page), "")
		for _, r := range l["data"].([]any) {
			records = append(records, r.(map[string]any))
		}
		if float64(page) >= l["pages"].(float64) {
			if l["total"] != float64(len(records)) {
				p.t.Errorf("%s has %d records and total %v", path, len(records), l["total"])
			}
			return records
		}
	}
}

// waitUntil fails the test if the condition does not become true within a minute.
func waitUntil(t *testing.T, what string, condition func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(60 * time.Second)
	for !condition() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("timed out waiting until %s", what)
		}
	}
}

// newSettings returns the settings of a service with a database and a temporary data folder.
func newSettings(t *testing.T, database string, more ...string) []string {
	t.Helper()
	return append([]string{"HOMEWARD_DATA=" + filepath.Join(t.TempDir(), "data"), "HOMEWARD_DATABASE=" + database,
		"HOMEWARD_API_KEY=" + apiKey}, more...)
}

// onBothDatabases runs test as a parallel subtest on each database. These tests spend most of their time waiting.
func onBothDatabases(t *testing.T, test func(t *testing.T, name, database string)) {
	t.Helper()
	var running sync.WaitGroup
	defer running.Wait()
	for name, database := range map[string]func(testing.TB) string{
		"sqlite": storetest.SQLite, "postgres": storetest.Postgres,
	} {
		running.Go(func() { t.Run(name, func(t *testing.T) { test(t, name, database(t)) }) })
	}
}
