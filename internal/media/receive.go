package media

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"homeward/internal/lost"
)

// Picture is an upload that was accepted and cleaned. Close gives its file up.
type Picture struct {
	ContentType   string
	Ext           string // without a dot, for NewName
	Width, Height int    // as it is seen, upright
	Size          int64
	SHA256        [sha256.Size]byte // of the bytes as they were uploaded

	// Heavy is set where decoding would take more memory than there is: the picture
	// was not tried, and Thumbnail will refuse it.
	Heavy bool

	file *os.File
}

// Content reads the picture from its beginning, each time it is called.
func (p *Picture) Content() io.ReadSeeker { return io.NewSectionReader(p.file, 0, p.Size) }

// Close removes the temporary file.
func (p *Picture) Close() error { return closeTemp(p.file) }

// newTemp makes a temporary file. It loses its name at once, where the system
// allows, so that not even a crash leaves it behind.
func (l *Lab) newTemp() (*os.File, error) {
	f, err := os.CreateTemp(l.tempDir, "homeward-*")
	if err != nil {
		return nil, fmt.Errorf("make temporary file: %w", err)
	}
	_ = os.Remove(f.Name())
	return f, nil
}

// closeTemp also removes the file where newTemp could not.
func closeTemp(f *os.File) error {
	err := f.Close()
	_ = os.Remove(f.Name())
	return err
}

// Receive takes an upload in: at most limit bytes of a JPEG, PNG, WebP or GIF with
// at most MaxPixels, from which it removes all metadata and which it turns
// upright. The pixels stay as they are unless it has to be turned. They are decoded
// once, to refuse what cannot be shown, unless the picture is Heavy. It holds the
// upload on disk, never in memory, and leaves nothing behind when it fails.
//
// The field is the one that an Invalid error names.
func (l *Lab) Receive(ctx context.Context, field string, r io.Reader, limit int64) (_ *Picture, err error) {
	defer func() { err = noRoom(err) }()
	raw, err := l.newTemp()
	if err != nil {
		return nil, err
	}
	defer func() { _ = closeTemp(raw) }()
	sum, err := spool(ctx, raw, r, limit)
	if err != nil {
		return nil, err
	}
	clean, err := l.newTemp()
	if err != nil {
		return nil, err
	}
	p := &Picture{SHA256: sum, file: clean}
	kept := false
	defer func() {
		if !kept {
			_ = p.Close()
		}
	}()
	if err := l.develop(ctx, raw, p); err != nil {
		return nil, refusal(field, err)
	}
	kept = true
	return p, nil
}

// develop fills in the picture from the raw upload.
func (l *Lab) develop(ctx context.Context, raw *os.File, p *Picture) error {
	if _, err := raw.Seek(0, io.SeekStart); err != nil {
		return err
	}
	in := newReader(raw)
	kind, err := formatOf(in)
	if err != nil {
		return err
	}
	out := newWriter(p.file)
	seen, err := kind.clean(in, out)
	if err := errors.Join(err, out.flush()); err != nil {
		return err
	}
	p.Ext, p.ContentType = kind.ext, kind.contentType
	p.Width, p.Height, p.Size = seen.width, seen.height, out.at
	return l.finish(ctx, p, seen)
}

// finish turns a cleaned picture, or makes sure that it can be shown.
func (l *Lab) finish(ctx context.Context, p *Picture, seen facts) error {
	if seen.turned() {
		if err := l.upright(ctx, p, seen); err != nil {
			return err
		}
		drawn, err := survey(p.Ext, p.Content())
		p.Heavy = drawn.heavy() // a WebP that became a PNG may be
		return err
	}
	if p.Heavy = seen.heavy(); p.Heavy {
		return nil
	}
	return l.prove(ctx, p, seen)
}

// spool writes an upload to a file and sums it up. It reads on to the end or to
// the limit, whatever the content: too large is what the sender should hear first.
func spool(ctx context.Context, w io.Writer, r io.Reader, limit int64) (sum [sha256.Size]byte, err error) {
	hash := sha256.New()
	in := &errReader{r: io.LimitReader(ctxReader{ctx, r}, limit+1)}
	n, err := io.Copy(io.MultiWriter(w, hash), in)
	if _, over := errors.AsType[*http.MaxBytesError](in.err); over || n > limit {
		return sum, lost.E(lost.TooLarge, "The file is larger than %s.", bytesText(limit))
	}
	switch {
	case ctx.Err() != nil:
		return sum, ctx.Err()
	case in.err != nil:
		return sum, lost.E(lost.Unreadable, "The upload ended before it was complete.").Because(in.err)
	case err != nil:
		return sum, fmt.Errorf("keep upload: %w", err)
	}
	return [sha256.Size]byte(hash.Sum(nil)), nil
}

// errReader remembers why reading failed, to tell the sender's fault from the disk's.
type errReader struct {
	r   io.Reader
	err error
}

func (e *errReader) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	if err != nil && err != io.EOF {
		e.err = err
	}
	return n, err
}

func bytesText(n int64) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// refusal turns what a walk or a decoder says into an answer for the sender.
func refusal(field string, err error) error {
	if big, ok := errors.AsType[tooManyPixels](err); ok {
		var p lost.Problems
		p.Add(field, "too-many-pixels", "must have at most %d megapixels; it has %d × %d pixels",
			MaxPixels/1_000_000, big.width, big.height)
		return p.Err()
	}
	switch {
	case errors.Is(err, errHeavy):
		var p lost.Problems
		p.Add(field, "too-heavy", "must be turned upright, which takes too much memory; save it smaller or as a baseline JPEG")
		return p.Err()
	case errors.Is(err, errVariant):
		return lost.E(lost.Unsupported, "The picture is of a variant that browsers do not show.").Because(err)
	case errors.Is(err, errBroken), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return damaged(err)
	}
	return err
}
