package lost

import (
	"reflect"
	"slices"
	"strings"
)

// FieldKind is the kind of a field's value. It determines how a value is validated.
type FieldKind int

// The kinds of fields. A field of ValueKind is not text; its Go type determines its values.
const (
	ValueKind    FieldKind = iota
	LineKind               // single-line text
	ProseKind              // multi-line text
	DateKind               // YYYY-MM-DD
	TimeKind               // HH:mm
	URLKind                // an HTTP or HTTPS URL
	HTTPSKind              // an HTTPS URL without user name and password, for a link that guests follow
	EmailKind              // an e-mail address
	PhoneKind              // a phone number in E.164
	LanguageKind           // a BCP 47 tag
	CountryKind            // two letters, ISO 3166-1
	ZoneKind               // an IANA time zone
	ChoiceKind             // one of a list of values
	FileKind               // the name of an upload in the file store
	MetadataKind           // texts by name, which client programs write
	ImagesKind             // photos, whose codes are texts
)

// FieldAuthor tells who writes the value of a field.
type FieldAuthor int

// The authors of fields.
const (
	ServiceAuthor FieldAuthor = iota // the service itself, a carrier or a payment provider
	StaffAuthor                      // the desk, or an API client of its account
	GuestAuthor                      // the guest or claimant, or the desk on their behalf
)

// ErasureRule tells what happens to a field when the guest's data is erased. The same rule applies to the record and
// to the events that were sent to API clients. The zero value means that no rule is set; a test rejects it.
type ErasureRule int

// The erasure rules.
const (
	_               ErasureRule = iota
	KeepValue                   // it contains no data about a guest
	EraseNames                  // the guest's names and addresses are removed from the text
	EraseOnRequest              // cleared for requests, because the claimant wrote it; otherwise like EraseNames
	EraseValue                  // cleared
	EraseWithFinder             // kept: it belongs to the finder, and is cleared when the finder's data is erased
)

// SearchRule tells which searches cover a field.
type SearchRule int

// The search rules.
const (
	NotSearched   SearchRule = iota
	SearchByTerm             // by ItemFilter.Term and ItemFilter.Query
	SearchByQuery            // only by ItemFilter.Query
)

// RecordField describes one field of a record of type R, which is changed by patches of type P. Each field is
// described once, in a list of fields. All code that copies, compares, stores, shows or erases records uses these
// lists.
type RecordField[R, P any] struct {
	// Name is the path in the API, such as "owner.firstName". Fields that are not in the API have a name in the same
	// style.
	Name     string
	Kind     FieldKind
	Limit    int  // maximum length of a text, in characters
	Required bool // the text cannot be empty
	Prose    bool // single-line text in which people write sentences; multi-line text is prose anyway
	Author   FieldAuthor
	Erase    ErasureRule
	Personal bool // identifies the guest or was written by them; access is audited
	Search   SearchRule
	History  string // name in the history, if it is not Name

	At    func(*R) any            // address of the field in a record
	Patch func(*P) *Field[string] // the field in a patch; nil if clients cannot set it as text
	apply func(*check, *P, *R)    // sets the field from a patch, if Kind and Patch are not enough
}

// Text returns a pointer to the text in a record, or nil if the field is not plain text.
func (f *RecordField[R, P]) Text(r *R) *string {
	text, _ := f.At(r).(*string)
	return text
}

// Editable reports whether clients and staff can set the field with a patch.
func (f *RecordField[R, P]) Editable() bool { return f.Patch != nil || f.apply != nil }

// HasWords reports whether the field is free text, which may contain names.
func (f *RecordField[R, P]) HasWords() bool {
	kinds := []FieldKind{LineKind, ProseKind, MetadataKind, ImagesKind}
	return f.Author != ServiceAuthor && slices.Contains(kinds, f.Kind)
}

// IsProse reports whether people write sentences into the field. Other texts are ids, serial numbers, shelves and
// similar codes.
func (f *RecordField[R, P]) IsProse() bool { return f.Prose || f.Kind == ProseKind }

// RemoveNames removes names and addresses from a text of the field.
func (f *RecordField[R, P]) RemoveNames(text string, names ...string) string {
	return removeNames(text, f.IsProse(), names)
}

// removeNames removes names from the words of the field, and reports whether it removed any.
func (f *RecordField[R, P]) removeNames(r *R, names []string) bool {
	switch words := f.At(r).(type) {
	case *string:
		without := f.RemoveNames(*words, names...)
		changed := without != *words
		*words = without
		return changed
	case *Metadata:
		return words.removeNames(names)
	case *[]Image:
		return removeNamedCodes(words, names)
	default:
		return false
	}
}

// historyName returns the name of the field in the history.
func (f *RecordField[R, P]) historyName() string {
	if f.History != "" {
		return f.History
	}
	return f.Name
}

// same reports whether two records have the same value of the field.
func (f *RecordField[R, P]) same(a, b *R) bool {
	if x, is := f.At(a).(*string); is {
		return *x == *f.Text(b)
	}
	return reflect.DeepEqual(f.At(a), f.At(b))
}

// set applies a patch to the field of a record.
func (f *RecordField[R, P]) set(c *check, p *P, r *R) {
	if f.apply != nil {
		f.apply(c, p, r)
		return
	}
	if f.Patch == nil {
		return
	}
	sent, dst := *f.Patch(p), f.Text(r)
	if f.Required {
		c.mandatory(sent.Sent, sent.Null, f.Name)
	}
	switch f.Kind {
	case LineKind:
		c.line(sent, f.Name, f.Limit, dst)
	case ProseKind:
		c.prose(sent, f.Name, f.Limit, dst)
	case DateKind:
		c.date(sent, f.Name, dst)
	case TimeKind:
		c.timeOfDay(sent, f.Name, dst)
	case URLKind:
		c.url(sent, f.Name, dst)
	case HTTPSKind:
		c.httpsURL(sent, f.Name, dst)
	case EmailKind:
		c.email(sent, f.Name, dst)
	case PhoneKind:
		c.phone(sent, f.Name, "", dst)
	case LanguageKind:
		c.language(sent, f.Name, dst)
	case CountryKind:
		c.country(sent, f.Name, dst)
	case ZoneKind:
		c.timeZone(sent, f.Name, dst)
	}
	if f.Required && *dst == "" && !c.Has(f.Name) {
		c.Add(f.Name, "required", "is required")
	}
}

// Redact returns the text of the field without the guest's data. The result depends on whether the record is a
// request.
func (f *RecordField[R, P]) Redact(text string, request bool, names []string) string {
	switch {
	case f.Clears(request) && f.Required && text != "":
		return erasedText
	case f.Clears(request):
		return ""
	case f.Erase == EraseNames || f.Erase == EraseOnRequest:
		return f.RemoveNames(text, names...)
	default:
		return text
	}
}

// Clears reports whether erasing the guest's data clears the field.
func (f *RecordField[R, P]) Clears(request bool) bool {
	return f.Erase == EraseValue || f.Erase == EraseOnRequest && request
}

// erase removes the guest's data from the field.
func (f *RecordField[R, P]) erase(r *R, request bool, names []string) {
	if text := f.Text(r); text != nil {
		*text = f.Redact(*text, request, names)
	} else if f.Clears(request) {
		f.clear(r)
	}
}

// clear removes the value of the field.
func (f *RecordField[R, P]) clear(r *R) { reflect.ValueOf(f.At(r)).Elem().SetZero() }

// erasedText replaces a required text that is erased.
const erasedText = "Removed"

// differences lists the history names of the editable fields in which two records differ.
func differences[R, P any](fields []RecordField[R, P], a, b *R) []string {
	var names []string
	for n := range fields {
		f := &fields[n]
		if !f.Editable() || f.same(a, b) {
			continue
		}
		if name := f.historyName(); len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	return names
}

// editable lists the names of the fields that a patch can set.
func editable[R, P any](fields []RecordField[R, P]) []string {
	var names []string
	for n := range fields {
		if f := &fields[n]; f.Editable() && f.historyName() == f.Name {
			names = append(names, f.Name)
		}
	}
	return names
}

// isPersonal reports whether a name in the history belongs to a personal field, to a part of one, or to an object
// that only has personal fields.
func isPersonal[R, P any](fields []RecordField[R, P], name string) bool {
	inside, personal := 0, 0
	for n := range fields {
		f := &fields[n]
		if f.Personal && (name == f.Name || name == f.historyName() || strings.HasPrefix(name, f.Name+".")) {
			return true
		}
		if strings.HasPrefix(f.Name, name+".") {
			inside++
			if f.Personal {
				personal++
			}
		}
	}
	return inside > 0 && inside == personal
}
