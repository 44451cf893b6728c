package store

import (
	"context"
	"strings"

	"golang.org/x/net/idna"

	"homeward/internal/lost"
)

// EmailKey returns the form of an e-mail address that identifies a person. Two addresses are the same only if they
// differ in nothing but the case of ASCII letters, or in the spelling of an international domain. Fold is for search:
// it makes addresses of different people equal, such as jürgen@example.com and jurgen@example.com.
func EmailKey(email string) string {
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

// UserByEmail finds the user who logs in with an e-mail address.
func (r reader) UserByEmail(ctx context.Context, email string) (lost.User, bool, error) {
	u, found, err := r.userByEntry(ctx, EmailKey(email), email)
	if err != nil || found {
		return u, found, err
	}
	// Earlier versions stored the folded address.
	return r.userByEntry(ctx, Fold(email), email)
}

// userByEntry returns the user of a directory entry if their e-mail address identifies the same person.
func (r reader) userByEntry(ctx context.Context, key, email string) (u lost.User, found bool, err error) {
	e, found, err := r.Lookup(ctx, UserEntry, DirectoryHash(key))
	if err != nil || !found {
		return u, false, err
	}
	u, err = r.User(ctx, e.Account, e.Subject)
	if err != nil {
		return lost.User{}, false, lost.IgnoreNotFound(err)
	}
	return u, EmailKey(u.Email) == EmailKey(email), nil
}

// addUserEntry adds the directory entry of a user's e-mail address. An entry of an earlier version, which was folded to
// the same text for another address, is moved to the place of that address. If another transaction has claimed the
// address meanwhile, the transaction is retried.
func (tx *Tx) addUserEntry(u lost.User) error {
	key := EmailKey(u.Email)
	e, found, err := tx.Lookup(tx.ctx, UserEntry, DirectoryHash(key))
	if err != nil {
		return err
	}
	if found && e.Subject != u.ID {
		other, err := tx.User(tx.ctx, e.Account, e.Subject)
		if err != nil {
			return err
		}
		if otherKey := EmailKey(other.Email); otherKey != key {
			if err := tx.RemoveEntry(UserEntry, e); err != nil {
				return err
			}
			if err := tx.AddEntry(UserEntry, DirectoryHash(otherKey), e); err != nil {
				return err
			}
		}
	}
	return tx.AddEntry(UserEntry, DirectoryHash(key), DirectoryEntry{Account: u.Account, Subject: u.ID})
}
