package desk_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/testkit"
)

// addPhoto adds a photo with the given content to an item, and verifies it as the job does. It returns the item.
func (s *overdueFixture) addPhoto(i lost.Item, content string) lost.Item {
	s.T.Helper()
	s.Clock.Advance(time.Millisecond)
	added := testkit.Must(s.Services.Items.UploadImage(s.T.Context(), s.Actor, i.LocationID, i.ID,
		strings.NewReader(content), lost.IdempotencyKey{}))
	s.verify(added, added.ImageFile)
	return testkit.Must(s.Services.Items.Get(s.T.Context(), s.Actor, i.LocationID, i.ID))
}

func (s *overdueFixture) verify(i lost.Item, file string) {
	s.T.Helper()
	s.Clock.Advance(time.Millisecond)
	testkit.Must(0, s.Services.Items.VerifyImage(s.T.Context(), i.Account,
		store.AddedImage{Location: i.LocationID, Item: i.ID, File: file}))
}

func (s *overdueFixture) copiesOf(i lost.Item) (all []string) {
	s.T.Helper()
	for _, c := range testkit.Must(s.Services.Items.PhotoCopies(s.T.Context(), s.Actor, i)) {
		all = append(all, c.Description)
	}
	return all
}

func TestTheJobSavesWhatAPhotoShows(t *testing.T) {
	eachOverdue(t, func(s *overdueFixture) {
		t := s.T
		hat := s.find("Hat")
		uploaded := testkit.Must(s.Services.Items.UploadImage(t.Context(), s.Actor, s.Location.ID, hat.ID,
			strings.NewReader("facts red 12ab34cd56ef7890 code SN-1"), lost.IdempotencyKey{}))
		if uploaded.Images[0].Facts != nil {
			t.Fatalf("before the job, the facts are %+v", uploaded.Images[0].Facts)
		}
		changes := lost.ItemFilter{Page: lost.FirstPage()}
		read := func() lost.List[lost.ItemChange] {
			return testkit.Must(s.DB.ItemChanges(t.Context(), s.Actor.Account, nil, changes, time.Time{}))
		}
		changes.Page.After = read().Next
		history := testkit.Must(s.DB.History(t.Context(), hat.Account, hat.ID, lost.FirstPage())).Count
		for range 2 { // the job may run again after a crash
			s.verify(uploaded, uploaded.ImageFile)
		}
		got := s.now(hat)
		facts := got.Images[0].Facts
		if facts == nil || !slices.Equal(facts.Colors, []lost.Color{lost.Red}) || facts.Hash != 0x12ab34cd56ef7890 ||
			!slices.Equal(facts.Codes, []lost.PhotoCode{{Format: lost.Code128, Text: "SN-1"}}) {
			t.Errorf("the facts are %+v", facts)
		}
		if !got.UpdatedAt.Equal(uploaded.UpdatedAt) || got.Color != "" || got.SerialNumber != "" {
			t.Errorf("the job has changed the item: %+v", got)
		}
		if now := testkit.Must(s.DB.History(t.Context(), hat.Account, hat.ID, lost.FirstPage())).Count; now != history {
			t.Errorf("the history has %d entries, want %d", now, history)
		}
		if list := read(); len(list.Data) != 1 || list.Data[0].ID != hat.ID {
			t.Errorf("programs that follow changes see %+v, want the item", list.Data)
		}
		testkit.Must(s.Services.Items.RemoveImage(t.Context(), s.Actor, s.Location.ID, hat.ID, got.Images[0].ID()))
		s.verify(uploaded, uploaded.ImageFile) // too late
		if got := s.now(hat); len(got.Images) > 0 {
			t.Errorf("the removed photo is back: %+v", got.Images)
		}
	})
}

func TestTheTagOfAnItemIsNoCodeOfTheThing(t *testing.T) {
	eachOverdue(t, func(s *overdueFixture) {
		t := s.T
		hat := s.find("Hat")
		for code, kept := range map[string]bool{
			lost.Tag{Reference: hat.Reference}.Address("https://homeward.example"): false,
			lost.Tag{Reference: hat.Reference}.Address("https://other.example"):    true,
			strings.ReplaceAll(hat.Reference, "-", ""):                             true,
		} {
			got := s.addPhoto(hat, "facts red 1 code "+code).Images[0].Facts
			if (len(got.Codes) > 0) != kept {
				t.Errorf("with the code %s, the codes are %q", code, got.Codes)
			}
		}
	})
}

func TestPhotosOfIdentityPapersHaveNoCodes(t *testing.T) {
	const content = "facts red 12ab code P1234567"
	eachOverdue(t, func(s *overdueFixture) {
		t := s.T
		for _, c := range []lost.Category{lost.PassportCategory, lost.CardCategory, lost.DocumentCategory} {
			set := lost.ItemPatch{Description: lost.Set("A thing"), Category: lost.Set(string(c))}
			before := testkit.Must(s.Services.Items.Create(t.Context(), s.Actor, s.Location.ID, set,
				lost.IdempotencyKey{}))
			if f := s.addPhoto(before, content).Images[0].Facts; len(f.Codes) > 0 || len(f.Colors) == 0 {
				t.Errorf("%s: the facts are %+v", c, f)
			}
			after := s.addPhoto(s.find("Hat"), content)
			if f := after.Images[0].Facts; len(f.Codes) != 1 {
				t.Fatalf("a hat has the facts %+v", f)
			}
			testkit.Must(s.Services.Items.Update(t.Context(), s.Actor, s.Location.ID, after.ID, set))
			if f := s.now(after).Images[0].Facts; len(f.Codes) > 0 || f.Hash == 0 {
				t.Errorf("after the category was set to %s, the facts are %+v", c, f)
			}
			_, copies, err := s.Services.Items.FindPhotoFacts(t.Context(), s.Actor, s.Location.ID, c,
				strings.NewReader(content))
			if err != nil || len(copies) == 0 {
				t.Errorf("%s: got the copies %v, %v", c, copies, err)
			}
		}
		passport := s.addPhoto(s.find("Passport"), content)
		run := testkit.Must(s.Services.Categories.Start(t.Context(), s.Actor))
		runCategories(s.Fixture, run)
		if got := s.now(passport); got.Category != lost.PassportCategory || len(got.Images[0].Facts.Codes) > 0 {
			t.Errorf("after the suggestion, the category is %s and the facts are %+v", got.Category,
				got.Images[0].Facts)
		}
	})
}

func TestTheFormShowsCodesExceptOfIdentityPapers(t *testing.T) {
	eachOverdue(t, func(s *overdueFixture) {
		t := s.T
		for c, want := range map[lost.Category]int{"": 1, lost.PhoneCategory: 1, lost.PassportCategory: 0} {
			facts, _, err := s.Services.Items.FindPhotoFacts(t.Context(), s.Actor, s.Location.ID, c,
				strings.NewReader("facts red 12ab code SN-1"))
			if err != nil || len(facts.Codes) != want || len(facts.Colors) != 1 {
				t.Errorf("%q: got %+v, %v", c, facts, err)
			}
		}
	})
}

func TestCopiesOfAPhotoAreFound(t *testing.T) {
	const photo, similar = "facts red 12ab34cd56ef7890", "facts red 12ab34cd56ef7893"
	const other = "facts red 52bb34dc560f7190"
	eachOverdue(t, func(s *overdueFixture) {
		t := s.T
		hat, scarf, bag := s.find("Hat"), s.find("Scarf"), s.find("Bag")
		hat = s.addPhoto(hat, photo)
		scarf, bag = s.addPhoto(scarf, similar), s.addPhoto(bag, other)
		s.addPhoto(hat, photo) // the item itself does not count
		s.expect("copies of the hat", s.copiesOf(hat), "Scarf")
		s.expect("copies of the scarf", s.copiesOf(scarf), "Hat")
		s.expect("copies of the bag", s.copiesOf(bag))
		elsewhere := testkit.Must(s.Services.Locations.Create(t.Context(), s.Actor, testkit.LocationNamed("Inn"),
			lost.IdempotencyKey{}))
		far := testkit.Must(s.Services.Items.Create(t.Context(), s.Actor, elsewhere.ID,
			testkit.ItemDescribed("Far"), lost.IdempotencyKey{}))
		s.addPhoto(far, photo)
		s.expect("copies of the scarf at two locations", s.copiesOf(scarf), "Far", "Hat")
		limited := s.Actor
		limited.Locations = []string{s.Location.ID}
		if got := testkit.Must(s.Services.Items.PhotoCopies(t.Context(), limited, scarf)); len(got) != 1 ||
			got[0].ID != hat.ID {
			t.Errorf("somebody who sees one location gets %d copies", len(got))
		}
		for range 3 {
			s.addPhoto(s.find("Shoe"), photo)
		}
		if got := s.copiesOf(scarf); len(got) != 3 {
			t.Errorf("got the copies %q, want three", got)
		}
	})
}

func TestRemovedPhotosHaveNoCopies(t *testing.T) {
	const photo = "facts red 12ab34cd56ef7890"
	eachOverdue(t, func(s *overdueFixture) {
		t := s.T
		hat, scarf, bag := s.addPhoto(s.find("Hat"), photo), s.addPhoto(s.find("Scarf"), photo), s.find("Bag")
		bag = s.addPhoto(bag, photo)
		s.expect("copies", s.copiesOf(bag), "Scarf", "Hat")
		testkit.Must(s.Services.Items.RemoveImage(t.Context(), s.Actor, s.Location.ID, hat.ID, hat.Images[0].ID()))
		s.expect("copies after a photo was removed", s.copiesOf(bag), "Scarf")
		testkit.Must(0, s.Services.Items.Delete(t.Context(), s.Actor, s.Location.ID, scarf.ID))
		s.expect("copies after an item was deleted", s.copiesOf(bag))
		if left := testkit.Must(s.DB.PhotoCopies(t.Context(), s.Actor.Account, "", []lost.PhotoHash{
			bag.Images[0].Facts.Hash,
		})); len(left) != 1 {
			t.Errorf("%d hashes are stored, want that of the bag", len(left))
		}
	})
}
