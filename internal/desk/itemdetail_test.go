package desk_test

import (
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/store"
)

func person(b *lobby, id string, role lost.Role) lost.Actor {
	return lost.Actor{Account: b.actor.Account, Kind: lost.ByUser, ID: id, Name: id, Role: role}
}

func TestADossierHoldsWhatHappenedAndWhoWasTold(t *testing.T) {
	eachLobby(t, func(b *lobby) {
		if _, err := b.desk.CreateEndpoint(b.t.Context(), b.actor, hookAt("https://client.example/hook"), lost.IdempotencyKey{}); err != nil {
			b.t.Fatal(err)
		}
		i := b.item
		b.clock.Advance(time.Minute)
		if _, err := b.desk.SetStatus(b.t.Context(), b.actor, b.where.ID, i.ID, lost.MovePatch{Status: lost.Set(string(lost.PickUp))}); err != nil {
			b.t.Fatal(err)
		}
		see := func(a lost.Actor) desk.ItemDetail {
			f, err := b.desk.ItemDetail(b.t.Context(), a, b.where.ID, i.ID, 20)
			if err != nil {
				b.t.Fatal(err)
			}
			return f
		}
		all := see(person(b, "usr_owner", lost.OwnerRole))
		if len(all.History.Data) != 2 || len(all.Letters.Data) != 1 || len(all.Deliveries) != 1 {
			b.t.Fatalf("%d lines, %d letters, %d deliveries", len(all.History.Data), len(all.Letters.Data), len(all.Deliveries))
		}
		if all.Deliveries[0].EndpointID == "" || all.GuestURL == "" || all.Letters.Data[0].Text == "" {
			b.t.Errorf("an owner sees %+v", all)
		}
		if f := see(person(b, "usr_desk", lost.DeskRole)); f.Deliveries[0].EndpointID != "" || f.GuestURL == "" {
			b.t.Errorf("the desk sees the endpoint %q and the guest's page %q", f.Deliveries[0].EndpointID, f.GuestURL)
		}
		if f := see(person(b, "usr_viewer", lost.ViewerRole)); f.GuestURL != "" || f.Letters.Data[0].Text != "" {
			b.t.Errorf("a viewer holds the guest's link: %q, %q", f.GuestURL, f.Letters.Data[0].Text)
		}
		_, err := b.desk.ItemDetail(b.t.Context(), person(b, "usr_logger", lost.LoggerRole), b.where.ID, i.ID, 20)
		if lost.CodeOf(err) != lost.Forbidden {
			b.t.Errorf("whoever only records finds sees one: %v", err)
		}
	})
}

func TestADossierTellsThatTheOwnerWasNotReachedHoweverFewLinesAreWanted(t *testing.T) {
	eachLobby(t, func(b *lobby) {
		first := must(b.db.Messages(b.t.Context(), b.actor.Account, b.item.ID, lost.FirstPage())).Data[0]
		first.State, first.Error = lost.MessageFailed, "no such mailbox"
		if err := b.db.Write(b.t.Context(), func(tx *store.Tx) error { return tx.SaveMessage(first) }); err != nil {
			b.t.Fatal(err)
		}
		b.clock.Advance(time.Hour)
		must(b.desk.Notify(b.t.Context(), b.actor, b.where.ID, b.item.ID, lost.IdempotencyKey{})) // which is on its way
		if f := must(b.desk.ItemDetail(b.t.Context(), b.actor, b.where.ID, b.item.ID, 1)); len(f.Letters.Data) != 1 || f.Unreached != "no such mailbox" {
			b.t.Errorf("%d letters, and %q", len(f.Letters.Data), f.Unreached)
		}
	})
}

func TestTheAudienceOfAMoveIsKnownBefore(t *testing.T) {
	eachLobby(t, func(b *lobby) {
		p := hookAt("https://client.example/hook")
		p.Events = lost.Set([]string{"pickup"})
		if _, err := b.desk.CreateEndpoint(b.t.Context(), b.actor, p, lost.IdempotencyKey{}); err != nil {
			b.t.Fatal(err)
		}
		i := b.item
		for to, want := range map[lost.Status]desk.Audience{
			lost.Pending: {}, lost.PickUp: {Programs: 1}, lost.Donate: {}, lost.FeePaid: {},
			lost.Shipped: {Owner: "anna@example.com", Writes: true}, lost.Delivered: {Owner: "anna@example.com", Writes: true},
		} {
			if who, err := b.desk.Audience(b.t.Context(), b.actor, b.where.ID, i.ID, to); err != nil || who != want {
				b.t.Errorf("%s is heard by %+v, %v; want %+v", to, who, err, want)
			}
		}
	})
}

func TestTwoWhoEditTheSameAreTold(t *testing.T) {
	eachLobby(t, func(b *lobby) {
		i := b.item
		seen := i.UpdatedAt
		b.clock.Advance(time.Second)
		edit := func(p lost.ItemPatch) error {
			p.Seen = seen
			_, err := b.desk.UpdateItem(b.t.Context(), b.actor, b.where.ID, i.ID, p)
			return err
		}
		if err := edit(lost.ItemPatch{Brand: lost.Set("Knirps")}); err != nil {
			b.t.Fatal(err)
		}
		if err := edit(lost.ItemPatch{Notes: lost.Set("wet")}); err != nil {
			b.t.Errorf("changes of other fields do not get on with each other: %v", err)
		}
		if err := edit(lost.ItemPatch{Brand: lost.Set("Knirps"), Color: lost.Set("black")}); err != nil {
			b.t.Errorf("the same change was refused: %v", err)
		}
		if err := edit(lost.ItemPatch{Brand: lost.Set("Fulton")}); lost.CodeOf(err) != lost.Conflict {
			b.t.Errorf("a change was written over: %v", err)
		}
		if now, err := b.desk.Item(b.t.Context(), b.actor, b.where.ID, i.ID); err != nil || now.Brand != "Knirps" {
			b.t.Errorf("the brand is %q, %v", now.Brand, err)
		}
	})
}
