package matching_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/photo"
	"homeward/internal/matching"
	"homeward/internal/openai"
	"homeward/internal/openai/openaitest"
	"homeward/internal/store"
	"homeward/internal/testkit"
)

// The two describe the same thing, with one word in common.
const (
	requestWords = "Brolly, crimson, parrot grip"
	foundWords   = "Red brolly whose grip is a macaw"
	// otherWords describes another thing of the same kind.
	otherWords = "Brolly left behind near our museum entrance yesterday, dented metal tip, long black cord"
)

// meaningServer returns a server that knows that the words of requestWords and foundWords mean the same.
func meaningServer(t *testing.T) *openaitest.Server {
	s := openaitest.New(t)
	s.Relate("red", "crimson")
	s.Relate("parrot", "macaw")
	s.Relate("is", "whose", "a", "an", "the", "with", "of", "and")
	return s
}

// useModel restarts the services with a model for embeddings.
func (b *fixture) useModel(s *openaitest.Server) {
	b.Helper()
	b.useModelWithin(s, 10*time.Second)
}

// useModelWithin is useModel with a timeout.
func (b *fixture) useModelWithin(s *openaitest.Server, timeout time.Duration) {
	b.Helper()
	b.embedder = testkit.Must(openai.New(openai.Options{
		URL: s.URL, Model: openaitest.EmbeddingModel, Key: openaitest.Key, Timeout: timeout,
	}))
	b.restart()
}

// withoutModel restarts the services without a model.
func (b *fixture) withoutModel() {
	b.embedder = nil
	b.restart()
}

// settle runs the upkeep and all jobs, also those that wait after a failure.
func (b *fixture) settle() {
	b.Helper()
	for range 3 {
		b.out.RunUpkeepOnce(b.Context())
		b.work()
		b.clock.Advance(time.Hour)
	}
}

// meaning reports whether the first match of an item has the reason that the meanings are similar, and its score.
func (b *fixture) meaning(i lost.Item) (reason bool, score int) {
	b.Helper()
	matches := b.matches(i)
	if len(matches) == 0 {
		return false, 0
	}
	return slices.ContainsFunc(matches[0].Reasons, func(r lost.Reason) bool { return r.Code == "similar-meaning" }),
		matches[0].Score
}

// vectors returns the stored vectors of items.
func (b *fixture) vectors(items ...lost.Item) (known []store.Embedding) {
	b.Helper()
	for _, i := range items {
		known = append(known, testkit.Must(b.db.EmbeddingsOf(b.Context(), i.Account, []string{i.ID}))...)
	}
	return slices.DeleteFunc(known, func(e store.Embedding) bool {
		return e.Vector == "" || e.Vector == store.NoVector
	})
}

func TestSimilarMeaningsRaiseAMatch(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		found, request := b.find(b.hotel, foundWords), b.miss(b.hotel, requestWords)
		b.settle()
		_, before := b.meaning(request)
		s := meaningServer(b.T)
		b.useModel(s) // the items exist already
		b.settle()
		reason, after := b.meaning(request)
		if !reason || after <= before {
			b.Errorf("the score is %d after %d, with the reason: %t", after, before, reason)
		}
		if reason, of := b.meaning(found); !reason || of != after {
			b.Errorf("the found item has the score %d, want %d, with the reason: %t", of, after, reason)
		}
		if len(b.vectors(found, request)) != 2 {
			b.Errorf("%d vectors are stored", len(b.vectors(found, request)))
		}
		calls := s.Calls()
		b.settle()
		if s.Calls() != calls {
			b.Errorf("%d further requests although nothing has changed", s.Calls()-calls)
		}
		b.useModel(s) // a restart changes nothing
		if reason, again := b.meaning(request); !reason || again != after {
			b.Errorf("after a restart: %d, want %d", again, after)
		}
		b.withoutModel()
		b.settle()
		if reason, now := b.meaning(request); reason || now != before {
			b.Errorf("without the model: %d, want %d", now, before)
		}
	})
}

func TestNewAndChangedItemsAreEmbedded(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		s := meaningServer(b.T)
		b.useModel(s)
		found, request := b.find(b.hotel, foundWords), b.miss(b.hotel, requestWords)
		b.work()
		b.clock.Advance(time.Minute)
		b.work()
		if reason, _ := b.meaning(request); !reason {
			b.Error("similar meanings are no reason")
		}
		former := b.vectors(found)
		testkit.Must(b.desk.Items.Update(b.Context(), b.by, found.LocationID, found.ID, lost.ItemPatch{
			Description: lost.Set(otherWords),
		}))
		if now := b.vectors(found); len(now) != 1 { // the former one, until the item is matched
			b.Errorf("%d vectors", len(now))
		}
		b.settle()
		now := b.vectors(found)
		if len(now) != 1 || now[0].Vector == former[0].Vector || now[0].Hash == former[0].Hash {
			b.Errorf("the vector is the same as before: %+v", now)
		}
		if reason, _ := b.meaning(request); reason {
			b.Error("another description has a similar meaning")
		}
	})
}

func TestDescriptionsOfPhotosCountWhileTheyAreSuggested(t *testing.T) {
	type deletion func(tx *store.Tx, i lost.Item) error
	ways := map[string]deletion{
		"of an item": func(tx *store.Tx, i lost.Item) error { return tx.DeletePhotoSuggestions(i) },
		"of a photo": func(tx *store.Tx, i lost.Item) error { return tx.DeletePhotoSuggestions(i, "img_1") },
		"of a location": func(tx *store.Tx, i lost.Item) error {
			_, err := tx.PruneSuggestionsOf(i.Account, i.LocationID, 10)
			return err
		},
		"of what becomes an identity paper": func(tx *store.Tx, i lost.Item) error {
			changed := i
			changed.Notes, changed.Images = "with a passport", []lost.Image{{File: "a.jpg"}}
			return tx.SaveItem(i, changed)
		},
	}
	eachFixture(t, func(b *fixture) {
		b.useModel(meaningServer(b.T))
		found, request := b.find(b.hotel, "Brolly left near our museum"), b.miss(b.hotel, requestWords)
		b.settle()
		_, before := b.meaning(request)
		suggest := func() {
			testkit.Must(0, b.db.Write(b.Context(), func(tx *store.Tx) error {
				err := tx.SavePhotoSuggestion(photo.Suggestion{
					Account: found.Account, LocationID: found.LocationID, ItemID: found.ID, ImageID: "img_1",
					At: tx.Now(), Facts: photo.Facts{Description: foundWords},
				})
				if err != nil {
					return err
				}
				return tx.AddMatchJobs(found.Account, []string{found.ID}, tx.Now())
			}))
			b.settle()
		}
		for _, name := range []string{
			"of an item", "of a photo", "of a location", "of what becomes an identity paper",
		} {
			suggest()
			if reason, after := b.meaning(request); !reason || after <= before || len(b.vectors(found)) != 2 {
				b.Errorf("the score is %d after %d; %d vectors", after, before, len(b.vectors(found)))
			}
			testkit.Must(0, b.db.Write(b.Context(), func(tx *store.Tx) error { return ways[name](tx, found) }))
			if n := len(b.vectors(found)); n != 1 {
				b.Errorf("%d vectors after the deletion %s", n, name)
			}
			b.settle()
			if _, now := b.meaning(request); now > before {
				b.Errorf("the score is %d after the deletion %s, want at most %d", now, name, before)
			}
		}
	})
}

func TestVectorsOfPhotosAreDeletedWithoutTheModelToo(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		b.useModel(meaningServer(b.T))
		found := b.find(b.hotel, foundWords)
		testkit.Must(0, b.db.Write(b.Context(), func(tx *store.Tx) error {
			return tx.SavePhotoSuggestion(photo.Suggestion{
				Account: found.Account, LocationID: found.LocationID, ItemID: found.ID, ImageID: "img_1",
				At: tx.Now(), Facts: photo.Facts{Description: foundWords},
			})
		}))
		b.settle()
		b.withoutModel()
		testkit.Must(0, b.db.Write(b.Context(), func(tx *store.Tx) error { return tx.DeletePhotoSuggestions(found) }))
		if n := len(b.vectors(found)); n != 1 {
			b.Errorf("%d vectors are stored", n)
		}
	})
}

func TestVectorsEndWithTheirItem(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		b.useModel(meaningServer(b.T))
		deleted, claimed := b.find(b.hotel, "Red scarf"), b.find(b.hotel, "Blue scarf")
		paper, erased := b.find(b.hotel, "Grey scarf"), b.miss(b.hotel, "A scarf")
		b.settle()
		if n := len(b.vectors(deleted, claimed, erased, paper)); n != 4 {
			b.Fatalf("%d vectors, want 4", n)
		}
		testkit.Must(0, b.desk.Items.Delete(b.Context(), b.by, deleted.LocationID, deleted.ID))
		update := func(i lost.Item, p lost.ItemPatch) {
			testkit.Must(b.desk.Items.Update(b.Context(), b.by, i.LocationID, i.ID, p))
		}
		update(claimed, lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("owner@example.com")})})
		update(paper, lost.ItemPatch{Notes: lost.Set("with an identity card")})
		testkit.Must(b.desk.People.EraseNow(b.Context(), b.by, lost.PersonPatch{Email: lost.Set("anna@example.com")}))
		b.settle()
		for name, i := range map[string]lost.Item{
			"a deleted item": deleted, "an item with an owner": claimed, "an erased request": erased,
			"an item with an identity card": paper,
		} {
			if n := len(b.vectors(i)); n != 0 {
				b.Errorf("%s has %d vectors", name, n)
			}
		}
	})
}

func TestAnotherModelReplacesAllVectors(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		s := meaningServer(b.T)
		b.useModel(s)
		var items []lost.Item
		for range 40 {
			items = append(items, b.find(b.hotel, foundWords))
		}
		request := b.miss(b.hotel, requestWords)
		b.settle()
		if n := len(b.vectors(items...)); n != 40 {
			b.Fatalf("%d vectors", n)
		}
		b.embedder = otherModel{b.embedder}
		b.restart()
		if reason, _ := b.meaning(request); reason {
			b.Error("vectors of another model were compared")
		}
		b.settle()
		for _, e := range b.vectors(append(items, request)...) {
			if !strings.HasPrefix(e.Version, "another") {
				b.Fatalf("the version is %s", e.Version)
			}
		}
		if reason, _ := b.meaning(request); !reason {
			b.Error("the vectors of the new model are not compared")
		}
		b.maxBatch(s)
	})
}

// maxBatch checks that no request had many texts.
func (b *fixture) maxBatch(s *openaitest.Server) {
	b.Helper()
	if texts, calls := len(s.Texts()), s.Calls(); texts > 16*calls {
		b.Errorf("%d texts in %d requests", texts, calls)
	}
}

// otherModel is the same model with another name.
type otherModel struct{ matching.Embedder }

func (otherModel) Model() string { return "another" }

func TestNothingPrivateIsSentToTheModel(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		s := meaningServer(b.T)
		b.useModel(s)
		b.find(b.hotel, "Passport of Cordelia")
		b.find(b.hotel, "Wallet with the driving licence of Cordelia")
		testkit.Must(b.desk.Items.Create(b.Context(), b.by, b.hotel, lost.ItemPatch{
			Description: lost.Set("Red scarf, ask anna@example.com or +49 30 1234567"), Brand: lost.Set("Acme"),
			Notes: lost.Set("belongs to Cordelia"), SerialNumber: lost.Set("SN-Cordelia"),
		}, lost.IdempotencyKey{}))
		testkit.Must(b.desk.Requests.File(b.Context(), b.by, b.hotel, lost.RequestPatch{
			Description: lost.Set("A red scarf"), Proof: lost.Set("Cordelia is sewn into it"),
			Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("cordelia@example.com"), FirstName: lost.Set("Cordelia")}),
		}, lost.IdempotencyKey{}))
		b.settle()
		sent := strings.Join(s.Texts(), "\n")
		if !strings.Contains(sent, "Red scarf, ask") || !strings.Contains(sent, "A red scarf") {
			t.Fatalf("the texts were not sent: %s", sent)
		}
		for _, private := range []string{"ordelia", "anna@", "1234567"} {
			if strings.Contains(sent, private) {
				t.Errorf("the model got %q: %s", private, sent)
			}
		}
	})
}

// A model that is down, slow or confused changes nothing but the vectors.
func TestMatchingWorksWhateverTheModelDoes(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		s := meaningServer(b.T)
		things := []string{
			"Violin", "Telescope", "Skateboard", "Accordion", "Green kite", "Toaster", "Anorak", "Chessboard", "Tent",
		}
		check := func(name string) {
			found, request := b.find(b.hotel2, things[0]), b.miss(b.hotel2, things[0])
			things = things[1:]
			b.settle()
			if matches := b.matches(request); len(matches) == 0 || matches[0].Other.ID != found.ID {
				b.Errorf("%s: the matches are %+v", name, matches)
			}
			if len(b.vectors(found, request)) != 0 {
				b.Errorf("%s: vectors are stored", name)
			}
		}
		for name, f := range map[string]*openaitest.Failure{
			"an error": {Status: http.StatusInternalServerError}, "a cut connection": {Cut: true},
			"a wrong key": {Status: http.StatusUnauthorized}, "garbage": {Body: "{}"}, "refusal": {Status: 400},
			"an endless answer":  {Endless: true},
			"the same vectors":   {Body: `{"data":[]}`},
			"an unusable vector": {Body: openaitest.VectorWith("1", "2")},
		} {
			s.Fail(f)
			b.useModel(s) // it has to be calibrated first
			check(name)
		}
		s.Fail(nil)
		s.Hold()
		calls := s.Calls()
		b.useModelWithin(s, 50*time.Millisecond)
		check("no answer")
		if s.Calls() == calls {
			b.Error("the model that does not answer was not asked")
		}
		s.Release()
		b.useModel(s)
		b.clock.Advance(2 * time.Hour)
		b.settle()
		for _, i := range testkit.Must(b.db.Items(b.Context(), b.by.Account, b.hotel2, lost.ItemFilter{
			Page: lost.FirstPage(),
		})).Data {
			if len(b.vectors(i)) != 1 {
				b.Errorf("%q has no vector after the model has recovered", i.Description)
			}
		}
	})
}

// One text that the model refuses does not keep the others from having a vector.
func TestATextThatTheModelRefusesHasNoVector(t *testing.T) {
	eachFixture(t, func(b *fixture) {
		s := meaningServer(b.T)
		s.Refuse(func(body string) bool { return strings.Contains(body, "forbidden") })
		b.useModel(s)
		bad, good := b.find(b.hotel, "A forbidden umbrella"), b.find(b.hotel, "A good umbrella")
		b.settle()
		if len(b.vectors(bad)) != 0 || len(b.vectors(good)) != 1 {
			b.Errorf("%d and %d vectors", len(b.vectors(bad)), len(b.vectors(good)))
		}
		calls := s.Calls()
		b.settle()
		if s.Calls() != calls {
			b.Errorf("the text is tried again and again")
		}
	})
}
