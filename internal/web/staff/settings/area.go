// Package settings is the part of the dashboard for the settings of an account: API keys, webhooks, messages, the audit
// log, retention and privacy requests.
package settings

import (
	"embed"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

//go:embed templates
var templates embed.FS

// Area returns the routes and templates of this part of the dashboard.
func Area() frame.Area {
	return frame.Area{Routes: Routes(), Templates: templates}
}

// Routes lists every address of this area.
func Routes() []frame.Route {
	return []frame.Route{
		get("/settings", "", (*call).settingsHome),
		get("/settings/account", lost.ManageAccount, (*call).showAccount),
		post("/settings/account", lost.ManageAccount, (*call).renameAccount),
		get("/settings/keys", lost.ManageIntegrations, (*call).listKeys),
		get("/settings/keys/new", lost.ManageIntegrations, (*call).askKey),
		post("/settings/keys/new", lost.ManageIntegrations, (*call).makeKey),
		get("/settings/keys/{key}", lost.ManageIntegrations, (*call).showKey),
		post("/settings/keys/{key}/revoke", lost.ManageIntegrations, (*call).revokeKey),
		get("/settings/webhooks", lost.ManageIntegrations, (*call).listWebhooks),
		get("/settings/webhooks/new", lost.ManageIntegrations, (*call).askWebhook),
		post("/settings/webhooks/new", lost.ManageIntegrations, (*call).registerWebhook),
		get("/settings/webhooks/{webhook}", lost.ManageIntegrations, (*call).showWebhook),
		get("/settings/webhooks/{webhook}/edit", lost.ManageIntegrations, (*call).editWebhook),
		post("/settings/webhooks/{webhook}/edit", lost.ManageIntegrations, (*call).changeWebhook),
		post("/settings/webhooks/{webhook}/switch", lost.ManageIntegrations, (*call).switchWebhook),
		post("/settings/webhooks/{webhook}/secret", lost.ManageIntegrations, (*call).revealSecret),
		post("/settings/webhooks/{webhook}/rotate", lost.ManageIntegrations, (*call).rotateSecret),
		post("/settings/webhooks/{webhook}/test", lost.ManageIntegrations, (*call).testWebhook),
		post("/settings/webhooks/{webhook}/replay", lost.ManageIntegrations, (*call).replayWebhook),
		get("/settings/webhooks/{webhook}/delete", lost.ManageIntegrations, (*call).askDeleteWebhook),
		post("/settings/webhooks/{webhook}/delete", lost.ManageIntegrations, (*call).deleteWebhook),
		get("/settings/deliveries/{delivery}", lost.ManageIntegrations, (*call).showDelivery),
		post("/settings/deliveries/{delivery}/replay", lost.ManageIntegrations, (*call).replayDelivery),
		get("/settings/events", lost.ManageIntegrations, (*call).listEvents),
		get("/settings/events/{event}", lost.ManageIntegrations, (*call).showEvent),
		post("/settings/events/{event}/send", lost.ManageIntegrations, (*call).sendEvent),
		get("/settings/messages", lost.ViewItems, (*call).listMessages),
		get("/settings/messages/{message}", lost.ViewItems, (*call).showMessage),
		get("/settings/audit", lost.ManageStaff, (*call).showAudit),
		get("/settings/audit/export", lost.ManageStaff, (*call).exportAudit),
		get("/settings/retention", lost.ManageAccount, (*call).showRetention),
		post("/settings/retention", lost.ManageAccount, (*call).setRetention),
		get("/settings/persons", lost.ManageStaff, (*call).showPersons),
		post("/settings/persons/export", lost.ManageStaff, (*call).exportPerson),
		post("/settings/persons/erase", lost.ManageStaff, (*call).erasePerson),
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }

func get(path string, right lost.Permission, serve func(*call) error) frame.Route {
	return frame.Get(path, right, handler(serve))
}

func post(path string, right lost.Permission, serve func(*call) error) frame.Route {
	return frame.Post(path, right, handler(serve))
}

// handler adapts a method of call to the frame.
func handler(serve func(*call) error) func(*frame.Call) error {
	return func(c *frame.Call) error { return serve(&call{c}) }
}
