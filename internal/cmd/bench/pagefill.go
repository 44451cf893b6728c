package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/category"
	"homeward/internal/store"
	"homeward/internal/webhook"
)

// The numbers of records other than items in an account.
const (
	maxTasks     = 5000 // tasks of each kind
	messageCount = 40_000
	eventCount   = 40_000 // each event has one delivery
	auditLines   = 20_000 // audit log entries

	busyPlace = "Shelf A, box 1"
)

// filler fills a database with the data that the pages show.
type filler struct {
	*site
	found    []string // IDs of found items
	notified string   // the ID of a pending item whose owner was notified
}

// fill fills the database with as much data as a desk has after two years, but without due background jobs.
func (f *filler) fill(ctx context.Context) error {
	db, err := store.Open(ctx, f.setting, time.Now)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.UseSecret([]byte(serviceSecret)); err != nil {
		return err
	}
	key, err := db.KeyByHash(ctx, store.DirectoryHash(apiKey))
	if err != nil {
		return err
	}
	f.account = key.Account
	l := &loader{
		db: db, actor: key.Actor(), r: rand.New(rand.NewPCG(1, 2)), references: map[string]bool{}, vary: f.vary,
	}
	if _, _, err := l.location(ctx, "Elsewhere", otherItems); err != nil {
		return err
	}
	f.found, f.notified = nil, ""
	if f.location, _, err = l.location(ctx, "Adler", f.size); err != nil {
		return err
	}
	endpoint, err := f.endpoint(ctx, db)
	if err != nil {
		return err
	}
	return f.runStatements(ctx, f.rest(endpoint))
}

// endpoint creates a disabled webhook and returns its ID.
func (f *filler) endpoint(ctx context.Context, db *store.DB) (id string, err error) {
	err = db.Write(ctx, func(tx *store.Tx) error {
		e, err := lost.NewEndpoint(f.account,
			lost.EndpointPatch{URL: lost.Set("https://hooks.example.com/homeward"), Enabled: lost.Set(false)}, tx.Now())
		if err != nil {
			return err
		}
		id, e.Secret = e.ID, webhook.NewSecret()
		return tx.InsertEndpoint(e)
	})
	return id, err
}

// outcomes lists the statuses of items, with shares out of 1000.
var outcomes = []struct {
	status lost.Status
	share  int
	closed int // how many of them are closed, out of 100
}{
	{lost.Delivered, 330, 0}, {lost.PickUp, 200, 95}, {lost.Donate, 120, 95}, {lost.Discard, 20, 95},
	{lost.Shipped, 30, 0}, {lost.InfoCompleted, 25, 0}, {lost.FeePaid, 5, 0},
}

// vary gives an item a random outcome, and removes the guest's data if that happened long ago. Otherwise the service
// would remove it while the pages are measured.
func (f *filler) vary(r *rand.Rand, i *lost.Item) {
	f.conclude(r, i)
	classify(r, i)
	if i.Source == lost.Found {
		identify(r, i)
	}
	if ended := i.EndedAt(); !ended.IsZero() && ended.Before(eraseBefore()) {
		i.EraseGuest(ended)
	}
}

// classify gives 60 % of the items the suggested category.
func classify(r *rand.Rand, i *lost.Item) {
	if r.IntN(10) < 6 {
		i.Category = category.SuggestFor(*i)
	}
}

// identify gives 20 % of the items a finder, and 10 % a serial number.
func identify(r *rand.Rand, i *lost.Item) {
	if r.IntN(5) == 0 {
		i.Finder = lost.Finder{
			Name: pick(r, firsts) + " " + pick(r, lasts), Phone: fmt.Sprintf("+4930%07d", r.IntN(1e7)),
			WantsReward: r.IntN(4) == 0,
		}
	}
	if r.IntN(10) == 0 {
		i.SerialNumber = fmt.Sprintf("KN-%04d-%04d", r.IntN(1e4), r.IntN(1e4))
	}
}

// planPickup sets when an item is picked up: in the next two weeks or, if it is closed, when it was closed.
func planPickup(r *rand.Rand, i *lost.Item) {
	day := i.ClosedAt
	if day.IsZero() {
		day = time.Now().AddDate(0, 0, r.IntN(14))
	}
	i.Pickup = lost.Pickup{
		Date: day.Format(lost.DateLayout), Time: fmt.Sprintf("%02d:%02d", 8+r.IntN(11), 15*r.IntN(4)), Planned: true,
	}
}

// eraseBefore returns the time before which items must have ended so that their guests' data is removed.
func eraseBefore() time.Time { return time.Now().AddDate(0, 0, -lost.DefaultGuestDays) }

// conclude gives an item a discovery date close to its creation and a random outcome. One item in forty becomes a
// request.
func (f *filler) conclude(r *rand.Rand, i *lost.Item) {
	i.DiscoveryDate = i.CreatedAt.AddDate(0, 0, -r.IntN(3)).Format(lost.DateLayout)
	if r.IntN(40) == 0 {
		i.Source, i.DiscoveryDate, i.StoragePlace = lost.Request, "", ""
		i.Claim = lost.Claim{
			State: lost.RequestPending, LostPlace: i.DiscoveryPlace, LostDate: i.CreatedAt.Format(lost.DateLayout),
			Proof: "My name is inside.",
		}
		if r.IntN(10) > 0 {
			i.Claim.State = lost.RequestRejected
		}
		return
	}
	f.found = append(f.found, i.ID)
	dice := r.IntN(1000)
	for _, o := range outcomes {
		if dice -= o.share; dice >= 0 {
			continue
		}
		i.Status, i.MovedBy, i.MovedAt = o.status, lost.ByUser,
			i.CreatedAt.Add(time.Duration(1+r.IntN(40*24))*time.Hour)
		if r.IntN(100) < o.closed {
			i.ClosedAt = i.MovedAt
		}
		if o.status == lost.PickUp {
			planPickup(r, i)
		}
		return
	}
	if i.Owner.Email != "" {
		f.notified, i.OwnerState = i.ID, lost.OwnerTold
		if r.IntN(2) == 0 {
			i.OwnerState = lost.NoAnswer
		}
	}
	if r.IntN(500) == 0 {
		i.Hold = "Requested by the police"
	}
}

// rest returns statements that add the records that follow from the items, and delete the items' background jobs.
func (f *filler) rest(endpoint string) []statement {
	now, day := time.Now().UnixMicro(), (24 * time.Hour).Microseconds()
	const numbers = "WITH RECURSIVE n (i) AS (SELECT CAST(0 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < " +
		"CAST($2 AS BIGINT)) "
	task := func(kind, condition string) statement {
		insert := `INSERT INTO tasks (account_id, location_id, item_id, kind, since, turn)
			SELECT account_id, location_id, id, '` + kind + `', created_at, created_at FROM items
			WHERE account_id = $1 AND location_id = $2 AND ` + condition + ` ORDER BY seq LIMIT $3`
		return statement{insert, []any{f.account, f.location, maxTasks}}
	}
	return append(f.answersAndPayments(), []statement{
		{"UPDATE items SET value_amount = 100 + (seq * 7919) % 200000, value_currency = 'USD' WHERE account_id = $1",
			[]any{f.account}},
		{"UPDATE items SET look_at = 0, forgotten_at = CASE WHEN updated_at < $1 THEN updated_at ELSE 0 END",
			[]any{eraseBefore().UnixMicro()}},
		task("store-until", "source = 'found' AND status = 'PENDING' AND hold = ''"),
		task("ship", "source = 'found' AND status = 'FEE PAID'"),
		task("shipping-wanted", "source = 'found' AND status = 'INFO COMPLETED'"),
		task("answer-request", "source = 'request' AND claim_state = 'PENDING'"),
		{`INSERT INTO messages (account_id, id, location_id, item_id, kind, once, channel, address, state, about,
				created_at, settled_at)
			SELECT account_id, 'msg_' || substr(id, 6), location_id, id, 'notice', 'notice', 'email', owner_email,
				CASE WHEN seq % 50 = 0 THEN 'failed' ELSE 'kept' END, '{}', created_at, created_at
			FROM items WHERE account_id = $1 AND owner_email <> '' ORDER BY seq DESC LIMIT $2`,
			[]any{f.account, messageCount}},
		{`INSERT INTO events (account_id, id, type, at, location_id, item_id, body)
			SELECT account_id, 'evt_' || substr(id, 6), 'pickup', CAST($3 AS BIGINT) - (seq % $2) * 60000000,
				location_id, id, '{"type":"pickup","item":{"id":"' || id || '","status":"PICKUP"}}'
			FROM items WHERE account_id = $1 AND status = 'PICKUP' ORDER BY seq DESC LIMIT $2`,
			[]any{f.account, eventCount, now}},
		{`INSERT INTO deliveries (account_id, id, event_id, event_type, endpoint_id, state, claim, attempts,
				created_at, settled_at)
			SELECT account_id, 'dlv_' || substr(id, 5), id, type, $2,
				CASE WHEN at % 40 = 0 THEN 'failed' ELSE 'delivered' END, 1,
				'[{"at":' || CAST(at AS TEXT) || ',"status":200,"us":1834}]', at, at + 2500
			FROM events WHERE account_id = $1`, []any{f.account, endpoint}},
		{`INSERT INTO audit (account_id, id, at, actor_kind, actor_id, actor_name, deed, subject, note) ` + numbers + `
			SELECT CAST($1 AS TEXT), 'aud_0000000000' || CAST(1000000 + i AS TEXT),
				CAST($3 AS BIGINT) - i * CAST($4 AS BIGINT) / 100, 'user', 'user_gone', 'Robin',
				CASE WHEN i % 3 = 0 THEN 'logged-in' ELSE 'key-created' END, 'key_gone', '' FROM n`,
			[]any{f.account, auditLines, now, day}},
		{"DELETE FROM jobs", nil},
	}...)
}

// answersAndPayments returns statements that add the payments for shipments and the answers to requests.
func (f *filler) answersAndPayments() []statement {
	return []statement{
		// 35 of 100 shipments are paid, and 2 of these payments are refunded.
		{`INSERT INTO payments (account_id, shipment_id, kind, location_id, item_id, at, postage, handling, currency)
			SELECT account_id, 'shp_' || substr(id, 6), 'paid', location_id, id, moved_at, 490 + seq % 7 * 150, 500,
				'EUR'
			FROM items WHERE account_id = $1 AND status IN ('SHIPPED', 'DELIVERED') AND seq % 100 < 35`,
			[]any{f.account}},
		{`INSERT INTO payments (account_id, shipment_id, kind, location_id, item_id, at, postage, handling, currency)
			SELECT account_id, shipment_id, 'refunded', location_id, item_id, at + $2, postage, handling, currency
			FROM payments WHERE account_id = $1 AND item_id IN (SELECT id FROM items
				WHERE account_id = $1 AND status IN ('SHIPPED', 'DELIVERED') AND seq % 100 < 2)`,
			[]any{f.account, (24 * time.Hour).Microseconds()}},
		// Requests are answered by a decision or, half of those without one, by a message.
		{`INSERT INTO item_history (account_id, item_id, id, at, actor_kind, actor_id, actor_name, action)
			SELECT account_id, id, 'hist_' || substr(id, 6), created_at + seq % 96 * 3600000000, 'user', 'usr_gone',
				'Robin', 'request-rejected'
			FROM items WHERE account_id = $1 AND source = 'request' AND claim_state = 'REJECTED'`,
			[]any{f.account}},
		{`INSERT INTO thread_messages (account_id, id, location_id, item_id, side, via, text, actor_kind, actor_id,
				actor_name, address, at)
			SELECT account_id, 'thr_' || substr(id, 6), location_id, id, 'desk', 'page', 'Which brand is it?', 'user',
				'usr_gone', 'Robin', owner_email, created_at + seq % 48 * 3600000000
			FROM items WHERE account_id = $1 AND source = 'request' AND claim_state = 'PENDING' AND seq % 2 = 0`,
			[]any{f.account}},
	}
}
