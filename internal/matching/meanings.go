package matching

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"homeward/internal/lost"
	"homeward/internal/lost/match"
	"homeward/internal/lost/photo"
	"homeward/internal/store"
)

// Embedder turns texts into vectors of which similar ones mean something similar. It calls another server, so it is
// never called inside a transaction, and never while somebody waits.
type Embedder interface {
	// Embed returns a vector for each text, all of the same length.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Model returns the name of the model. If it is empty, there is none, and Embed is never called.
	Model() string
}

// meanings adds the meanings of texts to matching. Without a model, it does nothing.
type meanings struct {
	db       *store.DB
	embedder Embedder
	version  string // of the stored vectors; empty without a model
	measure  measure
}

// calibrated names the way in which vectors are calibrated. It must change if calibrate or referenceTexts change.
const calibrated = "1"

func newMeanings(db *store.DB, e Embedder) *meanings {
	m := &meanings{db: db, embedder: e}
	if e != nil && e.Model() != "" {
		m.version = e.Model() + " " + calibrated
	}
	return m
}

func (m *meanings) off() bool { return m.version == "" }

// The texts of an item that are embedded.
const (
	descriptionPart = "text"               // the description, and what belongs to it
	photoPart       = store.PhotoEmbedding // what the photo assistant has seen
)

// itemText is a text of an item that is embedded.
type itemText struct{ item, part, text, hash string }

// maxEmbedded is the maximum length of a text, in characters.
const maxEmbedded = 1000

// contact matches e-mail addresses and long numbers, which are not sent to a model.
var contact = regexp.MustCompile(`\S+@\S+|(\pN[\s()/.+_-]*){7,}`)

// textsOf returns the texts of an item that are embedded: none if the item is an identity paper or its words mention
// one, because they may name its holder. The notes of the desk and the proof of a claimant are never sent.
func textsOf(i lost.Item, seen []photo.Suggestion) (texts []itemText) {
	if !i.Matchable() || !photo.Allowed(i) {
		return nil
	}
	add := func(part string, words ...string) {
		words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
		text := strings.TrimSpace(contact.ReplaceAllString(strings.Join(words, ", "), " "))
		if r := []rune(text); len(r) > maxEmbedded {
			text = string(r[:maxEmbedded])
		}
		if text != "" {
			texts = append(texts, itemText{i.ID, part, text, hashOf(text)})
		}
	}
	add(descriptionPart, i.Description, i.Brand, i.Model, i.Color)
	for _, s := range seen {
		if s.Description != "" {
			add(photoPart, s.Description, s.Brand, s.Model, joinColors(s.Colors))
			break
		}
	}
	return texts
}

func joinColors(colors []photo.Color) string {
	names := make([]string, len(colors))
	for n, c := range colors {
		names[n] = string(c)
	}
	return strings.Join(names, " ")
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// request notes, in the transaction that indexes an item, which of its vectors have to be computed, and deletes those
// of texts that it no longer has.
func (m *meanings) request(tx *store.Tx, i lost.Item) error {
	if m.off() {
		return nil
	}
	texts, stored, err := readTexts(tx.Context(), tx, i)
	if err != nil {
		return err
	}
	due := false
	for _, t := range texts {
		n := slices.IndexFunc(stored, func(e store.Embedding) bool { return e.Part == t.part })
		if n >= 0 && stored[n].Hash == t.hash && stored[n].Version == m.version {
			continue
		}
		due = true
		e := store.Embedding{ItemID: i.ID, Part: t.part, Hash: t.hash, Version: m.version}
		if err := tx.SaveEmbedding(i.Account, e); err != nil {
			return err
		}
	}
	for _, e := range stored {
		if !slices.ContainsFunc(texts, func(t itemText) bool { return t.part == e.Part }) {
			if err := tx.DeleteEmbedding(i.Account, e); err != nil {
				return err
			}
		}
	}
	if !due {
		return nil
	}
	return tx.AddEmbedJob(i.Account)
}

// textReader reads what the texts of an item depend on: the database or a transaction.
type textReader interface {
	PhotoSuggestions(ctx context.Context, account, item string) ([]photo.Suggestion, error)
	EmbeddingsOf(ctx context.Context, account string, items []string) ([]store.Embedding, error)
}

// readTexts returns the texts of an item, and its stored vectors.
func readTexts(ctx context.Context, r textReader, i lost.Item) ([]itemText, []store.Embedding, error) {
	seen, err := r.PhotoSuggestions(ctx, i.Account, i.ID)
	if err != nil {
		return nil, nil, err
	}
	stored, err := r.EmbeddingsOf(ctx, i.Account, []string{i.ID})
	return textsOf(i, seen), stored, err
}

// vectorsOf returns the vectors of items, as far as they are known.
func (m *meanings) vectorsOf(ctx context.Context, account string, items []string) (map[string][]match.Vector, error) {
	if m.off() {
		return nil, nil
	}
	stored, err := m.db.EmbeddingsOf(ctx, account, items)
	if err != nil {
		return nil, err
	}
	vectors := map[string][]match.Vector{}
	for _, e := range stored {
		if e.Version != m.version {
			continue
		}
		if v, ok := match.ParseVector(e.Vector); ok {
			vectors[e.ItemID] = append(vectors[e.ItemID], v)
		}
	}
	return vectors, nil
}
