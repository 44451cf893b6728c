package app

import (
	"context"
	"io"
	"time"

	"homeward/internal/lost"
	"homeward/internal/media"
	"homeward/internal/tracing"
)

// meteredFiles is where files are kept, with an eye on how long that takes.
type meteredFiles struct {
	media.Store
	metrics *metrics
}

// seen measures one operation. What is measured of reading is that the file is there and open.
func (c meteredFiles) seen(ctx context.Context, operation string, do func(context.Context) error) error {
	ctx, span := tracing.Call(ctx, "file "+operation)
	start := time.Now()
	err := do(ctx)
	outcome := "ok"
	switch {
	case err == nil:
	case lost.CodeOf(err) == lost.NotFound:
		outcome = "missing"
	case ctx.Err() != nil: // whoever asked is gone
		outcome = "canceled"
	default:
		outcome = "error"
	}
	c.metrics.files.WithLabelValues(operation, outcome).Observe(time.Since(start).Seconds())
	span.Set("homeward.outcome", outcome)
	span.End(err)
	return err
}

// Put keeps a file.
func (c meteredFiles) Put(ctx context.Context, name string, r io.Reader, size int64, contentType string) error {
	return c.seen(ctx, "put", func(ctx context.Context) error { return c.Store.Put(ctx, name, r, size, contentType) })
}

// Open gives a file. It is read after that, with the caller's own context.
func (c meteredFiles) Open(ctx context.Context, name string) (f *media.File, err error) {
	err = c.seen(ctx, "open", func(context.Context) error {
		f, err = c.Store.Open(ctx, name)
		return err
	})
	return f, err
}

// Delete removes a file.
func (c meteredFiles) Delete(ctx context.Context, name string) error {
	return c.seen(ctx, "delete", func(ctx context.Context) error { return c.Store.Delete(ctx, name) })
}

// Check tries them all.
func (c meteredFiles) Check(ctx context.Context) error { return c.seen(ctx, "check", c.Store.Check) }

// Close gives the place up, where there is something to give up.
func (c meteredFiles) Close() error {
	if s, is := c.Store.(io.Closer); is {
		return s.Close()
	}
	return nil
}
