package matching

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// embedBatch is the maximum number of texts that the model is asked for at once.
const embedBatch = 16

// embedInBatches asks the model for the vectors of texts.
func embedInBatches(ctx context.Context, e Embedder, texts []string) (vectors [][]float32, err error) {
	for batch := range slices.Chunk(texts, embedBatch) {
		embedded, err := e.Embed(ctx, batch)
		if err != nil {
			return nil, err
		}
		if len(embedded) != len(batch) {
			return nil, fmt.Errorf("the model returned %d vectors for %d texts", len(embedded), len(batch))
		}
		vectors = append(vectors, embedded...)
	}
	// The answers to two requests may be from different models, for example while a server replaces one.
	if slices.ContainsFunc(vectors, func(v []float32) bool { return len(v) != len(vectors[0]) }) {
		return nil, errors.New("the model returned vectors of different lengths")
	}
	return vectors, nil
}

// Embed computes a batch of the missing vectors of an account, and reports whether more remain. Without a model,
// it does nothing. It is idempotent.
//
// First come the items that were added or changed: they are matched again with their vectors. Then come all others, in
// order, after embeddings were switched on or the model was replaced.
func (c *Matcher) Embed(ctx context.Context, account string) (more bool, err error) {
	m := c.meanings
	if m.off() {
		return false, nil
	}
	if err := m.measure.calibrate(ctx, m.embedder); err != nil {
		return false, err
	}
	due, err := c.db.DueEmbeddings(ctx, account, embedBatch)
	if err != nil {
		return false, err
	}
	if len(due) > 0 {
		defer c.wakeMatching()
		return true, m.embedDue(ctx, account, due)
	}
	run, err := c.db.EmbeddingRun(ctx, account, m.version)
	if err != nil || run.Done {
		return false, err
	}
	return m.embedNext(ctx, run)
}

// EmbedOutdated adds jobs for at most limit accounts that have vectors to compute, for example because embeddings were
// switched on or the model was replaced. It returns the number of these accounts.
func (c *Matcher) EmbedOutdated(ctx context.Context, limit int) (int, error) {
	if c.meanings.off() {
		return 0, nil
	}
	accounts, err := c.db.AccountsToEmbed(ctx, c.meanings.version, limit)
	if err != nil || len(accounts) == 0 {
		return 0, err
	}
	return len(accounts), c.db.Write(ctx, func(tx *store.Tx) error {
		for _, account := range accounts {
			if err := tx.AddEmbedJob(account); err != nil {
				return err
			}
		}
		return nil
	})
}

// embedDue computes the vectors of texts of items that were added or changed, and adds jobs that match the items again.
func (m *meanings) embedDue(ctx context.Context, account string, due []store.Embedding) error {
	ids := make([]string, len(due))
	for n, e := range due {
		ids[n] = e.ItemID
	}
	texts, _, err := m.readItems(ctx, account, slices.Compact(ids))
	if err != nil {
		return err
	}
	// A row whose text is gone is deleted. The texts of an item that changes meanwhile become due again.
	wanted := slices.DeleteFunc(texts, func(t itemText) bool { return rowOf(due, t) < 0 })
	vectors, err := m.embed(ctx, wanted)
	if err != nil {
		return err
	}
	return m.db.Write(ctx, func(tx *store.Tx) error {
		for _, e := range due {
			if !slices.ContainsFunc(wanted, func(t itemText) bool { return t.item == e.ItemID && t.part == e.Part }) {
				if err := tx.DeleteEmbedding(account, e); err != nil {
					return err
				}
			}
		}
		var changed []string
		for n, t := range wanted {
			replaced, err := tx.ReplaceEmbedding(account, due[rowOf(due, t)], m.row(t, vectors[n]))
			if err != nil {
				return err
			}
			if replaced {
				changed = append(changed, t.item)
			}
		}
		return tx.AddMatchJobs(account, changed, tx.Now())
	})
}

// rowOf returns the position of the stored row of a text, or -1.
func rowOf(rows []store.Embedding, t itemText) int {
	return slices.IndexFunc(rows, func(e store.Embedding) bool { return e.ItemID == t.item && e.Part == t.part })
}

func (m *meanings) row(t itemText, vector string) store.Embedding {
	return store.Embedding{ItemID: t.item, Part: t.part, Hash: t.hash, Version: m.version, Vector: vector}
}

// embedNext computes the vectors of the next items of a run, as far as they are missing. After the last item, all
// locations of the account are matched again.
func (m *meanings) embedNext(ctx context.Context, run store.EmbeddingRun) (more bool, err error) {
	ids, err := m.db.IndexedItems(ctx, run.Account, run.Position, embedBatch)
	if err != nil {
		return false, err
	}
	if len(ids) == 0 {
		run.Done = true
		return false, m.db.Write(ctx, func(tx *store.Tx) error {
			if err := tx.SaveEmbeddingRun(run); err != nil || run.Position == "" {
				return err
			}
			return tx.OutdateMatchRules(run.Account)
		})
	}
	texts, stored, err := m.readItems(ctx, run.Account, ids)
	if err != nil {
		return false, err
	}
	wanted := slices.DeleteFunc(texts, func(t itemText) bool {
		n := rowOf(stored, t)
		return n >= 0 && stored[n].Hash == t.hash && stored[n].Version == m.version && stored[n].Vector != ""
	})
	vectors, err := m.embed(ctx, wanted)
	if err != nil {
		return false, err
	}
	run.Position = ids[len(ids)-1]
	return true, m.db.Write(ctx, func(tx *store.Tx) error {
		for n, t := range wanted {
			if err := m.saveIfIndexed(tx, run.Account, t, vectors[n]); err != nil {
				return err
			}
		}
		return tx.SaveEmbeddingRun(run)
	})
}

// saveIfIndexed saves a vector, unless the item has left the index or has changed: then it has, or will get, another
// one.
func (m *meanings) saveIfIndexed(tx *store.Tx, account string, t itemText, vector string) error {
	i, err := tx.LockAccountItem(account, t.item)
	if err != nil {
		return lost.IgnoreNotFound(err)
	}
	texts, _, err := readTexts(tx.Context(), tx, i)
	if err != nil || !slices.Contains(texts, t) {
		return err
	}
	return tx.SaveEmbedding(account, m.row(t, vector))
}

// readItems returns the texts of items, and their stored vectors.
func (m *meanings) readItems(ctx context.Context, account string, ids []string) (texts []itemText,
	stored []store.Embedding, err error) {
	items, err := m.db.ItemsAnywhere(ctx, account, ids)
	if err != nil {
		return nil, nil, err
	}
	slices.SortFunc(items, func(a, b lost.Item) int { return slices.Index(ids, a.ID) - slices.Index(ids, b.ID) })
	for _, i := range items {
		own, rows, err := readTexts(ctx, m.db, i)
		if err != nil {
			return nil, nil, err
		}
		texts, stored = append(texts, own...), append(stored, rows...)
	}
	return texts, stored, nil
}

// embed returns the vectors of texts in their stored form. If the model refuses several texts together, it is asked for
// each of them, and one that it refuses alone has no vector.
func (m *meanings) embed(ctx context.Context, texts []itemText) ([]string, error) {
	words := make([]string, len(texts))
	for n, t := range texts {
		words[n] = t.text
	}
	vectors, err := embedInBatches(ctx, m.embedder, words)
	if err != nil && !isRefusal(err) {
		return nil, err
	}
	if err != nil {
		if vectors, err = m.embedEach(ctx, words); err != nil {
			return nil, err
		}
	}
	stored := make([]string, len(texts))
	for n, v := range vectors {
		stored[n] = store.NoVector
		if own, ok := m.measure.vector(v); ok {
			stored[n] = own.String()
		}
	}
	return stored, nil
}

// embedEach asks for one text after the other. A text that the model refuses has no vector, if the model still accepts
// others.
func (m *meanings) embedEach(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for n := range texts {
		embedded, err := embedInBatches(ctx, m.embedder, texts[n:n+1])
		switch {
		case err == nil:
			vectors[n] = embedded[0]
		case !isRefusal(err):
			return nil, err
		default:
			if _, err := m.embedder.Embed(ctx, referenceTexts()[:1]); err != nil {
				return nil, err
			}
		}
	}
	return vectors, nil
}

// isRefusal reports whether asking the model again for the same text would not help.
func isRefusal(err error) bool {
	failure, ok := errors.AsType[interface {
		error
		Temporary() bool
	}](err)
	return ok && !failure.Temporary()
}
