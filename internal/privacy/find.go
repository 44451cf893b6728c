package privacy

import (
	"context"

	"homeward/internal/access"
	"homeward/internal/lost"
)

// FoundPerson is a person with the phone numbers on their records.
type FoundPerson struct {
	lost.Person
	Records      lost.Total // their items and requests, up to a limit
	Phones       []string   // numbers that are erased with the person
	SharedPhones []string   // numbers that records with another e-mail address use too
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
	for _, phone := range otherPhones(found.Person, items) {
		shared, err := s.isShared(ctx, a.Account, phone, found.Email)
		switch {
		case err != nil:
			return found, err
		case shared:
			found.SharedPhones = append(found.SharedPhones, phone)
		default:
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
		for _, phone := range []string{i.Owner.Phone, i.Shipping.Recipient.Phone} {
			if key := lost.AddressKey(phone); p.Email != "" && !seen[key] && len(phones) < limit {
				seen[key] = true
				phones = append(phones, key)
			}
		}
	}
	return phones
}

// isShared reports whether records with another e-mail address have the phone number. They may belong to another
// person, for example in the same family.
func (s *People) isShared(ctx context.Context, account, phone, email string) (bool, error) {
	const batch = 100
	for after := ""; ; {
		items, err := s.db.ItemsOfPerson(ctx, account, lost.Person{Phone: phone}, after, batch)
		if err != nil {
			return false, err
		}
		for _, i := range items {
			if i.Owner.Email != "" && !lost.SameAddress(i.Owner.Email, email) {
				return true, nil
			}
			after = i.ID
		}
		if len(items) < batch {
			return false, nil
		}
	}
}
