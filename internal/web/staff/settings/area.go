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
		get("/settings/account", lost.Govern, (*call).showAccount),
		post("/settings/account", lost.Govern, (*call).renameAccount),
		get("/settings/keys", lost.Integrate, (*call).listKeys),
		get("/settings/keys/new", lost.Integrate, (*call).askKey),
		post("/settings/keys/new", lost.Integrate, (*call).makeKey),
		get("/settings/keys/{key}", lost.Integrate, (*call).showKey),
		post("/settings/keys/{key}/revoke", lost.Integrate, (*call).revokeKey),
		get("/settings/webhooks", lost.Integrate, (*call).listWebhooks),
		get("/settings/webhooks/new", lost.Integrate, (*call).askWebhook),
		post("/settings/webhooks/new", lost.Integrate, (*call).registerWebhook),
		get("/settings/webhooks/{webhook}", lost.Integrate, (*call).showWebhook),
		get("/settings/webhooks/{webhook}/edit", lost.Integrate, (*call).editWebhook),
		post("/settings/webhooks/{webhook}/edit", lost.Integrate, (*call).changeWebhook),
		post("/settings/webhooks/{webhook}/switch", lost.Integrate, (*call).switchWebhook),
		post("/settings/webhooks/{webhook}/secret", lost.Integrate, (*call).revealSecret),
		post("/settings/webhooks/{webhook}/rotate", lost.Integrate, (*call).rotateSecret),
		post("/settings/webhooks/{webhook}/test", lost.Integrate, (*call).testWebhook),
		post("/settings/webhooks/{webhook}/replay", lost.Integrate, (*call).replayWebhook),
		get("/settings/webhooks/{webhook}/delete", lost.Integrate, (*call).askDeleteWebhook),
		post("/settings/webhooks/{webhook}/delete", lost.Integrate, (*call).deleteWebhook),
		get("/settings/deliveries/{delivery}", lost.Integrate, (*call).showDelivery),
		post("/settings/deliveries/{delivery}/replay", lost.Integrate, (*call).replayDelivery),
		get("/settings/events", lost.Integrate, (*call).listEvents),
		get("/settings/events/{event}", lost.Integrate, (*call).showEvent),
		post("/settings/events/{event}/send", lost.Integrate, (*call).sendEvent),
		get("/settings/messages", lost.Look, (*call).listMessages),
		get("/settings/messages/{message}", lost.Look, (*call).showMessage),
		get("/settings/audit", lost.Staff, (*call).showAudit),
		get("/settings/audit/export", lost.Staff, (*call).exportAudit),
		get("/settings/retention", lost.Govern, (*call).showRetention),
		post("/settings/retention", lost.Govern, (*call).setRetention),
		get("/settings/persons", lost.Staff, (*call).showPersons),
		post("/settings/persons/export", lost.Staff, (*call).exportPerson),
		post("/settings/persons/erase", lost.Staff, (*call).erasePerson),
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }

func get(path string, right lost.Right, serve func(*call) error) frame.Route {
	return frame.Get(path, right, handler(serve))
}

func post(path string, right lost.Right, serve func(*call) error) frame.Route {
	return frame.Post(path, right, handler(serve))
}

// handler adapts a method of call to the frame.
func handler(serve func(*call) error) func(*frame.Call) error {
	return func(c *frame.Call) error { return serve(&call{c}) }
}
