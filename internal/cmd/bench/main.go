// Command bench measures the service: requests (compared with a baseline handler that uses net/http and one prepared
// query), webhooks, the pages of the dashboard, reports, matching, memory and, on request, several instances. It prints
// tables in Markdown, or writes them into a document, and fails if a page exceeds its limits.
//
// For each database it loads one location with few items and one with many, and starts the service in this process and
// the baseline handler in another. A third process sends requests to both in short, alternating turns, so that
// disturbances affect both equally.
//
// It then measures webhook delivery in a database with many earlier deliveries: bursts that are pending when the
// service starts, and a steady stream. Another process receives the webhooks. It also measures the response time and
// size of every dashboard page, with the same numbers of items.
//
//	make bench
//	make bench ARGS='-engine sqlite -ops get,list -seconds 10'
//	make bench ARGS='-write docs/develop/performance.md'
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"homeward/internal/memory"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	if len(args) > 0 && args[0] == driveCommand {
		return drive(os.Stdin, out)
	}
	if len(args) > 0 && args[0] == bareCommand {
		return serveBare(ctx, os.Stdin, out)
	}
	if len(args) > 0 && args[0] == receiveCommand {
		return receive(ctx, args[1:], os.Stdin, out)
	}
	if len(args) > 0 && args[0] == instanceCommand {
		return serveInstance(ctx, os.Stdin, out)
	}
	o, err := parse(args, progress)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp(diskFolder(), "homeward-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()

	go memory.Adapt(ctx) // as the service does
	b := &bench{options: o, folder: folder, progress: progress, began: time.Now()}
	r, err := b.measureAll(ctx)
	if err != nil {
		return err
	}
	sections := report(r)
	for _, s := range sections {
		_, _ = fmt.Fprintf(out, "## %s\n\n%s\n", s.name, s.text)
	}
	b.logf("done")
	if o.document != "" {
		if err := writeDocument(o.document, sections); err != nil {
			return err
		}
	}
	return judgePages(r.pages)
}

// results holds the results of a run.
type results struct {
	operations []*series
	webhooks   []*deliveryResult
	pages      []*pageResult
	matches    []*matchResult
	searches   []*matchResult
	reports    []*matchResult
	rules      []*rulesResult
	instances  []*instanceResult
	starts     []*startResult
	memory     *memoryResult
	live       *liveResult
}

// measureAll measures everything that the options select.
func (b *bench) measureAll(ctx context.Context) (r results, err error) {
	for _, engine := range b.engines {
		if err := b.measureEngine(ctx, engine, &r); err != nil {
			return r, fmt.Errorf("%s: %w", engine, err)
		}
	}
	if slices.Contains(b.ops, instancesName) {
		if r.instances, err = b.instances(ctx); err != nil {
			return r, fmt.Errorf("%s: %w", instancesName, err)
		}
	}
	if slices.Contains(b.ops, liveName) {
		if r.live, err = b.live(ctx); err != nil {
			return r, fmt.Errorf("%s: %w", liveName, err)
		}
	}
	if b.options.memory {
		if r.memory, err = b.memory(ctx); err != nil {
			return r, fmt.Errorf("memory: %w", err)
		}
	}
	return r, nil
}

func (b *bench) measureEngine(ctx context.Context, engine string, r *results) error {
	if err := b.engine(ctx, engine, r); err != nil {
		return err
	}
	if slices.Contains(b.ops, webhooksName) {
		sent, err := b.webhooks(ctx, engine)
		if err != nil {
			return fmt.Errorf("%s: %w", webhooksName, err)
		}
		r.webhooks = append(r.webhooks, sent...)
	}
	if slices.Contains(b.ops, pagesName) {
		for _, size := range b.extremes() {
			pages, err := b.pages(ctx, engine, size)
			if err != nil {
				return fmt.Errorf("%s: %w", pagesName, err)
			}
			r.pages = append(r.pages, pages...)
		}
	}
	if slices.Contains(b.ops, queriesName) {
		found, err := b.searches(ctx, engine, slices.Max(b.sizes))
		if err != nil {
			return fmt.Errorf("%s: %w", queriesName, err)
		}
		r.searches = append(r.searches, found...)
	}
	if slices.Contains(b.ops, reportsName) {
		made, err := b.reports(ctx, engine, slices.Max(b.sizes))
		if err != nil {
			return fmt.Errorf("%s: %w", reportsName, err)
		}
		r.reports = append(r.reports, made...)
	}
	if slices.Contains(b.ops, rulesName) {
		changed, err := b.rules(ctx, engine, slices.Max(b.sizes))
		if err != nil {
			return fmt.Errorf("%s: %w", rulesName, err)
		}
		r.rules = append(r.rules, changed)
	}
	if slices.Contains(b.ops, matchName) {
		for _, size := range b.extremes() {
			found, err := b.matches(ctx, engine, size)
			if err != nil {
				return fmt.Errorf("%s: %w", matchName, err)
			}
			r.matches = append(r.matches, found...)
		}
	}
	return nil
}

// extremes returns the smallest and the largest number of items.
func (o options) extremes() []int {
	return slices.Compact([]int{slices.Min(o.sizes), slices.Max(o.sizes)})
}

// timeFor returns a limit for a measurement with a number of items, most of which is the time to load them.
func timeFor(items int) time.Duration {
	const most, perItem = 30 * time.Minute, 5 * time.Millisecond
	return most + time.Duration(items)*perItem
}

// diskFolder returns a folder on a real disk. /tmp is often in memory, where an fsync costs nothing.
func diskFolder() string {
	const disk = "/var/tmp"
	if _, err := os.Stat(disk); err == nil && os.Getenv("TMPDIR") == "" {
		return disk
	}
	return os.TempDir()
}

// options holds the command-line options.
type options struct {
	engines  []string
	sizes    []int
	ops      []string
	seconds  float64 // total measuring time for each series
	finished int     // finished webhook deliveries in the database
	burst    int     // webhook deliveries that are pending when the service starts
	steady   float64 // duration of the steady stream of changes, in seconds
	visits   int     // visits to each page
	memory   bool
	document string // the file whose tables are replaced; may be empty
	profile  string // folder for profiles of the service; if set, the baseline handler is not measured
}

func parse(args []string, usage io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(usage)
	engines := flags.String("engine", "sqlite,postgres",
		"databases to measure; postgres uses the server in HOMEWARD_TEST_POSTGRES")
	sizes := flags.String("size", "10000,200000", "numbers of items in the location")
	ops := flags.String("ops", strings.Join(allNames(), ","),
		"operations to measure; two are off by default: copies, which compares one and three instances on PostgreSQL, "+
			"and live, which opens 10000 pages of the dashboard")
	flags.Float64Var(&o.seconds, "seconds", 5, "total measuring time for each figure, in seconds")
	flags.IntVar(&o.finished, "settled", 1_000_000, "finished webhook deliveries in the database")
	flags.IntVar(&o.burst, "burst", 20_000, "webhook deliveries in a burst")
	flags.Float64Var(&o.steady, "steady", 20, "duration of the steady stream of webhooks, in seconds")
	flags.IntVar(&o.visits, "visits", 100, "number of requests to each page")
	flags.BoolVar(&o.memory, "memory", true, "also measure resident memory")
	flags.StringVar(&o.profile, "profile", "",
		"folder for CPU and allocation profiles of the service; the baseline handler is then not measured")
	flags.StringVar(&o.document, "write", "",
		"also write the tables into this file, between their markers; needs both databases")
	quick := flags.Bool("quick", false, "do a short run to check that everything works; the figures are not reliable")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.engines, o.ops = strings.Split(*engines, ","), strings.Split(*ops, ",")
	if *quick {
		*sizes, o.seconds = "1000,3000", 0.5
		o.finished = 10_000
		o.burst = 2_000
		o.steady = 3
		o.visits = 5
	}
	for _, text := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < rareItems {
			return o, fmt.Errorf("-size must be numbers of items, each at least %d, separated by commas", rareItems)
		}
		o.sizes = append(o.sizes, n)
	}
	return o, errors.Join(o.check(), o.checkDocument(*quick))
}

func (o options) check() error {
	for _, e := range o.engines {
		if e != "sqlite" && e != "postgres" {
			return errors.New("-engine must be sqlite, postgres, or both separated by a comma")
		}
	}
	for _, name := range o.ops {
		if !slices.Contains(allNames(), name) && name != instancesName && name != liveName {
			return fmt.Errorf("-ops must contain only names from %s,%s,%s", strings.Join(allNames(), ","),
				instancesName, liveName)
		}
	}
	if o.seconds <= 0 || o.steady <= 0 {
		return errors.New("-seconds and -steady must be positive")
	}
	if o.finished < 0 || o.burst < 1 || o.visits < 1 {
		return errors.New("-settled must be at least 0, and -burst and -visits must be at least 1")
	}
	return nil
}

// bench is one run of the benchmark.
type bench struct {
	options
	folder   string
	progress io.Writer
	began    time.Time
}

// logf prints a line of progress.
func (b *bench) logf(form string, args ...any) {
	_, _ = fmt.Fprintf(b.progress, "%4.0f s  %s\n", time.Since(b.began).Seconds(), fmt.Sprintf(form, args...))
}

// engine measures every operation on one database with every number of items, and the start of the program.
func (b *bench) engine(ctx context.Context, engine string, r *results) (err error) {
	needed := append(operationNames(), startName)
	if !slices.ContainsFunc(b.ops, func(name string) bool { return slices.Contains(needed, name) }) {
		return nil
	}
	var sites []*site
	defer func() {
		for _, s := range sites {
			err = errors.Join(err, s.close())
		}
	}()
	for _, size := range b.sizes {
		s, err := b.open(ctx, engine, size)
		if s != nil {
			sites = append(sites, s)
		}
		if err != nil {
			return err
		}
	}
	for _, op := range operations() {
		if !slices.Contains(b.ops, op.name) {
			continue
		}
		b.logf("%s: %s", engine, op.name)
		measured, err := b.measure(ctx, op, sites)
		if err != nil {
			return fmt.Errorf("%s: %w", op.name, err)
		}
		r.operations = append(r.operations, measured...)
	}
	if !slices.Contains(b.ops, startName) {
		return nil
	}
	for _, s := range sites {
		started, err := b.start(ctx, s)
		if err != nil {
			return fmt.Errorf("%s: %w", startName, err)
		}
		r.starts = append(r.starts, started)
	}
	return nil
}
