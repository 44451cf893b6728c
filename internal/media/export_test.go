package media

import (
	"bytes"
	"context"
)

// MaxRefused is the number of refused pictures that a Processor remembers.
const MaxRefused = maxRefused

// HoldGate prevents a Processor from decoding until release is called.
func HoldGate(l *Processor) (release func()) {
	l.gate <- struct{}{}
	return func() { <-l.gate }
}

// Orientation lets the fuzzer call the parser without a picture.
func Orientation(block []byte) int { return orientation(block) }

// Save stores a picture under a new name.
func (p *Picture) Save(ctx context.Context, store Store) (name string, err error) {
	name = NewName(p.Ext)
	return name, store.Put(ctx, name, p.Content(), p.Size, p.ContentType)
}

// Refuse makes a Processor remember that it refused a name.
func Refuse(l *Processor, name string) { l.rememberRefusal(name, errTooHeavy) }

// Refused returns the number of names that a Processor remembers.
func Refused(l *Processor) int { return len(l.refused) }

// Heavy reports whether a picture exceeds the budget, without decoding it.
func Heavy(data []byte) bool { return mustReadHeader(data).exceedsBudget() }

// Memory returns the estimated memory for a picture.
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
