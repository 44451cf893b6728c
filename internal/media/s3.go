package media

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/minio/minio-go/v7"

	"homeward/internal/lost"
)

// s3 is a Store in a bucket.
type s3 struct {
	client *minio.Client
	bucket string
	prefix string
}

// Put uploads the file in one request. An S3 object becomes visible only when it is complete.
func (s *s3) Put(ctx context.Context, name string, r io.Reader, size int64, contentType string) error {
	if err := checkName(name); err != nil {
		return err
	}
	return s.put(ctx, s.prefix+name, r, size, contentType)
}

func (s *s3) put(ctx context.Context, key string, r io.Reader, size int64, contentType string) error {
	if size < 0 {
		return errors.New("put file: the size must be known")
	}
	// A multipart upload would hold 16 MB of each file in memory.
	opts := minio.PutObjectOptions{ContentType: contentType, DisableMultipart: true}
	limited, cancel := context.WithTimeout(ctx, s3PutTime) // a server might read very slowly
	defer cancel()
	_, err := s.client.PutObject(limited, s.bucket, key, r, size, opts)
	return unavailable(ctx, err)
}

// Open opens an object. Its content is requested only as it is read, from any offset.
func (s *s3) Open(ctx context.Context, name string) (*File, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	return s.open(ctx, s.prefix+name)
}

func (s *s3) open(ctx context.Context, key string) (*File, error) {
	object, err := s.client.GetObject(ctx, s.bucket, key, minio.GetObjectOptions{})
	if err != nil {
		return nil, unavailable(ctx, err)
	}
	info, err := object.Stat()
	if err != nil {
		_ = object.Close()
		if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
			return nil, lost.Missing("file").WithCause(err)
		}
		return nil, unavailable(ctx, err)
	}
	return &File{Content: object, Size: info.Size, ModTime: info.LastModified, close: object.Close}, nil
}

// Delete removes an object.
func (s *s3) Delete(ctx context.Context, name string) error {
	if !IsName(name) {
		return nil
	}
	return s.remove(ctx, s.prefix+name)
}

func (s *s3) remove(ctx context.Context, key string) error {
	err := s.client.RemoveObject(ctx, s.bucket, key, minio.RemoveObjectOptions{})
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		return nil // unlike Amazon, some servers return this error
	}
	return unavailable(ctx, err)
}

// Check writes, reads and deletes an object, and returns an error if a step fails.
func (s *s3) Check(ctx context.Context) error {
	found, err := s.client.BucketExists(ctx, s.bucket)
	if err != nil {
		return fmt.Errorf("files: cannot reach bucket %q: %w", s.bucket, err)
	}
	if !found {
		return fmt.Errorf("files: bucket %q does not exist", s.bucket)
	}
	want := []byte("homeward")
	key := s.prefix + ".check-" + strings.ToLower(rand.Text())
	if err := s.put(ctx, key, bytes.NewReader(want), int64(len(want)), "text/plain"); err != nil {
		return fmt.Errorf("files: cannot write to bucket %q: %w", s.bucket, err)
	}
	got, err := s.read(ctx, key)
	if err := errors.Join(err, s.remove(ctx, key)); err != nil { // remove the object even if it could not be read
		return fmt.Errorf("files: cannot read from or delete in bucket %q: %w", s.bucket, err)
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("files: bucket %q returned different content than was written", s.bucket)
	}
	return nil
}

// read returns the content of a small object.
func (s *s3) read(ctx context.Context, key string) ([]byte, error) {
	f, err := s.open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f.Content, 1024))
}

// Walk lists the bucket page by page.
func (s *s3) Walk(ctx context.Context, visit func(name string) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // stops the listing if visit fails
	opts := minio.ListObjectsOptions{Prefix: s.prefix, Recursive: true}
	for object := range s.client.ListObjectsIter(ctx, s.bucket, opts) {
		if object.Err != nil {
			return unavailable(ctx, object.Err)
		}
		name := strings.TrimPrefix(object.Key, s.prefix)
		if !IsName(name) {
			continue // does not belong to this service
		}
		if err := visit(name); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// unavailable converts a failed request to an Unavailable error, so that the caller may try again. If the caller's
// context has ended, it returns the context's error.
func unavailable(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if code := minio.ToErrorResponse(err).StatusCode; code >= 400 && code < 500 && code != http.StatusTooManyRequests {
		return fmt.Errorf("files: %w", err) // caused by a wrong setting, so retrying does not help
	}
	return lost.E(lost.Unavailable, "The file storage is not available right now.").WithCause(err)
}
