package storetest

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"homeward/internal/store"
)

// Every program of tests that uses a database has its statements looked at, also where it is the service itself that runs in it.
func init() { store.Guard(lookAt) } //nolint:gochecknoinits // a test that forgets to ask for it would be held to nothing

var known sync.Map // by text, the table for which it names nothing

// lookAt panics over a statement that names no account and does not say why, and over one that crosses accounts for a request. A panic is seen, also
// in background work, which would only log an error.
func lookAt(ctx context.Context, sql string) {
	table, seen := known.Load(sql)
	if !seen {
		table = Unnamed(sql)
		known.Store(sql, table)
	}
	errand := store.ErrandOf(ctx)
	switch {
	case table == "" || strings.HasPrefix(sql, "EXPLAIN"): // which runs nothing
	case errand == "":
		panic(fmt.Sprintf("this statement does not say whose rows of %s it is about: name the account, or say with across what it crosses accounts for:\n%s", table, sql))
	case store.IsRequest(ctx) && errand != store.Freeing:
		panic(fmt.Sprintf("a request runs a statement that crosses accounts for %s:\n%s", errand, sql))
	}
}

// Unnamed gives a table of a statement for which it names no account by an argument, directly or by way of another table, nor what else that table is spread by;
// empty where it does for all. It reads the plain SQL that the store writes, not all there is.
func Unnamed(sql string) string {
	s := &statement{ctes: map[string]bool{}}
	for _, cte := range ctePattern.FindAllStringSubmatch(sql, -1) {
		s.ctes[cte[1]] = true
	}
	s.walk(tokenPattern.FindAllString(sql, -1), s.scope(nil))
	s.bind()
	for _, sc := range s.scopes {
		for _, r := range sc.refs {
			if !r.bound {
				return r.table
			}
		}
	}
	return ""
}

var (
	ctePattern   = regexp.MustCompile(`(?i)(?:\bWITH(?:\s+RECURSIVE)?|\),)\s+(\w+)\s*(?:\([^)]*\))?\s+AS\s+(?:MATERIALIZED\s+)?\(`)
	tokenPattern = regexp.MustCompile(`'(?:[^']|'')*'|\$\d+|[A-Za-z_][\w.]*|\d+|[^\s\w]`)
)

// statement is what is read of a text: a scope for each SELECT in it, and for the whole.
type statement struct {
	ctes   map[string]bool
	scopes []*scope
}

type scope struct {
	outer *scope
	refs  []*ref
	same  [][2]string // columns that are equal
}

// ref is a table in a scope, or what stands like one there.
type ref struct {
	table, name string
	bound       bool
}

func (s *statement) scope(outer *scope) *scope {
	sc := &scope{outer: outer}
	s.scopes = append(s.scopes, sc)
	return sc
}

// find gives what a name stands for, here or further out.
func (sc *scope) find(name string) *ref {
	for ; sc != nil; sc = sc.outer {
		for _, r := range sc.refs {
			if r.name == name {
				return r
			}
		}
	}
	return nil
}

// words that can follow a table and are no name for it.
var notNames = strings.Fields("ON WHERE SET VALUES SELECT JOIN CROSS LEFT INNER ORDER GROUP LIMIT UNION FOR FROM USING RETURNING DEFAULT AS DO")

// walk reads tokens into a scope.
func (s *statement) walk(tokens []string, sc *scope) {
	listed := false // what follows a comma is a table
	for n := 0; n < len(tokens); n++ {
		switch word := strings.ToUpper(tokens[n]); word {
		case "(":
			end := closing(tokens, n)
			s.inside(tokens[n+1:end], sc)
			n = end
		case "UNION", "EXCEPT", "INTERSECT":
			sc, listed = s.scope(sc.outer), false
		case "FROM", "JOIN", "INTO", "UPDATE", ",":
			before := strings.ToUpper(at(tokens, n-1))
			if word == "," && !listed || slices.Contains([]string{"FOR", "KEY", "DO", "DISTINCT"}, before) {
				continue
			}
			listed = word == "FROM" || word == ","
			n = s.table(tokens, n+1, word == "INTO", sc)
		case "WHERE", "SET", "ORDER", "GROUP", "RETURNING", "LIMIT", "SELECT":
			listed = false
		case "=":
			sc.same = append(sc.same, [2]string{at(tokens, n-1), at(tokens, n+1)})
		}
	}
}

// inside reads what stands between brackets: a SELECT of its own, or a part of this one.
func (s *statement) inside(tokens []string, sc *scope) {
	if slices.Contains([]string{"SELECT", "WITH", "VALUES", "UPDATE", "DELETE"}, strings.ToUpper(at(tokens, 0))) {
		sc = s.scope(sc)
	}
	s.walk(tokens, sc)
}

// table reads a table and its name, and gives the place of the last token of it.
func (s *statement) table(tokens []string, n int, insert bool, sc *scope) int {
	r := &ref{table: at(tokens, n)}
	r.bound = s.ctes[r.table] || spreadBy(r.table) == ""
	if r.table == "(" {
		end := closing(tokens, n)
		s.inside(tokens[n+1:end], sc)
		r.bound, n = true, end // what is inside is looked at by itself
	}
	r.name = r.table
	if insert && at(tokens, n+1) == "(" {
		end := closing(tokens, n+1)
		r.bound = r.bound || slices.Contains(tokens[n+1:end], spreadBy(r.table))
		n = end
	}
	if strings.EqualFold(at(tokens, n+1), "AS") {
		n++
	}
	if next := at(tokens, n+1); isName.MatchString(next) && !slices.Contains(notNames, strings.ToUpper(next)) {
		r.name = next
		n++
	}
	sc.refs = append(sc.refs, r)
	return n
}

var isName = regexp.MustCompile(`^\w+$`)

// spreadBy is the column that a table is spread by, empty where it is not spread or none of ours.
func spreadBy(table string) string {
	if table == "items_search" || strings.HasPrefix(table, "pg_") || strings.HasPrefix(table, "sqlite_") || strings.HasPrefix(table, "pragma_") || strings.HasPrefix(table, "information_schema") {
		return ""
	}
	return store.SpreadBy(table)
}

// bind follows what is equal from the arguments to the tables, until nothing more comes of it.
func (s *statement) bind() {
	for more := true; more; {
		more = false
		for _, sc := range s.scopes {
			for _, pair := range sc.same {
				more = sc.follow(pair[0], pair[1]) || sc.follow(pair[1], pair[0]) || more
			}
		}
	}
}

// follow takes a column for named whose value is.
func (sc *scope) follow(column, value string) bool {
	name, column := split(column)
	from, source := split(value)
	if known := sc.find(from); !strings.HasPrefix(value, "$") && (from == "" || source != column || known == nil || !known.bound) {
		return false
	}
	for _, r := range sc.refs {
		if !r.bound && column == spreadBy(r.table) && (name == r.name || name == "") {
			r.bound = true
			return true
		}
	}
	return false
}

func split(column string) (table, name string) {
	if table, name, ok := strings.Cut(column, "."); ok {
		return table, name
	}
	return "", column
}

func at(tokens []string, n int) string {
	if n < 0 || n >= len(tokens) {
		return ""
	}
	return tokens[n]
}

// closing is where a bracket ends.
func closing(tokens []string, open int) int {
	depth := 0
	for n := open; n < len(tokens); n++ {
		switch tokens[n] {
		case "(":
			depth++
		case ")":
			if depth--; depth == 0 {
				return n
			}
		}
	}
	return len(tokens)
}
