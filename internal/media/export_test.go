package media

import "context"

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
