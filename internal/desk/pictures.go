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
	// Delete removes files.
	Delete(ctx context.Context, names ...string) error
}

// IncomingPicture is a picture that is being uploaded.
type IncomingPicture struct {
	Field   string // the field that validation errors refer to
	Content io.Reader
	Limit   int64 // the maximum number of bytes
	Public  bool  // sent by a guest or a stranger: decoded in their turn, not in that of staff
	// Signature is set for the picture of a signature, which nothing may cache.
	Signature bool
	// BeforeDecode is called with the digest of the bytes after they were received, and before the picture is
	// decoded, which is expensive. An error rejects the picture. It may be nil.
	BeforeDecode func(digest string) error
}

// Upload is a picture that was received but is not stored yet.
type Upload interface {
	Image() lost.Image // contains the names that its files will have
	Save(ctx context.Context) error
	Close()
}
