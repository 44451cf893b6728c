package store

import (
	"fmt"
	"strconv"
	"strings"
)

// dialect is the whole difference between the two databases' SQL. Everything
// else in this room is one text for both.
type dialect struct {
	name string
	// forUpdate ends a query whose rows are about to be changed. SQLite needs
	// nothing: whoever writes is alone.
	forUpdate  string
	skipLocked string // likewise, passing over rows that somebody else has locked
	// pickLocked ends a query for rows of any account that are then taken account by account. With Citus only rows of one machine can be locked by a query,
	// so that two who pick at once may pick the same: who takes them first has them.
	pickLocked string
	citus      bool // over several machines, by Citus
	// migrationLock makes one copy of the service wait while another migrates.
	migrationLock string
	// countParts is over how many rows each number is spread. A row stays locked until the commit is
	// on disk; SQLite writes alone and needs but one.
	countParts uint32
	// waitingLanes gives the endpoints after one, in order, that have deliveries waiting, with their account and when the first is due. It walks the index from one to the next, so
	// that a long queue costs no more than a short one. Citus knows no such walk, and reads all that wait.
	waitingQueues string
	// unsought stands before a column that rows are tested by and not looked for by. SQLite looks for them by every index that it can, also
	// where the rows then have to be put in order.
	unsought string
	// gathered is a form of order by which found rows are put in order once all of them are there. PostgreSQL, where it can, walks all items in
	// that order instead, in the hope that enough of them soon have the words.
	sortAfterSearch func(order string) string
	// few is how many items of one status are looked through for a text, rather than through all that have it. PostgreSQL knows by itself.
	few int
	// openAudit lets the transaction remove lines of the audit log from before a time; 0 for none, as usual.
	allowAuditDelete func(tx *Tx, before int64) error
	// search narrows items i to those that contain every word. It gives a
	// source to join, conditions, and the column that orders by creation.
	search func(q *query, token string, words []string) itemSearch
}

const walkedQueues = `WITH RECURSIVE lane (endpoint_id) AS (
			SELECT (SELECT endpoint_id FROM deliveries WHERE state = 'pending' AND endpoint_id > $1 ORDER BY endpoint_id LIMIT 1)
			UNION ALL
			SELECT (SELECT d.endpoint_id FROM deliveries d WHERE d.state = 'pending' AND d.endpoint_id > lane.endpoint_id ORDER BY d.endpoint_id LIMIT 1)
			FROM lane WHERE lane.endpoint_id IS NOT NULL
		)
		SELECT endpoint_id,
			(SELECT account_id FROM deliveries d WHERE d.state = 'pending' AND d.endpoint_id = lane.endpoint_id ORDER BY d.due_at LIMIT 1),
			(SELECT due_at FROM deliveries d WHERE d.state = 'pending' AND d.endpoint_id = lane.endpoint_id ORDER BY d.due_at LIMIT 1)
		FROM lane WHERE endpoint_id IS NOT NULL`

// itemSearch is how a dialect finds items by text.
type itemSearch struct {
	from  string // items i, with whatever finds them
	order string // creation order, as the source can walk it
}

func postgresDialect() dialect {
	return dialect{
		name:          "postgres",
		forUpdate:     " FOR UPDATE OF ",
		skipLocked:    " FOR UPDATE SKIP LOCKED",
		pickLocked:    " FOR NO KEY UPDATE SKIP LOCKED",
		migrationLock: "SELECT pg_advisory_xact_lock(7061626)",
		countParts:    8,
		waitingQueues: walkedQueues,
		allowAuditDelete: func(tx *Tx, before int64) error {
			_, err := tx.exec("SELECT set_config('homeward.audit_before', $1, true)", strconv.FormatInt(before, 10))
			return err
		},
		sortAfterSearch: func(order string) string {
			return strings.NewReplacer("i.seq", "(i.seq + 0)", "i.discovery_date", "(i.discovery_date || '')").Replace(order)
		},
		search: func(q *query, _ string, words []string) itemSearch {
			for _, w := range words {
				q.contains("i.search", w)
			}
			return itemSearch{from: "items i", order: "i.seq"}
		},
	}
}

// citusDialect is PostgreSQL's where the rows of several accounts may lie on several machines.
func citusDialect() dialect {
	d := postgresDialect()
	d.citus, d.pickLocked = true, ""
	d.allowAuditDelete = func(tx *Tx, before int64) error { // each machine is told
		return tx.h.Script(tx.ctx, fmt.Sprintf("SET LOCAL citus.propagate_set_commands TO 'local'; SET LOCAL homeward.audit_before TO '%d'", before))
	}
	d.waitingQueues = `SELECT endpoint_id, account_id, MIN(due_at) FROM deliveries WHERE state = 'pending' AND endpoint_id > $1 GROUP BY account_id, endpoint_id ORDER BY endpoint_id`
	return d
}

func sqliteDialect() dialect {
	return dialect{
		name:            "sqlite",
		countParts:      1,
		waitingQueues:   walkedQueues,
		unsought:        "+",
		few:             2000,
		sortAfterSearch: func(order string) string { return order },
		allowAuditDelete: func(tx *Tx, before int64) error {
			if before == 0 {
				return tx.later("DELETE FROM audit_gate WHERE account_id = $1", "")
			}
			return tx.later("INSERT INTO audit_gate (account_id, before) VALUES ($1, $2)", "", before)
		},
		search: func(q *query, token string, words []string) itemSearch {
			var trigrams []string
			for _, w := range words {
				q.contains("i.search", w) // which the index tells only of the trigrams
				trigrams = append(trigrams, trigramsOf(w)...)
			}
			if len(trigrams) == 0 { // all are shorter than what the index holds: look at the rows
				return itemSearch{from: "items i", order: "i.seq"}
			}
			// The location's token is one trigram: the index walks what all lists
			// share, so other locations' items cost nothing.
			q.where("items_search MATCH " + q.arg(matchAll(append([]string{token}, trigrams...))))
			// CROSS has it begin there: from a part of the items it would look every one of them up.
			return itemSearch{from: "items_search CROSS JOIN items i ON i.seq = items_search.rowid", order: "items_search.rowid"}
		},
	}
}

// trigramsOf gives the trigrams of a word by which it is looked for: every one, as far as more of them would lead to it any sooner.
func trigramsOf(word string) (trigrams []string) {
	const enough = 12
	letters := []rune(word)
	for i := 0; i+3 <= len(letters) && i < enough; i++ {
		trigrams = append(trigrams, string(letters[i:i+3]))
	}
	return trigrams
}

// matchAll is an FTS5 expression for rows that contain every text.
func matchAll(texts []string) string {
	quoted := make([]string, len(texts))
	for i, t := range texts {
		quoted[i] = `"` + strings.ReplaceAll(t, `"`, `""`) + `"`
	}
	return strings.Join(quoted, " AND ")
}

// likePattern matches a text anywhere, whatever characters it has.
func likePattern(text string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text) + "%"
}

// lock ends a query that locks the rows of one table, by its alias.
func (d dialect) lock(alias string) string {
	if d.forUpdate == "" {
		return ""
	}
	return d.forUpdate + alias
}

// lockSkipping is lock, passing over rows that somebody else has locked, and holding up nobody who only refers to them.
func (d dialect) lockSkipping(alias string) string {
	if d.forUpdate == "" {
		return ""
	}
	return " FOR NO KEY UPDATE OF " + alias + " SKIP LOCKED"
}

// pickLockedOf is pickLocked for the rows of one table of several, by its alias.
func (d dialect) pickLockedOf(alias string) string {
	if d.pickLocked == "" {
		return ""
	}
	return d.lockSkipping(alias)
}

// lockShared ends a query whose rows are to stay as they are; rows that somebody else is about to change are passed over.
func (d dialect) lockShared(alias string) string {
	if d.forUpdate == "" {
		return ""
	}
	return " FOR KEY SHARE OF " + alias + " SKIP LOCKED"
}
