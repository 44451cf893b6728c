package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// output holds the flag that selects the format of a command's result.
type output struct {
	JSON bool `help:"Print JSON, for scripts."`
}

// row is one line of a result. Its columns are printed as a table, or as the fields of a JSON object.
type row []column

type column struct {
	name  string
	value any
}

func rowsOf[T any](all []T, of func(T) row) []row {
	rows := make([]row, len(all))
	for n, one := range all {
		rows[n] = of(one)
	}
	return rows
}

// print writes one row as a table with a heading, or as a JSON object.
func (o output) print(out io.Writer, r row) error {
	if o.JSON {
		return printJSON(out, r.record())
	}
	return o.printList(out, []row{r})
}

// printList writes rows as a table with a heading, or as a JSON array.
func (o output) printList(out io.Writer, rows []row) error {
	if o.JSON {
		records := make([]map[string]any, len(rows))
		for n, r := range rows {
			records[n] = r.record()
		}
		return printJSON(out, records)
	}
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	for n, r := range rows {
		if n == 0 {
			printLine(table, r, func(c column) string { return strings.ToUpper(c.name) })
		}
		printLine(table, r, func(c column) string { return formatCell(c.value) })
	}
	return table.Flush()
}

func printLine(w io.Writer, r row, cell func(column) string) {
	cells := make([]string, len(r))
	for i, c := range r {
		cells[i] = cell(c)
	}
	_, _ = fmt.Fprintln(w, strings.Join(cells, "\t"))
}

// formatCell formats a value for a table.
func formatCell(v any) string {
	switch v := v.(type) {
	case time.Time:
		if v.IsZero() {
			return "-"
		}
		return v.Format("2006-01-02 15:04")
	case []string:
		if v == nil {
			return "all"
		}
		return strings.Join(v, ",")
	case bool:
		if v {
			return "yes"
		}
		return "no"
	default:
		return fmt.Sprint(v)
	}
}

// record returns a row as the fields of a JSON object, without times that are not set.
func (r row) record() map[string]any {
	record := map[string]any{}
	for _, c := range r {
		if at, ok := c.value.(time.Time); !ok || !at.IsZero() {
			record[c.name] = c.value
		}
	}
	return record
}

func printJSON(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// statusWriter writes a command's progress and warnings to standard error, separately from its result.
type statusWriter struct{ io.Writer }

func (s statusWriter) printf(format string, args ...any) { _, _ = fmt.Fprintf(s, format+"\n", args...) }
