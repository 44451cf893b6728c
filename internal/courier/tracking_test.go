package courier_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"homeward/internal/courier"
	"homeward/internal/courier/easyposttest"
	"homeward/internal/lost"
)

func TestTrackingReportsTheParcelState(t *testing.T) {
	server, e := service(t)
	p := soldShipment(t, e).Postage
	tests := []struct {
		status string
		state  lost.ParcelState
		why    string
	}{
		{"unknown", lost.ParcelWaiting, ""},
		{"pre_transit", lost.ParcelWaiting, ""},
		{"in_transit", lost.ParcelMoving, ""},
		{"out_for_delivery", lost.ParcelMoving, ""},
		{"available_for_pickup", lost.ParcelMoving, ""},
		{"delivered", lost.ParcelDelivered, ""},
		{"return_to_sender", lost.ParcelTrouble, "The parcel is being returned. Carrier message: Insufficient address"},
		{"failure", lost.ParcelTrouble, "The parcel could not be delivered. Carrier message: Insufficient address"},
		{"cancelled", lost.ParcelTrouble, "The label was canceled. Carrier message: Insufficient address"},
		{"error", lost.ParcelTrouble,
			"The carrier does not know where the parcel is. Carrier message: Insufficient address"},
		{"something new", lost.ParcelWaiting, ""},
	}
	for _, tt := range tests {
		body, header := server.Advance("ship_1", tt.status, "Insufficient address")
		want := lost.ParcelUpdate{Tracker: p.Tracker, State: tt.state, Why: tt.why, URL: p.TrackingURL}
		if got, ok, err := e.ParseEvent(header, body); err != nil || !ok || got != want {
			t.Errorf("event: got %+v, %v, %v; want %+v", got, ok, err, want)
		}
		if got, err := e.Track(t.Context(), p); err != nil || got != want {
			t.Errorf("Track: got %+v, %v; want %+v", got, err, want)
		}
	}
	if got, err := e.Track(t.Context(), lost.Postage{Shipment: "ship_1"}); err != nil ||
		got != (lost.ParcelUpdate{State: lost.ParcelWaiting}) {
		t.Errorf("a parcel of another carrier: %+v, %v", got, err)
	}
}

func TestEventsAreIndependentOfTheirOrder(t *testing.T) {
	server, e := service(t)
	soldShipment(t, e)
	moving, movingHeader := server.Advance("ship_1", "in_transit", "Arrived")
	delivered, deliveredHeader := server.Advance("ship_1", "delivered", "Delivered")
	order := []struct {
		body   []byte
		header http.Header
		want   lost.ParcelState
	}{
		{delivered, deliveredHeader, lost.ParcelDelivered}, {moving, movingHeader, lost.ParcelMoving},
		{moving, movingHeader, lost.ParcelMoving}, {delivered, deliveredHeader, lost.ParcelDelivered},
	}
	for n, o := range order {
		if got, ok, err := e.ParseEvent(o.header, o.body); err != nil || !ok || got.State != o.want {
			t.Errorf("event %d: %+v, %v, %v", n, got, ok, err)
		}
	}
}

func TestForgedEventsAreForbidden(t *testing.T) {
	server, e := service(t)
	soldShipment(t, e)
	body, header := server.Advance("ship_1", "delivered", "Delivered")
	signature := header.Get("X-Hmac-Signature")
	with := func(s string) http.Header { return http.Header{"X-Hmac-Signature": {s}} }
	forged := map[string]struct {
		header http.Header
		body   []byte
	}{
		"no signature":    {http.Header{}, body},
		"no header":       {nil, body},
		"empty":           {with(""), body},
		"another body":    {header, bytes.Replace(body, []byte("delivered"), []byte("in_transit"), 1)},
		"a byte more":     {header, append(bytes.Clone(body), ' ')},
		"without a name":  {with(strings.TrimPrefix(signature, "hmac-sha256-hex=")), body},
		"cut off":         {with(signature[:len(signature)-1]), body},
		"in capitals":     {with(strings.ToUpper(signature)), body},
		"no body":         {header, nil},
		"another secret":  {easyposttest.Sign("guessed", body), body},
		"an empty secret": {easyposttest.Sign("", body), body},
	}
	for name, f := range forged {
		got, ok, err := e.ParseEvent(f.header, f.body)
		if lost.CodeOf(err) != lost.Forbidden || ok || got != (lost.ParcelUpdate{}) {
			t.Errorf("%s: %+v, %v, %v", name, got, ok, err)
		}
	}
	withoutSecret := connect(t, courier.Options{Key: server.Key, API: server.URL})
	if _, _, err := withoutSecret.ParseEvent(easyposttest.Sign("", body), body); lost.CodeOf(err) != lost.Forbidden {
		t.Errorf("without a secret: %v", err)
	}
}

func TestOtherEventsAreIgnored(t *testing.T) {
	server, e := service(t)
	for _, body := range []string{
		`{}`, `null`, `{"description":"tracker.updated"}`, `{"description":"tracker.updated","result":null}`,
		`{"description":"tracker.updated","result":{"object":"Tracker"}}`,
		`{"description":"batch.created","result":{"object":"Batch","id":"batch_1"}}`,
		`{"description":"refund.successful","result":{"object":"Tracker","id":"trk_1","status":"delivered"}}`,
		`{"description":"tracker.updated","result":{"object":"Shipment","id":"shp_1"}}`,
	} {
		if got, ok, err := e.ParseEvent(easyposttest.Sign(server.Secret, []byte(body)), []byte(body)); err != nil ||
			ok ||
			got != (lost.ParcelUpdate{}) {
			t.Errorf("%s: %+v, %v, %v", body, got, ok, err)
		}
	}
	for _, body := range []string{
		``, `<html>`, `[]`, `{"description":7}`,
		`{"description":"tracker.updated","result":{"object":"Tracker","id":7}}`,
	} {
		if _, ok, err := e.ParseEvent(easyposttest.Sign(server.Secret, []byte(body)),
			[]byte(body)); lost.CodeOf(err) != lost.Unreadable || ok {
			t.Errorf("%s: %v, %v", body, ok, err)
		}
	}
}

func TestProblemsContainNoPersonalData(t *testing.T) {
	server, e := service(t)
	soldShipment(t, e)
	for message, want := range map[string]string{
		"Refused, signed by E SWAN at door":              "Refused, signed by …",
		"Left. Delivered To Mr Smith, received by cook":  "Left. Delivered To …",
		"Call 310-555-0100 or mail swan@example.com now": "Call … or mail … now",
		"Held\r\n  at\x00 depot 12":                      "Held at depot 12",
		strings.Repeat("long ", 100):                     strings.Repeat("long ", 100)[:30],
	} {
		body, header := server.Advance("ship_1", "failure", message)
		got, _, err := e.ParseEvent(header, body)
		if err != nil || !strings.HasPrefix(got.Why, "The parcel could not be delivered. Carrier message: "+want) ||
			len([]rune(got.Why)) > 301 {
			t.Errorf("%q became %q, %v", message, got.Why, err)
		}
	}
}

func TestAnUnsafeLinkIsNotShown(t *testing.T) {
	server, _ := service(t)
	e := connect(t, courier.Options{Key: "k", WebhookSecret: server.Secret})
	for link, want := range map[string]string{
		"https://track.easypost.com/djE6": "https://track.easypost.com/djE6",
		"http://track.easypost.com/djE6":  "", "javascript:alert(1)": "", "": "",
		"https://" + strings.Repeat("a", 600): "",
	} {
		body, err := json.Marshal(map[string]any{
			"description": "tracker.created",
			"result":      map[string]any{"object": "Tracker", "id": "trk_1", "public_url": link},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got, ok, err := e.ParseEvent(easyposttest.Sign(server.Secret, body), body); err != nil || !ok ||
			got.URL != want {
			t.Errorf("%s: %+v, %v, %v", link, got, ok, err)
		}
	}
}
