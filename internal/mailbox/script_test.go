package mailbox_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"homeward/internal/mailbox"
	"homeward/internal/mailbox/mailboxtest"
)

// scriptedServer answers every command with the lines that answer returns, where TAG stands for the command's tag.
// After a line that is BYE it closes the connection.
func scriptedServer(t *testing.T, answer func(command string) string) *mailboxtest.Server {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go talk(conn, answer)
		}
	}()
	return &mailboxtest.Server{Address: listener.Addr().String()}
}

func talk(conn net.Conn, answer func(command string) string) {
	defer func() { _ = conn.Close() }()
	_, _ = io.WriteString(conn, "* OK [CAPABILITY IMAP4rev1] ready\r\n")
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		tag, command, _ := strings.Cut(lines.Text(), " ")
		text := strings.ReplaceAll(answer(command), "TAG", tag)
		rest, bye := strings.CutSuffix(text, "BYE")
		if _, err := io.WriteString(conn, rest); err != nil || bye {
			return
		}
	}
}

// standard answers the commands before the first e-mail is fetched.
func standard(command string) string {
	switch {
	case strings.HasPrefix(command, "CAPABILITY"):
		return "* CAPABILITY IMAP4rev1\r\nTAG OK done\r\n"
	case strings.HasPrefix(command, "SELECT"):
		return "* 1 EXISTS\r\n* OK [UIDVALIDITY 1] ok\r\nTAG OK [READ-WRITE] done\r\n"
	case strings.HasPrefix(command, "UID SEARCH"):
		return "* SEARCH 7\r\nTAG OK done\r\n"
	case strings.Contains(command, "RFC822.SIZE"):
		return "* 1 FETCH (UID 7 RFC822.SIZE 100)\r\nTAG OK done\r\n"
	default:
		return "TAG OK done\r\n"
	}
}

func TestAnIncompleteMailIsNotPassedOn(t *testing.T) {
	for name, body := range map[string]string{
		"cut off":   "* 1 FETCH (UID 7 BODY[] {1000}\r\nFrom: a@b.example\r\n\r\nYesBYE",
		"oversized": fmt.Sprintf("* 1 FETCH (UID 7 BODY[] {%d}\r\n%s", 1<<30, strings.Repeat("x", 1<<20)),
	} {
		t.Run(name, func(t *testing.T) {
			fetched := make(chan struct{}, 100)
			s := scriptedServer(t, func(command string) string {
				if strings.Contains(command, "BODY.PEEK[]") {
					fetched <- struct{}{}
					return body
				}
				return standard(command)
			})
			g := read(t, s, "imap", mailbox.Options{})
			for range 3 { // it connects again and again
				select {
				case <-fetched:
				case <-time.After(30 * time.Second):
					t.Fatalf("not fetched; log:\n%s", g.logs)
				}
			}
			g.end()
			if len(g.got) > 0 {
				t.Errorf("got %q", <-g.got)
			}
		})
	}
}

func TestAMailThatCannotBeFetchedDoesNotBlockOthersAndIsFlagged(t *testing.T) {
	for name, answer := range map[string]string{
		"refused":         "TAG NO cannot read it\r\n",
		"connection lost": "BYE",
	} {
		t.Run(name, func(t *testing.T) {
			var attempts atomic.Int32
			var handled atomic.Bool
			flagged := make(chan string, 10)
			s := scriptedServer(t, func(command string) string {
				switch {
				case strings.HasPrefix(command, "UID SEARCH"):
					if handled.Load() {
						return "* SEARCH 7\r\nTAG OK done\r\n"
					}
					return "* SEARCH 7 8\r\nTAG OK done\r\n"
				case strings.Contains(command, "UID FETCH 7"):
					attempts.Add(1)
					return answer
				case strings.Contains(command, "RFC822.SIZE"):
					return "* 2 FETCH (UID 8 RFC822.SIZE 100)\r\nTAG OK done\r\n"
				case strings.Contains(command, "BODY.PEEK[]"):
					handled.Store(true)
					return fmt.Sprintf("* 2 FETCH (UID 8 BODY[] {%d}\r\n%s)\r\nTAG OK done\r\n", len(hello), hello)
				case strings.Contains(command, "Flagged"):
					flagged <- command
				}
				return standard(command)
			})
			g := read(t, s, "imap", mailbox.Options{Poll: time.Millisecond})
			if got := g.next(); got != hello {
				t.Errorf("got %q", got)
			}
			select {
			case command := <-flagged:
				if !strings.Contains(command, "STORE 7 ") {
					t.Errorf("got the command %s", command)
				}
			case <-time.After(30 * time.Second):
				t.Fatalf("not flagged; log:\n%s", g.logs)
			}
			if n := attempts.Load(); n != mailbox.MaxAttempts {
				t.Errorf("tried %d times, want %d", n, mailbox.MaxAttempts)
			}
		})
	}
}

func TestThePasswordIsNotInAServersAnswer(t *testing.T) {
	s := scriptedServer(t, func(command string) string {
		if strings.HasPrefix(command, "LOGIN") {
			return "TAG NO you sent " + command + "\r\n"
		}
		return standard(command)
	})
	r, _ := newReader(t, s, "imap", mailbox.Options{})
	if err := r.Check(t.Context()); err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("got %v", err)
	}
}

func TestAReadOnlyMailboxIsReported(t *testing.T) {
	s := scriptedServer(t, func(command string) string {
		if strings.HasPrefix(command, "SELECT") {
			return "* 1 EXISTS\r\n* OK [PERMANENTFLAGS (\\Flagged)] ok\r\nTAG OK done\r\n"
		}
		return standard(command)
	})
	r, _ := newReader(t, s, "imap", mailbox.Options{})
	if err := r.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("got %v", err)
	}
}
