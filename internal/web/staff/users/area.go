// Package users is the part of the dashboard about users: their profile, password, two-step login and passkeys, and
// the team.
package users

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

// Routes returns the routes of this area.
func Routes() []frame.Route {
	return []frame.Route{
		frame.Get("/settings/profile", "", (*call).profile),
		frame.Post("/settings/profile", "", (*call).changeProfile),
		frame.Get("/settings/profile/email", "", (*call).askEmail),
		frame.Post("/settings/profile/email", "", (*call).changeEmail),
		frame.Get("/settings/profile/password", "", (*call).askPassword),
		frame.Post("/settings/profile/password", "", (*call).changePassword),
		frame.Post("/settings/profile/sessions/{session}/end", "", (*call).endSession),
		frame.Post("/settings/profile/sessions/end", "", (*call).endOtherSessions),
		frame.Post("/settings/profile/two-step", "", (*call).beginTOTP),
		frame.Get("/settings/profile/two-step", "", (*call).askTOTP),
		frame.Post("/settings/profile/two-step/confirm", "", (*call).confirmTOTP),
		frame.Get("/settings/profile/two-step/off", "", (*call).askDisableTOTP),
		frame.Post("/settings/profile/two-step/off", "", (*call).disableTOTP),
		frame.Get("/settings/profile/two-step/recovery", "", (*call).askRecovery),
		frame.Post("/settings/profile/two-step/recovery", "", (*call).renewRecovery),
		frame.Get("/settings/team", lost.ManageStaff, (*call).team),
		frame.Get("/settings/team/invite", lost.ManageStaff, (*call).askInvite),
		frame.Post("/settings/team/invite", lost.ManageStaff, (*call).invite),
		frame.Post("/settings/team/invitations/{invitation}/send", lost.ManageStaff, (*call).resendInvitation),
		frame.Post("/settings/team/invitations/{invitation}/revoke", lost.ManageStaff, (*call).revokeInvitation),
		frame.Get("/settings/team/members/{user}", lost.ManageStaff, (*call).member),
		frame.Post("/settings/team/members/{user}", lost.ManageStaff, (*call).changeMember),
		frame.Post("/settings/team/members/{user}/disable", lost.ManageStaff, (*call).disableMember),
		frame.Post("/settings/team/members/{user}/enable", lost.ManageStaff, (*call).enableMember),
		frame.Post("/settings/team/members/{user}/end-sessions", lost.ManageStaff, (*call).endMemberSessions),
		frame.Post("/settings/team/members/{user}/drop-two-step", lost.ManageStaff, (*call).resetMemberTOTP),
		frame.Post("/settings/team/members/{user}/remove-passkeys", lost.ManageStaff, (*call).removeMemberPasskeys),
		frame.Get("/settings/profile/passkeys/new", "", (*call).askPasskey),
		frame.Post("/settings/profile/passkeys/new", "", (*call).beginPasskey),
		frame.Post("/settings/profile/passkeys", "", (*call).addPasskey),
		frame.Post("/settings/profile/passkeys/options", "", (*call).confirmOptions),
		frame.Get("/settings/profile/passkeys/{passkey}/remove", "", (*call).askRemovePasskey),
		frame.Post("/settings/profile/passkeys/{passkey}/remove", "", (*call).removePasskey),
		frame.Post("/settings/profile/passkeys/{passkey}/remove/passkey", "", (*call).removeByPasskey),
		frame.Get("/settings/profile/link", "", (*call).link),
		frame.Get("/settings/profile/unlink", "", (*call).askUnlink),
		frame.Post("/settings/profile/unlink", "", (*call).unlink),
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }
