package api

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"homeward/internal/lost"
)

var update = flag.Bool("update", false, "rewrite docs/use/problems.md")

func TestProblemsInTheDocsAreUpToDate(t *testing.T) {
	name := filepath.Join("..", "..", "..", "docs", "use", "problems.md")
	want := problemsText()
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("docs/use/problems.md is out of date: go test ./internal/web/api -run Problems -update")
	}
}

// problemsText returns the content of /docs/problems as Markdown.
func problemsText() string {
	var b strings.Builder
	b.WriteString("# Problems\n\n" +
		"A request that fails returns a problem (RFC 9457, `application/problem+json`). The table " +
		"lists every `code`.\n" +
		"Treat an unknown code by its status. `detail` describes what happened this time, and `requestId`\n" +
		"identifies the request in the log.\n" +
		"The service shows this list at `/docs/problems`, the target of every problem's `type`.\n" +
		"The list is generated from internal/web/api/problems.go.\n\n" +
		"| code | status | what happened | what to do |\n|---|---|---|---|\n")
	for _, p := range problems {
		fmt.Fprintf(&b, "| `%s` | %d | %s | %s |\n", p.Code, p.Status(), p.Meaning(), p.Remedy)
	}
	b.WriteString("\n## Field codes\n\n" +
		"With `invalid`, `errors` lists every invalid field, each with its own `code`.\n\n" +
		"| code | what is wrong |\n|---|---|\n")
	for _, f := range fieldCodes {
		fmt.Fprintf(&b, "| `%s` | %s |\n", f.Code, f.Meaning)
	}
	return b.String()
}

func TestTheDefaultTariffInTheDocsIsUpToDate(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "use", "shipping.md"))
	if err != nil {
		t.Fatal(err)
	}
	r := lost.DefaultShippingRules("DE")
	euros := func(cents int64) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }
	rows := []string{
		fmt.Sprintf("| documents, 2 kg | %s | %s | %s |", euros(*r.Domestic.Document), euros(*r.Neighbour.Document),
			euros(*r.World.Document)),
		fmt.Sprintf("| working days | %d to %d | %d to %d | %d to %d |", r.Domestic.FromDays, r.Domestic.ToDays,
			r.Neighbour.FromDays, r.Neighbour.ToDays, r.World.FromDays, r.World.ToDays),
	}
	for n, b := range r.Domestic.Prices {
		rows = append(rows,
			fmt.Sprintf("| %g kg | %s | %s | %s |", float64(b.Grams)/1000, euros(b.Price),
				euros(r.Neighbour.Prices[n].Price), euros(r.World.Prices[n].Price)))
	}
	for _, row := range rows {
		if !strings.Contains(string(text), row) {
			t.Errorf("docs/use/shipping.md does not say %s", row)
		}
	}
}
