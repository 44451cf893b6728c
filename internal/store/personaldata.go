package store

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"homeward/internal/lost"
)

// sentTo is the condition that a column may be a person's address. SQLite has no case mapping for letters outside
// ASCII, so that the condition matches any character there.
func (q *query) sentTo(column string, p lost.Person) string {
	address := p.Address()
	if strings.ContainsFunc(address, func(r rune) bool { return r > unicode.MaxASCII }) {
		return q.naming(column, p)
	}
	return "lower(" + column + ") = " + q.arg(strings.ToLower(address))
}

// naming is the condition that a column may contain a person's address: in JSON, in a URL query, in any case.
// lost.RemoveNames then decides.
func (q *query) naming(column string, p lost.Person) string {
	pattern := strings.ToLower(writtenAlike.ReplaceAllString(p.Address(), "\x00"))
	if p.Phone != "" { // which may have anything between its digits
		const last = 7
		pattern = strings.Join(strings.Split(pattern[max(1, len(pattern)-last):], ""), "\x00")
	}
	return "lower(" + column + ") LIKE " + q.arg(strings.ReplaceAll(likePattern(pattern), "\x00", "%")) + ` ESCAPE '\'`
}

// writtenAlike matches characters that have several encodings.
var writtenAlike = regexp.MustCompile(`[^A-Za-z0-9._-]`)

// PersonalDataTable is a table with columns that may name a person.
type PersonalDataTable struct {
	table   string
	columns []string
	key     []string // with account_id
	item    string   // the column with the item's id; empty if there is none
}

// ItemPersonalData is where items name people, also as their guests: every column of a field that people write in
// freely or that is personal.
func ItemPersonalData() PersonalDataTable {
	t := PersonalDataTable{table: "items", key: []string{"id"}}
	fields := lost.ItemFields()
	for n := range fields {
		f, name := &fields[n], itemColumn(fields[n].Name)
		if (f.Personal || f.HasWords()) && !slices.Contains(t.columns, name) {
			t.columns = append(t.columns, name)
		}
	}
	return t
}

// EventPersonalData is where events name people.
func EventPersonalData() PersonalDataTable {
	return PersonalDataTable{table: "events", key: []string{"id"}, columns: []string{"body"}}
}

// MessagePersonalData is where messages have the address of a person.
func MessagePersonalData() PersonalDataTable {
	return PersonalDataTable{table: "messages", key: []string{"id"}, columns: []string{"address"}, item: "item_id"}
}

// LinkPersonalData is where links have the address of a person.
func LinkPersonalData() PersonalDataTable {
	return PersonalDataTable{table: "links", key: []string{"id"}, columns: []string{"address"}, item: "item_id"}
}

// TextPersonalData are all other columns with free text, except rows of imports.
func TextPersonalData() []PersonalDataTable {
	one := []string{"id"}
	return []PersonalDataTable{
		{table: "item_history", columns: []string{"note"}, key: []string{"item_id", "id"}, item: "item_id"},
		{table: "messages", columns: []string{"about", "error"}, key: one, item: "item_id"},
		{table: "shipments", columns: []string{"detail"}, key: one, item: "item_id"},
		{table: "deliveries", columns: []string{"attempts"}, key: one},
		{table: "imports", columns: []string{"problems", "file", "why", "unknown"}, key: one},
		{table: "clearance_items", columns: []string{"why"}, key: []string{"clearance_id", "item_id"}, item: "item_id"},
		{table: "jobs", columns: []string{"error"}, key: one},
		{table: "views", columns: []string{"name", "query"}, key: one},
	}
}

// tracedAtOnce is how many rows one statement searches for a person: few enough to be fast in a large account.
const tracedAtOnce = 2000

// RowsWithPerson returns the keys of the next rows after a key that may name a person, and the last key that was
// searched; nil at the end.
func (r reader) RowsWithPerson(ctx context.Context, account string, t PersonalDataTable, p lost.Person,
	after []string) (keys [][]string, last []string, err error) {
	columns := strings.Join(t.key, ", ")
	q := &query{}
	q.where("account_id = " + q.arg(account))
	q.compare(columns, ">", after)
	rs, err := r.h.QueryPlanned(ctx,
		"SELECT "+columns+" FROM "+t.table+q.clause()+" ORDER BY "+columns+fmt.Sprintf(" LIMIT 1 OFFSET %d",
			tracedAtOnce-1), q.args...)
	ends, err := scanTexts(rs, err, len(t.key))
	if err != nil {
		return nil, nil, err
	}
	if len(ends) > 0 {
		last = ends[0]
		q.compare(columns, "<=", last)
	}
	q.where(q.naming("("+strings.Join(t.columns, " || ' ' || ")+")", p))
	rs, err = r.h.QueryPlanned(ctx, "SELECT "+columns+" FROM "+t.table+q.clause()+" ORDER BY "+columns, q.args...)
	keys, err = scanTexts(rs, err, len(t.key))
	return keys, last, err
}

// compare adds a condition that compares columns with values; none if values is nil.
func (q *query) compare(columns, how string, values []string) {
	if values == nil {
		return
	}
	marks := make([]string, len(values))
	for n, v := range values {
		marks[n] = q.arg(v)
	}
	q.where("(" + columns + ") " + how + " (" + strings.Join(marks, ", ") + ")")
}

// traced returns rows of a trace and locks them for a change: the columns, the key, and the item of each.
func (tx *Tx) traced(account string, t PersonalDataTable, keys [][]string) ([]tracedRow, error) {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	each := make([]string, len(keys))
	for n, key := range keys {
		parts := make([]string, len(t.key))
		for i, column := range t.key {
			parts[i] = column + " = " + q.arg(key[i])
		}
		each[n] = strings.Join(parts, " AND ")
	}
	q.where("(" + strings.Join(each, " OR ") + ")")
	wanted := slices.Concat(t.columns, t.key)
	if t.item != "" {
		wanted = append(wanted, t.item)
	}
	rs, err := tx.h.QueryPlanned(tx.ctx,
		"SELECT "+strings.Join(wanted, ", ")+" FROM "+t.table+" AS t"+q.clause()+" ORDER BY "+strings.Join(t.key, ", ")+
			tx.d.lock("t"), q.args...)
	found, err := scanTexts(rs, err, len(wanted))
	rows := make([]tracedRow, len(found))
	for n, row := range found {
		rows[n] = tracedRow{texts: row[:len(t.columns)], key: row[len(t.columns):][:len(t.key)]}
		if t.item != "" {
			rows[n].item = row[len(row)-1]
		}
	}
	return rows, err
}

type tracedRow struct {
	texts, key []string
	item       string
}

// EraseTexts removes a person's address from the texts of some rows, except those about the items in stay.
func (tx *Tx) EraseTexts(account string, t PersonalDataTable, p lost.Person, keys [][]string,
	stay map[string]bool) (e lost.Erased, err error) {
	rows, err := tx.traced(account, t, keys)
	for _, row := range rows {
		if stay[row.item] {
			continue
		}
		changed := false
		for n, column := range t.columns {
			text := unnamed(row.texts[n], p)
			if column == "query" {
				text = unnamedQuery(row.texts[n], p)
			}
			if text != row.texts[n] {
				changed = true
				key, values := slices.Concat([]string{"account_id"}, t.key), slices.Concat([]string{account}, row.key)
				if err := tx.put(t.table, column, text, key, values); err != nil {
					return e, err
				}
			}
		}
		switch {
		case !changed:
		case t.table == "views":
			e.Views++
		default:
			e.Mentions++
		}
	}
	return e, err
}

// put writes a text into a column of the row with a key.
func (tx *Tx) put(table, column, text string, key, values []string) error {
	q := &query{}
	set := "UPDATE " + table + " SET " + column + " = " + q.arg(text)
	for n, k := range key {
		q.where(k + " = " + q.arg(values[n]))
	}
	return tx.queue(set+q.clause(), q.args...)
}

var jsonString = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// unnamed removes a person's address from a text. In JSON it decodes each string first.
func unnamed(text string, p lost.Person) string {
	if !json.Valid([]byte(text)) {
		return lost.RemoveNames(text, p.Address())
	}
	return jsonString.ReplaceAllStringFunc(text, func(quoted string) string {
		var plain string
		if err := json.Unmarshal([]byte(quoted), &plain); err != nil {
			return quoted
		}
		if without := lost.RemoveNames(plain, p.Address()); without != plain {
			return toJSON(without)
		}
		return quoted
	})
}

// unnamedQuery is unnamed for a URL query.
func unnamedQuery(text string, p lost.Person) string {
	values, err := url.ParseQuery(text)
	if err != nil {
		return unnamed(text, p)
	}
	changed := false
	for _, some := range values {
		for n := range some {
			without := lost.RemoveNames(some[n], p.Address())
			changed, some[n] = changed || without != some[n], without
		}
	}
	if !changed {
		return text
	}
	return values.Encode()
}

// EraseMessages deletes those of some messages that were sent to a person, even about items that now belong to somebody
// else, except about the items in stay. Stored responses about the items are removed too.
func (tx *Tx) EraseMessages(account string, p lost.Person, keys [][]string,
	stay map[string]bool) (e lost.Erased, err error) {
	ids, items, err := tx.sentTo(account, MessagePersonalData(), p, keys, stay)
	if err != nil || len(ids) == 0 {
		return e, err
	}
	q := &query{}
	q.where("account_id = " + q.arg(account))
	whereIn(q, "payload", ids)
	q.where(lettersDue)
	if err := tx.queue("DELETE FROM jobs"+q.clause(), q.args...); err != nil {
		return e, err
	}
	if err := tx.dropAnswers(account, items, &e); err != nil {
		return e, err
	}
	return e, tx.countedOf(&e.Messages, "messages", account, ids)
}

// PersonMessages returns the messages about items to a person, the oldest first.
func (r reader) PersonMessages(ctx context.Context, account string, p lost.Person, limit int) ([]lost.Message, error) {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	q.where(q.sentTo("address", p))
	q.where("item_id <> ''")
	rs, err := r.h.QueryPlanned(ctx,
		"SELECT "+messageColumns+" FROM messages"+q.clause()+" ORDER BY id"+limitClause(limit),
		q.args...)
	messages, err := collect(rs, err, scanMessage)
	return slices.DeleteFunc(messages, func(m lost.Message) bool { return !p.Reads(m.To) }), err
}

// EraseLinks is EraseMessages for links.
func (tx *Tx) EraseLinks(account string, p lost.Person, keys [][]string,
	stay map[string]bool) (e lost.Erased, err error) {
	ids, _, err := tx.sentTo(account, LinkPersonalData(), p, keys, stay)
	if err != nil || len(ids) == 0 {
		return e, err
	}
	q := &query{}
	q.where("account_id = " + q.arg(account))
	whereIn(q, "id", ids)
	return e, tx.dropLinks(&e.Links, q.clause(), q.args...)
}

// sentTo returns the ids and the items of those of some rows that were sent to a person, except about the items in
// stay.
func (tx *Tx) sentTo(account string, t PersonalDataTable, p lost.Person, keys [][]string,
	stay map[string]bool) (ids, items []string, err error) {
	rows, err := tx.traced(account, t, keys)
	for _, row := range rows {
		if row.item != "" && !stay[row.item] && p.Reads(row.texts[0]) {
			ids, items = append(ids, row.key[0]), append(items, row.item)
		}
	}
	return ids, items, err
}

// countedOf deletes rows by their ids, and adds their number to sum.
func (tx *Tx) countedOf(sum *int, table, account string, ids []string) error {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	whereIn(q, "id", ids)
	return tx.counted(sum, "DELETE FROM "+table+q.clause(), q.args...)
}

// emptyAnswers clears stored responses. The rows stay, so that a repeated request does not create the record a second
// time.
const emptyAnswers = "UPDATE answers SET answer = '', subject = ''"

// dropAnswers clears the stored responses about some items.
func (tx *Tx) dropAnswers(account string, items []string, e *lost.Erased) error {
	if len(items) == 0 {
		return nil
	}
	q := &query{}
	q.where("account_id = " + q.arg(account))
	whereIn(q, "subject", items)
	q.where("subject <> ''")
	return tx.counted(&e.Answers, emptyAnswers+q.clause(), q.args...)
}
