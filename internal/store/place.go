package store

import (
	"context"
	"fmt"
	"time"

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
	if list.Data, err = collect(rs, err, r.scanItem); err != nil {
		return list, err
	}
	rs, err = r.h.QueryPlanned(ctx, fmt.Sprintf("SELECT count(*) FROM (%s LIMIT %d) AS held", all, lost.MaxExpected+1),
		args...)
	n, _, err := firstValue[int](rs, err)
	list.Total = lost.TotalTo(n, lost.MaxExpected)
	return list, err
}

// UsualPlaces lists the usual storage places of locations, folded, by the id of the location. If only is not nil, it
// contains the ids of the locations to consider. Locations without one are left out.
func (r reader) UsualPlaces(ctx context.Context, account string, only []string, limit int) (map[string]string, error) {
	places := map[string]string{}
	if only != nil && len(only) == 0 {
		return places, nil
	}
	q := &query{}
	q.where("account_id = " + q.arg(account))
	q.where("deleted_at = 0")
	q.where("storage_place <> ''")
	if only != nil {
		whereIn(q, "id", only)
	}
	rs, err := r.h.QueryPlanned(ctx, "SELECT id, storage_place FROM locations"+q.clause()+" ORDER BY id"+
		limitClause(limit), q.args...)
	_, err = collect(rs, err, func(rs rows) (found struct{}, err error) {
		var id, place string
		if err = rs.Scan(&id, &place); err == nil {
			places[id] = searchText(place)
		}
		return found, err
	})
	return places, err
}

// RegisterFinds returns the newest finds of a location that its public register lists, up to a limit: those that are
// pending, have and had no owner, are not on hold, have one of the given categories and were recorded before a time.
// The conditions are those of Location.RegisterEntry.
func (r reader) RegisterFinds(ctx context.Context, account, location string, categories []lost.Category,
	before time.Time, limit int) ([]lost.Item, error) {
	q := &query{}
	q.where("i.account_id = " + q.arg(account))
	q.where("i.location_id = " + q.arg(location))
	q.where("i.source = 'found' AND i.status = 'PENDING' AND l.deleted_at = 0")
	q.where("i.hold = '' AND i.owner_first = '' AND i.owner_last = '' AND i.owner_email = '' AND i.owner_phone = ''")
	q.where("i.disowned_at = 0 AND i.owner_state IN ('', '" + string(lost.NoOwner) + "')")
	q.where("i.created_at < " + q.arg(micros(before)))
	names := make([]string, len(categories))
	for n, c := range categories {
		names[n] = string(c)
	}
	whereIn(q, "i.category", names)
	rs, err := r.h.QueryPlanned(ctx, "SELECT "+itemColumns+" FROM items i"+joinLocation+q.clause()+
		" ORDER BY i.seq DESC"+limitClause(limit), q.args...)
	return collect(rs, err, r.scanItem)
}
