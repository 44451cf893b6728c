package assistant

import (
	"context"
	"errors"

	"homeward/internal/lost"
	"homeward/internal/lost/photo"
	"homeward/internal/store"
)

// Outcome is what became of a photo.
type Outcome string

// The outcomes.
const (
	Stored    Outcome = "suggested"
	Nothing   Outcome = "nothing"   // the answer has no usable facts
	Discarded Outcome = "discarded" // the photo shows a face or an identity paper
	Skipped   Outcome = "skipped"   // the photo may not be sent, or its item has changed meanwhile
	Limited   Outcome = "limited"   // the account has sent as many photos as it may today
	Retried   Outcome = "retry"
	Failed    Outcome = "failed"
)

// Outcomes lists all outcomes.
func Outcomes() []Outcome {
	return []Outcome{Stored, Nothing, Discarded, Skipped, Limited, Retried, Failed}
}

// maxAttempts is how often a photo is sent at most, including attempts that were cut off with the service.
const maxAttempts = 3

// PhotoAdded adds a job that describes a photo that was added to an item and verified, if the assistant may see it. It
// reports whether it did. Photos of guests and of strangers are never sent.
func (s *Assistant) PhotoAdded(ctx context.Context, account string, added store.AddedImage) (bool, error) {
	if s.describer.Host() == "" || added.Public {
		return false, nil
	}
	p := store.DescribedPhoto{Location: added.Location, Item: added.Item, File: added.File}
	if _, ok, err := s.may(ctx, s.db, account, p); err != nil || !ok {
		return false, err
	}
	return true, s.db.Write(ctx, func(tx *store.Tx) error { return tx.AddDescribePhotoJob(account, p) })
}

// settingReader reads what decides whether a photo may be sent: the database or a transaction.
type settingReader interface {
	PhotoAssistant(ctx context.Context, account, location string) (photo.Setting, error)
	Item(ctx context.Context, account, location, id string) (lost.Item, error)
}

// may reports whether a photo may be sent now, and returns its item.
func (s *Assistant) may(ctx context.Context, r settingReader, account string, p store.DescribedPhoto) (i lost.Item,
	ok bool, err error) {
	setting, err := r.PhotoAssistant(ctx, account, p.Location)
	if err != nil || setting.Host != s.describer.Host() {
		return i, false, lost.IgnoreNotFound(err)
	}
	i, err = r.Item(ctx, account, p.Location, p.Item)
	if err != nil {
		return i, false, lost.IgnoreNotFound(err)
	}
	return i, hasImage(i, lost.ImageIDOf(p.File)) && photo.MaySend(i), nil
}

// Describe asks what is in a photo, and stores what the answer suggests. Whatever goes wrong at the model, only the
// suggestions are missing: after the last attempt, Describe returns no error.
func (s *Assistant) Describe(ctx context.Context, account string, p store.DescribedPhoto, attempt int) error {
	outcome, err := s.describe(ctx, account, p)
	if err == nil {
		s.observe(outcome)
		return nil
	}
	var failed modelError
	if !errors.As(err, &failed) {
		return err // of the database or the file store: the job is repeated
	}
	if failed.temporary() && attempt < maxAttempts {
		s.observe(Retried)
		return lost.E(lost.Unavailable, "The photo assistant did not answer.").WithCause(failed.cause)
	}
	s.observe(Failed)
	s.log.Warn("photo assistant failed; the item has no suggestions", "account", account, "item", p.Item,
		"attempts", attempt, "error", failed.cause.Error())
	return nil
}

// modelError is an error of the model.
type modelError struct{ cause error }

func (e modelError) Error() string { return e.cause.Error() }
func (e modelError) Unwrap() error { return e.cause }

func (e modelError) temporary() bool {
	t, ok := errors.AsType[interface {
		error
		Temporary() bool
	}](e.cause)
	return ok && t.Temporary()
}

func (s *Assistant) describe(ctx context.Context, account string, p store.DescribedPhoto) (Outcome, error) {
	if s.describer.Host() == "" {
		return Skipped, nil
	}
	if _, ok, err := s.may(ctx, s.db, account, p); err != nil || !ok {
		return Skipped, err
	}
	jpeg, err := s.photos.Reduced(ctx, p.File)
	switch lost.CodeOf(err) {
	case lost.NotFound, lost.Unsupported: // the photo was removed, or cannot be decoded
		return Skipped, nil
	}
	if err != nil {
		return "", err
	}
	language, outcome, err := s.begin(ctx, account, p)
	if err != nil || outcome != "" {
		return outcome, err
	}
	report, err := s.describer.Describe(ctx, jpeg, language)
	if err != nil {
		return "", modelError{err}
	}
	switch {
	case report.Discard():
		return Discarded, nil
	case report.Empty():
		return Nothing, nil
	}
	return s.save(ctx, account, p, report.Facts)
}

// begin counts a request immediately before it is sent, and returns the language of the answer. It returns an outcome
// if the photo may not be sent.
func (s *Assistant) begin(ctx context.Context, account string, p store.DescribedPhoto) (language string,
	outcome Outcome, err error) {
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		outcome = ""
		_, ok, err := s.may(tx.Context(), tx, account, p)
		if err != nil || !ok {
			outcome = Skipped
			return err
		}
		l, err := tx.Location(tx.Context(), account, p.Location)
		if err != nil {
			return err
		}
		language = languageName(l.Language)
		counted, err := tx.CountPhotoRequest(account, today(tx.Now()), s.limit)
		if err == nil && !counted {
			outcome = Limited
		}
		return err
	})
	return language, outcome, err
}

// save stores the facts, unless the item or the settings have changed so that the photo could no longer be sent. It
// locks the setting first, so that nothing is stored after SwitchOff has deleted the suggestions.
func (s *Assistant) save(ctx context.Context, account string, p store.DescribedPhoto, f photo.Facts) (outcome Outcome,
	err error) {
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		outcome = Skipped
		if _, err := tx.LockPhotoAssistant(account, p.Location); err != nil {
			return lost.IgnoreNotFound(err)
		}
		if _, err := tx.LockItem(account, p.Location, p.Item); err != nil {
			return lost.IgnoreNotFound(err)
		}
		i, ok, err := s.may(tx.Context(), tx, account, p)
		if err != nil || !ok {
			return err
		}
		outcome = Stored
		err = tx.SavePhotoSuggestion(photo.Suggestion{
			Account: account, LocationID: p.Location, ItemID: p.Item, ImageID: lost.ImageIDOf(p.File),
			Assistant: s.describer.Model(), At: tx.Now(), Facts: f,
		})
		if err != nil || !s.matches || f.Description == "" || !i.Matchable() {
			return err
		}
		return tx.AddMatchJobs(account, []string{i.ID}, tx.Now())
	})
	return outcome, err
}

// languageName returns the English name of a language that descriptions can have.
func languageName(tag string) string {
	names := map[string]string{
		"de": "German", "es": "Spanish", "fr": "French", "it": "Italian", "ja": "Japanese", "nl": "Dutch",
		"pl": "Polish", "pt": "Portuguese", "zh": "Chinese",
	}
	if name, ok := names[tag]; ok {
		return name
	}
	return "English"
}
