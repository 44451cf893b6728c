package demo

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"homeward/internal/lost"
)

// planOutcome schedules an item's outcome. If the owner is known, they were notified at notifiedAt.
func (f *filler) planOutcome(fd *find, what outcome, notifiedAt time.Time) {
	soon := notifiedAt.Add(f.between(20*time.Minute, 60*time.Hour))
	switch what {
	case addressed, paid, sent, arrived:
		f.planParcel(fd, what, notifiedAt, soon)
	case collected:
		f.planPickup(fd, what, soon)
	case collectedToday, collectedTomorrow:
		recent := f.Clock.End().Add(-f.between(20*time.Hour, 40*time.Hour))
		f.planPickup(fd, what, latest(recent, notifiedAt.Add(readMail)))
	case missed:
		f.planPickup(fd, what, notifiedAt.Add(f.between(time.Hour, 12*time.Hour)))
	case leftBehind:
		f.planGiveUp(fd, lost.ChooseLeave, soon)
	case donated:
		f.planGiveUp(fd, lost.ChooseDonate, soon)
	case disowned:
		f.schedule(notifiedAt.Add(f.between(time.Hour, 24*time.Hour)), func(ctx context.Context) error {
			token, err := f.token(ctx, fd)
			if err == nil {
				_, err = f.Services.Guests.Disown(ctx, token)
			}
			return err
		})
	case claimed:
		f.planClaim(fd)
	default:
		fd.pending = fd.owner == nil
		f.planClearing(fd)
	}
}

// between returns a random duration from least up to, but not including, most.
func (f *filler) between(least, most time.Duration) time.Duration {
	return least + time.Duration(f.r.Int64N(int64(most-least)))
}

// readMail is the shortest time that an owner takes to react to a message.
const readMail = 5 * time.Minute

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// planParcel schedules the shipping of an item, up to the step that its outcome requires. The owner was notified at
// notifiedAt and makes a choice at the time at.
func (f *filler) planParcel(fd *find, what outcome, notifiedAt, at time.Time) {
	limit := f.Clock.End().Add(-30 * time.Minute)
	if what != arrived && at.After(limit) {
		at = latest(limit.Add(-f.between(0, 20*time.Hour)), notifiedAt.Add(readMail))
	}
	f.schedule(at, func(ctx context.Context) error {
		return f.choose(ctx, fd, lost.ChoicePatch{Choice: lost.ChooseShip, Recipient: fd.owner.to})
	})
	if what == addressed {
		return
	}
	at = at.Add(f.between(2*time.Minute, 9*time.Minute))
	if f.r.IntN(5) == 0 && what == arrived {
		at = at.Add(f.between(3*time.Hour, 30*time.Hour))
	}
	f.schedule(at, func(ctx context.Context) error { return f.pay(ctx, fd) })
	if what == paid {
		return
	}
	at = fd.hour(at, 1, 15, f.r.IntN(50))
	number := fmt.Sprintf("JV%09d%s", f.r.IntN(1e9), fd.Country)
	f.schedule(at, func(ctx context.Context) error {
		return f.move(ctx, fd, lost.MovePatch{Status: lost.Set(string(lost.Shipped)), TrackingNumber: lost.Set(number)})
	})
	if what == sent {
		return
	}
	at = at.Add(f.between(30*time.Hour, 150*time.Hour))
	f.schedule(at, func(ctx context.Context) error {
		return f.move(ctx, fd, lost.MovePatch{Status: lost.Set(string(lost.Delivered))})
	})
}

// planPickup schedules the pickup of an item, or a pickup that the owner misses.
func (f *filler) planPickup(fd *find, what outcome, at time.Time) {
	from, day := at, 1+f.r.IntN(3)
	switch what {
	case collectedToday:
		from, day = f.Clock.End(), 0
	case collectedTomorrow:
		from, day = f.Clock.End(), 1
	}
	pickupAt := fd.hour(from, day, 10+f.r.IntN(6), f.r.IntN(4)*15)
	f.schedule(at, func(ctx context.Context) error {
		return f.choose(ctx, fd, lost.ChoicePatch{
			Choice: lost.ChoosePickUp, PickupDate: lost.Set(fd.Day(pickupAt)),
			PickupTime: lost.Set(pickupAt.Format(lost.TimeLayout)),
		})
	})
	if what != collected {
		return
	}
	note := pick(f.r,
		[]string{
			"Handed over, identity card checked.", "Collected; the owner described it correctly.",
			"Handed to the owner's sister, with a note from the owner.", "",
		})
	f.schedule(pickupAt.Add(f.between(2*time.Minute, 50*time.Minute)), func(ctx context.Context) error {
		return f.close(ctx, fd, lost.PickUp, note)
	})
}

// planGiveUp schedules an owner's decision to give up an item, and what the desk then does with it.
func (f *filler) planGiveUp(fd *find, choice lost.Choice, at time.Time) {
	f.schedule(at, func(ctx context.Context) error { return f.choose(ctx, fd, lost.ChoicePatch{Choice: choice}) })
	f.schedule(fd.hour(at, 4, 11, f.r.IntN(50)), func(ctx context.Context) error {
		return f.close(ctx, fd, choice.Status(), "")
	})
}

// clearedUntil is how long ago the desks last cleared their shelves. Items that became overdue since then are still
// there.
const clearedUntil = 8 * 24 * time.Hour

// planClearing schedules the removal of an overdue item from the shelf.
func (f *filler) planClearing(fd *find) {
	over := fd.hour(fd.at, *fd.StorageDuration+1+f.r.IntN(3), 11, f.r.IntN(50))
	if !over.Before(f.Clock.End().Add(-clearedUntil)) {
		return
	}
	to := []lost.Status{lost.Donate, lost.Discard}[weighted(f.r, 7, 3)]
	f.schedule(over, func(ctx context.Context) error {
		return f.close(ctx, fd, to, "Stored for more than "+fmt.Sprint(*fd.StorageDuration)+" days.")
	})
}

// guestLink matches the link in a message to a guest, and captures its token.
var guestLink = regexp.MustCompile(`/g/([^\s>"]+)`)

// token returns the token from the last message to the owner. It returns an error if no message contains a link.
func (f *filler) token(ctx context.Context, fd *find) (string, error) {
	list, err := f.Services.Messages.ListOfItem(ctx, fd.clerk, fd.ID, fd.item.ID, lost.FirstPage())
	if err != nil {
		return "", err
	}
	for _, m := range list.Data {
		if found := guestLink.FindStringSubmatch(m.Text); found != nil {
			return found[1], nil
		}
	}
	return "", errors.New("the owner has no message with a link")
}

// choose makes the owner's choice on the guest page.
func (f *filler) choose(ctx context.Context, fd *find, p lost.ChoicePatch) error {
	token, err := f.token(ctx, fd)
	if err == nil {
		_, err = f.Services.Guests.Choose(ctx, token, p)
	}
	return err
}

// pay pays the shipping fee on the test payment page.
func (f *filler) pay(ctx context.Context, fd *find) error {
	token, err := f.token(ctx, fd)
	if err != nil {
		return err
	}
	bill, err := f.Services.Payments.Bill(ctx, token)
	if err != nil {
		return err
	}
	if len(bill.Shipment.Offers) == 0 {
		return nil // there is no price, so the desk gets a task instead
	}
	if _, err := f.Services.Payments.Checkout(ctx, token, bill.Shipment.Offers[0].Key(),
		fd.owner.language); err != nil {
		return err
	}
	f.Clock.Advance(f.Clock.Now().Add(50 * time.Second))
	_, err = f.Services.Payments.PayTest(ctx, token)
	return err
}

// close closes an item as a desk user would.
func (f *filler) close(ctx context.Context, fd *find, to lost.Status, note string) error {
	p := lost.MovePatch{Status: lost.Set(string(to)), Closed: lost.Set(true)}
	if note != "" {
		p.Note = lost.Set(note)
	}
	return f.move(ctx, fd, p)
}

// move changes an item's status as a desk user would.
func (f *filler) move(ctx context.Context, fd *find, p lost.MovePatch) error {
	_, err := f.Services.Items.SetStatus(ctx, fd.clerk, fd.ID, fd.item.ID, p)
	return err
}
