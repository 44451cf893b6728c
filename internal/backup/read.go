package backup

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"strings"

	"homeward/internal/media"
	"homeward/internal/store/transfer"
)

// errBroken is wrapped by every error about a file that is not a complete backup.
var errBroken = errors.New("the backup is damaged")

func brokenError(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errBroken, fmt.Errorf(format, args...))
}

// Verify reads a whole backup and compares its content with its checksums and its manifest.
func Verify(ctx context.Context, from io.Reader, progress Progress) (Header, Manifest, error) {
	return read(ctx, from, progress, func(Header) error { return nil }, func(part) error { return nil })
}

// CheckOverwrite returns nil if a backup may be written to file: if the file does not exist, is
// empty, or is a backup. It returns an error for any other file, which could be something
// important, such as the database.
func CheckOverwrite(ctx context.Context, file string) error {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	errIsBackup := errors.New("the file is a backup")
	if _, _, err := read(ctx, f, nil, func(Header) error { return errIsBackup }, nil); !errors.Is(err, errIsBackup) {
		return fmt.Errorf("%s exists and is not a backup; choose another name", file)
	}
	return nil
}

// part is a part of a table or a whole file.
type part struct {
	table   string // empty for a file
	file    string // empty for a part of a table
	content []byte
}

// reading is the state of one call to read.
type reading struct {
	ctx      context.Context
	progress Progress
	position *countingReader
	gzip     *gzip.Reader
	rest     *bufio.Reader // the underlying reader
	tar      *tar.Reader
	all      hash.Hash
	head     Header
	seen     Manifest // totals so far
	sums     map[string]*transfer.Sum
}

// countingReader counts the bytes that are read from a backup.
type countingReader struct {
	from    io.Reader
	size, n int64 // size is 0 if unknown
}

func (r *countingReader) Read(b []byte) (int, error) {
	n, err := r.from.Read(b)
	r.n += int64(n)
	return n, err
}

// sizeOf returns the size of a file, or 0 for any other reader.
func sizeOf(from io.Reader) int64 {
	f, ok := from.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return 0
	}
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

func (r *reading) report(step string, done int64) {
	share := 0.0
	if r.position.size > 0 {
		share = float64(r.position.n) / float64(r.position.size)
	}
	r.progress.Report(transfer.Step{Name: step, Done: done, Share: share})
}

// read reads a backup. It calls begin with the header, and visit with each part after verifying the
// checksum of the part. The backup is complete only if read returns no error.
func read(ctx context.Context, from io.Reader, progress Progress, begin func(Header) error,
	visit func(part) error) (h Header, m Manifest, err error) {
	position := &countingReader{from: from, size: sizeOf(from)}
	whole := bufio.NewReader(position) // keeps gzip from reading past the end of its data
	z, err := gzip.NewReader(whole)
	if err != nil {
		return h, m, brokenError("the file is not compressed with gzip: %w", err)
	}
	z.Multistream(false)
	r := &reading{
		ctx: ctx, progress: progress, position: position, gzip: z, rest: whole, tar: tar.NewReader(z),
		all: sha256.New(), sums: map[string]*transfer.Sum{},
	}
	if err := r.readHead(); err != nil {
		return h, m, err
	}
	if err := begin(r.head); err != nil {
		return r.head, m, err
	}
	for {
		before := hex.EncodeToString(r.all.Sum(nil))
		name, content, err := r.next()
		if err != nil {
			return r.head, m, err
		}
		if name == manifestName {
			m, err = r.end(content, before)
			return r.head, m, err
		}
		r.seen.Parts++
		p, err := r.count(name, content)
		if err != nil {
			return r.head, m, err
		}
		if err := visit(p); err != nil {
			return r.head, m, err
		}
	}
}

// next verifies the checksum of the next part, and returns its name and content.
func (r *reading) next() (string, []byte, error) {
	if err := r.ctx.Err(); err != nil {
		return "", nil, err
	}
	h, err := r.tar.Next()
	if errors.Is(err, io.EOF) {
		return "", nil, brokenError("the file ends before the manifest")
	}
	if err != nil {
		return "", nil, brokenError("%w", err)
	}
	if h.Typeflag != tar.TypeReg || h.Size > maxPart {
		return "", nil, brokenError("%s is not part of a backup", h.Name)
	}
	var content bytes.Buffer // grows as data is read, because the declared size cannot be trusted
	if _, err := io.Copy(&content, r.tar); err != nil {
		return "", nil, brokenError("%s: %w", h.Name, err)
	}
	sum := sha256.Sum256(content.Bytes())
	text := hex.EncodeToString(sum[:])
	if h.PAXRecords[sumRecord] != text {
		return "", nil, brokenError("%s does not match its checksum", h.Name)
	}
	_, _ = io.WriteString(r.all, sumLine(text, h.Name)) // writing to a hash does not fail
	return h.Name, content.Bytes(), nil
}

func (r *reading) readHead() error {
	name, content, err := r.next()
	if err != nil {
		return err
	}
	r.seen.Parts++
	if name != headName {
		return brokenError("the file does not begin with %s; check that it is a Homeward backup", headName)
	}
	if err := json.Unmarshal(content, &r.head); err != nil {
		return brokenError("%s: %w", headName, err)
	}
	if r.head.Format != Format {
		return fmt.Errorf("the backup has format %d, but this program reads only %d; use the version that made it, "+
			"or a newer one", r.head.Format, Format)
	}
	for _, t := range r.head.Tables {
		r.sums[t.Name] = &transfer.Sum{}
	}
	return nil
}

// count identifies a part and adds it to the totals.
func (r *reading) count(name string, content []byte) (part, error) {
	if file, ok := strings.CutPrefix(name, fileFolder); ok {
		if !media.IsName(file) {
			return part{}, brokenError("%s is not a valid file name", name)
		}
		r.seen.Files++
		r.seen.Bytes += int64(len(content))
		r.report("files", r.seen.Files)
		return part{file: file, content: content}, nil
	}
	inside, ok := strings.CutPrefix(name, tableFolder)
	table, _, _ := strings.Cut(inside, "/")
	sum := r.sums[table]
	if !ok || sum == nil {
		return part{}, brokenError("%s is not part of a backup", name)
	}
	for line := range bytes.Lines(content) {
		sum.Add(line)
	}
	r.report("table "+table, sum.Rows)
	return part{table: table, content: content}, nil
}

// end checks that the archive ends here, and compares the totals with the manifest in content.
func (r *reading) end(content []byte, all string) (m Manifest, err error) {
	if err := json.Unmarshal(content, &m); err != nil {
		return m, brokenError("%s: %w", manifestName, err)
	}
	if _, err := r.tar.Next(); !errors.Is(err, io.EOF) {
		return m, brokenError("the archive continues after the manifest")
	}
	if _, err := io.Copy(io.Discard, r.gzip); err != nil { // gzip's own checksum comes last
		return m, brokenError("%w", err)
	}
	if _, err := r.rest.ReadByte(); !errors.Is(err, io.EOF) {
		return m, brokenError("the file continues after the end of the archive")
	}
	if m.SHA256 != all || m.Parts != r.seen.Parts || m.Files != r.seen.Files || m.Bytes != r.seen.Bytes ||
		len(m.Tables) != len(r.sums) {
		return m, brokenError("the parts do not match the manifest")
	}
	for name, sum := range r.sums {
		if want := m.Tables[name]; want.Rows != sum.Rows || want.Sum != sum.String() {
			return m, brokenError("table %s has %d rows and the manifest lists %d, or their content differs",
				name, sum.Rows, want.Rows)
		}
	}
	return m, nil
}
