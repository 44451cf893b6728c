package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"homeward/internal/lost"
)

// The most tasks of one kind that are counted: for a single location, for an account, and for each
// of several locations.
const (
	MaxTasksCounted     = 1000
	maxTasksPerAccount  = 500
	maxTasksPerLocation = 100
)

// FirstTasks returns an account's first tasks of each kind, and the number of tasks of that kind.
// If only is not nil, it considers just the locations with these ids.
//
// It runs two queries. The first query finds the number of tasks and the first task for each
// location and kind, with a few index lookups each, regardless of the number of tasks. The first
// tasks of a kind can only be at the locations whose first task of that kind is among the earliest,
// so the second query reads only those locations. If only is nil, the whole account is treated as
// one location, because it may have thousands of locations.
func (r reader) FirstTasks(ctx context.Context, account string, only []string, kinds []lost.TaskKind,
	limit int) ([]lost.TaskGroup, error) {
	groups := make([]lost.TaskGroup, len(kinds))
	for n, kind := range kinds {
		groups[n].Kind = kind
	}
	if only != nil && len(only) == 0 {
		return groups, nil
	}
	found, err := r.taskGroups(ctx, account, only, kinds)
	if err != nil {
		return nil, err
	}
	var first []taskGroup
	for n := range groups {
		groupsOfKind := slices.DeleteFunc(slices.Clone(found), func(g taskGroup) bool { return g.kind != n })
		for _, g := range groupsOfKind {
			groups[n].Count += g.count
			groups[n].AtLeast = groups[n].AtLeast || g.more
		}
		first = append(first, groupsOfKind[:min(len(groupsOfKind), limit)]...)
	}
	return groups, r.readFirstTasks(ctx, account, groups, first, limit)
}

// CountTasks counts an account's tasks of some kinds, up to a limit. If only is not nil, it considers just the
// locations with these ids.
func (r reader) CountTasks(ctx context.Context, account string, only []string, kinds []lost.TaskKind,
	limit int) (int, error) {
	if only != nil && len(only) == 0 {
		return 0, nil
	}
	q := &query{}
	q.where("t.account_id = " + q.arg(account))
	if only != nil {
		whereIn(q, "t.location_id", padList(only, listMultiple))
	}
	whereIn(q, "t.kind", kinds)
	q.where("l.account_id = t.account_id AND l.id = t.location_id AND l.deleted_at = 0")
	rs, err := r.h.Query(ctx, "SELECT count(*) FROM (SELECT 1 FROM tasks t CROSS JOIN locations l"+q.clause()+
		limitClause(limit)+") AS bounded", q.args...)
	n, _, err := firstValue[int](rs, err)
	return n, err
}

// taskGroup describes the tasks of one kind at a location, or in the whole account.
type taskGroup struct {
	location string // empty for the whole account
	kind     int    // index in the list of kinds
	turn     int64  // position of the first task
	count    int
	more     bool // whether there are more tasks than count
}

// taskGroups returns the groups that have tasks, sorted by their first task.
func (r reader) taskGroups(ctx context.Context, account string, only []string,
	kinds []lost.TaskKind) ([]taskGroup, error) {
	q := &query{}
	q.where("l.account_id = " + q.arg(account))
	kindValues := make([]string, len(kinds))
	for n, kind := range kinds {
		kindValues[n] = fmt.Sprintf("(%d, CAST(%s AS TEXT))", n, q.arg(string(kind)))
	}
	// Sorting in the order of the index makes PostgreSQL use it.
	fromTasks, columns, limit := " FROM tasks t WHERE t.account_id = $1 AND t.location_id = l.id AND t.kind = k.kind "+
		"ORDER BY t.turn", "l.id, k.n", maxTasksPerLocation
	switch len(only) {
	case 0:
		fromTasks, columns, limit = " FROM tasks t CROSS JOIN locations l WHERE t.account_id = $1 AND t.kind = k.kind"+
			" AND l.account_id = t.account_id AND l.id = t.location_id AND l.deleted_at = 0 ORDER BY t.turn",
			"'' AS id, k.n", maxTasksPerAccount
	case 1:
		limit = MaxTasksCounted
	}
	source := " FROM k"
	if only != nil {
		q.where("l.deleted_at = 0")
		whereIn(q, "l.id", only)
		source = " FROM locations l CROSS JOIN k" + q.clause()
	}
	rs, err := r.h.Query(ctx, fmt.Sprintf(`WITH k (n, kind) AS (VALUES %s)
		SELECT * FROM (SELECT %s, (SELECT t.turn%s LIMIT 1) AS first, (SELECT count(*) FROM (SELECT 1%s
		LIMIT %d) AS heap) AS many%s) AS heaps WHERE first IS NOT NULL`,
		strings.Join(kindValues, ", "), columns, fromTasks, fromTasks, limit+1, source), q.args...)
	groups, err := collect(rs, err, func(rs rows) (g taskGroup, err error) {
		err = rs.Scan(&g.location, &g.kind, &g.turn, &g.count)
		g.more = g.count > limit
		g.count = min(g.count, limit)
		return g, err
	})
	slices.SortFunc(groups, func(a, b taskGroup) int {
		return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(a.location, b.location))
	})
	return groups, err
}

// readFirstTasks reads the first tasks of the found groups into groups.
func (r reader) readFirstTasks(ctx context.Context, account string, groups []lost.TaskGroup, found []taskGroup,
	limit int) error {
	if len(found) == 0 {
		return nil
	}
	q := &query{}
	accountArg := q.arg(account)
	parts := make([]string, len(found))
	for n, g := range found {
		source := "tasks t WHERE"
		if g.location == "" {
			source = "tasks t CROSS JOIN locations l WHERE l.account_id = t.account_id AND l.id = t.location_id AND " +
				"l.deleted_at = 0 AND"
		} else {
			source += " t.location_id = " + q.arg(g.location) + " AND"
		}
		parts[n] = fmt.Sprintf(`SELECT * FROM (SELECT %d AS n, t.item_id, t.since, t.turn FROM %s t.account_id = %s
				AND t.kind = %s
			ORDER BY t.turn, t.item_id LIMIT %d) AS heap%d`,
			g.kind, source, accountArg, q.arg(string(groups[g.kind].Kind)), limit, n)
	}
	rs, err := r.h.QueryPlanned(ctx,
		"SELECT "+itemColumns+", first.n, first.since, l.name FROM ("+strings.Join(parts, " UNION ALL ")+`) AS first
		CROSS JOIN items i CROSS JOIN locations l WHERE i.account_id = $1 AND i.id = first.item_id
		AND l.account_id = i.account_id AND l.id = i.location_id AND l.deleted_at = 0
		ORDER BY first.n, first.turn, first.item_id`, q.args...)
	_, err = collect(rs, err, func(rs rows) (struct{}, error) {
		var n int
		var since int64
		var locationName string
		i, err := r.scanItemWith(rs, &n, &since, &locationName)
		if err == nil && len(groups[n].Tasks) < limit {
			t := lost.Task{
				Account: i.Account, LocationID: i.LocationID, LocationName: locationName, ItemID: i.ID,
				Kind: groups[n].Kind, Since: fromMicros(since), Item: i,
			}
			groups[n].Tasks = append(groups[n].Tasks, t)
		}
		return struct{}{}, err
	})
	return err
}

// SetOwnerState sets the owner state of an item.
func (tx *Tx) SetOwnerState(i lost.Item, state lost.OwnerState) error {
	tx.notePageChange(i.Account, i.LocationID, i.ID, "")
	return tx.queue("UPDATE items SET owner_state = $3 WHERE account_id = $1 AND id = $2", i.Account, i.ID,
		string(state))
}

// SetTasks replaces an item's tasks with tasks of the given kinds. A task that was already open
// keeps its age.
func (tx *Tx) SetTasks(i lost.Item, kinds []lost.TaskKind) error {
	tx.notePageChange(i.Account, i.LocationID, i.ID, "")
	q := &query{}
	q.where("account_id = " + q.arg(i.Account))
	q.where("item_id = " + q.arg(i.ID))
	for _, k := range kinds {
		q.where("kind <> " + q.arg(string(k)))
	}
	if err := tx.queue("DELETE FROM tasks"+q.clause(), q.args...); err != nil {
		return err
	}
	for _, k := range kinds {
		onConflict := "DO NOTHING"
		if k.IsPickup() || k == lost.OverdueTask { // the guest may have chosen another time, or the rules changed
			onConflict = "DO UPDATE SET turn = excluded.turn"
		}
		err := tx.queue(`INSERT INTO tasks (account_id, location_id, item_id, kind, since, turn)
				VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (account_id, item_id, kind) `+onConflict,
			i.Account, i.LocationID, i.ID, string(k), micros(tx.now), micros(k.Order(i, tx.now)))
		if err != nil {
			return err
		}
	}
	return nil
}

// Tasks lists a location's tasks, oldest first, except for pickups on later days.
func (r reader) Tasks(ctx context.Context, account, location string, page lost.Page) (lost.List[lost.Task], error) {
	list := lost.List[lost.Task]{Page: page}
	const matching = " FROM tasks t JOIN items i ON i.account_id = t.account_id AND i.id = t.item_id" + joinLocation +
		" WHERE t.account_id = $1 AND t.location_id = $2 AND t.kind <> 'pickup-next' AND l.deleted_at = 0"
	rs, err := r.h.Query(ctx,
		"SELECT "+itemColumns+", t.kind, t.since"+matching+" ORDER BY t.since, t.item_id, t.kind LIMIT $3 OFFSET $4",
		account, location, page.Limit, page.Offset())
	list.Data, err = collect(rs, err, func(rs rows) (t lost.Task, err error) {
		var kind string
		var since int64
		t.Item, err = r.scanItemWith(rs, &kind, &since)
		t.Account = t.Item.Account
		t.LocationID = t.Item.LocationID
		t.ItemID = t.Item.ID
		t.Kind = lost.TaskKind(kind)
		t.Since = fromMicros(since)
		return t, err
	})
	if err != nil {
		return list, err
	}
	list.Total, err = r.countTotal(ctx, page, len(list.Data), "SELECT 1"+matching, account, location)
	return list, err
}

// firstCheck returns when background jobs first check an item, or a zero time if only after it changes. A request, an
// item with its own storage period, and an item that is not pending are checked immediately. Another item is checked
// when its storage period ends, or earlier if its owner is notified. If the message to the owner is only saved, no job
// follows that could schedule the reminders, so the check is the first reminder's.
func (tx *Tx) firstCheck(i lost.Item, s schedule) time.Time {
	tx.soonChecked = time.Time{}
	if i.Source == lost.Request || i.KeepUntil != "" || i.Status != lost.Pending {
		tx.soonChecked = i.CreatedAt
		return i.CreatedAt
	}
	if i.Owner.Address() == "" || !tx.channels.saves(i.Owner.Channel()) {
		return storageCheck(i.StoreUntil())
	}
	planned := s.reminders.FirstCheck(i, tx.now)
	if planned.Equal(tx.now) {
		planned = tx.now.Truncate(checkInterval).Add(checkInterval)
		tx.soonChecked = planned
	}
	return planned
}

// checkInterval is the interval in which new items that have to be checked are collected, so that one transaction
// checks many of them.
const checkInterval = time.Second

// schedule has the settings of a location that its items inherit, and that decide when they are checked.
type schedule struct {
	version   int64 // the time of the location's last change
	terms     lost.Terms
	text      string // the reminders as they are stored
	reminders lost.ReminderSchedule
}

func (r reader) scanSchedule(rs rows) (s schedule, err error) {
	var keeping string
	err = rs.Scan(&s.terms.StoragePlace, &s.terms.StorageDuration, &s.terms.TimeZone, &keeping, &s.version, &s.text)
	if err == nil {
		s.terms.Keeping, err = r.rules.read(keeping)
	}
	return s, err
}

// schedule returns the settings of a location that a new item depends on. It may be outdated, so InsertItem compares
// its version with the location's.
func (tx *Tx) schedule(account, location string) (schedule, error) {
	if s, found := tx.schedules.get(account, location); found {
		return s, nil
	}
	return tx.readSchedule(account, location)
}

// readSchedule reads the settings of a location that new items depend on, and remembers them.
func (tx *Tx) readSchedule(account, location string) (schedule, error) {
	rs, err := tx.h.Query(tx.ctx, terms, account, location)
	s, err := requireRow("location", rs, err, tx.scanSchedule)
	if err != nil {
		return s, err
	}
	return tx.schedules.put(account, location, s)
}

// ruleCache has the keeping rules of locations by their stored text, because every item is read with them. The rules
// are not changed after they were read.
type ruleCache struct {
	mu    sync.RWMutex
	known map[string][]lost.KeepingRule
}

// maxRuleTexts is the maximum number of texts in a ruleCache.
const maxRuleTexts = 1000

func (c *ruleCache) read(text string) (rules []lost.KeepingRule, err error) {
	if text == "" {
		return nil, nil
	}
	c.mu.RLock()
	rules, found := c.known[text]
	c.mu.RUnlock()
	if found {
		return rules, nil
	}
	if err := readJSON("keeping rules", text, &rules); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= maxRuleTexts {
		c.known = map[string][]lost.KeepingRule{}
	}
	c.known[strings.Clone(text)] = rules // the text may share the memory of a row
	return rules, nil
}

// scheduleCache has the last known schedules of locations.
type scheduleCache struct {
	mu    sync.Mutex
	known map[scheduleKey]schedule
}

type scheduleKey struct{ account, location string }

// maxSchedules is the maximum number of locations in a scheduleCache.
const maxSchedules = 1000

func (c *scheduleCache) get(account, location string) (schedule, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, found := c.known[scheduleKey{account, location}]
	return s, found
}

// forget removes all schedules.
func (c *scheduleCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.known)
}

// put adds the schedule of a location, unless the cache already has this version, and returns it with its reminders.
func (c *scheduleCache) put(account, location string, s schedule) (schedule, error) {
	key := scheduleKey{account, location}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, found := c.known[key]; found && known.version == s.version {
		return known, nil
	}
	s.reminders = lost.DefaultReminderSchedule()
	if s.text != "" {
		s.reminders = lost.ReminderSchedule{}
		if err := readJSON("reminders", s.text, &s.reminders); err != nil {
			return s, err
		}
	}
	if c.known == nil || len(c.known) >= maxSchedules {
		c.known = map[scheduleKey]schedule{}
	}
	c.known[key] = s
	return s, nil
}
