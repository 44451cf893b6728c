package settings_test

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff"
	"homeward/internal/web/staff/stafftest"
)

func TestAWebhookIsRegisteredTriedAndReplayed(t *testing.T) {
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true, NoScript: true}} {
		t.Run(o.String(), func(t *testing.T) {
			h, at := testkit.NewBrowserServer(t)
			hotel := h.NewLocation("Hotel Adler")
			program := stafftest.NewWebhookReceiver(t, http.StatusTeapot)
			v := browsertest.New(t, o)
			v.IgnoreError("422")
			stafftest.OpenAsOwner(v, h, at+"/settings/webhooks")
			v.See("No webhooks yet")
			v.CheckAccessibility()
			v.Follow("New webhook")
			v.Fill("Address", program.URL+"/hook")
			v.Fill("Name", "Booking system")
			v.Fill("Headers", "Authorization: Bearer abc")
			v.Click("pickup the owner collects the item")
			v.Click("item-created a found item is recorded")
			v.Click("Only these:")
			v.Follow("Check and register")
			v.See("Select at least one location")
			v.CheckAccessibility()
			v.Click("Hotel Adler")
			v.Follow("Check and register")
			v.See("Response", "418", "the receiver <b>says</b> so")
			v.Screenshot("refused")
			v.CheckAccessibility()

			program.Status.Store(http.StatusOK)
			v.Follow("Check and register") // the form has kept its values
			v.See("was registered", "Booking system", "item-created, pickup", "Locations", "Hotel Adler",
				"Authorization (values hidden)", "No deliveries yet")
			hook := testkit.Must(h.Services.Webhooks.Endpoints(t.Context(), h.Actor, lost.FirstPage())).Data[0]
			if !slices.Equal(hook.Locations, []string{hotel.ID}) {
				t.Errorf("the webhook has the locations %v, want %s", hook.Locations, hotel.ID)
			}
			v.Follow("Change")
			v.Click("All events including those that are added later")
			v.Click("All locations, including new ones")
			v.Follow("Save")
			v.See("The webhook was saved", "All events", "All locations")
			v.Screenshot("registered")
			v.Follow("Show the secret")
			if secret := regexp.MustCompile(`whsec_\S{44}`).FindString(v.Text()); secret == "" {
				t.Errorf("the page does not show a secret: %s", v.Text())
			}
			v.Screenshot("secret")
			v.CheckAccessibility()
			v.Follow("Create new secret")
			v.See("This is the new secret", "Old secret, valid until")
			v.Follow("Back to the webhook")
			v.See("Old secret", "Valid until")

			program.Status.Store(http.StatusInternalServerError)
			v.Follow("Send a test")
			v.See("Not sent yet")
			for range 6 { // until all attempts have failed
				h.Clock.Advance(time.Hour)
				stafftest.DeliverWebhooks(h)
			}
			v.Follow("Refresh")
			v.See("Failed", "500", "the receiver <b>says</b> so")
			v.Screenshot("failed")
			v.CheckAccessibility()
			program.Status.Store(http.StatusOK)
			v.Follow("Send again")
			h.Clock.Advance(time.Hour)
			stafftest.DeliverWebhooks(h)
			v.Follow("Refresh")
			v.See("Delivered", "200")
			v.Follow("Booking system")
			v.See("Last success", "Delivered")
			v.Screenshot("deliveries")
			v.Follow("Resend")
			v.See("No failed deliveries in that time")
			v.Follow("Delete")
			v.Fill("Type", "elsewhere.example")
			v.Follow("Delete permanently")
			v.See("nothing was deleted")
			v.Fill("Type", strings.TrimPrefix(program.URL, "http://"))
			v.Follow("Delete permanently")
			v.See("The webhook was deleted", "No webhooks yet")
			v.Visit(at + "/settings/events")
			v.See("test")
			v.Screenshot("events")
			v.Visit(at + "/settings/audit")
			v.See("Viewed a webhook’s secret", "Changed a webhook’s secret", "Deleted a webhook", "127.0.0.1")
			stafftest.ExpectNoOverflow(t, v)
			v.CheckAccessibility()
			v.Screenshot("audit")
		})
	}
}

func TestAKeyIsCreatedShownOnceAndRevoked(t *testing.T) {
	for _, o := range []browsertest.Options{{Phone: true, NoScript: true}, {Dark: true}} {
		t.Run(o.String(), func(t *testing.T) {
			h, at := testkit.NewBrowserServer(t)
			h.NewLocation("Hotel Adler")
			h.NewLocation("Zoo")
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+"/settings/keys")
			v.Follow("New key")
			v.Fill("Name", "Booking system")
			v.Choose("Role", "Desk: record, change and hand over items, answer requests")
			v.Click("Only these:")
			v.Click("Zoo")
			v.Choose("Expires", "In 90 days")
			v.Screenshot("form")
			v.Follow("Create key")
			v.See("It is shown only once", "/v1/locations")
			key := regexp.MustCompile(`hw_[a-z0-9]{26}`).FindString(v.Text())
			v.Screenshot("made")
			v.CheckAccessibility()
			a, err := h.Services.Keys.Authenticate(t.Context(), key)
			if err != nil || a.Role != lost.DeskRole || len(a.Locations) != 1 {
				t.Fatalf("key %q: got actor %+v, %v", key, a, err)
			}
			v.Follow("Done")
			v.See("Booking system", "Desk", "Zoo", "Active")
			if strings.Contains(v.Text(), key) {
				t.Error("the key is shown again")
			}
			v.Screenshot("list")
			v.Follow("Booking system")
			v.Follow("Revoke “Booking system”")
			v.See("The key was revoked", "Revoked")
			if _, err := h.Services.Keys.Authenticate(t.Context(), key); lost.CodeOf(err) != lost.Unauthorized {
				t.Errorf("got %v for a revoked key, want unauthorized", err)
			}
		})
	}
}

func TestMessagesAndRetentionPages(t *testing.T) {
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true}} {
		t.Run(o.String(), func(t *testing.T) {
			h, at := testkit.NewBrowserServer(t)
			newOwnedItem(h, h.NewLocation("Hotel Adler"))
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+"/settings/messages")
			v.See("E-mail is not set up", "anna@example.com", "Item found")
			v.Screenshot("messages")
			v.Follow("css:.table a")
			v.See("anna@example.com", "Umbrella")
			v.Screenshot("message")
			v.Follow("Open the guest’s page")
			v.See("Where it is kept")
			v.Visit(at + "/settings/retention")
			v.See("90 days", "30 days", "None yet")
			v.Screenshot("retention")
			v.IgnoreError("422")
			v.Fill("Days after an item is closed", "29")
			v.Follow("Save")
			v.See("Must be a number of days from 30 to 3650.")
			v.CheckAccessibility()
		})
	}
}

// newOwnedItem creates an item that has an owner.
func newOwnedItem(h *testkit.Server, l lost.Location) lost.Item {
	return h.NewItem(l, "Umbrella", func(p *lost.ItemPatch) {
		p.Owner = lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")})
	})
}

// A shorter retention period must be confirmed if it removes data immediately.
func TestAShorterRetentionThatRemovesSomethingIsConfirmed(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		i := newOwnedItem(h, h.NewLocation("Hotel Adler"))
		testkit.Must(h.Services.Items.SetStatus(t.Context(), h.Actor, i.LocationID, i.ID,
			lost.MovePatch{Status: lost.Set("DONATE")}))
		h.Clock.Advance(40 * 24 * time.Hour)
		v := h.LogIn()
		page := v.Post("/settings/retention", url.Values{"days": {"30"}})
		if page.Code != http.StatusOK || !strings.Contains(page.Body, "guest data of 1 item is removed") {
			t.Errorf("got status %d, want a confirmation page: %s", page.Code, page.Body)
		}
		if r := testkit.Must(h.Services.RetentionPolicy.Get(t.Context(), h.Actor)); r.Days != 180 {
			t.Errorf("got %d days before confirmation, want 180", r.Days)
		}
		if a := v.Post("/settings/retention",
			url.Values{"days": {"30"}, "sure": {"yes"}}); a.Code != http.StatusSeeOther {
			t.Errorf("got status %d after confirmation, want 303", a.Code)
		}
		if r := testkit.Must(h.Services.RetentionPolicy.Get(t.Context(), h.Actor)); r.Days != 30 {
			t.Errorf("got %d days, want 30", r.Days)
		}
		if a := v.Post("/settings/retention",
			url.Values{"days": {"a year"}}); a.Code != http.StatusUnprocessableEntity {
			t.Errorf("got status %d for an invalid number, want 422", a.Code)
		}
	})
}

func TestTheAuditLogIsFilteredPagedAndExported(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		for range 60 {
			h.NewLocation("=Hotel()")
			h.Clock.Advance(time.Second)
		}
		v := h.LogIn()
		first := v.Get("/settings/audit?what=location-created&who=" + h.Owner.ID)
		older := regexp.MustCompile(`href="(/settings/audit\?before=[^"]+)"`).FindStringSubmatch(first.Body)
		if n := strings.Count(first.Body, "<td class=\"whole\">"); n != 50 || older == nil {
			t.Fatalf("got %d lines on the first page, want 50: %s", n, first.Body)
		}
		rest := v.Get(strings.ReplaceAll(older[1], "&amp;", "&"))
		if n := strings.Count(rest.Body, "<td class=\"whole\">"); n != 10 || !strings.Contains(rest.Body, "Newer") {
			t.Errorf("got %d lines on the second page, want 10", n)
		}
		file := v.Get("/settings/audit/export")
		lines := strings.Split(strings.TrimSpace(file.Body), "\n")
		if len(lines) != 62 || !strings.HasPrefix(lines[1], "2026-11-15T12:01:00Z,user,"+h.Owner.ID) ||
			!strings.Contains(lines[2], ",location-created,loc_") || !strings.Contains(lines[2], ",'=Hotel()") {
			t.Errorf("got %d exported lines, want 62: %.600s", len(lines), file.Body)
		}
		if at := file.Header.Get("Content-Disposition"); !strings.Contains(at, "audit-log.csv") {
			t.Errorf("got Content-Disposition %q", at)
		}
		if a := v.Get("/settings/audit?what=exported"); !strings.Contains(a.Body, "The audit log") {
			t.Error("the audit log does not contain its export")
		}
		from := `<td data-label="Address"><a href="/settings/audit?address=192.0.2.1">192.0.2.1</a></td>`
		if a := v.Get("/settings/audit?address=192.0.2.1"); strings.Count(a.Body, from) != 2 ||
			!strings.Contains(a.Body, "The audit log") || strings.Contains(a.Body, "Added a location</td>") {
			t.Errorf("want the login and the export, with their address: %s", a.Body)
		}
		file = v.Get("/settings/audit/export?address=192.0.2.1")
		if !strings.Contains(file.Body, ",note,address\n") ||
			!strings.Contains(file.Body, ",The audit log,192.0.2.1\n") {
			t.Errorf("got exported lines %q", file.Body)
		}
		if a := v.Get("/settings/audit?what=retention-changed"); !strings.Contains(a.Body, "No matching entries") {
			t.Error("the audit log lists an action that nobody took")
		}
	})
}

// The audit log names people and records and links to them.
func TestTheAuditLogNamesPeopleAndRecords(t *testing.T) {
	h := testkit.NewServer(t)
	ctx := t.Context()
	hotel, deleted := h.NewLocation("Hotel Adler"), h.NewLocation("Old inn")
	anna := h.NewMember("Anna", lost.DeskRole)
	key := testkit.Must(h.Services.Keys.Create(ctx, h.Actor, lost.KeyPatch{Name: lost.Set("Till")},
		lost.IdempotencyKey{}))
	hook := testkit.Must(h.Services.Webhooks.CreateEndpoint(ctx, h.Actor,
		lost.EndpointPatch{URL: lost.Set(stafftest.NewWebhookReceiver(t, http.StatusOK).URL)}, lost.IdempotencyKey{}))
	sent := testkit.Must(h.Services.Webhooks.TestEndpoint(ctx, h.Actor, hook.ID, lost.TestEvent, lost.IdempotencyKey{}))
	testkit.Must(h.Services.Webhooks.ReplayEvent(ctx, h.Actor, hook.ID, sent.EventID, lost.IdempotencyKey{}))
	testkit.Must(h.Services.Team.SetMemberDisabled(ctx, h.Actor, anna.ID, true))
	testkit.Must(h.Services.Locations.Create(ctx, key.Actor(), lost.LocationPatch{Name: lost.Set("Zoo")},
		lost.IdempotencyKey{}))
	testkit.Must(0, h.Services.Locations.Delete(ctx, h.Actor, deleted.ID))
	shown := h.LogIn().Get("/settings/audit").Body
	for _, want := range []string{
		`<td data-label="Who"><a href="/settings/team/members/` + h.Owner.ID + `">Administrator</a></td>`,
		`<td data-label="Who"><a href="/settings/keys/` + key.ID + `">API key Till</a></td>`,
		`<a href="/settings/team/members/` + anna.ID + `">Anna</a> anna@homeward.example, desk: blocked `,
		`<a href="/settings/keys/` + key.ID + `">Till</a>`, `<a href="/locations/` + hotel.ID + `">Hotel Adler</a>`,
		`<a href="/settings/webhooks/` + hook.ID + `">` + hook.Host() + `</a>`,
		`<a href="/settings/events/` + sent.EventID + `">An event</a> to ` + hook.Host(),
		`<td data-label="Target">Old inn `,
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("the audit log does not contain %s", want)
		}
	}
	if plain := regexp.MustCompile(`<code class="id">[^<]*</code>|<[^>]*>`).ReplaceAllString(shown,
		""); regexp.MustCompile(`(usr|loc|key|whk|dlv|evt|ses)_[a-z0-9]{10}`).MatchString(plain) {
		t.Errorf("the text contains IDs: %s", plain)
	}
}

// A form that is sent twice creates one key. A form with errors is shown again with the submitted values.
func TestSendingAKeyFormTwiceCreatesOneKey(t *testing.T) {
	h := testkit.NewServer(t)
	h.NewLocation("Hotel Adler")
	v := h.LogIn()
	form := url.Values{"once": {"abc"}, "name": {"Till"}, "role": {"desk"}, "reach": {"all"}, "expiresAt": {"never"}}
	one, two := v.Post("/settings/keys/new", form), v.Post("/settings/keys/new", form)
	key := regexp.MustCompile(`hw_[a-z0-9]{26}`)
	if one.Code != http.StatusOK || key.FindString(one.Body) == "" ||
		key.FindString(one.Body) != key.FindString(two.Body) {
		t.Errorf("got status %d and %d, want 200 and the same key", one.Code, two.Code)
	}
	bad := v.Post("/settings/keys/new", url.Values{"name": {" "}, "role": {"viewer"}, "readOnly": {"yes"}})
	if bad.Code != http.StatusUnprocessableEntity || !strings.Contains(bad.Body, `value="viewer" selected`) ||
		!strings.Contains(bad.Body, "This field is required") {
		t.Errorf("got status %d for a key without a name, want 422: %s", bad.Code, bad.Body)
	}
	for what, change := range map[string]url.Values{
		"Role: This field is required":                  {"role": {""}},
		"Locations: This field is required. Choose all": {"reach": {""}},
		"Locations: This field is required. Select":     {"reach": {"some"}},
		"Expires: This field is required. Choose when":  {"expiresAt": {""}},
	} {
		form := url.Values{"name": {"Till"}, "role": {"desk"}, "reach": {"all"}, "expiresAt": {"never"}}
		maps.Copy(form, change)
		if a := v.Post("/settings/keys/new", form); a.Code != http.StatusUnprocessableEntity ||
			!strings.Contains(a.Body, what) {
			t.Errorf("form with %v: got status %d, want 422", change, a.Code)
		}
	}
	if a := v.Get("/settings/keys/new"); strings.Contains(a.Body, "checked") ||
		strings.Contains(a.Body, `value="admin" selected`) {
		t.Error("the empty form has preselected values")
	}
	if strings.Contains(v.Get("/settings/keys").Body, key.FindString(one.Body)) {
		t.Error("the list of keys contains a secret")
	}
}

// The test opens every settings page with every role. Roles without the permission get an error and see no link to
// the page.
func TestEachRoleSeesItsOwnSettings(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	newOwnedItem(h, l)
	hook := testkit.Must(h.Services.Webhooks.CreateEndpoint(t.Context(), h.Actor,
		lost.EndpointPatch{URL: lost.Set(stafftest.NewWebhookReceiver(t, http.StatusOK).URL)}, lost.IdempotencyKey{}))
	sent := testkit.Must(h.Services.Webhooks.TestEndpoint(t.Context(), h.Actor, hook.ID, lost.TestEvent,
		lost.IdempotencyKey{}))
	key := testkit.Must(h.Services.Keys.Create(t.Context(), h.Actor, lost.KeyPatch{Name: lost.Set("Till")},
		lost.IdempotencyKey{}))
	message := testkit.Must(h.Services.Messages.List(t.Context(), h.Actor,
		lost.MessageFilter{PageCursor: lost.PageCursor{Limit: 1}})).Data[0]
	for _, role := range lost.Roles() {
		v := newVisitorWithRole(h, role)
		tabs := v.Get("/settings/messages").Body
		for path, right := range map[string]lost.Permission{
			"/settings/keys": lost.ManageIntegrations, "/settings/keys/new": lost.ManageIntegrations,
			"/settings/keys/" + key.ID: lost.ManageIntegrations,
			"/settings/webhooks":       lost.ManageIntegrations, "/settings/webhooks/new": lost.ManageIntegrations,
			"/settings/webhooks/" + hook.ID:             lost.ManageIntegrations,
			"/settings/webhooks/" + hook.ID + "/edit":   lost.ManageIntegrations,
			"/settings/webhooks/" + hook.ID + "/delete": lost.ManageIntegrations,
			"/settings/deliveries/" + sent.ID:           lost.ManageIntegrations,
			"/settings/events":                          lost.ManageIntegrations,
			"/settings/events/" + sent.EventID:          lost.ManageIntegrations,
			"/settings/messages":                        lost.ViewItems,
			"/settings/messages/" + message.ID:          lost.ViewItems,
			"/settings/audit":                           lost.ManageStaff, "/settings/audit/export": lost.ManageStaff,
			"/settings/retention": lost.ManageAccount,
			"/settings/account":   lost.ManageAccount,
		} {
			want := http.StatusForbidden
			if role.Has(right) {
				want = http.StatusOK
			}
			if a := v.Get(path); a.Code != want {
				t.Errorf("%s as %s: got status %d, want %d", path, role, a.Code, want)
			}
			if shown := strings.Contains(tabs, `href="`+path+`"`); shown && !role.Has(right) {
				t.Errorf("%s: the tabs of the role %s link to this page", path, role)
			}
		}
		for path, form := range map[string]url.Values{
			"/settings/keys/new": {"name": {"Mine"}}, "/settings/keys/" + key.ID + "/revoke": nil,
			"/settings/webhooks/new":                    {"url": {"https://mine.example"}},
			"/settings/webhooks/" + hook.ID + "/secret": nil, "/settings/webhooks/" + hook.ID + "/rotate": nil,
			"/settings/webhooks/" + hook.ID + "/switch": nil,
			"/settings/webhooks/" + hook.ID + "/test":   nil, "/settings/webhooks/" + hook.ID + "/replay": nil,
			"/settings/webhooks/" + hook.ID + "/edit":   nil,
			"/settings/webhooks/" + hook.ID + "/delete": nil, "/settings/deliveries/" + sent.ID + "/replay": nil,
			"/settings/events/" + sent.EventID + "/send": nil,
			"/settings/retention":                        {"days": {"30"}},
		} {
			if role.Has(lost.ManageIntegrations) {
				continue
			}
			if a := v.Post(path, form); a.Code != http.StatusForbidden {
				t.Errorf("form to %s as %s: got status %d, want 403", path, role, a.Code)
			}
		}
	}
}

// newVisitorWithRole creates a user with a role, who has the same password as the owner, and logs them in.
func newVisitorWithRole(h *testkit.Server, role lost.Role) *testkit.Visitor {
	h.T.Helper()
	u := h.Owner
	u.ID, u.Role, u.Email = lost.NewID(lost.UserID, h.Clock.Now()), role, "a-"+string(role)+"@homeward.example"
	testkit.Must(0, h.DB.Write(context.Background(), func(tx *store.Tx) error { return tx.InsertUser(u) }))
	v := h.NewVisitor()
	v.Post("/login", url.Values{"email": {u.Email}, "password": {testkit.Password}})
	return v
}

func TestADemoDoesNotAskForAMailServer(t *testing.T) {
	h := testkit.NewServer(t)
	form := url.Values{"email": {h.Owner.Email}, "password": {testkit.Password}}
	handler := testkit.Must(staff.New(staff.Options{
		Services: h.Services, Base: testkit.Base, Assets: testkit.Must(respond.NewAssets()), Now: h.Clock.Now,
		Demo: true,
	}))
	in := httptest.NewRecorder()
	handler.ServeHTTP(in,
		httptest.NewRequestWithContext(t.Context(), http.MethodPost, testkit.Base+"/login",
			strings.NewReader(form.Encode())))
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, testkit.Base+"/settings/messages", http.NoBody)
	for _, c := range in.Result().Cookies() {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	if body := w.Body.String(); !strings.Contains(body, "saved here") || strings.Contains(body, "HOMEWARD_SMTP") {
		t.Errorf("the page does not describe the demo: %s", body)
	}
}

func TestAGuestIsExportedAndErasedOnTheirRequest(t *testing.T) {
	h := testkit.NewServer(t)
	newOwnedItem(h, h.NewLocation("Hotel Adler"))
	v := h.LogIn()
	email := testkit.Must(h.Services.Messages.List(t.Context(), h.Actor,
		lost.MessageFilter{PageCursor: lost.PageCursor{Limit: 1}})).Data[0].To
	for _, typed := range []string{"", "nonsense", "anna@"} {
		if a := v.Post("/settings/persons/erase",
			url.Values{"person": {typed}, "sure": {"yes"}}); a.Code != http.StatusUnprocessableEntity {
			t.Errorf("%q: got status %d, want 422", typed, a.Code)
		}
	}
	if a := v.Post("/settings/persons/export", url.Values{"person": {email}}); a.Code != http.StatusOK ||
		!strings.Contains(a.Body, email) || !strings.HasPrefix(a.Header.Get("Content-Disposition"), "attachment") {
		t.Errorf("got status %d for the export: %s", a.Code, a.Body)
	}
	if a := v.Post("/settings/persons/erase", url.Values{"person": {email}}); a.Code != http.StatusOK ||
		!strings.Contains(a.Body, "cannot be undone") || !strings.Contains(a.Body, "1 item or request") {
		t.Errorf("got status %d, want a confirmation page: %s", a.Code, a.Body)
	}
	if a := v.Post("/settings/persons/erase",
		url.Values{"person": {email}, "sure": {"yes"}}); a.Code != http.StatusSeeOther {
		t.Errorf("got status %d for the erasure, want 303", a.Code)
	}
	if a := v.Get("/settings/persons"); !strings.Contains(a.Body, "ers_") || strings.Contains(a.Body, email) {
		t.Errorf("the page does not list the erasure, or shows the address: %s", a.Body)
	}
	if a := v.Get("/settings/audit/export?format=json&what=person-exported"); a.Code != http.StatusOK ||
		!strings.HasPrefix(a.Body, "[") || strings.Contains(a.Body, email) {
		t.Errorf("got status %d for the audit log as JSON: %s", a.Code, a.Body)
	}
}

func TestAKeyIsRenamedAndMadeForAWebsite(t *testing.T) {
	h := testkit.NewServer(t)
	v := h.LogIn()
	k := testkit.Must(h.Services.Keys.Create(t.Context(), h.Actor, lost.KeyPatch{Name: lost.Set("Till")},
		lost.IdempotencyKey{}))
	page := "/settings/keys/" + k.ID
	if a := v.Get(page); !stafftest.Shows(a, "Last used", "Never", page+"/rename") {
		t.Errorf("the page of a new key: %s", a.Body)
	}
	testkit.Must(h.Services.Keys.Authenticate(t.Context(), k.Secret))
	if a := v.Post(page+"/rename", url.Values{"name": {" "}}); a.Code != http.StatusUnprocessableEntity ||
		!stafftest.Shows(a, "This field is required") {
		t.Errorf("got status %d for an empty name, want 422", a.Code)
	}
	v.Post(page+"/rename", url.Values{"name": {"Lobby"}})
	if a := v.Get(page); !stafftest.Shows(a, "<h1>Lobby</h1>") ||
		stafftest.Shows(a, "<dt>Last used</dt><dd>Never</dd>") {
		t.Errorf("the page of a renamed and used key: %s", a.Body)
	}
	form := url.Values{
		"name": {"Website"}, "role": {"publishable"}, "reach": {"all"}, "expiresAt": {"never"},
		"origins": {"https://hotel.example\nhttps://zoo.example/map"},
	}
	if a := v.Post("/settings/keys/new", form); a.Code != http.StatusUnprocessableEntity ||
		!stafftest.Shows(a, "the address of a website without a path") {
		t.Errorf("got status %d for an invalid website, want 422: %s", a.Code, a.Body)
	}
	form.Set("origins", "https://hotel.example\nhttps://zoo.example")
	if a := v.Post("/settings/keys/new", form); a.Code != http.StatusOK ||
		!stafftest.Shows(a, "hwp_", "on your website") {
		t.Errorf("got status %d for a publishable key, want 200: %s", a.Code, a.Body)
	}
}
