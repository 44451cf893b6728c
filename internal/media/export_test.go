package media

import (
	"bytes"
	"context"
)

// MaxRefused is the number of rejected pictures that a Processor remembers.
const MaxRefused = maxRefused

// HoldGate prevents a Processor from decoding until release is called.
func HoldGate(l *Processor) (release func()) {
	release, err := l.decoders.acquire(context.Background(), StaffLane, budget)
	if err != nil {
		panic(err)
	}
	return release
}

// HoldOtherLanes prevents a Processor from decoding pictures of other lanes than StaffLane until release is called.
func HoldOtherLanes(l *Processor) (release func()) {
	var held []func()
	for range l.decoders.slots - 1 {
		one, err := l.decoders.acquire(context.Background(), PublicLane, 1)
		if err != nil {
			panic(err)
		}
		held = append(held, one)
	}
	return func() {
		for _, one := range held {
			one()
		}
	}
}

// ThumbNameOf is the name of the thumbnail with a side.
func ThumbNameOf(name string, side int) string { return thumbName(name, side) }

// Orientation lets the fuzzer call the EXIF parser without a picture.
func Orientation(block []byte) int { return orientation(block) }

// Save stores a picture under a new name.
func (p *Picture) Save(ctx context.Context, store Store) (name string, err error) {
	name = NewName(p.Ext)
	return name, store.Put(ctx, name, p.Content(), p.Size, p.ContentType)
}

// Refuse makes a Processor remember that it rejected a picture.
func Refuse(l *Processor, name string) { l.rememberRefusal(name, errTooHeavy) }

// Refused returns how many rejected pictures a Processor remembers.
func Refused(l *Processor) int { return len(l.refused) }

// Heavy reports whether decoding a picture would exceed the memory budget.
func Heavy(data []byte) bool { return mustReadHeader(data).exceedsBudget() }

// Memory returns the estimated memory for decoding a picture, in bytes.
func Memory(data []byte) int64 { return mustReadHeader(data).memory }

// Decode decodes a picture and discards the result.
func Decode(ctx context.Context, data []byte) error {
	kind, _ := recognise(data[:12])
	_, err := decode(ctx, kind.ext, bytes.NewReader(data))
	return err
}

func mustReadHeader(data []byte) pictureInfo {
	kind, _ := recognise(data[:12])
	info, err := readHeader(kind.ext, bytes.NewReader(data))
	if err != nil {
		panic(err)
	}
	return info
}
