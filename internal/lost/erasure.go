package lost

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Person is a guest or claimant, identified by one of the two addresses.
type Person struct {
	Email string
	Phone string // E.164
}

// PersonPatch identifies a person, as it was sent.
type PersonPatch struct {
	Email, Phone Field[string]
	DecodeResult
}

// Person validates what was sent: an e-mail address or a phone number, not both, because they may belong to two people.
func (p PersonPatch) Person() (who Person, err error) {
	c := &check{p.Problems}
	c.email(p.Email, "email", &who.Email)
	c.phone(p.Phone, "phone", &who.Phone)
	switch {
	case len(c.Problems) > 0:
	case who.Email == "" && who.Phone == "":
		c.Add("email", "required", "is required, or phone, to identify the person")
	case who.Email != "" && who.Phone != "":
		c.Add("phone", "not-allowed", "must not be sent with email; send two requests, one for each")
	}
	return who, c.Err()
}

// PersonTyped reads a person from a text that somebody typed: an e-mail address if it has an @, otherwise a phone
// number.
func PersonTyped(text string) PersonPatch {
	text = strings.TrimSpace(text)
	if strings.Contains(text, "@") {
		return PersonPatch{Email: Set(text)}
	}
	return PersonPatch{Phone: Set(text)}
}

// Address is the address that identifies the person.
func (p Person) Address() string {
	if p.Email != "" {
		return p.Email
	}
	return p.Phone
}

// Owns reports whether the person is an item's guest.
func (p Person) Owns(i Item) bool {
	return p.reads(i.Owner.Email) ||
		p.Phone != "" && (i.Owner.Phone == p.Phone || i.Shipping.Recipient.Phone == p.Phone)
}

// Reads reports whether an address is the person's.
func (p Person) Reads(address string) bool {
	return p.reads(address) || p.Phone != "" && address == p.Phone
}

func (p Person) reads(email string) bool { return p.Email != "" && strings.EqualFold(email, p.Email) }

// removedWords replaces a name or an address in a text.
const removedWords = "[removed]"

// RemoveNames removes names and addresses from a text, unless they are part of a longer word. Addresses and full names
// match in any case, a single name only as it is written. A name that also describes items stays at the beginning of a
// sentence (Black umbrella, Rose scarf), unless an apostrophe follows. Names of one or two letters stay, because they
// match too many words.
func RemoveNames(text string, names ...string) string {
	const shortest = 3
	for _, name := range names {
		switch {
		case strings.HasPrefix(name, "+"):
			text = unnumber(text, name)
		case len([]rune(name)) >= shortest || len([]rune(name)) > 1 && unspaced.MatchString(name):
			text = unname(text, name)
		}
	}
	return text
}

// unspaced matches names in scripts without spaces between words.
var unspaced = regexp.MustCompile(`[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]`)

var numbers = regexp.MustCompile(`\+?[(\d][\d ()/.\-]{4,}\d`)

// unnumber removes a phone number from a text, also if it is written with spaces or without the country code.
func unnumber(text, number string) string {
	const fewest = 7 // digits that identify a number
	figures := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return r
			}
			return -1
		}, s)
	}
	whole := figures(number)
	return numbers.ReplaceAllStringFunc(text, func(written string) string {
		if got := strings.TrimLeft(figures(written), "0"); len(got) >= fewest && strings.HasSuffix(whole, got) {
			return removedWords
		}
		return written
	})
}

func unname(text, name string) string {
	const genitive = `s?` // Kesslers Koffer
	pattern, stands := `(?i)`+regexp.QuoteMeta(name), isAddress
	switch {
	case strings.Contains(name, "@"):
	case unspaced.MatchString(name):
		pattern, stands = regexp.QuoteMeta(name), anywhere
	case strings.Contains(name, " "):
		pattern, stands = pattern+genitive, isWord
	case looks[strings.ToLower(name)]:
		pattern, stands = regexp.QuoteMeta(name), isName
	default:
		pattern, stands = regexp.QuoteMeta(name)+genitive, isWord
	}
	var out strings.Builder
	end := 0
	for _, at := range regexp.MustCompile(pattern).FindAllStringIndex(text, -1) {
		if stands(text[:at[0]], text[at[1]:]) {
			out.WriteString(text[end:at[0]] + removedWords)
			end = at[1]
		}
	}
	return out.String() + text[end:]
}

func anywhere(string, string) bool { return true }

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isWord reports whether the text between before and after consists of whole words.
func isWord(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	return !inWord(last) && !inWord(next)
}

var (
	goesOnBefore = regexp.MustCompile(`[\pL\pN][._+&-]?$`)
	// a dot and a capital letter begin a new sentence
	goesOnAfter  = regexp.MustCompile(`^(?:[_-]?[\pL\pN]|\.[\p{Ll}\pN])`)
	isFile       = regexp.MustCompile(`^\.(?:csv|xlsx|txt|json)\b`)
	escapeBefore = regexp.MustCompile(`\\[nrt]$`) // in responses of programs
)

// isAddress reports whether the text between before and after is a whole address, not part of another.
func isAddress(before, after string) bool {
	return (!goesOnBefore.MatchString(before) || escapeBefore.MatchString(before)) &&
		(!goesOnAfter.MatchString(after) || isFile.MatchString(after))
}

// looks are names that also describe items.
var looks = map[string]bool{
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
	// a dot after fewer letters does not end a sentence: Mr. Black
	begins = regexp.MustCompile(`(^|[!?\n]|\pL{4}\.)[\s"'“„«([]*$`)
)

// isName reports whether a word between before and after is more likely a name than a description.
func isName(before, after string) bool {
	return isWord(before, after) && (apostrophe.MatchString(after) || !begins.MatchString(before))
}

// Names lists the names and addresses of an owner. Full names come before single ones, because a single name may be an
// ordinary word.
func (o Owner) Names() []string {
	names := []string{o.Email, o.Phone}
	if o.FirstName != "" && o.LastName != "" {
		names = append(names, o.FirstName+" "+o.LastName, o.LastName+" "+o.FirstName, o.LastName+", "+o.FirstName)
		if unspaced.MatchString(o.LastName) {
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

// RemoveNames removes names from every text of the item that people wrote. It reports whether there were any.
func (i *Item) RemoveNames(names ...string) bool {
	changed := false
	for n := range itemFields {
		if f := &itemFields[n]; f.HasWords() {
			text := f.Text(i)
			without := RemoveNames(*text, names...)
			changed = changed || without != *text
			*text = without
		}
	}
	return changed
}

// HasGuestData reports whether an item has data about a guest.
func (i Item) HasGuestData() bool {
	return i.Owner.Known() || i.Shipping.Recipient.Known() || i.Source == Request || i.Handover.Name != ""
}

// PersonalFields returns those of some names in an item's history that say something about the guest.
func PersonalFields(fields []string) (private []string) {
	for _, name := range fields {
		if isPersonal(itemFields, name) {
			private = append(private, name)
		}
	}
	return private
}

// InTransit reports whether the item is paid for, has not arrived, and was not refunded. Until then the address is
// needed.
func (i Item) InTransit() bool {
	return i.Parcel.Paid && i.Parcel.Refund != RefundDone && (i.Status == FeePaid || i.Status == Shipped)
}

// Erased counts what was removed about a person. It names nobody.
type Erased struct {
	Items      int // found items whose owner was removed
	Requests   int // requests whose claimant was removed
	Mentions   int // other texts that named them
	Messages   int
	Links      int
	History    int // entries whose notes were removed
	Events     int // whose bodies were redacted
	Deliveries int // of these events
	Shipments  int
	Files      int // photos, labels, invoices and other documents
	Answers    int // stored responses for idempotency keys
	ImportRows int
	Views      int // saved searches
	UnderWay   int // paid parcels in transit, which are erased after they arrive; not added up
}

// Add adds up.
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
		{e.Links, "links"}, {e.History, "lines of history"}, {e.Events, "events"},
		{e.Deliveries, "deliveries"}, {e.Shipments, "shipments"}, {e.Files, "files"}, {e.Answers, "kept answers"},
		{e.ImportRows, "rows of imports"}, {e.Views, "saved views"},
		{e.UnderWay, "parcels under way stay until they arrive"},
	} {
		if k.n > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d", k.name, k.n))
		}
	}
	if len(parts) == 0 {
		return "nothing was kept"
	}
	return strings.Join(parts, ", ")
}

// Erasure is the removal of a person from an account. It does not store who it was.
type Erasure struct {
	Account   string
	ID        string
	By        Actor
	Erased    Erased
	CreatedAt time.Time
	DoneAt    time.Time // zero while it is running
}

// NewErasure starts an erasure.
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

// ErasureStates lists them.
func ErasureStates() []ErasureState { return []ErasureState{ErasureRunning, ErasureDone} }

// State returns the progress.
func (e Erasure) State() ErasureState {
	if e.DoneAt.IsZero() {
		return ErasureRunning
	}
	return ErasureDone
}
