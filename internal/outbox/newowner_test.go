package outbox_test

import (
	"errors"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// setOwner gives an item another owner.
func (q *shippingFixture) setOwner(i lost.Item, p lost.Field[lost.OwnerPatch]) (lost.Item, error) {
	q.t.Helper()
	return q.desk.Items.Update(q.t.Context(), q.actor, q.where.ID, i.ID, lost.ItemPatch{Owner: p})
}

func ownerWith(email string) lost.Field[lost.OwnerPatch] {
	return lost.Set(lost.OwnerPatch{Email: lost.Set(email)})
}

// expectNothingFrom checks that an item has no address, documents or choice of a former owner.
func (q *shippingFixture) expectNothingFrom(i lost.Item, want lost.Status) {
	q.t.Helper()
	i = q.item(i)
	if i.Status != want || i.Shipping.Recipient.Known() || i.Shipping.TrackingNumber != "" ||
		len(i.Parcel.Documents) > 0 || i.Parcel.TrackingURL != "" || i.Pickup != (lost.Pickup{}) {
		q.t.Errorf("the new owner sees %s %+v %+v %+v", i.Status, i.Shipping, i.Parcel, i.Pickup)
	}
}

// export returns the data that is stored about a person.
func (q *shippingFixture) export(person string) string {
	q.t.Helper()
	var out strings.Builder
	if err := q.desk.People.ExportPerson(q.t.Context(), q.admin(), lost.ParsePerson(person), &out); err != nil {
		q.t.Fatal(err)
	}
	return out.String()
}

// TestANewOwnerSeesNothingOfTheFormerOwner changes the owner after Anna has entered her address. Her choice and her
// unpaid shipment are cancelled, and the new owner is notified.
func TestANewOwnerSeesNothingOfTheFormerOwner(t *testing.T) {
	for name, change := range map[string][]lost.Field[lost.OwnerPatch]{
		"another address":    {ownerWith(bert)},
		"removed, then new":  {lost.Clear[lost.OwnerPatch](), ownerWith(bert)},
		"same name, new one": {lost.Set(lost.OwnerPatch{FirstName: lost.Set("Anna"), Email: lost.Set(bert)})},
	} {
		t.Run(name, func(t *testing.T) {
			eachShippingFixture(t, func(q *shippingFixture) {
				i, _ := q.requestPayment("CH", "8001")
				for _, p := range change {
					if _, err := q.setOwner(i, p); err != nil {
						t.Fatal(err)
					}
					q.expectNothingFrom(i, lost.Pending)
				}
				q.runAll()
				q.expectSent("after the change", "notice to "+bert)
				shipments, err := q.db.ShipmentsOfItem(t.Context(), i.Account, i.ID)
				if err != nil || len(shipments) != 1 || shipments[0].State != lost.ShipmentCancelled {
					t.Errorf("shipments: %+v %v", shipments, err)
				}
			})
		})
	}
}

// TestAPaidParcelKeepsItsOwner checks that an item with a paid parcel gets another owner only after a refund or after
// it has arrived, but that the owner's address can be corrected.
func TestAPaidParcelKeepsItsOwner(t *testing.T) {
	eachShippingFixture(t, func(q *shippingFixture) {
		i, token := q.requestPayment("CH", "8001")
		q.pay(token)
		q.runAll()
		for _, p := range []lost.Field[lost.OwnerPatch]{ownerWith(bert), lost.Clear[lost.OwnerPatch]()} {
			if _, err := q.setOwner(i, p); lost.CodeOf(err) != lost.Conflict {
				t.Errorf("%+v: got %v, want a conflict", p, err)
			}
		}
		if got := q.item(i); got.Owner.Email != anna || len(got.Parcel.Documents) == 0 {
			t.Errorf("after the refusal: %+v %+v", got.Owner, got.Parcel)
		}
		for _, p := range []lost.OwnerPatch{
			{Phone: lost.Set(annasPhone)}, {Email: lost.Set("anna.new@example.com")},
		} {
			if got, err := q.setOwner(i, lost.Set(p)); err != nil || !got.Shipping.Recipient.Known() {
				t.Errorf("correction %+v: %+v %v", p, got.Shipping, err)
			}
		}
		q.move(i, lost.MovePatch{Status: lost.Set("DELIVERED")})
		if _, err := q.setOwner(i, lost.Set(lost.OwnerPatch{
			Email: lost.Set(bert), Phone: lost.Clear[string](),
		})); err != nil {
			t.Fatal(err)
		}
		q.expectNothingFrom(i, lost.Delivered)
	})
}

// TestANewOwnerIsNotToldOfAnOlderRefund changes the owner while Anna's fee is being refunded.
func TestANewOwnerIsNotToldOfAnOlderRefund(t *testing.T) {
	eachShippingFixture(t, func(q *shippingFixture) {
		i, token := q.requestPayment("CH", "8001")
		q.pay(token)
		q.runAll()
		if _, err := q.desk.Refunds.Refund(t.Context(), q.actor, q.where.ID, i.ID, lost.RefundPatch{},
			lost.IdempotencyKey{}); err != nil {
			t.Fatal(err)
		}
		if _, err := q.setOwner(i, ownerWith(bert)); err != nil {
			t.Fatal(err)
		}
		q.messenger.sent = nil
		q.runAll()
		q.expectSent("after the refund", "notice to "+bert)
		q.expectNothingFrom(i, lost.Pending)
		shipments, err := q.db.ShipmentsOfItem(t.Context(), i.Account, i.ID)
		if err != nil || len(shipments) != 1 || shipments[0].Refund != lost.RefundDone {
			t.Errorf("shipments: %+v %v", shipments, err)
		}
	})
}

// TestAcceptingARequestForgetsAFormerOwner checks that a claimant does not see the address of a former owner.
func TestAcceptingARequestForgetsAFormerOwner(t *testing.T) {
	eachShippingFixture(t, func(q *shippingFixture) {
		i, _ := q.requestPayment("CH", "8001")
		q.move(i, lost.MovePatch{Status: lost.Set("PENDING")})
		if _, err := q.setOwner(i, lost.Clear[lost.OwnerPatch]()); err != nil {
			t.Fatal(err)
		}
		request := q.fileRequest(bert)
		if _, err := q.desk.Requests.Decide(t.Context(), q.actor, q.where.ID, request.ID,
			lost.DecisionPatch{Type: lost.Set(lost.Accept), ItemID: lost.Set(i.ID)}); err != nil {
			t.Fatal(err)
		}
		q.expectNothingFrom(i, lost.Pending)
		if got := q.item(i).Owner.Email; got != bert {
			t.Errorf("owner: %q", got)
		}
	})
}

// TestAFormerOwnerIsExportedAndErased checks that the shipments, events and notes of a former owner are exported to
// them, not to the new owner, and erased.
func TestAFormerOwnerIsExportedAndErased(t *testing.T) {
	eachShippingFixture(t, func(q *shippingFixture) {
		i, token := q.requestPayment("CH", "8001")
		q.pay(token)
		q.runAll()
		q.move(i, lost.MovePatch{Status: lost.Set("DELIVERED"), Note: lost.Set("Anna called from Town")})
		if _, err := q.setOwner(i, ownerWith(bert)); err != nil {
			t.Fatal(err)
		}
		q.move(i, lost.MovePatch{Status: lost.Set("PENDING"), Note: lost.Set("Bert called")})
		q.runAll()
		for _, person := range []string{anna, annasPhone} {
			text := q.export(person)
			for _, want := range []string{
				`"address1":"1 High Street"`, `"eventType":"shipping-label"`, `"complete":true`,
			} {
				if !strings.Contains(text, want) {
					t.Errorf("the export of %s has no %s: %s", person, want, text)
				}
			}
		}
		if text := q.export(bert); strings.Contains(text, "High Street") || strings.Contains(text, anna) ||
			strings.Contains(text, "from Town") || !strings.Contains(text, "Bert called") {
			t.Errorf("export of the new owner: %s", text)
		}
		if e := q.erase(anna); e.Shipments != 1 || e.Files != 4 || e.History == 0 || e.Events == 0 {
			t.Errorf("erased: %+v", e)
		}
		q.expectAbsent(anna, annasPhone, "High Street", "from Town")
		if got := q.item(i).Owner.Email; got != bert || !strings.Contains(q.dump(), "Bert called") {
			t.Errorf("the new owner %q is affected", got)
		}
		q.runAll()
		if n := len(q.documents.files); n != 0 {
			t.Errorf("%d documents are left", n)
		}
	})
}

// forgetGuests removes the guest from an item's shipments, as in shipments of earlier versions.
func (q *shippingFixture) forgetGuests(i lost.Item) {
	q.t.Helper()
	err := q.db.Write(q.t.Context(), func(tx *store.Tx) error {
		shipments, err := tx.LockShipments(i.Account, i.ID)
		for _, s := range shipments {
			s.Guest, s.To.Phone = lost.Owner{}, ""
			err = errors.Join(err, tx.SaveShipment(s))
		}
		return err
	})
	if err != nil {
		q.t.Fatal(err)
	}
}

// TestAShipmentOfAnEarlierVersionBelongsToItsGuest checks that a shipment that does not name its guest is exported and
// erased for the person who had a link when it was made.
func TestAShipmentOfAnEarlierVersionBelongsToItsGuest(t *testing.T) {
	eachShippingFixture(t, func(q *shippingFixture) {
		i, _ := q.requestPayment("CH", "8001")
		if _, err := q.setOwner(i, ownerWith(bert)); err != nil {
			t.Fatal(err)
		}
		q.forgetGuests(i)
		if text := q.export(anna); !strings.Contains(text, "High Street") {
			t.Errorf("export of the former owner: %s", text)
		}
		if text := q.export(bert); strings.Contains(text, "High Street") {
			t.Errorf("export of the new owner: %s", text)
		}
		if e := q.erase(bert); e.Shipments != 1 { // everything on the item
			t.Errorf("erased: %+v", e)
		}
	})
}

// TestAParcelOfTheNewOwnerDoesNotDelayAnErasure erases a former owner while a parcel to the new owner is in transit,
// and keeps what was noted about the new owner.
func TestAParcelOfTheNewOwnerDoesNotDelayAnErasure(t *testing.T) {
	eachShippingFixture(t, func(q *shippingFixture) {
		i := q.createOwned(bert)
		if _, err := q.desk.Items.Update(t.Context(), q.actor, q.where.ID, i.ID, lost.ItemPatch{
			Notes: lost.Set("in the safe"), Shipping: lost.Set(lost.ShippingPatch{Weight: lost.Set(1.0)}),
			Owner: ownerWith(anna),
		}); err != nil {
			t.Fatal(err)
		}
		i = q.item(i)
		q.choose(i, lost.ChoicePatch{Choice: lost.ChooseShip, Recipient: lost.RecipientPatch{
			Name: lost.Set("Anna"), Address1: lost.Set("1 High Street"), City: lost.Set("Town"),
			ZipCode: lost.Set("8001"), Country: lost.Set("CH"), Phone: lost.Set(annasPhone),
		}})
		q.move(i, lost.MovePatch{Status: lost.Set("FEE PAID"), Note: lost.Set("Anna paid in cash")})
		if _, err := q.setOwner(i, lost.Set(lost.OwnerPatch{FirstName: lost.Set("Anna")})); err != nil {
			t.Fatal(err)
		}
		if e := q.startErasure(bert); e.DoneAt.IsZero() || e.Erased.UnderWay != 0 || e.Erased.Links != 1 {
			t.Errorf("erasure of the former owner: %+v", e)
		}
		got := q.item(i)
		if !got.Shipping.Recipient.Known() || !strings.Contains(q.dump(), "paid in cash") {
			t.Errorf("the new owner's data was erased: %+v", got.Shipping)
		}
	})
}

// TestEventsOfADeletedItemAreExported checks that an export contains the person's data in events after the item was
// deleted.
func TestEventsOfADeletedItemAreExported(t *testing.T) {
	eachShippingFixture(t, func(q *shippingFixture) {
		i := q.createOwned(anna)
		q.move(i, lost.MovePatch{Status: lost.Set("DONATE")})
		if err := q.desk.Items.Delete(t.Context(), q.actor, q.where.ID, i.ID); err != nil {
			t.Fatal(err)
		}
		if text := q.export(anna); !strings.Contains(text, `"eventType":"donate"`) {
			t.Errorf("export: %s", text)
		}
		if text := q.export(bert); strings.Contains(text, anna) {
			t.Errorf("export of another person: %s", text)
		}
	})
}
