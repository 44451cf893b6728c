package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"homeward/internal/lost"
)

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
