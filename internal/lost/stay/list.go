package stay

import (
	"strings"
	"time"

	"homeward/internal/lost"
)

// List is a guest list that was uploaded for a location. Its rows are stays.
type List struct {
	Account, ID, LocationID string
	Rows                    int
	CreatedAt, ExpiresAt    time.Time
}

// Limits of guest lists.
const (
	MaxListBytes  = 10 << 20
	MaxListRows   = 50000
	MaxLists      = 100    // that count at the same time at a location
	MaxStoredRows = 200000 // of all lists of a location together
	DefaultKept   = 30     // days
	MaxKept       = 365    // days
)

// NewList returns a list without rows that is kept for a number of days.
func NewList(account, location string, days int, now time.Time) (List, error) {
	var p lost.Problems
	if days < 1 || days > MaxKept {
		p.Add("days", "out-of-range", "must be from 1 to %d", MaxKept)
	}
	return List{
		Account: account, ID: lost.NewID(lost.GuestListID, now), LocationID: location, CreatedAt: now,
		ExpiresAt: now.AddDate(0, 0, days),
	}, p.Err()
}

// Clean returns the guest with only those data that an owner can have: names that are not too long, and a valid e-mail
// address, phone number and language tag. A national phone number is read as one of the country of the location.
func (g Guest) Clean(country string) Guest {
	clean := Guest{FirstName: name(g.FirstName), LastName: name(g.LastName)}
	if email, ok := lost.ParseEmail(strings.TrimSpace(g.Email)); ok {
		clean.Email = email
	}
	if phone, ok := lost.ParsePhoneIn(strings.TrimSpace(g.Phone), country); ok {
		clean.Phone = phone
	}
	if language, ok := lost.ParseLanguage(strings.TrimSpace(g.Language)); ok {
		clean.Language = language
	}
	return clean
}

// name returns a name without control characters, with at most as many characters as an owner's name may have.
func name(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, text)
	return lost.Truncate(strings.Join(strings.Fields(text), " "), lost.MaxName)
}
