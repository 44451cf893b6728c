package app

import (
	"context"
	"errors"
	"io"
	"time"

	"homeward/internal/lost"
	"homeward/internal/media"
	"homeward/internal/tracing"
)

// meteredFiles is a file store that measures and traces each operation.
type meteredFiles struct {
	media.Store
	metrics *metrics
	suspect func() // called after an operation has failed; may be nil
}

// measure runs one operation and records its duration. The duration of a read is the time to open the file.
func (c meteredFiles) measure(ctx context.Context, operation string, do func(context.Context) error) error {
	ctx, span := tracing.StartClientSpan(ctx, "file "+operation)
	start := time.Now()
	err := do(ctx)
	outcome := "ok"
	switch {
	case err == nil:
	case lost.CodeOf(err) == lost.NotFound:
		outcome = "missing"
	case errors.Is(ctx.Err(), context.Canceled): // by the caller
		outcome = "canceled"
	default:
		outcome = "error"
	}
	if outcome == "error" && operation != "check" && c.suspect != nil {
		c.suspect()
	}
	c.metrics.files.WithLabelValues(operation, outcome).Observe(time.Since(start).Seconds())
	span.Set("homeward.outcome", outcome)
	span.End(err)
	return err
}

// Put stores a file.
func (c meteredFiles) Put(ctx context.Context, name string, r io.Reader, size int64, contentType string) error {
	return c.measure(ctx, "put", func(ctx context.Context) error {
		return c.Store.Put(ctx, name, r, size, contentType)
	})
}

// Stage creates a file without a name, if the store can do that.
func (c meteredFiles) Stage() (*media.Staged, error) { return media.Stage(c.Store) }

// Keep stores a staged file.
func (c meteredFiles) Keep(ctx context.Context, f *media.Staged, name string) error {
	store, is := c.Store.(media.Stager)
	if !is {
		return errors.New("files: this store has no staged files")
	}
	return c.measure(ctx, "put", func(ctx context.Context) error { return store.Keep(ctx, f, name) })
}

// Open opens a file. Its content is read later, under the caller's context.
func (c meteredFiles) Open(ctx context.Context, name string) (f *media.File, err error) {
	err = c.measure(ctx, "open", func(context.Context) error {
		f, err = c.Store.Open(ctx, name)
		return err
	})
	return f, err
}

// Delete removes a file.
func (c meteredFiles) Delete(ctx context.Context, name string) error {
	return c.measure(ctx, "delete", func(ctx context.Context) error { return c.Store.Delete(ctx, name) })
}

// Check tests whether files can be written, read and deleted.
func (c meteredFiles) Check(ctx context.Context) error { return c.measure(ctx, "check", c.Store.Check) }

// Close closes the store if it can be closed.
func (c meteredFiles) Close() error {
	if s, is := c.Store.(io.Closer); is {
		return s.Close()
	}
	return nil
}
