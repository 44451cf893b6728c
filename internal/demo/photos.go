package demo

import (
	"context"
	"errors"
	"slices"

	"homeward/internal/demo/picture"
)

// photos draws pictures in advance, while other steps are waiting for the disk.
type photos struct {
	requested []*find
	queue     chan chan drawn
}

type drawn struct {
	of    *find
	photo []byte
	err   error
}

// drawnAhead is how many pictures are drawn in advance.
const drawnAhead = 8

// request requests a picture of an item. It must be called before begin.
func (p *photos) request(fd *find) { p.requested = append(p.requested, fd) }

// begin starts drawing the requested pictures, in the order in which the items are found.
func (p *photos) begin(ctx context.Context) {
	slices.SortStableFunc(p.requested, func(a, b *find) int { return a.at.Compare(b.at) })
	p.queue = make(chan chan drawn, drawnAhead)
	go func() {
		for _, fd := range p.requested {
			next := make(chan drawn, 1)
			select {
			case p.queue <- next:
			case <-ctx.Done():
				return
			}
			go func() {
				photo, err := picture.Photo(fd.kind.thing, fd.colour, uint64(fd.number))
				next <- drawn{fd, photo, err}
			}()
		}
	}()
}

// take returns an item's picture. The pictures must be taken in the order in which the items are found.
func (p *photos) take(ctx context.Context, fd *find) ([]byte, error) {
	select {
	case next := <-p.queue:
		d := <-next
		if d.of != fd {
			return nil, errors.New("pictures are not taken in the order in which the items are found")
		}
		return d.photo, d.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
