package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"homeward/internal/lost"
)

// nextPlace selects the first place after a given place with a single index lookup.
const nextPlace = "SELECT i.storage_place FROM items i WHERE i.account_id = $1 AND i.location_id = $2" + heldCondition +
	" AND i.storage_place %s ORDER BY i.storage_place LIMIT 1"

// placesQuery returns a query that jumps from place to place in the index, and counts the items at
// each place only up to lost.MaxShown.
func placesQuery(limit int) string {
	return "WITH RECURSIVE places (name, n) AS (SELECT (" + fmt.Sprintf(nextPlace, ">= $3") + "), 1" +
		" UNION ALL SELECT (" + fmt.Sprintf(nextPlace, "> p.name") +
		fmt.Sprintf("), p.n + 1 FROM places p WHERE p.name IS NOT NULL AND p.n < %d)", limit) +
		" SELECT p.name, (SELECT count(*) FROM (SELECT 1 FROM items i WHERE i.account_id = $1 AND i.location_id = $2" +
		heldCondition +
		fmt.Sprintf(" AND i.storage_place = p.name LIMIT %d) AS held)", lost.MaxShown+1) +
		" FROM places p WHERE p.name IS NOT NULL ORDER BY p.n"
}

// Places lists the places where a location's items are stored, sorted by name, starting with the
// place from. Items without a place are counted under an empty name.
func (r reader) Places(ctx context.Context, account, location, from string, limit int) ([]lost.StoragePlace, error) {
	rs, err := r.h.QueryPlanned(ctx, placesQuery(limit), account, location, from)
	return collect(rs, err, func(rs rows) (p lost.StoragePlace, err error) {
		err = rs.Scan(&p.Name, &p.Items.Count)
		p.Items = lost.TotalTo(p.Items.Count, lost.MaxShown)
		return p, err
	})
}

// ItemsAtPlace lists the items at one of a location's places, newest first; names are all spellings
// of the place. It counts the items up to lost.MaxExpected.
func (r reader) ItemsAtPlace(ctx context.Context, account, location string, names []string,
	page lost.Page) (lost.List[lost.Item], error) {
	list := lost.List[lost.Item]{Page: page}
	args := []any{account, location}
	var newest, all string
	for n, name := range names {
		args = append(args, name)
		atName := fmt.Sprintf("SELECT i.seq FROM items i WHERE i.account_id = $1 AND i.location_id = $2%s AND "+
			"i.storage_place = $%d", heldCondition, n+3)
		if n > 0 {
			newest, all = newest+" UNION ALL ", all+" UNION ALL "
		}
		all += atName
		newest += fmt.Sprintf("SELECT * FROM (%s ORDER BY i.seq DESC LIMIT %d) AS place%d", atName,
			page.Offset()+page.Limit, n)
	}
	text := itemsOfPage("", "SELECT seq FROM ("+newest+
		fmt.Sprintf(") AS held ORDER BY seq DESC LIMIT %d OFFSET %d", page.Limit, page.Offset()), "i.seq DESC")
	rs, err := r.h.QueryPlanned(ctx, text, args...)
	if list.Data, err = collect(rs, err, scanItem); err != nil {
		return list, err
	}
	rs, err = r.h.QueryPlanned(ctx, fmt.Sprintf("SELECT count(*) FROM (%s LIMIT %d) AS held", all, lost.MaxExpected+1),
		args...)
	n, _, err := firstValue[int](rs, err)
	list.Total = lost.TotalTo(n, lost.MaxExpected)
	return list, err
}

// CountHeld calls show with each storage place of the locations, and how many items there were found in each of several
// periods: since the first day, between the second and the first, and so on, and before the last. Items without a
// discovery date were found when they were recorded. Items without a place of their own are at the location's usual
// place.
func (r reader) CountHeld(ctx context.Context, account string, s ReportRange, since []lost.Day,
	show func(location, place string, items []int)) error {
	q := reportQuery(account, s, "i")
	code := "CASE"
	for n := len(since); n > 0; n-- { // most items are old
		day := since[n-1]
		code += " WHEN i.discovery_date < " + q.arg(day.Date) + " AND (i.discovery_date <> '' OR i.created_at < " +
			q.arg(micros(day.Begin)) + ") THEN '" + strconv.Itoa(n) + "'"
	}
	code += " ELSE '0' END"
	return r.eachRow(ctx, "SELECT p.location_id, CASE WHEN p.place = '' THEN l.storage_place ELSE p.place END, "+
		"p.codes FROM (SELECT i.account_id, i.location_id, i.storage_place AS place, "+joinedCodes(code)+
		" AS codes FROM items i"+r.d.useIndex("items_held")+q.clause()+heldCondition+
		" GROUP BY i.account_id, i.location_id, i.storage_place) AS p "+
		"JOIN locations l ON l.account_id = p.account_id AND l.id = p.location_id", q, func(rs rows) error {
		var location, place, codes string
		err := rs.Scan(&location, &place, &codes)
		items := make([]int, len(since)+1)
		for n := range items {
			items[n] = strings.Count(codes, strconv.Itoa(n))
		}
		show(location, place, items)
		return err
	})
}
