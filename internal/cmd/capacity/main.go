// Command capacity estimates the hardware that the service needs at several sizes. It uses the measured size of
// records, the cost of requests in docs/develop/performance.md, and a simulation of accounts of very different sizes
// over several years. It prints Markdown.
//
//	make capacity                             # measures on both databases, updates docs/operate/scaling.md
//	go run ./internal/cmd/capacity            # prints the results of the last measurement
//	go run ./internal/cmd/capacity -measure   # measures on SQLite, and on PostgreSQL if HOMEWARD_TEST_POSTGRES is set
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "capacity:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := flag.NewFlagSet("capacity", flag.ContinueOnError)
	flags.SetOutput(progress)
	again := flags.Bool("measure", false, "measure the size of records instead of using the last measurement")
	finds := flags.Int("finds", 400, "number of found items to record for the measurement, at least 100")
	write := flags.String("write", "",
		"write the tables into this file and, with -measure, the measurement into "+measuredFile)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *finds < minFinds {
		return fmt.Errorf("-finds must be at least %d; with fewer, the size of a record is unreliable", minFinds)
	}
	m, err := lastMeasured()
	if *again {
		m, err = measure(ctx, *finds, os.Getenv("HOMEWARD_TEST_POSTGRES"), progress)
	}
	if err != nil {
		return err
	}
	tables := report(m)
	if *write == "" {
		for _, t := range tables {
			_, _ = fmt.Fprintf(out, "## %s\n\n%s\n", t.name, t.text)
		}
		return nil
	}
	if _, both := m["postgres"]; !both {
		return errors.New("-write needs both databases: HOMEWARD_TEST_POSTGRES is not set")
	}
	return writeAll(*write, m, tables)
}

// writeAll writes the tables into the document and saves the measurement, from which a test computes the tables
// again.
func writeAll(doc string, m measured, tables []table) error {
	text, err := os.ReadFile(doc)
	if err != nil {
		return err
	}
	if text, err = insertTables(text, tables); err != nil {
		return fmt.Errorf("%s: %w", doc, err)
	}
	if err := os.WriteFile(doc, text, 0o644); err != nil { // readable by all users
		return err
	}
	return m.save()
}

// table is one part of the report. name identifies its place in the document.
type table struct{ name, text string }

// insertTables replaces the text between each table's markers. It returns an error if a marker is missing.
func insertTables(doc []byte, tables []table) ([]byte, error) {
	for _, t := range tables {
		begin, end := []byte("<!-- "+t.name+": made by make capacity -->\n"), []byte("<!-- end of "+t.name+" -->")
		before, rest, found := bytes.Cut(doc, begin)
		_, after, ended := bytes.Cut(rest, end)
		if !found || !ended {
			return nil,
				fmt.Errorf("the markers for %s are missing: %q and %q", t.name, strings.TrimSpace(string(begin)), end)
		}
		doc = bytes.Join([][]byte{before, begin, []byte("\n" + t.text + "\n"), end, after}, nil)
	}
	return doc, nil
}
