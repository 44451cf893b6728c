package notify

import (
	"context"
	"encoding/json"
	"errors"

	"homeward/internal/lost"
	"homeward/internal/lost/notice"
	"homeward/internal/store"
)

// Pusher sends push messages to browsers.
type Pusher interface {
	PublicKey() string
	// Check returns the problems with a subscription.
	Check(to notice.Subscription) lost.Problems
	// Push sends a message. A NotFound error means that the browser has ended the subscription, and an Invalid error
	// that another attempt would fail too.
	Push(ctx context.Context, to notice.Subscription, payload []byte) error
}

// PushKey returns the key that browsers subscribe to, or an empty string if push messages are not set up.
func (n *Notices) PushKey() string { return n.pusher.PublicKey() }

// Subscriptions lists the browsers that show push messages to the actor.
func (n *Notices) Subscriptions(ctx context.Context, a lost.Actor) ([]notice.Subscription, error) {
	return n.db.PushSubscriptions(ctx, a.Account, a.ID)
}

// Subscribe makes a browser show push messages to the actor, until the session ends. If too many browsers do, the
// oldest no longer does.
func (n *Notices) Subscribe(ctx context.Context, a lost.Actor, s notice.Subscription) error {
	if a.Kind != lost.ByUser || s.SessionID == "" {
		return lost.E(lost.Forbidden, "Only logged-in users can turn on push messages.")
	}
	if err := n.pusher.Check(s).Err(); err != nil {
		return err
	}
	return n.db.Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.LockUser(a.Account, a.ID); err != nil {
			return err
		}
		s.Account, s.UserID = a.Account, a.ID
		s.ID, s.CreatedAt = lost.NewID(lost.PushID, tx.Now()), tx.Now()
		known, err := tx.PushSubscriptions(ctx, a.Account, a.ID)
		if err != nil {
			return err
		}
		replaces := false
		for _, k := range known {
			replaces = replaces || k.Endpoint == s.Endpoint
		}
		if len(known) >= notice.MaxSubscriptions && !replaces {
			if err := tx.DeletePushSubscription(a.Account, a.ID, known[0].ID); err != nil {
				return err
			}
		}
		return tx.SavePushSubscription(s)
	})
}

// Unsubscribe ends the push messages to one of the actor's browsers.
func (n *Notices) Unsubscribe(ctx context.Context, a lost.Actor, id string) error {
	return n.db.Write(ctx, func(tx *store.Tx) error {
		s, err := tx.PushSubscription(ctx, a.Account, id)
		if err != nil {
			return err
		}
		if s.UserID != a.ID {
			return lost.Missing("push subscription")
		}
		return tx.DeletePushSubscription(a.Account, a.ID, id)
	})
}

// pushMessage is what the service worker of the dashboard receives.
type pushMessage struct {
	Title string `json:"title"`
	Body  string `json:"body"`
	URL   string `json:"url"` // a path
	Tag   string `json:"tag"` // a message with the same tag replaces this one
}

// push sends a push message to the browser that is the target. The subscription ends if its session has ended.
func (n *Notices) push(ctx context.Context, b *batch) error {
	to, err := n.db.PushSubscription(ctx, b.Account, b.Target)
	if err != nil {
		return ignoreGone(err)
	}
	session, err := n.db.Session(ctx, b.Account, to.SessionID)
	ended := lost.CodeOf(err) == lost.NotFound || err == nil && !session.ExpiresAt.After(n.db.Now())
	if err != nil && !ended {
		return err
	}
	if !ended {
		m := b.message()
		title, body := n.messenger.ComposePush(m)
		payload, err := json.Marshal(pushMessage{Title: title, Body: body, URL: m.Path, Tag: m.ID})
		if err != nil {
			return err
		}
		err = n.pusher.Push(ctx, to, payload)
		if lost.CodeOf(err) != lost.NotFound {
			return err
		}
	}
	err = n.db.Write(ctx, func(tx *store.Tx) error { return tx.DeletePushSubscription(to.Account, to.UserID, to.ID) })
	return errors.Join(err, errGone)
}

// errGone means that a browser no longer shows push messages, or that the locations of a report no longer exist.
var errGone = lost.E(lost.Invalid, "The push subscription or the location has been removed.")

// ignoreGone replaces the error for a subscription that does not exist.
func ignoreGone(err error) error {
	if lost.CodeOf(err) == lost.NotFound {
		return errGone
	}
	return err
}
