package browsertest

import (
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/webauthn"
)

// AddAuthenticator adds a virtual passkey authenticator to the visitor's tab and returns two functions. The
// authenticator confirms requests only while touching runs; until then, requests wait. The page suggests passkeys
// automatically only while offering runs. Otherwise the authenticator could confirm a suggestion before the page's
// button is pressed.
func (v *Visitor) AddAuthenticator() (touching, offering func(do func())) {
	v.t.Helper()
	call(v, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: `PublicKeyCredential.isConditionalMediationAvailable = ` +
			`async () => sessionStorage.getItem("offers") === "yes"`,
	})
	call(v, webauthn.Enable, webauthn.EnableParams{})
	device := call(v, webauthn.AddVirtualAuthenticator,
		webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
			Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
			HasResidentKey: true, HasUserVerification: true, IsUserVerified: true,
		}}).AuthenticatorID
	touch := func(on bool) {
		call(v, webauthn.SetAutomaticPresenceSimulation,
			webauthn.SetAutomaticPresenceSimulationParams{AuthenticatorID: device, Enabled: on})
	}
	touch(false)
	touching = func(do func()) {
		touch(true)
		defer touch(false)
		do()
	}
	offering = func(do func()) {
		v.Run(`sessionStorage.setItem("offers", "yes")`, nil)
		touching(do)
		v.Run(`sessionStorage.removeItem("offers")`, nil)
	}
	return touching, offering
}
