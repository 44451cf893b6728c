package browsertest

import "github.com/chromedp/cdproto/page"

// ReplacePushService replaces the push service of the browser, which tests cannot reach: a subscription is the given
// object, in JavaScript.
func (v *Visitor) ReplacePushService(subscription string) {
	v.t.Helper()
	call(v, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: `PushManager.prototype.subscribe = async () => ({toJSON: () => (` + subscription + `)})`,
	})
}
