package store

import (
	"context"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/stay"
)

const connectionColumns = "account_id, location_id, system, settings, connected_at, tested_at, problem"

func (r reader) scanConnection(rs rows) (c stay.Connection, err error) {
	var encrypted string
	var connected, tested int64
	err = rs.Scan(&c.Account, &c.LocationID, (*string)(&c.System), &encrypted, &connected, &tested,
		(*string)(&c.Problem))
	if err != nil {
		return c, err
	}
	c.ConnectedAt, c.TestedAt = fromMicros(connected), fromMicros(tested)
	plain, err := r.encrypter.decrypt(encrypted)
	if err != nil {
		return c, err
	}
	return c, readJSON("the settings of a connection", plain, &c.Values)
}

// StayConnection returns the connection of a location to its hotel system with all credentials, or a NotFound error.
func (r reader) StayConnection(ctx context.Context, account, location string) (stay.Connection, error) {
	rs, err := r.h.Query(ctx, "SELECT "+connectionColumns+" FROM pms_connections WHERE account_id = $1 AND "+
		"location_id = $2", account, location)
	return requireRow("connection", rs, err, r.scanConnection)
}

// SaveStayConnection saves the connection of a location and replaces another one.
func (tx *Tx) SaveStayConnection(c stay.Connection) error {
	encrypted, err := tx.encrypter.encrypt(toJSON(c.Values))
	if err != nil {
		return err
	}
	return tx.queue("INSERT INTO pms_connections ("+connectionColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7) "+
		"ON CONFLICT (account_id, location_id) DO UPDATE SET system = excluded.system, settings = excluded.settings, "+
		"connected_at = excluded.connected_at, tested_at = excluded.tested_at, problem = excluded.problem",
		c.Account, c.LocationID, string(c.System), encrypted, micros(c.ConnectedAt), micros(c.TestedAt),
		string(c.Problem))
}

// SaveStayTest records the result of a test, unless the connection was changed in the meantime.
func (tx *Tx) SaveStayTest(c stay.Connection) error {
	return tx.queue("UPDATE pms_connections SET tested_at = $3, problem = $4 WHERE account_id = $1 AND "+
		"location_id = $2 AND connected_at = $5",
		c.Account, c.LocationID, micros(c.TestedAt), string(c.Problem), micros(c.ConnectedAt))
}

// DeleteStayConnection deletes the connection of a location with its credentials.
func (tx *Tx) DeleteStayConnection(account, location string) error {
	return tx.queue("DELETE FROM pms_connections WHERE account_id = $1 AND location_id = $2", account, location)
}

// InsertGuestList adds a guest list that does not count yet.
func (tx *Tx) InsertGuestList(l stay.List) error {
	return tx.queue("INSERT INTO guest_lists (account_id, id, location_id, active, n, created_at, expires_at) VALUES "+
		"($1, $2, $3, $4, $5, $6, $7)", l.Account, l.ID, l.LocationID, false, l.Rows, micros(l.CreatedAt),
		micros(tx.now.Add(stay.Valid))) // in case the rest of the list never arrives
}

// InsertGuestStays adds rows to a guest list.
func (tx *Tx) InsertGuestStays(l stay.List, all []stay.Stay) error {
	for _, s := range all {
		g := s.Guest
		err := tx.queue("INSERT INTO guest_stays (account_id, id, list_id, room_folded, room, arrival, departure, "+
			"first_name, last_name, email, phone, language) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
			l.Account, lost.NewID(lost.StayID, tx.now), l.ID, stay.RoomKey(s.Room), s.Room, s.Arrival, s.Departure,
			g.FirstName, g.LastName, g.Email, g.Phone, g.Language)
		if err != nil {
			return err
		}
	}
	return nil
}

// ActivateGuestList makes a guest list count whose rows are all stored. With replace, the lists of the location that
// count until now expire. It returns false if the list has expired, because somebody has deleted the lists of the
// location in the meantime, or because storing the rows took too long.
func (tx *Tx) ActivateGuestList(l stay.List, replace bool) (bool, error) {
	if replace {
		err := tx.queue("UPDATE guest_lists SET active = $4, expires_at = $3 WHERE account_id = $1 AND "+
			"location_id = $2 AND active AND expires_at > $3", l.Account, l.LocationID, micros(tx.now), false)
		if err != nil {
			return false, err
		}
	}
	n, err := tx.exec("UPDATE guest_lists SET active = $3, expires_at = $4 WHERE account_id = $1 AND id = $2 AND "+
		"expires_at > $5", l.Account, l.ID, true, micros(l.ExpiresAt), micros(tx.now))
	return n == 1, err
}

// ExpireGuestLists makes the guest lists of a location expire, also those whose rows are not all stored yet.
func (tx *Tx) ExpireGuestLists(account, location string) error {
	return tx.queue("UPDATE guest_lists SET active = $3, expires_at = $4 WHERE account_id = $1 AND location_id = $2 "+
		"AND expires_at > $4", account, location, false, micros(tx.now))
}

// GuestLists lists the guest lists of a location that count, oldest first.
func (r reader) GuestLists(ctx context.Context, account, location string, now time.Time) ([]stay.List, error) {
	rs, err := r.h.Query(ctx, "SELECT account_id, id, location_id, n, created_at, expires_at FROM guest_lists WHERE "+
		"account_id = $1 AND location_id = $2 AND active AND expires_at > $3 ORDER BY id"+limitClause(stay.MaxLists),
		account, location, micros(now))
	return collect(rs, err, func(rs rows) (l stay.List, err error) {
		var created, expires int64
		err = rs.Scan(&l.Account, &l.ID, &l.LocationID, &l.Rows, &created, &expires)
		l.CreatedAt, l.ExpiresAt = fromMicros(created), fromMicros(expires)
		return l, err
	})
}

const guestStayColumns = "s.id, s.room, s.arrival, s.departure, s.first_name, s.last_name, s.email, s.phone, s.language"

func scanGuestStay(rs rows) (s stay.Stay, err error) {
	g := &s.Guest
	s.Listed = true
	err = rs.Scan(&s.ID, &s.Room, &s.Arrival, &s.Departure, &g.FirstName, &g.LastName, &g.Email, &g.Phone, &g.Language)
	return s, err
}

// GuestStays lists the rows of a location's guest lists in the room and with the departures of a query.
func (r reader) GuestStays(ctx context.Context, account, location string, q stay.Query,
	now time.Time) ([]stay.Stay, error) {
	const limit = 500
	rs, err := r.h.Query(ctx, "SELECT "+guestStayColumns+" FROM guest_lists l JOIN guest_stays s ON "+
		"s.account_id = l.account_id AND s.list_id = l.id WHERE l.account_id = $1 AND l.location_id = $2 AND l.active "+
		"AND l.expires_at > $3 AND s.account_id = $1 AND s.room_folded = $4 AND s.departure BETWEEN $5 AND $6 "+
		"ORDER BY s.departure DESC, s.id"+limitClause(limit),
		account, location, micros(now), stay.RoomKey(q.Room), q.From(), q.To())
	return collect(rs, err, scanGuestStay)
}

// PruneGuestLists deletes at most limit rows of guest lists that have expired, and the lists that have no rows left.
// It returns the number of deleted rows and works across all accounts; only cleanup uses it.
func (tx *Tx) PruneGuestLists(limit int) (int64, error) {
	n, err := tx.deleteOld("DELETE FROM guest_stays WHERE (account_id, id) IN (SELECT s.account_id, s.id FROM "+
		"guest_lists l JOIN guest_stays s ON s.account_id = l.account_id AND s.list_id = l.id WHERE "+
		"l.expires_at <= $1 LIMIT $2)", micros(tx.now), limit)
	if err != nil || n >= int64(limit) {
		return n, err
	}
	lists, err := tx.deleteOld("DELETE FROM guest_lists WHERE (account_id, id) IN (SELECT account_id, id FROM "+
		"guest_lists l WHERE expires_at <= $1 AND NOT EXISTS (SELECT 1 FROM guest_stays s WHERE "+
		"s.account_id = l.account_id AND s.list_id = l.id) LIMIT $2)", micros(tx.now), limit)
	return max(n, lists), err
}

// InsertCandidates stores the guests that a look-up has found, in their order.
func (tx *Tx) InsertCandidates(all []stay.Candidate) error {
	for n, c := range all {
		content, err := tx.encrypter.encrypt(toJSON(candidateContent{c.Stay, c.Reason, c.LastRoomOnly}))
		if err != nil {
			return err
		}
		err = tx.queue("INSERT INTO stay_candidates (account_id, id, lookup_id, location_id, actor_id, n, content, "+
			"created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)", c.Account, c.CandidateID, c.LookupID, c.LocationID,
			c.ActorID, n, content, micros(c.CreatedAt))
		if err != nil {
			return err
		}
	}
	return nil
}

// candidateContent is what is stored of a candidate, encrypted.
type candidateContent struct {
	Stay   stay.Stay
	Reason stay.Reason

	LastRoomOnly bool `json:",omitempty"`
}

const candidateColumns = "account_id, id, lookup_id, location_id, actor_id, content, created_at"

func (r reader) scanCandidate(rs rows) (c stay.Candidate, err error) {
	var encrypted string
	var created int64
	err = rs.Scan(&c.Account, &c.CandidateID, &c.LookupID, &c.LocationID, &c.ActorID, &encrypted, &created)
	if err != nil {
		return c, err
	}
	c.CreatedAt = fromMicros(created)
	plain, err := r.encrypter.decrypt(encrypted)
	if err != nil {
		return c, err
	}
	var content candidateContent
	err = readJSON("a candidate", plain, &content)
	c.Stay, c.Reason, c.LastRoomOnly = content.Stay, content.Reason, content.LastRoomOnly
	return c, err
}

// StayCandidate returns a guest that a look-up has found, or a NotFound error.
func (r reader) StayCandidate(ctx context.Context, account, id string) (stay.Candidate, error) {
	rs, err := r.h.Query(ctx, "SELECT "+candidateColumns+" FROM stay_candidates WHERE account_id = $1 AND id = $2",
		account, id)
	return requireRow("stay", rs, err, r.scanCandidate)
}

// StayCandidates lists the guests that a look-up has found, in their order.
func (r reader) StayCandidates(ctx context.Context, account, lookup string) ([]stay.Candidate, error) {
	rs, err := r.h.Query(ctx, "SELECT "+candidateColumns+" FROM stay_candidates WHERE account_id = $1 AND "+
		"lookup_id = $2 ORDER BY n"+limitClause(stay.MaxCandidates), account, lookup)
	return collect(rs, err, r.scanCandidate)
}

// PruneCandidates deletes at most limit candidates from before the given time, and returns the number deleted. It works
// across all accounts; only cleanup uses it.
func (tx *Tx) PruneCandidates(before time.Time, limit int) (int64, error) {
	return tx.deleteOld("DELETE FROM stay_candidates WHERE (account_id, id) IN (SELECT account_id, id FROM "+
		"stay_candidates WHERE created_at <= $1 LIMIT $2)", micros(before), limit)
}

// StayPersonalData returns the columns of guest lists that may name a person.
func StayPersonalData() PersonalDataTable {
	return PersonalDataTable{
		table: "guest_stays", key: []string{"id"}, columns: []string{"first_name", "last_name", "email", "phone"},
	}
}

// EraseStays deletes those rows of guest lists with the given keys that name a person, and all candidates of the
// account: they are encrypted, so nobody can search them, and a look-up can be repeated.
func (tx *Tx) EraseStays(account string, p lost.Person, keys [][]string) (e lost.Erased, err error) {
	if err := tx.queue("DELETE FROM stay_candidates WHERE account_id = $1", account); err != nil {
		return e, err
	}
	if len(keys) == 0 {
		return e, nil
	}
	rows, err := tx.lockPersonRows(account, StayPersonalData(), keys)
	var ids []string
	for _, row := range rows {
		if namesAny(row.texts, p) {
			ids = append(ids, row.key[0])
		}
	}
	if err != nil || len(ids) == 0 {
		return e, err
	}
	return e, tx.deleteCounted(&e.ImportRows, "guest_stays", account, ids)
}

func namesAny(texts []string, p lost.Person) bool {
	for _, text := range texts {
		if p.Reads(text) || lost.RemoveNamesFromCode(text, p.Address()) != text {
			return true
		}
	}
	return false
}

// StaysOfPerson lists those rows of guest lists with the given ids that name a person.
func (r reader) StaysOfPerson(ctx context.Context, account string, p lost.Person, ids []string) ([]stay.Stay, error) {
	q := &query{}
	q.where("s.account_id = " + q.arg(account))
	whereIn(q, "s.id", ids)
	rs, err := r.h.QueryPlanned(ctx, "SELECT "+guestStayColumns+" FROM guest_stays s"+q.clause()+" ORDER BY s.id",
		q.args...)
	found, err := collect(rs, err, scanGuestStay)
	var own []stay.Stay
	for _, s := range found {
		if namesAny([]string{s.Guest.FirstName, s.Guest.LastName, s.Guest.Email, s.Guest.Phone}, p) {
			own = append(own, s)
		}
	}
	return own, err
}
