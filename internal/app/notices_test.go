package app_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"homeward/internal/message/mailtest"
	"homeward/internal/store/storetest"
)

// submit sends a form of the dashboard.
func (s *service) submit(path, cookies string, form url.Values) response {
	s.t.Helper()
	r, err := http.NewRequest(http.MethodPost, s.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if cookies != "" {
		r.Header.Set("Cookie", cookies)
	}
	a, err := send(s.unchecked, r)
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

// Two instances run on one database. A person hears of each lost report once, and stops that with one click.
func TestStaffHearOfLostReportsOnce(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		mails := mailtest.Start(t)
		cfg := newConfig(t, setting)
		cfg.SMTP, cfg.Secret = mails.URL(), "the secret that all instances of the service share"
		s := startService(t, cfg)
		if strings.HasPrefix(setting, "postgres") {
			second := cfg
			second.Data = t.TempDir()
			startService(t, second)
		}
		at := "/v1/locations/" + s.newLocation(map[string]any{"name": "Hotel Adler"})
		cookies := s.session(cfg.AdminEmail, cfg.AdminPassword)
		form := url.Values{"report": {"at-once"}, "digestHour": {"8"}, "timeZone": {"UTC"}, "reach": {"all"}}
		if a := s.submit("/settings/notices", cookies, form); a.status != http.StatusSeeOther {
			t.Fatalf("got status %d: %s", a.status, a.body)
		}
		file := func(text string) mailtest.Mail {
			s.must(http.StatusCreated, "POST", at+"/requests", map[string]any{
				"description": text, "owner": map[string]any{"email": "anna@example.com"},
			})
			return mails.Next(t, cfg.AdminEmail)
		}
		first := file("Scarf")
		if !strings.Contains(first.Text, "Scarf") || !strings.Contains(first.Text, "Hotel Adler") {
			t.Errorf("got the e-mail %s", first.Raw)
		}
		file("Ring")
		stop := strings.Trim(first.Header.Get("List-Unsubscribe"), "<>")
		s.log.AddSecret("a link to stop notices", stop)
		path := strings.TrimPrefix(stop, s.url)
		if a := s.submit(path, "", url.Values{"List-Unsubscribe": {"One-Click"}}); a.status != http.StatusOK {
			t.Errorf("got status %d for one click on %s", a.status, stop)
		}
		count := 0
		for _, m := range mails.All() {
			if m.To == cfg.AdminEmail && m.Header.Get("List-Unsubscribe") != "" {
				count++
			}
		}
		if count != 2 {
			t.Errorf("got %d e-mails about 2 lost reports", count)
		}
	})
}
