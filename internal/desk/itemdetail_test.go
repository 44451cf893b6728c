package desk_test

import (
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/testkit"
)

func TestItemDetailHasHistoryAndMessages(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		if _, err := b.Services.Webhooks.CreateEndpoint(b.T.Context(), b.Actor,
			testkit.EndpointAt("https://client.example/hook"), lost.IdempotencyKey{}); err != nil {
			b.T.Fatal(err)
		}
		i := b.Item
		b.Clock.Advance(time.Minute)
		if _, err := b.Services.Items.SetStatus(b.T.Context(), b.Actor, b.Location.ID, i.ID,
			lost.MovePatch{Status: lost.Set(string(lost.PickUp))}); err != nil {
			b.T.Fatal(err)
		}
		see := func(a lost.Actor) desk.ItemDetail {
			f, err := b.Services.Items.Detail(b.T.Context(), a, b.Location.ID, i.ID, 20)
			if err != nil {
				b.T.Fatal(err)
			}
			return f
		}
		all := see(b.Person("usr_owner", lost.OwnerRole))
		if len(all.History.Data) != 2 || len(all.Messages.Data) != 1 || len(all.Deliveries) != 1 {
			b.T.Fatalf("got %d entries, %d messages, %d deliveries", len(all.History.Data), len(all.Messages.Data),
				len(all.Deliveries))
		}
		if all.Deliveries[0].EndpointID == "" || all.GuestURL == "" || all.Messages.Data[0].Text == "" {
			b.T.Errorf("an owner does not see everything: %+v", all)
		}
		if f := see(b.Person("usr_desk", lost.DeskRole)); f.Deliveries[0].EndpointID != "" || f.GuestURL == "" {
			b.T.Errorf("the desk sees the endpoint %q and the guest's page %q", f.Deliveries[0].EndpointID, f.GuestURL)
		}
		if f := see(b.Person("usr_viewer", lost.ViewerRole)); f.GuestURL != "" || f.Messages.Data[0].Text != "" {
			b.T.Errorf("a viewer sees the guest's link: %q, %q", f.GuestURL, f.Messages.Data[0].Text)
		}
		_, err := b.Services.Items.Detail(b.T.Context(), b.Person("usr_logger", lost.LoggerRole), b.Location.ID, i.ID,
			20)
		if lost.CodeOf(err) != lost.Forbidden {
			b.T.Errorf("detail for a logger: got %v, want forbidden", err)
		}
	})
}

func TestItemDetailReportsAFailedMessageAtAnyPageSize(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		first := testkit.Must(b.DB.Messages(b.T.Context(), b.Actor.Account, b.Item.ID, lost.FirstPage())).Data[0]
		first.State, first.Error = lost.MessageFailed, "no such mailbox"
		if err := b.DB.Write(b.T.Context(), func(tx *store.Tx) error { return tx.SaveMessage(first) }); err != nil {
			b.T.Fatal(err)
		}
		b.Clock.Advance(time.Hour)
		// The second message is still queued.
		testkit.Must(b.Services.Messages.Notify(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID,
			lost.IdempotencyKey{}))
		if f := testkit.Must(b.Services.Items.Detail(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID,
			1)); len(f.Messages.Data) != 1 || f.LastFailure != "no such mailbox" {
			b.T.Errorf("got %d messages, failure %q", len(f.Messages.Data), f.LastFailure)
		}
	})
}

func TestAStatusPlanNamesWhoIsNotified(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		p := testkit.EndpointAt("https://client.example/hook")
		p.Events = lost.Set([]string{"pickup"})
		if _, err := b.Services.Webhooks.CreateEndpoint(b.T.Context(), b.Actor, p, lost.IdempotencyKey{}); err != nil {
			b.T.Fatal(err)
		}
		i := b.Item
		for to, want := range map[lost.Status]desk.Audience{
			lost.Pending: {}, lost.PickUp: {Webhooks: 1}, lost.Donate: {}, lost.FeePaid: {},
			lost.Shipped:   {Owner: "anna@example.com", Sends: true},
			lost.Delivered: {Owner: "anna@example.com", Sends: true},
		} {
			if who, err := b.Services.Items.Audience(b.T.Context(), b.Actor, b.Location.ID, i.ID, to); err != nil ||
				who != want {
				b.T.Errorf("audience of %s: got %+v, %v; want %+v", to, who, err, want)
			}
		}
	})
}

func TestConcurrentEditsOfAnItemConflict(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		i := b.Item
		seen := i.UpdatedAt
		b.Clock.Advance(time.Second)
		edit := func(p lost.ItemPatch) error {
			p.Seen = seen
			_, err := b.Services.Items.Update(b.T.Context(), b.Actor, b.Location.ID, i.ID, p)
			return err
		}
		if err := edit(lost.ItemPatch{Brand: lost.Set("Knirps")}); err != nil {
			b.T.Fatal(err)
		}
		if err := edit(lost.ItemPatch{Notes: lost.Set("wet")}); err != nil {
			b.T.Errorf("change of another field: %v", err)
		}
		if err := edit(lost.ItemPatch{Brand: lost.Set("Knirps"), Color: lost.Set("black")}); err != nil {
			b.T.Errorf("same change again: %v", err)
		}
		if err := edit(lost.ItemPatch{Brand: lost.Set("Fulton")}); lost.CodeOf(err) != lost.Conflict {
			b.T.Errorf("conflicting change: got %v, want a conflict", err)
		}
		if now, err := b.Services.Items.Get(b.T.Context(), b.Actor, b.Location.ID, i.ID); err != nil ||
			now.Brand != "Knirps" {
			b.T.Errorf("got brand %q, %v", now.Brand, err)
		}
	})
}
