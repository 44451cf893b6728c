package pdf

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// tables holds the tables of a TrueType font by name. The tables are never modified.
type tables map[string][]byte

// readTables splits a font into its tables, without copying them.
func readTables(raw []byte) tables {
	const header, entry = 12, 16
	t := tables{}
	for n := range int(binary.BigEndian.Uint16(raw[4:])) {
		e := raw[header+n*entry:]
		at, size := binary.BigEndian.Uint32(e[8:]), binary.BigEndian.Uint32(e[12:])
		t[string(e[:4])] = raw[at : at+size]
	}
	return t
}

// Offsets of numbers in a font's tables.
const (
	atLocaForm    = 50 // in head
	atMetricCount = 34 // in hhea
	atGlyphCount  = 4  // in maxp
)

// outline returns the bytes that describe the shape of a glyph.
func (t tables) outline(glyph int) []byte {
	loca := t["loca"]
	if binary.BigEndian.Uint16(t["head"][atLocaForm:]) == 0 {
		from, to := binary.BigEndian.Uint16(loca[2*glyph:]), binary.BigEndian.Uint16(loca[2*glyph+2:])
		return t["glyf"][2*int(from) : 2*int(to)]
	}
	return t["glyf"][binary.BigEndian.Uint32(loca[4*glyph:]):binary.BigEndian.Uint32(loca[4*glyph+4:])]
}

// metric returns the four bytes with the width and the left side bearing of a glyph. The last glyphs of a font share
// one width.
func (t tables) metric(glyph int) []byte {
	hmtx, count := t["hmtx"], int(binary.BigEndian.Uint16(t["hhea"][atMetricCount:]))
	if glyph < count {
		return hmtx[4*glyph : 4*glyph+4]
	}
	bearing := hmtx[4*count+2*(glyph-count):]
	return slices.Concat(hmtx[4*count-4:4*count-2], bearing[:2])
}

// Flags of the components of a composite glyph.
const (
	wideOffsets = 1 << 0
	scaled      = 1 << 3
	moreParts   = 1 << 5
	scaledTwice = 1 << 6
	transformed = 1 << 7
)

// parts returns the offsets of the component numbers in a composite glyph.
func parts(outline []byte) []int {
	const header = 10
	if len(outline) < header || int16(binary.BigEndian.Uint16(outline)) >= 0 {
		return nil
	}
	var found []int
	for at, flags := header, moreParts; flags&moreParts != 0; {
		flags = int(binary.BigEndian.Uint16(outline[at:]))
		found = append(found, at+2)
		at += 6
		if flags&wideOffsets != 0 {
			at += 2
		}
		switch {
		case flags&scaled != 0:
			at += 2
		case flags&scaledTwice != 0:
			at += 4
		case flags&transformed != 0:
			at += 8
		}
	}
	return found
}

// subset returns a font that contains only the given characters, which are in ascending order and have the given
// glyphs. The font contains only the tables that the PDF library reads. If the library got the whole font, it would
// create the subset itself, which needs far more memory.
func (t tables) subset(runes []rune, glyphs []int) []byte {
	included := []int{0}
	newNumber := map[int]int{0: 0} // from the old number of a glyph to its new number
	include := func(glyph int) int {
		n, has := newNumber[glyph]
		if !has {
			n = len(included)
			newNumber[glyph], included = n, append(included, glyph)
		}
		return n
	}
	numbers := make([]int, len(glyphs))
	for n, g := range glyphs {
		numbers[n] = include(g)
	}
	var glyf, loca, hmtx []byte
	for n := 0; n < len(included); n++ { // included grows by the components of composite glyphs
		outline := bytes.Clone(t.outline(included[n]))
		for _, at := range parts(outline) {
			binary.BigEndian.PutUint16(outline[at:], uint16(include(int(binary.BigEndian.Uint16(outline[at:])))))
		}
		loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
		glyf = append(glyf, outline...)
		glyf = append(glyf, make([]byte, -len(glyf)&3)...)
		hmtx = append(hmtx, t.metric(included[n])...)
	}
	cut := tables{
		"glyf": glyf, "hmtx": hmtx, "cmap": charMap(runes, numbers),
		"loca": binary.BigEndian.AppendUint32(loca, uint32(len(glyf))),
	}
	cut["head"] = withNumber(t["head"], atLocaForm, 1)
	cut["hhea"] = withNumber(t["hhea"], atMetricCount, len(included))
	cut["maxp"] = withNumber(t["maxp"], atGlyphCount, len(included))
	for _, name := range []string{"OS/2", "cvt ", "fpgm", "name", "post", "prep"} {
		if whole, has := t[name]; has {
			cut[name] = whole
		}
	}
	return cut.assemble()
}

// withNumber returns a copy of a table with a replaced number.
func withNumber(table []byte, at, number int) []byte {
	changed := bytes.Clone(table)
	binary.BigEndian.PutUint16(changed[at:], uint16(number))
	return changed
}

// charMap returns the table that maps characters to glyphs. It has format 4, with a segment for each character.
func charMap(runes []rune, glyphs []int) []byte {
	count := len(runes) + 1   // including the segment that marks the end
	var bounds, deltas []byte // bounds holds the starts and the ends, which are equal
	for n, r := range runes {
		bounds = binary.BigEndian.AppendUint16(bounds, uint16(r))
		deltas = binary.BigEndian.AppendUint16(deltas, uint16(glyphs[n]-int(r)))
	}
	bounds = binary.BigEndian.AppendUint16(bounds, lastRune)
	deltas = binary.BigEndian.AppendUint16(deltas, 1)
	// There is one subtable, for Windows and Unicode, which follows immediately.
	table := []byte{0, 0, 0, 1, 0, 3, 0, 1, 0, 0, 0, 12}
	for _, number := range []int{4, 16 + 8*count, 0, 2 * count, 0, 0, 0} {
		table = binary.BigEndian.AppendUint16(table, uint16(number))
	}
	return slices.Concat(table, bounds, []byte{0, 0}, bounds, deltas, make([]byte, 2*count))
}

// assemble joins the tables into a font. It omits checksums, because the PDF library computes its own.
func (t tables) assemble() []byte {
	names := make([]string, 0, len(t))
	for name := range t {
		names = append(names, name)
	}
	slices.Sort(names)
	font := []byte{0, 1, 0, 0, 0, byte(len(names)), 0, 0, 0, 0, 0, 0}
	at := len(font) + 16*len(names)
	for _, name := range names {
		font = append(append(font, name...), 0, 0, 0, 0)
		font = binary.BigEndian.AppendUint32(font, uint32(at))
		font = binary.BigEndian.AppendUint32(font, uint32(len(t[name])))
		at += (len(t[name]) + 3) &^ 3
	}
	for _, name := range names {
		font = append(font, t[name]...)
		font = append(font, make([]byte, -len(font)&3)...)
	}
	return font
}
