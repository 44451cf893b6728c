package desk_test

import (
	"errors"
	"io"
	"maps"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
)

// Every method is called by every kind of actor. The wanted error code is "" if the actor has permission.
func TestEveryUseCaseChecksPermissions(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		all := testkit.CreateFirstAccount(t, d)
		hotel := testkit.Must(d.Locations.Create(t.Context(), all, testkit.LocationNamed("Hotel"),
			lost.IdempotencyKey{})).ID
		zoo := testkit.Must(d.Locations.Create(t.Context(), all, testkit.LocationNamed("Zoo"),
			lost.IdempotencyKey{})).ID
		item := testkit.Must(d.Items.Create(t.Context(), all, hotel, testkit.ItemDescribed("Umbrella"),
			lost.IdempotencyKey{}))
		umbrella, tagged := item.ID, item.Reference
		count := testkit.Must(d.Counts.Begin(t.Context(), all, hotel, "", false)).ID
		key := testkit.Must(d.Keys.Create(t.Context(), all, lost.KeyPatch{Name: lost.Set("A key")},
			lost.IdempotencyKey{})).ID
		theirs := testkit.Must(d.Accounts.Create(t.Context(), "Theirs")).ID
		claim := testkit.Must(d.Requests.File(t.Context(), all, hotel, testkit.RequestFor("Hat"),
			lost.IdempotencyKey{})).ID
		file := testkit.Must(d.Imports.Stage(t.Context(), all, hotel, "f.csv",
			strings.NewReader("description\nHat\n"))).ID
		hook := testkit.Must(d.Webhooks.CreateEndpoint(t.Context(), all, testkit.EndpointAt("https://hotel.example/"),
			lost.IdempotencyKey{})).ID
		delivery := testkit.Must(d.Webhooks.TestEndpoint(t.Context(), all, hook, lost.TestEvent, lost.IdempotencyKey{}))

		with := func(change func(*lost.Actor)) lost.Actor { a := all; change(&a); return a }
		actors := map[string]lost.Actor{
			"read-only":          with(func(a *lost.Actor) { a.ReadOnly = true }),
			"this location":      with(func(a *lost.Actor) { a.Locations = []string{hotel} }),
			"another location":   with(func(a *lost.Actor) { a.Locations = []string{zoo} }),
			"no location":        with(func(a *lost.Actor) { a.Locations = []string{} }),
			"another account":    with(func(a *lost.Actor) { a.Account = theirs }),
			"whole account":      all,
			"this, read-only":    with(func(a *lost.Actor) { a.Locations, a.ReadOnly = []string{hotel}, true }),
			"another, read-only": with(func(a *lost.Actor) { a.Locations, a.ReadOnly = []string{zoo}, true }),
		}
		read := map[string]lost.Code{
			"another location": lost.NotFound, "no location": lost.NotFound, "another account": lost.NotFound,
			"another, read-only": lost.NotFound,
		}
		write := map[string]lost.Code{
			"another location": lost.NotFound, "no location": lost.NotFound, "another account": lost.NotFound,
			"read-only": lost.Forbidden, "this, read-only": lost.Forbidden, "another, read-only": lost.Forbidden,
		}
		manage := map[string]lost.Code{
			"this location": lost.Forbidden, "another location": lost.Forbidden, "no location": lost.Forbidden,
			"this, read-only": lost.Forbidden, "another, read-only": lost.Forbidden,
		}
		change := map[string]lost.Code{
			"read-only": lost.Forbidden, "this location": lost.Forbidden, "another location": lost.Forbidden,
			"no location":     lost.Forbidden,
			"this, read-only": lost.Forbidden, "another, read-only": lost.Forbidden,
		}
		theirsToo := func(of map[string]lost.Code) map[string]lost.Code {
			of = maps.Clone(of)
			of["another account"] = lost.NotFound
			return of
		}
		// An actor from another account gets an empty list instead of an error.
		noRecords := func(of map[string]lost.Code) map[string]lost.Code {
			of = maps.Clone(of)
			delete(of, "another account")
			return of
		}
		page := lost.FirstPage()
		for _, m := range []struct {
			name string
			call func(lost.Actor) error
			want map[string]lost.Code
		}{
			{"Location", func(a lost.Actor) error {
				_, err := d.Locations.Get(t.Context(), a, hotel)
				return err
			}, read},
			{"Item", func(a lost.Actor) error {
				_, err := d.Items.Get(t.Context(), a, hotel, umbrella)
				return err
			}, read},
			{"Items", func(a lost.Actor) error {
				_, err := d.Items.List(t.Context(), a, hotel, lost.ItemFilter{Page: page})
				return err
			}, read},
			{"History", func(a lost.Actor) error {
				_, err := d.Items.History(t.Context(), a, hotel, umbrella, page)
				return err
			}, read},
			{"Messages", func(a lost.Actor) error {
				_, err := d.Messages.ListOfItem(t.Context(), a, hotel, umbrella, page)
				return err
			}, read},
			{"Tasks", func(a lost.Actor) error {
				_, err := d.Reports.Tasks(t.Context(), a, hotel, page)
				return err
			}, read},
			{"AnyItems", func(a lost.Actor) error {
				_, err := d.Reports.AnyItems(t.Context(), a, hotel)
				return err
			}, read},
			{"Request", func(a lost.Actor) error {
				_, err := d.Requests.Get(t.Context(), a, hotel, claim)
				return err
			}, read},
			{"Requests", func(a lost.Actor) error {
				_, err := d.Requests.List(t.Context(), a, hotel, lost.ItemFilter{Page: page})
				return err
			}, read},
			{"RequestMatches", func(a lost.Actor) error {
				_, err := d.Suggestions.RequestMatches(t.Context(), a, hotel, claim, page)
				return err
			}, read},
			{"FindMatches", func(a lost.Actor) error {
				_, err := d.Suggestions.FindMatches(t.Context(), a, hotel, umbrella, page)
				return err
			}, read},
			{"AnyItem", func(a lost.Actor) error {
				_, err := d.Items.GetAnywhere(t.Context(), a, umbrella)
				return err
			}, read},
			{"RefuseMatch", func(a lost.Actor) error {
				return d.Suggestions.RejectMatch(t.Context(), a, hotel, claim, umbrella)
			}, write},
			{"FileRequest", func(a lost.Actor) error {
				_, err := d.Requests.File(t.Context(), a, hotel, testkit.RequestFor("Scarf"), lost.IdempotencyKey{})
				return err
			}, write},
			{"DecideRequest", func(a lost.Actor) error {
				_, err := d.Requests.Decide(t.Context(), a, hotel, claim, lost.DecisionPatch{Type: lost.Set("reject")})
				if testkit.Code(err) == lost.Conflict { // the request was already decided: the actor has permission
					return nil
				}
				return err
			}, write},
			{"TakeBack", func(a lost.Actor) error {
				_, err := d.Handovers.Undo(t.Context(), a, hotel, umbrella)
				if testkit.Code(err) == lost.Conflict { // nothing was handed over: the actor has permission
					return nil
				}
				return err
			}, write},
			{"Notify", func(a lost.Actor) error {
				_, err := d.Messages.Notify(t.Context(), a, hotel, claim, lost.IdempotencyKey{})
				return err
			}, write},
			{"RevokeLink", func(a lost.Actor) error {
				_, err := d.Messages.RevokeLink(t.Context(), a, hotel, claim, lost.IdempotencyKey{})
				return err
			}, write},
			{"UpdateLocation", func(a lost.Actor) error {
				_, err := d.Locations.Update(t.Context(), a, hotel, testkit.LocationNamed("Hotel"))
				return err
			}, write},
			{"UploadLogo", func(a lost.Actor) error {
				return accepted(d.Locations.UploadLogo(t.Context(), a, hotel, nil, lost.IdempotencyKey{}))
			}, write},
			{"CreateItem", func(a lost.Actor) error {
				_, err := d.Items.Create(t.Context(), a, hotel, testkit.ItemDescribed("Hat"), lost.IdempotencyKey{})
				return err
			}, write},
			{"CreateItems", func(a lost.Actor) error {
				hats := lost.BulkPatch{Items: lost.Set([]lost.ItemPatch{testkit.ItemDescribed("Hat")})}
				_, err := d.Items.CreateItems(t.Context(), a, hotel, hats, lost.IdempotencyKey{})
				return err
			}, write},
			{"SetStatuses", func(a lost.Actor) error {
				_, err := d.Items.SetStatuses(t.Context(), a, hotel,
					lost.BulkMovePatch{IDs: lost.Set([]string{umbrella}), Status: lost.Set("PENDING")})
				return err
			}, write},
			{"SortImages", func(a lost.Actor) error {
				_, err := d.Items.SortImages(t.Context(), a, hotel, umbrella,
					lost.ImageOrder{IDs: lost.Set([]string{})})
				return err
			}, write},
			{"UpdateItem", func(a lost.Actor) error {
				_, err := d.Items.Update(t.Context(), a, hotel, umbrella, testkit.ItemDescribed("Hat"))
				return err
			}, write},
			{"SetStatus", func(a lost.Actor) error {
				_, err := d.Items.SetStatus(t.Context(), a, hotel, umbrella, lost.MovePatch{Status: lost.Set("DONATE")})
				return err
			}, write},
			{"Finish", func(a lost.Actor) error {
				_, err := d.Items.Finish(t.Context(), a, hotel, umbrella, time.Unix(1, 0)) // outdated: a conflict
				return unlessConflict(err)
			}, write},
			{"UploadImage", func(a lost.Actor) error {
				return accepted(d.Items.UploadImage(t.Context(), a, hotel, umbrella, nil, lost.IdempotencyKey{}))
			}, write},
			{"PhotoCopies", func(a lost.Actor) error {
				i := lost.Item{Account: a.Account, ID: umbrella, LocationID: hotel}
				_, err := d.Items.PhotoCopies(t.Context(), a, i)
				return err
			}, noRecords(read)},
			{"FindPhotoFacts", func(a lost.Actor) error {
				_, _, err := d.Items.FindPhotoFacts(t.Context(), a, hotel, "", nil)
				return accepted(lost.Item{}, err)
			}, write},
			{"Storage", func(a lost.Actor) error {
				_, err := d.Storage.Overdue(t.Context(), a, hotel, page)
				return err
			}, read},
			{"StorageIDs", func(a lost.Actor) error {
				_, err := d.Storage.OverdueIDs(t.Context(), a, hotel)
				return err
			}, noRecords(read)},
			{"Overtaken", func(a lost.Actor) error {
				_, err := d.Items.ChangedSince(t.Context(), a, hotel, umbrella, time.Time{})
				return err
			}, read},
			{"OpenCounts", func(a lost.Actor) error {
				_, err := d.Counts.ListOpen(t.Context(), a, hotel)
				return err
			}, noRecords(read)},
			{"Held", func(a lost.Actor) error {
				_, err := d.Storage.Held(t.Context(), a, hotel, page)
				return err
			}, read},
			{"Clearances", func(a lost.Actor) error {
				_, err := d.Storage.ListClearances(t.Context(), a, hotel)
				return err
			}, read},
			{"Hold", func(a lost.Actor) error {
				_, err := d.Storage.Hold(t.Context(), a, hotel, []string{umbrella}, "Evidence")
				return err
			}, write},
			{"Release", func(a lost.Actor) error {
				_, err := d.Storage.Release(t.Context(), a, hotel, []string{umbrella})
				return err
			}, write},
			{"KeepLonger", func(a lost.Actor) error {
				_, _, err := d.Storage.KeepLonger(t.Context(), a, hotel, []string{umbrella}, lost.KeepPatch{Days: 30})
				return err
			}, write},
			{"Clear", func(a lost.Actor) error {
				_, _, err := d.Storage.DecideOverdue(t.Context(), a, hotel, []string{umbrella}, lost.Donated,
					time.Time{})
				return unlessConflict(err)
			}, write},
			{"HandOver", func(a lost.Actor) error {
				_, err := d.Handovers.HandOver(t.Context(), a, hotel, claim, lost.HandoverPatch{Recipient: "Anna"},
					lost.IdempotencyKey{})
				return unlessConflict(err)
			}, write},
			{"Places", func(a lost.Actor) error {
				_, _, err := d.Storage.Places(t.Context(), a, hotel, "", 10)
				return err
			}, read},
			{"ItemsAt", func(a lost.Actor) error {
				_, err := d.Storage.ItemsAt(t.Context(), a, hotel, "A", page)
				return err
			}, read},
			{"Scan", func(a lost.Actor) error { _, err := d.Storage.Scan(t.Context(), a, tagged); return err }, read},
			{"ItemsToTag", func(a lost.Actor) error {
				_, err := d.Tags.ItemsToTag(t.Context(), a, hotel, []string{umbrella})
				return err
			}, noRecords(read)},
			{"Counts", func(a lost.Actor) error {
				_, err := d.Counts.List(t.Context(), a, hotel, page)
				return err
			}, noRecords(read)},
			{"Count", func(a lost.Actor) error {
				_, err := d.Counts.Get(t.Context(), a, hotel, count)
				return err
			}, read},
			{"CountLines", func(a lost.Actor) error {
				_, err := d.Counts.Lines(t.Context(), a, hotel, count, lost.Findings(), page)
				return err
			}, read},
			{"BeginCount", func(a lost.Actor) error {
				_, err := d.Counts.Begin(t.Context(), a, hotel, "A", false)
				return err
			}, write},
			{"Tick", func(a lost.Actor) error {
				_, _, err := d.Counts.RecordScan(t.Context(), a, hotel, count, tagged)
				return err
			}, write},
			{"Stow", func(a lost.Actor) error {
				_, err := d.Storage.StoreAt(t.Context(), a, hotel, "A", tagged)
				return err
			}, write},
			{"Unstow", func(a lost.Actor) error {
				_, err := d.Storage.UndoStoreAt(t.Context(), a, hotel, umbrella, "A", "A")
				return err
			}, write},
			{"Export", func(a lost.Actor) error {
				return d.Imports.Export(t.Context(), a, hotel, lost.ItemFilter{}, desk.Layout{}, io.Discard)
			}, read},
			{"ExportItems", func(a lost.Actor) error {
				return d.Imports.ExportItems(t.Context(), a, hotel, []string{umbrella}, desk.Layout{}, io.Discard)
			}, read},
			{"StageImport", func(a lost.Actor) error {
				_, err := d.Imports.Stage(t.Context(), a, hotel, "f.csv", strings.NewReader("description\nHat\n"))
				return err
			}, write},
			{"UploadImport", func(a lost.Actor) error {
				_, err := d.Imports.Upload(t.Context(), a, hotel, desk.ItemFile{
					Name: "f.csv", Content: strings.NewReader("description\nHat\n"),
					Known: func([]string) map[string]string { return nil },
				})
				return err
			}, write},
			{"ImportColumns", func(a lost.Actor) error {
				_, err := d.Imports.Columns(t.Context(), a, hotel, file)
				return err
			}, write},
			{"MapColumns", func(a lost.Actor) error {
				_, err := d.Imports.MapColumns(t.Context(), a, hotel, file, desk.ColumnChoice{})
				if testkit.Code(err) == lost.Conflict { // the file has no unknown columns: the actor has permission
					return nil
				}
				return err
			}, write},
			{"Imports", func(a lost.Actor) error {
				_, err := d.Imports.List(t.Context(), a, hotel)
				return err
			}, write},
			{"Import", func(a lost.Actor) error {
				_, err := d.Imports.Get(t.Context(), a, hotel, file)
				return err
			}, write},
			{"PreviewImport", func(a lost.Actor) error {
				_, err := d.Imports.Preview(t.Context(), a, hotel, file)
				return err
			}, write},
			{"CancelImport", func(a lost.Actor) error {
				_, err := d.Imports.Cancel(t.Context(), a, hotel, file)
				return err
			}, write},
			{"StartImport", func(a lost.Actor) error {
				_, err := d.Imports.Start(t.Context(), a, hotel, file, false)
				if testkit.Code(err) == lost.Conflict { // the import was cancelled: the actor has permission
					return nil
				}
				return err
			}, write},
			{"PlanStatus", func(a lost.Actor) error {
				_, err := d.Items.PlanStatus(t.Context(), a, hotel, []string{umbrella}, lost.Donate)
				return err
			}, write},
			{"BulkStatus", func(a lost.Actor) error {
				_, err := d.Items.BulkStatus(t.Context(), a, hotel, []string{umbrella}, lost.Donate, nil)
				return err
			}, write},
			{"BulkPlace", func(a lost.Actor) error {
				_, err := d.Items.BulkPlace(t.Context(), a, hotel, []string{umbrella}, "Shelf")
				return err
			}, write},
			{"Finish", func(a lost.Actor) error {
				_, err := d.Items.Finish(t.Context(), a, hotel, umbrella, time.Time{})
				return err
			}, write},
			{"Keys", func(a lost.Actor) error { _, err := d.Keys.List(t.Context(), a, page); return err }, manage},
			{"Key", func(a lost.Actor) error {
				_, err := d.Keys.Get(t.Context(), a, key)
				return err
			}, theirsToo(manage)},
			{"CreateLocation", func(a lost.Actor) error {
				_, err := d.Locations.Create(t.Context(), a, testkit.LocationNamed("New"), lost.IdempotencyKey{})
				return err
			}, change},
			{"CreateKey", func(a lost.Actor) error {
				_, err := d.Keys.Create(t.Context(), a, lost.KeyPatch{Name: lost.Set("New")}, lost.IdempotencyKey{})
				return err
			}, change},
			{"RenameKey", func(a lost.Actor) error {
				_, err := d.Keys.Rename(t.Context(), a, key, lost.KeyPatch{Name: lost.Set("Renamed")})
				return err
			}, theirsToo(change)},
			{"RevokeKey", func(a lost.Actor) error { return d.Keys.Revoke(t.Context(), a, key) }, theirsToo(change)},
			{"Endpoints", func(a lost.Actor) error {
				_, err := d.Webhooks.Endpoints(t.Context(), a, page)
				return err
			}, manage},
			{"Endpoint", func(a lost.Actor) error {
				_, err := d.Webhooks.Endpoint(t.Context(), a, hook)
				return err
			}, theirsToo(manage)},
			{"Deliveries", func(a lost.Actor) error {
				_, err := d.Webhooks.Deliveries(t.Context(), a, lost.DeliveryFilter{Endpoint: hook, Page: page})
				return err
			}, theirsToo(manage)},
			{"Delivery", func(a lost.Actor) error {
				_, err := d.Webhooks.Delivery(t.Context(), a, delivery.ID)
				return err
			}, theirsToo(manage)},
			{"Events", func(a lost.Actor) error {
				_, err := d.Webhooks.Events(t.Context(), a, lost.EventFilter{Page: page})
				return err
			}, manage},
			{"Event", func(a lost.Actor) error {
				_, err := d.Webhooks.Event(t.Context(), a, delivery.EventID)
				return err
			}, theirsToo(manage)},
			{"CreateEndpoint", func(a lost.Actor) error {
				_, err := d.Webhooks.CreateEndpoint(t.Context(), a, testkit.EndpointAt("https://zoo.example/"),
					lost.IdempotencyKey{})
				return err
			}, change},
			{"UpdateEndpoint", func(a lost.Actor) error {
				_, err := d.Webhooks.UpdateEndpoint(t.Context(), a, hook, testkit.EndpointAt("https://zoo.example/"))
				return err
			}, theirsToo(change)},
			{"Secret", func(a lost.Actor) error {
				_, err := d.Webhooks.Secret(t.Context(), a, hook)
				return err
			}, theirsToo(change)},
			{"RotateSecret", func(a lost.Actor) error {
				_, err := d.Webhooks.RotateSecret(t.Context(), a, hook, lost.IdempotencyKey{})
				return err
			}, theirsToo(change)},
			{"TestEndpoint", func(a lost.Actor) error {
				_, err := d.Webhooks.TestEndpoint(t.Context(), a, hook, lost.TestEvent, lost.IdempotencyKey{})
				return err
			}, theirsToo(change)},
			{"Replay", func(a lost.Actor) error {
				_, err := d.Webhooks.Replay(t.Context(), a, hook, lost.ReplayPatch{Since: lost.Set(time.Time{})},
					lost.IdempotencyKey{})
				return err
			}, theirsToo(change)},
			{"ReplayEvent", func(a lost.Actor) error {
				_, err := d.Webhooks.ReplayEvent(t.Context(), a, hook, delivery.EventID, lost.IdempotencyKey{})
				return err
			}, theirsToo(change)},
			{"ReplayFailed", func(a lost.Actor) error {
				_, err := d.Webhooks.ReplayFailed(t.Context(), a, hook, time.Time{}, lost.IdempotencyKey{})
				return err
			}, theirsToo(change)},
			{"ReplayDelivery", func(a lost.Actor) error {
				_, err := d.Webhooks.ReplayDelivery(t.Context(), a, delivery.ID, lost.IdempotencyKey{})
				if testkit.Code(err) == lost.Conflict { // the delivery is pending: the actor has permission
					return nil
				}
				return err
			}, theirsToo(change)},
			// These methods delete records that the calls above need, so they are last. Only one permitted actor calls
			// each of them.
			{"DeleteEndpoint", func(a lost.Actor) error {
				return d.Webhooks.DeleteEndpoint(t.Context(), a, hook)
			}, theirsToo(change)},
			{"DeleteItem", func(a lost.Actor) error { return d.Items.Delete(t.Context(), a, hotel, umbrella) }, write},
			{"DeleteLocation", func(a lost.Actor) error { return d.Locations.Delete(t.Context(), a, hotel) }, write},
		} {
			deletes := strings.HasPrefix(m.name, "Delete")
			for who, a := range actors {
				if deletes && m.want[who] == "" {
					continue
				}
				if err := m.call(a); testkit.Code(err) != m.want[who] {
					t.Errorf("%s by %s: %v, want %q", m.name, who, err, m.want[who])
				}
			}
			if deletes {
				who := "this location"
				if m.want[who] != "" {
					who = "whole account"
				}
				if err := m.call(actors[who]); err != nil {
					t.Errorf("%s by %s: %v", m.name, who, err)
				}
			}
		}
	})
}

// unlessConflict returns nil for a conflict, which means that the actor has permission.
func unlessConflict(err error) error {
	if testkit.Code(err) == lost.Conflict {
		return nil
	}
	return err
}

// accepted returns nil if an upload passed the permission check and reached testkit.NoUploads.
func accepted[T any](_ T, err error) error {
	if errors.Is(err, testkit.ErrNoUploads) {
		return nil
	}
	return err
}

func TestACreateCanBeRepeatedForADay(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		a := testkit.CreateFirstAccount(t, d)
		once := lost.IdempotencyKey{Key: "once", Request: "the same"}
		first, err := d.Locations.Create(t.Context(), a, testkit.LocationNamed("Hotel"), once)
		if err != nil {
			t.Fatal(err)
		}
		clock.Advance(24*time.Hour - time.Second)
		if again, err := d.Locations.Create(t.Context(), a, testkit.LocationNamed("Hotel"), once); err != nil ||
			!reflect.DeepEqual(again, first) {
			t.Errorf("within a day: got %v, %+v, want %+v", err, again, first)
		}
		if _, err := d.Locations.Create(t.Context(), a, testkit.LocationNamed("Hotel"),
			lost.IdempotencyKey{Key: "once", Request: "another"}); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("same key, other request: got %v, want a conflict", err)
		}
		clock.Advance(time.Second)
		if again, err := d.Locations.Create(t.Context(), a, testkit.LocationNamed("Hotel"), once); err != nil ||
			again.ID == first.ID {
			t.Errorf("after a day: got %v, %s; want a new location", err, again.ID)
		}
	})
}

// A program that did not receive a response may repeat its request after somebody has deleted the item.
func TestARepeatedCreateDoesNotRestoreADeletedItem(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		a := testkit.CreateFirstAccount(t, d)
		once := lost.IdempotencyKey{Key: "once", Request: "the same"}
		hotel := testkit.Must(d.Locations.Create(t.Context(), a, testkit.LocationNamed("Hotel"),
			lost.IdempotencyKey{})).ID
		create := func() (lost.Item, error) {
			return d.Items.Create(t.Context(), a, hotel, testkit.ItemOwnedBy("Hat", "anna@example.com"), once)
		}
		first := testkit.Must(create())
		if err := d.Items.Delete(t.Context(), a, hotel, first.ID); err != nil {
			t.Fatal(err)
		}
		clock.Advance(24*time.Hour - time.Second)
		if again, err := create(); err != nil || again.ID != first.ID || again.Owner != first.Owner {
			t.Errorf("got %v, %+v, want %+v", err, again, first)
		}
		if left := testkit.Must(d.Items.List(t.Context(), a, hotel, lost.ItemFilter{Page: lost.FirstPage()})); len(
			left.Data) != 0 {
			t.Errorf("the repeated request created %+v", left.Data)
		}
		if sent := testkit.Must(db.Messages(t.Context(), a.Account, first.ID, lost.FirstPage())); len(sent.Data) != 0 {
			t.Errorf("the repeated request notified the owner: %+v", sent.Data)
		}
		clock.Advance(time.Second)
		if again, err := create(); err != nil || again.ID == first.ID {
			t.Errorf("after a day: got %v, %s; want a new item", err, again.ID)
		}
	})
}

// A program may not have received its new key, so a repeated request returns it again until it is revoked.
func TestARepeatedCreateDoesNotRevealARevokedKey(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		a := testkit.CreateFirstAccount(t, d)
		create := func() (identity.NewKey, error) {
			return d.Keys.Create(t.Context(), a, lost.KeyPatch{Name: lost.Set("Till")},
				lost.IdempotencyKey{Key: "once", Request: "the same"})
		}
		first := testkit.Must(create())
		if again, err := create(); err != nil || again.Secret != first.Secret || again.ID != first.ID {
			t.Errorf("before it is revoked: got %+v, %v; want %+v", again, err, first)
		}
		if err := d.Keys.Revoke(t.Context(), a, first.ID); err != nil {
			t.Fatal(err)
		}
		again, err := create()
		if lost.CodeOf(err) != lost.Conflict || again.Secret != "" || !strings.Contains(err.Error(), "revoked") {
			t.Errorf("after it is revoked: got %+v, %v; want a conflict", again, err)
		}
	})
}

func TestAnAPIKeyExpires(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		k, err := d.Keys.Create(t.Context(), testkit.CreateFirstAccount(t, d),
			lost.KeyPatch{Name: lost.Set("Short"), ExpiresAt: lost.Set(clock.Now().Add(time.Second))},
			lost.IdempotencyKey{})
		if err != nil {
			t.Fatal(err)
		}
		if a, err := d.Keys.Authenticate(t.Context(), k.Secret); err != nil || a.ID != k.ID {
			t.Errorf("before expiry: %v", err)
		}
		clock.Advance(time.Second) // the key expires while it is still cached
		if _, err := d.Keys.Authenticate(t.Context(), k.Secret); lost.CodeOf(err) != lost.Unauthorized {
			t.Errorf("after expiry: got %v, want unauthorized", err)
		}
	})
}

// Two instances share a database. A key that is revoked on one instance stops working on the other within seconds.
func TestARevocationAppliesImmediatelyHereAndSoonOnOtherInstances(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		here, there := testkit.NewServices(db, clock), testkit.NewServices(db, clock)
		a := testkit.CreateFirstAccount(t, here)
		k, err := here.Keys.Create(t.Context(), a, lost.KeyPatch{Name: lost.Set("Lost")}, lost.IdempotencyKey{})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []*services.Services{here, there} {
			if _, err := d.Keys.Authenticate(t.Context(), k.Secret); err != nil {
				t.Fatal(err)
			}
		}
		if err := here.Keys.Revoke(t.Context(), a, k.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := here.Keys.Authenticate(t.Context(), k.Secret); lost.CodeOf(err) != lost.Unauthorized {
			t.Errorf("same instance: got %v, want unauthorized", err)
		}
		clock.Advance(2 * time.Second)
		if _, err := there.Keys.Authenticate(t.Context(), k.Secret); lost.CodeOf(err) != lost.Unauthorized {
			t.Errorf("other instance: got %v, want unauthorized", err)
		}
	})
}

func TestConcurrentStartsCreateOneFirstAccount(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		var mu sync.Mutex
		var firsts []identity.First
		var starting sync.WaitGroup
		for range 4 {
			d := testkit.NewServices(db, clock)
			starting.Go(func() {
				first, created, err := d.Accounts.CreateFirst(t.Context(), identity.FirstSettings{})
				if err != nil {
					t.Error(err)
				}
				if mu.Lock(); created {
					firsts = append(firsts, first)
				}
				mu.Unlock()
			})
		}
		starting.Wait()
		if len(firsts) != 1 {
			t.Fatalf("%d instances created the first account, want 1", len(firsts))
		}
		d := testkit.NewServices(db, clock)
		if accounts, err := d.Accounts.List(t.Context()); err != nil || len(accounts) != 1 {
			t.Errorf("accounts: got %v, %v", accounts, err)
		}
		if a, err := d.Keys.Authenticate(t.Context(), firsts[0].Key.Secret); err != nil ||
			a.Account != firsts[0].Account.ID {
			t.Errorf("authenticate with the first key: %v", err)
		}
		if users, err := d.Accounts.Users(t.Context(), firsts[0].Account.ID); err != nil || len(users) != 1 {
			t.Errorf("users: got %v, %v", users, err)
		}
	})
}
