package store

import (
	"context"

	"homeward/internal/lost"
)

const categoryRunColumns = `account_id, id, state, position, total, checked, changed, undone, actor_kind, actor_id,
		actor_name, created_at, ended_at`

func scanCategoryRun(rs rows) (r lost.CategoryRun, err error) {
	var state, kind string
	var created, ended int64
	err = rs.Scan(&r.Account, &r.ID, &state, &r.Position, &r.Total, &r.Checked, &r.Changed, &r.Undone, &kind, &r.By.ID,
		&r.By.Name, &created, &ended)
	r.State, r.By.Kind, r.By.Account = lost.CategoryRunState(state), lost.ActorKind(kind), r.Account
	r.CreatedAt, r.EndedAt = fromMicros(created), fromMicros(ended)
	return r, err
}

// LastCategoryRun returns an account's last run that suggests categories, and whether there is one.
func (r reader) LastCategoryRun(ctx context.Context, account string) (lost.CategoryRun, bool, error) {
	rs, err := r.h.Query(ctx,
		"SELECT "+categoryRunColumns+" FROM category_runs WHERE account_id = $1 ORDER BY id DESC LIMIT 1", account)
	return firstRow(rs, err, scanCategoryRun)
}

// LockCategoryRun returns a run and locks it until the transaction ends.
func (tx *Tx) LockCategoryRun(account, id string) (lost.CategoryRun, error) {
	rs, err := tx.h.Query(tx.ctx, "SELECT "+categoryRunColumns+
		" FROM category_runs AS r WHERE account_id = $1 AND id = $2"+tx.d.lock("r"), account, id)
	return requireRow("run", rs, err, scanCategoryRun)
}

// InsertCategoryRun adds a run and deletes the earlier ones, which can no longer be undone. It returns false if another
// run is active.
func (tx *Tx) InsertCategoryRun(r lost.CategoryRun) (added bool, err error) {
	n, err := tx.exec("INSERT INTO category_runs ("+categoryRunColumns+
		") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) "+
		"ON CONFLICT (account_id) WHERE state IN ('running', 'undoing') DO NOTHING",
		r.Account, r.ID, string(r.State), r.Position, r.Total, r.Checked, r.Changed, r.Undone, string(r.By.Kind),
		r.By.ID, r.By.Name, micros(r.CreatedAt), micros(r.EndedAt))
	if err != nil || n == 0 {
		return false, err
	}
	if err := tx.queue("DELETE FROM category_run_items WHERE account_id = $1 AND run_id < $2", r.Account,
		r.ID); err != nil {
		return false, err
	}
	return true, tx.queue("DELETE FROM category_runs WHERE account_id = $1 AND id < $2", r.Account, r.ID)
}

// SaveCategoryRun saves the progress of a run.
func (tx *Tx) SaveCategoryRun(r lost.CategoryRun) error {
	return tx.queue(`UPDATE category_runs SET state = $3, position = $4, checked = $5, changed = $6, undone = $7,
		ended_at = $8 WHERE account_id = $1 AND id = $2`,
		r.Account, r.ID, string(r.State), r.Position, r.Checked, r.Changed, r.Undone, micros(r.EndedAt))
}

// AddCategoryJob adds a job that continues a run.
func (tx *Tx) AddCategoryJob(r lost.CategoryRun) error {
	return tx.AddJob(r.Account, JobSuggestCategories, r.ID, tx.now)
}

// CountWithoutCategory counts an account's items that have no category, up to a limit.
func (r reader) CountWithoutCategory(ctx context.Context, account string, limit int) (int, error) {
	rs, err := r.h.Query(ctx, "SELECT count(*) FROM (SELECT 1 FROM items i"+joinLocation+
		" WHERE i.account_id = $1 AND i.category = '' AND l.deleted_at = 0"+limitClause(limit)+") AS bounded", account)
	n, _, err := firstValue[int](rs, err)
	return n, err
}

// ItemsAfter returns a batch of an account's items with ids above after, in the order of their ids. The items do not
// wait for anybody: they are not locked.
func (r reader) ItemsAfter(ctx context.Context, account, after string, limit int) ([]lost.Item, error) {
	rs, err := r.h.QueryPlanned(ctx, "SELECT "+itemColumns+" FROM items i"+joinLocation+
		" WHERE i.account_id = $1 AND i.id > $2 ORDER BY i.id"+limitClause(limit), account, after)
	return collect(rs, err, r.scanItem)
}

// SuggestCategory sets the category of an item that has none, unless the item has changed since it was read. It
// returns false if it has. Programs that follow changes see it, but it has no event. An item with a serial number
// cannot become an identity paper, whose number must be masked.
func (tx *Tx) SuggestCategory(run string, i lost.Item, c lost.Category) (bool, error) {
	condition := " AND updated_at = $5"
	if c.IsIdentity() {
		condition += " AND serial_number = ''"
	}
	set, err := tx.setCategory(i.Account, i.ID, "", c, condition, micros(i.UpdatedAt))
	if err == nil && set && c.IsIdentity() {
		err = tx.maskStoredNumbers(i)
	}
	if err != nil || !set {
		return false, err
	}
	return true, tx.queue(`INSERT INTO category_run_items (account_id, run_id, item_id, category)
		VALUES ($1, $2, $3, $4) ON CONFLICT (account_id, run_id, item_id) DO NOTHING`, i.Account, run, i.ID, string(c))
}

// setCategory replaces the category of an item, if it still has the old one.
func (tx *Tx) setCategory(account, item string, from, to lost.Category, condition string, args ...any) (bool, error) {
	if err := tx.numberChange(account); err != nil {
		return false, err
	}
	now := param(5 + len(args))
	touched := "CASE WHEN updated_at < CAST(" + now + " AS BIGINT) THEN CAST(" + now +
		" AS BIGINT) ELSE updated_at + 1000 END"
	n, err := tx.exec("UPDATE items SET category = $4, updated_at = "+touched+
		", forgotten_at = CASE WHEN forgotten_at < updated_at THEN forgotten_at ELSE "+touched+
		" END, change = "+tx.d.changes.number+" WHERE account_id = $1 AND id = $2 AND category = $3"+condition,
		append(append([]any{account, item, string(from), string(to)}, args...), micros(tx.now))...)
	if err != nil || n == 0 {
		return false, err
	}
	return true, tx.followCategory(account, item)
}

// followCategory stores again what depends on the category of an item: its search text and the end of its storage. The
// item is checked and matched again.
func (tx *Tx) followCategory(account, item string) error {
	i, err := tx.LockAccountItem(account, item)
	if err != nil {
		return lost.IgnoreNotFound(err) // its location was deleted
	}
	if i.Category.IsIdentity() {
		lost.HideNumbers(&i) // only in the codes of its photos: it has no serial number
		if err := tx.DeletePhotoSuggestions(i); err != nil {
			return err
		}
	}
	err = tx.queue("UPDATE items SET search = $3, store_until = $4, look_at = $5, images = $6 "+
		"WHERE account_id = $1 AND id = $2",
		account, item, itemSearchText(&i), storedUntil(&i), micros(tx.now), writeImages(i.Images))
	if err == nil && i.Matchable() {
		err = tx.addMatchJob(account, item, tx.now)
	}
	return err
}

// SuggestedCategory is a category that a run has set.
type SuggestedCategory struct {
	Item     string
	Category lost.Category
}

// SuggestedCategories lists a batch of the categories that a run has set and that are not undone yet.
func (tx *Tx) SuggestedCategories(r lost.CategoryRun, limit int) ([]SuggestedCategory, error) {
	rs, err := tx.h.Query(tx.ctx, `SELECT item_id, category FROM category_run_items
		WHERE account_id = $1 AND run_id = $2 ORDER BY item_id`+limitClause(limit), r.Account, r.ID)
	return collect(rs, err, func(rs rows) (s SuggestedCategory, err error) {
		var category string
		err = rs.Scan(&s.Item, &category)
		s.Category = lost.Category(category)
		return s, err
	})
}

// UndoCategory removes the category of an item if it is still the one that the run has set.
func (tx *Tx) UndoCategory(r lost.CategoryRun, s SuggestedCategory) (undone bool, err error) {
	if undone, err = tx.setCategory(r.Account, s.Item, s.Category, "", ""); err != nil {
		return false, err
	}
	return undone, tx.queue("DELETE FROM category_run_items WHERE account_id = $1 AND run_id = $2 AND item_id = $3",
		r.Account, r.ID, s.Item)
}
