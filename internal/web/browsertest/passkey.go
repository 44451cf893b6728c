package browsertest

import (
	"github.com/chromedp/cdproto/webauthn"
)

// HoldPasskeys gives the visitor's tab a device that makes passkeys and keeps them. What it is told to do, it does with the visitor's
// finger on it: what is asked of it at other times waits.
func (v *Visitor) HoldPasskeys() (touching func(do func())) {
	v.t.Helper()
	call(v, webauthn.Enable, webauthn.EnableParams{})
	device := call(v, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
		HasResidentKey: true, HasUserVerification: true, IsUserVerified: true,
	}}).AuthenticatorID
	touch := func(on bool) {
		call(v, webauthn.SetAutomaticPresenceSimulation, webauthn.SetAutomaticPresenceSimulationParams{AuthenticatorID: device, Enabled: on})
	}
	touch(false)
	return func(do func()) {
		touch(true)
		defer touch(false)
		do()
	}
}
