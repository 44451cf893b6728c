package app_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"homeward/internal/testkit"
)

// secretPaths are addresses that give access to everybody who knows them. The secret is "0sEcReT".
var secretPaths = []string{
	"/g/0sEcReT1234567890", "/g/0sEcReT1234567890/choose?x=0sEcReT", "/reset/0sEcReT1234567890",
	"/invitation/0sEcReT1234567890", "/confirm/0sEcReT1234567890", "/files/0sEcReT1234567890.jpg",
	"/files/thumb/0sEcReT1234567890.jpg", "/items?term=0sEcReT%40example.com", "/%67/0sEcReT1234567890",
	"//g/0sEcReT1234567890",
}

// TestNginxLogsNoTokens runs nginx with the shipped file and reads its logs, also while no instance responds.
func TestNginxLogsNoTokens(t *testing.T) {
	t.Parallel()
	program, folder, port := findProgram(t, "nginx"), t.TempDir(), strconv.Itoa(testkit.FreePort(t))
	site := readProjectFile(t, "deploy/nginx.conf")
	site = regexp.MustCompile(`(?m)^\s*ssl_.*$`).ReplaceAllString(site, "")
	site = strings.ReplaceAll(site, "listen 443 ssl", "listen 127.0.0.1:"+port)
	site = strings.ReplaceAll(site, "/var/log/nginx", folder)
	logs := func() string {
		return readIfExists(t, folder+"/homeward.log") + readIfExists(t, folder+"/homeward-error.log")
	}
	expectNoTokens(t, port, site, logs, func(site string) *exec.Cmd {
		main := "daemon off; worker_processes 1; pid " + folder + "/pid; error_log stderr crit;\n" +
			"events {}\nhttp { access_log off; client_body_temp_path " + folder + "/b; proxy_temp_path " + folder +
			"/p;\nfastcgi_temp_path " + folder + "/f; uwsgi_temp_path " + folder + "/u; scgi_temp_path " + folder +
			"/s;\n" + site + "\n}\n"
		return exec.Command(program, "-c", writeConfig(t, folder, "nginx.conf", main), "-p", folder)
	})
}

// TestCaddyLogsNoTokens does the same with Caddy.
func TestCaddyLogsNoTokens(t *testing.T) {
	t.Parallel()
	program, folder, port := findProgram(t, "caddy"), t.TempDir(), strconv.Itoa(testkit.FreePort(t))
	site := readProjectFile(t, "deploy/Caddyfile")
	site = strings.ReplaceAll(site, "homeward-1:8080 homeward-2:8080 homeward-3:8080", "10.0.0.11:8080")
	site = strings.ReplaceAll(site, "\n:8080 {", "\nhttp://127.0.0.1:"+port+" {")
	site = strings.ReplaceAll(site, "\n:8081 {", "\nhttp://127.0.0.1:"+strconv.Itoa(testkit.FreePort(t))+" {")
	site = strings.ReplaceAll(site, "lb_try_duration 5s", "lb_try_duration 100ms")
	var out bytes.Buffer
	expectNoTokens(t, port, site, out.String, func(site string) *exec.Cmd {
		c := exec.Command(program, "run", "--adapter", "caddyfile", "--config",
			writeConfig(t, folder, "Caddyfile", site))
		c.Env = append(os.Environ(), "HOME="+folder)
		c.Stderr, c.Stdout = &out, &out
		return c
	})
}

// expectNoTokens runs a proxy in front of a server, sends requests with secrets through it while the server runs and
// after it has stopped, and reads the logs.
func expectNoTokens(t *testing.T, port, site string, logs func() string, command func(site string) *exec.Cmd) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	site = regexp.MustCompile(`10\.0\.0\.1[123]:8080`).ReplaceAllString(site, server.Listener.Addr().String())
	c := command(site)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	stop := func() {
		_ = c.Process.Signal(os.Interrupt)
		_ = c.Wait()
	}
	get := func(path string) (int, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:"+port, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.URL.Opaque = "//127.0.0.1:" + port + path
		r.Header.Set("Referer", "https://lost.example.com/g/0sEcReT1234567890")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, err
		}
		return response.StatusCode, response.Body.Close()
	}
	waitUntil(t, "the proxy responds", func() bool {
		status, err := get("/started")
		return err == nil && status == http.StatusOK
	})
	for _, path := range secretPaths {
		if status, err := get(path); err != nil || status != http.StatusOK {
			t.Errorf("%s: %d %v", path, status, err)
		}
	}
	server.Close()
	for _, path := range secretPaths {
		if _, err := get(path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	stop()
	if text := logs(); strings.Contains(text, "0sEcReT") || !strings.Contains(text, "/started") ||
		!strings.Contains(text, "/g/***") {
		t.Errorf("the log is:\n%s", text)
	}
}

func writeConfig(t *testing.T, folder, name, text string) string {
	t.Helper()
	file := filepath.Join(folder, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func readIfExists(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}
