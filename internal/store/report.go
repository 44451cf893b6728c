package store

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"homeward/internal/lost"
)

// ReportRange is a range of days at locations that have the same time zone.
type ReportRange struct {
	Locations  []string
	Begin, End time.Time // when the days begin and end; the end is not included
}

// foundCondition is the condition of found items.
const foundCondition = "i.source = 'found'"

// outcomeCondition is the condition of items that may have ended, and outcomeTime is lost.FindFacts.EndedAt in SQL. A
// pick-up that is not closed has ended at 0.
const (
	outcomeCondition = "i.source = 'found' AND i.status IN ('DELIVERED', 'PICKUP', 'DONATE', 'DISCARD')"
	outcomeTime      = "(CASE WHEN i.status = 'PICKUP' THEN i.closed_at WHEN i.moved_at > 0 THEN i.moved_at " +
		"ELSE i.created_at END)"
)

// reportQuery returns a query about the locations of a range.
func reportQuery(account string, s ReportRange, alias string) *query {
	q := &query{}
	q.where(alias + ".account_id = " + q.arg(account))
	whereIn(q, alias+".location_id", padList(s.Locations, listMultiple))
	return q
}

func (q *query) between(column string, s ReportRange) {
	q.where(column + " >= " + q.arg(micros(s.Begin)))
	q.where(column + " < " + q.arg(micros(s.End)))
}

// eachRow calls show for each row of a query.
func (r reader) eachRow(ctx context.Context, text string, q *query, show func(rows) error) error {
	rs, err := r.h.QueryPlanned(ctx, text, q.args...)
	if err != nil {
		return err
	}
	defer rs.Close()
	for rs.Next() {
		if err := show(rs); err != nil {
			return err
		}
	}
	return rs.Err()
}

// findColumns are the columns that reports need.
//
//nolint:gochecknoglobals // computed once from a fixed list
var findColumns = joinedColumns([]string{
	"i.id", "i.location_id", "i.status", "i.destination", "i.discovery_date", "i.created_at", "i.moved_at",
	"i.closed_at", "i.color", "i.discovery_place", "i.storage_place", "i.category", "i.finder_name", "i.value_amount",
	"i.value_currency",
})

// EachFind calls show with the facts about an account's found items that have changed since a position. With
// FirstPosition it calls show with all of them. The texts share memory with other rows.
func (r reader) EachFind(ctx context.Context, account string, after int64,
	show func(id string, f lost.FindFacts)) error {
	q, index := &query{}, "items_found"
	q.where("i.account_id = " + q.arg(account))
	q.where(foundCondition)
	if after != FirstPosition {
		q.where(itemChange + " >= " + q.arg(after))
		index = "items_by_change"
	}
	var row, id, status, destination, category string
	var f lost.FindFacts
	var created, moved, closed int64
	targets := []any{
		&id, &f.LocationID, &status, &destination, &f.DiscoveryDate, &created, &moved, &closed, &f.Color, &f.Place,
		&f.StoragePlace, &category, &f.FinderName, &f.Value.Amount, &f.Value.Currency,
	}
	return r.eachRow(ctx, "SELECT "+findColumns+" FROM items i"+r.d.useIndex(index)+q.clause(), q,
		func(rs rows) error {
			if err := rs.Scan(&row); err != nil {
				return err
			}
			err := splitColumns(row, targets)
			f.Status, f.Destination = lost.Status(status), lost.Destination(destination)
			f.Category = lost.Category(category)
			f.CreatedAt, f.MovedAt, f.ClosedAt = fromMicros(created), fromMicros(moved), fromMicros(closed)
			show(id, f)
			return err
		})
}

// FirstPosition is before all changes.
const FirstPosition = math.MinInt64

// ChangePosition is a position among the changes in an account. Positions with different histories cannot be compared:
// another server has taken over, and may lack changes that were committed before.
type ChangePosition struct {
	Number  int64
	History string
}

// ChangeHorizon returns a position that is after all changes that have been committed, except some of the latest ones.
func (r reader) ChangeHorizon(ctx context.Context, account string) (ChangePosition, error) {
	rs, err := r.h.Query(ctx, "SELECT "+r.d.changes.horizon+", "+r.d.changes.history+
		" FROM accounts WHERE account_id = $1", account)
	return requireRow("account", rs, err, func(rs rows) (p ChangePosition, err error) {
		err = rs.Scan(&p.Number, &p.History)
		return p, err
	})
}

// DeletedItems returns the ids of the items that were deleted since a position.
func (r reader) DeletedItems(ctx context.Context, account string, after int64) ([]string, error) {
	const deleted = "SELECT item_id FROM item_tombstones WHERE account_id = $1 AND change >= $2"
	rs, err := r.h.Query(ctx, deleted, account, after)
	return collect(rs, err, scanText)
}

// EachFiled calls show with the requests that were filed during a range.
func (r reader) EachFiled(ctx context.Context, account string, s ReportRange, show func(lost.RequestFacts)) error {
	q := reportQuery(account, s, "i")
	q.where("i.source = 'request'")
	q.between("i.created_at", s)
	return r.eachRow(ctx, "SELECT i.location_id, i.created_at, i.claim_state, i.answered_at FROM items i"+
		q.clause(), q, func(rs rows) error {
		var f lost.RequestFacts
		var created, answered int64
		var state string
		err := rs.Scan(&f.LocationID, &created, &state, &answered)
		f.State, f.CreatedAt, f.AnsweredAt = lost.RequestState(state), fromMicros(created), fromMicros(answered)
		show(f)
		return err
	})
}

// returnedCondition and otherCondition are the outcomes of items in SQL; see lost.FindFacts.Outcome. Other found items
// are open.
const (
	returnedCondition = "(i.status = 'DELIVERED' OR i.status = 'PICKUP' AND i.closed_at > 0)"
	otherCondition    = "i.status IN ('DONATE', 'DISCARD')"
)

// narrowByReport adds the condition that a figure of a report counts the items i.
func (r reader) narrowByReport(q *query, f lost.ReportFilter) {
	switch f.Figure {
	case "":
		return
	case lost.FigureFoundReturned:
		q.where(returnedCondition)
	case lost.FigureFoundOther:
		q.where(otherCondition)
	case lost.FigureFoundOpen:
		q.where("NOT " + returnedCondition + " AND NOT " + otherCondition)
	case lost.FigureReturned:
		q.where(outcomeCondition + " AND " + returnedCondition)
	case lost.FigureDonated:
		q.where(outcomeCondition + " AND i.status = 'DONATE'")
	case lost.FigureDiscarded:
		q.where(outcomeCondition + " AND i.status = 'DISCARD' AND i.destination NOT IN ('police', " +
			"'authority', 'auctioned', 'finder', 'issuer')")
	case lost.FigureAuthority:
		q.where(outcomeCondition + " AND i.status = 'DISCARD' AND i.destination IN ('authority', 'issuer')")
	case lost.FigureAuctioned:
		q.where(outcomeCondition + " AND i.status = 'DISCARD' AND i.destination = 'auctioned'")
	case lost.FigureFinder:
		q.where(outcomeCondition + " AND i.status = 'DISCARD' AND i.destination = 'finder'")
	case lost.FigurePolice:
		q.where(outcomeCondition + " AND i.status = 'DISCARD' AND i.destination = 'police'")
	case lost.FigureHere:
		q.where(heldCondition[len(" AND "):])
	case lost.FigureAnswered:
		q.where("i.answered_at > 0")
	case lost.FigureUnanswered:
		q.where("i.claim_state = 'PENDING' AND i.answered_at = 0")
	}
	r.narrowByPeriod(q, f)
	if f.Currency != "" && f.Figure != lost.FigurePaid && f.Figure != lost.FigureRefunded {
		q.where("i.value_currency = " + q.arg(f.Currency))
	}
	narrowByTrait(q, f)
}

// narrowByTrait adds the condition that the items i are in a group of a report.
func narrowByTrait(q *query, f lost.ReportFilter) {
	switch {
	case f.Trait == "":
	case f.Rest:
		excludeNamed(q, f)
	case len(f.Spellings) == 0:
		q.where("1 = 0")
	default:
		whereIn(q, traitColumns[f.Trait], f.Spellings)
	}
}

// excludeNamed adds the condition that a report does not name the groups of the items i.
func excludeNamed(q *query, f lost.ReportFilter) {
	named := queryWith(q.args)
	for _, at := range f.Stored {
		location, place := named.arg(at.LocationID), named.arg(at.Place)
		named.where("(i.location_id = " + location + " AND i.storage_place = " + place + ")")
	}
	if len(f.Spellings) > 0 {
		whereIn(named, traitColumns[f.Trait], f.Spellings)
	}
	q.args = named.args
	if len(named.conditions) > 0 {
		q.where("NOT (" + strings.Join(named.conditions, " OR ") + ")")
	}
}

// traitColumns are the columns of traits.
var traitColumns = map[lost.ReportTrait]string{
	lost.CategoryTrait: "i.category", lost.ColorTrait: "i.color", lost.PlaceTrait: "i.discovery_place",
	lost.FinderTrait: "i.finder_name",
}

// narrowByPeriod adds the condition that what a figure counts happened during the period.
func (r reader) narrowByPeriod(q *query, f lost.ReportFilter) {
	switch f.Figure {
	case lost.FigureFound, lost.FigureFoundReturned, lost.FigureFoundOther, lost.FigureFoundOpen, lost.FigureHere:
		dated := "i.discovery_date <> ''"
		if f.From != "" {
			dated += " AND i.discovery_date >= " + q.arg(f.From)
		}
		if f.To != "" {
			dated += " AND i.discovery_date <= " + q.arg(f.To)
		}
		q.where(foundCondition + " AND (" + dated + " AND " + q.duringBounds("i", "", f.Bounds) +
			" OR i.discovery_date = '' AND " + q.duringBounds("i", "i.created_at", f.Bounds) + ")")
	case lost.FigureFiled, lost.FigureAnswered, lost.FigureUnanswered:
		q.where("i.source = 'request' AND " + q.duringBounds("i", "i.created_at", f.Bounds))
	case lost.FigurePaid, lost.FigureRefunded:
		kind := paymentKind
		if f.Figure == lost.FigureRefunded {
			kind = refundKind
		}
		// For each item, SQLite would otherwise read all payments of the location.
		payment := "SELECT 1 FROM payments p" + r.d.useIndex("payments_of_item") +
			" WHERE p.account_id = i.account_id AND p.item_id = i.id AND " +
			"p.location_id = i.location_id AND p.kind = '" + kind + "' AND " + q.duringBounds("i", "p.at", f.Bounds)
		if f.Currency != "" {
			payment += " AND p.currency = " + q.arg(f.Currency)
		}
		q.where("EXISTS (" + payment + ")")
	default:
		q.where(q.duringBounds("i", outcomeTime, f.Bounds))
	}
}

// duringBounds returns the condition that a time is within the bounds of the location of a row in the table with an
// alias. Without a column, it only selects the locations, because a report does not contain all of them if there are
// too many.
func (q *query) duringBounds(alias, column string, all []lost.ReportBounds) string {
	parts := make([]string, len(all))
	for n, b := range all {
		at := queryWith(q.args)
		whereIn(at, alias+".location_id", padList(b.Locations, listMultiple))
		if column != "" && !b.Begin.IsZero() {
			at.where(column + " >= " + at.arg(micros(b.Begin)))
		}
		if column != "" && !b.End.IsZero() {
			at.where(column + " < " + at.arg(micros(b.End)))
		}
		q.args = at.args
		parts[n] = strings.Join(at.conditions, " AND ")
	}
	if len(parts) == 0 {
		return "1 = 0"
	}
	return "(" + strings.Join(parts, " OR ") + ")"
}

// paymentAmounts are lost.PaymentFigure.Amount in SQL, for the payments and refunds p.
var paymentAmounts = map[lost.PaymentFigure]string{
	lost.FeesPaid: "p.postage + p.handling", lost.HandlingPaid: "p.handling", lost.PostagePaid: "p.postage",
	lost.FeesRefunded: "-(p.postage + p.handling)",
	lost.FeesBalance: "CASE WHEN p.kind = '" + refundKind + "' THEN -(p.postage + p.handling) " +
		"ELSE p.postage + p.handling END",
}

// paymentQuery selects the payments and refunds p that a figure adds up. Those that add nothing to a part of the fee
// are omitted.
func paymentQuery(account string, f lost.PaymentFilter) *query {
	q := &query{}
	q.where("p.account_id = " + q.arg(account))
	q.where("p.currency = " + q.arg(f.Currency))
	switch f.Figure {
	case lost.FeesRefunded:
		q.where("p.kind = '" + refundKind + "'")
	case lost.FeesBalance:
		q.where("p.kind IN ('" + paymentKind + "', '" + refundKind + "')")
	default:
		q.where("p.kind = '" + paymentKind + "'")
	}
	if f.Figure == lost.HandlingPaid || f.Figure == lost.PostagePaid {
		q.where(paymentAmounts[f.Figure] + " <> 0")
	}
	q.where(q.duringBounds("p", "p.at", f.Bounds))
	return q
}

// SumListedPayments returns the number and the sum of the payments and refunds that Payments lists on all pages.
func (r reader) SumListedPayments(ctx context.Context, account string,
	f lost.PaymentFilter) (number int, amount int64, err error) {
	q := paymentQuery(account, f)
	err = r.eachRow(ctx, "SELECT count(*), CAST(COALESCE(sum("+paymentAmounts[f.Figure]+"), 0) AS BIGINT) "+
		"FROM payments p"+q.clause(), q, func(rs rows) error { return rs.Scan(&number, &amount) })
	return number, amount, err
}

// Payments lists the payments and refunds that a figure adds up, newest first. Page.After is the position of the page
// before.
func (r reader) Payments(ctx context.Context, account string, f lost.PaymentFilter) (lost.List[lost.Payment], error) {
	q := paymentQuery(account, f)
	if f.After != "" {
		at, key, _ := strings.Cut(f.After, " ")
		shipment, kind, found := strings.Cut(key, " ")
		before, err := strconv.ParseInt(at, 10, 64)
		if err != nil || !found {
			return lost.List[lost.Payment]{Page: f.Page}, lost.E(lost.InvalidCursor,
				"This cursor is not from a list of payments. Start again without it.")
		}
		q.where("(p.at, p.shipment_id, p.kind) < (" + q.arg(before) + ", " + q.arg(shipment) + ", " + q.arg(kind) + ")")
	}
	text := "SELECT p.at, p.shipment_id, p.kind, p.postage, p.handling, p.currency, p.location_id, " +
		"COALESCE(i.id, ''), COALESCE(i.source, ''), COALESCE(i.reference, ''), COALESCE(i.description, '') " +
		"FROM payments p LEFT JOIN items i ON i.account_id = p.account_id AND i.id = p.item_id AND " +
		"i.location_id = p.location_id" + q.clause() + " ORDER BY p.at DESC, p.shipment_id DESC, p.kind DESC" +
		q.pageAndNext(f.Page)
	list, positions := lost.List[lost.Payment]{Page: f.Page}, []string{}
	var read []lost.Payment
	err := r.eachRow(ctx, text, q, func(rs rows) error {
		var p lost.Payment
		var at int64
		var shipment, kind, source string
		err := rs.Scan(&at, &shipment, &kind, &p.Postage, &p.Handling, &p.Currency, &p.Location.ID, &p.Item.ID,
			&source, &p.Item.Reference, &p.Item.Description)
		p.At, p.Refund, p.Item.LocationID = fromMicros(at), kind == refundKind, p.Location.ID
		p.Item.Account, p.Item.Source = account, lost.Source(source)
		read, positions = append(read, p), append(positions, strconv.FormatInt(at, 10)+" "+shipment+" "+kind)
		return err
	})
	cutPage(&list, read, func(lost.Payment) string { return positions[f.Limit-1] })
	return list, err
}

// AccountItems is the number of an account's items.
type AccountItems struct {
	Account string
	Items   int
}

// LargeAccounts returns the accounts with at least some number of items, and at most another, largest first.
func (r reader) LargeAccounts(ctx context.Context, least, most, limit int) ([]AccountItems, error) {
	rs, err := r.h.Query(withScope(ctx, BackgroundScope), `SELECT account_id, CAST(SUM(n) AS BIGINT) FROM item_counts
		GROUP BY account_id HAVING SUM(n) BETWEEN $1 AND $2 ORDER BY SUM(n) DESC, account_id LIMIT $3`, least, most,
		limit)
	return collect(rs, err, func(rs rows) (a AccountItems, err error) {
		err = rs.Scan(&a.Account, &a.Items)
		return a, err
	})
}
