package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// liveName is the name of the operation that measures open pages of the dashboard, which follow changes.
const liveName = "live"

const (
	livePages       = 10_000
	livePlaces      = 100 // locations; each has the same number of open pages
	livePerSession  = 20
	liveIdle        = 30 * time.Second
	liveChanges     = 30 // one in each second
	liveItemsBefore = 25 // items at each location
)

// liveResult holds what open pages cost.
type liveResult struct {
	rows  []liveRow
	times histogram // from the response to a change to the message about it
	read  int       // pages that were read again
}

type liveRow struct {
	name    string
	mega    float64
	percent float64 // of one core
}

// live measures the program with open pages, on SQLite.
func (b *bench) live(ctx context.Context) (*liveResult, error) {
	if err := raiseFileLimit(livePages + livePages/2); err != nil {
		return nil, err
	}
	binary, err := b.build(ctx)
	if err != nil {
		return nil, err
	}
	data := filepath.Join(b.folder, liveName)
	settings := []string{
		"HOMEWARD_DATA=" + data, "HOMEWARD_ADMIN_EMAIL=" + email, "HOMEWARD_ADMIN_PASSWORD=" + password,
		"HOMEWARD_DRAIN=0s", "HOMEWARD_LOG_LEVEL=warn",
	}
	first := append(settings[:len(settings)-1:len(settings)-1], "HOMEWARD_LOG_LEVEL=info")
	if err := withProgram(ctx, binary, first, func(*program) error { return nil }); err != nil {
		return nil, err
	}
	tokens, err := liveSessions(ctx, filepath.Join(data, "homeward.db"))
	if err != nil {
		return nil, err
	}
	l := &liveRun{bench: b, tokens: tokens, times: histogram{}, result: &liveResult{}}
	err = withProgram(ctx, binary, first, func(p *program) error { return l.measure(ctx, p) })
	l.result.times = l.times
	return l.result, err
}

// raiseFileLimit raises the limit of open files of this process and of the programs that it starts.
func raiseFileLimit(needed uint64) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	if limit.Max < needed {
		return fmt.Errorf("at most %d files may be open; run ulimit -Hn %d first", limit.Max, needed)
	}
	limit.Cur = limit.Max
	return syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
}

// liveSessions adds sessions of the first user, and returns their tokens.
func liveSessions(ctx context.Context, file string) (tokens []string, err error) {
	db, err := store.Open(ctx, file, time.Now)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	u, found, err := db.UserByEmail(ctx, email)
	if err != nil || !found {
		return nil, errors.Join(err, errors.New("the first user is missing"))
	}
	return tokens, db.Write(ctx, func(tx *store.Tx) error {
		for range livePages / livePerSession {
			token := rand.Text()
			tokens = append(tokens, token)
			s := lost.NewSession(u, lost.Client{}, true, []lost.AuthProof{lost.PasswordProof}, tx.Now())
			if err := tx.InsertSession(s, store.DirectoryHash(token)); err != nil {
				return err
			}
		}
		return nil
	})
}

// liveRun is one measurement.
type liveRun struct {
	*bench
	tokens    []string
	locations []string
	result    *liveResult

	mu        sync.Mutex
	changedAt time.Time // the response to the last change
	times     histogram
}

func (l *liveRun) measure(ctx context.Context, p *program) error {
	for range livePlaces {
		if err := l.addLocation(ctx, p); err != nil {
			return err
		}
	}
	if err := l.row(ctx, p, "no page open", liveIdle/3, nil); err != nil {
		return err
	}
	l.logf("live: opening %d pages", livePages)
	reading, stop := context.WithCancel(ctx)
	var pages sync.WaitGroup
	defer func() { // after the program has closed the connections
		stop()
		pages.Wait()
	}()
	for n := range livePages {
		at := l.locations[n%livePlaces]
		page, err := l.openPage(reading, p, l.tokens[n/livePerSession], at)
		if err != nil {
			return fmt.Errorf("page %d: %w", n, err)
		}
		pages.Go(func() { l.follow(reading, p, page, l.tokens[n/livePerSession], at) })
	}
	if err := l.settle(ctx); err != nil {
		return err
	}
	if err := l.row(ctx, p, fmt.Sprintf("%d pages open, nothing changes", livePages), liveIdle, nil); err != nil {
		return err
	}
	l.mu.Lock()
	l.times, l.result.read = histogram{}, 0
	l.mu.Unlock()
	return l.row(ctx, p, fmt.Sprintf("%d pages open, one change a second", livePages), 0,
		func() error { return l.change(ctx, p) })
}

// addLocation creates a location with items.
func (l *liveRun) addLocation(ctx context.Context, p *program) error {
	var made struct{ ID string }
	body := fmt.Sprintf(`{"name":"Hotel %d"}`, len(l.locations))
	if err := p.post(ctx, "/v1/locations", "application/json", strings.NewReader(body), &made); err != nil {
		return err
	}
	l.locations = append(l.locations, made.ID)
	for range liveItemsBefore {
		if err := l.record(ctx, p, made.ID); err != nil {
			return err
		}
	}
	return nil
}

func (l *liveRun) record(ctx context.Context, p *program, location string) error {
	return p.post(ctx, "/v1/locations/"+location+"/items", "application/json",
		strings.NewReader(`{"description":"Blue umbrella"}`), nil)
}

// settle waits until the pages that were told to read themselves have done so.
func (l *liveRun) settle(ctx context.Context) error {
	const quiet = 5 * time.Second
	for before := -1; ; {
		l.mu.Lock()
		read := l.result.read
		l.mu.Unlock()
		if read == before {
			return nil
		}
		before = read
		select {
		case <-time.After(quiet):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// row measures the program while do runs, or for a while.
func (l *liveRun) row(ctx context.Context, p *program, name string, while time.Duration, do func() error) error {
	l.logf("live: %s", name)
	began, before := time.Now(), cpuTime(p)
	if do == nil {
		do = func() error {
			select {
			case <-time.After(while):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	if err := do(); err != nil {
		return err
	}
	spent := cpuTime(p) - before
	share := spent.Seconds() / time.Since(began).Seconds()
	mega, err := p.resident(ctx, "VmRSS:")
	l.result.rows = append(l.result.rows, liveRow{name, mega, 100 * share})
	return err
}

// cpuTime returns the time that the program has spent on a core.
func cpuTime(p *program) time.Duration {
	const ticks = 100 // in a second, on Linux
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	var user, system int64
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	_, _ = fmt.Sscan(fields[11], &user)
	_, _ = fmt.Sscan(fields[12], &system)
	return time.Duration(user+system) * time.Second / ticks
}

// change records one item in each second, at one location after another.
func (l *liveRun) change(ctx context.Context, p *program) error {
	pace := time.NewTicker(time.Second)
	defer pace.Stop()
	for n := range liveChanges {
		if err := l.record(ctx, p, l.locations[n%livePlaces]); err != nil {
			return err
		}
		l.mu.Lock()
		l.changedAt = time.Now()
		l.mu.Unlock()
		<-pace.C
	}
	return nil
}

// openPage opens the stream of a list of items.
func (l *liveRun) openPage(ctx context.Context, p *program, token, location string) (net.Conn, error) {
	host := strings.TrimPrefix(p.url, "http://")
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", host)
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(conn, "GET /live?location=%[1]s&here=%[1]s&since=%[2]d HTTP/1.1\r\nHost: %[3]s\r\n"+
		"Accept: text/event-stream\r\nCookie: session=%[4]s\r\n\r\n", location, time.Now().UnixMicro(), host, token)
	return conn, err
}

// follow reads a stream until it ends, and reads the list again when the stream says so.
func (l *liveRun) follow(ctx context.Context, p *program, conn net.Conn, token, location string) {
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	const smallBuffer = 512
	lines := bufio.NewReaderSize(conn, smallBuffer)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		text, found := strings.CutPrefix(line, "data: ")
		var m struct {
			Changed bool
			Delay   int64
		}
		if !found || json.Unmarshal([]byte(text), &m) != nil || !m.Changed {
			continue
		}
		l.mu.Lock()
		if !l.changedAt.IsZero() {
			l.times.add(time.Since(l.changedAt))
		}
		l.mu.Unlock()
		time.AfterFunc(time.Duration(m.Delay)*time.Millisecond, func() { l.readAgain(ctx, p, token, location) })
	}
}

// readAgain reads a list of items as the script of the page does.
func (l *liveRun) readAgain(ctx context.Context, p *program, token, location string) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+"/at/"+location+"/items", http.NoBody)
	if err != nil {
		return
	}
	r.Header.Set("Accept", "text/html")
	r.Header.Set("Homeward-Background", "1")
	r.AddCookie(&http.Cookie{Name: "session", Value: token})
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	if res.StatusCode == http.StatusOK {
		l.mu.Lock()
		l.result.read++
		l.mu.Unlock()
	}
}

func reportLive(printf func(string, ...any), r *liveResult) {
	printf("Measured with %s, on SQLite: %d locations with %d open lists each.\n\n", environment(), livePlaces,
		livePages/livePlaces)
	printf("| | MB resident | CPU, %% of a core |\n|---|--:|--:|\n")
	for _, row := range r.rows {
		printf("| %s | %.0f | %.1f |\n", row.name, row.mega, row.percent)
	}
	printf("\nA message about a change arrived after %.0f ms (median) and %.0f ms (p99). "+
		"%d pages were read again during %d changes.\n",
		millis(r.times.at(0.5)), millis(r.times.at(0.99)), r.read, liveChanges)
}
