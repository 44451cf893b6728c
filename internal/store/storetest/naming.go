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

// The statements of every test program with a database are checked, even if the service itself runs in it.
//
//nolint:gochecknoinits // otherwise a test could forget to enable it
func init() {
	store.InspectStatements(checkStatement)
}

var known sync.Map // from the text to the unscoped table

// checkStatement panics for a statement that names no account and has no scope, and for one that crosses accounts in a
// request. A panic is noticed also in background jobs, which would only log an error.
func checkStatement(ctx context.Context, sql string) {
	table, seen := known.Load(sql)
	if !seen {
		table = UnscopedTable(sql)
		known.Store(sql, table)
	}
	scope := store.ScopeOf(ctx)
	switch {
	case table == "" || strings.HasPrefix(sql, "EXPLAIN"): // it is not run
	case scope == "":
		panic(fmt.Sprintf("this statement does not restrict the rows of %s to an account: name the account, or mark "+
			"the context with a scope:\n%s", table, sql))
	case store.IsRequest(ctx) && scope != store.DirectoryScope:
		panic(fmt.Sprintf("a request runs a statement that crosses accounts with the scope %s:\n%s", scope, sql))
	}
}

// UnscopedTable returns a table of a statement that is not restricted by an argument to an account, directly or by a
// join, nor to another value of its distribution column; empty if there is none. It parses only the simple SQL that the
// store uses.
func UnscopedTable(sql string) string {
	s := &statement{ctes: map[string]bool{}}
	for _, cte := range ctePattern.FindAllStringSubmatch(sql, -1) {
		s.ctes[cte[1]] = true
	}
	s.parse(tokenPattern.FindAllString(sql, -1), s.scope(nil))
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
	ctePattern = regexp.MustCompile(`(?i)(?:\bWITH(?:\s+RECURSIVE)?|\),)\s+(\w+)\s*(?:\([^)]*\))?` +
		`\s+AS\s+(?:MATERIALIZED\s+)?\(`)
	tokenPattern = regexp.MustCompile(`'(?:[^']|'')*'|\$\d+|[A-Za-z_][\w.]*|\d+|[^\s\w]`)
)

// statement is a parsed text: a scope for each SELECT, and one for the whole.
type statement struct {
	ctes   map[string]bool
	scopes []*scope
}

type scope struct {
	outer *scope
	refs  []*ref
	same  [][2]string // columns that are equal
}

// ref is a table, CTE or subquery in a scope.
type ref struct {
	table, name string
	bound       bool
}

func (s *statement) scope(outer *scope) *scope {
	sc := &scope{outer: outer}
	s.scopes = append(s.scopes, sc)
	return sc
}

// find returns what a name refers to, in this scope or an outer one.
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

// notNames are keywords that can follow a table and are not its alias.
var notNames = strings.Fields("ON WHERE SET VALUES SELECT JOIN CROSS LEFT INNER ORDER GROUP LIMIT UNION FOR FROM " +
	"USING RETURNING DEFAULT AS DO")

// parse reads tokens into a scope.
func (s *statement) parse(tokens []string, sc *scope) {
	listed := false // a comma is followed by a table
	for n := 0; n < len(tokens); n++ {
		switch word := strings.ToUpper(tokens[n]); word {
		case "(":
			end := closing(tokens, n)
			s.parseParentheses(tokens[n+1:end], sc)
			n = end
		case "UNION", "EXCEPT", "INTERSECT":
			sc, listed = s.scope(sc.outer), false
		case "FROM", "JOIN", "INTO", "UPDATE", ",":
			before := strings.ToUpper(at(tokens, n-1))
			if word == "," && !listed || slices.Contains([]string{"FOR", "KEY", "DO", "DISTINCT"}, before) {
				continue
			}
			listed = word == "FROM" || word == ","
			n = s.parseTable(tokens, n+1, word == "INTO", sc)
		case "WHERE", "SET", "ORDER", "GROUP", "RETURNING", "LIMIT", "SELECT":
			listed = false
		case "=":
			sc.same = append(sc.same, [2]string{at(tokens, n-1), at(tokens, n+1)})
		}
	}
}

// parseParentheses reads what is between parentheses: a subquery, or a part of this one.
func (s *statement) parseParentheses(tokens []string, sc *scope) {
	if slices.Contains([]string{"SELECT", "WITH", "VALUES", "UPDATE", "DELETE"}, strings.ToUpper(at(tokens, 0))) {
		sc = s.scope(sc)
	}
	s.parse(tokens, sc)
}

// parseTable reads a table and its alias, and returns the index of its last token.
func (s *statement) parseTable(tokens []string, n int, insert bool, sc *scope) int {
	r := &ref{table: at(tokens, n)}
	r.bound = s.ctes[r.table] || distributionColumn(r.table) == ""
	if r.table == "(" {
		end := closing(tokens, n)
		s.parseParentheses(tokens[n+1:end], sc)
		r.bound, n = true, end // the subquery is checked by itself
	}
	r.name = r.table
	if insert && at(tokens, n+1) == "(" {
		end := closing(tokens, n+1)
		r.bound = r.bound || slices.Contains(tokens[n+1:end], distributionColumn(r.table))
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

// distributionColumn is the column that a table is distributed by; empty for others, and for tables that are not ours.
func distributionColumn(table string) string {
	if table == "items_search" || strings.HasPrefix(table, "pg_") || strings.HasPrefix(table, "sqlite_") ||
		strings.HasPrefix(table, "pragma_") || strings.HasPrefix(table, "information_schema") {
		return ""
	}
	return store.DistributionColumn(table)
}

// bind propagates equalities from the arguments to the tables until nothing changes.
func (s *statement) bind() {
	for more := true; more; {
		more = false
		for _, sc := range s.scopes {
			for _, pair := range sc.same {
				more = sc.bindColumn(pair[0], pair[1]) || sc.bindColumn(pair[1], pair[0]) || more
			}
		}
	}
}

// bindColumn marks the table of a column as restricted if the value is.
func (sc *scope) bindColumn(column, value string) bool {
	name, column := split(column)
	from, source := split(value)
	if known := sc.find(from); !strings.HasPrefix(value, "$") &&
		(from == "" || source != column || known == nil || !known.bound) {
		return false
	}
	for _, r := range sc.refs {
		if !r.bound && column == distributionColumn(r.table) && (name == r.name || name == "") {
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

// closing returns the index of the closing parenthesis.
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
