package pdf

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
)

// maxPageNodes is the maximum number of pages, and of the nodes of their tree, of one of the files that are joined.
const maxPageNodes = 50

// Join returns one PDF with the pages of all files, in their order. The files may be from other programs. It returns
// the position of the first file that cannot be read together with the error.
func (p *Printer) Join(files [][]byte) (joined []byte, position int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	j := &joiner{offsets: make([]int, 2)} // of the catalog and the list of pages
	j.out.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	for n, file := range files {
		if err := j.addFile(file); err != nil {
			return nil, n, err
		}
	}
	j.write(1, object{value: dictionary{{"Type", name("Catalog")}, {"Pages", reference(2)}}})
	kids := array{}
	for _, number := range j.pages {
		kids = append(kids, reference(number))
	}
	j.write(2, object{value: dictionary{
		{"Type", name("Pages")}, {"Kids", kids}, {"Count", literal(strconv.Itoa(len(kids)))},
	}})
	return j.finish(), 0, nil
}

// joiner writes a file. Objects are numbered from 1.
type joiner struct {
	out     bytes.Buffer
	offsets []int // of the objects
	pages   []int // the numbers of the pages
	from    *source
	left    int         // how many more nodes of the tree of pages may be read
	copies  map[int]int // the numbers of copied objects by their numbers in the source
	waiting []int       // the numbers of objects in the source that were numbered and not yet written
}

// pageKeys are the keys of a page that are copied. All others concern links, forms and editing.
func pageKeys() []name {
	return []name{"Resources", "MediaBox", "CropBox", "Rotate", "UserUnit", "Group", "Contents"}
}

// addFile copies the pages of a file and the objects that they need.
func (j *joiner) addFile(file []byte) (err error) {
	if j.from, err = readSource(file); err != nil {
		return err
	}
	j.copies, j.left = map[int]int{}, maxPageNodes
	before := len(j.pages)
	catalog, _ := j.from.objects[j.from.catalog].value.(dictionary)
	if err := j.addPages(catalog.get("Pages"), nil); err != nil {
		return err
	}
	if len(j.pages) == before {
		return errUnreadable
	}
	for len(j.waiting) > 0 {
		next := j.waiting[0]
		j.waiting = j.waiting[1:]
		o := j.from.objects[next]
		o.value = j.copy(o.value)
		j.write(j.copies[next], o)
	}
	return nil
}

// addPages adds a page, or the pages in a node of the tree of pages. Pages inherit values from its nodes.
func (j *joiner) addPages(node any, inherited dictionary) error {
	d, ok := j.from.resolve(node).(dictionary)
	if j.left--; !ok || j.left < 0 {
		return errUnreadable
	}
	values := dictionary{}
	for _, key := range pageKeys() {
		value := d.get(key)
		if value == nil {
			value = inherited.get(key)
		}
		if value != nil {
			values = append(values, entry{key, value})
		}
	}
	if kids, isNode := j.from.resolve(d.get("Kids")).(array); isNode {
		for _, kid := range kids {
			if err := j.addPages(kid, values); err != nil {
				return err
			}
		}
		return nil
	}
	number := j.number()
	j.pages = append(j.pages, number)
	page := dictionary{{"Type", name("Page")}, {"Parent", reference(2)}}
	for _, e := range values {
		page = append(page, entry{e.key, j.copy(e.value)})
	}
	j.write(number, object{value: page})
	return nil
}

// copy returns a value with the numbers of the copied objects. It leaves out references to other pages.
func (j *joiner) copy(value any) any {
	switch v := value.(type) {
	case reference:
		return j.copyReference(int(v))
	case array:
		all := make(array, len(v))
		for n := range v {
			all[n] = j.copy(v[n])
		}
		return all
	case dictionary:
		all := make(dictionary, len(v))
		for n, e := range v {
			all[n] = entry{e.key, j.copy(e.value)}
		}
		return all
	default:
		return value
	}
}

func (j *joiner) copyReference(to int) any {
	if number, copied := j.copies[to]; copied {
		return reference(number)
	}
	o, found := j.from.objects[to]
	d, _ := o.value.(dictionary)
	if kind := d.get("Type"); !found || kind == name("Page") || kind == name("Pages") {
		return literal("null")
	}
	j.copies[to] = j.number()
	j.waiting = append(j.waiting, to)
	return reference(j.copies[to])
}

// number returns the number of a new object.
func (j *joiner) number() int {
	j.offsets = append(j.offsets, 0)
	return len(j.offsets)
}

// write writes an object.
func (j *joiner) write(number int, o object) {
	j.offsets[number-1] = j.out.Len()
	fmt.Fprintf(&j.out, "%d 0 obj\n", number)
	if o.isStream {
		d, _ := o.value.(dictionary)
		d = slices.DeleteFunc(slices.Clone(d), func(e entry) bool { return e.key == "Length" })
		o.value = append(d, entry{"Length", literal(strconv.Itoa(len(o.data)))})
	}
	j.writeValue(o.value)
	if o.isStream {
		j.out.WriteString("\nstream\n")
		j.out.Write(o.data)
		j.out.WriteString("\nendstream")
	}
	j.out.WriteString("\nendobj\n")
}

func (j *joiner) writeValue(value any) {
	switch v := value.(type) {
	case name:
		j.out.WriteString("/" + string(v))
	case reference:
		fmt.Fprintf(&j.out, "%d 0 R", int(v))
	case literal:
		j.out.WriteString(string(v))
	case array:
		j.out.WriteByte('[')
		for _, one := range v {
			j.out.WriteByte(' ')
			j.writeValue(one)
		}
		j.out.WriteString(" ]")
	case dictionary:
		j.out.WriteString("<<")
		for _, e := range v {
			j.out.WriteString(" /" + string(e.key) + " ")
			j.writeValue(e.value)
		}
		j.out.WriteString(" >>")
	}
}

// finish writes the table of objects.
func (j *joiner) finish() []byte {
	table := j.out.Len()
	fmt.Fprintf(&j.out, "xref\n0 %d\n0000000000 65535 f \n", len(j.offsets)+1)
	for _, offset := range j.offsets {
		fmt.Fprintf(&j.out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&j.out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(j.offsets)+1, table)
	return j.out.Bytes()
}
