package store

import (
	"context"
	"strconv"
	"strings"
	"time"

	"homeward/internal/lost"
)

// ReportRange is a range of days at locations that have the same time zone.
type ReportRange struct {
	Locations  []string
	From, To   string    // the days, inclusive
	Begin, End time.Time // when they begin and end; the end is not included
	Zone       *time.Location
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

// Reports count many rows. It takes less time to join the values of a group in the database than to read them row by
// row. Texts without line breaks can be joined, as lost.LineKind is.

// joined returns the expression for the values of a group, one on each line.
func joined(value string) string { return "string_agg(" + value + ", '\n')" }

// joinedCodes returns the expression for the values of a group, which have one character each.
func joinedCodes(value string) string { return "string_agg(" + value + ", '')" }

// foundOn is the day on which an item was found or, if it is not known, the time when it was recorded.
const foundOn = "CASE WHEN i.discovery_date <> '' THEN i.discovery_date ELSE CAST(i.created_at AS TEXT) END"

// readFoundOn reads the value of foundOn.
func readFoundOn(text string) (date string, created time.Time) {
	if len(text) == len(lost.DateLayout) && text[4] == '-' {
		return text, time.Time{}
	}
	n, _ := strconv.ParseInt(text, 10, 64)
	return "", fromMicros(n)
}

// parts splits a range, so that the joined values of a group do not become too large.
func (s ReportRange) parts() (all []ReportRange) {
	const quarter, most = 92 * 24 * time.Hour, 24
	step := max(quarter, s.End.Sub(s.Begin)/most)
	for begin := s.Begin; begin.Before(s.End); begin = begin.Add(step) {
		part := s
		part.Begin, part.End = begin, begin.Add(step)
		if part.End.After(s.End) {
			part.End = s.End
		}
		all = append(all, part)
	}
	return all
}

// evenParts is like parts, but the zone has the same offset to UTC during each part.
func (s ReportRange) evenParts() (all []ReportRange) {
	for _, part := range s.parts() {
		for begin, end := part.Begin, part.End; begin.Before(end); begin = part.End {
			part.Begin, part.End = begin, end
			if _, changed := begin.In(s.Zone).ZoneBounds(); !changed.IsZero() && changed.Before(end) {
				part.End = changed
			}
			all = append(all, part)
		}
	}
	return all
}

// dayNumber returns the expression for the local day of a time in one of the even parts, counted from 1970-01-01.
func (s ReportRange) dayNumber(q *query, at string) string {
	_, offset := s.Begin.In(s.Zone).Zone()
	return "(" + at + " + CAST(" + q.arg(int64(offset)*1e6) + " AS BIGINT)) / " +
		strconv.FormatInt((24*time.Hour).Microseconds(), 10)
}

// foundDated returns the query for the items that were found on the days of a range.
func foundDated(account string, s ReportRange) *query {
	q := reportQuery(account, s, "i")
	q.where(foundCondition)
	q.where("i.discovery_date >= " + q.arg(s.From))
	q.where("i.discovery_date <= " + q.arg(s.To))
	return q
}

// foundUndated returns the query for the items without a discovery date that were recorded during a range.
func foundUndated(account string, s ReportRange) *query {
	q := reportQuery(account, s, "i")
	q.where(foundCondition)
	q.where("i.discovery_date = ''")
	q.between("i.created_at", s)
	return q
}

// outcomeCode is a character for the outcome of a found item: returned, other or open.
const outcomeCode = "CASE WHEN " + returnedCondition + " THEN 'r' WHEN " + otherCondition + " THEN 'x' ELSE 'o' END"

// CountFound calls show with the numbers of items that were found on the same day at the same location, and what became
// of them. Items without a discovery date are shown one by one.
func (r reader) CountFound(ctx context.Context, account string, s ReportRange, show func(lost.FoundCount)) error {
	sum := func(condition string) string { return ", sum(CASE WHEN " + condition + " THEN 1 ELSE 0 END)" }
	from := " FROM items i" + r.d.useIndex("items_found")
	q := foundDated(account, s)
	err := r.eachRow(ctx, "SELECT i.location_id, i.discovery_date, count(*)"+sum(returnedCondition)+
		sum(otherCondition)+from+q.clause()+" GROUP BY i.location_id, i.discovery_date", q, func(rs rows) error {
		var c lost.FoundCount
		err := rs.Scan(&c.LocationID, &c.Date, &c.Items, &c.Returned, &c.Other)
		show(c)
		return err
	})
	if err != nil {
		return err
	}
	for _, part := range s.parts() {
		q := foundUndated(account, part)
		err := r.eachRow(ctx, "SELECT i.location_id, "+joined(foundOn)+", "+joinedCodes(outcomeCode)+from+q.clause()+
			" GROUP BY i.location_id", q, func(rs rows) error {
			var c lost.FoundCount
			var times, codes string
			err := rs.Scan(&c.LocationID, &times, &codes)
			countCodes(c, times, codes, show)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// EachFound is like CountFound, and also calls show with the color and the place of each item, and whether it was
// returned.
func (r reader) EachFound(ctx context.Context, account string, s ReportRange, count func(lost.FoundCount),
	show func(color, place string, returned bool)) error {
	read := func(q *query, times string) error {
		return r.eachRow(ctx, "SELECT i.location_id, i.discovery_date, "+times+", "+joined("i.color")+", "+
			joined("i.discovery_place")+", "+joinedCodes(outcomeCode)+" FROM items i"+r.d.useIndex("items_found")+
			q.clause()+" GROUP BY i.location_id, i.discovery_date", q, func(rs rows) error {
			var c lost.FoundCount
			var times, colors, places, codes string
			if err := rs.Scan(&c.LocationID, &c.Date, &times, &colors, &places, &codes); err != nil {
				return err
			}
			countCodes(c, times, codes, count)
			for n := range len(codes) {
				var color, place string
				color, colors, _ = strings.Cut(colors, "\n")
				place, places, _ = strings.Cut(places, "\n")
				show(color, place, codes[n] == 'r')
			}
			return nil
		})
	}
	for _, indexed := range r.d.traitIndexes {
		q := foundDated(account, s)
		q.where(indexed)
		if err := read(q, "''"); err != nil {
			return err
		}
		for _, part := range s.parts() {
			q := foundUndated(account, part)
			q.where(indexed)
			if err := read(q, joined(foundOn)); err != nil {
				return err
			}
		}
	}
	return nil
}

// countCodes calls show with the items of a group, by their codes. Items without a discovery date are shown one by one,
// with the times when they were recorded.
func countCodes(c lost.FoundCount, times, codes string, show func(lost.FoundCount)) {
	if c.Date != "" {
		c.Items, c.Returned, c.Other = len(codes), strings.Count(codes, "r"), strings.Count(codes, "x")
		show(c)
		return
	}
	for n := range len(codes) {
		var text string
		text, times, _ = strings.Cut(times, "\n")
		one := lost.FoundCount{LocationID: c.LocationID, Items: 1}
		_, one.CreatedAt = readFoundOn(text)
		one.Returned, one.Other = strings.Count(codes[n:n+1], "r"), strings.Count(codes[n:n+1], "x")
		show(one)
	}
}

// endedCode is a character for what became of an item of the index items_outcome.
const endedCode = "CASE i.status WHEN 'DONATE' THEN 'd' WHEN 'DISCARD' THEN CASE WHEN i.destination = 'police' " +
	"THEN 'p' ELSE 'x' END ELSE 'r' END"

// EachEnded calls show with the items that were returned, donated, discarded or handed to the police during a range.
func (r reader) EachEnded(ctx context.Context, account string, s ReportRange, show func(lost.EndedFacts)) error {
	outcomes := map[byte]lost.FindOutcome{
		'r': lost.OutcomeDelivered, 'd': lost.OutcomeDonated, 'x': lost.OutcomeDiscarded, 'p': lost.OutcomePolice,
	}
	for _, part := range s.evenParts() {
		q := reportQuery(account, part, "i")
		q.where(outcomeCondition)
		q.between(outcomeTime, part)
		facts := endedCode + " || CAST(" + part.dayNumber(q, outcomeTime) + " AS TEXT) || ' ' || " + foundOn
		err := r.eachRow(ctx, "SELECT i.location_id, "+joined(facts)+" FROM items i"+r.d.useIndex("items_outcome")+
			q.clause()+" GROUP BY i.location_id", q, func(rs rows) error {
			var location, lines string
			if err := rs.Scan(&location, &lines); err != nil {
				return err
			}
			for line := range strings.SplitSeq(lines, "\n") {
				ended, found, _ := strings.Cut(line[1:], " ")
				f := lost.EndedFacts{LocationID: location, Outcome: outcomes[line[0]]}
				f.EndedOn, _ = strconv.Atoi(ended)
				f.Date, f.CreatedAt = readFoundOn(found)
				show(f)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// answeredAt is when the desk first wrote to the claimant of a request i, or decided about it.
const answeredAt = `COALESCE((SELECT min(h.at) FROM item_history h WHERE h.account_id = i.account_id
		AND h.item_id = i.id AND h.action IN ('request-accepted', 'request-rejected', 'question-asked')), 0),
	COALESCE((SELECT min(m.at) FROM thread_messages m WHERE m.account_id = i.account_id
		AND m.item_id = i.id AND m.side = 'desk'), 0)`

// EachFiled calls show with the requests that were filed during a range.
func (r reader) EachFiled(ctx context.Context, account string, s ReportRange, show func(lost.RequestFacts)) error {
	q := reportQuery(account, s, "i")
	q.where("i.source = 'request'")
	q.between("i.created_at", s)
	return r.eachRow(ctx, "SELECT i.location_id, i.created_at, i.claim_state, "+answeredAt+" FROM items i"+
		q.clause(), q, func(rs rows) error {
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
		q.where(outcomeCondition + " AND " + returnedCondition)
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
		q.where(foundCondition + " AND (" + dated + " AND " + q.duringBounds("", f.Bounds) +
			" OR i.discovery_date = '' AND " + q.duringBounds("i.created_at", f.Bounds) + ")")
	case lost.FigureFiled, lost.FigureAnswered, lost.FigureUnanswered:
		q.where("i.source = 'request' AND " + q.duringBounds("i.created_at", f.Bounds))
	case lost.FigurePaid, lost.FigureRefunded:
		kind := paymentKind
		if f.Figure == lost.FigureRefunded {
			kind = refundKind
		}
		payment := "SELECT 1 FROM payments p WHERE p.account_id = i.account_id AND p.item_id = i.id AND " +
			"p.location_id = i.location_id AND p.kind = '" + kind + "' AND " + q.duringBounds("p.at", f.Bounds)
		if f.Currency != "" {
			payment += " AND p.currency = " + q.arg(f.Currency)
		}
		q.where("EXISTS (" + payment + ")")
	default:
		q.where(q.duringBounds(outcomeTime, f.Bounds))
	}
}

// duringBounds returns the condition that a time is within the bounds of the item's location. Without a column, it only
// selects the locations, because a report does not contain all of them if there are too many.
func (q *query) duringBounds(column string, all []lost.ReportBounds) string {
	parts := make([]string, len(all))
	for n, b := range all {
		at := &query{args: q.args}
		whereIn(at, "i.location_id", padList(b.Locations, listMultiple))
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
