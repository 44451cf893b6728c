package browsertest

import (
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/webauthn"
)

// HoldPasskeys gives the visitor's tab a device that makes passkeys and keeps them. What it is told to do, it does with the visitor's
// finger on it: what is asked of it at other times waits. The browser offers passkeys by itself only in what is done while offering: else
// the finger could meet such an offer before the page's own button is pressed.
func (v *Visitor) HoldPasskeys() (touching, offering func(do func())) {
	v.t.Helper()
	call(v, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: `PublicKeyCredential.isConditionalMediationAvailable = async () => sessionStorage.getItem("offers") === "yes"`,
	})
	call(v, webauthn.Enable, webauthn.EnableParams{})
	device := call(v, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
		HasResidentKey: true, HasUserVerification: true, IsUserVerified: true,
	}}).AuthenticatorID
	touch := func(on bool) {
		call(v, webauthn.SetAutomaticPresenceSimulation, webauthn.SetAutomaticPresenceSimulationParams{AuthenticatorID: device, Enabled: on})
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
