package lost

import (
	"cmp"
	"time"
)

// Finder is the person who found an item and handed it in, if it was not a member of staff.
type Finder struct {
	Name, Email, Phone string
	WantsReward        bool // the finder asks for a reward
	ClaimsItem         bool // the finder wants the item if its owner does not collect it, where the law grants that
}

// Known reports whether any data about the finder is set.
func (f Finder) Known() bool { return f != Finder{} }

// Address returns the e-mail address of the finder, or the phone number if there is none.
func (f Finder) Address() string { return cmp.Or(f.Email, f.Phone) }

// names lists the name and the addresses of the finder, to remove them from texts. The parts of the name are not
// among them, because they may be ordinary words.
func (f Finder) names() []string { return []string{f.Email, f.Phone, f.Name} }

// FinderNotices says when the finder was told something about the item. The times are zero if that has not happened.
type FinderNotices struct {
	Reward time.Time // that the item is back with its owner, because the finder wants a reward
	Item   time.Time // that the item is theirs now
}

// ToFinder reports whether messages of this kind are sent to the finder of an item.
func (k MessageKind) ToFinder() bool { return k == FinderReward || k == FinderItem }

// noticeTime returns where the time is stored at which the finder was sent a message of a kind.
func (t *FinderNotices) noticeTime(kind MessageKind) *time.Time {
	if kind == FinderReward {
		return &t.Reward
	}
	return &t.Item
}

// CheckTellFinder returns an error if the finder of an item cannot be sent a message of a kind: FinderReward or
// FinderItem. Each is sent once.
func (i Item) CheckTellFinder(kind MessageKind, now time.Time) error {
	switch {
	case i.Source != Found || !i.Finder.Known():
		return E(WrongState, "Nobody is recorded as the finder of this item.")
	case !kind.ToFinder():
		return E(WrongState, "Finders are not sent this message.")
	case i.Finder.Address() == "":
		return E(WrongState, "The finder has no e-mail address or phone number.")
	case !i.FinderNotices.noticeTime(kind).IsZero():
		return E(WrongState, "The finder was already told.")
	case kind == FinderReward && !i.Finder.WantsReward:
		return E(WrongState, "The finder does not ask for a reward.")
	case kind == FinderReward && !isReturned(i):
		return E(WrongState, "The item is not back with its owner yet.")
	case kind == FinderItem && !i.Finder.ClaimsItem:
		return E(WrongState, "The finder does not want the item.")
	case kind == FinderItem:
		return checkBelongsToFinder(i, now)
	default:
		return nil
	}
}

// checkBelongsToFinder returns an error unless an item that its finder claims is theirs: because the desk gave it to
// them, or because its storage has ended at the desk and no owner is known.
func checkBelongsToFinder(i Item, now time.Time) error {
	switch {
	case isReturned(i):
		return E(WrongState, "The item is back with its owner.")
	case i.Hold != "":
		return E(WrongState, "%s", Note(NoteOnHold))
	case i.Destination == ToFinder:
		return nil
	case i.Owner.Known() && i.DisownedAt.IsZero():
		return E(WrongState, "The owner of the item is known. Decide first that it goes to the finder.")
	default:
		return i.MayClear(now)
	}
}

// IsDueToFinder reports whether the finder of an item should be told that it is theirs, because its storage has ended
// and a rule of its location gives it to them.
func IsDueToFinder(i Item, now time.Time) bool {
	return i.ThenDue() == ThenFinder && i.MayClear(now) == nil && i.CheckTellFinder(FinderItem, now) == nil
}

// tellsFinder reports whether a message to the finder of an item is still true.
func (m Message) tellsFinder(i Item, now time.Time) bool {
	if !SameAddress(m.To, i.Finder.Address()) {
		return false
	}
	if m.Kind == FinderReward {
		return i.Finder.WantsReward && isReturned(i)
	}
	return i.Finder.ClaimsItem && checkBelongsToFinder(i, now) == nil
}

// isReturned reports whether a found item went back to its owner, or is on its way there.
func isReturned(i Item) bool {
	return !i.LeftAt().IsZero() && (i.Status == PickUp || i.Status == Shipped || i.Status == Delivered)
}

// TellFinder records that the finder is sent a message of a kind, and returns the message. It returns an error if the
// finder cannot be told; see CheckTellFinder.
func (i *Item) TellFinder(kind MessageKind, now time.Time) (Message, error) {
	if err := i.CheckTellFinder(kind, now); err != nil {
		return Message{}, err
	}
	*i.FinderNotices.noticeTime(kind) = now
	i.UpdatedAt = now
	m := NewMessage(kind, *i, string(kind)+" "+AddressKey(i.Finder.Address()), now)
	m.To, m.Channel = i.Finder.Address(), Owner{Email: i.Finder.Email}.Channel()
	return m, nil
}

// FinderPatch changes some fields of a Finder.
type FinderPatch struct {
	Name, Email, Phone      Field[string]
	WantsReward, ClaimsItem Field[bool]
}

// checkFinder returns an error for a request, because nobody has handed in what it describes.
func checkFinder(i *Item) error {
	var c check
	if i.Source == Request {
		c.Add("finder", "only-found", "is only possible for found items; this is a request")
	}
	return c.Err()
}

// EraseFinder removes the data of the finder from an item: what is known about them, their name and addresses in all
// texts and, if they received the item, the protocol that they signed. It reports whether anything changed.
func (i *Item) EraseFinder(now time.Time) bool {
	if !i.Finder.Known() {
		return false
	}
	names := i.Finder.names()
	for n := range itemFields {
		if f := &itemFields[n]; f.Erase == EraseWithFinder {
			f.clear(i)
		}
	}
	i.RemoveNames(names...)
	if i.Destination == ToFinder {
		i.Handover.ReceiptFile = ""
	}
	i.UpdatedAt = now
	return true
}
