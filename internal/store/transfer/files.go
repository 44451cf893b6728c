package transfer

import (
	"encoding/json"
	"fmt"
	"slices"

	"homeward/internal/store"
)

// hasFiles reports whether rows of the table may refer to files that belong to them.
func (t Table) hasFiles() bool {
	switch t.Name {
	case "items", "jobs", "locations", "shipments":
		return true
	}
	return false
}

// files returns the names of the files that belong to a row: those that the service deletes together with an item, a
// shipment or a location, and those that a job is about. Other texts are ignored, because a user may have written the
// name of another account's file into them. Thumbnails are not listed.
func (t Table) files(r Row) (names []string, err error) {
	switch t.Name {
	case "locations":
		names = []string{t.text(r, "logo_file")}
	case "items":
		names, err = t.itemFiles(r)
	case "shipments":
		var detail struct{ Documents []struct{ File string } }
		err = t.readJSON(r, "detail", &detail)
		for _, d := range detail.Documents {
			names = append(names, d.File)
		}
	case "jobs":
		switch t.text(r, "kind") {
		case store.JobDeleteFiles:
			err = t.readJSON(r, "payload", &names)
		case store.JobThumbnail:
			names = []string{t.text(r, "payload")}
		case store.JobVerifyImage, store.JobVerifyPublicImage:
			var about []string
			if err = t.readJSON(r, "payload", &about); err == nil && len(about) > 2 {
				names = about[2:3]
			}
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" }), err
}

// itemFiles returns the names of an item's photos, and of the signature and the receipt of its hand-over.
func (t Table) itemFiles(r Row) (names []string, err error) {
	var images []struct{ File string }
	if err := t.readJSON(r, "images", &images); err != nil {
		return nil, err
	}
	var care struct {
		Handover struct{ Signature, Receipt string }
	}
	if err := t.readJSON(r, "care", &care); err != nil {
		return nil, err
	}
	for _, i := range images {
		names = append(names, i.File)
	}
	return append(names, care.Handover.Signature, care.Handover.Receipt), nil
}

// text returns the text in a column of a row, or an empty text if it holds something else.
func (t Table) text(r Row, column string) string {
	for n, c := range t.Columns {
		if c.Name == column {
			text, _ := r.values[n].(string)
			return text
		}
	}
	return ""
}

// readJSON parses the JSON in a column of a row, unless the column is empty.
func (t Table) readJSON(r Row, column string, to any) error {
	text := t.text(r, column)
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), to); err != nil {
		return fmt.Errorf("read the names of files in %s.%s: %w", t.Name, column, err)
	}
	return nil
}
