package lost

import (
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// EmailLink is a single-use link for one person and one purpose. Its token is derived from the service's secret and
// never stored.
type EmailLink struct {
	Account   string
	ID        string
	Kind      EmailLinkKind
	UserID    string // the user; for an invitation, the user who sent it
	Email     string // the address that the link is sent to
	Name      string // only for invitations, like Role and Locations
	Role      Role
	Locations []string // nil means all locations of the account
	Shared    bool     // the link was handed over by a person, so using it does not prove who owns the e-mail address
	Key       string   // id of the secret that the token is derived from; empty for the first secret
	ExpiresAt time.Time
	CreatedAt time.Time
}

// EmailLinkKind is the purpose of an EmailLink.
type EmailLinkKind string

// The purposes of an EmailLink.
const (
	ResetLink      EmailLinkKind = "reset"      // choose a new password
	InvitationLink EmailLinkKind = "invitation" // join the team
	AddressLink    EmailLinkKind = "address"    // confirm a new e-mail address
)

// Path returns the path of the page for the link. The caller appends the token.
func (k EmailLinkKind) Path() string {
	switch k {
	case InvitationLink:
		return "/invitation/"
	case AddressLink:
		return "/confirm/"
	default:
		return "/reset/"
	}
}

// Life returns how long a link of this kind is valid.
func (k EmailLinkKind) Life() time.Duration {
	if k == InvitationLink {
		return 7 * 24 * time.Hour
	}
	return time.Hour
}

// CheckValid returns an error if the link is no longer valid.
func (t EmailLink) CheckValid(now time.Time) error {
	if !now.Before(t.ExpiresAt) {
		return E(Gone, "This link has expired.")
	}
	return nil
}

// NewEmailLink returns a new link for a user. The caller sends it to the e-mail address.
func NewEmailLink(kind EmailLinkKind, u User, email string, now time.Time) EmailLink {
	return EmailLink{
		Account: u.Account, ID: NewID(TicketID, now), Kind: kind, UserID: u.ID, Email: email,
		ExpiresAt: now.Add(kind.Life()), CreatedAt: now,
	}
}

// NewInvitation returns an invitation for a new member of the team. The error lists all problems. The caller checks
// whether the locations exist.
func NewInvitation(a Actor, m Membership, now time.Time) (EmailLink, error) {
	t := NewEmailLink(InvitationLink, User{Account: a.Account, ID: a.ID}, "", now)
	c := &check{Problems: m.Problems}
	m.person(c, &t.Email, &t.Name)
	m.place(c, a, &t.Role, &t.Locations)
	return t, c.Err()
}

// Renew returns a new link that replaces this one. Its lifetime starts now.
func (t EmailLink) Renew(now time.Time) EmailLink {
	t.ID, t.CreatedAt, t.ExpiresAt = NewID(TicketID, now), now, now.Add(t.Kind.Life())
	return t
}

// Member returns the user that an invitation creates.
func (t EmailLink) Member(now time.Time) User {
	u := User{
		Account: t.Account, ID: NewID(UserID, now), Email: t.Email, Name: t.Name, Role: t.Role, Locations: t.Locations,
		CreatedAt: now,
	}
	t.Prove(&u, now)
	return u
}

// Prove records that the user owns their e-mail address, if the link was sent to that address.
func (t EmailLink) Prove(u *User, now time.Time) {
	if !t.Shared && t.Email == u.Email && u.VerifiedAt.IsZero() {
		u.VerifiedAt = now
	}
}

// Link gives one person access to one item without a log-in. Its token is derived from the service's secret and never
// stored.
type Link struct {
	Account    string
	ID         string
	LocationID string
	ItemID     string
	Address    string // the address that the link was sent to
	Version    int    // incremented when the token is replaced
	Key        string // id of the secret that the token is derived from; empty for the first secret
	ExpiresAt  time.Time
	RevokedAt  time.Time
	CreatedAt  time.Time
}

// LinkLife is how long a link is valid after the last message that contains it.
const LinkLife = 90 * 24 * time.Hour

// NewLink returns a new link for an item's owner.
func NewLink(i Item, now time.Time) Link {
	return Link{
		Account: i.Account, ID: NewID(LinkID, now), LocationID: i.LocationID, ItemID: i.ID, Address: i.Owner.Address(),
		Version: 1, ExpiresAt: now.Add(LinkLife), CreatedAt: now,
	}
}

// CheckAccess returns an error if the link gives no access to the item, because it was revoked, it has expired, or
// the item has another owner.
func (l Link) CheckAccess(i Item, now time.Time) error {
	if err := l.CheckReply(i); err != nil {
		return err
	}
	if !now.Before(l.ExpiresAt) {
		return E(Gone, "This link has expired.")
	}
	return nil
}

// CheckReply returns an error if a reply with the link's token is not accepted, because the link was revoked or the
// item has another owner.
func (l Link) CheckReply(i Item) error {
	if !l.RevokedAt.IsZero() || !SameAddress(l.Address, i.Owner.Address()) {
		return Missing("link")
	}
	return nil
}

// Guest returns the actor for requests with the link.
func (l Link) Guest() Actor { return Actor{Account: l.Account, Kind: ByGuest, ID: l.ID} }

// EmailKey returns the form of an e-mail address that identifies a person. Addresses that differ only in the case of
// ASCII letters, in the spelling of an international domain, or in whether letters and their accents are composed have
// the same key. Unicode case folding and the forms for compatibility are not suitable, because they make addresses of
// different people equal.
func EmailKey(email string) string { return EarlierEmailKey(composed(email)) }

// composed returns a text in the Unicode form NFC, but keeps signs that NFC replaces with a letter that looks the same,
// such as the Kelvin sign.
func composed(text string) string {
	var b strings.Builder
	start := 0
	for at, r := range text {
		if isLookAlike(r) {
			b.WriteString(norm.NFC.String(text[start:at]) + string(r))
			start = at + len(string(r))
		}
	}
	return b.String() + norm.NFC.String(text[start:])
}

// isLookAlike reports whether NFC replaces a character with another single one.
func isLookAlike(r rune) bool {
	other := norm.NFC.String(string(r))
	return other != string(r) && utf8.RuneCountInString(other) == 1
}

// EarlierEmailKey returns the key that earlier versions stored for an address. They did not compose letters.
func EarlierEmailKey(email string) string {
	local, domain, found := strings.Cut(email, "@")
	if !found {
		return lowerASCII(email)
	}
	if ascii, err := idna.Lookup.ToASCII(domain); err == nil {
		domain = ascii
	}
	return lowerASCII(local) + "@" + lowerASCII(domain)
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// AddressKey returns the EmailKey of an e-mail address, or the PhoneKey of a phone number in E.164 format.
func AddressKey(address string) string {
	switch {
	case strings.Contains(address, "@"):
		return EmailKey(address)
	case strings.HasPrefix(address, "+"):
		return PhoneKey(address)
	default:
		return address
	}
}

// SameAddress reports whether two e-mail addresses or phone numbers belong to the same person.
func SameAddress(a, b string) bool { return a == b || AddressKey(a) == AddressKey(b) }

// DomainSpellings returns the ASCII and Unicode spellings of the domain of an e-mail address. For most addresses, they
// are equal.
func DomainSpellings(email string) (ascii, unicode string) {
	_, ascii, _ = strings.Cut(EmailKey(email), "@")
	unicode, err := idna.Lookup.ToUnicode(ascii)
	if err != nil {
		unicode = ascii
	}
	return ascii, unicode
}

// emailPattern returns a regular expression for the spellings of an e-mail address. Letters of the local part match
// the other case only if they are ASCII letters. They match composed with their accents, and decomposed. The domain
// matches in every case, as in the Domain Name System.
func emailPattern(email string) string {
	local, _, _ := strings.Cut(composed(email), "@")
	var b strings.Builder
	for _, r := range local {
		lower := lowerASCII(string(r))
		if upper := strings.ToUpper(lower); len(lower) == 1 && upper != lower {
			b.WriteString("[" + lower + upper + "]")
		} else {
			b.WriteString(composedOrNot(lower))
		}
	}
	ascii, unicode := DomainSpellings(email)
	return b.String() + "@(?i:" + composedOrNot(ascii) + "|" + composedOrNot(unicode) + ")"
}

// composedOrNot returns a regular expression for a text in the Unicode forms NFC and NFD.
func composedOrNot(text string) string {
	decomposed := norm.NFD.String(text)
	if decomposed == text || composed(decomposed) != text { // the second is true for a sign that looks like a letter
		return regexp.QuoteMeta(text)
	}
	return "(?:" + regexp.QuoteMeta(text) + "|" + regexp.QuoteMeta(decomposed) + ")"
}
