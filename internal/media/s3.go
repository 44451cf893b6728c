package media

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"homeward/internal/lost"
)

// s3 is a Store in a bucket.
type s3 struct {
	client *s3Client
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
	limited, cancel := context.WithTimeout(ctx, s3PutTime) // a server might read very slowly
	defer cancel()
	res, err := s.client.do(limited, s3Request{
		method: http.MethodPut, key: key, body: r, size: size, header: http.Header{"Content-Type": {contentType}},
	})
	if err != nil {
		return unavailable(ctx, err)
	}
	return unavailable(ctx, finish(res))
}

// Open opens an object. Its content is requested only as it is read, from any offset.
func (s *s3) Open(ctx context.Context, name string) (*File, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	return s.open(ctx, s.prefix+name)
}

func (s *s3) open(ctx context.Context, key string) (*File, error) {
	res, err := s.client.do(ctx, s3Request{method: http.MethodHead, key: key})
	switch {
	case s3Status(err) == http.StatusNotFound:
		return nil, lost.Missing("file").WithCause(err)
	case err != nil:
		return nil, unavailable(ctx, err)
	}
	if err := finish(res); err != nil {
		return nil, unavailable(ctx, err)
	}
	if res.ContentLength < 0 {
		return nil, unavailable(ctx, errors.New("the server does not return the size of a file"))
	}
	changed, _ := http.ParseTime(res.Header.Get("Last-Modified")) // zero means unknown
	object := &s3Object{ctx: ctx, client: s.client, key: key, etag: res.Header.Get("ETag"), size: res.ContentLength}
	return &File{Content: object, Size: object.size, ModTime: changed, close: object.Close}, nil
}

// finish reads the rest of a response, so that its connection can be used again.
func finish(res *http.Response) error {
	const maxRest = 1 << 16
	_, err := io.CopyN(io.Discard, res.Body, maxRest)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, res.Body.Close())
}

// Delete removes an object.
func (s *s3) Delete(ctx context.Context, name string) error {
	if !IsName(name) {
		return nil
	}
	return s.remove(ctx, s.prefix+name)
}

func (s *s3) remove(ctx context.Context, key string) error {
	res, err := s.client.do(ctx, s3Request{method: http.MethodDelete, key: key})
	if e, ok := errors.AsType[*s3Error](err); ok && e.Status == http.StatusNotFound && e.Code != "NoSuchBucket" {
		return nil // unlike Amazon, some servers return this error
	}
	if err != nil {
		return unavailable(ctx, err)
	}
	return unavailable(ctx, finish(res))
}

// Check writes, reads and deletes an object, and returns an error if a step fails.
func (s *s3) Check(ctx context.Context) error {
	res, err := s.client.do(ctx, s3Request{method: http.MethodHead})
	if s3Status(err) == http.StatusNotFound {
		return fmt.Errorf("files: bucket %q does not exist", s.bucket)
	}
	if err == nil {
		err = finish(res)
	}
	if err != nil {
		return fmt.Errorf("files: cannot reach bucket %q: %w", s.bucket, err)
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
	query := url.Values{"list-type": {"2"}, "encoding-type": {"url"}, "prefix": {s.prefix}}
	for {
		page, err := s.list(ctx, query)
		if err != nil {
			return unavailable(ctx, err)
		}
		for _, object := range page.Contents {
			key, err := url.QueryUnescape(object.Key)
			if err != nil || page.EncodingType != "url" {
				key = object.Key
			}
			name := strings.TrimPrefix(key, s.prefix)
			if !IsName(name) {
				continue // does not belong to this service
			}
			if err := visit(name); err != nil {
				return err
			}
		}
		if !page.IsTruncated || page.NextContinuationToken == "" {
			return ctx.Err()
		}
		query.Set("continuation-token", page.NextContinuationToken)
	}
}

// s3Page is a part of the list of objects.
type s3Page struct {
	Contents              []struct{ Key string }
	EncodingType          string
	IsTruncated           bool
	NextContinuationToken string
}

func (s *s3) list(ctx context.Context, query url.Values) (page s3Page, err error) {
	res, err := s.client.do(ctx, s3Request{method: http.MethodGet, query: query})
	if err != nil {
		return page, err
	}
	err = xml.NewDecoder(res.Body).Decode(&page)
	return page, errors.Join(err, finish(res))
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
	if code := s3Status(err); code >= 400 && code < 500 && code != http.StatusTooManyRequests {
		return fmt.Errorf("files: %w", err) // caused by a wrong setting, so retrying does not help
	}
	return lost.E(lost.Unavailable, "The file storage is not available right now.").WithCause(err)
}
