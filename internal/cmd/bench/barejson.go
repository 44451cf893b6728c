package main

import (
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
)

// The columns of a row that has an item, in the order of bareItemColumns and bareLocationColumns.
const (
	colID = iota
	colLocation
	colReference
	colSource
	colStatus
	colDescription
	colDiscoveryPlace
	colDiscoveryDate
	colBrand
	colModel
	colColor
	colStoragePlace
	colNotes
	colImageURL
	colImageFile
	colImages
	colWeight
	colWeightUnit
	colBoxType
	colIsDocument
	colTrackingNumber
	colOwnerFirst
	colOwnerLast
	colOwnerEmail
	colOwnerPhone
	colPickupDate
	colPickupTime
	colClosedAt
	colCreatedAt
	colUpdatedAt
	colDefaultPlace
	colStorageDuration
	colTimeZone
	bareColumns // their number
)

// bareItemColumns are the columns of items.
func bareItemColumns() []string {
	return []string{
		"id", "location_id", "reference", "source", "status", "description", "discovery_place", "discovery_date",
		"brand", "model", "color", "storage_place", "notes", "image_url", "image_file", "images", "weight",
		"weight_unit", "box_type", "is_document", "tracking_number", "owner_first", "owner_last", "owner_email",
		"owner_phone", "pickup_date", "pickup_time", "closed_at", "created_at", "updated_at",
	}
}

// bareLocationColumns are the columns of the item's location.
func bareLocationColumns() []string {
	return []string{"storage_place", "storage_duration", "time_zone"}
}

// appendItem appends an item as JSON: the same bytes as the service sends.
func appendItem(b []byte, row [][]byte, base string) []byte {
	b = append(b, `{"id":`...)
	b = appendText(b, row[colID])
	b = append(b, `,"locationId":`...)
	b = appendText(b, row[colLocation])
	b = append(b, `,"reference":`...)
	b = appendText(b, row[colReference])
	b = append(b, `,"source":`...)
	b = appendText(b, row[colSource])
	b = append(b, `,"status":`...)
	b = appendText(b, row[colStatus])
	b = append(b, `,"description":`...)
	b = appendText(b, row[colDescription])
	b = appendField(b, `,"discoveryPlace":`, row[colDiscoveryPlace])
	b = appendField(b, `,"discoveryDate":`, row[colDiscoveryDate])
	b = appendField(b, `,"brand":`, row[colBrand])
	b = appendField(b, `,"model":`, row[colModel])
	b = appendField(b, `,"color":`, row[colColor])
	place := row[colStoragePlace]
	if len(place) == 0 {
		place = row[colDefaultPlace]
	}
	b = appendField(b, `,"storagePlace":`, place)
	b = appendField(b, `,"notes":`, row[colNotes])
	b = appendImages(b, row, base)
	b = appendShipping(b, row)
	b = appendObject(b, `,"owner":{`,
		[]string{`"firstName":`, `"lastName":`, `"email":`, `"phone":`}, row[colOwnerFirst:colOwnerPhone+1])
	b = appendObject(b, `,"pickup":{`, []string{`"date":`, `"time":`}, row[colPickupDate:colPickupTime+1])
	if at := row[colClosedAt]; len(at) > 0 && at[0] != '0' {
		b = append(b, `,"closedAt":`...)
		b = appendMicros(b, at)
	}
	b = appendStoreUntil(b, row)
	b = append(b, `,"createdAt":`...)
	b = appendMicros(b, row[colCreatedAt])
	b = append(b, `,"updatedAt":`...)
	b = appendMicros(b, row[colUpdatedAt])
	return append(b, '}')
}

// appendListEnd appends the end of a list of items, of which there are count or, if count is above limit, more than
// limit.
func appendListEnd(b []byte, count, limit int) []byte {
	total := min(count, limit)
	b = append(b, `],"page":1,"limit":`...)
	b = strconv.AppendInt(b, lost.DefaultLimit, 10)
	b = append(b, `,"total":`...)
	b = strconv.AppendInt(b, int64(total), 10)
	if count > limit {
		b = append(b, `,"totalIsLowerBound":true`...)
	}
	b = append(b, `,"pages":`...)
	b = strconv.AppendInt(b, int64(total+lost.DefaultLimit-1)/lost.DefaultLimit, 10)
	return append(b, '}')
}

// appendField appends a field that is omitted if it is empty.
func appendField(b []byte, name string, value []byte) []byte {
	if len(value) == 0 {
		return b
	}
	return appendText(append(b, name...), value)
}

// appendObject appends an object of texts. Empty texts, and an object with nothing else, are omitted.
func appendObject(b []byte, open string, names []string, values [][]byte) []byte {
	first := true
	for n, value := range values {
		if len(value) == 0 {
			continue
		}
		if first {
			b = append(b, open...)
		} else {
			b = append(b, ',')
		}
		first = false
		b = appendText(append(b, names[n]...), value)
	}
	if first {
		return b
	}
	return append(b, '}')
}

func appendShipping(b []byte, row [][]byte) []byte {
	weight, unit, box := row[colWeight], row[colWeightUnit], row[colBoxType]
	document, tracking := row[colIsDocument], row[colTrackingNumber]
	if len(weight)+len(unit)+len(box)+len(document)+len(tracking) == 0 {
		return b
	}
	b = append(b, `,"shipping":{`...)
	start := len(b)
	if len(weight) > 0 {
		kg, _ := strconv.ParseFloat(string(weight), 64) // a number, because the database wrote it
		b = append(b, `,"weight":`...)
		b = strconv.AppendFloat(b, kg, 'f', -1, 64)
	}
	b = appendField(b, `,"weightUnit":`, unit)
	b = appendField(b, `,"boxType":`, box)
	if len(document) > 0 {
		b = append(b, `,"isDocument":`...)
		b = strconv.AppendBool(b, document[0] == 't' || document[0] == '1')
	}
	b = appendField(b, `,"trackingNumber":`, tracking)
	return append(append(b[:start], b[start+1:]...), '}') // without the first comma
}

// bareImage is an image as the items table stores it.
type bareImage struct {
	File   string `json:"file"`
	Thumb  string `json:"thumb"`
	Type   string `json:"type"`
	Width  int64  `json:"width"`
	Height int64  `json:"height"`
	Size   int64  `json:"size"`
	At     int64  `json:"at"`

	Facts *struct {
		Colors json.RawMessage `json:"colors"`
		Codes  json.RawMessage `json:"codes"`
	} `json:"facts"`
}

// appendStored appends an image in the form of the items table.
func (i bareImage) appendStored(b []byte) []byte {
	b = appendText(append(b, `{"file":`...), i.File)
	b = appendText(append(b, `,"thumb":`...), i.Thumb)
	b = appendText(append(b, `,"type":`...), i.Type)
	b = strconv.AppendInt(append(b, `,"width":`...), i.Width, 10)
	b = strconv.AppendInt(append(b, `,"height":`...), i.Height, 10)
	b = strconv.AppendInt(append(b, `,"size":`...), i.Size, 10)
	b = strconv.AppendInt(append(b, `,"at":`...), i.At, 10)
	return append(b, '}')
}

// appendImages appends the URL of the main picture and the list of images. Only an item with images needs a decoder.
func appendImages(b []byte, row [][]byte, base string) []byte {
	if len(row[colImageURL]) > 0 {
		b = appendField(b, `,"imageUrl":`, row[colImageURL])
	} else if len(row[colImageFile]) > 0 {
		b = appendFileURL(append(b, `,"imageUrl":`...), base, string(row[colImageFile]))
	}
	b = append(b, `,"images":[`...)
	if len(row[colImages]) > 0 {
		var images []bareImage
		_ = json.Unmarshal(row[colImages], &images) // valid, because the service or this handler wrote it
		for n, i := range images {
			if n > 0 {
				b = append(b, ',')
			}
			b = appendText(append(b, `{"id":`...), lost.ImageIDOf(i.File))
			b = appendFileURL(append(b, `,"url":`...), base, i.File)
			b = appendFileURL(append(b, `,"thumbnailUrl":`...), base, i.Thumb)
			b = appendText(append(b, `,"contentType":`...), i.Type)
			b = strconv.AppendInt(append(b, `,"width":`...), i.Width, 10)
			b = strconv.AppendInt(append(b, `,"height":`...), i.Height, 10)
			b = strconv.AppendInt(append(b, `,"size":`...), i.Size, 10)
			b = appendTime(append(b, `,"createdAt":`...), time.UnixMicro(i.At))
			b = i.appendFacts(b)
			b = append(b, '}')
		}
	}
	return append(b, ']')
}

// appendFacts appends the orientation of an image and what it shows.
func (i bareImage) appendFacts(b []byte) []byte {
	orientation := lost.Image{Width: int(i.Width), Height: int(i.Height)}.Orientation()
	b = appendText(append(b, `,"orientation":`...), string(orientation))
	if i.Facts == nil {
		return b
	}
	if len(i.Facts.Colors) > 0 {
		b = append(append(b, `,"colors":`...), i.Facts.Colors...)
	}
	if len(i.Facts.Codes) > 0 {
		b = append(append(b, `,"codes":`...), i.Facts.Codes...)
	}
	return b
}

func appendFileURL(b []byte, base, name string) []byte {
	b = append(b, '"')
	b = append(b, base...)
	b = append(b, "/files/"...)
	b = append(b, name...)
	return append(b, '"')
}

// appendStoreUntil appends the last day of storage if the location has a storage duration.
func appendStoreUntil(b []byte, row [][]byte) []byte {
	days, err := strconv.Atoi(string(row[colStorageDuration]))
	if err != nil {
		return b
	}
	day, ok := parseDay(row[colDiscoveryDate])
	if !ok {
		zone, err := time.LoadLocation(string(row[colTimeZone]))
		if err != nil {
			zone = time.UTC
		}
		at, _ := strconv.ParseInt(string(row[colCreatedAt]), 10, 64)
		day = time.UnixMicro(at).In(zone)
	}
	b = append(b, `,"storeUntil":"`...)
	b = day.AddDate(0, 0, days).AppendFormat(b, lost.DateLayout)
	return append(b, '"')
}

// parseDay parses a date such as 2026-01-31.
func parseDay(s []byte) (time.Time, bool) {
	if len(s) != len("2026-01-31") {
		return time.Time{}, false
	}
	digits := func(s []byte) (n int) {
		for _, c := range s {
			n = 10*n + int(c-'0')
		}
		return n
	}
	return time.Date(digits(s[:4]), time.Month(digits(s[5:7])), digits(s[8:]), 0, 0, 0, 0, time.UTC), true
}

// appendMicros appends a time that is stored in microseconds.
func appendMicros(b, micros []byte) []byte {
	n, _ := strconv.ParseInt(string(micros), 10, 64) // a number, because the database wrote it
	return appendTime(b, time.UnixMicro(n))
}

func appendTime(b []byte, t time.Time) []byte {
	b = append(b, '"')
	b = t.UTC().AppendFormat(b, v1.TimeForm)
	return append(b, '"')
}

// appendText appends a text as a JSON string, with the same escapes as encoding/json.
func appendText[T string | []byte](b []byte, s T) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		size := 1
		var escape string
		switch {
		case c == '"' || c == '\\':
			escape = string([]byte{'\\', c})
		case c == '\n':
			escape = `\n`
		case c == '\r':
			escape = `\r`
		case c == '\t':
			escape = `\t`
		case c == '\b':
			escape = `\b`
		case c == '\f':
			escape = `\f`
		case c < ' ':
			escape = `\u00` + string([]byte{hex[c>>4], hex[c&0xf]})
		default:
			var r rune
			r, size = utf8.DecodeRuneInString(string(s[i:min(len(s), i+utf8.UTFMax)]))
			escape = escapeRune(r, size)
		}
		if escape != "" {
			b = append(b, s[start:i]...)
			b = append(b, escape...)
			start = i + size
		}
		i += size
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

// escapeRune returns the escape of a character that is not ASCII, or "" if it has none.
func escapeRune(r rune, size int) string {
	switch {
	case r == utf8.RuneError && size == 1:
		return `\ufffd`
	case r == '\u2028':
		return `\u2028`
	case r == '\u2029':
		return `\u2029`
	}
	return ""
}
