// Package signin is the part of the dashboard for logging in and out. Users log in with a password, a passkey or an
// external login provider. It also handles the links in e-mails to users.
package signin

import (
	"embed"

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
		frame.Public(frame.Get("/login", "", (*call).askSignIn)),
		frame.Public(frame.Post("/login", "", (*call).signIn)),
		frame.Post("/logout", "", (*call).signOut),
		frame.Public(frame.Get("/login/code", "", (*call).askCode)),
		frame.Public(frame.Post("/login/code", "", (*call).verifyCode)),
		frame.Public(frame.Get("/forgot", "", (*call).askForgot)),
		frame.Public(frame.Post("/forgot", "", (*call).forgot)),
		frame.Public(frame.Get("/reset/{token}", "", (*call).askReset)),
		frame.Public(frame.Post("/reset/{token}", "", (*call).reset)),
		frame.Public(frame.Get("/invitation/{token}", "", (*call).askJoin)),
		frame.Public(frame.Post("/invitation/{token}", "", (*call).join)),
		frame.Public(frame.Get("/confirm/{token}", "", (*call).askConfirm)),
		frame.Public(frame.Post("/confirm/{token}", "", (*call).confirm)),
		frame.Public(frame.Post("/login/passkey/options", "", (*call).passkeyOptions)),
		frame.Public(frame.Post("/login/passkey", "", (*call).loginWithPasskey)),
		frame.Public(frame.Post("/login/code/passkey/options", "", (*call).secondStepOptions)),
		frame.Public(frame.Post("/login/code/passkey", "", (*call).secondStepWithPasskey)),
		frame.Public(frame.Get("/login/with", "", (*call).startExternalLogin)),
		frame.Public(frame.Get("/login/back", "", (*call).finishExternalLogin)),
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }
