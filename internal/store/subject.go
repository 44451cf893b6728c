package store

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"homeward/internal/lost"
)

// MatchSubject is an item in the matching index.
type MatchSubject struct {
	Account string
	ItemID  string
	Pool    string // items are compared only with items in the same pool
	Source  lost.Source
	Day     int // number of days since 1 January 1970
	Terms   []string
}

// termKey returns the stored form of a term: its FNV-1a hash. A hash collision only adds a
// candidate, which is then compared in full.
func termKey(term string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(term))
	return int64(h.Sum64())
}

// termKeys returns the keys of the subject's terms, sorted and without duplicates.
func (s MatchSubject) termKeys() []int64 {
	keys := make([]int64, len(s.Terms))
	for n, term := range s.Terms {
		keys[n] = termKey(term)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// storedSubject is a subject as stored in the index.
type storedSubject struct {
	item, pool, source string
	day                int
	terms              string
}

// storedSubjects returns the stored subjects of those items that are indexed.
func (tx *Tx) storedSubjects(account string, items []string) ([]storedSubject, error) {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	whereIn(q, "item_id", items)
	rs, err := tx.h.Query(tx.ctx, "SELECT item_id, pool, source, day, terms FROM match_subjects"+q.clause(), q.args...)
	return collect(rs, err, func(rs rows) (s storedSubject, err error) {
		err = rs.Scan(&s.item, &s.pool, &s.source, &s.day, &s.terms)
		return s, err
	})
}

// Index adds items of an account to the matching index, or updates them.
func (tx *Tx) Index(account string, subjects ...MatchSubject) error {
	if len(subjects) == 0 {
		return nil
	}
	ids := make([]string, len(subjects))
	for n, s := range subjects {
		ids[n] = s.ItemID
	}
	stored, err := tx.storedSubjects(account, ids)
	if err != nil {
		return err
	}
	for _, s := range subjects {
		before := slices.DeleteFunc(slices.Clone(stored), func(k storedSubject) bool { return k.item != s.ItemID })
		if err := tx.indexSubject(s, before); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) indexSubject(s MatchSubject, stored []storedSubject) error {
	keys := s.termKeys()
	now := storedSubject{s.ItemID, s.Pool, string(s.Source), s.Day, toJSON(keys)}
	if slices.Equal(stored, []storedSubject{now}) {
		return nil
	}
	if err := tx.deleteTerms(s.Account, stored); err != nil {
		return err
	}
	if err := tx.queue(`INSERT INTO match_subjects (account_id, item_id, pool, source, day, terms)
			VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (account_id, item_id) DO UPDATE SET pool = excluded.pool, source = excluded.source,
			day = excluded.day, terms = excluded.terms`,
		s.Account, s.ItemID, s.Pool, string(s.Source), s.Day, now.terms); err != nil {
		return err
	}
	return tx.addTerms(s, keys)
}

// BeginMatching starts a matching run for an indexed item, and returns the number of that run.
func (tx *Tx) BeginMatching(account, item string) (run int64, err error) {
	rs, err := tx.h.Query(tx.ctx,
		"UPDATE match_subjects SET look = look + 1 WHERE account_id = $1 AND item_id = $2 RETURNING look", account,
		item)
	run, _, err = firstValue[int64](rs, err)
	return run, err
}

// LatestMatching returns the number of an item's latest matching run, or 0 if the item is not
// indexed.
func (tx *Tx) LatestMatching(account, item string) (run int64, err error) {
	rs, err := tx.h.Query(tx.ctx, "SELECT look FROM match_subjects WHERE account_id = $1 AND item_id = $2", account,
		item)
	run, _, err = firstValue[int64](rs, err)
	return run, err
}

func (tx *Tx) addTerms(s MatchSubject, keys []int64) error {
	if len(keys) == 0 {
		return nil
	}
	q := &query{args: []any{s.Account, s.Pool, string(s.Source), s.Day, s.ItemID}}
	var values []string
	for _, key := range padList(keys, listMultiple) {
		values = append(values, "($1, $2, $3, "+q.arg(key)+", $4, $5)")
	}
	return tx.queue("INSERT INTO match_terms (account_id, pool, source, term, day, item_id) VALUES "+
		strings.Join(values, ", ")+" ON CONFLICT DO NOTHING", q.args...)
}

// deleteTerms deletes the terms of subjects from the index.
func (tx *Tx) deleteTerms(account string, subjects []storedSubject) error {
	for _, s := range subjects {
		var keys []int64
		if err := readJSON("terms", s.terms, &keys); err != nil {
			return err
		}
		if len(keys) == 0 {
			continue
		}
		q := &query{args: []any{account, s.pool, s.source, s.day, s.item}}
		var values []string
		for _, key := range padList(keys, listMultiple) {
			values = append(values, q.arg(key))
		}
		if err := tx.queue("DELETE FROM match_terms WHERE account_id = $1 AND pool = $2 AND source = $3 AND day = $4 "+
			"AND item_id = $5 AND term IN ("+strings.Join(values, ", ")+")", q.args...); err != nil {
			return err
		}
	}
	return nil
}

// Unindex removes items from the matching index, with their embeddings.
func (tx *Tx) Unindex(account string, items ...string) error {
	if err := tx.deleteOf("embeddings", "item_id", account, items); err != nil {
		return err
	}
	stored, err := tx.storedSubjects(account, items)
	if err != nil || len(stored) == 0 {
		return err
	}
	if err := tx.deleteTerms(account, stored); err != nil {
		return err
	}
	return tx.deleteOf("match_subjects", "item_id", account, items)
}

// deleteMatching deletes the matching data of items that are about to be deleted.
func (tx *Tx) deleteMatching(account string, items []string) error {
	if err := tx.Unindex(account, items...); err != nil {
		return err
	}
	if err := tx.deleteOf("matches", "request_id", account, items); err != nil {
		return err
	}
	for {
		more, err := tx.deleteMatches(account, items)
		if err != nil || !more {
			return err
		}
	}
}

// deleteMatches deletes the matches of found items that are about to be deleted, and adds jobs that
// find other matches for the requests. It reports whether there may be more matches to delete.
func (tx *Tx) deleteMatches(account string, finds []string) (more bool, err error) {
	const limit = 500
	q := &query{}
	q.where("account_id = " + q.arg(account))
	whereIn(q, "item_id", finds)
	rs, err := tx.h.Query(tx.ctx, "SELECT DISTINCT request_id FROM matches"+q.clause()+limitClause(limit), q.args...)
	requests, err := collect(rs, err, scanText)
	if err != nil || len(requests) == 0 {
		return false, err
	}
	whereIn(q, "request_id", requests)
	if err := tx.queue("DELETE FROM matches"+q.clause(), q.args...); err != nil {
		return len(requests) == limit, err
	}
	if err := tx.scheduleMatchChecks(account, requests); err != nil {
		return len(requests) == limit, err
	}
	return len(requests) == limit, tx.AddMatchJobs(account, requests, tx.now)
}

// CountTerms returns, for each term, how many subjects in a pool have it, counting up to limit. The
// empty term matches all subjects.
func (r reader) CountTerms(ctx context.Context, account, pool string, source lost.Source, terms []string,
	limit int) (map[string]int, error) {
	counts := make(map[string]int, len(terms)+1)
	if slices.Contains(terms, "") {
		rs, err := r.h.Query(ctx,
			fmt.Sprintf("SELECT count(*) FROM (SELECT 1 FROM match_subjects s WHERE s.account_id = $1 AND s.pool = "+
				"$2 AND s.source = $3 LIMIT %d) AS c", limit), account, pool, string(source))
		if counts[""], _, err = firstValue[int](rs, err); err != nil {
			return nil, err
		}
		terms = slices.DeleteFunc(slices.Clone(terms), func(t string) bool { return t == "" })
	}
	if len(terms) == 0 {
		return counts, nil
	}
	q := &query{args: []any{account, pool, string(source)}}
	keys := make([]string, 0, len(terms)+listMultiple)
	for n, key := range paddedKeys(terms, termKey) {
		keys = append(keys, fmt.Sprintf("(%d, CAST(%s AS BIGINT))", n, q.arg(key)))
	}
	rs, err := r.h.Query(ctx, fmt.Sprintf(`WITH k (n, term) AS (VALUES %s) SELECT k.n, (SELECT count(*) FROM
		(SELECT 1 FROM match_terms t WHERE t.account_id = $1 AND t.pool = $2 AND t.source = $3 AND t.term = k.term
		LIMIT %d) AS c) AS many FROM k`, strings.Join(keys, ", "), limit), q.args...)
	_, err = collect(rs, err, func(rs rows) (struct{}, error) {
		var n, count int
		err := rs.Scan(&n, &count)
		if n < len(terms) {
			counts[terms[n]] = count
		}
		return struct{}{}, err
	})
	return counts, err
}

// WeightedTerm is a search term for candidates, with its weight.
type WeightedTerm struct {
	Term   string
	Weight int
}

// CandidateSearch specifies a search for candidates.
type CandidateSearch struct {
	Account, Pool string
	Source        lost.Source
	From, To      int  // first and last day of the candidates
	LatestFirst   bool // if a term has more than LimitPerTerm candidates, use the latest instead of the earliest
	LimitPerTerm  int  // maximum number of candidates per term
	Terms         []WeightedTerm
}

// Candidates returns the ids of at most limit items. Items whose terms have the highest total
// weight come first.
func (r reader) Candidates(ctx context.Context, s CandidateSearch, limit int) ([]string, error) {
	if len(s.Terms) == 0 {
		return nil, nil
	}
	order := "t.day, t.item_id"
	if s.LatestFirst {
		order = "t.day DESC, t.item_id DESC"
	}
	q := &query{args: []any{s.Account, s.Pool, string(s.Source), s.From, s.To}}
	var parts []string
	for n, key := range paddedKeys(s.Terms, func(h WeightedTerm) int64 { return termKey(h.Term) }) {
		weight := 0
		if n < len(s.Terms) {
			weight = s.Terms[n].Weight
		}
		parts = append(parts,
			fmt.Sprintf(`SELECT item_id, CAST(%s AS BIGINT) AS weight FROM (SELECT t.item_id FROM match_terms t
			WHERE t.account_id = $1 AND t.pool = $2 AND t.source = $3 AND t.term = %s AND t.day >= $4 AND t.day <= $5
			ORDER BY %s LIMIT %d) AS h%d`,
				q.arg(weight), q.arg(key), order, s.LimitPerTerm, n))
	}
	rs, err := r.h.Query(ctx,
		"SELECT item_id FROM ("+strings.Join(parts, " UNION ALL ")+
			") AS hits GROUP BY item_id ORDER BY SUM(weight) DESC, item_id"+limitClause(limit), q.args...)
	return collect(rs, err, scanText)
}

// matchingColumns are the item columns that matching needs.
const matchingColumns = `i.account_id, i.id, i.location_id, i.source, i.status, i.claim_state, i.created_at,
		i.updated_at,
	i.description, i.brand, i.model, i.color, i.notes, i.discovery_place, i.discovery_date, i.owner_first, i.owner_last,
	i.owner_email, i.owner_phone, i.claim, l.time_zone`

func scanMatchingItem(rs rows) (lost.Item, error) {
	var row struct { // see scanItemWith
		lost.Item
		source, status, state, claim string
		created, updated             int64
	}
	i := &row.Item
	err := rs.Scan(&i.Account, &i.ID, &i.LocationID, &row.source, &row.status, &row.state, &row.created, &row.updated,
		&i.Description, &i.Brand, &i.Model, &i.Color, &i.Notes, &i.DiscoveryPlace, &i.DiscoveryDate, &i.Owner.FirstName,
		&i.Owner.LastName, &i.Owner.Email, &i.Owner.Phone, &row.claim, &i.Terms.TimeZone)
	if err != nil {
		return *i, err
	}
	i.Source, i.Status = lost.Source(row.source), lost.Status(row.status)
	i.CreatedAt, i.UpdatedAt = fromMicros(row.created), fromMicros(row.updated)
	err = readJSON("a claim", row.claim, &i.Claim)
	i.Claim.State = lost.RequestState(row.state)
	return *i, err
}

// MatchableItems returns those of the items with the given ids that can be matched, at any
// location. It reads only the fields that matching needs.
func (r reader) MatchableItems(ctx context.Context, account string, ids []string) ([]lost.Item, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	const multiple = 50
	q := &query{}
	q.where("i.account_id = " + q.arg(account))
	q.where("l.deleted_at = 0")
	whereIn(q, "i.id", padList(ids, multiple))
	rs, err := r.h.Query(ctx, "SELECT "+matchingColumns+" FROM items i"+joinLocation+q.clause(), q.args...)
	items, err := collect(rs, err, scanMatchingItem)
	return slices.DeleteFunc(items, func(i lost.Item) bool { return !i.Matchable() }), err
}
