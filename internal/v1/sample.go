package v1

import (
	"fmt"
	"time"

	"homeward/internal/lost"
)

// SampleBase is the public URL of the service in samples and in the examples of the OpenAPI document.
const SampleBase = "https://homeward.example"

// SampleEvent returns the body of a sample event. The OpenAPI document shows it, and clients can have it sent to their
// webhooks.
func SampleEvent(t lost.EventType) ([]byte, error) {
	w, at := Encoder{Base: SampleBase}, time.Date(2026, 11, 15, 8, 30, 0, 0, time.UTC)
	before := sampleItem(at.Add(-18 * time.Hour))
	i := before
	i.UpdatedAt = at
	switch t {
	case lost.PickupEvent:
		i.Status, i.Pickup = lost.PickUp, lost.Pickup{Date: "2026-11-20", Time: "14:30"}
	case lost.DiscardEvent:
		i.Status = lost.Discard
	case lost.DonateEvent:
		i.Status = lost.Donate
	case lost.LabelEvent:
		samplePaid(&i)
	case lost.RequestEvent:
		i = sampleRequest(at)
	case lost.ItemCreatedEvent:
		return sampleChange(w, t, nil, &before, before.CreatedAt)
	case lost.ItemUpdatedEvent:
		i.Notes = "Handed in by housekeeping."
		return sampleChange(w, t, &before, &i, at)
	case lost.StatusChangedEvent:
		i.Status = lost.Donate
		return sampleChange(w, t, &before, &i, at)
	case lost.ItemDeletedEvent:
		return sampleChange(w, t, &before, nil, at)
	case lost.RequestUpdatedEvent:
		before, i = sampleRequest(at.Add(-18*time.Hour)), sampleRequest(at)
		i.Claim.State, i.Claim.Reason = lost.RequestRejected, "Nothing like it was found."
		return sampleChange(w, t, &before, &i, at)
	case lost.MessageReceivedEvent:
		return w.MessageEvent(lost.Event{Type: t, At: at}, i, lost.ThreadMessage{
			ID: "thr_06f5q2k8h40v3w9d7n1m8x2b4c", From: lost.FromGuest, Via: lost.ViaEmail, At: at,
			Text: "Yes, it has a wooden handle.", Author: lost.Actor{Kind: lost.ByGuest},
		})
	default:
		return w.EmptyBody(lost.Event{Type: t, At: at})
	}
	return w.EventBody(lost.Event{Type: t, At: at}, i)
}

// sampleChange returns the body of the event of a type about a change.
func sampleChange(w Encoder, t lost.EventType, before, after *lost.Item, at time.Time) ([]byte, error) {
	events, err := w.ChangeEvents(before, after, at)
	for _, e := range events {
		if e.Type == t {
			return e.Body, err
		}
	}
	return nil, fmt.Errorf("there is no sample of %s: %w", t, err)
}

// sampleItem returns a found item that was created at a time.
func sampleItem(at time.Time) lost.Item {
	days := 90
	return lost.Item{
		ID: "item_06f5q2k8h40v3w9d7n1m8x2b4c", LocationID: "loc_06f5q2k8h40v3w9d7n1m8x2b4c", Reference: "K7F-3QD",
		Source: lost.Found, Status: lost.Pending, Description: "Black umbrella", DiscoveryPlace: "Room 312",
		DiscoveryDate: "2026-11-14", Brand: "Knirps", Model: "T.200", Color: "black",
		Terms: lost.Terms{StoragePlace: "Shelf B2", StorageDuration: &days, TimeZone: "Europe/Berlin"},
		Owner: lost.Owner{FirstName: "Ann", LastName: "Smith", Email: "ann@example.com", Phone: "+493012345678"},

		Language: "de", CreatedAt: at, UpdatedAt: at,
	}
}

// sampleRequest returns a request that was last changed at a time.
func sampleRequest(at time.Time) lost.Item {
	return lost.Item{
		ID: "item_06f5q2k8h40v3w9d7n1m8x2b4c", LocationID: "loc_06f5q2k8h40v3w9d7n1m8x2b4c", Reference: "M4C-9XT",
		Source: lost.Request, Status: lost.Pending, Description: "Black umbrella", Brand: "Knirps",
		Owner: lost.Owner{FirstName: "Ann", LastName: "Smith", Email: "ann@example.com"},
		Claim: lost.Claim{
			State: lost.RequestPending, LostPlace: "Breakfast room", LostDate: "2026-11-14",
			Proof: "There is a scratch on the handle.",
		},
		CreatedAt: time.Date(2026, 11, 14, 14, 30, 0, 0, time.UTC), UpdatedAt: at,
	}
}

// samplePaid sets the address and the label of an item whose shipping fee is paid.
func samplePaid(i *lost.Item) {
	i.Status = lost.FeePaid
	i.Shipping.Recipient = lost.Recipient{
		Name: "Ann Smith", Address1: "Invalidenstrasse 117", ZipCode: "10115", City: "Berlin", Country: "DE",
		Phone: "+493012345678",
	}
	i.Parcel = lost.Parcel{
		ShipmentID: "shp_06f5q2k8h40v3w9d7n1m8x2b4c", PayBy: lost.PayStripe, Paid: true, Service: "Standard parcel",
		Price: lost.Price{Postage: 1690, Handling: 300, Currency: "EUR"}, ShippingDate: "2026-11-20",
		Documents: []lost.Document{
			{Kind: lost.LabelPaper, File: "mv4x7q2k9d3w.pdf", Paper: "A6"},
			{Kind: lost.InvoicePaper, File: "r7n1m8x2b4c6.pdf", Paper: "A4"},
		},
	}
}
