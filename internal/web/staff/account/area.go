// Package account is the part of the dashboard for the people of an account: profile, passwords, two-step login, passkeys and the team.
package account

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
		{Method: http.MethodGet, Path: "/settings/profile", Handler: handle((*call).profile)},
		{Method: http.MethodPost, Path: "/settings/profile", Handler: handle((*call).rename)},
		{Method: http.MethodGet, Path: "/settings/profile/email", Handler: handle((*call).askEmail)},
		{Method: http.MethodPost, Path: "/settings/profile/email", Handler: handle((*call).changeEmail)},
		{Method: http.MethodGet, Path: "/settings/profile/password", Handler: handle((*call).askPassword)},
		{Method: http.MethodPost, Path: "/settings/profile/password", Handler: handle((*call).changePassword)},
		{Method: http.MethodPost, Path: "/settings/profile/sessions/{session}/end", Handler: handle((*call).endSession)},
		{Method: http.MethodPost, Path: "/settings/profile/sessions/end", Handler: handle((*call).endOtherSessions)},
		{Method: http.MethodPost, Path: "/settings/profile/two-step", Handler: handle((*call).beginTOTP)},
		{Method: http.MethodGet, Path: "/settings/profile/two-step", Handler: handle((*call).askTOTP)},
		{Method: http.MethodPost, Path: "/settings/profile/two-step/confirm", Handler: handle((*call).confirmTOTP)},
		{Method: http.MethodGet, Path: "/settings/profile/two-step/off", Handler: handle((*call).askDisableTOTP)},
		{Method: http.MethodPost, Path: "/settings/profile/two-step/off", Handler: handle((*call).disableTOTP)},
		{Method: http.MethodGet, Path: "/settings/profile/two-step/recovery", Handler: handle((*call).askRecovery)},
		{Method: http.MethodPost, Path: "/settings/profile/two-step/recovery", Handler: handle((*call).renewRecovery)},
		{Method: http.MethodGet, Path: "/settings/team", Right: lost.Staff, Handler: handle((*call).team)},
		{Method: http.MethodGet, Path: "/settings/team/invite", Right: lost.Staff, Handler: handle((*call).askInvite)},
		{Method: http.MethodPost, Path: "/settings/team/invite", Right: lost.Staff, Handler: handle((*call).invite)},
		{Method: http.MethodPost, Path: "/settings/team/invitations/{invitation}/send", Right: lost.Staff, Handler: handle((*call).resendInvitation)},
		{Method: http.MethodPost, Path: "/settings/team/invitations/{invitation}/revoke", Right: lost.Staff, Handler: handle((*call).revokeInvitation)},
		{Method: http.MethodGet, Path: "/settings/team/members/{user}", Right: lost.Staff, Handler: handle((*call).member)},
		{Method: http.MethodPost, Path: "/settings/team/members/{user}", Right: lost.Staff, Handler: handle((*call).changeMember)},
		{Method: http.MethodPost, Path: "/settings/team/members/{user}/disable", Right: lost.Staff, Handler: handle((*call).disableMember)},
		{Method: http.MethodPost, Path: "/settings/team/members/{user}/enable", Right: lost.Staff, Handler: handle((*call).enableMember)},
		{Method: http.MethodPost, Path: "/settings/team/members/{user}/end-sessions", Right: lost.Staff, Handler: handle((*call).endMemberSessions)},
		{Method: http.MethodPost, Path: "/settings/team/members/{user}/drop-two-step", Right: lost.Staff, Handler: handle((*call).resetMemberTOTP)},
		{Method: http.MethodPost, Path: "/settings/team/members/{user}/remove-passkeys", Right: lost.Staff, Handler: handle((*call).removeMemberPasskeys)},
		{Method: http.MethodGet, Path: "/settings/profile/passkeys/new", Handler: handle((*call).askPasskey)},
		{Method: http.MethodPost, Path: "/settings/profile/passkeys/new", Handler: handle((*call).beginPasskey)},
		{Method: http.MethodPost, Path: "/settings/profile/passkeys", Handler: handle((*call).addPasskey)},
		{Method: http.MethodPost, Path: "/settings/profile/passkeys/options", Handler: handle((*call).confirmOptions)},
		{Method: http.MethodGet, Path: "/settings/profile/passkeys/{passkey}/remove", Handler: handle((*call).askRemovePasskey)},
		{Method: http.MethodPost, Path: "/settings/profile/passkeys/{passkey}/remove", Handler: handle((*call).removePasskey)},
		{Method: http.MethodPost, Path: "/settings/profile/passkeys/{passkey}/remove/passkey", Handler: handle((*call).removeByPasskey)},
		{Method: http.MethodGet, Path: "/settings/profile/unlink", Handler: handle((*call).askUnlink)},
		{Method: http.MethodPost, Path: "/settings/profile/unlink", Handler: handle((*call).unlink)},
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }

// handle adapts a handler of this area to the frame.
func handle(serve func(*call) error) func(*frame.Call) error {
	return func(c *frame.Call) error { return serve(&call{c}) }
}
