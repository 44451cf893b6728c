package app_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"homeward/internal/web/browsertest"
)

// A new operator takes the first steps on a phone, starting with an empty folder: from the printed password to a
// guest's choice and its webhook delivery.
func TestFirstStepsFromStartToWebhook(t *testing.T) {
	t.Parallel()
	cfg := newWebhookConfig(t, "")
	cfg.AdminEmail, cfg.AdminPassword, cfg.APIKey = "", "", ""
	n := &newcomer{
		service: startService(t, cfg), t: t, hooks: newReceiver(t),
		v: browsertest.New(t, browsertest.Options{Phone: true}),
	}
	n.logIn()
	n.addLocation()
	n.registerWebhook()
	n.recordFind()
	link := n.readMessage()
	n.choose(link)
	n.seeDelivery()
}

// newcomer is a new operator with a newly started service.
type newcomer struct {
	*service
	t     *testing.T
	hooks *receiver
	v     *browsertest.Visitor
	pages int
}

// checkPage checks the texts, the accessibility and the width of the page.
func (n *newcomer) checkPage(name string, texts ...string) {
	n.t.Helper()
	n.v.See(texts...)
	n.v.CheckAccessibility()
	n.v.CheckLayoutShift()
	var wide bool
	n.v.Run("document.documentElement.scrollWidth > document.documentElement.clientWidth", &wide)
	if wide {
		n.t.Errorf("%s is wider than the phone", name)
	}
	n.pages++
	n.v.Screenshot(string(rune('a'+n.pages-1)) + " " + name)
}

// logIn logs in with the saved password.
func (n *newcomer) logIn() {
	n.t.Helper()
	printed := regexp.MustCompile(`Log in as  (\S+)  password  (\S+)`).FindStringSubmatch(n.firstStart())
	if printed == nil {
		n.t.Fatalf("the first start does not save the login:\n%s", n.firstStart())
	}
	n.v.Visit(n.url + "/")
	n.checkPage("log in", "Log in")
	n.v.Fill("E-mail address", printed[1])
	n.v.Fill("Password", printed[2])
	n.v.Follow("Log in")
}

// addLocation creates a location, starting from the only link that an empty account shows.
func (n *newcomer) addLocation() {
	n.t.Helper()
	n.checkPage("start", "There is no location yet.")
	n.v.Follow("Add a location")
	n.checkPage("location", "Welcome. Add your first location")
	n.v.Fill("Name", "Hotel Adler")
	n.v.Choose("Country", "Germany")
	n.v.Fill("Time zone", timeZone)
	n.v.Fill("Days that items are kept", "90")
	n.v.Follow("Add location")
	n.checkPage("added", "Hotel Adler")
}

// registerWebhook registers a webhook for guests' choices.
func (n *newcomer) registerWebhook() {
	n.t.Helper()
	n.v.Visit(n.url + "/settings/webhooks")
	n.checkPage("webhooks", "No webhooks yet")
	n.v.Follow("New webhook")
	n.v.Fill("Address", n.hooks.url)
	n.v.Fill("Name", "Booking system")
	n.checkPage("webhook", "Check and register")
	n.v.Follow("Check and register")
	n.checkPage("registered", "The webhook was registered", "No deliveries yet")
	n.hooks.reset() // discard the verification request
}

// recordFind records an item with a photo and an owner.
func (n *newcomer) recordFind() {
	n.t.Helper()
	photo := filepath.Join(n.t.TempDir(), "umbrella.jpg")
	if err := os.WriteFile(photo, samplePhoto(), 0o600); err != nil {
		n.t.Fatal(err)
	}
	n.v.Follow("Record an item")
	n.v.Upload("Choose photos", photo)
	n.v.Fill("What is it?", "Black umbrella with a wooden handle")
	n.v.Fill("Where was it?", "Room 312")
	n.v.Click("Owner, if known")
	n.v.Fill("First name", "Anna")
	n.v.Fill("E-mail", "anna@example.com")
	n.checkPage("find", "Save and next")
	n.v.Follow("Save")
	n.checkPage("tag", "Write this on the tag", "Black umbrella")
	n.v.Follow("Open it")
	n.checkPage("item", "Owner not told", "Room 312", "anna@example.com")
}

// readMessage returns the link in the saved message. The message is not sent, because e-mail is not set up.
func (n *newcomer) readMessage() (link string) {
	n.t.Helper()
	item := n.v.Location()
	waitUntil(n.t, "the message is saved", func() bool {
		n.v.Visit(n.url + "/settings/messages")
		return regexp.MustCompile(`(?s)anna@example\.com.*Saved, not sent`).MatchString(n.v.Text())
	})
	n.checkPage("messages", "Item found", "E-mail is not set up")
	n.v.Follow("css:main table a")
	n.checkPage("message", "Hello Anna,")
	link = regexp.MustCompile(regexp.QuoteMeta(n.url) + `/g/\S+`).FindString(n.v.Text())
	if link == "" {
		n.t.Fatalf("no link in %s", n.v.Text())
	}
	n.v.Visit(item)
	return link
}

// choose opens the link as the guest, in another browser, and makes a choice.
func (n *newcomer) choose(link string) {
	n.t.Helper()
	desk := n.v
	n.v = browsertest.New(n.t, browsertest.Options{Phone: true})
	n.v.Visit(link)
	n.checkPage("guest", "Hotel Adler has found something of yours", "Black umbrella with a wooden handle")
	n.v.Follow("Pick it up")
	n.checkPage("guest chooses", "When will you pick it up?")
	n.v.Follow("Confirm pick-up")
	n.checkPage("guest has chosen", "You are picking it up")
	n.v = desk
}

// seeDelivery waits for the webhook and checks the delivery log.
func (n *newcomer) seeDelivery() {
	n.t.Helper()
	n.hooks.waitForRequests(n.t, 1)
	var event struct {
		EventType string
		Payload   struct{ Item struct{ ID, Status string } }
	}
	if err := json.Unmarshal(n.hooks.listAll()[0].body, &event); err != nil || event.EventType != "pickup" ||
		event.Payload.Item.Status != "PICKUP" {
		n.t.Errorf("the receiver got %+v, %v", event, err)
	}
	n.v.Reload()
	n.checkPage("item, chosen", "Owner collects")
	n.v.Visit(n.url + "/settings/webhooks")
	n.v.Follow("Booking system")
	waitUntil(n.t, "the delivery is in the log", func() bool {
		n.v.Reload()
		return regexp.MustCompile(`(?s)pickup.*Delivered`).MatchString(n.v.Text())
	})
	n.checkPage("webhook, delivered", "Last success")
	n.v.Follow("css:main table a")
	n.checkPage("delivery", "Delivery of “Owner collects”", "Delivered", "200")
	if n.v.Status() != http.StatusOK {
		n.t.Errorf("the delivery's page has status %d", n.v.Status())
	}
}
