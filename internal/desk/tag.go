package desk

import (
	"context"
	"io"
	"slices"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

// Tags prints tags and reads their QR codes from photos.
type Tags struct {
	db      *store.DB
	wire    v1.Encoder
	printer TagPrinter
	codes   CodeReader
	files   FileReader
}

// TagsOptions are the dependencies of Tags.
type TagsOptions struct {
	DB      *store.DB
	Wire    v1.Encoder
	Printer TagPrinter
	Codes   CodeReader
	Files   FileReader
}

// NewTags creates Tags.
func NewTags(o TagsOptions) *Tags {
	return &Tags{
		db: o.DB, wire: o.Wire, printer: o.Printer, codes: o.Codes, files: o.Files,
	}
}

// TagPrinter prints tags and stock-take reports. It is called outside transactions.
type TagPrinter interface {
	// PrintTags renders tags as a PDF. The same input always produces the same bytes.
	PrintTags(j lost.TagJob) ([]byte, error)
	// PrintStockTake renders the result of a count as a PDF. The same input always produces the same bytes.
	PrintStockTake(r lost.StockTakeReport) ([]byte, error)
	// Join returns one PDF with the pages of all files. If one of them cannot be read, it returns its position.
	Join(files [][]byte) (joined []byte, position int, err error)
}

// CodeReader reads QR codes in pictures.
type CodeReader interface {
	// ReadCode returns the text of a QR code in a picture of at most limit bytes. It returns an error if the picture
	// has no QR code. Validation errors refer to the picture as field.
	ReadCode(ctx context.Context, field string, r io.Reader, limit int64) (string, error)
}

// ReadPicture returns the text of the QR code in a photo. Use Scan to validate the text.
func (t *Tags) ReadPicture(ctx context.Context, a lost.Actor, r io.Reader) (string, error) {
	if err := a.May(lost.ViewItems); err != nil {
		return "", err
	}
	const timeout = 20 * time.Second // includes time spent waiting for other pictures
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return t.codes.ReadCode(ctx, "photo", r, MaxImage)
}

// ItemTags prints tags for items of a location, in the order of the ids. If location is empty, the items may be at any
// location that the actor can see.
func (t *Tags) ItemTags(ctx context.Context, a lost.Actor, location string, ids []string, paper lost.TagPaper,
	skip int) ([]byte, error) {
	items, err := t.itemsToTag(ctx, a, location, ids[:min(len(ids), lost.MaxTags+1)])
	if err != nil {
		return nil, err
	}
	locations := map[string]lost.Location{}
	if location != "" {
		if locations[location], err = t.db.Location(ctx, a.Account, location); err != nil {
			return nil, err
		}
	}
	job := lost.TagJob{Paper: paper, Skip: skip}
	for _, i := range items {
		l, known := locations[i.LocationID]
		if !known {
			if l, err = t.db.Location(ctx, a.Account, i.LocationID); err != nil {
				return nil, err
			}
			locations[i.LocationID] = l
		}
		if len(job.Faces) == 0 {
			job.Language, job.At = l.Language, l.CreatedAt
		}
		job.Faces = append(job.Faces, lost.TagFace{
			Code: lost.Tag{Reference: i.Reference}.Address(t.wire.Base), Reference: i.Reference, Text: i.Description,
			Found: i.DiscoveryDate, Location: l.Name,
		})
	}
	return t.printTags(job)
}

// ItemsToTag returns at most lost.MaxTags items of a location, or of all that the actor can see if location is empty,
// in the order of the ids.
func (t *Tags) ItemsToTag(ctx context.Context, a lost.Actor, location string, ids []string) ([]lost.Item, error) {
	return t.itemsToTag(ctx, a, location, ids[:min(len(ids), lost.MaxTags)])
}

func (t *Tags) itemsToTag(ctx context.Context, a lost.Actor, location string, ids []string) ([]lost.Item, error) {
	if _, err := viewableLocations(a, location); err != nil {
		return nil, err
	}
	items, err := t.db.ItemsByID(ctx, a.Account, location, ids)
	return slices.DeleteFunc(items, func(i lost.Item) bool { return !a.CanAccess(i.LocationID) }), err
}

// Limits of the size of a label, and of those that are printed together, in bytes.
const (
	maxLabelSize  = 5 << 20
	maxLabelsSize = 50 << 20
)

// ShippingLabels returns one PDF with the shipping labels of items, at most lost.MaxLabels, in the order of the ids. If
// location is empty, the items may be at any location that the actor can see. Items without a label are left out.
func (t *Tags) ShippingLabels(ctx context.Context, a lost.Actor, location string, ids []string) ([]byte, error) {
	items, err := t.itemsToTag(ctx, a, location, ids[:min(len(ids), lost.MaxLabels)])
	if err != nil {
		return nil, err
	}
	items = slices.DeleteFunc(items, func(i lost.Item) bool { return i.Parcel.Document(lost.LabelPaper).File == "" })
	if len(items) == 0 {
		return nil, lost.E(lost.Conflict, "These parcels have no labels yet.")
	}
	var files [][]byte
	size := 0
	for _, i := range items {
		content, err := t.files.Read(ctx, i.Parcel.Document(lost.LabelPaper).File, maxLabelSize)
		if err != nil {
			return nil, err
		}
		if size += len(content); size > maxLabelsSize {
			return nil, lost.E(lost.Conflict, "The labels are too large to be printed together. Print them one by one.")
		}
		files = append(files, content)
	}
	joined, position, err := t.printer.Join(files)
	if err != nil {
		return nil, lost.E(lost.Conflict, "The label of %s cannot be printed with others. Open it and print it alone.",
			items[position].Reference).WithCause(err)
	}
	return joined, nil
}

// PlaceTags prints tags for storage places of a location. The places need not contain items.
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
