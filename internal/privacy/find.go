package privacy

import (
	"context"
	"slices"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// FoundPerson is a person with the phone numbers on their records.
type FoundPerson struct {
	lost.Person
	Records      lost.Total // their items and requests, up to a limit
	Phones       []string   // numbers that are erased with the person
	SharedPhones []string   // numbers that records with another e-mail address use too, or may use
}

// Identify validates an e-mail address or phone number. It accepts a national phone number if all of the account's
// locations are in countries with the same calling code.
func (s *People) Identify(ctx context.Context, a lost.Actor, of lost.PersonPatch) (lost.Person, error) {
	if err := access.MayViewAccount(a, lost.ManageStaff); err != nil {
		return lost.Person{}, err
	}
	countries, err := s.db.LocationCountries(ctx, a.Account)
	if err != nil {
		return lost.Person{}, err
	}
	return of.PersonIn(countries)
}

// FindPerson counts a person's items and requests, and lists the phone numbers on them.
func (s *People) FindPerson(ctx context.Context, a lost.Actor, of lost.PersonPatch) (FoundPerson, error) {
	if err := access.MayViewAccount(a, lost.ManageStaff); err != nil {
		return FoundPerson{}, err
	}
	return s.find(ctx, a, of)
}

func (s *People) find(ctx context.Context, a lost.Actor, of lost.PersonPatch) (found FoundPerson, err error) {
	const limit = 1000
	if found.Person, err = s.Identify(ctx, a, of); err != nil {
		return found, err
	}
	items, err := s.db.ItemsOfPerson(ctx, a.Account, found.Person, "", limit+1)
	if err != nil {
		return found, err
	}
	found.Records = lost.Total{Count: min(len(items), limit), AtLeast: len(items) > limit}
	phones := otherPhones(found.Person, items)
	shared, err := sharedPhones(ctx, s.db, a.Account, found.Email, phones, maxCompared)
	if err != nil {
		return found, err
	}
	for _, phone := range phones {
		if shared[phone] {
			found.SharedPhones = append(found.SharedPhones, phone)
		} else {
			found.Phones = append(found.Phones, phone)
		}
	}
	return found, nil
}

// otherPhones lists the phone numbers on the items of a person who is identified by e-mail address.
func otherPhones(p lost.Person, items []lost.Item) (phones []string) {
	const limit = 20
	seen := map[string]bool{"": true}
	for _, i := range items {
		var theirs []string
		if p.Owns(i) {
			theirs = append(theirs, i.Owner.Phone, i.Shipping.Recipient.Phone)
		}
		if p.Found(i) {
			theirs = append(theirs, i.Finder.Phone)
		}
		for _, phone := range theirs {
			if key := lost.AddressKey(phone); p.Email != "" && !seen[key] && len(phones) < limit {
				seen[key] = true
				phones = append(phones, key)
			}
		}
	}
	return phones
}

// maxCompared is the maximum number of records that sharedPhones compares within one request.
const maxCompared = 10000

// sharedPhones returns the phone numbers that records with another e-mail address have too. Such records may belong to
// another person, for example in the same family. If there are more records to compare than the limit, the numbers not
// found until then are returned too: they might be shared, and an erasure must not remove another person's number.
func sharedPhones(ctx context.Context, db *store.DB, account, email string, phones []string,
	limit int) (map[string]bool, error) {
	const batch = 500
	shared := map[string]bool{}
	after := ""
	for compared := 0; len(shared) < len(phones); {
		rest := slices.DeleteFunc(slices.Clone(phones), func(phone string) bool { return shared[phone] })
		size := min(batch, limit-compared)
		if size <= 0 {
			for _, phone := range rest {
				shared[phone] = true
			}
			return shared, nil
		}
		items, err := db.ItemsWithPhones(ctx, account, rest, email, after, size)
		if err != nil {
			return nil, err
		}
		for _, i := range items {
			after = i.ID
			for _, phone := range rest {
				if usesPhone(i, phone, email) {
					shared[phone] = true
				}
			}
		}
		if len(items) < size {
			return shared, nil
		}
		compared += len(items)
	}
	return shared, nil
}

// usesPhone reports whether somebody with another e-mail address has a phone number on an item.
func usesPhone(i lost.Item, phone, email string) bool {
	p := lost.Person{Phone: phone}
	asOwner := i.Owner.Email != "" && !lost.SameAddress(i.Owner.Email, email) && p.Owns(i)
	asFinder := i.Finder.Email != "" && !lost.SameAddress(i.Finder.Email, email) && p.Found(i)
	return asOwner || asFinder
}
