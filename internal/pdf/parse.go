package pdf

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// Limits of a file that is read.
const (
	maxObjects  = 20_000
	maxNesting  = 50
	maxUnpacked = 16 << 20 // bytes of all streams of objects together
)

// The values of a PDF file. All others, such as numbers and texts, are kept as they are written.
type (
	name      string // without the slash
	reference int    // the number of an object
	array     []any
	literal   string
	// dictionary keeps the order of its keys, so that the same input always produces the same bytes.
	dictionary []entry
	entry      struct {
		key   name
		value any
	}
)

// object is an object of a file. Only streams have data.
type object struct {
	value    any
	data     []byte
	isStream bool
}

// get returns the value of a key, or nil.
func (d dictionary) get(key name) any {
	for _, e := range d {
		if e.key == key {
			return e.value
		}
	}
	return nil
}

// source is a file whose objects can be copied.
type source struct {
	objects  map[int]object
	catalog  int // the number of the catalog
	unpacked int // bytes of the streams of objects
}

var (
	objectStart = regexp.MustCompile(`(\d{1,9})\s+\d{1,5}\s+obj\b`)
	encryption  = regexp.MustCompile(`/Encrypt\s+\d+\s+\d+\s+R`)
)

// errUnreadable is the error for files that are damaged, too complex or encrypted.
var errUnreadable = errors.New("the PDF cannot be read")

// readSource reads the objects of a file in their order, like programs that repair files. It does not use the table of
// objects, which has several formats and is often wrong.
func readSource(file []byte) (*source, error) {
	if !bytes.HasPrefix(file, []byte("%PDF")) || encryption.Match(file) {
		return nil, errUnreadable
	}
	s := &source{objects: map[int]object{}}
	for rest := file; ; {
		at := objectStart.FindSubmatchIndex(rest)
		if at == nil {
			break
		}
		number, err := strconv.Atoi(string(rest[at[2]:at[3]]))
		if err != nil || len(s.objects) >= maxObjects {
			return nil, errUnreadable
		}
		p := &parser{text: rest[at[1]:]}
		o, err := p.object()
		if err != nil {
			return nil, err
		}
		if err := s.add(number, o); err != nil {
			return nil, err
		}
		rest = p.text
	}
	if s.catalog == 0 {
		return nil, errUnreadable
	}
	return s, nil
}

// add adds an object. A later object replaces an earlier one with the same number.
func (s *source) add(number int, o object) error {
	s.objects[number] = o
	d, _ := o.value.(dictionary)
	switch d.get("Type") {
	case name("Catalog"):
		s.catalog = number
	case name("ObjStm"):
		return s.unpack(d, o.data)
	}
	return nil
}

// unpack adds the objects that a stream of objects contains.
func (s *source) unpack(d dictionary, data []byte) error {
	switch d.get("Filter") {
	case nil:
	case name("FlateDecode"):
		z, err := zlib.NewReader(bytes.NewReader(data))
		if err != nil {
			return fmt.Errorf("%w: %w", errUnreadable, err)
		}
		if data, err = io.ReadAll(io.LimitReader(z, maxUnpacked+1)); err != nil {
			return fmt.Errorf("%w: %w", errUnreadable, err)
		}
	default:
		return errUnreadable
	}
	first, _ := integer(d.get("First"))
	s.unpacked += len(data)
	if s.unpacked > maxUnpacked || d.get("DecodeParms") != nil || first < 0 || first > len(data) {
		return errUnreadable
	}
	return s.addPacked(strings.Fields(string(data[:first])), data[first:])
}

// addPacked adds objects. The positions are pairs of the number of an object and its start in the data.
func (s *source) addPacked(positions []string, data []byte) error {
	for n := 0; n+1 < len(positions); n += 2 {
		number, err := strconv.Atoi(positions[n])
		if err != nil || len(s.objects) >= maxObjects {
			return errUnreadable
		}
		from, err := strconv.Atoi(positions[n+1])
		if err != nil {
			return errUnreadable
		}
		end := len(data)
		if n+3 < len(positions) { // each object ends before the next one, so that nothing is read twice
			if end, err = strconv.Atoi(positions[n+3]); err != nil {
				return errUnreadable
			}
		}
		if from < 0 || from > end || end > len(data) {
			return errUnreadable
		}
		p := &parser{text: data[from:end]}
		value, err := p.value(0)
		if err != nil {
			return err
		}
		if d, _ := value.(dictionary); d.get("Type") == name("Catalog") {
			s.catalog = number
		}
		s.objects[number] = object{value: value}
	}
	return nil
}

// integer returns the value of a number.
func integer(value any) (int, bool) {
	text, _ := value.(literal)
	n, err := strconv.Atoi(string(text))
	return n, err == nil
}

// resolve returns a value, or the one that it refers to.
func (s *source) resolve(value any) any {
	if to, refers := value.(reference); refers {
		return s.objects[int(to)].value
	}
	return value
}

// parser reads values from the start of a text, which it shortens.
type parser struct{ text []byte }

const (
	spaces     = "\x00\t\n\f\r "
	delimiters = "()<>[]{}/%"
)

// skip skips spaces and comments.
func (p *parser) skip() {
	for {
		p.text = bytes.TrimLeft(p.text, spaces)
		if len(p.text) == 0 || p.text[0] != '%' {
			return
		}
		end := bytes.IndexAny(p.text, "\r\n")
		if end < 0 {
			end = len(p.text)
		}
		p.text = p.text[end:]
	}
}

// word reads characters up to a space or delimiter.
func (p *parser) word() string {
	end := bytes.IndexAny(p.text, spaces+delimiters)
	if end < 0 {
		end = len(p.text)
	}
	word := string(p.text[:end])
	p.text = p.text[end:]
	return word
}

// object reads the value of an object and, if it is a stream, its data.
func (p *parser) object() (o object, err error) {
	if o.value, err = p.value(0); err != nil {
		return o, err
	}
	p.skip()
	d, isDictionary := o.value.(dictionary)
	rest, isStream := bytes.CutPrefix(p.text, []byte("stream"))
	if !isDictionary || !isStream {
		return o, nil
	}
	rest = bytes.TrimPrefix(bytes.TrimPrefix(rest, []byte("\r")), []byte("\n"))
	const end = "endstream"
	length, known := integer(d.get("Length"))
	if !known || length < 0 || length > len(rest) ||
		!bytes.HasPrefix(bytes.TrimLeft(rest[length:], spaces), []byte(end)) {
		if length = bytes.Index(rest, []byte(end)); length < 0 {
			return o, errUnreadable
		}
	}
	o.data, o.isStream, p.text = rest[:length], true, rest[length:]
	return o, nil
}

// value reads a value.
func (p *parser) value(depth int) (any, error) {
	p.skip()
	switch {
	case len(p.text) == 0 || depth > maxNesting:
		return nil, errUnreadable
	case bytes.HasPrefix(p.text, []byte("<<")):
		return p.dictionary(depth)
	case p.text[0] == '[':
		return p.array(depth)
	case p.text[0] == '/':
		p.text = p.text[1:]
		return name(p.word()), nil
	case p.text[0] == '(':
		return p.literal(p.endOfText())
	case p.text[0] == '<':
		return p.literal(bytes.IndexByte(p.text, '>'))
	default:
		return p.number()
	}
}

func (p *parser) array(depth int) (any, error) {
	p.text = p.text[1:]
	var all array
	for {
		if p.skip(); bytes.HasPrefix(p.text, []byte("]")) {
			p.text = p.text[1:]
			return all, nil
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
}

func (p *parser) dictionary(depth int) (any, error) {
	p.text = p.text[2:]
	var d dictionary
	for {
		if p.skip(); bytes.HasPrefix(p.text, []byte(">>")) {
			p.text = p.text[2:]
			return d, nil
		}
		key, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		value, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		named, ok := key.(name)
		if !ok {
			return nil, errUnreadable
		}
		d = append(d, entry{named, value})
	}
}

// literal reads a text up to the position of its last character, and keeps it as it is written.
func (p *parser) literal(end int) (any, error) {
	if end < 0 {
		return nil, errUnreadable
	}
	text := literal(p.text[:end+1])
	p.text = p.text[end+1:]
	return text, nil
}

// endOfText returns the position of the parenthesis that ends a text, or -1.
func (p *parser) endOfText() int {
	depth := 0
	for n := 0; n < len(p.text); n++ {
		switch p.text[n] {
		case '\\':
			n++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return n
			}
		}
	}
	return -1
}

var referenceEnd = regexp.MustCompile(`^\s+\d{1,5}\s+R\b`)

// number reads a reference, a number or another word.
func (p *parser) number() (any, error) {
	word := p.word()
	if word == "" {
		return nil, errUnreadable
	}
	n, err := strconv.Atoi(word)
	if end := referenceEnd.Find(p.text[:min(len(p.text), 20)]); err == nil && n > 0 && end != nil {
		p.text = p.text[len(end):]
		return reference(n), nil
	}
	return literal(word), nil
}
