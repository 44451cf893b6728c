package desk

import (
	"context"
	"io"

	"homeward/internal/lost"
)

// Uploads receives pictures. It is called outside transactions.
type Uploads interface {
	// Receive reads and prepares one picture.
	Receive(ctx context.Context, p IncomingPicture) (Upload, error)
	// Verify decodes a stored picture whose upload was Deferred, and creates its thumbnails. It reports whether the
	// picture is damaged. A picture that was sent by a guest or a stranger is decoded in their turn.
	Verify(ctx context.Context, file string, public bool) (damaged bool, err error)
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

// Upload is a picture that was received but is not stored yet.
type Upload interface {
	Image() lost.Image // contains the names that its files will have
	Save(ctx context.Context) error
	Close()
}
