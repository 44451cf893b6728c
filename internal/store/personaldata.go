package store

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"homeward/internal/lost"
)

// addressCondition returns a condition that selects the rows in which a column may be equal to a
// person's address. The caller must check the result with Person.Reads or Person.Owns: in
// PostgreSQL, lower makes addresses of different people equal.
func (q *query) addressCondition(column string, p lost.Person) string {
	if p.Email == "" {
		var numbers []string
		for _, number := range lost.StoredPhones(p.Phone) {
			numbers = append(numbers, q.arg(number))
		}
		return column + " IN (" + strings.Join(numbers, ", ") + ")"
	}
	if pattern := addressPattern(p.Email); pattern != lost.EmailKey(p.Email) {
		return q.likeCondition(column, pattern)
	}
	return "lower(" + column + ") = " + q.arg(strings.ToLower(p.Email))
}

// addressPattern returns an e-mail address in lower case, with zero bytes in place of characters
// that may be spelled differently: non-ASCII characters, whose case a database may change or not, and the
// labels of an international domain.
func addressPattern(email string) string {
	local, domain, _ := strings.Cut(lost.EmailKey(email), "@")
	labels := strings.Split(domain, ".")
	for n, label := range labels {
		if strings.HasPrefix(label, "xn--") {
			labels[n] = "\x00"
		}
	}
	return nonASCII.ReplaceAllString(local+"@"+strings.Join(labels, "."), "\x00")
}

// likeCondition returns a condition that compares a column with a pattern, regardless of case. Zero
// bytes in the pattern match any text.
func (q *query) likeCondition(column, pattern string) string {
	like := strings.ReplaceAll(escapeLike(pattern), "\x00", "%")
	return "lower(" + column + ") LIKE " + q.arg(like) + ` ESCAPE '\'`
}

// mentionCondition returns a condition that selects the rows in which a column may mention a
// person's address, possibly encoded in JSON or a URL query, in upper or lower case. The caller must
// check the result with lost.RemoveNames.
func (q *query) mentionCondition(column string, p lost.Person) string {
	if p.Phone == "" {
		pattern := variantPattern.ReplaceAllString(addressPattern(p.Email), "\x00")
		return q.likeCondition(column, "\x00"+pattern+"\x00")
	}
	digits := lost.PhoneSearchDigits(p.Phone)
	var conditions []string
	for _, zero := range []rune{'0', '０', '٠'} { // ASCII, full-width and Arabic digits
		pattern := "\x00" // there may be other characters between the digits
		for _, d := range digits {
			pattern += string(zero+d-'0') + "\x00"
		}
		conditions = append(conditions, q.likeCondition(column, pattern))
	}
	return "(" + strings.Join(conditions, " OR ") + ")"
}

var (
	// variantPattern matches characters that have several encodings.
	variantPattern = regexp.MustCompile(`[^a-z0-9._-]`)
	nonASCII       = regexp.MustCompile(`[^\x00-\x7f]`)
)

// PersonalDataTable is a table with columns that may name a person.
type PersonalDataTable struct {
	table   string
	columns []string
	key     []string // columns of the primary key other than account_id
	item    string   // column with the item's id; empty if there is none
	prose   []string // columns into which people write sentences, unlike those with file names, errors and the like
	// where restricts the rows; empty for all rows. If encrypted is set, the columns cannot be searched, and all of
	// these rows may name the person.
	where     string
	encrypted bool
}

// ItemPersonalData returns the item columns that may name a person, including the guest: the
// columns of personal fields and of free-text fields.
func ItemPersonalData() PersonalDataTable {
	t := PersonalDataTable{table: "items", key: []string{"id"}}
	fields := lost.ItemFields()
	for n := range fields {
		f, name := &fields[n], itemColumn(fields[n].Name)
		if f.Kind == lost.ImagesKind { // the digits of file names look like phone numbers, and few photos have codes
			name = "CASE WHEN " + name + ` LIKE '%"codes":%' THEN ` + name + " ELSE '' END"
		}
		if (f.Personal || f.HasWords()) && !slices.Contains(t.columns, name) {
			t.columns = append(t.columns, name)
		}
	}
	return t
}

// EventPersonalData returns the event columns that may name a person.
func EventPersonalData() PersonalDataTable {
	return PersonalDataTable{table: "events", key: []string{"id"}, columns: []string{"body"}}
}

// MessagePersonalData returns the message columns that contain a person's address.
func MessagePersonalData() PersonalDataTable {
	return PersonalDataTable{table: "messages", key: []string{"id"}, columns: []string{"address"}, item: "item_id"}
}

// LinkPersonalData returns the link columns that contain a person's address.
func LinkPersonalData() PersonalDataTable {
	return PersonalDataTable{table: "links", key: []string{"id"}, columns: []string{"address"}, item: "item_id"}
}

// TextPersonalData returns all other free-text columns, except for those of import rows.
func TextPersonalData() []PersonalDataTable {
	idKey := []string{"id"}
	return []PersonalDataTable{
		{table: "item_history", columns: []string{"note"}, key: []string{"item_id", "id"}, item: "item_id",
			prose: []string{"note"}},
		{table: "messages", columns: []string{"about", "error"}, key: idKey, item: "item_id"},
		{table: "thread_messages", columns: []string{"text", "sender", "omitted"}, key: idKey, item: "item_id",
			prose: []string{"text"}},
		{table: "shipments", columns: []string{"detail"}, key: idKey, item: "item_id"},
		{table: "deliveries", columns: []string{"attempts"}, key: idKey},
		{table: "imports", columns: []string{"problems", "file", "why", "unknown", "mapping"}, key: idKey},
		{table: "clearance_items", columns: []string{"why"}, key: []string{"clearance_id", "item_id"}, item: "item_id"},
		{
			table: "photo_suggestions", columns: []string{"content"}, key: []string{"item_id", "image_id"},
			item: "item_id",
		},
		{table: "jobs", columns: []string{"error"}, key: idKey},
		{table: "views", columns: []string{"name", "query"}, key: idKey},
		responsePersonalData(),
	}
}

// responsePersonalData returns the stored responses about deleted or several items. Those about other items are erased
// with them.
func responsePersonalData() PersonalDataTable {
	return PersonalDataTable{
		table: "answers", columns: []string{"answer"}, key: []string{"once_key"},
		where:     "(subject LIKE '" + deletedSubject + "%' OR subject = '" + BulkSubject + "')",
		encrypted: true,
	}
}

// searchBatch is the maximum number of rows that one statement searches for a person. It is small
// enough for the statement to be fast in a large account.
const searchBatch = 2000

// RowsWithPerson searches the next rows after the key after. It returns the keys of the rows that
// may name a person, and the last key searched, or nil if there are no more rows.
func (r reader) RowsWithPerson(ctx context.Context, account string, t PersonalDataTable, p lost.Person,
	after []string) (keys [][]string, last []string, err error) {
	columns := strings.Join(t.key, ", ")
	q := &query{}
	q.where("account_id = " + q.arg(account))
	if t.where != "" {
		q.where(t.where)
	}
	q.compare(columns, ">", after)
	rs, err := r.h.QueryPlanned(ctx,
		"SELECT "+columns+" FROM "+t.table+q.clause()+" ORDER BY "+columns+fmt.Sprintf(" LIMIT 1 OFFSET %d",
			searchBatch-1), q.args...)
	ends, err := scanTexts(rs, err, len(t.key))
	if err != nil {
		return nil, nil, err
	}
	if len(ends) > 0 {
		last = ends[0]
		q.compare(columns, "<=", last)
	}
	if !t.encrypted {
		q.where(q.mentionCondition("("+strings.Join(t.columns, " || ' ' || ")+")", p))
	}
	rs, err = r.h.QueryPlanned(ctx, "SELECT "+columns+" FROM "+t.table+q.clause()+" ORDER BY "+columns, q.args...)
	keys, err = scanTexts(rs, err, len(t.key))
	return keys, last, err
}

// compare adds a condition that compares columns with values. It does nothing if values is nil.
func (q *query) compare(columns, operator string, values []string) {
	if values == nil {
		return
	}
	placeholders := make([]string, len(values))
	for n, v := range values {
		placeholders[n] = q.arg(v)
	}
	q.where("(" + columns + ") " + operator + " (" + strings.Join(placeholders, ", ") + ")")
}

// lockPersonRows locks the rows with the given keys. It returns the text columns, the key and the
// item id of each row.
func (tx *Tx) lockPersonRows(account string, t PersonalDataTable, keys [][]string) ([]personRow, error) {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	conditions := make([]string, len(keys))
	for n, key := range keys {
		parts := make([]string, len(t.key))
		for i, column := range t.key {
			parts[i] = column + " = " + q.arg(key[i])
		}
		conditions[n] = strings.Join(parts, " AND ")
	}
	q.where("(" + strings.Join(conditions, " OR ") + ")")
	names := slices.Concat(t.columns, t.key)
	if t.item != "" {
		names = append(names, t.item)
	}
	rs, err := tx.h.QueryPlanned(tx.ctx,
		"SELECT "+strings.Join(names, ", ")+" FROM "+t.table+" AS t"+q.clause()+" ORDER BY "+strings.Join(t.key, ", ")+
			tx.d.lock("t"), q.args...)
	found, err := scanTexts(rs, err, len(names))
	rows := make([]personRow, len(found))
	for n, row := range found {
		rows[n] = personRow{texts: row[:len(t.columns)], key: row[len(t.columns):][:len(t.key)]}
		if t.item != "" {
			rows[n].item = row[len(row)-1]
		}
	}
	return rows, err
}

type personRow struct {
	texts, key []string
	item       string
}

// EraseTexts removes a person's address from the text columns of the rows with the given keys,
// except for rows about the items in excluded.
func (tx *Tx) EraseTexts(account string, t PersonalDataTable, p lost.Person, keys [][]string,
	excluded map[string]bool) (e lost.Erased, err error) {
	if t.encrypted {
		return tx.eraseResponses(account, p, keys)
	}
	rows, err := tx.lockPersonRows(account, t, keys)
	for _, row := range rows {
		if excluded[row.item] {
			continue
		}
		changed := false
		for n, column := range t.columns {
			text := removeAddress(row.texts[n], p, slices.Contains(t.prose, column))
			if column == "query" {
				text = removeAddressFromQuery(row.texts[n], p)
			}
			if text != row.texts[n] {
				changed = true
				key, values := slices.Concat([]string{"account_id"}, t.key), slices.Concat([]string{account}, row.key)
				if err := tx.setText(t.table, column, text, key, values); err != nil {
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

// setText sets one column of the row whose key columns have the given values.
func (tx *Tx) setText(table, column, text string, key, values []string) error {
	q := &query{}
	set := "UPDATE " + table + " SET " + column + " = " + q.arg(text)
	for n, k := range key {
		q.where(k + " = " + q.arg(values[n]))
	}
	return tx.queue(set+q.clause(), q.args...)
}

// EraseMessages deletes those messages with the given keys that were sent to a person, even if
// their item now belongs to another guest. It keeps messages about the items in excluded. It also
// removes stored responses about the items of the deleted messages.
func (tx *Tx) EraseMessages(account string, p lost.Person, keys [][]string,
	excluded map[string]bool) (e lost.Erased, err error) {
	ids, items, err := tx.rowsSentTo(account, MessagePersonalData(), p, keys, excluded)
	if err != nil || len(ids) == 0 {
		return e, err
	}
	q := &query{}
	q.where("account_id = " + q.arg(account))
	whereIn(q, "payload", ids)
	q.where(dueMessageJobs)
	if err := tx.queue("DELETE FROM jobs"+q.clause(), q.args...); err != nil {
		return e, err
	}
	if err := tx.clearResponses(account, items, &e); err != nil {
		return e, err
	}
	return e, tx.deleteCounted(&e.Messages, "messages", account, ids)
}

// PersonMessages returns the messages about items that were sent to a person, oldest first.
func (r reader) PersonMessages(ctx context.Context, account string, p lost.Person, limit int) ([]lost.Message, error) {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	q.where(q.addressCondition("address", p))
	q.where("item_id <> ''")
	rs, err := r.h.QueryPlanned(ctx,
		"SELECT "+messageColumns+" FROM messages"+q.clause()+" ORDER BY id"+limitClause(limit),
		q.args...)
	messages, err := collect(rs, err, scanMessage)
	return slices.DeleteFunc(messages, func(m lost.Message) bool { return !p.Reads(m.To) }), err
}

// EraseLinks is like EraseMessages, but for links.
func (tx *Tx) EraseLinks(account string, p lost.Person, keys [][]string,
	excluded map[string]bool) (e lost.Erased, err error) {
	ids, _, err := tx.rowsSentTo(account, LinkPersonalData(), p, keys, excluded)
	if err != nil || len(ids) == 0 {
		return e, err
	}
	q := &query{}
	q.where("account_id = " + q.arg(account))
	whereIn(q, "id", ids)
	return e, tx.deleteLinks(&e.Links, q.clause(), q.args...)
}

// rowsSentTo returns the ids and item ids of those rows with the given keys that were sent to a
// person or by them, except for rows about the items in excluded.
func (tx *Tx) rowsSentTo(account string, t PersonalDataTable, p lost.Person, keys [][]string,
	excluded map[string]bool) (ids, items []string, err error) {
	rows, err := tx.lockPersonRows(account, t, keys)
	for _, row := range rows {
		if row.item != "" && !excluded[row.item] && slices.ContainsFunc(row.texts, p.Reads) {
			ids, items = append(ids, row.key[0]), append(items, row.item)
		}
	}
	return ids, items, err
}

// deleteCounted deletes rows by their ids, and adds the number of deleted rows to sum.
func (tx *Tx) deleteCounted(sum *int, table, account string, ids []string) error {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	whereIn(q, "id", ids)
	return tx.execCounted(sum, "DELETE FROM "+table+q.clause(), q.args...)
}

// clearResponsesUpdate clears stored responses. It keeps the rows, so that a repeated request does
// not create its record a second time.
const clearResponsesUpdate = "UPDATE answers SET answer = '', subject = ''"

// clearResponses clears the stored responses about items.
func (tx *Tx) clearResponses(account string, items []string, e *lost.Erased) error {
	if len(items) == 0 {
		return nil
	}
	q := &query{}
	q.where("account_id = " + q.arg(account))
	whereIn(q, "subject", items)
	q.where("subject <> ''")
	return tx.execCounted(&e.Answers, clearResponsesUpdate+q.clause(), q.args...)
}
