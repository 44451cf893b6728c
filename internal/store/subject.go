package store

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeward/internal/lost"
)

// Subject is how an item is found by what is said of it.
type Subject struct {
	Account string
	ItemID  string
	Pool    string // of what is compared with each other
	Source  lost.Source
	Day     int // since 1970
	Terms   []string
}

// termKey is a term as it is kept: its FNV-1a hash. Two terms that share one would only bring a candidate more, which is compared anyway.
func termKey(term string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(term))
	return int64(h.Sum64())
}

// termKeys are the subject's terms as they are kept, in one order.
func (s Subject) termKeys() []int64 {
	keys := make([]int64, len(s.Terms))
	for n, term := range s.Terms {
		keys[n] = termKey(term)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// matchLater has an item matched once the transaction commits, if it is there. There is one such job for an item: where it waits, that will do; where it is
// under way, it is taken from its worker and done again. Whoever asks for matches later than since waits for it.
func (tx *Tx) matchLater(account, item string, since time.Time) error {
	// The job has the same id each time: it begins with a higher attempt than any before, so that whoever still works on a former one does not end it.
	return tx.later(`INSERT INTO jobs (account_id, id, kind, payload, state, attempt, due_at, created_at, trail, place)
		SELECT $1, $2, $3, $4, 'due', $5, $5, $6, $7, location_id FROM items WHERE account_id = $1 AND id = $4
		ON CONFLICT (account_id, id) DO UPDATE SET attempt = jobs.attempt + 1, failures = 0, state = 'due', trail = excluded.trail,
			due_at = CASE WHEN jobs.due_at < excluded.due_at THEN jobs.due_at ELSE excluded.due_at END,
			created_at = CASE WHEN jobs.created_at < excluded.created_at THEN jobs.created_at ELSE excluded.created_at END`,
		account, "job_"+item, JobMatch, item, micros(tx.now), micros(since), tx.trail())
}

// MatchLater has items matched once the transaction commits, because of something that was so since a time.
func (tx *Tx) MatchLater(account string, items []string, since time.Time) error {
	for _, id := range slices.Compact(slices.Sorted(slices.Values(items))) { // whoever leaves several does it in one order
		if err := tx.matchLater(account, id, since); err != nil {
			return err
		}
	}
	return nil
}

// Rematch is a piece of matching all of a location's items anew: what of them to do, from the one that follows another, and since when that is to be done.
type Rematch struct {
	Account, Location, Step, After string
	Since                          time.Time
}

// RematchOf reads what a job leaves to be done.
func RematchOf(j Job) (r Rematch, err error) {
	names, err := j.Names()
	if err == nil && len(names) != 4 {
		err = fmt.Errorf("%d names, not 4", len(names))
	}
	if err != nil {
		return r, err
	}
	since, err := strconv.ParseInt(names[3], 10, 64)
	return Rematch{j.Account, names[0], names[1], names[2], fromMicros(since)}, err
}

// MatchAgainLater leaves a piece to be done once the transaction commits.
func (tx *Tx) MatchAgainLater(r Rematch) error {
	payload := writeStrings([]string{r.Location, r.Step, r.After, strconv.FormatInt(micros(r.Since), 10)})
	return tx.later("INSERT INTO jobs (account_id, id, kind, payload, state, due_at, created_at, place, trail) VALUES ($1, $2, $3, $4, 'due', $5, $6, $7, $8)",
		r.Account, lost.NewID(lost.JobID, tx.now), JobMatchAgain, payload, micros(tx.now), micros(r.Since), r.Location, tx.trail())
}

// AdoptMatchRules has some locations whose items were read by older rules than these counted as read by them, and gives them. Where copies of several versions run, only
// the newest does so.
func (tx *Tx) AdoptMatchRules(version, limit int) ([]lost.Location, error) {
	outdated, err := tx.pick("SELECT account_id, id FROM locations WHERE match_rules < $1 ORDER BY match_rules"+atMost(limit)+tx.d.pickLocked, version)
	var adopted []lost.Location
	for _, p := range outdated {
		q := &query{args: []any{p.account, version}}
		q.where("account_id = $1 AND match_rules < $2")
		in(q, "id", filled(p.ids, evenly))
		// Of two copies that picked the same, the second waits here and finds them adopted.
		rs, bad := tx.h.Query(tx.ctx, "UPDATE locations SET match_rules = $2"+q.clause()+" RETURNING account_id, id", q.args...)
		some, bad := collect(rs, bad, func(rs rows) (l lost.Location, err error) {
			err = rs.Scan(&l.Account, &l.ID)
			return l, err
		})
		adopted, err = append(adopted, some...), cmp.Or(err, bad)
	}
	return adopted, err
}

// AnyItem gives an item of an account, wherever it is.
func (r reader) AnyItem(ctx context.Context, account, id string) (lost.Item, error) {
	return r.itemAnywhere(ctx, account, id, "")
}

func (r reader) itemAnywhere(ctx context.Context, account, id, lock string) (lost.Item, error) {
	rs, err := r.h.Query(ctx, "SELECT "+itemColumns+" FROM items i"+joinLocation+" WHERE i.account_id = $1 AND i.id = $2 AND l.deleted_at = 0"+lock, account, id)
	return record("item", rs, err, scanItem)
}

// LockAnyItem gives an item of an account that is about to be changed, wherever it is.
func (tx *Tx) LockAnyItem(account, id string) (lost.Item, error) {
	i, err := tx.itemAnywhere(tx.ctx, account, id, tx.d.lock("i"))
	if err == nil {
		tx.follow(i.UpdatedAt)
	}
	return i, err
}

// storedSubject is a subject as its row has it.
type storedSubject struct {
	item, pool, source string
	day                int
	terms              string
}

// storedSubjects gives how some items are kept among the terms, as far as they are.
func (tx *Tx) storedSubjects(account string, items []string) ([]storedSubject, error) {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	in(q, "item_id", items)
	rs, err := tx.h.Query(tx.ctx, "SELECT item_id, pool, source, day, terms FROM match_subjects"+q.clause(), q.args...)
	return collect(rs, err, func(rs rows) (s storedSubject, err error) {
		err = rs.Scan(&s.item, &s.pool, &s.source, &s.day, &s.terms)
		return s, err
	})
}

// Index makes items of an account ones that can be found, as they are now.
func (tx *Tx) Index(account string, subjects ...Subject) error {
	if len(subjects) == 0 {
		return nil
	}
	ids := make([]string, len(subjects))
	for n, s := range subjects {
		ids[n] = s.ItemID
	}
	kept, err := tx.storedSubjects(account, ids)
	for _, s := range subjects {
		before := slices.DeleteFunc(slices.Clone(kept), func(k storedSubject) bool { return k.item != s.ItemID })
		err = cmp.Or(err, tx.index(s, before))
	}
	return err
}

func (tx *Tx) index(s Subject, kept []storedSubject) error {
	keys := s.termKeys()
	now := storedSubject{s.ItemID, s.Pool, string(s.Source), s.Day, written(keys)}
	if slices.Equal(kept, []storedSubject{now}) {
		return nil
	}
	if err := tx.deleteTerms(s.Account, kept); err != nil {
		return err
	}
	if err := tx.later(`INSERT INTO match_subjects (account_id, item_id, pool, source, day, terms) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (account_id, item_id) DO UPDATE SET pool = excluded.pool, source = excluded.source, day = excluded.day, terms = excluded.terms`,
		s.Account, s.ItemID, s.Pool, string(s.Source), s.Day, now.terms); err != nil {
		return err
	}
	return tx.addTerms(s, keys)
}

// BeginLook counts one more look for what an indexed item may be matched with, and tells which it is.
func (tx *Tx) BeginLook(account, item string) (look int64, err error) {
	rs, err := tx.h.Query(tx.ctx, "UPDATE match_subjects SET look = look + 1 WHERE account_id = $1 AND item_id = $2 RETURNING look", account, item)
	look, _, err = value[int64](rs, err)
	return look, err
}

// LatestLook tells which look for an item was begun last, 0 where it is no longer indexed.
func (tx *Tx) LatestLook(account, item string) (look int64, err error) {
	rs, err := tx.h.Query(tx.ctx, "SELECT look FROM match_subjects WHERE account_id = $1 AND item_id = $2", account, item)
	look, _, err = value[int64](rs, err)
	return look, err
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

func (tx *Tx) addTerms(s Subject, keys []int64) error {
	if len(keys) == 0 {
		return nil
	}
	q := &query{args: []any{s.Account, s.Pool, string(s.Source), s.Day, s.ItemID}}
	var each []string
	for _, key := range filled(keys, evenly) {
		each = append(each, "($1, $2, $3, "+q.arg(key)+", $4, $5)")
	}
	return tx.later("INSERT INTO match_terms (account_id, pool, source, term, day, item_id) VALUES "+strings.Join(each, ", ")+" ON CONFLICT DO NOTHING", q.args...)
}

// deleteTerms takes subjects out of the terms.
func (tx *Tx) deleteTerms(account string, kept []storedSubject) error {
	for _, s := range kept {
		var keys []int64
		if err := readJSON("terms", s.terms, &keys); err != nil {
			return err
		}
		if len(keys) == 0 {
			continue
		}
		q := &query{args: []any{account, s.pool, s.source, s.day, s.item}}
		var each []string
		for _, key := range filled(keys, evenly) {
			each = append(each, q.arg(key))
		}
		if err := tx.later("DELETE FROM match_terms WHERE account_id = $1 AND pool = $2 AND source = $3 AND day = $4 AND item_id = $5 AND term IN ("+strings.Join(each, ", ")+")", q.args...); err != nil {
			return err
		}
	}
	return nil
}

// Unindex makes items ones that can no longer be found.
func (tx *Tx) Unindex(account string, items ...string) error {
	kept, err := tx.storedSubjects(account, items)
	if err != nil || len(kept) == 0 {
		return err
	}
	if err := tx.deleteTerms(account, kept); err != nil {
		return err
	}
	return tx.deleteOf("match_subjects", "item_id", account, items)
}

// dropMatching removes what is kept for matching of items that are removed themselves.
func (tx *Tx) dropMatching(account string, items []string) error {
	err := cmp.Or(tx.Unindex(account, items...), tx.deleteOf("matches", "request_id", account, items))
	for more := err == nil; more && err == nil; {
		more, err = tx.deleteMatches(account, items)
	}
	return err
}

// deleteMatches removes some of the pairs that finds are in which are removed themselves: others may take their place. It tells whether there may be more.
func (tx *Tx) deleteMatches(account string, finds []string) (more bool, err error) {
	const some = 500
	q := &query{}
	q.where("account_id = " + q.arg(account))
	in(q, "item_id", finds)
	rs, err := tx.h.Query(tx.ctx, "SELECT DISTINCT request_id FROM matches"+q.clause()+atMost(some), q.args...)
	requests, err := collect(rs, err, scanText)
	if err != nil || len(requests) == 0 {
		return false, err
	}
	in(q, "request_id", requests)
	if err := tx.later("DELETE FROM matches"+q.clause(), q.args...); err != nil {
		return len(requests) == some, err
	}
	if err := tx.scheduleMatchChecks(account, requests); err != nil {
		return len(requests) == some, err
	}
	return len(requests) == some, tx.MatchLater(account, requests, tx.now)
}

// ItemsAfter gives some of a location's items, those that follow one in the order of creation, and the last of them, 0 when there are no more.
func (tx *Tx) ItemsAfter(account, location string, after int64, limit int) (items []lost.Item, last int64, err error) {
	rs, err := tx.h.Query(tx.ctx, "SELECT "+itemColumns+", i.seq FROM items i"+joinLocation+
		" WHERE i.account_id = $1 AND i.location_id = $2 AND i.seq > $3 AND l.deleted_at = 0 ORDER BY i.seq"+atMost(limit)+tx.d.lock("i"), account, location, after)
	items, err = collect(rs, err, func(rs rows) (lost.Item, error) { return scanItemAnd(rs, &last) })
	return items, last, err
}

// MatchRequests has some requests of a pool matched, those that follow one, and gives the last of them, empty when there are no more.
func (tx *Tx) MatchRequests(account, pool, after string, limit int, since time.Time) (last string, err error) {
	rs, err := tx.h.Query(tx.ctx, "SELECT item_id FROM match_subjects WHERE account_id = $1 AND pool = $2 AND source = 'request' AND item_id > $3 ORDER BY item_id"+atMost(limit), account, pool, after)
	ids, err := collect(rs, err, scanText)
	if err != nil || len(ids) == 0 {
		return "", err
	}
	return ids[len(ids)-1], tx.MatchLater(account, ids, since)
}

// MatchingDue tells whether any items that were left to be matched before a time are not yet: those of a location or, where it has sisters, of the account. What has
// failed before is not waited for.
func (r reader) MatchingDue(ctx context.Context, l lost.Location, before time.Time) (bool, error) {
	q := &query{}
	q.where("account_id = " + q.arg(l.Account))
	if !l.Matching.Sisters {
		q.where("place = " + q.arg(l.ID))
	}
	q.where("created_at <= " + q.arg(micros(before)))
	q.where("kind IN ('match', 'match-again') AND state = 'due' AND failures = 0")
	rs, err := r.h.Query(ctx, "SELECT 1 FROM jobs"+q.clause()+" LIMIT 1", q.args...)
	_, due, err := value[int](rs, err)
	return due, err
}

// CountTerms counts how many subjects of a pool have each of some terms, each as far as most; all subjects have the empty term.
func (r reader) CountTerms(ctx context.Context, account, pool string, source lost.Source, terms []string, most int) (map[string]int, error) {
	counts := make(map[string]int, len(terms)+1)
	if slices.Contains(terms, "") {
		rs, err := r.h.Query(ctx, fmt.Sprintf("SELECT count(*) FROM (SELECT 1 FROM match_subjects s WHERE s.account_id = $1 AND s.pool = $2 AND s.source = $3 LIMIT %d) AS c", most), account, pool, string(source))
		if counts[""], _, err = value[int](rs, err); err != nil {
			return nil, err
		}
		terms = slices.DeleteFunc(slices.Clone(terms), func(t string) bool { return t == "" })
	}
	if len(terms) == 0 {
		return counts, nil
	}
	q := &query{args: []any{account, pool, string(source)}}
	each := make([]string, 0, len(terms)+evenly)
	for n, key := range paddedKeys(terms, termKey) {
		each = append(each, fmt.Sprintf("(%d, CAST(%s AS BIGINT))", n, q.arg(key)))
	}
	rs, err := r.h.Query(ctx, fmt.Sprintf(`WITH k (n, term) AS (VALUES %s) SELECT k.n, (SELECT count(*) FROM
		(SELECT 1 FROM match_terms t WHERE t.account_id = $1 AND t.pool = $2 AND t.source = $3 AND t.term = k.term LIMIT %d) AS c) AS many FROM k`, strings.Join(each, ", "), most), q.args...)
	_, err = collect(rs, err, func(rs rows) (struct{}, error) {
		var n, many int
		err := rs.Scan(&n, &many)
		if n < len(terms) {
			counts[terms[n]] = many
		}
		return struct{}{}, err
	})
	return counts, err
}

// Hint is a term by which candidates are looked for, and what it is worth.
type Hint struct {
	Term   string
	Weight int
}

// Search says where candidates are looked for.
type Search struct {
	Account, Pool string
	Source        lost.Source
	From, To      int  // days
	LatestFirst   bool // where there are many, the latest are looked at rather than the earliest
	EachAtMost    int  // how many are looked at for each hint
	Hints         []Hint
}

// Candidates gives the items that the hints speak for most, at most so many.
func (r reader) Candidates(ctx context.Context, s Search, most int) ([]string, error) {
	if len(s.Hints) == 0 {
		return nil, nil
	}
	order := "t.day, t.item_id"
	if s.LatestFirst {
		order = "t.day DESC, t.item_id DESC"
	}
	q := &query{args: []any{s.Account, s.Pool, string(s.Source), s.From, s.To}}
	var parts []string
	for n, key := range paddedKeys(s.Hints, func(h Hint) int64 { return termKey(h.Term) }) {
		weight := 0
		if n < len(s.Hints) {
			weight = s.Hints[n].Weight
		}
		parts = append(parts, fmt.Sprintf(`SELECT item_id, CAST(%s AS BIGINT) AS weight FROM (SELECT t.item_id FROM match_terms t
			WHERE t.account_id = $1 AND t.pool = $2 AND t.source = $3 AND t.term = %s AND t.day >= $4 AND t.day <= $5 ORDER BY %s LIMIT %d) AS h%d`,
			q.arg(weight), q.arg(key), order, s.EachAtMost, n))
	}
	rs, err := r.h.Query(ctx, "SELECT item_id FROM ("+strings.Join(parts, " UNION ALL ")+") AS hits GROUP BY item_id ORDER BY SUM(weight) DESC, item_id"+atMost(most), q.args...)
	return collect(rs, err, scanText)
}

// matchingColumns are what matching reads of an item.
const matchingColumns = `i.account_id, i.id, i.location_id, i.source, i.status, i.claim_state, i.created_at, i.updated_at,
	i.description, i.brand, i.model, i.color, i.notes, i.discovery_place, i.discovery_date, i.owner_first, i.owner_last, i.owner_email, i.owner_phone, i.claim, l.time_zone`

func scanMatchingItem(rs rows) (lost.Item, error) {
	var row struct { // see scanItemAnd
		lost.Item
		source, status, state, claim string
		created, updated             int64
	}
	i := &row.Item
	err := rs.Scan(&i.Account, &i.ID, &i.LocationID, &row.source, &row.status, &row.state, &row.created, &row.updated,
		&i.Description, &i.Brand, &i.Model, &i.Color, &i.Notes, &i.DiscoveryPlace, &i.DiscoveryDate, &i.Owner.FirstName, &i.Owner.LastName, &i.Owner.Email, &i.Owner.Phone, &row.claim, &i.Terms.TimeZone)
	if err != nil {
		return *i, err
	}
	i.Source, i.Status = lost.Source(row.source), lost.Status(row.status)
	i.CreatedAt, i.UpdatedAt = fromMicros(row.created), fromMicros(row.updated)
	err = readJSON("a claim", row.claim, &i.Claim)
	i.Claim.State = lost.RequestState(row.state)
	return *i, err
}

// SoughtItems gives those of some items of an account that can be matched, wherever they are, as far as matching goes by them.
func (r reader) SoughtItems(ctx context.Context, account string, ids []string) ([]lost.Item, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	const evenly = 50
	q := &query{}
	q.where("i.account_id = " + q.arg(account))
	q.where("l.deleted_at = 0")
	in(q, "i.id", filled(ids, evenly))
	rs, err := r.h.Query(ctx, "SELECT "+matchingColumns+" FROM items i"+joinLocation+q.clause(), q.args...)
	items, err := collect(rs, err, scanMatchingItem)
	return slices.DeleteFunc(items, func(i lost.Item) bool { return !i.Sought() }), err
}
