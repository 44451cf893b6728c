package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// dialect holds all SQL that differs between the databases. All other SQL in this package is the
// same for both.
type dialect struct {
	name string
	// forUpdate is the suffix that makes a query lock its rows. It is empty for SQLite, which has
	// only one writer at a time.
	forUpdate  string
	skipLocked string // like forUpdate, but skips locked rows
	// pickLocked is the locking suffix of a query that selects rows of all accounts, which are then
	// claimed account by account. It is empty for Citus, where a query can lock rows on only one
	// node. Two workers may then select the same rows, and the first to claim them wins.
	pickLocked string
	citus      bool // whether the tables may be distributed across several nodes
	// migrationLock is the statement that makes other instances of the service wait while this one
	// migrates the database.
	migrationLock string
	// tableExists selects whether there is a table with the name $1.
	tableExists string
	// countParts is the number of rows that each counter is split into. A row stays locked until
	// the commit is on disk, so every connection of a pool uses its own row. Only their sum is meaningful. SQLite has
	// one writer and needs only one row.
	countParts uint32
	// waitingQueues selects the endpoints after $1 that have pending deliveries, with their account
	// and the time when their first delivery is due. It jumps from one endpoint to the next in the
	// index, so a long queue costs no more than a short one. Citus cannot do that and reads all
	// pending deliveries.
	waitingQueues string
	// noIndex is a prefix that keeps SQLite from using an index on the column after it. Otherwise
	// SQLite would use any index that it can, even if the rows then have to be sorted.
	noIndex string
	// useIndex returns the clause that makes SQLite use an index. SQLite has no statistics, because the service does
	// not run ANALYZE there, so it cannot know which index finds the fewest rows. It returns an empty text for
	// PostgreSQL, which has statistics, and for no index.
	useIndex func(index string) string
	// sortAfterSearch changes an ORDER BY expression so that rows are sorted after all of them have
	// been found. Otherwise PostgreSQL would scan all items in that order, expecting to find enough
	// matches early.
	sortAfterSearch func(order string) string
	// fewItems is the largest number of items with one status for which all of them are read
	// instead of using the text index. It is 0 for PostgreSQL, which chooses the plan itself.
	fewItems int
	// allowAuditDelete allows the transaction to delete audit log entries older than the given
	// time. With 0, it forbids deleting again.
	allowAuditDelete func(tx *Tx, before int64) error
	// searchTrigrams restricts items i to those that contain all of the trigrams. It returns what to select from. It is
	// nil for PostgreSQL, whose planner uses the text index by itself.
	searchTrigrams func(q *query, trigrams []string) itemSearch
	// searchPhrases is searchTrigrams for the trigrams of a phrase of each group. It is nil for PostgreSQL.
	searchPhrases func(q *query, only []string, groups [][]TextPhrase) itemSearch
	// position returns the expression for the position of a text in a column.
	position func(column, text string) string
	// searchRare restricts items i to those that contain every word. It uses the text index for the given rare trigrams
	// only. The first two conditions of the query must be the account and the location. It is nil for SQLite, which has
	// searchTrigrams.
	searchRare func(q *query, words, trigrams []string)
	// hideAccount is the condition on the account $1 of items i that keeps the planner from using it in the text index,
	// where it takes longer than it saves. It is empty for SQLite.
	hideAccount string
	// firstOfEach returns a query for columns of a table's rows, which the query rows finds for each location l. SQLite
	// has no LATERAL, and PostgreSQL would run a correlated IN for each row of the table.
	firstOfEach func(table, alias, columns, rows, locations string) string
	// changes tells how changes are numbered.
	changes changeNumbers
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

// itemSearch is what a text search selects from.
type itemSearch struct {
	from  string // items i, joined with the text index if it is used
	index string // the text index alone
	order string // column that sorts by creation and can be read in that order
}

const hiddenAccount = "$1 = i.account_id || ''"

func postgresPosition(column, text string) string { return "strpos(" + column + ", " + text + ")" }

func postgresDialect() dialect {
	return dialect{
		position:      postgresPosition,
		hideAccount:   hiddenAccount,
		name:          "postgres",
		changes:       transactionNumbers,
		forUpdate:     " FOR UPDATE OF ",
		skipLocked:    " FOR UPDATE SKIP LOCKED",
		pickLocked:    " FOR NO KEY UPDATE SKIP LOCKED",
		migrationLock: "SELECT pg_advisory_xact_lock(7061626)",
		tableExists:   "SELECT to_regclass($1) IS NOT NULL",
		countParts:    8,
		waitingQueues: skipScanQueues,
		useIndex:      func(string) string { return "" },
		firstOfEach: func(_, alias, columns, rows, locations string) string {
			return "SELECT " + alias + ".* FROM locations l CROSS JOIN LATERAL (SELECT " + columns + rows + ") AS " +
				alias + " WHERE " + locations
		},
		allowAuditDelete: func(tx *Tx, before int64) error {
			_, err := tx.exec("SELECT set_config('homeward.audit_before', $1, true)", strconv.FormatInt(before, 10))
			return err
		},
		sortAfterSearch: func(order string) string {
			return strings.NewReplacer("i.seq", "(i.seq + 0)", "i.discovery_date", "(i.discovery_date || '')",
				"i.status", "(i.status || '')", "i.store_until", "(i.store_until || '')",
				"i.pickup_date", "(i.pickup_date || '')").Replace(order)
		},
		searchRare: func(q *query, words, trigrams []string) {
			// Without an index on the account, the text index is the only one that finds a location's items quickly, so
			// the planner always uses it. It also takes less time than reading the index's list for the account too.
			q.conditions[0] = hiddenAccount
			for _, t := range trigrams {
				// The subquery hides the trigram from the planner. It then expects the same number of rows for every
				// trigram, so that it keeps one plan instead of planning each search.
				q.where("i.search LIKE (SELECT CAST(" + q.arg(likePattern(t)) + " AS TEXT))")
			}
			for _, w := range words {
				text := q.arg(w)
				q.where("strpos(i.search, " + text + ") > 0") // unlike LIKE, does not use the index
				q.whereBeforeMore("i.search", text, postgresPosition)
			}
		},
	}
}

// citusDialect returns the dialect of PostgreSQL with Citus, where tables may be distributed across
// nodes.
func citusDialect() dialect {
	d := postgresDialect()
	d.citus, d.pickLocked, d.changes = true, "", countedNumbers
	d.searchRare, d.hideAccount = nil, ""                   // whether Citus keeps the plan is not known
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
		position:      func(column, text string) string { return "instr(" + column + ", " + text + ")" },
		name:          "sqlite",
		changes:       countedNumbers,
		tableExists:   "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = $1)",
		countParts:    1,
		waitingQueues: skipScanQueues,
		noIndex:       "+",
		useIndex: func(index string) string {
			if index == "" {
				return ""
			}
			return " INDEXED BY " + index
		},
		firstOfEach: func(table, alias, columns, rows, locations string) string {
			return "SELECT " + columns + " FROM locations l CROSS JOIN " + table + " " + alias +
				" WHERE " + locations + " AND +" + alias + ".account_id = $1" +
				" AND " + alias + ".rowid IN (SELECT " + alias + ".rowid" + rows + ")"
		},
		fewItems:        2000,
		sortAfterSearch: func(order string) string { return order },
		allowAuditDelete: func(tx *Tx, before int64) error {
			if before == 0 {
				return tx.queue("DELETE FROM audit_gate WHERE account_id = $1", "")
			}
			return tx.queue("INSERT INTO audit_gate (account_id, before) VALUES ($1, $2)", "", before)
		},
		searchTrigrams: func(q *query, trigrams []string) itemSearch { return matchIndex(q, matchAll(trigrams)) },
		searchPhrases: func(q *query, only []string, groups [][]TextPhrase) itemSearch {
			return matchIndex(q, matchPhrases(only, groups))
		},
	}
}

// matchIndex restricts items i to those that an expression for SQLite's text index matches.
func matchIndex(q *query, expression string) itemSearch {
	q.where("items_search MATCH " + q.arg(expression))
	// CROSS JOIN makes SQLite start with the text index. Otherwise it would look up every item in that index.
	return itemSearch{
		from:  "items_search CROSS JOIN items i ON i.seq = items_search.rowid",
		index: "items_search", order: "items_search.rowid",
	}
}

// likePattern returns a LIKE pattern that matches the text at any position. It escapes special
// characters.
func likePattern(text string) string { return "%" + escapeLike(text) + "%" }

// escapeLike escapes the special characters of LIKE patterns.
func escapeLike(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
}

// lock returns the suffix that makes a query lock the rows of the table with the given alias.
func (d dialect) lock(alias string) string {
	if d.forUpdate == "" {
		return ""
	}
	return d.forUpdate + alias
}

// lockSkipping is like lock, but skips locked rows and does not block transactions that only refer
// to the rows.
func (d dialect) lockSkipping(alias string) string {
	if d.forUpdate == "" {
		return ""
	}
	return " FOR NO KEY UPDATE OF " + alias + " SKIP LOCKED"
}

// pickLockedOf is pickLocked for the table with the given alias.
func (d dialect) pickLockedOf(alias string) string {
	if d.pickLocked == "" {
		return ""
	}
	return d.lockSkipping(alias)
}

// lockShared returns the suffix that makes a query keep its rows unchanged until the transaction
// ends. The query skips rows that another transaction is changing.
func (d dialect) lockShared(alias string) string {
	if d.forUpdate == "" {
		return ""
	}
	return " FOR KEY SHARE OF " + alias + " SKIP LOCKED"
}

// trigramCondition returns the condition that items i have trigrams of a phrase of each group, on PostgreSQL. It finds
// a combination of phrases with one scan of the index, and fetches only rows that have all of them. With many
// combinations, scanning once for each phrase takes less time.
func trigramCondition(q *query, groups [][]TextPhrase) string {
	const most = 16 // phrases; rows are tested for the others
	combinations, phrases := 1, 0
	for n, g := range groups {
		if n > 0 && phrases+len(g) > most {
			groups = groups[:n]
			break
		}
		combinations, phrases = combinations*len(g), phrases+len(g)
	}
	each := maxRareTrigrams
	if len(groups) > 1 { // of several, PostgreSQL would expect too few rows, and then not look up the other groups
		each = 1
	}
	if combinations <= phrases {
		n := 0
		return either(combine(groups), func(all []TextPhrase) string {
			n++
			return hasTrigrams(q, each, strings.Repeat("%", n), all...)
		})
	}
	conditions := make([]string, len(groups))
	for n, g := range groups {
		conditions[n] = either(g, func(p TextPhrase) string { return hasTrigrams(q, each, "%", p) })
	}
	return strings.Join(conditions, " AND ")
}

// hasTrigrams returns the condition that a row has the first trigrams of all phrases, up to most of each. The patterns
// end with any number of percent signs. If several combinations had the same pattern, PostgreSQL would look up only
// that one.
func hasTrigrams(q *query, most int, end string, phrases ...TextPhrase) string {
	var all []string
	for _, p := range phrases {
		for _, t := range p.Trigrams[:min(len(p.Trigrams), most)] {
			all = append(all, "i.search LIKE "+q.arg("%"+escapeLike(t)+end))
		}
	}
	return "(" + strings.Join(all, " AND ") + ")"
}

// either returns the condition that one of several conditions is met.
func either[T any](of []T, condition func(T) string) string {
	conditions := make([]string, len(of))
	for n, v := range of {
		conditions[n] = condition(v)
	}
	return "(" + strings.Join(conditions, " OR ") + ")"
}

// combine returns all combinations of one phrase from each group.
func combine(groups [][]TextPhrase) [][]TextPhrase {
	all := [][]TextPhrase{nil}
	for _, g := range groups {
		var longer [][]TextPhrase
		for _, c := range all {
			for _, p := range g {
				longer = append(longer, append(slices.Clip(c), p))
			}
		}
		all = longer
	}
	return all
}
