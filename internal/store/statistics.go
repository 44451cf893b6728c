package store

import (
	"context"
	"fmt"

	"homeward/internal/lost"
)

// EachFind calls show with the data that statistics need about each of a location's newest found
// items. An index contains all of this data, so the items themselves are not read.
//
// The caller computes the totals, because otherwise the database would have to handle time zones.
// With SQLite this is also faster, because SQLite would sort the rows to group them.
func (r reader) EachFind(ctx context.Context, account, location string, limit int, show func(lost.FindFacts)) error {
	rs, err := r.h.Query(ctx,
		fmt.Sprintf(`SELECT status, discovery_date, created_at, moved_at, closed_at, destination FROM
		(SELECT status, source, discovery_date, created_at, moved_at, closed_at, destination FROM items
		WHERE account_id = $1 AND location_id = $2 ORDER BY seq DESC LIMIT %d) AS newest
		WHERE source = 'found'`, limit), account, location)
	if err != nil {
		return err
	}
	defer rs.Close()
	for rs.Next() {
		var f lost.FindFacts
		var status, destination string
		var created, moved, closed int64
		if err := rs.Scan(&status, &f.DiscoveryDate, &created, &moved, &closed, &destination); err != nil {
			return err
		}
		f.Destination = lost.Destination(destination)
		f.Status = lost.Status(status)
		f.CreatedAt = fromMicros(created)
		f.MovedAt = fromMicros(moved)
		f.ClosedAt = fromMicros(closed)
		show(f)
	}
	return rs.Err()
}

// LocationNames lists the names and time zones of an account's locations, sorted by name. If only is
// not nil, it lists just the locations with these ids.
func (r reader) LocationNames(ctx context.Context, account string, only []string,
	limit int) ([]lost.LocationName, error) {
	if only != nil && len(only) == 0 {
		return nil, nil
	}
	q := &query{}
	q.where("account_id = " + q.arg(account))
	q.where("deleted_at = 0")
	if only != nil {
		whereIn(q, "id", only)
	}
	rs, err := r.h.QueryPlanned(ctx,
		fmt.Sprintf("SELECT id, name, time_zone FROM locations%s ORDER BY name_key, id LIMIT %d", q.clause(), limit),
		q.args...)
	return collect(rs, err, func(rs rows) (p lost.LocationName, err error) {
		err = rs.Scan(&p.ID, &p.Name, &p.TimeZone)
		return p, err
	})
}
