package media

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

const bufferSize = 32 << 10

// errBroken is returned for a file that violates the rules of its format.
var errBroken = errors.New("broken structure")

func brokenFile(why string) error { return fmt.Errorf("%w: %s", errBroken, why) }

// errVariant is returned for a valid file of a kind that browsers do not display.
var errVariant = errors.New("unsupported variant")

// tooManyPixels holds the dimensions that a header claims.
type tooManyPixels struct{ width, height int }

func (e tooManyPixels) Error() string { return fmt.Sprintf("%d x %d pixels", e.width, e.height) }

// checkSize returns an error for dimensions that are impossible or too large to decode.
func checkSize(width, height int) error {
	if width <= 0 || height <= 0 {
		return brokenFile("no pixels")
	}
	if int64(width)*int64(height) > MaxPixels {
		return tooManyPixels{width, height}
	}
	return nil
}

// reader reads an untrusted file. Its buffer has a fixed size, regardless of the lengths in the file.
type reader struct{ *bufio.Reader }

func newReader(r io.Reader) *reader { return &reader{bufio.NewReaderSize(r, bufferSize)} }

// The buffers of uploads are used again, because each takes much more memory than the rest of a request.
var (
	readers = sync.Pool{New: func() any { return newReader(nil) }}
	writers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, bufferSize) }}
)

// fill reads exactly len(p) bytes.
func (r *reader) fill(p []byte) error {
	_, err := io.ReadFull(r, p)
	return err
}

// skip discards n bytes.
func (r *reader) skip(n int64) error {
	for n > 0 {
		d, err := r.Discard(int(min(n, bufferSize)))
		if err != nil {
			return err
		}
		n -= int64(d)
	}
	return nil
}

// copyTo copies n bytes.
func (r *reader) copyTo(w io.Writer, n int64) error {
	for n > 0 {
		p, err := r.Peek(int(min(n, bufferSize)))
		if err != nil {
			return err
		}
		if _, err := w.Write(p); err != nil {
			return err
		}
		if _, err := r.Discard(len(p)); err != nil {
			return err
		}
		n -= int64(len(p))
	}
	return nil
}

// head reads n bytes and returns the first keep of them.
func (r *reader) head(keep, n int64) ([]byte, error) {
	p := make([]byte, min(n, keep))
	if err := r.fill(p); err != nil {
		return nil, err
	}
	return p, r.skip(n - int64(len(p)))
}

// writer writes a cleaned file. After an error, all later writes fail and flush returns the error, so the cleaners
// need not check each small write.
type writer struct {
	file *os.File // nil when reading only the header
	buf  *bufio.Writer
	at   int64 // bytes written so far

	keepOrientation bool // write the orientation of a JPEG, its only metadata
}

func newWriter(f *os.File) *writer {
	return &writer{file: f, buf: bufio.NewWriterSize(f, bufferSize)}
}

// newHeaderWriter returns a writer that discards everything and stops the cleaning where the pixels begin.
func newHeaderWriter() *writer { return &writer{buf: bufio.NewWriterSize(io.Discard, 512)} }

// pixels is called where the encoded pixels begin, when all information about them is known.
func (w *writer) pixels() error {
	if w.file == nil {
		return errHeader
	}
	return nil
}

func (w *writer) Write(p []byte) (int, error) {
	n, err := w.buf.Write(p)
	w.at += int64(n)
	return n, err
}

// put writes a few bytes.
func (w *writer) put(p ...byte) { _, _ = w.Write(p) }

func (w *writer) flush() error { return w.buf.Flush() }

// patch overwrites bytes that were already written, such as sizes that are known only at the end.
func (w *writer) patch(at int64, p []byte) error {
	if err := w.flush(); err != nil {
		return err
	}
	_, err := w.file.WriteAt(p, at)
	return err
}
