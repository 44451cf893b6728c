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

// init enables checkStatement in every test program that uses a database.
//
//nolint:gochecknoinits // otherwise a test could forget to enable it
func init() {
	store.InspectStatements(checkStatement)
}

// recordKey is the key of a context whose statements are recorded.
type recordKey struct{}

type record struct {
	mu         sync.Mutex
	statements []string
}

func (r *record) add(sql string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.statements = append(r.statements, sql)
}

// RecordStatements returns a context, and a function that lists the statements that were run with it. They include
// the statements of transactions that were started with it, but not those that begin and end them.
func RecordStatements(ctx context.Context) (_ context.Context, statements func() []string) {
	r := &record{}
	return context.WithValue(ctx, recordKey{}, r), func() []string {
		r.mu.Lock()
		defer r.mu.Unlock()
		return slices.Clone(r.statements)
	}
}

// known caches the result of UnscopedTable for each statement.
var known sync.Map

// checkStatement panics for a statement that neither names an account nor has a scope, and for a
// statement in a request that accesses all accounts. It panics because background jobs would only
// log an error.
func checkStatement(ctx context.Context, sql string) {
	if r, ok := ctx.Value(recordKey{}).(*record); ok {
		r.add(sql)
	}
	table, seen := known.Load(sql)
	if !seen {
		table = UnscopedTable(sql)
		known.Store(sql, table)
	}
	scope := store.ScopeOf(ctx)
	switch {
	case table == "" || strings.HasPrefix(sql, "EXPLAIN"): // EXPLAIN does not run the statement
	case scope == "":
		panic(fmt.Sprintf("this statement does not restrict the rows of %s to an account: name the account, or mark "+
			"the context with a scope:\n%s", table, sql))
	case store.IsRequest(ctx) && scope != store.DirectoryScope:
		panic(fmt.Sprintf("a request runs a statement that accesses all accounts with the scope %s:\n%s", scope, sql))
	}
}

// UnscopedTable returns the first table in a statement that is not restricted, directly or through
// a join, to an account or another value of its distribution column. It returns an empty string if
// there is none. It parses only the simple SQL that the store uses.
func UnscopedTable(sql string) string {
	s := &statement{ctes: map[string]bool{}}
	for _, cte := range ctePattern.FindAllStringSubmatch(sql, -1) {
		s.ctes[cte[1]] = true
	}
	// LATERAL has no effect on which rows a subquery is restricted to.
	s.parse(tokenPattern.FindAllString(strings.ReplaceAll(sql, "LATERAL (", "("), -1), s.scope(nil))
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

// statement is a parsed statement, with one scope for each SELECT and one for the whole statement.
type statement struct {
	ctes   map[string]bool
	scopes []*scope
}

type scope struct {
	outer *scope
	refs  []*ref
	same  [][2]string // pairs of columns that are equal
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

// find returns the table, CTE or subquery with the given name, in this scope or an outer one.
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

// notNames are keywords that can follow a table name and are not aliases.
var notNames = strings.Fields("ON WHERE SET VALUES SELECT JOIN CROSS LEFT INNER ORDER GROUP LIMIT UNION FOR FROM " +
	"USING RETURNING DEFAULT AS DO")

// parse adds the tables and conditions in the tokens to a scope.
func (s *statement) parse(tokens []string, sc *scope) {
	inTableList := false // whether a comma is followed by a table
	for n := 0; n < len(tokens); n++ {
		switch word := strings.ToUpper(tokens[n]); word {
		case "(":
			end := closing(tokens, n)
			s.parseParentheses(tokens[n+1:end], sc)
			n = end
		case "UNION", "EXCEPT", "INTERSECT":
			sc, inTableList = s.scope(sc.outer), false
		case "FROM", "JOIN", "INTO", "UPDATE", ",":
			before := strings.ToUpper(at(tokens, n-1))
			if word == "," && !inTableList || slices.Contains([]string{"FOR", "KEY", "DO", "DISTINCT"}, before) {
				continue
			}
			inTableList = word == "FROM" || word == ","
			n = s.parseTable(tokens, n+1, word == "INTO", sc)
		case "WHERE", "SET", "ORDER", "GROUP", "RETURNING", "LIMIT", "SELECT":
			inTableList = false
		case "=":
			sc.same = append(sc.same, [2]string{at(tokens, n-1), at(tokens, n+1)})
		}
	}
}

// parseParentheses parses the tokens between parentheses: a subquery, or a part of the current
// query.
func (s *statement) parseParentheses(tokens []string, sc *scope) {
	if slices.Contains([]string{"SELECT", "WITH", "VALUES", "UPDATE", "DELETE"}, strings.ToUpper(at(tokens, 0))) {
		sc = s.scope(sc)
	}
	s.parse(tokens, sc)
}

// parseTable parses a table and its alias, and returns the index of the last token.
func (s *statement) parseTable(tokens []string, n int, insert bool, sc *scope) int {
	r := &ref{table: at(tokens, n)}
	r.bound = s.ctes[r.table] || distributionColumn(r.table) == ""
	if r.table == "(" {
		end := closing(tokens, n)
		s.parseParentheses(tokens[n+1:end], sc)
		r.bound, n = true, end // the subquery is checked separately
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

// distributionColumn returns the column that a table is distributed by. It returns an empty string
// for a table that is not distributed, and for system tables.
func distributionColumn(table string) string {
	if table == "items_search" || strings.HasPrefix(table, "pg_") || strings.HasPrefix(table, "sqlite_") ||
		strings.HasPrefix(table, "pragma_") || strings.HasPrefix(table, "information_schema") {
		return ""
	}
	return store.DistributionColumn(table)
}

// bind follows equalities from the arguments to the tables, until no more tables become restricted.
func (s *statement) bind() {
	for changed := true; changed; {
		changed = false
		for _, sc := range s.scopes {
			for _, pair := range sc.same {
				changed = sc.bindColumn(pair[0], pair[1]) || sc.bindColumn(pair[1], pair[0]) || changed
			}
		}
	}
}

// bindColumn marks the table of a column as restricted if the column equals a restricted value. It
// reports whether this changed anything.
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

// closing returns the index of the closing parenthesis, or the number of tokens if there is none.
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
