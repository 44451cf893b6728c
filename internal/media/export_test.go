package media

import (
	"bytes"
	"context"
)

// MaxRefused is how many failed pictures a Lab remembers.
const MaxRefused = maxRefused

// HoldGate takes the gate of a Lab until release is called.
func HoldGate(l *Lab) (release func()) {
	l.gate <- struct{}{}
	return func() { <-l.gate }
}

// Orientation lets the fuzzer reach the parser without a picture around it.
func Orientation(block []byte) int { return orientation(block) }

// Save keeps a picture under a new name, as tests often do.
func (p *Picture) Save(ctx context.Context, store Store) (name string, err error) {
	name = NewName(p.Ext)
	return name, store.Put(ctx, name, p.Content(), p.Size, p.ContentType)
}

// Refuse makes a Lab remember a name.
func Refuse(l *Lab, name string) { l.refuse(name, errHeavy) }

// Refused tells how many names a Lab remembers.
func Refused(l *Lab) int { return len(l.refused) }

// Heavy tells whether a picture would be decoded, without trying.
func Heavy(data []byte) bool { return surveyed(data).heavy() }

// Memory is the estimate for a picture.
func Memory(data []byte) int64 { return surveyed(data).memory }

// Decode decodes a picture and drops it.
func Decode(ctx context.Context, data []byte) error {
	kind, _ := recognise(data[:12])
	_, err := decode(ctx, kind.ext, bytes.NewReader(data))
	return err
}

func surveyed(data []byte) facts {
	kind, _ := recognise(data[:12])
	seen, err := survey(kind.ext, bytes.NewReader(data))
	if err != nil {
		panic(err)
	}
	return seen
}
