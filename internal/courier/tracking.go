package courier

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"

	"github.com/EasyPost/easypost-go/v5"

	"homeward/internal/lost"
)

// HasTracking returns true, because EasyPost tracks parcels.
func (e *EasyPost) HasTracking() bool { return true }

// Track requests the tracking state of a parcel from EasyPost.
func (e *EasyPost) Track(ctx context.Context, p lost.Postage) (lost.ParcelUpdate, error) {
	if !strings.HasPrefix(p.Tracker, trackerPrefix) {
		// The label has no tracker at EasyPost, or was not bought through EasyPost.
		return lost.ParcelUpdate{State: lost.ParcelWaiting}, nil
	}
	tracker, err := e.client("").GetTrackerWithContext(ctx, p.Tracker)
	switch {
	case err != nil:
		return lost.ParcelUpdate{}, e.failure(err, lost.ParcelOrder{})
	case tracker == nil || tracker.ID != p.Tracker:
		return lost.ParcelUpdate{}, lost.E(lost.Unavailable, "EasyPost sent an unexpected response.")
	}
	return e.parcelUpdate(tracker), nil
}

// ParseEvent decodes a tracking event. The error is Forbidden if EasyPost has not signed the event with the webhook
// secret. ok is false if the event is not about a parcel.
func (e *EasyPost) ParseEvent(header http.Header, body []byte) (update lost.ParcelUpdate, ok bool, err error) {
	const signature = "X-Hmac-Signature"
	secret := e.options.WebhookSecret
	if secret == "" { // otherwise anybody could sign events with an empty secret
		return lost.ParcelUpdate{}, false, lost.E(lost.Forbidden, "The EasyPost webhook secret is not set.")
	}
	event, err := e.client("").ValidateWebhook(body, map[string]any{signature: header.Get(signature)}, secret)
	if _, forged := errors.AsType[*easypost.MismatchWebhookSignatureError](err); forged {
		return lost.ParcelUpdate{}, false, lost.E(lost.Forbidden, "The signature is not valid.")
	}
	if err != nil {
		return lost.ParcelUpdate{}, false, lost.E(lost.Unreadable, "The event cannot be read.").WithCause(err)
	}
	tracker, ok := event.Result.(*easypost.Tracker)
	if !ok || tracker.ID == "" || event.Description != "tracker.created" && event.Description != "tracker.updated" {
		return lost.ParcelUpdate{}, false, nil
	}
	return e.parcelUpdate(tracker), true, nil
}

// parcelUpdate converts an EasyPost tracker to a parcel update.
func (e *EasyPost) parcelUpdate(t *easypost.Tracker) lost.ParcelUpdate {
	n := lost.ParcelUpdate{Tracker: t.ID, State: lost.ParcelWaiting, URL: e.link(t)}
	switch t.Status {
	case "in_transit", "out_for_delivery", "available_for_pickup":
		n.State = lost.ParcelMoving
	case "delivered":
		n.State = lost.ParcelDelivered
	default:
		if trouble, ok := troubles[t.Status]; ok {
			n.State, n.Why = lost.ParcelTrouble, oneLine(lost.Note(trouble)+lastMessage(t))
		}
	}
	return n
}

// troubles maps the tracking states that staff have to handle to explanations.
var troubles = map[string]lost.NoteKind{
	"return_to_sender": lost.NoteParcelReturned,
	"failure":          lost.NoteParcelUndelivered,
	"cancelled":        lost.NoteLabelCanceled,
	"error":            lost.NoteParcelLost,
}

// lastMessage returns the carrier's latest message, without personal data.
func lastMessage(t *easypost.Tracker) string {
	for n := len(t.TrackingDetails) - 1; n >= 0; n-- {
		if d := t.TrackingDetails[n]; d != nil && d.Message != "" {
			return " " + lost.Note(lost.NoteCarrierMessage, withoutPersonalData(d.Message))
		}
	}
	return ""
}

// personPhrases matches phrases that are usually followed by a person's name, and all text after them.
var personPhrases = regexp.MustCompile(`(?i)\b(signed (for )?by|received by|accepted by|recipient|` +
	`delivered to|addressee)\b.*`)

// withoutPersonalData removes the text after phrases in personPhrases, and words that contain an @ or many digits.
func withoutPersonalData(message string) string {
	const many = 5
	words := strings.Fields(personPhrases.ReplaceAllString(oneLine(message), "$1 …"))
	for n, w := range words {
		digits := len(w) - len(strings.Map(exceptDigits, w))
		if strings.Contains(w, "@") || digits >= many {
			words[n] = "…"
		}
	}
	return strings.Join(words, " ")
}

func exceptDigits(r rune) rune {
	if r >= '0' && r <= '9' {
		return -1
	}
	return r
}

// link returns the URL of a parcel's public tracking page, or "" if the URL is not safe.
func (e *EasyPost) link(t *easypost.Tracker) string {
	const longest = 500
	if len(t.PublicURL) > longest || !e.safe(t.PublicURL) {
		return ""
	}
	return t.PublicURL
}
