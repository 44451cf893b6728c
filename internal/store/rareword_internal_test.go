package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
)

// addTexts adds a location of a new account, with an item for each description.
func addTexts(t *testing.T, db *DB, texts []string) lost.Location {
	t.Helper()
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	account, err := lost.NewAccount("Hotel", db.clock())
	if err != nil {
		t.Fatal(err)
	}
	l, err := lost.NewLocation(account.ID, lost.LocationPatch{Name: lost.Set("Hotel")}, db.clock())
	if err != nil {
		t.Fatal(err)
	}
	l.Permalink = strings.ToLower(l.ID)
	err = db.Write(t.Context(), func(tx *Tx) error {
		if err := tx.InsertAccount(account); err != nil {
			return err
		}
		if err := tx.InsertLocation(l); err != nil {
			return err
		}
		for n, text := range texts {
			i, err := lost.NewItem(account.ID, l.ID, lost.ItemPatch{Description: lost.Set(text)}, tx.Now())
			if err != nil {
				return err
			}
			i.Reference = fmt.Sprintf("%04d", n)
			if err := tx.InsertItem(i); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A sample of trigrams decides how to search, but not what is found.
func TestASearchFindsTheSameWhateverTheSampleSays(t *testing.T) {
	var texts []string
	for n := range 30 {
		text := fmt.Sprintf("Item of leather %d, 100%% cotton_bag", n)
		if n%10 == 0 {
			text += " with a theodolite"
		}
		if n%7 == 0 {
			text += ", the doll has a kite, zepp gazeta" // some trigrams of other words
		}
		if n%20 == 0 {
			text += `, "e-reader" and c:\crème`
		}
		texts = append(texts, text)
	}
	terms := []string{
		"theodolite", "leather", "leather theodolite", "odo", "THÉODOLITE", "e-reader", "reader crème", `c:\cre`,
		"100%", "n_bag", "nxbag", "zeppelin", "leather zeppelin", "of",
	}
	all := &trigramSample{}
	for n := range all.common {
		all.common[n] = ^uint64(0)
	}
	each(t, func(t *testing.T, setting string) {
		db := open(t, setting)
		l := addTexts(t, db, texts)
		other := addTexts(t, db, texts)
		for name, sample := range map[string]*trigramSample{"none is common": {}, "all are common": all} {
			sample.until = time.Now().Add(time.Hour)
			db.estimates.samples.set(l.Account, l.ID, sample)
			db.estimates.samples.set(other.Account, l.ID, sample)
			for _, term := range terms {
				f := lost.ItemFilter{Term: term, Page: lost.FirstPage()}
				list, err := db.Items(t.Context(), other.Account, l.ID, f)
				if err != nil || len(list.Data) > 0 || list.Count > 0 {
					t.Errorf("%s, %s: another account finds %d items, %v", name, term, list.Count, err)
				}
				checkTerm(t, db, l, name+", "+term, texts, lost.ItemFilter{Term: term})
				checkTerm(t, db, l, name+", bounded, "+term, texts, lost.ItemFilter{Term: term, Bounded: true})
			}
		}
	})
}

// checkTerm checks every page of a search, and one that is after the last.
func checkTerm(t *testing.T, db *DB, l lost.Location, name string, texts []string, f lost.ItemFilter) {
	t.Helper()
	var want []string
	for _, text := range slices.Backward(texts) {
		lacks := func(word string) bool { return !strings.Contains(Fold(text), word) }
		if !slices.ContainsFunc(Words(f.Term), lacks) {
			want = append(want, text)
		}
	}
	const limit = 7
	for number := 1; number <= len(want)/limit+2; number++ {
		f.Page = lost.Page{Number: number, Limit: limit}
		list, err := db.Items(t.Context(), l.Account, l.ID, f)
		if err != nil {
			t.Fatal(name, err)
		}
		got := []string{}
		for _, i := range list.Data {
			got = append(got, i.Description)
		}
		page := want[min(len(want), (number-1)*limit):min(len(want), number*limit)]
		if !slices.Equal(got, page) || list.Total != lost.TotalTo(len(want), lost.MaxBoundedTotal) {
			t.Errorf("%s, page %d: got %q of %+v, want %q of %d", name, number, got, list.Total, page, len(want))
		}
	}
}

// recordingHandle records statements.
type recordingHandle struct {
	handle
	statements []string
	args       []any   // of the last one
	all        [][]any // the arguments of each
}

func (h *recordingHandle) Query(ctx context.Context, sql string, args ...any) (rows, error) {
	h.statements, h.args, h.all = append(h.statements, sql), args, append(h.all, args)
	return h.handle.Query(ctx, sql, args...)
}

func (h *recordingHandle) QueryPlanned(ctx context.Context, sql string, args ...any) (rows, error) {
	h.statements, h.args, h.all = append(h.statements, sql), args, append(h.all, args)
	return h.handle.QueryPlanned(ctx, sql, args...)
}

// manyItems copies all items many times. For few items, the planner does not use an index.
const manyItems = `INSERT INTO items (account_id, id, location_id, reference, source, status, description, search,
	created_at, updated_at) SELECT account_id, id || n, location_id, reference || n, source, status, description,
	'weather', created_at, updated_at FROM items CROSS JOIN generate_series(1, 4) AS n;
	ANALYZE items; SELECT gin_clean_pending_list('items_search')`

// PostgreSQL searches for a rare word with one statement, which looks up a few rare trigrams instead of all of them.
func TestPostgreSQLSearchesForRareTrigrams(t *testing.T) {
	each(t, func(t *testing.T, setting string) {
		if !IsPostgres(setting) {
			t.Skip("SQLite has other estimates: see TestASearchUsesTheRarestTrigrams")
		}
		db := open(t, setting)
		texts := slices.Repeat([]string{"The other weather, in a suite"}, 2*sampledItems)
		texts[7] += " with a theodolite"
		l := addTexts(t, db, texts)
		for word, want := range map[string][]string{
			"theodolite": {"heo", "dol", "lit"}, // all except "the" and "ite"
			"weatherman": {"erm", "rma", "man"},
			"weather":    nil,
			"e-reader":   {"rea", "ade", "der"},
			"ελπίδα":     nil, // not in the sample
		} {
			got, err := db.rareTrigrams(t.Context(), l.Account, l.ID, Words(word))
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: got %q, %v, want %q", word, got, err, want)
			}
		}
		h := &recordingHandle{handle: db.h}
		r := db.reader
		r.h = h
		for _, bounded := range []bool{false, true} {
			h.statements = nil
			list, err := r.Items(t.Context(), l.Account, l.ID,
				lost.ItemFilter{Term: "theodolite", Bounded: bounded, Page: lost.FirstPage()})
			if err != nil || list.Count != 1 || len(h.statements) != 1 {
				t.Fatalf("%d items, %v, with %d statements, want 1", list.Count, err, len(h.statements))
			}
		}
		var plan []string
		err := db.Write(t.Context(), func(tx *Tx) error {
			if err := tx.h.Script(tx.ctx, manyItems); err != nil {
				return err
			}
			rs, err := tx.h.Query(tx.ctx, "EXPLAIN "+h.statements[0], h.args...)
			plan, err = collect(rs, err, scanText)
			return err
		})
		usesIndex := func(line string) bool { return strings.Contains(line, "Bitmap Index Scan on items_search") }
		if err != nil || !slices.ContainsFunc(plan, usesIndex) {
			t.Errorf("the text index is not used: %v\n%s", err, strings.Join(plan, "\n"))
		}
	})
}

// A sample of few items is soon replaced, because the location may be filling up.
func TestASampleOfFewItemsIsUsedForAShortTime(t *testing.T) {
	now := time.Now()
	for n, want := range map[int]time.Duration{
		0: smallSampleTime, rareShare - 1: smallSampleTime, rareShare: estimateTime,
	} {
		sample := sampleTexts(slices.Repeat([]string{"weather"}, n), now)
		if got := sample.until.Sub(now); got != want {
			t.Errorf("%d items: used for %s, want %s", n, got, want)
		}
	}
	var samples trigramSamples
	samples.set("account", "location", sampleTexts(nil, now.Add(-time.Hour)))
	if samples.get("account", "location") != nil {
		t.Error("an old sample is used")
	}
	for n := range 2 * maxSamples {
		samples.set("account", fmt.Sprint(n), sampleTexts(nil, now.Add(time.Hour)))
	}
	if len(samples.known) > maxSamples {
		t.Errorf("%d samples are in memory, want at most %d", len(samples.known), maxSamples)
	}
}

// PostgreSQL looks up only what all combinations share, and tests the rows for the rest.
func TestCombinationsShareNoPattern(t *testing.T) {
	phrases := func(texts ...string) (g []TextPhrase) {
		for _, text := range texts {
			g = append(g, TextPhrase{Text: text, Trigrams: trigramsOf(text)})
		}
		return g
	}
	q := &query{}
	condition := trigramCondition(q, [][]TextPhrase{phrases("kowalska"), phrases("violin", "viola", "ukulele")})
	seen := map[any]bool{}
	for _, pattern := range q.args {
		if seen[pattern] && strings.HasPrefix(pattern.(string), "%kow") {
			t.Errorf("two combinations have the pattern %v: %s", pattern, condition)
		}
		seen[pattern] = true
	}
	if len(q.args) != 6 {
		t.Errorf("the condition has the patterns %v, want two for each of three combinations", q.args)
	}
}
