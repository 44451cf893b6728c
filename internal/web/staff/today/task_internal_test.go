package today

import (
	"slices"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

func TestEveryTaskHasATitleAndEveryStatusAnExplanation(t *testing.T) {
	for _, kind := range lost.TaskKinds() {
		if !frame.English().Has(taskPrefix + string(kind)) {
			t.Errorf("the task %s has no title", kind)
		}
	}
	for _, s := range lost.Statuses() {
		explains := func(m meaning) bool { return m.Status == s && frame.English().Has(m.Text) }
		if !slices.ContainsFunc(meanings, explains) {
			t.Errorf("the help page does not explain %s", s)
		}
	}
}

func TestATaskWithAnImmediateStepLinksToThePageOfItsItem(t *testing.T) {
	refused := []lost.ParcelProblem{{Kind: lost.LabelTask, Why: "too heavy"}}
	i := lost.Item{
		ID: "item_1", LocationID: "loc_1", Source: lost.Found, Status: lost.FeePaid,
		Parcel: lost.Parcel{Paid: true, Troubles: refused},
	}
	links := taskActions(frame.English(), lost.Task{Kind: lost.LabelTask, Item: i}, time.Now())
	if len(links) != 1 || links[0].Name != "Open" || links[0].Href != frame.ItemPath(i) {
		t.Errorf("got links %+v", links)
	}
	links = taskActions(frame.English(), lost.Task{Kind: lost.ShipTask, Item: i}, time.Now())
	if len(links) != 1 || links[0].Name != "Mark shipped" {
		t.Errorf("got links %+v", links)
	}
}

func TestTheTaskToAnswerAMessageNamesTheGuest(t *testing.T) {
	owner := lost.Owner{FirstName: "Anna", LastName: "Berg", Email: "anna@example.com"}
	task := lost.Task{Kind: lost.ReplyTask, Item: lost.Item{Owner: owner}}
	if got := taskNews(frame.English(), task); got != "Anna Berg" {
		t.Errorf("got %q", got)
	}
	task.Item.Owner = lost.Owner{Email: "anna@example.com"}
	if got := taskNews(frame.English(), task); got != "anna@example.com" {
		t.Errorf("without a name: got %q", got)
	}
}
