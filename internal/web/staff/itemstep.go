package staff

import (
	"slices"
	"time"

	"homeward/internal/lost"
)

// itemStep is something sensible to do with an item now.
type itemStep struct {
	Name string
	To   string // below the item's page, or a whole address
	Form bool   // it is a form's button: it happens at once, and tells nobody
	File bool   // it opens beside the page
}

// nextSteps says what is sensible to do with an item that was found, by where it stands and what is known: the most sensible first.
func nextSteps(i lost.Item, now time.Time) []itemStep {
	tasks, _ := i.Tasks(false, now)
	var steps []itemStep
	if slices.Contains(tasks, lost.RefundTask) {
		steps = append(steps, itemStep{Name: "Give the money back", To: "/refund"})
	}
	if slices.Contains(tasks, lost.LabelTask) {
		steps = append(steps, itemStep{Name: "Try the label again", To: "/label", Form: true}, itemStep{Name: "Change weight and box", To: "?edit=shipping#shipping"})
	}
	return append(steps, stepsBy(i)...)
}

// stepsBy says what is sensible by the status.
func stepsBy(i lost.Item) []itemStep {
	handOver, again := itemStep{Name: "Hand over", To: "/hand-over"}, itemStep{Name: "Send again", To: "/notify"}
	switch i.Status {
	case lost.Pending:
		switch {
		case !i.DisownedAt.IsZero():
			return []itemStep{{Name: "Change the owner", To: "?edit=owner#owner"}, handOver}
		case i.Owner.Address() == "":
			return []itemStep{{Name: "Add the owner", To: "?edit=owner#owner"}, handOver}
		default:
			return []itemStep{again, handOver}
		}
	case lost.InfoCompleted:
		return stepsToPay(i, again)
	case lost.FeePaid:
		return stepsToShip(i)
	case lost.Shipped:
		return withTracking([]itemStep{{Name: "Mark delivered", To: "/status?to=DELIVERED"}}, i)
	case lost.Delivered:
		return withTracking(nil, i)
	case lost.PickUp:
		if i.ClosedAt.IsZero() {
			return []itemStep{handOver}
		}
	case lost.Discard, lost.Donate:
		if i.ClosedAt.IsZero() && i.MovedBy == lost.ByGuest {
			return []itemStep{{Name: "Done", To: "/status?done=1", Form: true}}
		}
	}
	return nil
}

// stepsToPay are those until the fee is paid. What it costs may be the desk's to say.
func stepsToPay(i lost.Item, again itemStep) []itemStep {
	paid := itemStep{Name: "Mark paid", To: "/status?to=FEE+PAID"}
	_, known := i.Load()
	switch {
	case !i.Parcel.Offered && !known:
		return []itemStep{{Name: "Set weight and box", To: "?edit=shipping#shipping"}, paid}
	case i.Parcel.PayBy.Online() && i.Parcel.Offered:
		return []itemStep{again, paid}
	default:
		return []itemStep{paid}
	}
}

// stepsToShip are those from the paid fee to the carrier's hands.
func stepsToShip(i lost.Item) []itemStep {
	shipped := itemStep{Name: "Mark shipped", To: "/status?to=SHIPPED"}
	if label := i.Parcel.Document(lost.LabelPaper); label.File != "" {
		return []itemStep{{Name: "Print label", To: filePath(label.File), File: true}, shipped}
	}
	return []itemStep{shipped}
}

func withTracking(steps []itemStep, i lost.Item) []itemStep {
	if i.Parcel.TrackingURL != "" {
		steps = append(steps, itemStep{Name: "Follow the parcel", To: i.Parcel.TrackingURL, File: true})
	}
	return steps
}

// itemProgress is the line that shows where an item stands.
type itemProgress struct {
	Word    string
	Done    bool
	Current bool
}

// progressOf gives the stations of an item's way, which depends on what its owner chose.
func progressOf(i lost.Item) []itemProgress {
	way := []string{"Found", "Address", "Paid", "On its way", "Delivered"}
	at := map[lost.Status]int{lost.InfoCompleted: 1, lost.FeePaid: 2, lost.Shipped: 3, lost.Delivered: 4}[i.Status]
	switch i.Status {
	case lost.Pending:
		way = []string{"Found", "Owner decides", "Back home"}
		if i.Owner.Address() != "" {
			at = 1
		}
	case lost.PickUp:
		way, at = []string{"Found", "Owner collects", "Handed over"}, 1
	case lost.Donate:
		way, at = []string{"Found", "To be donated", "Donated"}, 1
	case lost.Discard:
		way, at = []string{"Found", "Left behind", "Cleared"}, 1
	}
	if !i.ClosedAt.IsZero() {
		at = len(way) - 1
	}
	var line []itemProgress
	for n, word := range way {
		line = append(line, itemProgress{Word: word, Done: n <= at, Current: n == at})
	}
	return line
}
