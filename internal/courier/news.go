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

// Tracks tells that parcels are followed.
func (e *EasyPost) Tracks() bool { return true }

// Track asks where a parcel is.
func (e *EasyPost) Track(ctx context.Context, p lost.Postage) (lost.ParcelNews, error) {
	if !strings.HasPrefix(p.Tracker, trackerMark) {
		return lost.ParcelNews{State: lost.ParcelWaiting}, nil // sold without a number, or by another carrier
	}
	tracker, err := e.client("").GetTrackerWithContext(ctx, p.Tracker)
	switch {
	case err != nil:
		return lost.ParcelNews{}, e.failure(err, lost.Consignment{})
	case tracker == nil || tracker.ID != p.Tracker:
		return lost.ParcelNews{}, lost.E(lost.Unavailable, "EasyPost gave an answer that is none.")
	}
	return e.news(tracker), nil
}

// Hear reads an event that EasyPost has signed with the secret we share.
func (e *EasyPost) Hear(header http.Header, body []byte) (news lost.ParcelNews, ours bool, err error) {
	const signature = "X-Hmac-Signature"
	secret := e.options.WebhookSecret
	if secret == "" { // else everybody could sign
		return lost.ParcelNews{}, false, lost.E(lost.Forbidden, "No secret is set that EasyPost could sign with.")
	}
	event, err := e.client("").ValidateWebhook(body, map[string]any{signature: header.Get(signature)}, secret)
	if _, forged := errors.AsType[*easypost.MismatchWebhookSignatureError](err); forged {
		return lost.ParcelNews{}, false, lost.E(lost.Forbidden, "The signature is not EasyPost's.")
	}
	if err != nil {
		return lost.ParcelNews{}, false, lost.E(lost.Unreadable, "The event cannot be read.").Because(err)
	}
	tracker, ok := event.Result.(*easypost.Tracker)
	if !ok || tracker.ID == "" || event.Description != "tracker.created" && event.Description != "tracker.updated" {
		return lost.ParcelNews{}, false, nil
	}
	return e.news(tracker), true, nil
}

// news says where a parcel is.
func (e *EasyPost) news(t *easypost.Tracker) lost.ParcelNews {
	n := lost.ParcelNews{Tracker: t.ID, State: lost.ParcelWaiting, URL: e.link(t)}
	switch t.Status {
	case "in_transit", "out_for_delivery", "available_for_pickup":
		n.State = lost.ParcelMoving
	case "delivered":
		n.State = lost.ParcelDelivered
	default:
		if trouble, ok := troubles[t.Status]; ok {
			n.State, n.Why = lost.ParcelTrouble, oneLine(trouble+lastWords(t))
		}
	}
	return n
}

// troubles says in words what a status means that the desk has to see to.
var troubles = map[string]string{
	"return_to_sender": "The parcel is on its way back.",
	"failure":          "The parcel could not be delivered.",
	"cancelled":        "The label was cancelled.",
	"error":            "The carrier cannot say where the parcel is.",
}

// lastWords gives what the carrier said last, without what may be somebody's address or number.
func lastWords(t *easypost.Tracker) string {
	for n := len(t.TrackingDetails) - 1; n >= 0; n-- {
		if d := t.TrackingDetails[n]; d != nil && d.Message != "" {
			return " It says: " + impersonal(d.Message)
		}
	}
	return ""
}

// naming begins what carriers say of a person.
var naming = regexp.MustCompile(`(?i)\b(signed (for )?by|received by|accepted by|recipient|delivered to|addressee)\b.*`)

// impersonal leaves out what follows where somebody is named, and words with an @ or many digits.
func impersonal(message string) string {
	const many = 5
	words := strings.Fields(naming.ReplaceAllString(oneLine(message), "$1 …"))
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

// link is where everybody can follow a parcel.
func (e *EasyPost) link(t *easypost.Tracker) string {
	const longest = 500
	if len(t.PublicURL) > longest || !e.safe(t.PublicURL) {
		return ""
	}
	return t.PublicURL
}
