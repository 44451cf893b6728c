// Package assistant implements the use cases of the photo assistant: switching it on at a location, asking a model what
// is in a photo, and showing what it suggests. Nothing is written to an item unless somebody accepts it, and nothing of
// it is ever sent to a guest, an API client or a webhook.
//
// A photo is sent only if the location has agreed to the host, and if somebody has said what the item is, and it is no
// identity paper. Both are checked when the photo arrives, immediately before it is sent, and again before the answer
// is stored.
package assistant

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/lost/photo"
	"homeward/internal/store"
)

// Describer asks a model what is in a photo.
type Describer interface {
	// Host returns the host to which photos are sent. It is empty if there is no model; then Describe is never called.
	Host() string
	// Model returns the name of the model.
	Model() string
	// Describe returns what is in a photo. language is the English name of the language of the description. An error
	// with a method Temporary that returns true means that a later call may succeed.
	Describe(ctx context.Context, jpeg []byte, language string) (photo.Report, error)
}

// Photos reads stored photos.
type Photos interface {
	// Reduced returns a photo as a small JPEG without metadata.
	Reduced(ctx context.Context, file string) ([]byte, error)
}

// Assistant has the use cases of the photo assistant.
type Assistant struct {
	db        *store.DB
	describer Describer
	photos    Photos
	limit     int
	now       func() time.Time
	observe   func(Outcome)
	log       *slog.Logger
	matches   bool
}

// Options are the dependencies of an Assistant.
type Options struct {
	DB        *store.DB
	Describer Describer
	Photos    Photos
	// DailyLimit is the maximum number of requests for an account on a day, in UTC.
	DailyLimit int
	Now        func() time.Time
	// Observe is called with what became of a photo.
	Observe func(Outcome)
	Log     *slog.Logger
	// Matches says that descriptions of photos are compared, so that items are matched again when they have one.
	Matches bool
}

// New creates an Assistant.
func New(o Options) *Assistant {
	return &Assistant{
		db: o.DB, describer: o.Describer, photos: o.Photos, limit: o.DailyLimit, now: o.Now,
		observe: o.Observe, log: o.Log, matches: o.Matches,
	}
}

// Settings are what the page of a location shows about the photo assistant.
type Settings struct {
	Host, Model string // of the configured model; empty if there is none
	On          bool   // photos of the location are sent to the host
	// Agreed is what somebody has agreed to. If the host is another one, the assistant is off until somebody agrees
	// again. It is empty if nobody has agreed.
	Agreed photo.Setting
	Sent   int // photos of the account that were sent today
	Limit  int // a day
}

// Settings returns the settings of a location.
func (s *Assistant) Settings(ctx context.Context, a lost.Actor, location string) (out Settings, err error) {
	if err := access.CheckAccess(a, location, "location"); err != nil {
		return out, err
	}
	if err := a.May(lost.ManageLocations); err != nil {
		return out, err
	}
	if _, err := s.db.Location(ctx, a.Account, location); err != nil {
		return out, err
	}
	out.Host, out.Model, out.Limit = s.describer.Host(), s.describer.Model(), s.limit
	out.Agreed, err = s.db.PhotoAssistant(ctx, a.Account, location)
	if lost.IgnoreNotFound(err) != nil {
		return out, err
	}
	out.On = err == nil && out.Host != "" && out.Agreed.Host == out.Host
	out.Sent, err = s.db.PhotoRequests(ctx, a.Account, today(s.now()))
	return out, err
}

// today returns the day whose requests are counted.
func today(now time.Time) string { return now.UTC().Format(lost.DateLayout) }

// SwitchOn switches the assistant on at a location. The actor agrees that photos are sent to the host, which must be
// the configured one.
func (s *Assistant) SwitchOn(ctx context.Context, a lost.Actor, location, host string) error {
	if err := access.May(a, lost.ManageLocations, location, "location"); err != nil {
		return err
	}
	if _, err := s.db.Location(ctx, a.Account, location); err != nil {
		return err
	}
	if s.describer.Host() == "" {
		return lost.E(lost.Unavailable, "The photo assistant is not set up.")
	}
	if host != s.describer.Host() {
		return lost.E(lost.Conflict, "Photos would now be sent to another host. Check the page and try again.")
	}
	return s.db.Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.LockLocation(a.Account, location); err != nil {
			return err
		}
		err := tx.SavePhotoAssistant(photo.Setting{
			Account: a.Account, LocationID: location, Host: host, EnabledAt: tx.Now(), EnabledBy: a.Name,
		})
		if err != nil {
			return err
		}
		return access.Audit(tx, a, lost.PhotoAssistantOn, location, host)
	})
}

// SwitchOff switches the assistant off at a location, and deletes what it has suggested there.
func (s *Assistant) SwitchOff(ctx context.Context, a lost.Actor, location string) error {
	if err := access.May(a, lost.ManageLocations, location, "location"); err != nil {
		return err
	}
	if _, err := s.db.Location(ctx, a.Account, location); err != nil {
		return err
	}
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		agreed, err := tx.LockPhotoAssistant(a.Account, location)
		if err != nil {
			return lost.IgnoreNotFound(err)
		}
		if err := tx.DeletePhotoAssistant(a.Account, location); err != nil {
			return err
		}
		return access.Audit(tx, a, lost.PhotoAssistantOff, location, agreed.Host)
	})
	if err != nil {
		return err
	}
	return s.db.InBatches(ctx, func(tx *store.Tx, limit int) (int64, error) {
		return tx.PruneSuggestionsOf(a.Account, location, limit)
	})
}

// Suggested returns what the assistant suggests for an item, and the name of the model. It is empty if the assistant is
// off at the location, or if the actor may not change the item.
func (s *Assistant) Suggested(ctx context.Context, a lost.Actor, i lost.Item) (f photo.Facts, model string, err error) {
	mayChange := access.May(a, lost.HandleItems, i.LocationID, "item") == nil
	if !mayChange || s.describer.Host() == "" || !photo.Allowed(i) {
		return f, "", nil
	}
	all, err := s.db.PhotoSuggestions(ctx, a.Account, i.ID)
	if err != nil || len(all) == 0 {
		return f, "", err
	}
	all = slices.DeleteFunc(all, func(one photo.Suggestion) bool { return !hasImage(i, one.ImageID) })
	if len(all) == 0 {
		return f, "", nil
	}
	agreed, err := s.db.PhotoAssistant(ctx, a.Account, i.LocationID)
	if err != nil || agreed.Host != s.describer.Host() {
		return f, "", lost.IgnoreNotFound(err)
	}
	return photo.Merge(all), all[0].Assistant, nil
}

// Dismiss deletes what the assistant suggests for an item.
func (s *Assistant) Dismiss(ctx context.Context, a lost.Actor, location, item string) error {
	if err := access.May(a, lost.HandleItems, location, "item"); err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *store.Tx) error {
		i, err := tx.LockItem(a.Account, location, item)
		if err != nil {
			return err
		}
		return tx.DeletePhotoSuggestions(i)
	})
}

func hasImage(i lost.Item, id string) bool {
	return slices.ContainsFunc(i.Images, func(img lost.Image) bool { return img.ID() == id })
}
