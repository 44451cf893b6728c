package lost

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Person is a guest or claimant by an address of theirs: one of the two is set.
type Person struct {
	Email string
	Phone string // E.164
}

// PersonPatch names a person as it was sent.
type PersonPatch struct {
	Email, Phone Field[string]
	Received
}

// Person checks what was sent: an e-mail address or a phone number, and not both, because they may be two people's.
func (p PersonPatch) Person() (who Person, err error) {
	c := &check{p.Problems}
	c.email(p.Email, "email", &who.Email)
	c.phone(p.Phone, "phone", &who.Phone)
	switch {
	case len(c.Problems) > 0:
	case who.Email == "" && who.Phone == "":
		c.Add("email", "required", "is required, or phone: it says whose data is meant")
	case who.Email != "" && who.Phone != "":
		c.Add("phone", "not-allowed", "must not be sent with email: each is looked for alone, one after the other")
	}
	return who, c.Err()
}

// PersonTyped names a person by a text as somebody typed it: an e-mail address where it has an @, else a phone number.
func PersonTyped(text string) PersonPatch {
	text = strings.TrimSpace(text)
	if strings.Contains(text, "@") {
		return PersonPatch{Email: Set(text)}
	}
	return PersonPatch{Phone: Set(text)}
}

// Address is what the person is looked for by.
func (p Person) Address() string {
	if p.Email != "" {
		return p.Email
	}
	return p.Phone
}

// Owns tells whether an item's guest is the person.
func (p Person) Owns(i Item) bool {
	return p.reads(i.Owner.Email) || p.Phone != "" && (i.Owner.Phone == p.Phone || i.Shipping.Recipient.Phone == p.Phone)
}

// Reads tells whether what is sent to an address reaches the person.
func (p Person) Reads(address string) bool {
	return p.reads(address) || p.Phone != "" && address == p.Phone
}

func (p Person) reads(email string) bool { return p.Email != "" && strings.EqualFold(email, p.Email) }

// removedWords is what stands in the place of a person in a text that stays.
const removedWords = "[removed]"

// RemoveNames removes some names and addresses from a text, where they are not a part of a longer one. Addresses and full names go whatever their case, a single name as it is
// written. One that is also how a thing looks stays where a sentence begins (Black umbrella, Rose scarf), unless an apostrophe follows. Names of one or two letters are left: they are
// in every other word.
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

// unspaced are names in scripts that put no blanks between words.
var unspaced = regexp.MustCompile(`[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]`)

var numbers = regexp.MustCompile(`\+?[(\d][\d ()/.\-]{4,}\d`)

// unnumber takes a phone number out of a text, however it is written: with blanks, without the country.
func unnumber(text, number string) string {
	const fewest = 7 // figures that tell one number from another
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

// isWord tells whether what stands between two texts is a word of its own, or several.
func isWord(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	return !inWord(last) && !inWord(next)
}

var (
	goesOnBefore = regexp.MustCompile(`[\pL\pN][._+&-]?$`)
	goesOnAfter  = regexp.MustCompile(`^(?:[_-]?[\pL\pN]|\.[\p{Ll}\pN])`) // a dot and a capital begin another sentence
	isFile       = regexp.MustCompile(`^\.(?:csv|xlsx|txt|json)\b`)
	escapeBefore = regexp.MustCompile(`\\[nrt]$`) // in answers of programs
)

// isAddress tells whether what stands between two texts is an address of its own, and not a part of another.
func isAddress(before, after string) bool {
	return (!goesOnBefore.MatchString(before) || escapeBefore.MatchString(before)) && (!goesOnAfter.MatchString(after) || isFile.MatchString(after))
}

// looks are names that finds are described by.
var looks = map[string]bool{
	"amber": true, "black": true, "blue": true, "brown": true, "cherry": true, "coral": true, "cotton": true, "crystal": true, "gold": true, "golden": true, "gray": true, "green": true,
	"grey": true, "hazel": true, "ivory": true, "jade": true, "large": true, "long": true, "olive": true, "orange": true, "pearl": true, "pink": true, "plain": true, "red": true,
	"rose": true, "ruby": true, "scarlet": true, "short": true, "silver": true, "small": true, "violet": true, "white": true, "wood": true,
	"braun": true, "grau": true, "groß": true, "grün": true, "klein": true, "lang": true, "rosa": true, "rot": true, "schwarz": true, "silber": true, "weiß": true,
	"blanc": true, "brun": true, "gris": true, "noir": true, "petit": true, "rouge": true, "vert": true,
	"blanco": true, "delgado": true, "moreno": true, "negro": true, "rojo": true, "rubio": true, "verde": true,
	"bianco": true, "bruno": true, "grande": true, "nero": true, "rosso": true, "viola": true,
}

var (
	apostrophe = regexp.MustCompile(`^['’]`)
	begins     = regexp.MustCompile(`(^|[!?\n]|\pL{4}\.)[\s"'“„«([]*$`) // a dot after fewer letters ends none: Mr. Black
)

// isName tells whether a word between two texts is rather somebody's name than what else it means.
func isName(before, after string) bool {
	return isWord(before, after) && (apostrophe.MatchString(after) || !begins.MatchString(before))
}

// Names is how an owner is called and reached. The full name comes first: alone its parts may be words.
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

// Unname removes names from every text of the item that people wrote. It tells whether there were any.
func (i *Item) Unname(names ...string) bool {
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

// Private tells whether an item tells of a guest.
func (i Item) Private() bool {
	return i.Owner.Known() || i.Shipping.Recipient.Known() || i.Source == Request || i.Handover.Name != ""
}

// PrivateFields gives those of some names in an item's history that say something about the guest.
func PrivateFields(fields []string) (private []string) {
	for _, name := range fields {
		if isPersonal(itemFields, name) {
			private = append(private, name)
		}
	}
	return private
}

// UnderWay tells whether somebody has paid for the item to be sent and it has neither arrived nor has the money gone back. Until then the address is needed.
func (i Item) UnderWay() bool {
	return i.Parcel.Paid && i.Parcel.Refund != RefundDone && (i.Status == FeePaid || i.Status == Shipped)
}

// Erased counts what was removed of a person. It names nobody.
type Erased struct {
	Items      int // that belonged to them, or to nobody any more
	Requests   int // that they had filed
	Mentions   int // texts elsewhere that named them
	Messages   int
	Links      int
	History    int // lines whose words went
	Events     int // whose bodies do not name them any more
	Deliveries int // of these
	Shipments  int
	Files      int // photos, labels, invoices and other papers
	Answers    int // kept for repeated requests
	ImportRows int
	Views      int // saved searches
	UnderWay   int // parcels that are paid and on their way: these stay until they arrive, and are not added up
}

// Add adds up.
func (e *Erased) Add(o Erased) {
	for _, n := range [][2]*int{
		{&e.Items, &o.Items}, {&e.Requests, &o.Requests}, {&e.Mentions, &o.Mentions}, {&e.Messages, &o.Messages}, {&e.Links, &o.Links}, {&e.History, &o.History},
		{&e.Events, &o.Events}, {&e.Deliveries, &o.Deliveries}, {&e.Shipments, &o.Shipments}, {&e.Files, &o.Files}, {&e.Answers, &o.Answers}, {&e.ImportRows, &o.ImportRows}, {&e.Views, &o.Views},
	} {
		*n[0] += *n[1]
	}
}

// String says it in words, without what is none.
func (e Erased) String() string {
	var parts []string
	for _, k := range []struct {
		n    int
		name string
	}{
		{e.Items, "items"}, {e.Requests, "requests"}, {e.Mentions, "mentions"}, {e.Messages, "messages"}, {e.Links, "links"}, {e.History, "lines of history"}, {e.Events, "events"},
		{e.Deliveries, "deliveries"}, {e.Shipments, "shipments"}, {e.Files, "files"}, {e.Answers, "kept answers"}, {e.ImportRows, "rows of imports"}, {e.Views, "saved views"},
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

// Erasure is that a person is removed from an account, or was. Whom it was about is not kept.
type Erasure struct {
	Account   string
	ID        string
	By        Actor
	Erased    Erased
	CreatedAt time.Time
	DoneAt    time.Time // zero while it goes on
}

// NewErasure begins one.
func NewErasure(a Actor, now time.Time) Erasure {
	return Erasure{Account: a.Account, ID: NewID(ErasureID, now), By: a, CreatedAt: now}
}

// ErasureState is how far an erasure has come.
type ErasureState string

// The states of an erasure.
const (
	ErasureRunning ErasureState = "running"
	ErasureDone    ErasureState = "done"
)

// ErasureStates lists them.
func ErasureStates() []ErasureState { return []ErasureState{ErasureRunning, ErasureDone} }

// State tells how far it has come.
func (e Erasure) State() ErasureState {
	if e.DoneAt.IsZero() {
		return ErasureRunning
	}
	return ErasureDone
}
