// Package signin is the part of the dashboard for logging in and out, with a password, a passkey or an external login,
// and the links from e-mails.
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

// Routes lists every address of this area.
func Routes() []frame.Route {
	return []frame.Route{
		frame.Public(get("/login", (*call).askSignIn)),
		frame.Public(post("/login", (*call).signIn)),
		post("/logout", (*call).signOut),
		frame.Public(get("/login/code", (*call).askCode)),
		frame.Public(post("/login/code", (*call).takeCode)),
		frame.Public(get("/forgot", (*call).askForgot)),
		frame.Public(post("/forgot", (*call).forgot)),
		frame.Public(get("/reset/{token}", (*call).askReset)),
		frame.Public(post("/reset/{token}", (*call).reset)),
		frame.Public(get("/invitation/{token}", (*call).askJoin)),
		frame.Public(post("/invitation/{token}", (*call).join)),
		frame.Public(get("/confirm/{token}", (*call).askConfirm)),
		frame.Public(post("/confirm/{token}", (*call).confirm)),
		frame.Public(post("/login/passkey/options", (*call).passkeyOptions)),
		frame.Public(post("/login/passkey", (*call).loginWithPasskey)),
		frame.Public(post("/login/code/passkey/options", (*call).secondStepOptions)),
		frame.Public(post("/login/code/passkey", (*call).secondStepWithPasskey)),
		frame.Public(get("/login/with", (*call).startExternalLogin)),
		frame.Public(get("/login/back", (*call).finishExternalLogin)),
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }

func get(path string, serve func(*call) error) frame.Route {
	return frame.Get(path, "", handler(serve))
}

func post(path string, serve func(*call) error) frame.Route {
	return frame.Post(path, "", handler(serve))
}

// handler adapts a method of call to the frame.
func handler(serve func(*call) error) func(*frame.Call) error {
	return func(c *frame.Call) error { return serve(&call{c}) }
}
