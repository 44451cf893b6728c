package media

import (
	"errors"
	"fmt"
	"io"
)

// errHeader ends a walk that wants only what stands before the pixels.
var errHeader = errors.New("header ends")

// survey reads the facts of a cleaned picture up to its pixels.
func survey(ext string, r io.Reader) (facts, error) {
	in := newReader(r)
	kind, err := formatOf(in)
	if err != nil {
		return facts{}, err
	}
	if kind.ext != ext {
		return facts{}, notTaken()
	}
	seen, err := kind.clean(in, newHeaderWriter())
	if errors.Is(err, errHeader) {
		err = nil
	}
	return seen, err
}

// formatOf recognises a file without reading on.
func formatOf(in *reader) (format, error) {
	head, err := in.Peek(12)
	if err != nil && !errors.Is(err, io.EOF) {
		return format{}, fmt.Errorf("read picture: %w", err)
	}
	kind, ok := recognise(head)
	if !ok {
		return format{}, notTaken()
	}
	return kind, nil
}
