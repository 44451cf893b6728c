package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"homeward/internal/lost"
)

// query builds a statement whose conditions depend on what was asked. Conditions that
// are not wanted are left out, never switched off by an argument: each shape gets its own plan.
type query struct {
	conditions []string
	args       []any
}

// arg adds an argument and gives its placeholder.
func (q *query) arg(v any) string {
	q.args = append(q.args, v)
	return fmt.Sprintf("$%d", len(q.args))
}

func (q *query) where(condition string) { q.conditions = append(q.conditions, condition) }

// contains is a condition that a column has a text somewhere in it.
func (q *query) contains(column, text string) {
	q.where(column + " LIKE " + q.arg(likePattern(text)) + ` ESCAPE '\'`)
}

// in is a condition that a column has one of some values.
func in[T ~string](q *query, column string, values []T) {
	marks := make([]string, len(values))
	for i, v := range values {
		marks[i] = q.arg(string(v))
	}
	q.where(column + " IN (" + strings.Join(marks, ", ") + ")")
}

// page ends a statement with the part of a list that is wanted. The limit stands in the text, because
// as an argument it has SQLite plan the statement at every run, and keeps PostgreSQL from one
// plan for all runs: not knowing the limit, it counts on a tenth of all rows.
func (q *query) page(p lost.Page) string {
	text := fmt.Sprintf(" LIMIT %d", p.Limit)
	if p.Offset() > 0 {
		text += " OFFSET " + q.arg(p.Offset())
	}
	return text
}

func (q *query) clause() string { return " WHERE " + strings.Join(q.conditions, " AND ") }

// seekClause ends a statement with the part of a long list that is wanted, and one record more, which tells whether there are more.
func (q *query) seekClause(s lost.Seek) string {
	if s.Before != "" {
		q.where("id < " + q.arg(s.Before))
	}
	return q.clause() + fmt.Sprintf(" ORDER BY id DESC LIMIT %d", s.Limit+1)
}

// evenly is to how many a list in a statement is filled up: the statements are then few, and each is prepared once.
const evenly = 8

// filled repeats the last of some values until they are as many as a statement takes.
func filled[T any](values []T, evenly int) []T {
	values = slices.Clone(values)
	for len(values) > 0 && len(values)%evenly > 0 {
		values = append(values, values[len(values)-1])
	}
	return values
}

// paddedKeys gives the keys of some terms, and of none until they are as many as a statement takes.
func paddedKeys[T any](terms []T, key func(T) int64) []int64 {
	keys := make([]int64, 0, len(terms)+evenly)
	for _, t := range terms {
		keys = append(keys, key(t))
	}
	for len(keys)%evenly > 0 {
		keys = append(keys, 0)
	}
	return keys
}

// newest reads one page of a table, newest first, and how many rows match.
func newest[T any](ctx context.Context, r reader, q *query, page lost.Page, columns, table string, scan func(rows) (T, error)) (lost.List[T], error) {
	list := lost.List[T]{Page: page}
	matching, counted := " FROM "+table+q.clause(), q.args
	rs, err := r.h.QueryPlanned(ctx, "SELECT "+columns+matching+" ORDER BY id DESC"+q.page(page), q.args...)
	if list.Data, err = collect(rs, err, scan); err != nil {
		return list, err
	}
	list.Total, err = r.total(ctx, page, len(list.Data), "SELECT 1"+matching, counted...)
	return list, err
}
