// Package signin is the part of the dashboard for logging in and out, with a password, a passkey or an external login, and the links from e-mails.
package signin

import (
	"embed"
	"net/http"

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
		{Method: http.MethodGet, Path: "/login", Open: true, Handler: handle((*call).askSignIn)},
		{Method: http.MethodPost, Path: "/login", Open: true, Handler: handle((*call).signIn)},
		{Method: http.MethodPost, Path: "/logout", Handler: handle((*call).signOut)},
		{Method: http.MethodGet, Path: "/login/code", Open: true, Handler: handle((*call).askCode)},
		{Method: http.MethodPost, Path: "/login/code", Open: true, Handler: handle((*call).takeCode)},
		{Method: http.MethodGet, Path: "/forgot", Open: true, Handler: handle((*call).askForgot)},
		{Method: http.MethodPost, Path: "/forgot", Open: true, Handler: handle((*call).forgot)},
		{Method: http.MethodGet, Path: "/reset/{token}", Open: true, Handler: handle((*call).askReset)},
		{Method: http.MethodPost, Path: "/reset/{token}", Open: true, Handler: handle((*call).reset)},
		{Method: http.MethodGet, Path: "/invitation/{token}", Open: true, Handler: handle((*call).askJoin)},
		{Method: http.MethodPost, Path: "/invitation/{token}", Open: true, Handler: handle((*call).join)},
		{Method: http.MethodGet, Path: "/confirm/{token}", Open: true, Handler: handle((*call).askConfirm)},
		{Method: http.MethodPost, Path: "/confirm/{token}", Open: true, Handler: handle((*call).confirm)},
		{Method: http.MethodPost, Path: "/login/passkey/options", Open: true, Handler: handle((*call).passkeyOptions)},
		{Method: http.MethodPost, Path: "/login/passkey", Open: true, Handler: handle((*call).loginWithPasskey)},
		{Method: http.MethodPost, Path: "/login/code/passkey/options", Open: true, Handler: handle((*call).secondStepOptions)},
		{Method: http.MethodPost, Path: "/login/code/passkey", Open: true, Handler: handle((*call).secondStepWithPasskey)},
		{Method: http.MethodGet, Path: "/login/with", Open: true, Handler: handle((*call).startExternalLogin)},
		{Method: http.MethodGet, Path: "/login/back", Open: true, Handler: handle((*call).finishExternalLogin)},
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }

// handle adapts a handler of this area to the frame.
func handle(serve func(*call) error) func(*frame.Call) error {
	return func(c *frame.Call) error { return serve(&call{c}) }
}
