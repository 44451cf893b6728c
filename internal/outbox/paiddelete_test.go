package outbox_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/store"
)

func (q *shippingFixture) deleteItem(i lost.Item) error {
	return q.desk.Items.Delete(q.t.Context(), q.actor, q.where.ID, i.ID)
}

func (q *shippingFixture) deleteLocation() error {
	return q.desk.Locations.Delete(q.t.Context(), q.actor, q.where.ID)
}

// expectConflict checks that err is a conflict whose message contains the text.
func (q *shippingFixture) expectConflict(what string, err error, text string) {
	q.t.Helper()
	if lost.CodeOf(err) != lost.Conflict || !strings.Contains(lost.Detail(err), text) {
		q.t.Errorf("%s: got %v, want a conflict with %q", what, err, text)
	}
}

// requestRefund requests a refund of an item's fee.
func (q *shippingFixture) requestRefund(i lost.Item) {
	q.t.Helper()
	if _, err := q.desk.Refunds.Refund(q.t.Context(), q.actor, q.where.ID, i.ID, lost.RefundPatch{},
		lost.IdempotencyKey{}); err != nil {
		q.t.Fatal(err)
	}
}

const refundFirst = "The owner has paid for shipping. Refund the fee first, or wait until the parcel has arrived."

// TestAPaidItemIsNotDeleted checks that neither an item nor its location is deleted between the payment and the
// delivery, whatever the item's status is.
func TestAPaidItemIsNotDeleted(t *testing.T) {
	eachShippingFixture(t, func(q *shippingFixture) {
		i, token := q.requestPayment("CH", "8001")
		q.pay(token)
		for _, status := range []string{"FEE PAID", "SHIPPED", "DONATE"} {
			q.move(i, lost.MovePatch{Status: lost.Set(status)})
			q.runAll()
			q.expectConflict(status, q.deleteItem(i), refundFirst)
			q.expectConflict(status, q.deleteLocation(), "The owner of 1 item here has paid")
		}
		if got := q.item(i); len(got.Parcel.Documents) == 0 {
			t.Errorf("after the refusal: %+v", got.Parcel)
		}
		other, token := q.requestPayment("CH", "8001")
		q.pay(token)
		q.expectConflict("two items", q.deleteLocation(), "The owners of 2 items here have paid")
		for _, i := range []lost.Item{i, other} {
			q.move(i, lost.MovePatch{Status: lost.Set("DELIVERED")})
		}
		if err := q.deleteItem(i); err != nil {
			t.Errorf("after the delivery: %v", err)
		}
		if err := q.deleteLocation(); err != nil {
			t.Errorf("location after the delivery: %v", err)
		}
	})
}

// TestAnItemIsDeletedAfterItsRefund checks that an item and its location are deleted only after the refund is done
// and the owner is notified.
func TestAnItemIsDeletedAfterItsRefund(t *testing.T) {
	eachShippingFixture(t, func(q *shippingFixture) {
		i, token := q.requestPayment("CH", "8001")
		q.pay(token)
		q.runAll()
		q.requestRefund(i)
		q.expectConflict("item", q.deleteItem(i), "is being refunded")
		q.expectConflict("location", q.deleteLocation(), "Complete the refund first")
		q.messenger.sent = nil
		q.runAll()
		told := func(m lost.MessageData) bool { return m.Kind == lost.RefundMessage }
		if !slices.ContainsFunc(q.messenger.sent, told) {
			t.Errorf("the owner is not notified of the refund: %v", q.messenger.sent)
		}
		if err := q.deleteItem(i); err != nil {
			t.Errorf("item after the refund: %v", err)
		}
		if err := q.deleteLocation(); err != nil {
			t.Errorf("location after the refund: %v", err)
		}
	})
}

// TestAFeeCollectedByTheDeskIsPaidBackFirst checks that an item is deleted only after the desk has confirmed that it
// paid the fee back.
func TestAFeeCollectedByTheDeskIsPaidBackFirst(t *testing.T) {
	eachShippingFixture(t, func(q *shippingFixture) {
		i, _ := q.requestPayment("CH", "8001")
		q.move(i, lost.MovePatch{Status: lost.Set("FEE PAID")})
		q.runAll()
		q.expectConflict("paid", q.deleteItem(i), refundFirst)
		q.requestRefund(i)
		q.runAll()
		q.expectConflict("not confirmed", q.deleteItem(i), "Pay it back to the owner and confirm it first.")
		q.expectConflict("location", q.deleteLocation(), "The owner of 1 item here has paid")
		q.requestRefund(i)
		if err := q.deleteItem(i); err != nil {
			t.Errorf("after the confirmation: %v", err)
		}
	})
}

// TestAFeePaidWhileTheLocationIsDeletedIsRefunded hides the location of a paid item, as if the guest had paid while
// the location was deleted.
func TestAFeePaidWhileTheLocationIsDeletedIsRefunded(t *testing.T) {
	eachShippingFixture(t, func(q *shippingFixture) {
		i, token := q.requestPayment("CH", "8001")
		q.pay(token)
		q.runAll()
		if err := q.db.Write(t.Context(), func(tx *store.Tx) error {
			if err := tx.HideLocation(q.where); err != nil {
				return err
			}
			return tx.AddJob(i.Account, store.JobPurgeLocation, q.where.ID, tx.Now())
		}); err != nil {
			t.Fatal(err)
		}
		q.runAll()
		if got := q.provider.refunds(); len(got) != 1 {
			t.Errorf("refunds: %q, want one", got)
		}
	})
}

// Refund records that a payment was refunded.
func (w *recordingProvider) Refund(ctx context.Context, reference string) error {
	w.mu.Lock()
	w.refunded = append(w.refunded, reference)
	w.mu.Unlock()
	return w.Test.Refund(ctx, reference)
}

func (w *recordingProvider) refunds() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.refunded)
}
