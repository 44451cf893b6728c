package media

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"slices"
	"time"

	"homeward/internal/lost"
)

// Picture is an upload that was accepted and cleaned. Call Close to remove its file.
type Picture struct {
	ContentType   string
	Ext           string // without a dot, as NewName expects it
	Width, Height int    // after rotation
	Size          int64

	// Heavy is true if decoding would need too much memory. The picture was not decoded, and Thumbnail will reject
	// it.
	Heavy bool

	file   *os.File
	staged *Staged // nil if the file is outside of the store
}

// Content returns a new reader for the picture's bytes.
func (p *Picture) Content() io.ReadSeeker { return io.NewSectionReader(p.file, 0, p.Size) }

// Close removes the temporary file.
func (p *Picture) Close() error {
	if p.staged != nil {
		return p.staged.Close()
	}
	return closeTemp(p.file)
}

// StoreAs stores the picture under a name. If it was received for that store, it is not copied.
func (p *Picture) StoreAs(ctx context.Context, store Store, name string) error {
	if s, is := store.(Stager); is && p.staged != nil {
		return s.Keep(ctx, p.staged, name)
	}
	return store.Put(ctx, name, p.Content(), p.Size, p.ContentType)
}

// newPicture creates the file of a picture: in the store, if that is possible, or in the temporary folder.
func (l *Processor) newPicture(store Store) (p *Picture, err error) {
	p = &Picture{}
	if store != nil {
		if p.staged, err = Stage(store); err != nil {
			return nil, err
		}
	}
	if p.staged != nil {
		p.file = p.staged.file
		return p, nil
	}
	p.file, err = l.newTemp()
	return p, err
}

// newTemp creates a temporary file. If the system allows it, the file's name is removed immediately, so that not even
// a crash leaves the file behind.
func (l *Processor) newTemp() (*os.File, error) {
	f, err := os.CreateTemp(l.tempDir, "homeward-*")
	if err != nil {
		return nil, fmt.Errorf("make temporary file: %w", err)
	}
	_ = os.Remove(f.Name())
	return f, nil
}

// closeTemp closes the file, and removes it if newTemp could not remove its name.
func closeTemp(f *os.File) error {
	err := f.Close()
	_ = os.Remove(f.Name())
	return err
}

// Incoming is a picture that is being uploaded.
type Incoming struct {
	Field   string // the field that Invalid errors refer to
	Content io.Reader
	Limit   int64 // the maximum number of bytes
	Lane    Lane
	Store   Store // where the picture will be stored; may be nil
	// Deferred is set if the caller has the picture checked after it was stored, with Verify. Receive then decodes
	// nothing, except to rotate a picture that is not a JPEG. A rotated JPEG keeps its orientation as its only
	// metadata: its pixels are not changed, and browsers show it upright.
	Deferred bool
	// BeforeDecode is called with the checksum of the bytes after they were received, and before the picture is
	// decoded or stored. If it returns an error, Receive returns that error. It may be nil.
	BeforeDecode func(sum [sha256.Size]byte) error
}

// Receive accepts an upload of at most in.Limit bytes: a JPEG, PNG, WebP or GIF with at most MaxPixels. It removes all
// metadata and rotates the picture upright. Unless the picture has to be rotated, its pixels do not change. Unless it
// is Heavy or in.Deferred is set, it is decoded once, to reject damaged pictures. The upload is cleaned as it arrives
// and kept on disk, never in memory, and no file is left behind after a failure.
func (l *Processor) Receive(ctx context.Context, in Incoming) (_ *Picture, err error) {
	defer func() { err = diskFullError(err) }()
	p, err := l.newPicture(in.Store)
	if err != nil {
		return nil, err
	}
	accepted := false
	defer func() {
		if !accepted {
			_ = p.Close()
		}
	}()
	l.pace.add(time.Now())
	raw := newUpload(ctx, in.Content, in.Limit)
	if in.BeforeDecode != nil {
		raw.hash = sha256.New()
	}
	info, err := clean(raw, p, in.Deferred)
	if err := raw.drain(ctx); err != nil { // first: a file that is too large is reported as too large
		return nil, err
	}
	if err != nil {
		return nil, refusal(in.Field, err)
	}
	if in.BeforeDecode != nil {
		if err := in.BeforeDecode(raw.sum()); err != nil {
			return nil, err
		}
	}
	if err := l.finish(ctx, in, p, info); err != nil {
		return nil, refusal(in.Field, err)
	}
	accepted = true
	return p, nil
}

// clean removes the metadata from the raw upload and fills p with the result. If keepOrientation is set, a JPEG keeps
// its orientation.
func clean(raw io.Reader, p *Picture, keepOrientation bool) (info pictureInfo, err error) {
	in := readers.Get().(*reader) //nolint:forcetypeassert // the pool contains nothing else
	in.Reset(raw)
	defer func() { in.Reset(nil); readers.Put(in) }()
	kind, err := formatOf(in)
	if err != nil {
		return info, err
	}
	buffer := writers.Get().(*bufio.Writer) //nolint:forcetypeassert // the pool contains nothing else
	buffer.Reset(p.file)
	out := &writer{file: p.file, buf: buffer, keepOrientation: keepOrientation}
	defer func() { buffer.Reset(nil); writers.Put(buffer) }()
	if info, err = kind.clean(in, out); err != nil {
		return info, err
	}
	if err := out.flush(); err != nil {
		return info, err
	}
	p.Ext, p.ContentType = kind.ext, kind.contentType
	p.Width, p.Height, p.Size = info.width, info.height, out.at
	if info.keepsOrientation && info.orientation >= 5 {
		p.Width, p.Height = p.Height, p.Width
	}
	if info.needsRotation() && info.rotationExceedsBudget() {
		return info, errTooHeavy
	}
	return info, nil
}

// finish rotates a cleaned picture, or checks that it can be displayed.
func (l *Processor) finish(ctx context.Context, in Incoming, p *Picture, info pictureInfo) error {
	if info.needsRotation() {
		if err := l.rotate(ctx, in.Lane, p, info); err != nil {
			return err
		}
		rotated, err := readHeader(p.Ext, p.Content())
		p.Heavy = rotated.exceedsBudget() // a WebP that became a PNG may need more memory
		return err
	}
	p.Heavy = info.exceedsBudget()
	if p.Heavy || in.Deferred {
		return nil
	}
	return l.verify(ctx, in.Lane, p, info)
}

// upload reads an upload up to its limit, and computes its checksum if somebody needs it.
type upload struct {
	in    *errReader
	hash  hash.Hash // may be nil, because it takes a quarter of the time of an upload
	n     int64
	limit int64
}

func newUpload(ctx context.Context, r io.Reader, limit int64) *upload {
	in := &errReader{r: io.LimitReader(ctxReader{ctx, r}, limit+1)}
	return &upload{in: in, limit: limit}
}

func (u *upload) Read(p []byte) (int, error) {
	n, err := u.in.Read(p)
	if u.hash != nil {
		_, _ = u.hash.Write(p[:n]) // never fails
	}
	u.n += int64(n)
	return n, err
}

func (u *upload) sum() [sha256.Size]byte { return [sha256.Size]byte(u.hash.Sum(nil)) }

// drain reads the rest of the upload. It returns an error if the upload is too large or incomplete.
func (u *upload) drain(ctx context.Context) error {
	if u.in.err == nil {
		buffer := make([]byte, 512) // usually, only the end is left
		for {
			n, err := u.Read(buffer)
			if err != nil {
				break // the reader remembers it, unless it is the end
			}
			if n == len(buffer) && n < bufferSize {
				buffer = make([]byte, bufferSize)
			}
		}
	}
	_, over := errors.AsType[*http.MaxBytesError](u.in.err)
	switch {
	case over || u.n > u.limit:
		return lost.E(lost.TooLarge, "The file is larger than %s.", bytesText(u.limit))
	case ctx.Err() != nil:
		return ctx.Err()
	case slices.Contains([]lost.Code{lost.TooSlow, lost.Invalid, lost.TooLarge}, lost.CodeOf(u.in.err)):
		return u.in.err // the form itself is refused
	case u.in.err != nil:
		return lost.E(lost.Unreadable, "The upload ended before it was complete.").WithCause(u.in.err)
	}
	return nil
}

// spool writes an upload to a file.
func spool(ctx context.Context, w io.Writer, r io.Reader, limit int64) error {
	u := newUpload(ctx, r, limit)
	_, err := io.Copy(w, u)
	if err := u.drain(ctx); err != nil {
		return err
	}
	if err != nil {
		return fmt.Errorf("save upload: %w", err)
	}
	return nil
}

// errReader remembers why reading failed, to distinguish an incomplete upload from a disk failure.
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

// refusal converts a cleaner's or decoder's error to one that can be shown to the user.
func refusal(field string, err error) error {
	if big, ok := errors.AsType[tooManyPixels](err); ok {
		var p lost.Problems
		p.Add(field, "too-many-pixels", "must have at most %d megapixels; it has %d × %d pixels",
			MaxPixels/1_000_000, big.width, big.height)
		return p.Err()
	}
	switch {
	case errors.Is(err, errTooHeavy):
		var p lost.Problems
		p.Add(field, "too-heavy",
			"is too large to rotate; reduce its resolution, or save it as a baseline JPEG")
		return p.Err()
	case errors.Is(err, errVariant):
		return lost.E(lost.Unsupported,
			"Browsers cannot display this kind of picture. Save it as a standard JPEG or PNG.").WithCause(err)
	case errors.Is(err, errBroken), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return damagedPicture(err)
	}
	return err
}
