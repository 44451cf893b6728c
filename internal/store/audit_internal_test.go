package store

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
)

// auditSize is the number of entries in the audit log of the test: many times what a page or a count reads.
const auditSize = 60_000

// auditStart is the time of the oldest entry. There is one entry a minute.
var auditStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// fillAudit adds entries to the audit log. A key at one address saw most items; a few entries are about other actions,
// people and addresses.
func fillAudit(t *testing.T, db *DB) {
	t.Helper()
	err := db.Write(MaintenanceContext(t.Context()), func(tx *Tx) error {
		n, size := 0, auditSize
		if db.d.name == "sqlite" {
			size = 1000 // its plans do not depend on the data
		}
		columns := append([]string{"account_id"}, strings.Split(auditColumns, ", ")...)
		if _, err := tx.h.InsertRows(tx.ctx, "audit", columns, func() ([]any, error) {
			if n == size {
				return nil, nil
			}
			e := auditSample(n)
			n++
			return []any{e.Actor.Account, e.ID, micros(e.At), string(e.Actor.Kind), e.Actor.ID, e.Actor.Name,
				string(e.Action), e.Subject, e.Note, e.Actor.Address}, nil
		}); err != nil || db.d.name == "sqlite" {
			return err
		}
		return tx.queue("ANALYZE audit")
	})
	if err != nil {
		t.Fatal(err)
	}
}

// auditSample returns the n-th entry of the test's audit log.
func auditSample(n int) lost.AuditEntry {
	a := lost.Actor{Account: "acc", Kind: lost.ByKey, ID: "key_busy", Name: "Booking system", Address: "192.0.2.1"}
	action, subject := lost.ItemSeen, fmt.Sprintf("item_%d", n%20_000)
	switch {
	case n%100 == 1:
		a.Account = "acc_other"
	case n%1000 == 2:
		a.ID, a.Address = "usr_boss", "192.0.2.7"
		action, subject = lost.LoggedIn, "ses"
	case n%10_000 == 3:
		action, subject = lost.Exported, "loc_1"
	case n%4 == 0:
		action, subject = lost.ItemsSeen, "loc_1"
	}
	return lost.NewAuditEntry(a, action, subject, "", auditStart.Add(time.Duration(n)*time.Minute))
}

// auditFilters are filters of a large audit log, each with the index that SQLite must use.
var auditFilters = map[string]struct {
	f     lost.AuditFilter
	index string
}{
	"no filter":         {lost.AuditFilter{}, "sqlite_autoindex_audit_1 (account_id=?"},
	"a common actor":    {lost.AuditFilter{Actor: "key_busy"}, "audit_of_actor"},
	"a rare actor":      {lost.AuditFilter{Actor: "usr_boss"}, "audit_of_actor"},
	"a common action":   {lost.AuditFilter{Action: lost.ItemSeen}, "audit_of_deed"},
	"a rare action":     {lost.AuditFilter{Action: lost.Exported}, "audit_of_deed"},
	"an unused action":  {lost.AuditFilter{Action: lost.PersonErased}, "audit_of_deed"},
	"a subject":         {lost.AuditFilter{Subject: "item_17"}, "audit_of_subject"},
	"a common subject":  {lost.AuditFilter{Subject: "loc_1"}, "audit_of_subject"},
	"a common address":  {lost.AuditFilter{Address: "192.0.2.1"}, "audit_of_address"},
	"a rare address":    {lost.AuditFilter{Address: "192.0.2.7"}, "audit_of_address"},
	"an unused address": {lost.AuditFilter{Address: "192.0.2.9"}, "audit_of_address"},
	"what a busy key did rarely": {
		lost.AuditFilter{Actor: "key_busy", Action: lost.Exported}, "audit_of_actor_deed",
	},
	"what a busy key never did": {
		lost.AuditFilter{Actor: "key_busy", Action: lost.LoggedIn}, "audit_of_actor_deed",
	},
	"a rare action from a common address": {
		lost.AuditFilter{Address: "192.0.2.1", Action: lost.Exported}, "audit_of_deed",
	},
	"who saw an item": {lost.AuditFilter{Subject: "item_17", Action: lost.ItemSeen}, "audit_of_subject"},
	"a day": {
		lost.AuditFilter{From: auditStart.AddDate(0, 0, 40), Until: auditStart.AddDate(0, 0, 41)},
		"sqlite_autoindex_audit_1 (account_id=? AND id>? AND id<?",
	},
	"a key's day": {
		lost.AuditFilter{
			Actor: "key_busy", From: auditStart.AddDate(0, 0, 40), Until: auditStart.AddDate(0, 0, 41),
		},
		"audit_of_actor (account_id=? AND actor_id=? AND id>? AND id<?",
	},
	"a page in the middle": {
		lost.AuditFilter{
			Action: lost.ItemSeen, PageCursor: lost.PageCursor{Before: lost.FirstID(lost.AuditID,
				auditStart.Add(auditSize/2*time.Minute))},
		},
		"audit_of_deed (account_id=? AND deed=? AND id<?",
	},
}

// TestTheAuditLogIsReadByIndex checks the query plans of lists and counts in a large audit log.
func TestTheAuditLogIsReadByIndex(t *testing.T) {
	each(t, func(t *testing.T, setting string) {
		db := open(t, setting)
		if db.d.citus {
			t.Skip("the plans of Citus name its shards")
		}
		if _, err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		fillAudit(t, db)
		for name, c := range auditFilters {
			c.f.Limit = lost.MaxLimit
			page, pageArgs := db.auditPage("acc", c.f)
			all, args := db.matchingAudit("acc", c.f)
			if db.d.name == "sqlite" {
				checkSQLitePlan(t, db, name, c.index, page, pageArgs)
				checkSQLitePlan(t, db, "count of "+name, strings.Replace(c.index, " AND id<?", "", 1), all, args)
				continue
			}
			checkPostgresPlan(t, db, name, c.f.Limit+1, page, pageArgs)
			checkPostgresPlan(t, db, "count of "+name, lost.MaxTotal+1,
				fmt.Sprintf("SELECT count(*) FROM (%s LIMIT %d) AS matching", all, lost.MaxTotal+1), args)
		}
	})
}

// checkSQLitePlan checks that a query uses an index and does not sort.
func checkSQLitePlan(t *testing.T, db *DB, name, index, query string, args []any) {
	t.Helper()
	rs, err := db.h.Query(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	steps, err := collect(rs, err, func(rs rows) (string, error) {
		var id, parent, unused int
		var detail string
		err := rs.Scan(&id, &parent, &unused, &detail)
		return detail, err
	})
	plan := strings.Join(steps, "; ")
	plan = strings.Replace(plan, "COVERING ", "", 1)
	if err != nil || !strings.HasPrefix(plan, "SEARCH audit USING INDEX "+index) || strings.Contains(plan, "B-TREE") {
		t.Errorf("%s does not use the index %s alone: %s, %v", name, index, plan, err)
	}
}

var (
	actualRows  = regexp.MustCompile(`actual .*rows=(\d+)`)
	removedRows = regexp.MustCompile(`Rows Removed by [\w ]+: (\d+)`)
)

// checkPostgresPlan runs a query and checks that it uses an index, reads no more than most rows and removes few of
// them.
func checkPostgresPlan(t *testing.T, db *DB, name string, most int, query string, args []any) {
	t.Helper()
	rs, err := db.h.QueryPlanned(t.Context(), "EXPLAIN ANALYZE "+query, args...)
	lines, err := collect(rs, err, func(rs rows) (line string, err error) { err = rs.Scan(&line); return line, err })
	plan := strings.Join(lines, "\n")
	const maxRemoved = 1000 // reading some more rows in the order of the list may be faster than an index
	tooMany := func(pattern *regexp.Regexp, most int) bool {
		for _, m := range pattern.FindAllStringSubmatch(plan, -1) {
			if n, err := strconv.Atoi(m[1]); err != nil || n > most {
				return true
			}
		}
		return false
	}
	if err != nil || strings.Contains(plan, "Seq Scan") || !actualRows.MatchString(plan) || tooMany(actualRows, most) ||
		tooMany(removedRows, maxRemoved) {
		t.Errorf("%s reads too many rows: %v\n%s", name, err, plan)
	}
}
