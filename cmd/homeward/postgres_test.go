package main_test

import (
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Signals that stop PostgreSQL, either as in a crash or cleanly after closing all connections.
const (
	immediately = syscall.SIGQUIT
	inOrder     = syscall.SIGINT
)

// postgresServer is a PostgreSQL server that a test can stop and start.
type postgresServer struct {
	t        *testing.T
	programs string // the folder of PostgreSQL's programs
	as       []string
	data     string
	password string
	port     int
	cmd      *exec.Cmd
	ended    chan struct{}
	log      *output
}

// newPostgres creates and starts a PostgreSQL server. If PostgreSQL is not installed, the test is skipped, except in
// CI.
func newPostgres(t *testing.T) *postgresServer {
	t.Helper()
	programs := postgresPrograms()
	if programs == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("PostgreSQL's initdb is neither in /usr/lib/postgresql nor on the PATH")
		}
		t.Skip("PostgreSQL's initdb is neither in /usr/lib/postgresql nor on the PATH")
	}
	home := t.TempDir()
	c := &postgresServer{
		t: t, programs: programs, data: filepath.Join(home, "data"), password: rand.Text(), port: freePort(t),
		log: &output{},
	}
	passwords := filepath.Join(home, "password")
	if err := os.WriteFile(passwords, []byte(c.password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		c.dropRoot(home, passwords)
	}
	initdb := c.command("initdb", "-D", c.data, "--username=homeward", "--pwfile="+passwords, "--auth=password",
		"--encoding=UTF8", "--locale=C", "--no-sync")
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	t.Cleanup(func() { c.stop(immediately) })
	c.start()
	return c
}

// newReplica creates and starts a streaming replica.
func (c *postgresServer) newReplica() *postgresServer {
	c.t.Helper()
	f := &postgresServer{
		t: c.t, programs: c.programs, as: c.as, data: c.data + "-follower", password: c.password, port: freePort(c.t),
		log: &output{},
	}
	copied := c.command("pg_basebackup", "-D", f.data, "-d", c.address(), "-R", "-X", "stream", "-c", "fast",
		"--no-sync")
	if out, err := copied.CombinedOutput(); err != nil {
		c.t.Fatalf("pg_basebackup: %v\n%s", err, out)
	}
	c.t.Cleanup(func() { f.stop(immediately) })
	f.start()
	return f
}

// sql runs a query and returns its output.
func (c *postgresServer) sql(text string) string {
	c.t.Helper()
	out, err := c.command("psql", "-XAtq", "-d", c.address(), "-c", text).CombinedOutput()
	if err != nil {
		c.t.Fatalf("%s: %v\n%s", text, err, out)
	}
	return strings.TrimSpace(string(out))
}

// postgresPrograms returns the folder of PostgreSQL's programs: the newest version installed by Debian, or the one on
// the PATH. It returns "" if there is none.
func postgresPrograms() string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // the pattern is valid
	slices.SortFunc(found, func(a, b string) int { return version(b) - version(a) })
	if len(found) == 0 {
		onPath, err := exec.LookPath("initdb")
		if err != nil {
			return ""
		}
		found = []string{onPath}
	}
	return filepath.Dir(found[0])
}

func version(initdb string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(initdb)))) // an unknown version sorts last
	return n
}

// dropRoot makes PostgreSQL run as another user, because it refuses to run as root. It makes that user the owner of
// the files.
func (c *postgresServer) dropRoot(home string, files ...string) {
	c.t.Helper()
	if _, err := exec.LookPath("setpriv"); err != nil {
		if os.Getenv("CI") != "" {
			c.t.Fatal(err)
		}
		c.t.Skipf("PostgreSQL does not run as root: %v", err)
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		account, err = user.Lookup("nobody")
	}
	if err != nil {
		c.t.Fatal(err)
	}
	c.as = []string{"setpriv", "--reuid=" + account.Uid, "--regid=" + account.Gid, "--clear-groups", "--pdeathsig=QUIT"}
	if err := os.Chmod(filepath.Dir(home), 0o711); err != nil { // allow traversal, but not listing
		c.t.Fatal(err)
	}
	uid, _ := strconv.Atoi(account.Uid)
	for _, file := range append(files, home) {
		if err := os.Chown(file, uid, -1); err != nil {
			c.t.Fatal(err)
		}
	}
}

// command returns a command that runs one of PostgreSQL's programs.
func (c *postgresServer) command(program string, args ...string) *exec.Cmd {
	line := slices.Concat(c.as, []string{filepath.Join(c.programs, program)}, args)
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Dir = "/"
	return cmd
}

// freePort returns a free port below the range used for outgoing connections, so that it stays free while PostgreSQL
// is stopped.
func freePort(t *testing.T) int {
	t.Helper()
	for range 100 {
		port := 15000 + mathrand.IntN(17000)
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			_ = l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

func (c *postgresServer) address() string {
	return fmt.Sprintf("postgres://homeward:%s@127.0.0.1:%d/postgres?sslmode=disable", c.password, c.port)
}

// start starts PostgreSQL and waits until it accepts connections. PostgreSQL does not sync to disk, because the tests
// do not crash the machine.
func (c *postgresServer) start() {
	c.t.Helper()
	c.cmd = c.command("postgres", "-D", c.data, "-p", strconv.Itoa(c.port), "-c", "listen_addresses=127.0.0.1", "-c",
		"unix_socket_directories=",
		"-c", "fsync=off", "-c", "max_connections=100")
	c.cmd.Stdout, c.cmd.Stderr = c.log, c.log
	if err := c.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.ended = make(chan struct{})
	go func(cmd *exec.Cmd, ended chan struct{}) {
		_ = cmd.Wait() // the exit status does not matter
		close(ended)
	}(c.cmd, c.ended)
	waitWithin(c.t, time.Minute, "PostgreSQL accepts connections", func() bool {
		select {
		case <-c.ended:
			c.t.Fatalf("PostgreSQL ended: %s", c.log)
		default:
		}
		return c.command("pg_isready", "-q", "-h", "127.0.0.1", "-p", strconv.Itoa(c.port)).Run() == nil
	})
}

// stop stops PostgreSQL if it is running.
func (c *postgresServer) stop(how syscall.Signal) {
	if c.cmd == nil || c.cmd.Process == nil {
		return
	}
	_ = c.cmd.Process.Signal(how) // it may have ended already
	<-c.ended
}
