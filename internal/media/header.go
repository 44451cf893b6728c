package media

import (
	"errors"
	"fmt"
	"io"
)

// errHeader stops reading a file where its pixels begin.
var errHeader = errors.New("end of the header")

// readHeader reads a cleaned picture's header and stops where the pixels begin.
func readHeader(ext string, r io.Reader) (pictureInfo, error) {
	in := newReader(r)
	kind, err := formatOf(in)
	if err != nil {
		return pictureInfo{}, err
	}
	if kind.ext != ext {
		return pictureInfo{}, unsupportedFormat()
	}
	info, err := kind.clean(in, newHeaderWriter())
	if errors.Is(err, errHeader) {
		err = nil
	}
	return info, err
}

// formatOf recognises a file's format without consuming any bytes.
func formatOf(in *reader) (format, error) {
	head, err := in.Peek(12)
	if err != nil && !errors.Is(err, io.EOF) {
		return format{}, fmt.Errorf("read picture: %w", err)
	}
	kind, ok := recognise(head)
	if !ok {
		return format{}, unsupportedFormat()
	}
	return kind, nil
}
