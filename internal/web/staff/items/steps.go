package items

import (
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// replaceResend replaces "Send again" with a link to the page with the owner's link. It is used if messages are not
// sent, because another message would only be saved.
func replaceResend(i lost.Item, steps []frame.ItemStep) []frame.ItemStep {
	for n, s := range steps {
		if s.To == frame.ItemPath(i)+frame.RemindPath {
			steps[n] = frame.ItemStep{Name: "Owner’s page and link", To: frame.ItemPath(i) + "/link"}
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
	names := []string{"Found", "Address", "Paid", "On its way", "Delivered"}
	at := map[lost.Status]int{lost.InfoCompleted: 1, lost.FeePaid: 2, lost.Shipped: 3, lost.Delivered: 4}[i.Status]
	switch i.Status {
	case lost.Pending:
		names = []string{"Found", "Owner decides", "Returned"}
		if i.Owner.Address() != "" {
			at = 1
		}
	case lost.PickUp:
		names, at = []string{"Found", "Owner collects", "Handed over"}, 1
	case lost.Donate:
		names, at = []string{"Found", "To be donated", "Donated"}, 1
	case lost.Discard:
		names, at = []string{"Found", "Left behind", "Discarded"}, 1
	}
	if !i.ClosedAt.IsZero() {
		at = len(names) - 1
	}
	if i.Destination == lost.Police {
		names[at] = lang.ItemState(i).Word
	}
	var line []itemProgress
	for n, word := range names {
		line = append(line, itemProgress{Word: word, Done: n <= at, Current: n == at})
	}
	return line
}
