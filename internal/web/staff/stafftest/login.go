package stafftest

import (
	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
)

// OpenAsOwner opens a page in a browser in which the owner is logged in. Those tests type the password that are about it, with enterAs.
func OpenAsOwner(v *browsertest.Visitor, h *testkit.Server, page string) {
	_, token := h.Session(h.Owner, lost.Client{})
	v.Keep(page, "session", token)
	v.Visit(page)
}

// LogIn logs somebody in, in a browser.
func LogIn(v *browsertest.Visitor, email, password string) {
	v.Fill("E-mail address", email)
	v.Fill("Password", password)
	v.Follow("Log in")
}
