// Package settings is the part of the dashboard for the settings of an account: API keys, webhooks, messages, the audit log, retention and privacy requests.
package settings

import (
	"embed"
	"net/http"

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
		{Method: http.MethodGet, Path: "/settings", Handler: handle((*call).settingsHome)},
		{Method: http.MethodGet, Path: "/settings/account", Right: lost.Govern, Handler: handle((*call).showAccount)},
		{Method: http.MethodPost, Path: "/settings/account", Right: lost.Govern, Handler: handle((*call).renameAccount)},
		{Method: http.MethodGet, Path: "/settings/keys", Right: lost.Integrate, Handler: handle((*call).listKeys)},
		{Method: http.MethodGet, Path: "/settings/keys/new", Right: lost.Integrate, Handler: handle((*call).askKey)},
		{Method: http.MethodPost, Path: "/settings/keys/new", Right: lost.Integrate, Handler: handle((*call).makeKey)},
		{Method: http.MethodGet, Path: "/settings/keys/{key}", Right: lost.Integrate, Handler: handle((*call).showKey)},
		{Method: http.MethodPost, Path: "/settings/keys/{key}/revoke", Right: lost.Integrate, Handler: handle((*call).revokeKey)},
		{Method: http.MethodGet, Path: "/settings/webhooks", Right: lost.Integrate, Handler: handle((*call).listWebhooks)},
		{Method: http.MethodGet, Path: "/settings/webhooks/new", Right: lost.Integrate, Handler: handle((*call).askWebhook)},
		{Method: http.MethodPost, Path: "/settings/webhooks/new", Right: lost.Integrate, Handler: handle((*call).registerWebhook)},
		{Method: http.MethodGet, Path: "/settings/webhooks/{webhook}", Right: lost.Integrate, Handler: handle((*call).showWebhook)},
		{Method: http.MethodGet, Path: "/settings/webhooks/{webhook}/edit", Right: lost.Integrate, Handler: handle((*call).editWebhook)},
		{Method: http.MethodPost, Path: "/settings/webhooks/{webhook}/edit", Right: lost.Integrate, Handler: handle((*call).changeWebhook)},
		{Method: http.MethodPost, Path: "/settings/webhooks/{webhook}/switch", Right: lost.Integrate, Handler: handle((*call).switchWebhook)},
		{Method: http.MethodPost, Path: "/settings/webhooks/{webhook}/secret", Right: lost.Integrate, Handler: handle((*call).revealSecret)},
		{Method: http.MethodPost, Path: "/settings/webhooks/{webhook}/rotate", Right: lost.Integrate, Handler: handle((*call).rotateSecret)},
		{Method: http.MethodPost, Path: "/settings/webhooks/{webhook}/test", Right: lost.Integrate, Handler: handle((*call).testWebhook)},
		{Method: http.MethodPost, Path: "/settings/webhooks/{webhook}/replay", Right: lost.Integrate, Handler: handle((*call).replayWebhook)},
		{Method: http.MethodGet, Path: "/settings/webhooks/{webhook}/delete", Right: lost.Integrate, Handler: handle((*call).askDeleteWebhook)},
		{Method: http.MethodPost, Path: "/settings/webhooks/{webhook}/delete", Right: lost.Integrate, Handler: handle((*call).deleteWebhook)},
		{Method: http.MethodGet, Path: "/settings/deliveries/{delivery}", Right: lost.Integrate, Handler: handle((*call).showDelivery)},
		{Method: http.MethodPost, Path: "/settings/deliveries/{delivery}/replay", Right: lost.Integrate, Handler: handle((*call).replayDelivery)},
		{Method: http.MethodGet, Path: "/settings/events", Right: lost.Integrate, Handler: handle((*call).listEvents)},
		{Method: http.MethodGet, Path: "/settings/events/{event}", Right: lost.Integrate, Handler: handle((*call).showEvent)},
		{Method: http.MethodPost, Path: "/settings/events/{event}/send", Right: lost.Integrate, Handler: handle((*call).sendEvent)},
		{Method: http.MethodGet, Path: "/settings/messages", Right: lost.Look, Handler: handle((*call).listMessages)},
		{Method: http.MethodGet, Path: "/settings/messages/{message}", Right: lost.Look, Handler: handle((*call).showMessage)},
		{Method: http.MethodGet, Path: "/settings/audit", Right: lost.Staff, Handler: handle((*call).showAudit)},
		{Method: http.MethodGet, Path: "/settings/audit/export", Right: lost.Staff, Handler: handle((*call).exportAudit)},
		{Method: http.MethodGet, Path: "/settings/retention", Right: lost.Govern, Handler: handle((*call).showRetention)},
		{Method: http.MethodPost, Path: "/settings/retention", Right: lost.Govern, Handler: handle((*call).setRetention)},
		{Method: http.MethodGet, Path: "/settings/persons", Right: lost.Staff, Handler: handle((*call).showPersons)},
		{Method: http.MethodPost, Path: "/settings/persons/export", Right: lost.Staff, Handler: handle((*call).exportPerson)},
		{Method: http.MethodPost, Path: "/settings/persons/erase", Right: lost.Staff, Handler: handle((*call).erasePerson)},
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }

// handle adapts a handler of this area to the frame.
func handle(serve func(*call) error) func(*frame.Call) error {
	return func(c *frame.Call) error { return serve(&call{c}) }
}
