package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"homeward/internal/lost"
)

// query builds a statement whose conditions depend on the request. Conditions that do not apply are
// omitted instead of being disabled by an argument, so that each combination of conditions gets its
// own plan.
type query struct {
	conditions []string
	args       []any
}

// queryWith returns a query that begins with the given arguments and conditions. What is added to it does not overwrite
// what is added to another query that begins with the same ones.
func queryWith(args []any, conditions ...string) *query {
	return &query{args: slices.Clip(args), conditions: slices.Clip(conditions)}
}

// arg adds an argument and returns its placeholder.
func (q *query) arg(v any) string {
	q.args = append(q.args, v)
	return fmt.Sprintf("$%d", len(q.args))
}

func (q *query) where(condition string) { q.conditions = append(q.conditions, condition) }

// whereContains adds the condition that a column contains the given text.
func (q *query) whereContains(column, text string) {
	q.where(column + " LIKE " + q.arg(likePattern(text)) + ` ESCAPE '\'`)
}

// whereTerm adds the condition that the search text in a column contains a word of a search term.
func (q *query) whereTerm(column, word string, position func(column, text string) string) {
	q.whereContains(column, word)
	q.whereBeforeMore(column, q.arg(word), position)
}

// whereBeforeMore adds the condition that the first occurrence of a text in the search text is in a field that search
// terms cover. It is negated, so that PostgreSQL does not expect it to exclude many rows.
func (q *query) whereBeforeMore(column, text string, position func(column, text string) string) {
	more := q.arg(MoreFields)
	q.where("NOT (" + position(column, text) + " > " + position(column+" || "+more, more) + ")")
}

// whereIn adds the condition that a column has one of the given values.
func whereIn[T ~string](q *query, column string, values []T) {
	placeholders := make([]string, len(values))
	for i, v := range values {
		placeholders[i] = q.arg(string(v))
	}
	q.where(column + " IN (" + strings.Join(placeholders, ", ") + ")")
}

// page returns the LIMIT and OFFSET clauses for a page. The limit is a literal. If it were an
// argument, SQLite would plan the statement on every run, and PostgreSQL's generic plan would
// assume that the page contains a tenth of all rows.
func (q *query) page(p lost.Page) string {
	text := fmt.Sprintf(" LIMIT %d", p.Limit)
	if p.Offset() > 0 {
		text += " OFFSET " + q.arg(p.Offset())
	}
	return text
}

// pageAndNext is like page, but the statement reads one record more, which shows whether there is another page.
func (q *query) pageAndNext(p lost.Page) string {
	offset := p.Offset()
	text := limitClause(p.Limit + 1)
	if offset > 0 {
		text += " OFFSET " + q.arg(offset)
	}
	return text
}

// cutPage sets the records of a list that were read with pageAndNext, and the position of the next page.
func cutPage[T any](list *lost.List[T], read []T, position func(last T) string) {
	list.Data = read
	if limit := list.Page.Limit; len(read) > limit {
		list.Data = read[:limit]
		list.Next = position(read[limit-1])
	}
}

func (q *query) clause() string { return " WHERE " + strings.Join(q.conditions, " AND ") }

// seekClause returns the end of a statement that reads one page of a long list by cursor. The
// statement reads one extra record, which shows whether there is another page.
func (q *query) seekClause(s lost.PageCursor) string {
	if s.Before != "" {
		q.where("id < " + q.arg(s.Before))
	}
	text := q.clause() + fmt.Sprintf(" ORDER BY id DESC LIMIT %d", s.Limit+1)
	if s.Skip > 0 {
		text += " OFFSET " + q.arg(s.Skip)
	}
	return text
}

// Lists of values in a statement are padded until their length is a multiple of listMultiple. This
// limits the number of different statements that have to be prepared.
const listMultiple = 8

// padList repeats the last value until the length is divisible by multiple.
func padList[T any](values []T, multiple int) []T {
	values = slices.Clone(values)
	for len(values) > 0 && len(values)%multiple > 0 {
		values = append(values, values[len(values)-1])
	}
	return values
}

// paddedKeys returns the keys of the terms, padded with zeros until the length is divisible by
// listMultiple.
func paddedKeys[T any](terms []T, key func(T) int64) []int64 {
	keys := make([]int64, 0, len(terms)+listMultiple)
	for _, t := range terms {
		keys = append(keys, key(t))
	}
	for len(keys)%listMultiple > 0 {
		keys = append(keys, 0)
	}
	return keys
}

// newestPage reads one page of a table, newest first, and counts the matching rows. A position in the list is an id.
func newestPage[T any](ctx context.Context, r reader, q *query, page lost.Page, columns, table string,
	scan func(rows) (T, error), id func(T) string) (lost.List[T], error) {
	list := lost.List[T]{Page: page}
	matching, countArgs := " FROM "+table+q.clause(), q.args
	if page.After != "" {
		q.where("id < " + q.arg(page.After))
	}
	rs, err := r.h.QueryPlanned(ctx,
		"SELECT "+columns+" FROM "+table+q.clause()+" ORDER BY id DESC"+q.pageAndNext(page), q.args...)
	read, err := collect(rs, err, scan)
	if err != nil {
		return list, err
	}
	cutPage(&list, read, id)
	list.Total, err = r.countTotal(ctx, page, len(list.Data), "SELECT 1"+matching, countArgs...)
	return list, err
}

// existingLocations returns the condition that locations l exist and, if only is not nil, are among its ids. The first
// argument of q is the account.
func (q *query) existingLocations(only []string) string {
	const existing = "l.account_id = $1 AND l.deleted_at = 0"
	if only == nil {
		return existing
	}
	chosen := queryWith(q.args)
	whereIn(chosen, "l.id", padList(only, listMultiple))
	q.args = chosen.args
	return existing + " AND " + chosen.conditions[0]
}

// atLocations returns the condition that the rows i are at one of the locations l of a condition.
func atLocations(locations string) string {
	return " AND i.location_id IN (SELECT l.id FROM locations l WHERE " + locations + ")"
}

// firstOfEach returns a query for the first rows of each location l that the condition locations selects, up to a
// limit, so that no other rows are read. It begins with the table and its alias. If order is empty, any rows are the
// first ones.
func (r reader) firstOfEach(q *query, from, columns, order, locations string, limit int) string {
	table := strings.Fields(from)
	if order != "" {
		order = " ORDER BY " + order
	}
	rows := " FROM " + from + q.clause() + " AND " + table[1] + ".location_id = l.id" + order + limitClause(limit)
	return r.d.firstOfEach(table[0], table[1], columns, rows, locations)
}
