package desk

import (
	"context"
	"io"

	"homeward/internal/lost"
)

// Uploads receives pictures. It is met outside transactions: files are not the database's.
type Uploads interface {
	// Receive reads one picture of at most limit bytes and prepares it. field names it in errors.
	Receive(ctx context.Context, field string, r io.Reader, limit int64) (Upload, error)
	// Delete removes files.
	Delete(ctx context.Context, names ...string) error
}

// Upload is a picture that was received and is not yet kept.
type Upload interface {
	Image() lost.Image // with the names it will have
	Digest() string    // of the bytes that came in
	Keep(ctx context.Context) error
	Close()
}
