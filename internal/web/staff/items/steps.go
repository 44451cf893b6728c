package items

import (
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
	"homeward/internal/web/staff/stayform"
)

// replaceResend replaces "Send again" with a link to the page with the owner's link. It is used if messages are not
// sent, because another message would only be saved.
func replaceResend(lang frame.Locale, i lost.Item, steps []frame.ItemStep) []frame.ItemStep {
	for n, s := range steps {
		if s.To == frame.ItemPath(i)+frame.RemindPath {
			steps[n] = frame.ItemStep{Name: lang.Say("items.link.open"), To: frame.ItemPath(i) + "/link"}
		}
	}
	return steps
}

// itemProgress is one step in the progress line of an item.
type itemProgress struct {
	Word    string
	Done    bool
	Current bool
}

// progressOf returns the steps in the progress line of an item, which depend on the owner's choice.
func progressOf(lang frame.Locale, i lost.Item) []itemProgress {
	keys := []string{
		"items.progress.found", "items.progress.address", "items.progress.paid", "frame.status.shipped",
		"frame.status.delivered",
	}
	at := map[lost.Status]int{lost.InfoCompleted: 1, lost.FeePaid: 2, lost.Shipped: 3, lost.Delivered: 4}[i.Status]
	switch i.Status {
	case lost.Pending:
		keys = []string{keys[0], "items.progress.decides", "items.progress.returned"}
		if i.Owner.Address() != "" {
			at = 1
		}
	case lost.PickUp:
		keys, at = []string{keys[0], "frame.status.pickup", "items.handover.done"}, 1
	case lost.Donate:
		keys, at = []string{keys[0], "frame.status.donate", "frame.status.donated"}, 1
	case lost.Discard:
		keys, at = []string{keys[0], "frame.status.left", "frame.status.discarded"}, 1
	}
	if !i.ClosedAt.IsZero() {
		at = len(keys) - 1
	}
	var line []itemProgress
	for n, key := range keys {
		line = append(line, itemProgress{Word: lang.Say(key), Done: n <= at, Current: n == at})
	}
	if i.Status == lost.Discard && i.Destination.Kept() {
		line[at].Word = lang.ItemState(i).Word
	}
	return line
}

// addStays adds the step to look up the guests of the room, if the item has no owner.
func addStays(c *call, p *itemPage) error {
	if p.Item.Owner.Known() || !p.Handles {
		return nil
	}
	available, err := stayform.Available(c.Call, p.Item.LocationID)
	if available {
		p.Steps = append(p.Steps, frame.ItemStep{Name: c.Say("stays.look"), To: p.Base + "/stays"})
	}
	return err
}
