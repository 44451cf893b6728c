package media

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"homeward/internal/lost"
)

// Store keeps files by name. Names come from NewName and ThumbName; any other is
// answered as missing. What Put has acknowledged survives a loss of power.
type Store interface {
	// Put keeps size bytes of r; fewer are an error. A file appears whole or not
	// at all; one of the same name is replaced.
	Put(ctx context.Context, name string, r io.Reader, size int64, contentType string) error
	// Open gives a file to read, or lost.NotFound. The caller closes it.
	Open(ctx context.Context, name string) (*File, error)
	// Delete removes a file. Removing what is gone is no error.
	Delete(ctx context.Context, name string) error
	// Check tries to write, read and delete, and says what is wrong.
	Check(ctx context.Context) error
	// Walk calls visit with the name of every file, in no promised order, until
	// it fails. It holds a bounded number of names at a time.
	Walk(ctx context.Context, visit func(name string) error) error
}

// File is an open file of a Store.
type File struct {
	Content io.ReadSeeker
	Size    int64
	ModTime time.Time
	close   func() error
}

// Close ends the reading.
func (f *File) Close() error { return f.close() }

// Open makes the store that a setting names: a folder, which is made where it is
// missing, or s3://bucket?…, which is not contacted before it is used. The error
// is one line that never shows a secret.
func Open(ctx context.Context, setting string) (Store, error) {
	scheme, _, isURL := strings.Cut(setting, "://")
	switch {
	case setting == "":
		return nil, errors.New("files: need a folder or s3://bucket?…")
	case !isURL:
		return openDisk(ctx, setting)
	case scheme == "s3":
		return openS3(setting)
	}
	return nil, errors.New("files: take a folder or s3://bucket?…, not " + scheme + "://")
}

// Discard removes a picture and its thumbnail. It may be repeated.
func Discard(ctx context.Context, store Store, name string) error {
	// The picture goes first: once it is gone nobody can make the thumbnail anew.
	if err := store.Delete(ctx, name); err != nil {
		return err
	}
	return store.Delete(ctx, ThumbName(name))
}

// exists tells whether a store holds a file.
func exists(ctx context.Context, store Store, name string) (bool, error) {
	f, err := store.Open(ctx, name)
	if lost.CodeOf(err) == lost.NotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, f.Close()
}

// ctxReader ends a copy when its context does.
type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (c ctxReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
