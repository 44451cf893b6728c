package notify_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/lost/notice"
	"homeward/internal/push"
	"homeward/internal/push/pushtest"
	"homeward/internal/services"
	"homeward/internal/testkit"
	"homeward/internal/webhook"
)

// usePush gives the services a sender of push messages, and returns the push service.
func (h *fixture) usePush() *pushtest.Server {
	h.T.Helper()
	s := testkit.Must(push.New(push.Options{
		Transport: webhook.NewSender(webhook.Options{AllowPrivate: true}).Transport(),
		CheckURL:  func(raw string) lost.Problems { return webhook.CheckURL(raw, true) },
		Key:       h.DB.PushKey, Contact: "lost@example.com",
	}))
	h.Services = testkit.NewServices(h.DB, h.Clock, func(o *services.Options) {
		o.StaffMessenger, o.Pusher = h.out, s
	})
	return pushtest.Start(h.T)
}

func byPush(s *notice.Settings) {
	for k := range s.Kinds {
		s.Kinds[k] = notice.Choice{Push: true}
	}
}

// subscribe logs the member of staff in, and lets a browser show push messages.
func (h *fixture) subscribe(b *pushtest.Browser) identity.Session {
	h.T.Helper()
	in := testkit.Must(h.SignIn(h.staff.Email, "a password of ben", testkit.ClientAt("192.0.2.1")))
	s := b.Subscription()
	s.SessionID = in.Session.ID
	if err := h.Services.Notices.Subscribe(h.T.Context(), h.staff.Actor(), s); err != nil {
		h.T.Fatal(err)
	}
	return in
}

func (h *fixture) subscriptions() []notice.Subscription {
	return testkit.Must(h.Services.Notices.Subscriptions(h.T.Context(), h.staff.Actor()))
}

func TestPushMessagesAreShownInEachBrowser(t *testing.T) {
	each(t, func(h *fixture) {
		server := h.usePush()
		phone, computer := server.NewBrowser(), server.NewBrowser()
		h.subscribe(phone)
		h.subscribe(computer)
		h.choose(byPush, notice.Report)
		scarf := h.file("Scarf of Anna Arnold")
		h.expect("no e-mail")
		h.expect("not twice")
		for _, b := range []*pushtest.Browser{phone, computer} {
			got := b.Received()
			want := fmt.Sprintf(`"url":"/at/%s/requests/%s"`, h.location.ID, scarf.ID)
			if len(got) != 1 || !strings.Contains(got[0], want) || strings.Contains(got[0], "Anna") {
				h.T.Errorf("got %q, want one message with %s", got, want)
			}
		}
		if len(server.Faults()) > 0 {
			h.T.Error(server.Faults())
		}
	})
}

func TestPushEndsWithTheSession(t *testing.T) {
	each(t, func(h *fixture) {
		server := h.usePush()
		browser := server.NewBrowser()
		in := h.subscribe(browser)
		h.choose(byPush, notice.Report)
		h.file("Scarf")
		h.run()
		if err := h.Services.Sessions.SignOut(h.T.Context(), in); err != nil {
			h.T.Fatal(err)
		}
		h.file("Ring")
		h.run()
		if got := browser.Received(); len(got) != 1 {
			h.T.Errorf("got %d messages, want none after logging out: %q", len(got), got)
		}
		if got := h.subscriptions(); len(got) != 0 {
			h.T.Errorf("got subscriptions %+v", got)
		}
	})
}

func TestAPersonWithoutTheRightGetsNoPush(t *testing.T) {
	each(t, func(h *fixture) {
		server := h.usePush()
		browser := server.NewBrowser()
		h.subscribe(browser)
		h.choose(byPush, notice.Report)
		h.assign(lost.LoggerRole, nil)
		h.file("Scarf")
		h.run()
		if got := browser.Received(); len(got) != 0 {
			h.T.Errorf("got %q", got)
		}
	})
}

func TestASubscriptionThatTheBrowserEndedIsRemoved(t *testing.T) {
	each(t, func(h *fixture) {
		server := h.usePush()
		h.subscribe(server.NewBrowser())
		h.choose(byPush, notice.Report)
		server.SetStatus(http.StatusServiceUnavailable)
		h.file("Scarf")
		h.run()
		if len(h.subscriptions()) != 1 {
			h.T.Error("the subscription was removed because the push service is down")
		}
		server.SetStatus(http.StatusGone)
		h.Clock.Advance(time.Hour)
		h.run()
		if got := h.subscriptions(); len(got) != 0 {
			h.T.Errorf("got subscriptions %+v", got)
		}
	})
}

func TestAPersonHasAtMostTenBrowsers(t *testing.T) {
	each(t, func(h *fixture) {
		server := h.usePush()
		first := server.NewBrowser()
		h.subscribe(first)
		h.subscribe(first) // the same browser counts once
		for range notice.MaxSubscriptions {
			h.Clock.Advance(time.Second)
			h.subscribe(server.NewBrowser())
		}
		got := h.subscriptions()
		if len(got) != notice.MaxSubscriptions {
			h.T.Errorf("got %d subscriptions, want %d", len(got), notice.MaxSubscriptions)
		}
		for _, s := range got {
			if s.Endpoint == first.Subscription().Endpoint {
				h.T.Error("the oldest subscription is still there")
			}
		}
		plain := first.Subscription()
		plain.SessionID, plain.Endpoint = "ses_1", "ftp://example.com"
		h.ExpectCode(h.Services.Notices.Subscribe(h.T.Context(), h.staff.Actor(), plain), lost.Invalid, "no https")
	})
}
