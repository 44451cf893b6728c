package desk

import (
	"context"
	"io"
	"strings"
	"time"

	"homeward/internal/lost"
)

// Tags prints tags and the results of counts. It is met outside transactions.
type Tags interface {
	// PrintTags makes a PDF of tags. The same tags have the same bytes.
	PrintTags(j lost.TagJob) ([]byte, error)
	// PrintCount makes a PDF of what a count came to. The same result has the same bytes.
	PrintCount(r lost.CountReport) ([]byte, error)
}

// Codes reads the code in a picture.
type Codes interface {
	// ReadCode gives what a QR code in a picture of at most limit bytes says. field names the picture in errors; that there is none is one of them.
	ReadCode(ctx context.Context, field string, r io.Reader, limit int64) (string, error)
}

// ReadPicture gives what the code in a photo says, for Scan and its like to judge.
func (d *Desk) ReadPicture(ctx context.Context, a lost.Actor, r io.Reader) (string, error) {
	if err := a.May(lost.Look); err != nil {
		return "", err
	}
	const longest = 20 * time.Second // with the wait for others' pictures
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	return d.codes.ReadCode(ctx, "photo", r, MaxImage)
}

// ItemTags prints tags of some items of a location, by their ids and in this order.
func (d *Desk) ItemTags(ctx context.Context, a lost.Actor, location string, ids []string, paper lost.TagPaper, skip int) ([]byte, error) {
	if err := mayLook(a, location, "location"); err != nil {
		return nil, err
	}
	l, err := d.db.Location(ctx, a.Account, location)
	if err != nil {
		return nil, err
	}
	items, err := d.db.ItemsByID(ctx, a.Account, location, ids[:min(len(ids), lost.MaxTags+1)])
	if err != nil {
		return nil, err
	}
	job := lost.TagJob{Paper: paper, Skip: skip, Language: l.Language, At: l.CreatedAt}
	for _, i := range items {
		job.Faces = append(job.Faces, lost.TagFace{
			Code: lost.Tag{Reference: i.Reference}.Address(d.wire.Base), Reference: i.Reference, Text: i.Description, Found: i.DiscoveryDate, Location: l.Name,
		})
	}
	return d.printTags(job)
}

// ItemsToTag gives items of a location by their ids, in this order. At most lost.MaxTags are looked for.
func (d *Desk) ItemsToTag(ctx context.Context, a lost.Actor, location string, ids []string) ([]lost.Item, error) {
	if err := mayLook(a, location, "location"); err != nil {
		return nil, err
	}
	return d.db.ItemsByID(ctx, a.Account, location, ids[:min(len(ids), lost.MaxTags)])
}

// PlaceTags prints tags of storage places of a location. The places need not be in use yet.
func (d *Desk) PlaceTags(ctx context.Context, a lost.Actor, location string, places []string, paper lost.TagPaper, skip int) ([]byte, error) {
	if err := mayLook(a, location, "location"); err != nil {
		return nil, err
	}
	l, err := d.db.Location(ctx, a.Account, location)
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
		job.Faces = append(job.Faces, lost.TagFace{Code: lost.Tag{LocationID: location, Place: name}.Address(d.wire.Base), Place: name, Location: l.Name})
	}
	return d.printTags(job)
}

func (d *Desk) printTags(job lost.TagJob) ([]byte, error) {
	if err := job.Check(); err != nil {
		return nil, err
	}
	return d.tags.PrintTags(job)
}

// CountReport prints what a count came to, for the file.
func (d *Desk) CountReport(ctx context.Context, a lost.Actor, location, id string) ([]byte, error) {
	c, err := d.Count(ctx, a, location, id)
	if err != nil {
		return nil, err
	}
	l, err := d.db.Location(ctx, a.Account, location)
	if err != nil {
		return nil, err
	}
	told := []lost.Finding{lost.Absent, lost.Awaited, lost.Elsewhere, lost.Corrected, lost.Departed}
	lines, err := d.db.CountLines(ctx, a.Account, id, told, lost.Page{Number: 1, Limit: lost.MaxExpected + lost.MaxStrays})
	if err != nil {
		return nil, err
	}
	for n := range lines.Data {
		lines.Data[n].Description = strings.TrimSpace(lost.Shorten(lines.Data[n].Description, 80))
	}
	return d.tags.PrintCount(lost.CountReport{Count: c, Location: l, Lines: lines.Data})
}
