package main_test

import (
	"bufio"
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"homeward/internal/app"
	"homeward/internal/store/storetest"
)

func TestSavedCurlCommandWorks(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		data := filepath.Join(t.TempDir(), "data")
		settings := []string{"HOMEWARD_DATA=" + data, "HOMEWARD_DATABASE=" + setting}
		p := startService(t, settings...)
		file := filepath.Join(data, app.FirstStartFile)
		// The output and the log use different pipes, and the output may arrive later.
		waitUntil(t, "the service prints where the first steps are", func() bool {
			return strings.Contains(p.stdout.String(), file)
		})
		saved, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		line := regexp.MustCompile(`(?m)^\s*(curl .*)$`).FindStringSubmatch(string(saved))
		if line == nil {
			t.Fatalf("no curl command in\n%s", saved)
		}
		if output := runCurl(t, line[1]); !strings.Contains(output, `"id":"loc_`) {
			t.Errorf("%s\nreturned %s", line[1], output)
		}
		for _, want := range []string{"Dashboard  " + p.url + "/", "Log in as  ", "password", "API key    hw_"} {
			if !strings.Contains(string(saved), want) {
				t.Errorf("%q is missing in\n%s", want, saved)
			}
		}
		if code := p.terminate(); code != 0 {
			t.Errorf("exit code %d: %s", code, p.stderr)
		}
		key := regexp.MustCompile(`hw_[a-z2-7]+`).FindString(line[1])
		if strings.Contains(p.stderr.String(), key) || strings.Contains(p.stdout.String(), key) {
			t.Error("the log or the output contains the key")
		}
		again := startService(t, settings...)
		if out := again.stdout.String(); out != "" {
			t.Errorf("a restart prints\n%s", out)
		}
		if a, err := sendRequest("GET", again.url+"/v1/locations", "", "svc-api-key", key); err != nil ||
			a.status != http.StatusOK || !strings.Contains(string(a.body), "Hotel Adler") {
			t.Errorf("after a restart the key returned %d: %v %s", a.status, err, a.body)
		}
		if code := again.terminate(); code != 0 {
			t.Errorf("exit code %d: %s", code, again.stderr)
		}
	})
}

// runCurl runs a curl command in a shell. If curl is not installed, it sends the same request without curl.
func runCurl(t *testing.T, line string) string {
	t.Helper()
	if _, err := exec.LookPath("curl"); err == nil {
		out, err := exec.Command("sh", "-c", line).Output()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return string(out)
	}
	command := regexp.MustCompile(
		`^curl -H "svc-api-key: (\S+)" -H 'Content-Type: application/json' -d '(.*)' (\S+)$`)
	m := command.FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("not a curl command: %s", line)
	}
	a, err := sendRequest("POST", m[3], m[2], "svc-api-key", m[1])
	if err != nil {
		t.Fatal(err)
	}
	return string(a.body)
}

// After SIGTERM, a request in progress is completed, new requests are refused, and the exit code is 0.
func TestSIGTERMFinishesRequestsInProgress(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		settings := newSettings(t, setting)
		p := startService(t, settings...)
		hotel := p.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Hotel"}`)["id"].(string)
		host := strings.TrimPrefix(p.url, "http://")
		conn, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		form := pngForm()
		fmt.Fprintf(conn,
			"POST /v1/locations/%s/upload-logo HTTP/1.1\r\nHost: %s\r\nsvc-api-key: %s\r\nContent-Type: "+
				"multipart/form-data; boundary=b\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
			hotel, host, apiKey, len(form))
		in := bufio.NewReader(conn)
		// This response means that the handler has started to read the body.
		if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
			t.Fatalf("%q %v", line, err)
		}
		if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		waitUntil(t, "new connections are refused", func() bool {
			c, err := net.Dial("tcp", host)
			if err == nil {
				_ = c.Close()
			}
			return err != nil
		})
		if _, err := conn.Write(form); err != nil {
			t.Fatal(err)
		}
		if line, err := in.ReadString('\n'); err != nil || line != "\r\n" { // the end of the 100 response
			t.Fatalf("%q %v", line, err)
		}
		res, err := http.ReadResponse(in, nil)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("the upload in progress returned %v: %v", res, err)
		}
		<-p.ended
		if code := p.cmd.ProcessState.ExitCode(); code != 0 {
			t.Errorf("exit code %d: %s", code, p.stderr)
		}
		again := startService(t, settings...)
		if l := again.must(http.StatusOK, "GET", "/v1/locations/"+hotel, ""); l["logoUrl"] == nil {
			t.Errorf("the acknowledged upload is missing: %v", l)
		}
	})
}

func pngForm() []byte {
	var b bytes.Buffer
	b.WriteString("--b\r\nContent-Disposition: form-data; name=\"logo\"; filename=\"a.png\"\r\n\r\n")
	b.Write(pngFile())
	b.WriteString("\r\n--b--\r\n")
	return b.Bytes()
}

func pngFile() []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8))) // writing to memory cannot fail
	return b.Bytes()
}
