package stafftest

import (
	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
)

// OpenAsOwner opens a page in a browser in which the account's owner is logged in. Tests of the login itself use
// LogIn.
func OpenAsOwner(v *browsertest.Visitor, h *testkit.Server, page string) {
	_, token := h.Session(h.Owner, lost.Client{})
	v.SetCookie(page, "session", token)
	v.Visit(page)
}

// LogIn fills in and submits the login form.
func LogIn(v *browsertest.Visitor, email, password string) {
	v.Fill("E-mail address", email)
	v.Fill("Password", password)
	v.Follow("Log in")
}
