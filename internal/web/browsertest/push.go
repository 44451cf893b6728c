package browsertest

import (
	"context"
	"strings"

	permissions "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/serviceworker"
	"github.com/chromedp/chromedp"
)

// ReplacePushService lets the site show notifications, and replaces the push service of the browser, which tests cannot
// reach: a subscription is the given JSON object.
func (v *Visitor) ReplacePushService(origin, subscription string) {
	v.t.Helper()
	call(v, permissions.SetPermission, permissions.SetPermissionParams{
		Permission: &permissions.PermissionDescriptor{Name: "notifications"},
		Setting:    permissions.PermissionSettingGranted,
		Origin:     origin, BrowserContextID: chromedp.FromContext(v.ctx).BrowserContextID,
	})
	call(v, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: `PushManager.prototype.subscribe = async options => ` +
			`({toJSON: () => ({key: options.applicationServerKey, ...` + subscription + `})})`,
	})
}

// DeliverPush passes a push message to the service worker of a site, as the browser's push service does.
func (v *Visitor) DeliverPush(origin, message string) {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.ctx, patience)
	defer cancel()
	events := cdp.Events(ctx, chromedp.FromContext(v.ctx).Target, serviceworker.WorkerRegistrationUpdated)
	call(v, serviceworker.Enable, cdp.Empty{})
	for e, err := range events {
		v.must(err)
		for _, r := range e.Registrations {
			if strings.HasPrefix(r.ScopeURL, origin) && !r.IsDeleted {
				call(v, serviceworker.DeliverPushMessage, serviceworker.DeliverPushMessageParams{
					Origin: origin, RegistrationID: r.RegistrationID, Data: message,
				})
				return
			}
		}
	}
	v.t.Fatalf("%s: no service worker of %s is registered", v.options, origin)
}
