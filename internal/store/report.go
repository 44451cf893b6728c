package store

import (
	"context"
	"strings"
	"time"

	"homeward/internal/lost"
)

// ReportRange is a range of days at locations that have the same time zone.
type ReportRange struct {
	Locations  []string
	From, To   string    // the days, inclusive
	Begin, End time.Time // when they begin and end; the end is not included
}

// foundCondition is the condition of the index items_found.
const foundCondition = "i.source = 'found'"

// outcomeCondition is the condition of the index items_outcome, and outcomeTime is its expression. It is
// lost.FindFacts.EndedAt in SQL; a pick-up that is not closed has ended at 0.
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

// foundDuring returns the queries for the items that were found during a range: those with a discovery date, and those
// without one, which were found when they were recorded.
func foundDuring(account string, s ReportRange) (dated, undated *query) {
	dated, undated = reportQuery(account, s, "i"), reportQuery(account, s, "i")
	dated.where(foundCondition)
	dated.where("i.discovery_date >= " + dated.arg(s.From))
	dated.where("i.discovery_date <= " + dated.arg(s.To))
	undated.where(foundCondition)
	undated.where("i.discovery_date = ''")
	undated.between("i.created_at", s)
	return dated, undated
}

// CountFound calls show with the numbers of items that were found on the same day and have the same status, and how
// many of them the desk has closed. Items without a discovery date are shown one by one, up to a limit.
func (r reader) CountFound(ctx context.Context, account string, s ReportRange, limit int,
	show func(f lost.FindFacts, items, closed int)) error {
	scan := func(rs rows) error {
		var f lost.FindFacts
		var status string
		var created int64
		var items, closed int
		err := rs.Scan(&f.LocationID, &f.DiscoveryDate, &status, &created, &items, &closed)
		f.Status, f.CreatedAt = lost.Status(status), fromMicros(created)
		show(f, items, closed)
		return err
	}
	from := " FROM items i" + r.d.useIndex("items_found")
	const isClosed = "CASE WHEN i.closed_at > 0 THEN 1 ELSE 0 END"
	dated, undated := foundDuring(account, s)
	err := r.eachRow(ctx, "SELECT i.location_id, i.discovery_date, i.status, CAST(0 AS BIGINT), count(*), sum("+
		isClosed+")"+from+dated.clause()+" GROUP BY i.location_id, i.discovery_date, i.status", dated, scan)
	if err != nil {
		return err
	}
	return r.eachRow(ctx, "SELECT i.location_id, '', i.status, i.created_at, 1, "+isClosed+from+undated.clause()+
		limitClause(limit), undated, scan)
}

// EachTrait calls show with the color and the place of each item that was found during a range, up to a limit.
func (r reader) EachTrait(ctx context.Context, account string, s ReportRange, limit int,
	show func(lost.FindFacts)) error {
	dated, undated := foundDuring(account, s)
	for _, q := range []*query{dated, undated} {
		err := r.eachRow(ctx, "SELECT i.status, i.closed_at, i.color, i.discovery_place FROM items i"+
			r.d.useIndex("items_found")+q.clause()+limitClause(limit), q, func(rs rows) error {
			var f lost.FindFacts
			var status string
			var closed int64
			err := rs.Scan(&status, &closed, &f.Color, &f.Place)
			f.Status, f.ClosedAt = lost.Status(status), fromMicros(closed)
			show(f)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// CountEnded calls show with the number of items of each location that were returned, donated, discarded or handed to
// the police during a range.
func (r reader) CountEnded(ctx context.Context, account string, s ReportRange,
	show func(location string, returned, donated, discarded, police int)) error {
	q := reportQuery(account, s, "i")
	q.where(outcomeCondition)
	q.between(outcomeTime, s)
	sum := func(condition string) string { return ", sum(CASE WHEN " + condition + " THEN 1 ELSE 0 END)" }
	text := "SELECT i.location_id" + sum("i.status IN ('DELIVERED', 'PICKUP')") + sum("i.status = 'DONATE'") +
		sum("i.status = 'DISCARD' AND i.destination <> 'police'") +
		sum("i.status = 'DISCARD' AND i.destination = 'police'") + " FROM items i" + r.d.useIndex("items_outcome") +
		q.clause() + " GROUP BY i.location_id"
	return r.eachRow(ctx, text, q, func(rs rows) error {
		var location string
		var returned, donated, discarded, police int
		err := rs.Scan(&location, &returned, &donated, &discarded, &police)
		show(location, returned, donated, discarded, police)
		return err
	})
}

// EachReturned calls show with the items that were returned during a range, up to a limit: the discovery date, if any,
// and the times when the item was recorded and returned.
func (r reader) EachReturned(ctx context.Context, account string, s ReportRange, limit int,
	show func(date string, created, returned time.Time)) error {
	q := reportQuery(account, s, "i")
	q.where(outcomeCondition)
	q.where("i.status IN ('DELIVERED', 'PICKUP')")
	q.between(outcomeTime, s)
	return r.eachRow(ctx, "SELECT i.discovery_date, i.created_at, "+outcomeTime+" FROM items i"+
		r.d.useIndex("items_outcome")+q.clause()+limitClause(limit), q, func(rs rows) error {
		var date string
		var created, returned int64
		err := rs.Scan(&date, &created, &returned)
		show(date, fromMicros(created), fromMicros(returned))
		return err
	})
}

// EachHeld calls show with the numbers of items in storage that were found on the same day. Items without a discovery
// date are shown one by one, up to a limit.
func (r reader) EachHeld(ctx context.Context, account string, s ReportRange, limit int,
	show func(f lost.FindFacts, items int)) error {
	scan := func(rs rows) error {
		var f lost.FindFacts
		var created int64
		var items int
		err := rs.Scan(&f.LocationID, &f.DiscoveryDate, &created, &items)
		f.CreatedAt = fromMicros(created)
		show(f, items)
		return err
	}
	q := reportQuery(account, s, "i")
	held := " FROM items i" + r.d.useIndex("items_held_by_date") + q.clause() + heldCondition + " AND i.discovery_date "
	if err := r.eachRow(ctx, "SELECT i.location_id, i.discovery_date, CAST(0 AS BIGINT), count(*)"+held+
		"> '' GROUP BY i.location_id, i.discovery_date", q, scan); err != nil {
		return err
	}
	return r.eachRow(ctx, "SELECT i.location_id, '', i.created_at, 1"+held+"= ''"+limitClause(limit), q, scan)
}

// EachPlace calls show with the number of items at each storage place. Items without a place of their own are at the
// location's usual place.
func (r reader) EachPlace(ctx context.Context, account string, s ReportRange,
	show func(location, place string, items int)) error {
	q := reportQuery(account, s, "i")
	return r.eachRow(ctx, "SELECT p.location_id, CASE WHEN p.place = '' THEN l.storage_place ELSE p.place END, p.n "+
		"FROM (SELECT i.account_id, i.location_id, i.storage_place AS place, count(*) AS n FROM items i"+
		r.d.useIndex("items_held")+q.clause()+heldCondition+
		" GROUP BY i.account_id, i.location_id, i.storage_place) AS p "+
		"JOIN locations l ON l.account_id = p.account_id AND l.id = p.location_id", q, func(rs rows) error {
		var location, place string
		var items int
		err := rs.Scan(&location, &place, &items)
		show(location, place, items)
		return err
	})
}

// answeredAt is when the desk first wrote to the claimant of a request i, or decided about it.
const answeredAt = `COALESCE((SELECT min(h.at) FROM item_history h WHERE h.account_id = i.account_id
		AND h.item_id = i.id AND h.action IN ('request-accepted', 'request-rejected', 'question-asked')), 0),
	COALESCE((SELECT min(m.at) FROM thread_messages m WHERE m.account_id = i.account_id
		AND m.item_id = i.id AND m.side = 'desk'), 0)`

// EachFiled calls show with the requests that were filed during a range, up to a limit.
func (r reader) EachFiled(ctx context.Context, account string, s ReportRange, limit int,
	show func(lost.RequestFacts)) error {
	q := reportQuery(account, s, "i")
	q.where("i.source = 'request'")
	q.between("i.created_at", s)
	return r.eachRow(ctx, "SELECT i.location_id, i.created_at, i.claim_state, "+answeredAt+" FROM items i"+
		q.clause()+limitClause(limit), q, func(rs rows) error {
		var f lost.RequestFacts
		var created, decided, written int64
		var state string
		err := rs.Scan(&f.LocationID, &created, &state, &decided, &written)
		first := min(decided, written)
		if first == 0 {
			first = max(decided, written)
		}
		f.State, f.CreatedAt, f.AnsweredAt = lost.RequestState(state), fromMicros(created), fromMicros(first)
		show(f)
		return err
	})
}

// returnedCondition and otherCondition are the outcomes of items in SQL; see lost.FindFacts.Outcome. Other found items
// are open.
const (
	returnedCondition = "(i.status = 'DELIVERED' OR i.status = 'PICKUP' AND i.closed_at > 0)"
	otherCondition    = "i.status IN ('DONATE', 'DISCARD')"
	isAnswered        = `(EXISTS (SELECT 1 FROM item_history h WHERE h.account_id = i.account_id AND h.item_id = i.id
			AND h.action IN ('request-accepted', 'request-rejected', 'question-asked'))
		OR EXISTS (SELECT 1 FROM thread_messages m WHERE m.account_id = i.account_id AND m.item_id = i.id
			AND m.side = 'desk'))`
)

// narrowByReport adds the condition that a figure of a report counts the items i.
func narrowByReport(q *query, f lost.ReportFilter) {
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
		q.where(outcomeCondition + " AND i.status IN ('DELIVERED', 'PICKUP')")
	case lost.FigureDonated:
		q.where(outcomeCondition + " AND i.status = 'DONATE'")
	case lost.FigureDiscarded:
		q.where(outcomeCondition + " AND i.status = 'DISCARD' AND i.destination <> 'police'")
	case lost.FigurePolice:
		q.where(outcomeCondition + " AND i.status = 'DISCARD' AND i.destination = 'police'")
	case lost.FigureHere:
		q.where(heldCondition[len(" AND "):])
	case lost.FigureAnswered:
		q.where(isAnswered)
	case lost.FigureUnanswered:
		q.where("i.claim_state = 'PENDING' AND NOT " + isAnswered)
	}
	narrowByPeriod(q, f)
	switch {
	case f.Color == nil && f.Place == nil:
	case len(f.Spellings) == 0:
		q.where("1 = 0")
	case f.Color != nil:
		whereIn(q, "i.color", f.Spellings)
	default:
		whereIn(q, "i.discovery_place", f.Spellings)
	}
}

// narrowByPeriod adds the condition that what a figure counts happened during the period.
func narrowByPeriod(q *query, f lost.ReportFilter) {
	switch f.Figure {
	case lost.FigureFound, lost.FigureFoundReturned, lost.FigureFoundOther, lost.FigureFoundOpen, lost.FigureHere:
		dated := "i.discovery_date <> ''"
		if f.From != "" {
			dated += " AND i.discovery_date >= " + q.arg(f.From)
		}
		if f.To != "" {
			dated += " AND i.discovery_date <= " + q.arg(f.To)
		}
		q.where(foundCondition + " AND (" + dated + " OR i.discovery_date = '' AND " + q.duringBounds("i.created_at",
			f.Bounds) + ")")
	case lost.FigureFiled, lost.FigureAnswered, lost.FigureUnanswered:
		q.where("i.source = 'request' AND " + q.duringBounds("i.created_at", f.Bounds))
	case lost.FigurePaid, lost.FigureRefunded:
		kind := paymentKind
		if f.Figure == lost.FigureRefunded {
			kind = refundKind
		}
		q.where("i.id IN (SELECT p.item_id FROM payments p WHERE p.account_id = i.account_id AND p.location_id = " +
			"i.location_id AND p.kind = '" + kind + "' AND " + q.duringBounds("p.at", f.Bounds) + ")")
	default:
		q.where(q.duringBounds(outcomeTime, f.Bounds))
	}
}

// duringBounds returns the condition that a time is within the bounds of the item's location.
func (q *query) duringBounds(column string, all []lost.ReportBounds) string {
	parts := make([]string, len(all))
	for n, b := range all {
		at := &query{args: q.args}
		whereIn(at, "i.location_id", padList(b.Locations, listMultiple))
		if !b.Begin.IsZero() {
			at.where(column + " >= " + at.arg(micros(b.Begin)))
		}
		if !b.End.IsZero() {
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

// The kinds of rows in the table payments.
const (
	paymentKind = "paid"
	refundKind  = "refunded"
)

// SumPayments calls show with the payments and the refunds in each currency during a range.
func (r reader) SumPayments(ctx context.Context, account string, s ReportRange,
	show func(f lost.PaymentFacts, number int)) error {
	q := reportQuery(account, s, "p")
	q.between("p.at", s)
	return r.eachRow(ctx, "SELECT p.kind, p.currency, count(*), CAST(sum(p.postage) AS BIGINT), "+
		"CAST(sum(p.handling) AS BIGINT) FROM payments p"+q.clause()+" GROUP BY p.kind, p.currency", q,
		func(rs rows) error {
			var f lost.PaymentFacts
			var kind string
			var number int
			err := rs.Scan(&kind, &f.Currency, &number, &f.Postage, &f.Handling)
			f.Refund = kind == refundKind
			show(f, number)
			return err
		})
}

// recordPayments records the payment and the refund of a shipment, unless they were recorded before. Test payments are
// not recorded.
func (tx *Tx) recordPayments(s lost.Shipment) error {
	price := s.Quote.Price
	if s.PaidAt.IsZero() || s.PayBy == lost.PayTest || !price.Known() {
		return nil
	}
	add := func(kind string, at time.Time) error {
		return tx.queue("INSERT INTO payments (account_id, shipment_id, kind, location_id, item_id, at, postage, "+
			"handling, currency) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) "+
			"ON CONFLICT (account_id, shipment_id, kind) DO NOTHING",
			s.Account, s.ID, kind, s.LocationID, s.ItemID, micros(at), price.Postage, price.Handling, price.Currency)
	}
	if err := add(paymentKind, s.PaidAt); err != nil || s.Refund != lost.RefundDone {
		return err
	}
	return add(refundKind, tx.now)
}
