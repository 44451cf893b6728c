package items

import (
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// byHand has the owner given their link where nothing is sent: to write once more would only keep one more message.
func byHand(i lost.Item, steps []frame.ItemStep) []frame.ItemStep {
	for n, s := range steps {
		if s.To == frame.ItemPath(i)+frame.StepText[lost.RemindAct].To {
			steps[n] = frame.ItemStep{Name: "The owner’s page and its link", To: frame.ItemPath(i) + "/link"}
		}
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
		way, at = []string{"Found", "Left behind", "Discarded"}, 1
	}
	if !i.ClosedAt.IsZero() {
		at = len(way) - 1
	}
	if i.Destination == lost.Police {
		way[at] = frame.ItemState(i).Word
	}
	var line []itemProgress
	for n, word := range way {
		line = append(line, itemProgress{Word: word, Done: n <= at, Current: n == at})
	}
	return line
}
