package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// s3Object reads an object. Its content is requested only as it is read, from any offset.
type s3Object struct {
	ctx    context.Context //nolint:containedctx // of the caller who opened the object and reads it
	client *s3Client
	key    string
	etag   string // all parts must be of the same version
	size   int64
	at     int64
	body   io.ReadCloser // the content from at on; nil if it was not requested
}

// Read requests the rest of the content, if that was not done, and reads from it.
func (o *s3Object) Read(p []byte) (int, error) {
	if o.at >= o.size {
		return 0, io.EOF
	}
	if o.body == nil {
		header := http.Header{}
		if o.at > 0 {
			header.Set("Range", fmt.Sprintf("bytes=%d-", o.at))
		}
		if o.etag != "" {
			header.Set("If-Match", o.etag)
		}
		//nolint:bodyclose // Close closes it
		res, err := o.client.do(o.ctx, s3Request{method: http.MethodGet, key: o.key, header: header})
		if err != nil {
			return 0, err
		}
		o.body = res.Body
		if o.at > 0 && res.StatusCode != http.StatusPartialContent {
			return 0, errors.Join(errors.New("the server ignores the offset"), o.Close())
		}
	}
	n, err := o.body.Read(p)
	o.at += int64(n)
	if errors.Is(err, io.EOF) && o.at < o.size {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Seek sets the offset for the next Read.
func (o *s3Object) Seek(offset int64, from int) (int64, error) {
	switch from {
	case io.SeekCurrent:
		offset += o.at
	case io.SeekEnd:
		offset += o.size
	}
	if offset < 0 {
		return 0, errors.New("seek before the beginning of a file")
	}
	if offset == o.at {
		return offset, nil
	}
	o.at = offset
	return offset, o.Close()
}

// Close ends the request for the content.
func (o *s3Object) Close() error {
	if o.body == nil {
		return nil
	}
	err := o.body.Close()
	o.body = nil
	return err
}
