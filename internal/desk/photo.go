package desk

import (
	"cmp"
	"context"
	"io"
	"slices"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// ShowImage makes one of an item's photos its main picture.
func (s *Items) ShowImage(ctx context.Context, a lost.Actor, location, id, image string) (lost.Item, error) {
	return s.change.Item(ctx, a, location, id, func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(a, lost.Updated, tx.Now())
		changed, err := i.ShowImage(image, tx.Now())
		if changed {
			entry.Fields = []string{"imageUrl"}
		}
		return entry, err
	})
}

// RemoveImage deletes a photo of an item, including its files.
func (s *Items) RemoveImage(ctx context.Context, a lost.Actor, location, id, image string,
	conditions ...lost.Condition[lost.Item]) (lost.Item, error) {
	i, err := s.change.Item(ctx, a, location, id, func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(a, lost.ImageRemoved, tx.Now())
		if err := lost.CheckConditions(*i, conditions); err != nil {
			return entry, err
		}
		entry.Fields = []string{"images"}
		removed, err := i.RemoveImage(image, tx.Now())
		if err != nil {
			return entry, err
		}
		if err := tx.DeletePhotoSuggestions(*i, removed.ID()); err != nil {
			return entry, err
		}
		return entry, tx.AddDeleteFilesJobs(i.Account, removed.File)
	})
	if err == nil {
		s.wake()
	}
	return i, err
}

// SortImages changes the order of an item's photos.
func (s *Items) SortImages(ctx context.Context, a lost.Actor, location, id string,
	order lost.ImageOrder, conditions ...lost.Condition[lost.Item]) (lost.Item, error) {
	return s.change.Item(ctx, a, location, id, func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
		entry = lost.NewEntry(a, lost.Updated, tx.Now())
		if err := lost.CheckConditions(*i, conditions); err != nil {
			return entry, err
		}
		entry.Fields, err = order.Sort(i, tx.Now())
		return entry, err
	})
}

// addImage adds an image to an item, and adds a job that verifies it and creates its thumbnails. An image that is too
// large to decode is not verified.
func addImage(tx *store.Tx, a lost.Actor, i *lost.Item, image lost.Image) error {
	added := store.AddedImage{
		Location: i.LocationID, Item: i.ID, File: image.File, MainFile: i.ImageFile, MainURL: i.ImageURL,
		Public: isPublic(a),
	}
	if err := i.AddImage(image, tx.Now()); err != nil || image.Thumbnail == image.File {
		return err
	}
	return tx.AddVerifyImageJob(i.Account, added)
}

// VerifyImage decodes a photo that was added to an item, creates its thumbnails and saves what it shows. If the photo
// is damaged, it removes it from the item, which then has the main image that it had before, and the history says so.
func (s *Items) VerifyImage(ctx context.Context, account string, added store.AddedImage) error {
	verified, err := s.pictures.uploads.Verify(ctx, added.File, added.Public)
	switch {
	case err != nil:
		return err
	case verified.Facts != nil:
		return s.savePhotoFacts(ctx, account, added, *verified.Facts)
	case !verified.Damaged:
		return nil
	}
	a := access.Service(account)
	remove := func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(a, lost.ImageRemoved, tx.Now())
		wasMain := i.ImageFile == added.File
		if _, err := i.RemoveImage(lost.ImageIDOf(added.File), tx.Now()); err != nil {
			return entry, err
		}
		if wasMain {
			lost.RestoreMainImage(i, added.MainFile, added.MainURL)
		}
		entry.Fields = []string{"images"}
		entry.Note = lost.Note(lost.NotePhotoDamaged)
		return entry, tx.AddDeleteFilesJobs(i.Account, added.File)
	}
	_, err = s.change.ItemUnchecked(ctx, a, added.Location, added.Item, remove)
	if err == nil {
		s.wake()
	}
	return lost.IgnoreNotFound(err) // the photo or the item was removed in the meantime
}

// savePhotoFacts saves what a photo of an item shows. It changes nothing else of the item, and nobody is notified. The
// item is matched again if its colours are new.
func (s *Items) savePhotoFacts(ctx context.Context, account string, added store.AddedImage,
	facts lost.PhotoFacts) error {
	facts, rematched := facts.WithoutTags(s.wire.Base), false
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		i, err := tx.LockAccountItem(account, added.Item)
		if err != nil {
			return err
		}
		before := i
		image, found := lost.SetPhotoFacts(&i, added.File, facts)
		if !found {
			return nil
		}
		if err := tx.SavePhotoFacts(i, image); err != nil || !lost.NeedsMatching(before, i) {
			return err
		}
		rematched = true
		return tx.AddMatchJobs(i.Account, []string{i.ID}, tx.Now())
	})
	if rematched && err == nil {
		s.wake()
	}
	return lost.IgnoreNotFound(err) // the item was removed in the meantime
}

// FindPhotoFacts returns what a photo shows that somebody is about to add to a new item of the given category, and the
// items that have the same photo. It stores nothing.
func (s *Items) FindPhotoFacts(ctx context.Context, a lost.Actor, location string, category lost.Category,
	photo io.Reader) (facts lost.PhotoFacts, copies []lost.Item, err error) {
	if err := access.May(a, lost.RecordItems, location, "location"); err != nil {
		return facts, nil, err
	}
	if _, err := s.db.Location(ctx, a.Account, location); err != nil {
		return facts, nil, err
	}
	facts, err = s.pictures.uploads.FindFacts(ctx, "photo", photo, MaxImage)
	if err != nil {
		return facts, nil, err
	}
	facts = facts.WithoutTags(s.wire.Base)
	if category.IsIdentity() {
		facts.Codes = nil
	}
	if a.May(lost.ViewItems) == nil {
		copies, err = s.photoCopies(ctx, a, "", []lost.PhotoHash{facts.Hash})
	}
	return facts, copies, err
}

// PhotoCopies returns other items and requests that have a copy of a photo of the item: the newest ones at the
// locations that the actor can access.
func (s *Items) PhotoCopies(ctx context.Context, a lost.Actor, i lost.Item) ([]lost.Item, error) {
	if err := access.MayView(a, i.LocationID, "item"); err != nil {
		return nil, err
	}
	var hashes []lost.PhotoHash
	for _, img := range lost.MainImageFirst(i) {
		if img.Facts != nil {
			hashes = append(hashes, img.Facts.Hash)
		}
	}
	return s.photoCopies(ctx, a, i.ID, hashes)
}

// maxPhotoCopies is the maximum number of items that have a copy of a photo.
const maxPhotoCopies = 3

func (s *Items) photoCopies(ctx context.Context, a lost.Actor, except string,
	hashes []lost.PhotoHash) (copies []lost.Item, err error) {
	found, err := s.db.PhotoCopies(ctx, a.Account, except, hashes)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	newestFirst := func(a, b store.PhotoOfItem) int { return cmp.Compare(b.Item, a.Item) }
	slices.SortFunc(found, newestFirst)
	const most = 20 // of which some may be at other locations
	var ids []string
	images := map[string]bool{}
	for _, p := range found {
		images[p.Image] = true
		if !slices.Contains(ids, p.Item) && len(ids) < most {
			ids = append(ids, p.Item)
		}
	}
	items, err := s.db.ItemsByID(ctx, a.Account, "", ids)
	for _, i := range items {
		has := slices.ContainsFunc(i.Images, func(img lost.Image) bool { return images[img.ID()] })
		if has && access.CheckAccess(a, i.LocationID, "item") == nil && len(copies) < maxPhotoCopies {
			copies = append(copies, i)
		}
	}
	return copies, err
}

// mayAddImage returns an error if an item does not exist or has the maximum number of images. If the upload may be a
// repeated one, only the first is checked: the item may be full because of that upload.
func (s *Items) mayAddImage(ctx context.Context, a lost.Actor, location, id string, repeated bool) error {
	i, err := s.db.Item(ctx, a.Account, location, id)
	if err != nil || repeated {
		return err
	}
	return i.MayAddImage()
}

// UploadImage adds a photo to an item and makes it the main picture.
func (s *Items) UploadImage(ctx context.Context, a lost.Actor, location, id string, r io.Reader,
	o lost.IdempotencyKey, conditions ...lost.Condition[lost.Item]) (i lost.Item, err error) {
	if err := access.May(a, lost.RecordItems, location, "item"); err != nil {
		return i, err
	}
	if err := s.mayAddImage(ctx, a, location, id, o.Key != ""); err != nil { // before reading the upload
		return i, err
	}
	if err := s.mayRead(ctx, a, id); err != nil {
		return i, err
	}
	in := IncomingPicture{Field: "image", Content: r, Limit: MaxImage, Deferred: true}
	check := func(digest string) (err error) {
		o.Request += " " + digest
		if i, err = findRepeated[lost.Item](ctx, s.db, a, o); err != nil {
			return err
		}
		return s.mayAddImage(ctx, a, location, id, false)
	}
	if o.Key == "" { // it cannot be a repetition, and the rest was checked above
		check = nil
	}
	err = s.pictures.upload(ctx, a, in, check,
		func(image lost.Image, keep func(*store.Tx) error) (bool, error) {
			i, err = s.change.ItemUnchecked(ctx, a, location, id, func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
				entry := lost.NewEntry(a, lost.ImageAdded, tx.Now())
				entry.Fields = []string{"images"}
				if err := lost.CheckConditions(*i, conditions); err != nil {
					return entry, err
				}
				if err := addImage(tx, a, i, image); err != nil {
					return entry, err
				}
				return entry, keep(tx)
			}, o)
			return i.ImageFile == image.File, err
		})
	s.wakeImages()
	return i, err
}

// BlurredPhoto returns a photo of an item as a PNG in which nothing can be read.
func (s *Items) BlurredPhoto(ctx context.Context, a lost.Actor, location, id, image string) ([]byte, error) {
	if err := access.MayView(a, location, "item"); err != nil {
		return nil, err
	}
	i, err := s.db.Item(ctx, a.Account, location, id)
	if err != nil {
		return nil, err
	}
	for _, img := range i.Images {
		if img.ID() == image {
			return s.pictures.uploads.Blurred(ctx, img.File)
		}
	}
	return nil, lost.Missing("photo")
}

// RevealPhotos records in the audit log that the actor sees the photos of an identity paper or a payment card.
func (s *Items) RevealPhotos(ctx context.Context, a lost.Actor, i lost.Item) error {
	if err := access.MayView(a, i.LocationID, "item"); err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *store.Tx) error { return access.Audit(tx, a, lost.PhotosSeen, i.ID, "") })
}
