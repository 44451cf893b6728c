package media

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"unicode/utf16"
)

const (
	// profileLimit is the size in bytes of the largest colour profile that is kept. A profile of a camera or phone has
	// less than 10 kB, and one for printing less than 1 MB.
	profileLimit = 1 << 20

	// profileName is the name of every colour profile that is kept.
	profileName = "ICC profile"

	profileHead = 128 // length of the header
	profileTags = 100 // maximum number of tags in the table
)

// profileTypes are the tags that determine colours, with the types that their data can have. All other tags are
// dropped, because they contain text about the device, its owner or the program that made the profile.
var profileTypes = map[string][]string{
	"rXYZ": {"XYZ "}, "gXYZ": {"XYZ "}, "bXYZ": {"XYZ "}, "wtpt": {"XYZ "}, "chad": {"sf32"},
	"rTRC": {"curv", "para"}, "gTRC": {"curv", "para"}, "bTRC": {"curv", "para"}, "kTRC": {"curv", "para"},
	"A2B0": {"mft1", "mft2", "mAB "}, "A2B1": {"mft1", "mft2", "mAB "}, "A2B2": {"mft1", "mft2", "mAB "},
	"B2A0": {"mft1", "mft2", "mBA "}, "B2A1": {"mft1", "mft2", "mBA "}, "B2A2": {"mft1", "mft2", "mBA "},
	"cicp": {"cicp"},
}

// profileTag is a tag of a colour profile.
type profileTag struct {
	name string
	data []byte
}

// cleanProfile returns a colour profile with a neutral name and without other text. It returns nil if the profile is
// broken, too large or contains no colours.
func cleanProfile(p []byte) []byte {
	if len(p) < profileHead+4 || len(p) > profileLimit || string(p[36:40]) != "acsp" {
		return nil
	}
	count := binary.BigEndian.Uint32(p[profileHead:])
	if count > profileTags || len(p) < profileHead+4+12*int(count) {
		return nil
	}
	tags := neutralTags(p[8] >= 4)
	texts := len(tags)
	seen := map[string]bool{}
	for n := range int(count) {
		row := p[profileHead+4+12*n:]
		name, at, size := string(row[:4]), binary.BigEndian.Uint32(row[4:]), binary.BigEndian.Uint32(row[8:])
		if uint64(at)+uint64(size) > uint64(len(p)) {
			return nil
		}
		if data := colourData(name, p[at:at+size]); data != nil && !seen[name] {
			seen[name] = true
			tags = append(tags, profileTag{name, data})
		}
	}
	if len(tags) == texts {
		return nil
	}
	return encodeProfile(p[:profileHead], tags)
}

// colourData returns the data of a tag that determines colours, or nil for another tag.
func colourData(name string, data []byte) []byte {
	const typeHead = 12 // the type, four reserved bytes and, for a curve, the number of its points
	if len(data) < typeHead {
		return nil
	}
	kind := string(data[:4])
	known := false
	for _, k := range profileTypes[name] {
		known = known || k == kind
	}
	size := len(data)
	switch kind {
	case "XYZ ":
		size = 8 + 3*4
	case "sf32":
		size = 8 + 9*4
	case "cicp":
		size = typeHead
	case "para":
		size = min(size, typeHead+7*4)
	case "curv":
		points := binary.BigEndian.Uint32(data[8:])
		if points > profileLimit {
			return nil
		}
		size = typeHead + 2*int(points)
	}
	if !known || size > len(data) {
		return nil
	}
	return data[:size]
}

// neutralTags returns the two texts that every profile must have, a description and a copyright. Version 4 of the
// format stores them differently.
func neutralTags(v4 bool) []profileTag {
	const none = "not stated"
	if v4 {
		return []profileTag{{"desc", localizedText(profileName)}, {"cprt", localizedText(none)}}
	}
	description := binary.BigEndian.AppendUint32([]byte("desc\x00\x00\x00\x00"), uint32(len(profileName)+1))
	description = append(append(description, profileName...), 0)
	description = append(description, make([]byte, 4+4+2+1+67)...) // no description in other scripts
	return []profileTag{{"desc", description}, {"cprt", append([]byte("text\x00\x00\x00\x00"+none), 0)}}
}

func localizedText(text string) []byte {
	const records, recordSize, offset = 1, 12, 28
	units := utf16.Encode([]rune(text))
	b := []byte("mluc\x00\x00\x00\x00")
	b = binary.BigEndian.AppendUint32(b, records)
	b = binary.BigEndian.AppendUint32(b, recordSize)
	b = append(b, "enUS"...)
	b = binary.BigEndian.AppendUint32(b, uint32(2*len(units)))
	b = binary.BigEndian.AppendUint32(b, offset)
	for _, u := range units {
		b = binary.BigEndian.AppendUint16(b, u)
	}
	return b
}

// encodeProfile returns a profile with the given tags. Of the header, it keeps what determines colours. It returns nil
// if the profile is too large.
func encodeProfile(head []byte, tags []profileTag) []byte {
	p := bytes.Clone(head)
	for _, drop := range [][2]int{
		{4, 8},             // preferred program
		{24, 36},           // date
		{40, 44}, {48, 64}, // platform, manufacturer, model and attributes of the device
		{80, profileHead}, // program that made the profile, checksum and reserved bytes
	} {
		clear(p[drop[0]:drop[1]])
	}
	p = binary.BigEndian.AppendUint32(p, uint32(len(tags)))
	table := len(p)
	p = append(p, make([]byte, 12*len(tags))...)
	stored := map[string]int{} // the offset of each data, because tags can share it
	for n, t := range tags {
		at, shared := stored[string(t.data)]
		if !shared {
			at = len(p)
			stored[string(t.data)] = at
			p = append(p, t.data...)
			p = append(p, make([]byte, -len(p)&3)...)
		}
		if len(p) > profileLimit {
			return nil
		}
		row := p[table+12*n:]
		copy(row, t.name)
		binary.BigEndian.PutUint32(row[4:], uint32(at))
		binary.BigEndian.PutUint32(row[8:], uint32(len(t.data)))
	}
	binary.BigEndian.PutUint32(p, uint32(len(p)))
	return p
}

// inflateProfile returns a decompressed profile, or nil if it is broken or too large.
func inflateProfile(compressed []byte) []byte {
	z, err := zlib.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil
	}
	p, err := io.ReadAll(io.LimitReader(z, profileLimit+1))
	if err != nil || len(p) > profileLimit {
		return nil
	}
	return p
}

// deflateProfile compresses a profile.
func deflateProfile(p []byte) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write(p) // writing to a buffer never fails
	_ = z.Close()
	return b.Bytes()
}
