package desk

import (
	"cmp"
	"context"
	"crypto/rand"
	"strconv"
	"strings"
	"unicode"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// CreateLocation adds a location to the actor's account.
func (d *Desk) CreateLocation(ctx context.Context, a lost.Actor, p lost.LocationPatch, o lost.IdempotencyKey) (l lost.Location, err error) {
	if err := mayManage(a, lost.Arrange); err != nil {
		return l, err
	}
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		l, err = once(tx, a, o, func() (lost.Location, error) {
			l, err := lost.NewLocation(a.Account, p, tx.Now())
			if err != nil {
				return l, err
			}
			if l.Permalink, err = freePermalink(tx, l.Name); err != nil {
				return l, err
			}
			return l, cmp.Or(tx.InsertLocation(l), audit(tx, a, lost.LocationCreated, l.ID, l.Name))
		})
		return err
	})
	return l, err
}

// Location gives a location.
func (d *Desk) Location(ctx context.Context, a lost.Actor, id string) (lost.Location, error) {
	if err := reach(a, id, "location"); err != nil {
		return lost.Location{}, err
	}
	return d.db.Location(ctx, a.Account, id)
}

// Locations lists the locations that the actor reaches, by name.
func (d *Desk) Locations(ctx context.Context, a lost.Actor, f lost.LocationFilter) (lost.List[lost.Location], error) {
	return d.db.Locations(ctx, a.Account, a.Locations, f)
}

// errOvertaken is for what somebody else has changed since whoever changes it was looking at it.
var errOvertaken = lost.E(lost.Conflict, "Somebody else changed this in the meantime.")

// UpdateLocation sets what was sent and leaves the rest, unless that is not as it was seen any more.
func (d *Desk) UpdateLocation(ctx context.Context, a lost.Actor, id string, p lost.LocationPatch) (lost.Location, error) {
	return d.changeLocation(ctx, a, id, func(tx *store.Tx, l *lost.Location) (bool, error) {
		p := p // may run twice
		d.wire.SettleLocation(&p, *l)
		before := *l
		changed, err := l.Update(p, tx.Now())
		if err == nil && changed && p.Same != nil && !p.Same(before) {
			return false, errOvertaken
		}
		return changed, err
	})
}

// changeLocation changes a location in one transaction, and has a logo removed that it no longer shows.
func (d *Desk) changeLocation(ctx context.Context, a lost.Actor, id string, change func(*store.Tx, *lost.Location) (bool, error)) (l lost.Location, err error) {
	if err := may(a, lost.Arrange, id, "location"); err != nil {
		return l, err
	}
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		if l, err = tx.LockLocation(a.Account, id); err != nil {
			return err
		}
		before := l
		changed, err := change(tx, &l)
		if err != nil || !changed {
			return err
		}
		if before.LogoFile != "" && before.LogoFile != l.LogoFile {
			if err := tx.DeleteFilesLater(a.Account, before.LogoFile); err != nil {
				return err
			}
		}
		if !before.SameRules(l) {
			if err := tx.LookAgainLater(a.Account, l.ID, 0); err != nil {
				return err
			}
		}
		if !before.SameMatching(l) {
			if err := tx.MatchAgainLater(rematch(l, tx.Now())); err != nil {
				return err
			}
		}
		if !before.SamePrices(l) { // what had no price may have one now
			if err := tx.PriceAgainLater(a.Account, l.ID, 0); err != nil {
				return err
			}
		}
		return cmp.Or(tx.SaveLocation(l), audit(tx, a, lost.LocationChanged, l.ID, l.Name))
	})
	d.nudge() // a logo may be left to remove, or items to look at again, or to price
	return l, err
}

// DeleteLocation removes a location with all its items, for good. They are gone for everyone at
// once; a job then removes their rows and files in pieces, however many there are.
func (d *Desk) DeleteLocation(ctx context.Context, a lost.Actor, id string) error {
	if err := may(a, lost.Arrange, id, "location"); err != nil {
		return err
	}
	err := d.db.Write(ctx, func(tx *store.Tx) error {
		l, err := tx.LockLocation(a.Account, id)
		if err != nil {
			return err
		}
		if err := tx.HideLocation(l); err != nil {
			return err
		}
		if err := tx.DeleteFilesLater(a.Account, l.LogoFile); err != nil {
			return err
		}
		return cmp.Or(tx.AddJob(a.Account, store.JobPurgeLocation, l.ID, tx.Now()), audit(tx, a, lost.LocationDeleted, l.ID, l.Name))
	})
	d.nudge()
	return err
}

// freePermalink makes the slug of a location's public page from its name: hotel-adler,
// hotel-adler-2, and a random one where many share the name.
func freePermalink(tx *store.Tx, name string) (string, error) {
	const tries = 9
	base := slug(name)
	for n := 1; n <= tries; n++ {
		link := base
		if n > 1 {
			link += "-" + strconv.Itoa(n)
		}
		_, taken, err := tx.Lookup(tx.Context(), store.PermalinkEntry, store.DirectoryHash(link))
		if err != nil || !taken {
			return link, err
		}
	}
	return base + "-" + strings.ToLower(rand.Text()[:8]), nil
}

// slug keeps the letters and digits of a name, folded, with single hyphens between words.
func slug(name string) string {
	const longest = 60
	words := strings.FieldsFunc(store.Fold(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	s := strings.Join(words, "-")
	if r := []rune(s); len(r) > longest {
		s = strings.TrimRight(string(r[:longest]), "-")
	}
	if s == "" {
		return "location"
	}
	return s
}
