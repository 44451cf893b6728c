package media

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"homeward/internal/lost"
)

// Store stores files by name. Names come from NewName and ThumbName; any other name is treated as not found. Once Put
// has returned, a file survives a power failure.
type Store interface {
	// Put stores size bytes from r. It returns an error if r has fewer bytes. The file appears completely or not at
	// all, and replaces an existing file with the same name.
	Put(ctx context.Context, name string, r io.Reader, size int64, contentType string) error
	// Open opens a file, or returns lost.NotFound. The caller must close the file.
	Open(ctx context.Context, name string) (*File, error)
	// Delete removes a file. Deleting a file that does not exist is not an error.
	Delete(ctx context.Context, name string) error
	// Check writes, reads and deletes a file, and returns an error if a step fails.
	Check(ctx context.Context) error
	// Walk calls visit with the name of every file, in any order, until visit returns an error. It holds only a
	// limited number of names in memory.
	Walk(ctx context.Context, visit func(name string) error) error
}

// File is an open file from a Store.
type File struct {
	Content io.ReadSeeker
	Size    int64
	ModTime time.Time
	close   func() error
}

// Close closes the file.
func (f *File) Close() error { return f.close() }

// Open opens the store for a setting. The setting is a folder, which is created if it does not exist, or
// s3://bucket?…, which is contacted only when it is first used. An error is one line and never contains a secret.
func Open(ctx context.Context, setting string) (Store, error) {
	scheme, _, isURL := strings.Cut(setting, "://")
	switch {
	case setting == "":
		return nil, errors.New("files: the setting is empty; use a folder or s3://bucket?…")
	case !isURL:
		return openDisk(ctx, setting)
	case scheme == "s3":
		return openS3(setting)
	}
	return nil, errors.New("files: use a folder or s3://bucket?…, not " + scheme + "://")
}

// DeletePicture removes a picture and its thumbnails, if they exist.
func DeletePicture(ctx context.Context, store Store, name string) error {
	// The picture is deleted first, so that its thumbnails cannot be made again.
	if err := store.Delete(ctx, name); err != nil {
		return err
	}
	return deleteThumbnails(ctx, store, name)
}

func deleteThumbnails(ctx context.Context, store Store, name string) error {
	for _, side := range lost.ThumbnailSides() {
		if err := store.Delete(ctx, thumbName(name, side)); err != nil {
			return err
		}
	}
	return nil
}

// exists reports whether a store contains a file.
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

// ctxReader stops reading when its context ends.
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
