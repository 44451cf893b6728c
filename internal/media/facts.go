package media

import (
	"context"
	"errors"
	"image"
	"io"

	"homeward/internal/lost"
	"homeward/internal/media/photofact"
)

// FindFacts returns what an uploaded picture shows. It reads at most limit bytes, accepts the same formats as Receive,
// with the same limits on pixels and memory, and stores nothing. A picture that is too large to decode has no facts.
// Invalid errors refer to field.
func (l *Processor) FindFacts(ctx context.Context, field string, r io.Reader, limit int64) (facts lost.PhotoFacts,
	err error) {
	raw, err := l.newTemp()
	if err != nil {
		return facts, err
	}
	defer func() { _ = closeTemp(raw) }()
	if err := spool(ctx, raw, r, limit); err != nil {
		return facts, err
	}
	kind, info, err := examine(raw)
	if errors.Is(err, errTooHeavy) {
		return facts, nil
	}
	if err != nil {
		return facts, refusal(field, err)
	}
	wanted := reduction{
		ext: kind.ext, file: raw, info: info, lane: ThumbnailLane, sides: []int{ThumbSide},
	}
	wanted.addFacts()
	err = l.reduce(ctx, wanted, func(copies []*image.RGBA, _ []byte) error {
		facts = photofact.Find(upright(copies[len(copies)-1], info.orientation))
		return nil
	})
	if err != nil {
		return facts, refusal(field, err)
	}
	return facts, nil
}
