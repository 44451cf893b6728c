package main_test

import (
	"bytes"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// smallDisk mounts a small file system for the duration of the test. If that is not permitted, the test is skipped.
func smallDisk(t *testing.T, megabytes int) string {
	t.Helper()
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skip("only root on Linux may mount a small file system; the file size limit is tested everywhere on Linux")
	}
	folder := filepath.Join(t.TempDir(), "disk")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%dm,mode=755", megabytes),
		"homeward-test", folder).CombinedOutput(); err != nil {
		t.Skipf("mounting a small file system failed: %v %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", folder).CombinedOutput(); err != nil {
			t.Errorf("umount: %v %s", err, out)
		}
	})
	return folder
}

// fillDisk uses up all free space until empty is called.
func fillDisk(t *testing.T, folder string) (empty func()) {
	t.Helper()
	name := filepath.Join(folder, "filler")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1 << 20, 4 << 10, 1} {
		block := make([]byte, size)
		for err = nil; err == nil; {
			_, err = f.Write(block)
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("filling the disk: %v", err)
		}
	}
	_ = f.Close() // an error is expected, because the disk is full
	return func() {
		if err := os.Remove(name); err != nil {
			t.Error(err)
		}
	}
}

// fullOnSQLite fills the disk that contains the database and the files.
func fullOnSQLite(t *testing.T) {
	disk := smallDisk(t, 24)
	var empty func()
	testFullDisk(t, "disk of SQLite and files full", "HOMEWARD_DATA="+filepath.Join(disk, "data"),
		"HOMEWARD_DATABASE="+filepath.Join(disk, "data", "homeward.db"),
		func(*process) { empty = fillDisk(t, disk) }, func(*process) { empty() }, true)
}

// limitedOnSQLite limits the size of files, as a quota does. Unlike mounting a disk, this does not require root.
func limitedOnSQLite(t *testing.T) {
	if _, err := exec.LookPath("prlimit"); err != nil {
		t.Skipf("the limit of a running process cannot be set: %v", err)
	}
	limit := func(size string) func(*process) {
		return func(p *process) {
			if out, err := exec.Command("prlimit", "--pid", fmt.Sprint(p.cmd.Process.Pid),
				"--fsize="+size+":").CombinedOutput(); err != nil {
				t.Fatalf("prlimit: %v %s", err, out)
			}
		}
	}
	data := filepath.Join(t.TempDir(), "data")
	testFullDisk(t, "SQLite's files cannot grow", "HOMEWARD_DATA="+data,
		"HOMEWARD_DATABASE="+filepath.Join(data, "homeward.db"), limit("1"), limit("unlimited"), true)
}

// fullOnPostgres fills the disk that contains PostgreSQL's tables. The write-ahead log is on another disk: if that
// disk were full, PostgreSQL would stop and recover as after a crash.
func fullOnPostgres(t *testing.T) {
	disk := smallDisk(t, 96)
	db := newPostgres(t)
	space := filepath.Join(disk, "tables")
	if err := os.Mkdir(space, 0o700); err != nil {
		t.Fatal(err)
	}
	owner, err := os.Stat(db.data)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(space, int(owner.Sys().(*syscall.Stat_t).Uid), -1); err != nil {
		t.Fatal(err)
	}
	for parent := filepath.Dir(disk); parent != "/" && parent != os.TempDir(); parent = filepath.Dir(parent) {
		if err := os.Chmod(parent, 0o711); err != nil { // allow traversal, but not listing
			t.Fatal(err)
		}
	}
	conn, err := pgx.Connect(t.Context(), db.address())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"CREATE TABLESPACE small LOCATION '" + space + "'",
		"CREATE DATABASE homeward TABLESPACE small"} {
		if _, err := conn.Exec(t.Context(), text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	_ = conn.Close(t.Context())
	var empty func()
	testFullDisk(t, "disk of PostgreSQL's tables full", "HOMEWARD_DATA="+filepath.Join(t.TempDir(), "data"),
		"HOMEWARD_DATABASE="+strings.Replace(db.address(), "/postgres?", "/homeward?", 1),
		func(*process) { empty = fillDisk(t, disk) }, func(*process) { empty() }, false)
}

// imageForm returns an upload form with a picture, and its Content-Type.
func imageForm() (body, contentType string) {
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, _ := form.CreateFormFile("image", "a.png") // writing to memory cannot fail
	_, _ = part.Write(pngFile())
	_ = form.Close()
	return b.String(), form.FormDataContentType()
}

// testFullDisk fills the disk while items change. Writes return 503 with a reason and reads succeed. Once there is
// free space, the service recovers automatically.
func testFullDisk(t *testing.T, fault, data, database string, fill, empty func(*process), filesToo bool) {
	settings := withAdmin([]string{
		data, database, "HOMEWARD_API_KEY=" + apiKey, "HOMEWARD_WEBHOOK_ALLOW_PRIVATE=true",
		"HOMEWARD_WEBHOOK_RETRY_UNIT=50ms",
	})
	p := startService(t, settings...)
	cookie := logIn(t, p)
	receivers := []*webhookReceiver{newWebhookReceiver(t, p, nil)}
	load := newLoadGenerator(t, p, 4)
	end := load.start(p.url)
	busy := load.count() + 50
	waitWithin(t, time.Minute, "there is load", func() bool { return load.count() >= busy })

	fill(p)
	hotel, _, _ := strings.Cut(load.items[0], "/items/")
	f := faultReport{fault: fault, load: "4 clients, readers and uploads", injected: 1}
	long := strings.Repeat("A text that takes space. ", 80)
	write := probe{"POST", hotel + "/items", `{"description": "Scarf", "notes": "` + long + `"}`, 201, 503}
	acknowledged := 0 // writes may succeed for a while, because PostgreSQL's files contain free space
	waitWithin(t, 2*time.Minute, "the disk is full", func() bool {
		a := write.send(p.url, nil)
		f.requests++
		if a.status == http.StatusCreated {
			acknowledged++
			return false
		}
		explained := bytes.Contains(a.body, []byte("database disk is full")) ||
			bytes.Contains(a.body, []byte("not available"))
		if a.status != http.StatusServiceUnavailable || a.retry == "" || filesToo && !explained {
			t.Fatalf("a write without disk space returned %d: %s", a.status, a.body)
		}
		return true
	})
	items := hotel + "/items"
	reads := []probe{
		{"GET", "/healthz", "", 200, 200}, {"GET", load.items[0], "", 200, 200}, {"GET", items, "", 200, 200},
		{"GET", items + "?term=umbrella", "", 200, 200},
		{"GET", load.items[0] + "/history", "", 200, 200},
		{"GET", "/at/" + strings.TrimPrefix(hotel, "/v1/locations/") + "/items", "", 200, 200},
	}
	for range 10 {
		refused, slowest := checkProbes(t, runProbes(p.url, cookie, reads), true)
		f.requests, f.refused, f.slowest = f.requests+len(reads), f.refused+refused, max(f.slowest, slowest)
	}
	form, contentType := imageForm()
	if filesToo {
		a := probe{"POST", load.items[0] + "/upload-image", form, 200, 503}.send(p.url,
			http.Header{"Content-Type": {contentType}})
		if a.status != http.StatusServiceUnavailable || a.retry == "" {
			t.Errorf("an upload without disk space returned %d: %s", a.status, a.body)
		}
		if a := (probe{"GET", "/readyz", "", 200, 200}).send(p.url, nil); a.status != http.StatusOK {
			t.Errorf("/readyz without space for files returned %d, although reads work", a.status)
		}
		waitWithin(t, time.Minute, "/readyz?verbose says that files fail", func() bool {
			a := probe{"GET", "/readyz?verbose", "", 200, 200}.send(p.url, nil)
			return a.status == http.StatusOK && bytes.Contains(a.body, []byte(`"files":"failing"`))
		})
	}

	empty(p)
	began, more := time.Now(), load.count()+20
	waitWithin(t, time.Minute, "writes succeed again", func() bool { return load.count() >= more })
	f.recovered = time.Since(began)
	waitWithin(t, time.Minute, "the service is ready", func() bool {
		return probe{"GET", "/readyz", "", 200, 503}.send(p.url, nil).status == http.StatusOK
	})
	if a := (probe{"POST", load.items[0] + "/upload-image", form, 200, 503}).send(p.url,
		http.Header{"Content-Type": {contentType}}); a.status != http.StatusOK {
		t.Errorf("an upload after the fault returned %d: %s", a.status, a.body)
	}
	end()
	if images := p.must(http.StatusOK, "GET", load.items[0], "")["images"].([]any); len(images) != 1 {
		t.Errorf("there are %d pictures, want one", len(images))
	}
	f.checkLosses(t, p, load, receivers, 1)
	p.kill()
	p = startService(t, settings...)
	if n := len(p.listAll(items)); n != len(load.items)+acknowledged {
		t.Errorf("%d items after a restart, %d were acknowledged", n, len(load.items)+acknowledged)
	}
}
