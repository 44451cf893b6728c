package lost_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/lost"
)

func endpoint(t *testing.T) lost.Endpoint {
	t.Helper()
	e, err := lost.NewEndpoint("acc_1", lost.EndpointPatch{URL: lost.Set("https://hotel.example/")}, noon)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestFourStatusesCauseAnEvent(t *testing.T) {
	want := map[lost.Status]lost.EventType{
		lost.PickUp: lost.PickupEvent, lost.Discard: lost.DiscardEvent, lost.Donate: lost.DonateEvent,
		lost.FeePaid: lost.LabelEvent,
	}
	for _, s := range lost.Statuses() {
		if event, is := s.EventType(); event != want[s] || is != (want[s] != "") {
			t.Errorf("%s causes event %q, %v", s, event, is)
		}
	}
}

func TestWebhookNeedsOnlyAURLAndReceivesTheDefaultEvents(t *testing.T) {
	e := endpoint(t)
	for _, event := range lost.EventTypes() {
		if want := slices.Contains(lost.DefaultEventTypes(), event); e.Receives(event, "loc_1") != want {
			t.Errorf("the webhook receives %s: %v, want %v", event, !want, want)
		}
	}
	if !strings.HasPrefix(e.ID, "whk_") || !e.Enabled || e.CreatedAt != noon || e.UpdatedAt != noon {
		t.Errorf("got %+v", e)
	}
	if err := e.Update(lost.EndpointPatch{Events: lost.Set([]string{"pickup", "donate", "pickup"})},
		noon.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]lost.EventType{lost.DonateEvent, lost.PickupEvent}, e.Events); d != "" ||
		e.Receives(lost.DiscardEvent, "loc_1") || !e.Receives(lost.PickupEvent, "loc_1") {
		t.Errorf("the webhook receives %v", e.Events)
	}
	if err := e.Update(lost.EndpointPatch{Enabled: lost.Set(false)}, noon.Add(time.Hour)); err != nil ||
		e.Receives(lost.PickupEvent, "loc_1") {
		t.Errorf("a disabled webhook receives events: %v", err)
	}
}

func TestWebhookReceivesAllEventsOfItsLocations(t *testing.T) {
	e := endpoint(t)
	if err := e.Update(lost.EndpointPatch{
		Events: lost.Set([]string{"*"}), Locations: lost.Set([]string{"loc_2", "loc_1", "loc_2"}),
	}, noon.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	for _, event := range append(lost.EventTypes(), "of a later version") {
		if !e.Receives(event, "loc_1") || !e.Receives(event, "loc_2") || e.Receives(event, "loc_3") {
			t.Errorf("the webhook with the locations %v does not receive %s of just these", e.Locations, event)
		}
	}
	if err := e.Update(lost.EndpointPatch{Locations: lost.Clear[[]string]()}, noon); err != nil ||
		!e.Receives(lost.ItemDeletedEvent, "loc_3") {
		t.Errorf("without locations: %v", err)
	}
}

func TestAllProblemsOfAWebhookAreReported(t *testing.T) {
	for want, p := range map[string]lost.EndpointPatch{
		"url required":                         {},
		"url required, locations out-of-range": {Locations: lost.Set([]string{})},
		"url required, description too-long, events out-of-range": {
			URL: lost.Clear[string](), Enabled: lost.Clear[bool](),
			Description: lost.Set(strings.Repeat("x", lost.MaxDescription+1)), Events: lost.Set([]string{}),
		},
		"url too-long, events not-allowed": {
			URL: lost.Set("https://" + strings.Repeat("x", lost.MaxURL)), Events: lost.Set([]string{"pickup", "test"}),
		},
		"id read-only": {
			URL:          lost.Set("https://hotel.example/"),
			DecodeResult: lost.DecodeResult{Echo: map[string]any{"id": "whk_1"}},
		},
	} {
		_, err := lost.NewEndpoint("acc_1", p, noon)
		if got := strings.Join(problems(t, err), ", "); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestUnchangedWebhookKeepsUpdatedAt(t *testing.T) {
	for name, p := range map[string]lost.EndpointPatch{
		"nothing":  {},
		"the same": {URL: lost.Set(" https://hotel.example/ "), Enabled: lost.Set(true)},
		"cleared": {
			Events: lost.Clear[[]string](), Description: lost.Clear[string](), Headers: lost.Clear[map[string]string](),
		},
		"no headers": {Headers: lost.Set(map[string]string{})},
		"empty text": {Description: lost.Set(" ")},
	} {
		e := endpoint(t)
		if err := e.Update(p, noon.Add(time.Hour)); err != nil || e.UpdatedAt != noon {
			t.Errorf("%s: updated at %v, %v", name, e.UpdatedAt, err)
		}
	}
	e := endpoint(t)
	if err := e.Update(lost.EndpointPatch{Headers: lost.Set(map[string]string{"X-Desk": "1"})},
		noon.Add(time.Hour)); err != nil || e.UpdatedAt != noon.Add(time.Hour) {
		t.Errorf("changed: updated at %v, %v", e.UpdatedAt, err)
	}
}

func TestHeadersAreRemovedWhenTheHostChanges(t *testing.T) {
	secret := map[string]string{"Authorization": "Bearer 3k9f"}
	for name, c := range map[string]struct {
		patch lost.EndpointPatch
		want  map[string]string
	}{
		"another path": {lost.EndpointPatch{URL: lost.Set("https://HOTEL.example/new")}, secret},
		"another host": {lost.EndpointPatch{URL: lost.Set("https://other.example/")}, nil},
		"another port": {lost.EndpointPatch{URL: lost.Set("https://hotel.example:8443/")}, nil},
		"plain HTTP":   {lost.EndpointPatch{URL: lost.Set("http://hotel.example/")}, nil},
		"new headers": {
			lost.EndpointPatch{
				URL: lost.Set("https://other.example/"), Headers: lost.Set(map[string]string{"X-Key": "7"}),
			},
			map[string]string{"X-Key": "7"},
		},
	} {
		e := endpoint(t)
		e.Headers = secret
		if err := e.Update(c.patch, noon); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, e.Headers); d != "" {
			t.Errorf("%s: headers %s", name, d)
		}
	}
}

func TestOldSecretIsValidForADayAfterRotation(t *testing.T) {
	e := endpoint(t)
	e.Secret = "first"
	e.Rotate("second", noon)
	for after, want := range map[time.Duration][]string{
		0: {"second", "first"}, 24*time.Hour - 1: {"second", "first"}, 24 * time.Hour: {"second"},
	} {
		if got := e.Secrets(noon.Add(after)); !slices.Equal(got, want) {
			t.Errorf("after %v: %v", after, got)
		}
	}
	e.Rotate("third", noon.Add(time.Hour))
	// each old secret is valid for a day
	if got := e.Secrets(noon.Add(time.Hour)); !slices.Equal(got, []string{"third", "second", "first"}) {
		t.Errorf("after two rotations: %v", got)
	}
	if got := e.Secrets(noon.Add(24 * time.Hour)); !slices.Equal(got, []string{"third", "second"}) {
		t.Errorf("a day after the first: %v", got)
	}
	for range 2 * lost.MaxOldSecrets {
		e.Rotate("again", noon.Add(2*time.Hour))
	}
	if n := len(e.OldSecrets); n != lost.MaxOldSecrets {
		t.Errorf("%d old secrets", n)
	}
}

func TestAWebhookIsSwitchedOffAfterFiveDaysOfFailures(t *testing.T) {
	e := endpoint(t)
	if e.SwitchOff(noon.Add(1000 * time.Hour)) {
		t.Error("a webhook without failures was disabled")
	}
	e.FailingSince, e.FailedAt = noon, noon.Add(5*24*time.Hour-1)
	if e.SwitchOff(noon.Add(1000 * time.Hour)) {
		t.Error("a webhook was disabled before five days")
	}
	e.FailedAt = noon.Add(5 * 24 * time.Hour)
	if !e.SwitchOff(noon.Add(5*24*time.Hour)) || e.Enabled || !strings.Contains(e.Reason, "five days") {
		t.Errorf("after five days: %+v", e)
	}
	if e.SwitchOff(noon.Add(6 * 24 * time.Hour)) {
		t.Error("the webhook was disabled twice")
	}
	if err := e.Update(lost.EndpointPatch{Enabled: lost.Set(true)}, noon.Add(7*24*time.Hour)); err != nil ||
		!e.Enabled || e.Reason != "" || !e.FailingSince.IsZero() {
		t.Errorf("enabled again: %+v, %v", e, err)
	}
}

// retryTwice allows two more attempts, a minute apart.
func retryTwice(failures int) (time.Duration, bool) { return time.Minute, failures <= 2 }

func TestDeliveryIsRetriedAndThenFails(t *testing.T) {
	failure, success := lost.Attempt{At: noon, Status: 500, Error: "status 500"}, lost.Attempt{At: noon, Status: 200}
	d := lost.Delivery{State: lost.DeliveryPending, DueAt: noon}
	for n, want := range []lost.DeliveryState{lost.DeliveryPending, lost.DeliveryPending, lost.DeliveryFailed} {
		now := noon.Add(time.Duration(n) * time.Hour)
		if d.Record(failure, retryTwice, now); d.State != want || len(d.Attempts) != n+1 {
			t.Errorf("after %d failures: %+v", n+1, d)
		}
		if due := now.Add(time.Minute); want == lost.DeliveryPending && d.DueAt != due {
			t.Errorf("due at %v, want %v", d.DueAt, due)
		}
	}
	if !d.DueAt.IsZero() || d.SettledAt != noon.Add(2*time.Hour) {
		t.Errorf("finished: %+v", d)
	}
	if err := d.Replay(noon.Add(3 * time.Hour)); err != nil || d.State != lost.DeliveryPending || d.Failures != 0 ||
		len(d.Attempts) != 3 || !d.SettledAt.IsZero() {
		t.Errorf("replayed: %+v, %v", d, err)
	}
	if err := d.Replay(noon); lost.CodeOf(err) != lost.Conflict {
		t.Errorf("replayed while pending: %v", err)
	}
	if d.Record(success, retryTwice, noon.Add(4*time.Hour)); d.State != lost.DeliveryDelivered ||
		len(d.Attempts) != 4 ||
		d.SettledAt != noon.Add(4*time.Hour) {
		t.Errorf("delivered: %+v", d)
	}
}

func TestOnlyTheLastThirtyAttemptsAreStored(t *testing.T) {
	d := lost.Delivery{State: lost.DeliveryPending}
	forever := func(int) (time.Duration, bool) { return 0, true }
	for n := range 40 {
		d.Record(lost.Attempt{Status: n, Error: "no", Response: strings.Repeat("ä", 3000)}, forever, noon)
	}
	if n := len(d.Attempts); n != 30 || d.Attempts[0].Status != 10 || d.Attempts[n-1].Status != 39 || d.Failures != 40 {
		t.Errorf("%d attempts are stored, from %d to %d", n, d.Attempts[0].Status, d.Attempts[n-1].Status)
	}
	if got := d.Attempts[0].Response; got != strings.Repeat("ä", 1999)+"…" {
		t.Errorf("%d bytes of the response are stored", len(got))
	}
}

func TestReplayNeedsATimeOrAnEvent(t *testing.T) {
	for want, p := range map[string]lost.ReplayPatch{
		"since required": {},
		"":               {Since: lost.Set(noon)},
	} {
		if got := strings.Join(problems(t, p.Check()), ", "); got != want {
			t.Errorf("%+v: %s, want %s", p, got, want)
		}
	}
	if err := (lost.ReplayPatch{Event: lost.Set("evt_1")}).Check(); err != nil {
		t.Error(err)
	}
	if err := (lost.ReplayPatch{Event: lost.Set("evt_1"), Since: lost.Set(noon)}).Check(); err == nil {
		t.Error("since and eventId were accepted together")
	}
}
