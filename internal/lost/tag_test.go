package lost_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"homeward/internal/lost"
)

const tagBase = "https://lost.example"

func TestTagRoundTrip(t *testing.T) {
	for name, base := range map[string]string{
		"at the top": tagBase, "with a port": "http://127.0.0.1:8080", "below a path": "https://hotel.example/lost/",
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				place := rapid.StringOfN(rapid.RuneFrom([]rune("aZ09 ./%?#&+:;@漢é\\\"<>..")), 1, 40, -1).Draw(t,
					"place")
				tag := lost.Tag{LocationID: "loc_0123abc", Place: strings.TrimSpace(place)}
				if tag.Place == "" {
					tag = lost.Tag{Reference: lost.NewReference()}
				}
				if got, is := lost.ReadTag(base, tag.Address(base)); !is || got != tag {
					t.Fatalf("%s: %+v, %v, want %+v", tag.Address(base), got, is, tag)
				}
			})
		})
	}
}

func TestAReferenceIsReadInAnySpelling(t *testing.T) {
	for _, text := range []string{
		"K7F-3QD", "k7f3qd", " k7f 3qd\r\n", "K7F–3QD", "HTTPS://LOST.EXAMPLE/t/k7f3qd",
		"http://lost.example/t/K7F-3QD?x=1#y", "HOMEWARD:K7F-3QD", "HOMEWARD:K7F-3QD:00340434161094042557",
	} {
		if tag, is := lost.ReadTag(tagBase, text); !is || tag.Reference != "K7F-3QD" || tag.Place != "" {
			t.Errorf("%q: %+v, %v", text, tag, is)
		}
	}
}

// Scanned codes are untrusted input: only codes issued by this service are accepted.
func TestForeignCodesAreRejected(t *testing.T) {
	for _, text := range []string{
		"", "umbrella", "K7F-3Q", "K7F-3QDX", "K7F-3Q0", "https://evil.example/t/K7F3QD",
		"https://lost.example.evil.example/t/K7F3QD", "https://lost.example@evil.example/t/K7F3QD",
		"javascript:alert(1)", "//lost.example/t/K7F3QD", "ftp://lost.example/t/K7F3QD",
		"https://lost.example/T/K7F3QD", "https://lost.example/t/K7F3QD/edit", "https://lost.example/settings",
		"https://lost.example/t/place/loc_1/", "https://lost.example/t/place//Shelf",
		"https://lost.example/t/place/loc_1/a%00b", "https://lost.example/t/place/loc_1/%ff",
		"https://lost.example/t/place/loc_1/" + strings.Repeat("a", lost.MaxPlace+1), "HOMEWARD:", "HOMEWARD:umbrella",
		"K7F" + strings.Repeat("-", 5000) + "3QD",
	} {
		if tag, is := lost.ReadTag(tagBase, text); is {
			t.Errorf("%.60q is accepted as %+v", text, tag)
		}
	}
}

func TestTagsAreCheckedBeforeTheyArePrinted(t *testing.T) {
	face := lost.TagFace{Code: "x", Reference: "K7F-3QD"}
	for _, c := range []struct {
		job  lost.TagJob
		want string
	}{
		{lost.TagJob{Paper: lost.A4Sheet, Skip: 23, Faces: []lost.TagFace{face}}, ""},
		{lost.TagJob{Paper: lost.A4Sheet, Skip: 24, Faces: []lost.TagFace{face}}, "start out-of-range"},
		{lost.TagJob{Paper: lost.SmallRoll, Skip: 1, Faces: []lost.TagFace{face}}, "start out-of-range"},
		{lost.TagJob{Paper: lost.LetterSheet, Skip: -1, Faces: []lost.TagFace{face}}, "start out-of-range"},
		{lost.TagJob{Paper: "papyrus", Faces: []lost.TagFace{face}}, "paper not-allowed"},
		{lost.TagJob{Paper: lost.LargeRoll}, "tags required"},
		{lost.TagJob{Paper: lost.LargeRoll, Faces: make([]lost.TagFace, lost.MaxTags+1)}, "tags too-many"},
		{lost.TagJob{Paper: lost.LargeRoll, Faces: []lost.TagFace{{Code: strings.Repeat("x", lost.MaxTagCode+1)}}},
			"tags too-long"},
	} {
		if got := strings.Join(problems(t, c.job.Check()), ", "); got != c.want {
			t.Errorf("%s, %d skipped, %d tags: %q, want %q", c.job.Paper, c.job.Skip, len(c.job.Faces), got, c.want)
		}
	}
}

func TestStockTakeFindings(t *testing.T) {
	hotel := lost.Location{ID: "loc_1", StoragePlace: "Back room"}
	shelf := lost.NewStockTake(lost.Actor{}, hotel, "Shelf 4", false, noon)
	whole := lost.NewStockTake(lost.Actor{}, hotel, "Shelf 4", true, noon)
	byDefault := lost.NewStockTake(lost.Actor{}, hotel, "", false, noon)
	at := func(place string, change func(*lost.Item)) lost.Item {
		i := lost.Item{
			LocationID: "loc_1", Source: lost.Found, Status: lost.Pending, StoragePlace: place,
			Terms: lost.Terms{StoragePlace: "Back room"},
		}
		if change != nil {
			change(&i)
		}
		return i
	}
	for name, c := range map[string]struct {
		count lost.StockTake
		item  lost.Item
		want  lost.Finding
	}{
		"expected here":                         {shelf, at("Shelf 4", nil), lost.Seen},
		"at another place":                      {shelf, at("Shelf 5", nil), lost.Elsewhere},
		"at the default place":                  {shelf, at("", nil), lost.Elsewhere},
		"at the default place, counted":         {byDefault, at("", nil), lost.Seen},
		"default place set explicitly":          {byDefault, at("Back room", nil), lost.Seen},
		"another place, whole location counted": {whole, at("Shelf 5", nil), lost.Seen},
		"of another location": {whole, at("", func(i *lost.Item) {
			i.LocationID = "loc_2"
		}), lost.Elsewhere},
		"sent": {shelf, at("Shelf 4", func(i *lost.Item) {
			i.Status = lost.Shipped
		}), lost.NotInStock},
		"to be collected": {shelf, at("Shelf 4", func(i *lost.Item) {
			i.Status = lost.PickUp
		}), lost.Seen},
		"collected": {shelf, at("Shelf 4", func(i *lost.Item) {
			i.Status, i.ClosedAt = lost.PickUp, noon
		}), lost.NotInStock},
		"reopened after it was closed": {shelf, at("Shelf 4", func(i *lost.Item) {
			i.Status, i.ClosedAt = lost.Pending, noon.Add(-time.Hour)
		}), lost.Seen},
	} {
		if got := c.count.FindingFor(c.item); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := shelf.FindingIfUnseen(lost.StockTakeLine{
		LocationID: "loc_1", KeptAt: "Shelf 4", Held: true,
	}); got != lost.Absent {
		t.Errorf("not seen: got %q, want missing", got)
	}
	if got := shelf.FindingIfUnseen(lost.StockTakeLine{LocationID: "loc_1", KeptAt: "Shelf 4"}); got != lost.Left {
		t.Errorf("handed over during the count: got %q, want left", got)
	}
}
