package staff

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
)

func TestEverythingThatCanBeDoneNextHasAButton(t *testing.T) {
	i := lost.Item{ID: "item_1", LocationID: "loc_1", Source: lost.Found, Parcel: lost.Parcel{TrackingURL: "https://carrier.example/1", Documents: []lost.Document{{Kind: lost.LabelPaper, File: "label.pdf"}}}}
	acts := constantsOf(t, "Act")
	for _, act := range acts {
		here := act == string(lost.AnswerAct) // on the page itself
		if s := stepsOf(i, []lost.Act{lost.Act(act)})[0]; s.Name == "" || (s.To == itemPath(i)) != here {
			t.Errorf("%s has %+v", act, s)
		}
	}
	if len(acts) < 16 {
		t.Errorf("only %q can be done", acts)
	}
}

func TestEverythingThatIsToldHasWordsForPeople(t *testing.T) {
	for _, kind := range lost.TaskKinds() {
		if taskWords[kind].title == "" {
			t.Errorf("the task %s has no title", kind)
		}
	}
	for _, fate := range lost.Fates() {
		if w := fateWords[fate]; w.name == "" || w.shade == "" {
			t.Errorf("the fate %s has %+v", fate, w)
		}
	}
	for _, action := range lost.Actions() {
		switch action {
		case lost.Moved, lost.Updated, lost.Sent, lost.Kept, lost.Failed: // which say what changed, or are told by their messages
		default:
			if actionWords[action] == "" {
				t.Errorf("the action %s has no words", action)
			}
		}
	}
	for _, s := range lost.Statuses() {
		if !slices.ContainsFunc(meanings, func(m meaning) bool { return m.Status == s && m.Says != "" }) {
			t.Errorf("the help does not say what %s means", s)
		}
		if w := showState(s); w.Word == string(s) || w.Shape == "" {
			t.Errorf("the status %s has %+v", s, w)
		}
	}
}

// constantsOf reads the values of the constants of a type of lost from its source: not every type has a list of them.
func constantsOf(t *testing.T, name string) (values []string) {
	t.Helper()
	for _, file := range parsed(t, "../../lost/*.go") {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, is := n.(*ast.ValueSpec)
			if !is || len(spec.Values) != 1 {
				return true
			}
			of, is := spec.Type.(*ast.Ident)
			text, literal := spec.Values[0].(*ast.BasicLit)
			if is && literal && of.Name == name {
				values = append(values, strings.Trim(text.Value, `"`))
			}
			return true
		})
	}
	return values
}

func TestATaskThatIsDoneAtOnceIsDoneOnThePageOfItsItem(t *testing.T) {
	refused := []lost.Trouble{{Kind: lost.LabelTask, Why: "too heavy"}}
	i := lost.Item{ID: "item_1", LocationID: "loc_1", Source: lost.Found, Status: lost.FeePaid, Parcel: lost.Parcel{Paid: true, Troubles: refused}}
	if links := taskActions(lost.Task{Kind: lost.LabelTask, Item: i}, time.Now()); len(links) != 1 || links[0].Name != "See to it" || links[0].Href != itemPath(i) {
		t.Errorf("it leads to %+v", links)
	}
	if links := taskActions(lost.Task{Kind: lost.ShipTask, Item: i}, time.Now()); len(links) != 1 || links[0].Name != "Mark shipped" {
		t.Errorf("it leads to %+v", links)
	}
}

func TestTheKindOfAThingIsGuessedFromItsDescription(t *testing.T) {
	for text, want := range map[string]string{
		"Black umbrella with a wooden handle": "umbrella", "Regenschirm, schwarz": "umbrella", "iPhone 15, cracked": "phone", "Keys on a ring": "keys",
		"Brown leather handbag": "bag", "Wallet with cards": "wallet", "Lunettes de soleil": "glasses", "Blue scarf": "clothing", "A book about rings": "book",
		"Water bottle": "bottle", "Teddy": "toy", "Gold ring": "jewellery", "Something": "other", "": "other",
	} {
		if got := kindOf(text); got != want {
			t.Errorf("%q is drawn as %s, want %s", text, got, want)
		}
	}
}
