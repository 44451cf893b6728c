package desk

import (
	"context"
	"crypto/rand"
	"io"
	"strconv"
	"strings"
	"unicode"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

// Locations manages an account's locations.
type Locations struct {
	db       *store.DB
	wire     v1.Encoder
	pictures *pictures
	matcher  Matcher
	wake     func()
}

// LocationsOptions are the dependencies of Locations.
type LocationsOptions struct {
	DB      *store.DB
	Wire    v1.Encoder
	Uploads Uploads
	Matcher Matcher
	Wake    func()
}

// NewLocations creates Locations.
func NewLocations(o LocationsOptions) *Locations {
	return &Locations{
		db: o.DB, wire: o.Wire, pictures: &pictures{db: o.DB, uploads: o.Uploads}, matcher: o.Matcher,
		wake: o.Wake,
	}
}

// Create adds a location to the actor's account.
func (s *Locations) Create(ctx context.Context, a lost.Actor, p lost.LocationPatch,
	o lost.IdempotencyKey) (l lost.Location, err error) {
	if err := access.MayManage(a, lost.ManageLocations); err != nil {
		return l, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		l, err = access.CreateOnce(tx, a, o, func() (lost.Location, error) {
			l, err := lost.NewLocation(a.Account, p, tx.Now())
			if err != nil {
				return l, err
			}
			if l.Permalink, err = freePermalink(tx, a.Account, l.Name); err != nil {
				return l, err
			}
			if err := tx.InsertLocation(l); err != nil {
				return l, err
			}
			return l, access.Audit(tx, a, lost.LocationCreated, l.ID, l.Name)
		})
		return err
	})
	return l, err
}

// Get returns a location.
func (s *Locations) Get(ctx context.Context, a lost.Actor, id string) (lost.Location, error) {
	if err := access.CheckAccess(a, id, "location"); err != nil {
		return lost.Location{}, err
	}
	return s.db.Location(ctx, a.Account, id)
}

// List lists the locations that the actor can see, by name.
func (s *Locations) List(ctx context.Context, a lost.Actor,
	f lost.LocationFilter) (lost.List[lost.Location], error) {
	return s.db.Locations(ctx, a.Account, a.Locations, f)
}

// Update sets the location's fields that are present in the patch. It returns an error if p.Same reports that the
// location has changed since it was shown to the user.
func (s *Locations) Update(ctx context.Context, a lost.Actor, id string, p lost.LocationPatch,
	conditions ...lost.Condition[lost.Location]) (lost.Location, error) {
	return s.changeLocation(ctx, a, id, func(tx *store.Tx, l *lost.Location) (bool, error) {
		if err := lost.CheckConditions(*l, conditions); err != nil {
			return false, err
		}
		p := p // may run twice
		if err := s.wire.CheckReadOnlyLocation(&p, *l); err != nil {
			return false, err
		}
		before := *l
		changed, err := l.Update(p, tx.Now())
		if err == nil && changed && p.Same != nil && !p.Same(before) {
			return false, access.ErrConflict
		}
		return changed, err
	})
}

// Limits of a preview: how many items are read at once, and how many altogether.
const (
	previewBatch    = 2_000
	maxPreviewItems = 200_000
)

// PreviewTerms says what a change of a location's storage duration and keeping rules would change for the items that
// it stores. It changes nothing. It returns the same errors as Update.
func (s *Locations) PreviewTerms(ctx context.Context, a lost.Actor, id string,
	p lost.LocationPatch) (l lost.Location, preview lost.KeepingPreview, err error) {
	if err := access.May(a, lost.ManageLocations, id, "location"); err != nil {
		return l, preview, err
	}
	if l, err = s.db.Location(ctx, a.Account, id); err != nil {
		return l, preview, err
	}
	before, now := l, s.db.Now()
	changed, err := l.Update(p, now)
	if err == nil && changed && p.Same != nil && !p.Same(before) {
		err = access.ErrConflict
	}
	if err != nil || before.SameTerms(l) {
		return l, preview, err
	}
	read := 0
	for last := int64(0); ; {
		var items []lost.Item
		items, last, err = s.db.StoredItems(ctx, a.Account, id, before.Terms(), last, previewBatch)
		if err != nil {
			return l, preview, err
		}
		for _, i := range items {
			preview.Add(i, l.Terms(), now)
		}
		read += len(items)
		if len(items) < previewBatch {
			break
		}
		preview.Partial = read >= maxPreviewItems
		if preview.Partial {
			break
		}
	}
	preview.Finish()
	return l, preview, nil
}

// MovedItems returns the items that a preview lists, in its order, without those that were deleted since.
func (s *Locations) MovedItems(ctx context.Context, a lost.Actor, location string,
	moved []lost.MovedItem) ([]lost.Item, error) {
	if err := access.May(a, lost.ManageLocations, location, "location"); err != nil {
		return nil, err
	}
	ids := make([]string, len(moved))
	for n, m := range moved {
		ids[n] = m.ID
	}
	return s.db.ItemsByID(ctx, a.Account, location, ids)
}

// changeLocation changes a location in one transaction. A replaced logo is deleted.
func (s *Locations) changeLocation(ctx context.Context, a lost.Actor, id string, change func(*store.Tx,
	*lost.Location) (bool, error)) (l lost.Location, err error) {
	if err := access.May(a, lost.ManageLocations, id, "location"); err != nil {
		return l, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		if l, err = tx.LockLocation(a.Account, id); err != nil {
			return err
		}
		before := l
		changed, err := change(tx, &l)
		if err != nil || !changed {
			return err
		}
		if before.LogoFile != "" && before.LogoFile != l.LogoFile {
			if err := tx.AddDeleteFilesJobs(a.Account, before.LogoFile); err != nil {
				return err
			}
		}
		if !before.SameReminders(l) {
			if err := tx.AddCheckJob(a.Account, l.ID, 0); err != nil {
				return err
			}
		}
		if !before.SameTerms(l) {
			if err := tx.AddTouchJob(a.Account, l.ID, before.Terms(), 0); err != nil {
				return err
			}
		}
		if !before.SameMatching(l) {
			if err := s.matcher.MatchLocationAgain(tx, l); err != nil {
				return err
			}
		}
		if !before.SamePrices(l) { // items that have no price may now get one
			if err := tx.AddRequoteJob(a.Account, l.ID, 0); err != nil {
				return err
			}
		}
		if err := tx.SaveLocation(l); err != nil {
			return err
		}
		return access.Audit(tx, a, lost.LocationChanged, l.ID, l.Name)
	})
	s.wake() // jobs may have been added: to delete a logo, or to check or price items again
	return l, err
}

// Slots lists the slots of a location on some days that are in the future, also those that are fully booked. A day
// that is not set has its default.
func (s *Locations) Slots(ctx context.Context, a lost.Actor, id, first,
	last string) ([]lost.Slot, error) {
	if err := access.MayView(a, id, "location"); err != nil {
		return nil, err
	}
	l, err := s.db.Location(ctx, a.Account, id)
	if err != nil {
		return nil, err
	}
	now := s.db.Now()
	from, to, err := l.SlotPeriod(first, last, now)
	if err != nil {
		return nil, err
	}
	booked, err := s.db.Bookings(ctx, a.Account, id, from, to, "")
	if err != nil {
		return nil, err
	}
	return l.SlotsBetween(from, to, booked, now), nil
}

// CheckDelete returns an error if the location has items that must not be deleted; see lost.CheckDeleteAll.
func (s *Locations) CheckDelete(ctx context.Context, a lost.Actor, id string) error {
	if err := access.May(a, lost.ManageLocations, id, "location"); err != nil {
		return err
	}
	items, more, err := s.db.UnsettledItems(ctx, a.Account, id)
	if err != nil {
		return err
	}
	return lost.CheckDeleteAll(items, more)
}

// Delete deletes a location with all its items. The items are hidden immediately. A job then deletes their rows and
// files in batches. It returns an error if CheckDelete does. A fee that is paid at the same time is refunded by the
// job.
func (s *Locations) Delete(ctx context.Context, a lost.Actor, id string,
	conditions ...lost.Condition[lost.Location]) error {
	if err := access.May(a, lost.ManageLocations, id, "location"); err != nil {
		return err
	}
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		l, err := tx.LockLocation(a.Account, id)
		if err != nil {
			return err
		}
		if err := lost.CheckConditions(l, conditions); err != nil {
			return err
		}
		items, more, err := tx.UnsettledItems(ctx, a.Account, l.ID)
		if err != nil {
			return err
		}
		if err := lost.CheckDeleteAll(items, more); err != nil {
			return err
		}
		if err := tx.HideLocation(l); err != nil {
			return err
		}
		feed := store.DirectoryEntry{Account: l.Account, Subject: l.ID}
		if err := tx.RemoveEntry(store.CalendarEntry, feed); err != nil {
			return err
		}
		if err := tx.AddDeleteFilesJobs(a.Account, l.LogoFile); err != nil {
			return err
		}
		if err := tx.AddJob(a.Account, store.JobPurgeLocation, l.ID, tx.Now()); err != nil {
			return err
		}
		return access.Audit(tx, a, lost.LocationDeleted, l.ID, l.Name)
	})
	s.wake()
	return err
}

// freePermalink derives an unused slug for a location's public page from its name, such as hotel-adler or
// hotel-adler-2. If many locations share the name, it adds a random suffix. The permalinks of deleted locations are
// free for their own account only.
func freePermalink(tx *store.Tx, account, name string) (string, error) {
	const tries = 9
	base := slug(name)
	for n := 1; n <= tries; n++ {
		link := base
		if n > 1 {
			link += "-" + strconv.Itoa(n)
		}
		free, err := tx.PermalinkFree(account, link)
		if err != nil || free {
			return link, err
		}
	}
	return base + "-" + strings.ToLower(rand.Text()[:8]), nil
}

// slug returns the words of a name, folded by store.Fold and joined with hyphens. It returns "location" if the name
// has no letters or digits.
func slug(name string) string {
	const maxLength = 60
	words := strings.FieldsFunc(store.Fold(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	s := strings.Join(words, "-")
	if r := []rune(s); len(r) > maxLength {
		s = strings.TrimRight(string(r[:maxLength]), "-")
	}
	if s == "" {
		return "location"
	}
	return s
}

// PublicLocation is a location as everybody can see it on its public page.
type PublicLocation struct {
	lost.Location
	Privacy lost.PrivacyNotice // what guests are told about the use of their data
}

// GetPublic returns a location by its permalink. It needs no permission.
func (s *Locations) GetPublic(ctx context.Context, permalink string) (p PublicLocation, err error) {
	e, found, err := s.db.Lookup(ctx, store.PermalinkEntry, store.DirectoryHash(permalink))
	if err != nil {
		return p, err
	}
	if !found {
		return p, lost.Missing("location")
	}
	account, err := access.EnabledAccount(ctx, s.db, e.Account, "location")
	if err != nil {
		return p, err
	}
	p.Location, err = s.db.Location(ctx, e.Account, e.Subject)
	p.Privacy = p.Location.PrivacyNotice(account)
	return p, err
}

// UploadLogo replaces a location's logo.
func (s *Locations) UploadLogo(ctx context.Context, a lost.Actor, id string, r io.Reader,
	o lost.IdempotencyKey, conditions ...lost.Condition[lost.Location]) (l lost.Location, err error) {
	if err := access.May(a, lost.ManageLocations, id, "location"); err != nil {
		return l, err
	}
	if _, err := s.db.Location(ctx, a.Account, id); err != nil { // check the location before reading the upload
		return l, err
	}
	in := IncomingPicture{Field: "logo", Content: r, Limit: MaxLogo}
	check := func(digest string) (err error) {
		o.Request += " " + digest
		l, err = findRepeated[lost.Location](ctx, s.db, a, o)
		return err
	}
	err = s.pictures.upload(ctx, a, in, check,
		func(image lost.Image, keep func(*store.Tx) error) (bool, error) {
			l, err = s.changeLocation(ctx, a, id, func(tx *store.Tx, l *lost.Location) (changed bool, err error) {
				*l, err = access.CreateOnce(tx, a, o, func() (lost.Location, error) {
					if err := lost.CheckConditions(*l, conditions); err != nil {
						return *l, err
					}
					changed = true
					l.LogoFile, l.LogoURL, l.UpdatedAt = image.File, "", tx.Now()
					return *l, keep(tx)
				})
				return changed, err
			})
			return l.LogoFile == image.File, err
		})
	return l, err
}
