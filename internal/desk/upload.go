package desk

import (
	"context"
	"errors"
	"io"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// Uploads receives pictures. It is called outside transactions.
type Uploads interface {
	// Receive reads and prepares one picture.
	Receive(ctx context.Context, p IncomingPicture) (Upload, error)
	// Verify decodes a stored picture whose upload was Deferred, and creates its thumbnails. A picture that was sent by
	// a guest or a stranger is decoded in their turn.
	Verify(ctx context.Context, file string, public bool) (Verified, error)
	// FindFacts returns what a picture shows, without storing anything. It reads at most limit bytes. Invalid errors
	// refer to field.
	FindFacts(ctx context.Context, field string, content io.Reader, limit int64) (lost.PhotoFacts, error)
	// Blurred returns a stored picture as a PNG in which nothing can be read.
	Blurred(ctx context.Context, file string) ([]byte, error)
	// Delete removes files.
	Delete(ctx context.Context, names ...string) error
}

// IncomingPicture is a picture that is being uploaded.
type IncomingPicture struct {
	Field   string // the field that validation errors refer to
	Content io.Reader
	Limit   int64 // the maximum number of bytes
	Public  bool  // sent by a guest or a stranger: decoded in their turn, not in that of staff
	// Deferred is set for a picture that is verified by a job, after it was stored.
	Deferred bool
	// Signature is set for the picture of a signature, which nothing may cache.
	Signature bool
	// BeforeDecode is called with the digest of the bytes after they were received, and before the picture is
	// stored or decoded, which is expensive. An error rejects the picture. It may be nil.
	BeforeDecode func(digest string) error
}

// Verified is the result of decoding a stored picture.
type Verified struct {
	Damaged bool             // the picture cannot be displayed
	Facts   *lost.PhotoFacts // nil if the picture was not decoded, for example because it is too large
}

// Upload is a picture that was received but is not stored yet.
type Upload interface {
	Image() lost.Image // contains the names that its files will have
	Save(ctx context.Context) error
	Close()
}

// pictures receives pictures and attaches them to records.
type pictures struct {
	db      *store.DB
	uploads Uploads
}

// The largest pictures that are accepted, in bytes.
const (
	MaxLogo  = 2 << 20
	MaxImage = 10 << 20
)

// orphanAfter is how long an uploaded file may exist before it is deleted if no record refers to it.
const orphanAfter = time.Hour

// errRepeated stops an upload that was already processed. It is never returned to callers of a use case.
var errRepeated = errors.New("this upload was already processed")

// upload receives a picture, stores its file and calls attach, which adds the picture to a record and reports whether
// it did. Before the picture is stored or decoded, it calls check with the digest of the received bytes. Both are
// expensive, so check must reject everything that attach would reject. If check returns errRepeated, upload ends
// without an error. It may be nil if the caller has checked before the upload; attach still rejects.
//
// Before the file is stored, a job is added that deletes it later. attach calls keep to remove that job, so a crash
// leaves no orphaned file.
func (p *pictures) upload(ctx context.Context, a lost.Actor, in IncomingPicture, check func(digest string) error,
	attach func(image lost.Image, keep func(*store.Tx) error) (claimed bool, err error),
) error {
	in.Public = isPublic(a)
	in.BeforeDecode = check
	up, err := p.uploads.Receive(ctx, in)
	if errors.Is(err, errRepeated) {
		return nil
	}
	if err != nil {
		return err
	}
	defer up.Close()
	image := up.Image()
	var sweep string
	err = p.db.Write(ctx, func(tx *store.Tx) error {
		sweep, err = tx.AddDeleteFileJob(a.Account, image.File, tx.Now().Add(orphanAfter))
		return err
	})
	if err != nil {
		return err
	}
	if err := up.Save(ctx); err != nil {
		return err
	}
	claimed, err := attach(image, func(tx *store.Tx) error { return tx.DeleteJob(a.Account, sweep) })
	if err == nil && !claimed || failedBeforeCommit(err) { // nothing refers to the file
		_ = p.uploads.Delete(context.WithoutCancel(ctx), image.File) // if this fails, the job deletes the file
	}
	return err
}

// isPublic reports whether an actor is a guest or a stranger, whose pictures must not delay those of staff.
func isPublic(a lost.Actor) bool { return a.Kind == lost.ByGuest || a.Kind == lost.ByPublic }

// findRepeated returns errRepeated and the record from the first time if a request with the same idempotency key was
// already processed.
func findRepeated[T any](ctx context.Context, db *store.DB, a lost.Actor, o lost.IdempotencyKey) (T, error) {
	first, found, err := access.FindCreated[T](ctx, db, a, o)
	if err == nil && found {
		err = errRepeated
	}
	return first, err
}

// failedBeforeCommit reports whether an error certainly happened before the commit. After any other error, the
// transaction may have been committed, and with it the removal of the job that deletes the file.
func failedBeforeCommit(err error) bool {
	code := lost.CodeOf(err)
	return err != nil &&
		(code == lost.NotFound || code == lost.Conflict || code == lost.PreconditionFailed || code == lost.Invalid ||
			code == lost.TooMany)
}
