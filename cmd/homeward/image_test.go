package main_test

import (
	"debug/elf"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"homeward/internal/secretscan"
)

// imageBinary returns the path of the program that `make test-image` has built.
func imageBinary(t *testing.T) string {
	t.Helper()
	file := os.Getenv("HOMEWARD_TEST_BINARY")
	if file == "" {
		t.Skip("make test-image builds the program for the image and runs this test")
	}
	return file
}

func TestTheImageProgramIsStaticAndHasAVersion(t *testing.T) {
	file := imageBinary(t)
	program, err := elf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = program.Close() }()
	for _, p := range program.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Errorf("the program needs a loader or libraries: %s", p.Type)
		}
	}
	if libraries, err := program.ImportedLibraries(); err == nil && len(libraries) > 0 {
		t.Errorf("the program needs %v", libraries)
	}
	out, err := exec.CommandContext(t.Context(), file, "version").Output()
	if err != nil || !strings.HasPrefix(string(out), "homeward ") || strings.Contains(string(out), "development") {
		t.Errorf("version: %v: %s", err, out)
	}
}

// otherUser is the id of a user who owns no files, like the user in the image.
const otherUser = "65532"

// The image's root folder contains only the program and one writable folder. There is no /tmp, no /etc and no shell.
func TestTheImageRunsAsAnotherUserOnAReadOnlyRoot(t *testing.T) {
	program := imageBinary(t)
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("needs root on Linux")
	}
	for _, tool := range []string{"unshare", "setpriv", "chroot", "mount"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	root := t.TempDir()
	allowTraversal(t, root)
	copyFile(t, program, filepath.Join(root, "homeward"))
	data := filepath.Join(root, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(data, 65532, 65532); err != nil {
		t.Skipf("changing the owner of a folder is not permitted: %v", err)
	}
	// The script makes the root read-only in its own mount namespace, and the data folder a writable mount.
	script := `set -e; mount --bind "$0" "$0"; mount --bind "$0/data" "$0/data"; mount -o remount,ro,bind "$0"
cd "$0"; exec setpriv --reuid=` + otherUser + ` --regid=` + otherUser + ` --clear-groups --no-new-privs true`
	if out, err := exec.CommandContext(t.Context(), "unshare", "--mount", "sh", "-c", script,
		root).CombinedOutput(); err != nil {
		t.Skipf("mounting is not permitted: %v: %s", err, out)
	}
	p := startConfined(t, root)
	recordItem(t, p)
	inside := func(args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "chroot",
			append([]string{"--userspec=" + otherUser + ":" + otherUser, root, "/homeward"}, args...)...)
		cmd.Env = []string{}
		printed, err := cmd.CombinedOutput()
		return string(printed), err
	}
	if printed, err := inside("health", "--url", p.url); err != nil || printed != "ready\n" {
		t.Errorf("health: %v: %s", err, printed)
	}
	if code := p.terminate(); code != 0 {
		t.Errorf("exit code %d: %s", code, p.stderr)
	}
	if left, err := os.ReadDir(root); err != nil || len(left) != 2 {
		t.Errorf("the root folder contains %v, want only the program and the data folder: %v", left, err)
	}
}

// startConfined starts the program in its root folder as another user, who can write only to the data folder.
func startConfined(t *testing.T, root string) *process {
	t.Helper()
	p := &process{t: t, stdout: &output{}, stderr: &processLog{secretscan.Watch(t)}, ended: make(chan struct{})}
	script := `set -e; mount --bind "$0" "$0"; mount --bind "$0/data" "$0/data"; mount -o remount,ro,bind "$0"
exec chroot --userspec=` + otherUser + `:` + otherUser + ` "$0" /homeward serve`
	p.cmd = exec.Command("unshare", "--mount", "sh", "-c", script, root)
	p.cmd.Env = withAdmin([]string{
		"PATH=" + os.Getenv("PATH"), "HOMEWARD_DATA=/data", "HOMEWARD_LISTEN=127.0.0.1:0", "HOMEWARD_API_KEY=" + apiKey,
		"TMPDIR=/nowhere",
	})
	p.cmd.Stdout, p.cmd.Stderr = p.stdout, p.stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // the result is in ProcessState
		close(p.ended)
	}()
	t.Cleanup(p.kill)
	waitUntil(t, "it listens", func() bool {
		select {
		case <-p.ended:
			t.Fatalf("it ended: %s%s", p.stdout, p.stderr)
		default:
		}
		p.url = p.stderr.listening()
		return p.url != ""
	})
	return p
}

// allowTraversal lets other users traverse a folder's parent folders.
func allowTraversal(t *testing.T, folder string) {
	t.Helper()
	for at := folder; at != os.TempDir() && at != "/" && strings.HasPrefix(at, os.TempDir()); at = filepath.Dir(at) {
		if err := os.Chmod(at, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = io.Copy(out, in); err == nil {
		err = out.Close()
	}
	if err != nil {
		t.Fatal(fmt.Errorf("copy the program: %w", err))
	}
}
