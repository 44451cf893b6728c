// Package account is the part of the dashboard for the people of an account: profile, passwords, two-step login,
// passkeys and the team.
package account

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

// Routes lists every address of this area.
func Routes() []frame.Route {
	return []frame.Route{
		get("/settings/profile", "", (*call).profile),
		post("/settings/profile", "", (*call).rename),
		get("/settings/profile/email", "", (*call).askEmail),
		post("/settings/profile/email", "", (*call).changeEmail),
		get("/settings/profile/password", "", (*call).askPassword),
		post("/settings/profile/password", "", (*call).changePassword),
		post("/settings/profile/sessions/{session}/end", "", (*call).endSession),
		post("/settings/profile/sessions/end", "", (*call).endOtherSessions),
		post("/settings/profile/two-step", "", (*call).beginTOTP),
		get("/settings/profile/two-step", "", (*call).askTOTP),
		post("/settings/profile/two-step/confirm", "", (*call).confirmTOTP),
		get("/settings/profile/two-step/off", "", (*call).askDisableTOTP),
		post("/settings/profile/two-step/off", "", (*call).disableTOTP),
		get("/settings/profile/two-step/recovery", "", (*call).askRecovery),
		post("/settings/profile/two-step/recovery", "", (*call).renewRecovery),
		get("/settings/team", lost.ManageStaff, (*call).team),
		get("/settings/team/invite", lost.ManageStaff, (*call).askInvite),
		post("/settings/team/invite", lost.ManageStaff, (*call).invite),
		post("/settings/team/invitations/{invitation}/send", lost.ManageStaff, (*call).resendInvitation),
		post("/settings/team/invitations/{invitation}/revoke", lost.ManageStaff, (*call).revokeInvitation),
		get("/settings/team/members/{user}", lost.ManageStaff, (*call).member),
		post("/settings/team/members/{user}", lost.ManageStaff, (*call).changeMember),
		post("/settings/team/members/{user}/disable", lost.ManageStaff, (*call).disableMember),
		post("/settings/team/members/{user}/enable", lost.ManageStaff, (*call).enableMember),
		post("/settings/team/members/{user}/end-sessions", lost.ManageStaff, (*call).endMemberSessions),
		post("/settings/team/members/{user}/drop-two-step", lost.ManageStaff, (*call).resetMemberTOTP),
		post("/settings/team/members/{user}/remove-passkeys", lost.ManageStaff, (*call).removeMemberPasskeys),
		get("/settings/profile/passkeys/new", "", (*call).askPasskey),
		post("/settings/profile/passkeys/new", "", (*call).beginPasskey),
		post("/settings/profile/passkeys", "", (*call).addPasskey),
		post("/settings/profile/passkeys/options", "", (*call).confirmOptions),
		get("/settings/profile/passkeys/{passkey}/remove", "", (*call).askRemovePasskey),
		post("/settings/profile/passkeys/{passkey}/remove", "", (*call).removePasskey),
		post("/settings/profile/passkeys/{passkey}/remove/passkey", "", (*call).removeByPasskey),
		get("/settings/profile/unlink", "", (*call).askUnlink),
		post("/settings/profile/unlink", "", (*call).unlink),
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }

func get(path string, right lost.Permission, serve func(*call) error) frame.Route {
	return frame.Get(path, right, handler(serve))
}

func post(path string, right lost.Permission, serve func(*call) error) frame.Route {
	return frame.Post(path, right, handler(serve))
}

// handler adapts a method of call to the frame.
func handler(serve func(*call) error) func(*frame.Call) error {
	return func(c *frame.Call) error { return serve(&call{c}) }
}
