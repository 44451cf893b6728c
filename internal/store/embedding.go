package store

import (
	"context"
	"slices"

	"homeward/internal/lost"
)

// Embedding is the meaning of one text of an item as a vector.
type Embedding struct {
	ItemID  string
	Part    string // which text
	Hash    string // of the text
	Version string // of the model
	Vector  string // in the form of package match; empty until it is computed, NoVector if there is none
}

// PhotoEmbedding is the part of the description of an item's photo, by the photo assistant.
const PhotoEmbedding = "photo"

// NoVector is the vector of a text for which the model returns none.
const NoVector = "-"

const embeddingColumns = "item_id, part, text_hash, version, vector"

func scanEmbedding(rs rows) (e Embedding, err error) {
	err = rs.Scan(&e.ItemID, &e.Part, &e.Hash, &e.Version, &e.Vector)
	return e, err
}

// EmbeddingsOf returns the stored embeddings of items, in a fixed order.
func (r reader) EmbeddingsOf(ctx context.Context, account string, items []string) ([]Embedding, error) {
	if len(items) == 0 {
		return nil, nil
	}
	const multiple = 50
	q := &query{}
	q.where("account_id = " + q.arg(account))
	whereIn(q, "item_id", padList(items, multiple))
	rs, err := r.h.Query(ctx, "SELECT "+embeddingColumns+" FROM embeddings"+q.clause()+" ORDER BY item_id, part",
		q.args...)
	return collect(rs, err, scanEmbedding)
}

// DueEmbeddings lists embeddings of an account that have to be computed.
func (r reader) DueEmbeddings(ctx context.Context, account string, limit int) ([]Embedding, error) {
	rs, err := r.h.Query(ctx, "SELECT "+embeddingColumns+" FROM embeddings WHERE account_id = $1 AND vector = '' "+
		"ORDER BY item_id, part"+limitClause(limit), account)
	return collect(rs, err, scanEmbedding)
}

// SaveEmbedding saves an embedding.
func (tx *Tx) SaveEmbedding(account string, e Embedding) error {
	return tx.queue("INSERT INTO embeddings (account_id, "+embeddingColumns+") VALUES ($1, $2, $3, $4, $5, $6) "+
		"ON CONFLICT (account_id, item_id, part) DO UPDATE SET text_hash = excluded.text_hash, "+
		"version = excluded.version, vector = excluded.vector", account, e.ItemID, e.Part, e.Hash, e.Version, e.Vector)
}

// ReplaceEmbedding saves an embedding in place of another one, unless that was deleted or changed in the meantime. It
// reports whether it did.
func (tx *Tx) ReplaceEmbedding(account string, before, e Embedding) (bool, error) {
	n, err := tx.exec("UPDATE embeddings SET text_hash = $4, version = $5, vector = $6 WHERE account_id = $1 AND "+
		"item_id = $2 AND part = $3 AND text_hash = $7 AND version = $8", account, e.ItemID, e.Part, e.Hash, e.Version,
		e.Vector, before.Hash, before.Version)
	return n > 0, err
}

// DeleteEmbedding deletes an embedding, unless it was replaced by that of another text or version in the meantime.
func (tx *Tx) DeleteEmbedding(account string, e Embedding) error {
	return tx.queue("DELETE FROM embeddings WHERE account_id = $1 AND item_id = $2 AND part = $3 AND "+
		"text_hash = $4 AND version = $5", account, e.ItemID, e.Part, e.Hash, e.Version)
}

// EmbeddingRun is how far the embeddings of all items of an account have been computed with a version of the model.
type EmbeddingRun struct {
	Account, Version string
	Position         string // id of the last item
	Done             bool
}

// EmbeddingRun returns the run of an account with a version, which may not have begun.
func (r reader) EmbeddingRun(ctx context.Context, account, version string) (EmbeddingRun, error) {
	rs, err := r.h.Query(ctx, "SELECT position, done FROM embedding_runs WHERE account_id = $1 AND version = $2",
		account, version)
	run, _, err := firstRow(rs, err, func(rs rows) (run EmbeddingRun, err error) {
		err = rs.Scan(&run.Position, &run.Done)
		return run, err
	})
	run.Account, run.Version = account, version
	return run, err
}

// SaveEmbeddingRun saves the progress of a run, and forgets that of another version.
func (tx *Tx) SaveEmbeddingRun(run EmbeddingRun) error {
	return tx.queue("INSERT INTO embedding_runs (account_id, version, position, done) VALUES ($1, $2, $3, $4) "+
		"ON CONFLICT (account_id) DO UPDATE SET version = excluded.version, position = excluded.position, "+
		"done = excluded.done", run.Account, run.Version, run.Position, run.Done)
}

// IndexedItems returns the ids of at most limit items in the matching index of an account, sorted, after an id.
func (r reader) IndexedItems(ctx context.Context, account, after string, limit int) ([]string, error) {
	rs, err := r.h.Query(ctx, "SELECT item_id FROM match_subjects WHERE account_id = $1 AND item_id > $2 "+
		"ORDER BY item_id"+limitClause(limit), account, after)
	return collect(rs, err, scanText)
}

// AccountsToEmbed returns at most limit enabled accounts whose run with a version is not done, or that have embeddings
// to compute. It works across all accounts; only background jobs use it.
func (r reader) AccountsToEmbed(ctx context.Context, version string, limit int) ([]string, error) {
	ctx = withScope(ctx, BackgroundScope)
	rs, err := r.h.Query(ctx, "SELECT a.account_id FROM accounts a LEFT JOIN embedding_runs r ON "+
		"r.account_id = a.account_id AND r.version = $1 AND r.done WHERE r.account_id IS NULL AND a.disabled_at = 0 "+
		"ORDER BY a.account_id"+limitClause(limit), version)
	unfinished, err := collect(rs, err, scanText)
	if err != nil {
		return nil, err
	}
	rs, err = r.h.Query(ctx, "SELECT DISTINCT e.account_id FROM embeddings e JOIN accounts a ON a.account_id = "+
		"e.account_id AND a.disabled_at = 0 WHERE e.vector = '' ORDER BY e.account_id"+limitClause(limit))
	due, err := collect(rs, err, scanText)
	all := slices.Compact(slices.Sorted(slices.Values(append(unfinished, due...))))
	return all[:min(len(all), limit)], err
}

// OutdateMatchRules makes all locations of an account due to be matched again, as if their rules had changed.
func (tx *Tx) OutdateMatchRules(account string) error {
	return tx.queue("UPDATE locations SET match_rules = 0 WHERE account_id = $1", account)
}

// AddEmbedJob adds the job that computes the embeddings of an account. An account has at most one. A running job is
// left to its worker, which goes on until nothing is due; a second worker would ask for the same texts. If the worker
// has just seen that nothing is due, the next upkeep adds the job. A job that has failed is not hurried, so that a
// server that is down is not asked for every item.
func (tx *Tx) AddEmbedJob(account string) error {
	return tx.queue(`INSERT INTO jobs (account_id, id, kind, payload, state, attempt, due_at, created_at, trail)
		VALUES ($1, $2, $3, '', 'due', $4, $4, $4, $5) ON CONFLICT (account_id, id) DO NOTHING`,
		account, embedJobID(account), JobEmbed, micros(tx.now), tx.traceParent())
}

// embedJobID returns the id of the job that computes the embeddings of an account.
func embedJobID(account string) string { return lost.JobID + "_embed_" + account }
