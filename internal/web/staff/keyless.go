package staff

import (
	"net/http"
	"slices"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// keylessRoutes are those of the ways in without a password.
func keylessRoutes() []Route { return slices.Concat(passkeyRoutes(), vouchRoutes()) }

// passkeyAsk is a form that a device with a passkey answers, by a script. Without the script it is not shown.
type passkeyAsk struct {
	Action  string
	From    string // where the script asks for what the device is to be asked
	Next    string
	Button  string
	Suggest bool // the browser offers passkeys where the e-mail address is typed, too
}

// notLogged says why nobody was let in, and leads back to where they can try again.
func (c *call) notLogged(err error) error {
	return c.note(respond.Failed(c.w, err), "You are not logged in", []link{{Href: "/login", Name: "Back to log in"}}, lost.Detail(err))
}

// forPeople tells whether an error has words for people, and is not about the service itself.
func forPeople(err error) bool { return lost.CodeOf(err) != lost.Internal }

// answerOf reads what a device has answered.
func (c *call) answerOf() (answer []byte, next string, stay bool, err error) {
	values, err := c.form()
	if err != nil {
		return nil, "", false, err
	}
	return []byte(values.Get("answer")), values.Get("next"), values.Get("stay") != "", nil
}

// writeOptions answers the script with what the device is to be asked.
func (c *call) writeOptions(options []byte, err error) error {
	if err != nil {
		return err
	}
	c.w.Header().Set("Content-Type", "application/json")
	c.w.WriteHeader(http.StatusOK)
	_, _ = c.w.Write(options) // a browser that left is no error of ours
	return nil
}
