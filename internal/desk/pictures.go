package desk

import (
	"context"
	"io"

	"homeward/internal/lost"
)

// Uploads receives pictures. It is called outside transactions.
type Uploads interface {
	// Receive reads and prepares one picture of at most limit bytes. Validation errors refer to it as field.
	Receive(ctx context.Context, field string, r io.Reader, limit int64) (Upload, error)
	// Delete removes files.
	Delete(ctx context.Context, names ...string) error
}

// Upload is a picture that was received but is not stored yet.
type Upload interface {
	Image() lost.Image // contains the names that its files will have
	Digest() string    // the digest of the received bytes
	Save(ctx context.Context) error
	Close()
}
