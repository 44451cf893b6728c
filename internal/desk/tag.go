package desk

import (
	"context"
	"io"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

// Tags prints tags and reads their codes.
type Tags struct {
	db      *store.DB
	wire    v1.Encoder
	printer TagPrinter
	codes   CodeReader
}

// TagsOptions are the dependencies of Tags.
type TagsOptions struct {
	DB      *store.DB
	Wire    v1.Encoder
	Printer TagPrinter
	Codes   CodeReader
}

// NewTags creates Tags.
func NewTags(o TagsOptions) *Tags {
	return &Tags{
		db: o.DB, wire: o.Wire, printer: o.Printer, codes: o.Codes,
	}
}

// TagPrinter prints tags and the results of counts. It is called outside transactions.
type TagPrinter interface {
	// PrintTags renders tags as a PDF. The output is deterministic.
	PrintTags(j lost.TagJob) ([]byte, error)
	// PrintStockTake renders the result of a count as a PDF. The output is deterministic.
	PrintStockTake(r lost.StockTakeReport) ([]byte, error)
}

// CodeReader reads the code in a picture.
type CodeReader interface {
	// ReadCode returns the text of a QR code in a picture of at most limit bytes. Errors refer to the picture by
	// field. A picture without a code is an error.
	ReadCode(ctx context.Context, field string, r io.Reader, limit int64) (string, error)
}

// ReadPicture returns the text of the code in a photo. Use Scan to validate it.
func (t *Tags) ReadPicture(ctx context.Context, a lost.Actor, r io.Reader) (string, error) {
	if err := a.May(lost.ViewItems); err != nil {
		return "", err
	}
	const timeout = 20 * time.Second // includes waiting for other pictures
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return t.codes.ReadCode(ctx, "photo", r, MaxImage)
}

// ItemTags prints tags for items of a location, in the order of the ids.
func (t *Tags) ItemTags(ctx context.Context, a lost.Actor, location string, ids []string, paper lost.TagPaper,
	skip int) ([]byte, error) {
	if err := access.MayView(a, location, "location"); err != nil {
		return nil, err
	}
	l, err := t.db.Location(ctx, a.Account, location)
	if err != nil {
		return nil, err
	}
	items, err := t.db.ItemsByID(ctx, a.Account, location, ids[:min(len(ids), lost.MaxTags+1)])
	if err != nil {
		return nil, err
	}
	job := lost.TagJob{Paper: paper, Skip: skip, Language: l.Language, At: l.CreatedAt}
	for _, i := range items {
		job.Faces = append(job.Faces, lost.TagFace{
			Code: lost.Tag{Reference: i.Reference}.Address(t.wire.Base), Reference: i.Reference, Text: i.Description,
			Found: i.DiscoveryDate, Location: l.Name,
		})
	}
	return t.printTags(job)
}

// ItemsToTag returns at most lost.MaxTags items of a location, in the order of the ids.
func (t *Tags) ItemsToTag(ctx context.Context, a lost.Actor, location string, ids []string) ([]lost.Item, error) {
	if err := access.MayView(a, location, "location"); err != nil {
		return nil, err
	}
	return t.db.ItemsByID(ctx, a.Account, location, ids[:min(len(ids), lost.MaxTags)])
}

// PlaceTags prints tags for storage places of a location. The places may be empty.
func (t *Tags) PlaceTags(ctx context.Context, a lost.Actor, location string, places []string, paper lost.TagPaper,
	skip int) ([]byte, error) {
	if err := access.MayView(a, location, "location"); err != nil {
		return nil, err
	}
	l, err := t.db.Location(ctx, a.Account, location)
	if err != nil {
		return nil, err
	}
	job := lost.TagJob{Paper: paper, Skip: skip, Language: l.Language, At: l.CreatedAt}
	for _, name := range places[:min(len(places), lost.MaxTags+1)] {
		name, err := lost.ParsePlace(name)
		if err != nil {
			return nil, err
		}
		if name == "" {
			continue
		}
		job.Faces = append(job.Faces,
			lost.TagFace{
				Code: lost.Tag{LocationID: location, Place: name}.Address(t.wire.Base), Place: name, Location: l.Name,
			})
	}
	return t.printTags(job)
}

func (t *Tags) printTags(job lost.TagJob) ([]byte, error) {
	if err := job.Check(); err != nil {
		return nil, err
	}
	return t.printer.PrintTags(job)
}
