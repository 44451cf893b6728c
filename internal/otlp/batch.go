package otlp

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

const (
	maxQueue  = 2048 // how many records may wait; more are dropped
	batchSize = 512  // how many records are sent together
)

// batcher collects records and sends them together, from a goroutine of its own.
type batcher[T any] struct {
	send    func(ctx context.Context, records []T) error
	onError func(error)
	queue   chan T
	stop    chan struct{}      // closed when the last records are to be sent
	stopped chan struct{}      // closed when they were
	cancel  context.CancelFunc // ends the sending
	once    sync.Once
	dropped atomic.Int64 // records dropped since the last batch
}

// newBatcher returns a batcher that sends records when enough are waiting, or after the delay.
func newBatcher[T any](delay time.Duration, send func(context.Context, []T) error, onError func(error)) *batcher[T] {
	ctx, cancel := context.WithCancel(context.Background()) //nolint:gosec // close calls it
	b := &batcher[T]{
		send: send, onError: onError, queue: make(chan T, maxQueue), stop: make(chan struct{}),
		stopped: make(chan struct{}), cancel: cancel,
	}
	go b.run(ctx, delay)
	return b
}

// add queues a record, or drops it if too many are waiting. It never waits.
func (b *batcher[T]) add(record T) {
	select {
	case b.queue <- record:
	default:
		b.dropped.Add(1)
	}
}

func (b *batcher[T]) run(ctx context.Context, delay time.Duration) {
	defer close(b.stopped)
	timer := time.NewTicker(delay)
	defer timer.Stop()
	batch := make([]T, 0, batchSize)
	flush := func() {
		if n := b.dropped.Swap(0); n > 0 {
			b.onError(fmt.Errorf("%d records were dropped, because too many were waiting", n))
		}
		if len(batch) > 0 {
			if err := b.send(ctx, batch); err != nil {
				b.onError(err)
			}
			batch = make([]T, 0, batchSize)
		}
	}
	for {
		select {
		case record := <-b.queue:
			batch = append(batch, record)
			if len(batch) == batchSize {
				flush()
			}
		case <-timer.C:
			flush()
		case <-b.stop:
			for len(b.queue) > 0 && ctx.Err() == nil {
				batch = append(batch, <-b.queue)
				if len(batch) == batchSize {
					flush()
				}
			}
			flush()
			return
		}
	}
}

// close sends what is waiting. When the context ends, it gives up. Records added later are not sent.
func (b *batcher[T]) close(ctx context.Context) error {
	b.once.Do(func() { close(b.stop) })
	defer b.cancel()
	select {
	case <-b.stopped:
		return nil
	case <-ctx.Done():
		b.cancel()
		<-b.stopped
		return ctx.Err()
	}
}
