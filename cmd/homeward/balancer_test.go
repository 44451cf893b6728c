package main_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// balancers are the load balancers in deploy/. Each starts in front of three instances and returns its address.
var balancers = map[string]func(t *testing.T, instances []string) (url string){
	"nginx": startNginx, "Caddy": startCaddy,
}

// findProxy returns the path of a proxy's program. If it is not installed, the test is skipped, except in CI.
func findProxy(t *testing.T, name string) string {
	t.Helper()
	for _, program := range []string{name, "/usr/sbin/" + name} { // Debian's nginx is not on every user's PATH
		if found, err := exec.LookPath(program); err == nil {
			return found
		}
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is not installed (Debian package %s)", name, name)
	}
	t.Skipf("%s is not installed (Debian package %s)", name, name)
	return ""
}

// readDeployFile reads a file in deploy/ and replaces parts of it. Every part must exist.
func readDeployFile(t *testing.T, name string, replacements ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	for n := 0; n+1 < len(replacements); n += 2 {
		if !strings.Contains(text, replacements[n]) {
			t.Fatalf("deploy/%s does not contain %q", name, replacements[n])
		}
		text = strings.ReplaceAll(text, replacements[n], replacements[n+1])
	}
	return text
}

// startNginx starts nginx with deploy/nginx.conf in front of three instances, without TLS.
func startNginx(t *testing.T, instances []string) string {
	t.Helper()
	program, folder, port := findProxy(t, "nginx"), t.TempDir(), freePort(t)
	site := readDeployFile(t, "nginx.conf", "10.0.0.11:8080", instances[0], "10.0.0.12:8080", instances[1],
		"10.0.0.13:8080", instances[2], "listen 443 ssl;", fmt.Sprintf("listen 127.0.0.1:%d;", port))
	site = regexp.MustCompile(`(?m)^\s*ssl_.*$`).ReplaceAllString(site, "")
	user := ""
	if os.Geteuid() == 0 {
		user = "user root;\n" // the temporary folder belongs to root
	}
	main := user + "daemon off; worker_processes 2; pid " + folder + "/pid; error_log stderr warn;\n" +
		"events { worker_connections 512; }\nhttp {\naccess_log off;\n"
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		main += kind + "_temp_path " + filepath.Join(folder, kind) + ";\n"
	}
	config := filepath.Join(folder, "nginx.conf")
	if err := os.WriteFile(config, []byte(main+site+"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return startProxy(t, port, exec.Command(program, "-p", folder, "-c", config))
}

// startCaddy starts Caddy with deploy/Caddyfile in front of three instances.
func startCaddy(t *testing.T, instances []string) string {
	t.Helper()
	program, folder, port := findProxy(t, "caddy"), t.TempDir(), freePort(t)
	text := readDeployFile(t, "Caddyfile",
		"homeward-1:8080", instances[0], "homeward-2:8080", instances[1], "homeward-3:8080", instances[2],
		"\n:8080 {", fmt.Sprintf("\nhttp://127.0.0.1:%d {", port),
		"\n:8081 {", fmt.Sprintf("\nhttp://127.0.0.1:%d {", freePort(t)))
	config := filepath.Join(folder, "Caddyfile")
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "run", "--config", config, "--adapter", "caddyfile")
	cmd.Env = append(os.Environ(), "HOME="+folder, "XDG_DATA_HOME="+folder, "XDG_CONFIG_HOME="+folder)
	return startProxy(t, port, cmd)
}

// startProxy starts a proxy, waits until it responds, and stops it when the test ends.
func startProxy(t *testing.T, port int, cmd *exec.Cmd) string {
	t.Helper()
	printed := &output{}
	cmd.Stdout, cmd.Stderr = printed, printed
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it is stopped below
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended already
		<-ended
		if t.Failed() {
			t.Logf("%s printed:\n%.4000s", filepath.Base(cmd.Path), printed)
		}
	})
	url := fmt.Sprintf("http://127.0.0.1:%d", port)
	waitUntil(t, "the load balancer forwards requests", func() bool {
		select {
		case <-ended:
			t.Fatalf("%s ended: %s", cmd.Path, printed)
		default:
		}
		a := probe{"GET", "/healthz", "", 200, 200}.send(url, nil)
		return a.err == nil && a.status == http.StatusOK
	})
	return url
}

// addresses returns the host and port of every instance.
func (f *serviceInstances) addresses() (all []string) {
	for _, p := range f.current() {
		all = append(all, strings.TrimPrefix(p.url, "http://"))
	}
	return all
}

// isProblem reports whether a response is an error in the service's own form, with Retry-After.
func (p probeResult) isProblem() bool {
	return p.err == nil && p.status == http.StatusServiceUnavailable && p.retry != "" &&
		strings.Contains(string(p.body), `"code":"unavailable"`) && strings.Contains(string(p.body), `"requestId":"`)
}

// outageTime is how long a drill's outage lasts.
func outageTime() time.Duration {
	if isLong() {
		return 2 * time.Minute
	}
	return 6 * time.Second
}
