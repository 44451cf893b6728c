package demo

import (
	"context"
	"errors"
	"slices"

	"homeward/internal/demo/picture"
)

// photos draws pictures in advance, while other steps wait for the disk.
type photos struct {
	requested []*find
	queue     chan chan drawn
}

type drawn struct {
	of    *find
	photo []byte
	err   error
}

// drawnAhead is the number of pictures that are drawn in advance.
const drawnAhead = 8

// request requests a picture of an item.
func (p *photos) request(fd *find) { p.requested = append(p.requested, fd) }

// begin starts drawing, in the order in which items are found.
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

// take returns the picture of an item, which must be the next one.
func (p *photos) take(ctx context.Context, fd *find) ([]byte, error) {
	select {
	case next := <-p.queue:
		d := <-next
		if d.of != fd {
			return nil, errors.New("pictures are not drawn in the order of the items")
		}
		return d.photo, d.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
