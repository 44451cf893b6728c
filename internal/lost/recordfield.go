package lost

import (
	"reflect"
	"strings"
)

// FieldKind says what a field holds, and so how a value that was sent for it is checked.
type FieldKind int

// The kinds of fields. A field whose kind is ValueKind is not text: its Go type says what it is.
const (
	ValueKind    FieldKind = iota
	LineKind               // text of one line
	ProseKind              // text of several lines
	DateKind               // YYYY-MM-DD
	TimeKind               // HH:mm
	URLKind                // an http or https address
	EmailKind              // an e-mail address
	PhoneKind              // a phone number in E.164
	LanguageKind           // a BCP 47 tag
	CountryKind            // two letters, ISO 3166-1
	ZoneKind               // an IANA time zone
	ChoiceKind             // one of a list of words
	FileKind               // the name of an upload in the file store
)

// FieldAuthor says who writes the value of a field.
type FieldAuthor int

// The authors of fields.
const (
	ServiceAuthor FieldAuthor = iota // the service itself, a carrier or a payment provider
	StaffAuthor                      // the desk, or a client program of its account
	GuestAuthor                      // the guest or claimant, or the desk about them
)

// ErasureRule says what happens to a field when the guest is erased. The same rule holds for the record and for the
// events in which it was sent to client programs. The zero value means that nobody has decided; a test refuses it.
type ErasureRule int

// The erasure rules.
const (
	_              ErasureRule = iota
	KeepValue                  // it says nothing about a guest
	EraseNames                 // the guest's names and addresses are removed from the text
	EraseOnRequest             // cleared on a request, where the claimant wrote it; otherwise as EraseNames
	EraseValue                 // cleared
)

// RecordField describes one field of a record R that is changed by patches P. The lists of these are the single place
// where a field is declared; everything that copies, compares, stores, shows or erases records follows them.
type RecordField[R, P any] struct {
	// path in the API, such as "owner.firstName"; a name of the same style where the API does not show it
	Name     string
	Kind     FieldKind
	Limit    int  // characters that a text may have
	Required bool // a text that cannot be empty
	Author   FieldAuthor
	Erase    ErasureRule
	Personal bool   // says who the guest is, where they live, or what they wrote; access is audited
	Search   bool   // found by searching for its words
	History  string // how a change is listed in the history, where that is not Name

	At    func(*R) any            // address of the field in a record
	Patch func(*P) *Field[string] // where a patch has the field, if it is sent as text; nil if clients cannot set it so
	apply func(*check, *P, *R)    // sets the field from a patch, where Kind and Patch do not say how
}

// Text is the address of a text in a record; nil for a field that is no plain text.
func (f *RecordField[R, P]) Text(r *R) *string {
	text, _ := f.At(r).(*string)
	return text
}

// Editable reports whether clients and staff can set the field with a patch.
func (f *RecordField[R, P]) Editable() bool { return f.Patch != nil || f.apply != nil }

// HasWords reports whether the field is text that people write freely, and so may name anybody.
func (f *RecordField[R, P]) HasWords() bool {
	return f.Author != ServiceAuthor && (f.Kind == LineKind || f.Kind == ProseKind)
}

// historyName is how the history lists a change of the field.
func (f *RecordField[R, P]) historyName() string {
	if f.History != "" {
		return f.History
	}
	return f.Name
}

// same reports whether two records have the same value.
func (f *RecordField[R, P]) same(a, b *R) bool {
	if x, is := f.At(a).(*string); is {
		return *x == *f.Text(b)
	}
	return reflect.DeepEqual(f.At(a), f.At(b))
}

// set applies what a patch says about the field.
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
	case EmailKind:
		c.email(sent, f.Name, dst)
	case PhoneKind:
		c.phone(sent, f.Name, dst)
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

// Redact returns a text as it stands after its guest was erased. Request tells whether the record is a request.
func (f *RecordField[R, P]) Redact(text string, request bool, names []string) string {
	switch {
	case f.Clears(request) && f.Required && text != "":
		return erasedText
	case f.Clears(request):
		return ""
	case f.Erase == EraseNames || f.Erase == EraseOnRequest:
		return RemoveNames(text, names...)
	default:
		return text
	}
}

// Clears reports whether erasing the guest clears the field.
func (f *RecordField[R, P]) Clears(request bool) bool {
	return f.Erase == EraseValue || f.Erase == EraseOnRequest && request
}

// erase removes the guest from the field.
func (f *RecordField[R, P]) erase(r *R, request bool, names []string) {
	if text := f.Text(r); text != nil {
		*text = f.Redact(*text, request, names)
	} else if f.Clears(request) {
		reflect.ValueOf(f.At(r)).Elem().SetZero()
	}
}

// erasedText replaces a text of an erased guest that a record cannot be without.
const erasedText = "Removed"

// differences lists the editable fields in which two records differ, by their names in the history.
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

// isPersonal reports whether a name in the history is that of a personal field, of a part of one, or of an object that
// has personal fields only.
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
