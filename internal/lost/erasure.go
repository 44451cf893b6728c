package lost

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Person is a guest or claimant, identified by e-mail address or phone number.
type Person struct {
	Email string
	Phone string // E.164
}

// PersonPatch identifies a person, as received from the client.
type PersonPatch struct {
	Email, Phone Field[string]
	DecodeResult
}

// Person validates the patch. The patch must have an e-mail address or a phone number, but not both, because they may
// belong to different people.
func (p PersonPatch) Person() (who Person, err error) { return p.PersonIn(nil) }

// PersonIn is like Person, but also accepts a national phone number if all the given countries have the same calling
// code.
func (p PersonPatch) PersonIn(countries []string) (who Person, err error) {
	c := &check{p.Problems}
	c.email(p.Email, "email", &who.Email)
	c.typedPhone(p.Phone, "phone", countries, &who.Phone)
	switch {
	case len(c.Problems) > 0:
	case who.Email == "" && who.Phone == "":
		c.Add("email", "required", "is required unless phone is sent, to identify the person")
	case who.Email != "" && who.Phone != "":
		c.Add("phone", "not-allowed", "cannot be combined with email; send a separate request for each")
	}
	return who, c.Err()
}

// ParsePerson parses user input: an e-mail address if it contains an @, otherwise a phone number.
func ParsePerson(text string) PersonPatch {
	text = strings.TrimSpace(text)
	if strings.Contains(text, "@") {
		return PersonPatch{Email: Set(text)}
	}
	return PersonPatch{Phone: Set(text)}
}

// Address returns the e-mail address or phone number that identifies the person.
func (p Person) Address() string {
	if p.Email != "" {
		return p.Email
	}
	return p.Phone
}

// Owns reports whether an item belongs to the person.
func (p Person) Owns(i Item) bool {
	return p.Reads(i.Owner.Email) || p.Reads(i.Owner.Phone) || p.Reads(i.Shipping.Recipient.Phone)
}

// Found reports whether the person found an item and handed it in.
func (p Person) Found(i Item) bool { return p.Reads(i.Finder.Email) || p.Reads(i.Finder.Phone) }

// Reads reports whether an address is the person's e-mail address or phone number.
func (p Person) Reads(address string) bool {
	return address != "" && p.Address() != "" && SameAddress(address, p.Address())
}

// removedWords replaces a removed name or address in a text.
const removedWords = "[removed]"

// RemoveNames removes names and addresses from a text, unless they are part of a longer word. Addresses match in every
// spelling with the same EmailKey, full names regardless of case, a single name only in the same case. A name that is
// also used to describe items is not removed at the beginning of a sentence (Black umbrella, Rose scarf), unless an
// apostrophe follows it. Names of one or two letters are not removed, because they match too many words. In scripts
// without spaces, names of two characters are removed.
func RemoveNames(text string, names ...string) string { return removeNames(text, true, names) }

// RemoveNamesFromCode is like RemoveNames, but for texts that are not prose, such as ids, serial numbers and shelves. A
// phone number is removed only if it is whole: with its country code, or with its area code and the digits that are
// dialled before it. Its last digits may be any other number.
func RemoveNamesFromCode(text string, names ...string) string { return removeNames(text, false, names) }

func removeNames(text string, prose bool, names []string) string {
	const minLetters = 3
	for _, name := range names {
		switch {
		case strings.HasPrefix(name, "+"):
			text = removePhone(text, name, prose)
		case len([]rune(name)) >= minLetters || len([]rune(name)) > 1 && noSpaceScript.MatchString(name):
			text = removeName(text, name)
		}
	}
	return text
}

// noSpaceScript matches characters of scripts that do not put spaces between words.
var noSpaceScript = regexp.MustCompile(`[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]`)

func removeName(text, name string) string {
	const genitive = `s?` // the German genitive, as in Kesslers Koffer
	pattern, matches := `(?i)`+regexp.QuoteMeta(name), isAddress
	switch {
	case strings.Contains(name, "@"):
		pattern = emailPattern(name)
	case noSpaceScript.MatchString(name):
		pattern, matches = regexp.QuoteMeta(name), matchAlways
	case strings.Contains(name, " "):
		pattern, matches = pattern+genitive, isWord
	case descriptiveNames[strings.ToLower(name)]:
		pattern, matches = regexp.QuoteMeta(name), isName
	default:
		pattern, matches = regexp.QuoteMeta(name)+genitive, isWord
	}
	var out strings.Builder
	end := 0
	for _, at := range regexp.MustCompile(pattern).FindAllStringIndex(text, -1) {
		if matches(text[:at[0]], text[at[1]:]) {
			out.WriteString(text[end:at[0]] + removedWords)
			end = at[1]
		}
	}
	return out.String() + text[end:]
}

func matchAlways(string, string) bool { return true }

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isWord reports whether the text between before and after consists of whole words.
func isWord(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	return !isWordRune(last) && !isWordRune(next)
}

var (
	addressBefore = regexp.MustCompile(`[\pL\pN][._+&-]?$`)
	// a dot and a capital letter start a new sentence
	addressAfter = regexp.MustCompile(`^(?:[_-]?[\pL\pN]|\.[\p{Ll}\pN])`)
	isFile       = regexp.MustCompile(`^\.(?:csv|xlsx|txt|json)\b`)
	escapeBefore = regexp.MustCompile(`\\[nrt]$`) // an escape sequence in a stored response, for example JSON
)

// isAddress reports whether the text between before and after is a complete address.
func isAddress(before, after string) bool {
	return (!addressBefore.MatchString(before) || escapeBefore.MatchString(before)) &&
		(!addressAfter.MatchString(after) || isFile.MatchString(after))
}

// descriptiveNames lists names that are also used to describe items.
var descriptiveNames = map[string]bool{
	"amber": true, "black": true, "blue": true, "brown": true, "cherry": true, "coral": true, "cotton": true,
	"crystal": true, "gold": true, "golden": true, "gray": true, "green": true,
	"grey": true, "hazel": true, "ivory": true, "jade": true, "large": true, "long": true, "olive": true,
	"orange": true, "pearl": true, "pink": true, "plain": true, "red": true,
	"rose": true, "ruby": true, "scarlet": true, "short": true, "silver": true, "small": true, "violet": true,
	"white": true, "wood": true,
	"braun": true, "grau": true, "groß": true, "grün": true, "klein": true, "lang": true, "rosa": true, "rot": true,
	"schwarz": true, "silber": true, "weiß": true,
	"blanc": true, "brun": true, "gris": true, "noir": true, "petit": true, "rouge": true, "vert": true,
	"blanco": true, "delgado": true, "moreno": true, "negro": true, "rojo": true, "rubio": true, "verde": true,
	"bianco": true, "bruno": true, "grande": true, "nero": true, "rosso": true, "viola": true,
}

var (
	apostrophe = regexp.MustCompile(`^['’]`)
	// a dot after fewer than four letters does not end a sentence: Mr. Black
	sentenceStart = regexp.MustCompile(`(^|[!?\n]|\pL{4}\.)[\s"'“„«([]*$`)
)

// isName reports whether a word between before and after is more likely a name than a description.
func isName(before, after string) bool {
	return isWord(before, after) && (apostrophe.MatchString(after) || !sentenceStart.MatchString(before))
}

// Names lists the names and addresses of an owner. Full names come before single names, so that a full name is
// removed even if one of its parts is an ordinary word.
func (o Owner) Names() []string {
	names := []string{o.Email, o.Phone}
	if o.FirstName != "" && o.LastName != "" {
		names = append(names, o.FirstName+" "+o.LastName, o.LastName+" "+o.FirstName, o.LastName+", "+o.FirstName)
		if noSpaceScript.MatchString(o.LastName) {
			names = append(names, o.LastName+o.FirstName)
		}
	}
	return append(names, o.FirstName, o.LastName)
}

// GuestNames lists the names, e-mail addresses and phone numbers of an item's guest.
func (i Item) GuestNames() []string {
	r := i.Shipping.Recipient
	return append([]string{r.Phone, r.Name, i.Handover.Name}, i.Owner.Names()...)
}

// RemoveNames removes names from all texts in the item that people wrote. It reports whether it removed any.
func (i *Item) RemoveNames(names ...string) bool {
	changed := false
	for n := range itemFields {
		if f := &itemFields[n]; f.HasWords() && f.removeNames(i, names) {
			changed = true
		}
	}
	return changed
}

// HasPersonalData reports whether an item has data about a guest or about its finder.
func (i Item) HasPersonalData() bool { return i.HasGuestData() || i.Finder.Known() }

// HasGuestData reports whether an item has data about a guest.
func (i Item) HasGuestData() bool {
	return i.Owner.Known() || i.Shipping.Recipient.Known() || i.Source == Request || i.Handover.Name != ""
}

// PersonalFields returns the names of personal fields among the field names of a history entry.
func PersonalFields(fields []string) (private []string) {
	for _, name := range fields {
		if isPersonal(itemFields, name) {
			private = append(private, name)
		}
	}
	return private
}

// InTransit reports whether shipping is paid and not refunded, and the parcel has not arrived. Until it arrives, the
// address is still needed.
func (i Item) InTransit() bool {
	return i.Parcel.Paid && i.Parcel.Refund != RefundDone && (i.Status == FeePaid || i.Status == Shipped)
}

// Erased counts the records that were removed or redacted for a person. It contains no personal data.
type Erased struct {
	Items      int // found items whose owner was removed
	Requests   int // requests whose claimant was removed
	Mentions   int // other records whose texts contained the person's name or address
	Messages   int
	Links      int
	History    int // entries whose notes were removed
	Events     int // events with redacted bodies
	Deliveries int // deliveries of these events
	Shipments  int
	Files      int // photos, labels, invoices and other documents
	Answers    int // stored responses for idempotency keys
	ImportRows int
	Views      int // saved searches
	UnderWay   int // parcels in transit, whose data is erased after they arrive; not summed by Add

	// SharedPhones counts the phone numbers on the person's records that records with another e-mail address have too.
	// They are not searched for elsewhere, because they may belong to another person. Not summed by Add.
	SharedPhones int
}

// Add adds the counts of another Erased.
func (e *Erased) Add(o Erased) {
	for _, n := range [][2]*int{
		{&e.Items, &o.Items}, {&e.Requests, &o.Requests}, {&e.Mentions, &o.Mentions}, {&e.Messages, &o.Messages},
		{&e.Links, &o.Links}, {&e.History, &o.History},
		{&e.Events, &o.Events}, {&e.Deliveries, &o.Deliveries}, {&e.Shipments, &o.Shipments}, {&e.Files, &o.Files},
		{&e.Answers, &o.Answers}, {&e.ImportRows, &o.ImportRows}, {&e.Views, &o.Views},
	} {
		*n[0] += *n[1]
	}
}

// String lists the counts that are not zero.
func (e Erased) String() string {
	var parts []string
	for _, k := range []struct {
		n    int
		name string
	}{
		{e.Items, "items"}, {e.Requests, "requests"}, {e.Mentions, "mentions"}, {e.Messages, "messages"},
		{e.Links, "links"}, {e.History, "history entries"}, {e.Events, "events"},
		{e.Deliveries, "deliveries"}, {e.Shipments, "shipments"}, {e.Files, "files"}, {e.Answers, "stored responses"},
		{e.ImportRows, "import rows"}, {e.Views, "saved views"},
		{e.UnderWay, "parcels in transit (erased after arrival)"},
		{e.SharedPhones, "phone numbers that other people's records have too (erase them separately)"},
	} {
		if k.n > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d", k.name, k.n))
		}
	}
	if len(parts) == 0 {
		return "nothing was stored"
	}
	return strings.Join(parts, ", ")
}

// Erasure is the removal of a person's data from an account. It does not record who the person was.
type Erasure struct {
	Account   string
	ID        string
	By        Actor
	Erased    Erased
	CreatedAt time.Time
	DoneAt    time.Time // zero while it is running
}

// NewErasure returns a new erasure that is running.
func NewErasure(a Actor, now time.Time) Erasure {
	return Erasure{Account: a.Account, ID: NewID(ErasureID, now), By: a, CreatedAt: now}
}

// ErasureState is the progress of an erasure.
type ErasureState string

// The states of an erasure.
const (
	ErasureRunning ErasureState = "running"
	ErasureDone    ErasureState = "done"
)

// ErasureStates lists all states.
func ErasureStates() []ErasureState { return []ErasureState{ErasureRunning, ErasureDone} }

// State returns the progress of the erasure.
func (e Erasure) State() ErasureState {
	if e.DoneAt.IsZero() {
		return ErasureRunning
	}
	return ErasureDone
}
