package lost_test

import (
	"testing"
	"time"

	"homeward/internal/lost"
)

func TestNumbersAreMaskedExceptTheLastFourCharacters(t *testing.T) {
	for number, want := range map[string]string{
		"": "", "1234": "••••", "12345": "••••2345", "4111 1111 1111 1234": "••••1234", "C01-X00-T47": "••••0T47",
		"••••1234": "••••1234", "••••": "••••", "旅券TK1234567": "••••4567", "•1234": "••••", "--": "••••",
	} {
		if got := lost.MaskNumber(number); got != want {
			t.Errorf("%q: got %q, want %q", number, got, want)
		}
		if masked := lost.MaskNumber(number); lost.MaskNumber(masked) != masked {
			t.Errorf("%q: masking twice changes it", number)
		}
	}
}

func TestTheNumberOfAnIdentityPaperIsStoredMasked(t *testing.T) {
	now := time.Date(2026, 11, 12, 9, 0, 0, 0, time.UTC)
	for _, category := range lost.Categories() {
		i, err := lost.NewItem("acc", "loc", lost.ItemPatch{
			Description: lost.Set("Thing"), SerialNumber: lost.Set("AE1234567"),
		}, now)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := i.Update(lost.ItemPatch{Category: lost.Set(string(category))}, now.Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		want := "AE1234567"
		if category.IsIdentity() {
			want = "••••4567"
		}
		if i.SerialNumber != want {
			t.Errorf("%s: got %q, want %q", category, i.SerialNumber, want)
		}
	}
}

func TestATransferClosesAnItemAndCanBeUndone(t *testing.T) {
	now := time.Date(2026, 11, 12, 9, 0, 0, 0, time.UTC)
	for _, to := range lost.ItemDestinations() {
		i := lost.Item{Source: lost.Found, Status: lost.Pending, Hold: "police"}
		before := i
		record := lost.Handover{Name: "Max", At: now}
		if _, err := i.Transfer(to, record, lost.ByUser, now.Add(time.Second)); err != nil {
			t.Fatalf("%s: %v", to, err)
		}
		if i.Status != to.Status() || i.Destination != to || !i.Transferred() || i.Hold != "" {
			t.Errorf("%s: got %+v", to, i)
		}
		if _, err := i.Transfer(to, record, lost.ByUser, now); err == nil {
			t.Errorf("%s: handed over twice", to)
		}
		late := i
		if _, err := late.UndoHandover(lost.ByUser, now.Add(lost.UndoTime)); err == nil {
			t.Errorf("%s: undone too late", to)
		}
		if _, err := i.UndoHandover(lost.ByUser, now.Add(lost.UndoTime-1)); err != nil {
			t.Fatalf("%s: %v", to, err)
		}
		if i.Status != before.Status || i.Destination != "" || !i.ClosedAt.IsZero() || i.Handover.Known() ||
			i.Hold != "police" {
			t.Errorf("%s: after undo: %+v", to, i)
		}
	}
	cleared := lost.Item{
		Source: lost.Found, Status: lost.Discard, Destination: lost.Police, ClosedAt: now,
		Handover: lost.Handover{Name: "Ann", At: now.Add(-time.Minute), Before: lost.Before{Status: lost.Pending}},
	}
	if cleared.MayUndoHandover(now) == nil {
		t.Error("an earlier hand-over of a cleared item can be undone")
	}
}
