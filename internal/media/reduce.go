package media

import (
	"context"
	"errors"
	"image"
	"io"
	"runtime"
	"slices"

	"homeward/internal/media/photofact"
)

// reduction describes a picture that is decoded to make smaller copies of it.
type reduction struct {
	ext   string
	file  io.ReadSeeker
	info  pictureInfo
	lane  Lane
	sides []int // the maximum length of the longer side of each copy
	more  int64 // memory that is needed in addition, in bytes
}

// factsMemory is the memory that a copy for the facts of a picture needs, and that finding the facts needs.
const factsMemory = 2 * 4 * photofact.MaxSide * photofact.MaxSide

// addFacts adds a copy that is large enough to find the facts of the picture. It does not if the copy would exceed the
// budget: then the largest of the other copies must do.
func (r *reduction) addFacts() {
	if r.info.thumbnailMemory()+factsMemory <= budget {
		r.sides, r.more = append(r.sides, photofact.MaxSide), factsMemory
	}
}

// reduce decodes a picture in its turn and calls use with its copies, which are not upright yet, and its colour
// profile. The decoded picture can be garbage-collected by then.
func (l *Processor) reduce(ctx context.Context, r reduction,
	use func(copies []*image.RGBA, profile []byte) error) error {
	acquire := l.decoders.acquire
	if r.lane != ThumbnailLane { // nobody is waiting for a response
		acquire = l.acquireAfterBurst
	}
	work := func(decode func(context.Context, string, io.ReadSeeker) (decoded, error), memory int64) error {
		release, err := acquire(ctx, r.lane, memory)
		if err != nil {
			return err
		}
		return l.run(ctx, memory, release, func() error {
			copies, profile, err := r.copies(ctx, decode)
			if err != nil {
				return err
			}
			if memory > budget/2 {
				runtime.GC() // frees the decoded picture before use needs memory
			}
			return use(copies, profile)
		})
	}
	if block := r.info.scaledBlock(slices.Max(r.sides)); block < jpegBlock {
		scaled := func(ctx context.Context, _ string, in io.ReadSeeker) (decoded, error) {
			return decodeScaledJPEG(ctx, in, r.info, block)
		}
		if err := work(scaled, r.info.scaledMemory(block)+r.more); !errors.Is(err, errNotScaled) {
			return err
		}
		acquire = l.decoders.acquire // it has waited already
	}
	return work(decode, r.info.thumbnailMemory()+r.more)
}

// copies decodes the picture and returns its copies and its colour profile.
func (r reduction) copies(ctx context.Context,
	decode func(context.Context, string, io.ReadSeeker) (decoded, error),
) (all []*image.RGBA, profile []byte, err error) {
	if _, err := r.file.Seek(0, io.SeekStart); err != nil {
		return nil, nil, err
	}
	d, err := decode(ctx, r.ext, r.file)
	if err != nil {
		return nil, nil, err
	}
	if _, err := r.file.Seek(0, io.SeekStart); err != nil {
		return nil, nil, err
	}
	if profile, err = profileOf(r.ext, d.image, r.file); err != nil {
		return nil, nil, err
	}
	for _, side := range r.sides {
		all = append(all, resample(d, fit(d.size, side)))
	}
	return all, profile, nil
}
