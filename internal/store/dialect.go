package store

import (
	"fmt"
	"strconv"
	"strings"
)

// dialect holds all differences between the SQL of the databases. All other SQL in this package is
// the same for both.
type dialect struct {
	name string
	// forUpdate is the suffix of a query that locks its rows. It is empty for SQLite, which has
	// only one writer at a time.
	forUpdate  string
	skipLocked string // like forUpdate, but skips locked rows
	// pickLocked is the suffix of a query for rows of any account, which are then claimed account
	// by account. With Citus a query can lock rows of one node only, so two workers may select the
	// same rows; the first one to claim them wins.
	pickLocked string
	citus      bool // the tables may be distributed over several nodes
	// migrationLock makes other instances of the service wait while one migrates.
	migrationLock string
	// countParts is the number of rows that each counter is split into. A row stays locked until
	// the commit is on disk, so splitting reduces contention. SQLite has one writer and needs only
	// one row.
	countParts uint32
	// waitingQueues selects the endpoints after $1 that have pending deliveries, with their account
	// and the time when the first one is due. It skips through the index from one endpoint to the
	// next, so that a long queue costs no more than a short one. Citus cannot do that and reads all
	// pending deliveries.
	waitingQueues string
	// noIndex is a prefix for a column to exclude it from index use. SQLite would use any index
	// that it can, even if the rows then have to be sorted.
	noIndex string
	// sortAfterSearch changes an ORDER BY so that rows are sorted after all of them have been
	// found. Otherwise PostgreSQL would scan all items in that order, expecting to find enough that
	// contain the words.
	sortAfterSearch func(order string) string
	// fewItems is the number of items of one status up to which all of them are read, instead of
	// using the text index. It is 0 for PostgreSQL, which chooses the plan itself.
	fewItems int
	// allowAuditDelete allows the transaction to delete audit log entries older than a time; 0
	// forbids it again.
	allowAuditDelete func(tx *Tx, before int64) error
	// search restricts items i to those that contain every word. It returns the source to select
	// from and the column that orders by creation.
	search func(q *query, token string, words []string) itemSearch
}

const skipScanQueues = `WITH RECURSIVE lane (endpoint_id) AS (
			SELECT (SELECT endpoint_id FROM deliveries WHERE state = 'pending' AND endpoint_id > $1 ORDER BY endpoint_id
			LIMIT 1)
			UNION ALL
			SELECT (SELECT d.endpoint_id FROM deliveries d WHERE d.state = 'pending'
			AND d.endpoint_id > lane.endpoint_id ORDER BY d.endpoint_id LIMIT 1)
			FROM lane WHERE lane.endpoint_id IS NOT NULL
		)
		SELECT endpoint_id,
			(SELECT account_id FROM deliveries d WHERE d.state = 'pending' AND d.endpoint_id = lane.endpoint_id
			ORDER BY d.due_at LIMIT 1),
			(SELECT due_at FROM deliveries d WHERE d.state = 'pending' AND d.endpoint_id = lane.endpoint_id
			ORDER BY d.due_at LIMIT 1)
		FROM lane WHERE endpoint_id IS NOT NULL`

// itemSearch is the source of a text search.
type itemSearch struct {
	from  string // items i, joined with the text index where it is used
	order string // column in the order of creation, in which the source can be read
}

func postgresDialect() dialect {
	return dialect{
		name:          "postgres",
		forUpdate:     " FOR UPDATE OF ",
		skipLocked:    " FOR UPDATE SKIP LOCKED",
		pickLocked:    " FOR NO KEY UPDATE SKIP LOCKED",
		migrationLock: "SELECT pg_advisory_xact_lock(7061626)",
		countParts:    8,
		waitingQueues: skipScanQueues,
		allowAuditDelete: func(tx *Tx, before int64) error {
			_, err := tx.exec("SELECT set_config('homeward.audit_before', $1, true)", strconv.FormatInt(before, 10))
			return err
		},
		sortAfterSearch: func(order string) string {
			return strings.NewReplacer("i.seq", "(i.seq + 0)", "i.discovery_date",
				"(i.discovery_date || '')").Replace(order)
		},
		search: func(q *query, _ string, words []string) itemSearch {
			for _, w := range words {
				q.whereContains("i.search", w)
			}
			return itemSearch{from: "items i", order: "i.seq"}
		},
	}
}

// citusDialect is the dialect of PostgreSQL with Citus, where tables may be distributed over nodes.
func citusDialect() dialect {
	d := postgresDialect()
	d.citus, d.pickLocked = true, ""
	d.allowAuditDelete = func(tx *Tx, before int64) error { // the setting must reach every node
		return tx.h.Script(tx.ctx,
			fmt.Sprintf("SET LOCAL citus.propagate_set_commands TO 'local'; SET LOCAL homeward.audit_before TO '%d'",
				before))
	}
	d.waitingQueues = `SELECT endpoint_id, account_id, MIN(due_at) FROM deliveries WHERE state = 'pending'
			AND endpoint_id > $1 GROUP BY account_id, endpoint_id ORDER BY endpoint_id`
	return d
}

func sqliteDialect() dialect {
	return dialect{
		name:            "sqlite",
		countParts:      1,
		waitingQueues:   skipScanQueues,
		noIndex:         "+",
		fewItems:        2000,
		sortAfterSearch: func(order string) string { return order },
		allowAuditDelete: func(tx *Tx, before int64) error {
			if before == 0 {
				return tx.queue("DELETE FROM audit_gate WHERE account_id = $1", "")
			}
			return tx.queue("INSERT INTO audit_gate (account_id, before) VALUES ($1, $2)", "", before)
		},
		search: func(q *query, token string, words []string) itemSearch {
			var trigrams []string
			for _, w := range words {
				q.whereContains("i.search", w) // the index has only trigrams, so the rows are tested too
				trigrams = append(trigrams, trigramsOf(w)...)
			}
			if len(trigrams) == 0 { // all words are shorter than a trigram: test every row
				return itemSearch{from: "items i", order: "i.seq"}
			}
			// The location token is one trigram of the index, so the items of other locations do
			// not slow down the search.
			q.where("items_search MATCH " + q.arg(matchAll(append([]string{token}, trigrams...))))
			// CROSS JOIN makes SQLite start with the text index. Otherwise it would look up every
			// item in it.
			return itemSearch{
				from: "items_search CROSS JOIN items i ON i.seq = items_search.rowid", order: "items_search.rowid",
			}
		},
	}
}

// trigramsOf returns the first trigrams of a word. More trigrams would not make the search faster.
func trigramsOf(word string) (trigrams []string) {
	const maxTrigrams = 12
	letters := []rune(word)
	for i := 0; i+3 <= len(letters) && i < maxTrigrams; i++ {
		trigrams = append(trigrams, string(letters[i:i+3]))
	}
	return trigrams
}

// matchAll returns the FTS5 expression for rows that contain every text.
func matchAll(texts []string) string {
	quoted := make([]string, len(texts))
	for i, t := range texts {
		quoted[i] = `"` + strings.ReplaceAll(t, `"`, `""`) + `"`
	}
	return strings.Join(quoted, " AND ")
}

// likePattern returns the LIKE pattern for a text at any position, with special characters escaped.
func likePattern(text string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text) + "%"
}

// lock returns the suffix of a query that locks the rows of the table with an alias.
func (d dialect) lock(alias string) string {
	if d.forUpdate == "" {
		return ""
	}
	return d.forUpdate + alias
}

// lockSkipping is lock, but skips locked rows and does not block transactions that only refer to
// the rows.
func (d dialect) lockSkipping(alias string) string {
	if d.forUpdate == "" {
		return ""
	}
	return " FOR NO KEY UPDATE OF " + alias + " SKIP LOCKED"
}

// pickLockedOf is pickLocked for the table with an alias.
func (d dialect) pickLockedOf(alias string) string {
	if d.pickLocked == "" {
		return ""
	}
	return d.lockSkipping(alias)
}

// lockShared returns the suffix of a query whose rows must not change until the transaction ends.
// It skips rows that another transaction is changing.
func (d dialect) lockShared(alias string) string {
	if d.forUpdate == "" {
		return ""
	}
	return " FOR KEY SHARE OF " + alias + " SKIP LOCKED"
}
