// Package settings is the part of the dashboard for an account: its name, API keys, webhooks with their events and
// deliveries, the list of messages, the audit log, retention, and the export and erasure of a person. Profiles and
// the team are in package users.
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

// Routes returns the routes of this area.
func Routes() []frame.Route {
	return []frame.Route{
		frame.Get("/settings", "", (*call).settingsHome),
		frame.Get("/settings/account", lost.ManageAccount, (*call).showAccount),
		frame.Post("/settings/account", lost.ManageAccount, (*call).renameAccount),
		frame.Post("/settings/account/privacy", lost.ManageAccount, (*call).setPrivacyNotice),
		frame.Get("/settings/keys", lost.ManageIntegrations, (*keyCall).listKeys),
		frame.Get("/settings/keys/new", lost.ManageIntegrations, (*keyCall).askKey),
		frame.Post("/settings/keys/new", lost.ManageIntegrations, (*keyCall).makeKey),
		frame.Get("/settings/keys/{key}", lost.ManageIntegrations, (*keyCall).showKey),
		frame.Post("/settings/keys/{key}/rename", lost.ManageIntegrations, (*keyCall).renameKey),
		frame.Post("/settings/keys/{key}/revoke", lost.ManageIntegrations, (*keyCall).revokeKey),
		frame.Get("/settings/webhooks", lost.ManageIntegrations, (*webhookCall).listWebhooks),
		frame.Get("/settings/webhooks/new", lost.ManageIntegrations, (*webhookCall).askWebhook),
		frame.Post("/settings/webhooks/new", lost.ManageIntegrations, (*webhookCall).registerWebhook),
		frame.Get("/settings/webhooks/{webhook}", lost.ManageIntegrations, (*webhookCall).showWebhook),
		frame.Get("/settings/webhooks/{webhook}/edit", lost.ManageIntegrations, (*webhookCall).editWebhook),
		frame.Post("/settings/webhooks/{webhook}/edit", lost.ManageIntegrations, (*webhookCall).changeWebhook),
		frame.Post("/settings/webhooks/{webhook}/switch", lost.ManageIntegrations, (*webhookCall).switchWebhook),
		frame.Post("/settings/webhooks/{webhook}/secret", lost.ManageIntegrations, (*webhookCall).revealSecret),
		frame.Post("/settings/webhooks/{webhook}/rotate", lost.ManageIntegrations, (*webhookCall).rotateSecret),
		frame.Post("/settings/webhooks/{webhook}/test", lost.ManageIntegrations, (*webhookCall).testWebhook),
		frame.Post("/settings/webhooks/{webhook}/replay", lost.ManageIntegrations, (*webhookCall).replayWebhook),
		frame.Get("/settings/webhooks/{webhook}/delete", lost.ManageIntegrations, (*webhookCall).askDeleteWebhook),
		frame.Post("/settings/webhooks/{webhook}/delete", lost.ManageIntegrations, (*webhookCall).deleteWebhook),
		frame.Get("/settings/deliveries/{delivery}", lost.ManageIntegrations, (*call).showDelivery),
		frame.Post("/settings/deliveries/{delivery}/replay", lost.ManageIntegrations, (*call).replayDelivery),
		frame.Get("/settings/events", lost.ManageIntegrations, (*call).listEvents),
		frame.Get("/settings/events/{event}", lost.ManageIntegrations, (*call).showEvent),
		frame.Post("/settings/events/{event}/send", lost.ManageIntegrations, (*call).sendEvent),
		frame.Get("/settings/messages", lost.ViewItems, (*call).listMessages),
		frame.Get("/settings/messages/{message}", lost.ViewItems, (*call).showMessage),
		frame.Get("/settings/templates", lost.ManageAccount, showTemplates),
		frame.Post("/settings/templates", lost.ManageAccount, saveTemplate),
		frame.Get("/settings/audit", lost.ManageStaff, (*call).showAudit),
		frame.Get("/settings/audit/export", lost.ManageStaff, (*call).exportAudit),
		frame.Get("/settings/categories", lost.ManageLocations, (*call).showCategories),
		frame.Post("/settings/categories", lost.ManageLocations, (*call).startCategories),
		frame.Post("/settings/categories/undo", lost.ManageLocations, (*call).undoCategories),
		frame.Get("/settings/retention", lost.ManageAccount, (*call).showRetention),
		frame.Post("/settings/retention", lost.ManageAccount, (*call).setRetention),
		frame.Get("/settings/persons", lost.ManageStaff, (*call).showPersons),
		frame.Post("/settings/persons/export", lost.ManageStaff, (*call).exportPerson),
		frame.Post("/settings/persons/erase", lost.ManageStaff, (*call).erasePerson),
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }

// keyCall is one request to a page about API keys.
type keyCall struct{ *frame.Call }

// webhookCall is one request to a page about webhooks.
type webhookCall struct{ *frame.Call }
