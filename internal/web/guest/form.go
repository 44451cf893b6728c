package guest

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"time"

	"homeward/internal/desk"
	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// input is one field of a form, as it is shown. Its name is the one that the rules know it by.
type input struct {
	Name, Label, Hint, Value, Error string
	Type                            string // of the input; "area" for several lines, "list" for one of Options
	Autocomplete, Keyboard          string
	Min, Max                        string
	Optional                        string // how that is said; empty for a field that must be filled in
	Narrow                          bool   // what goes in is short
	Either                          bool   // another field does as well
	Options                         []i18n.Country

	most int // characters
}

// Required tells whether it must be filled in.
func (i input) Required() bool { return i.Optional == "" && !i.Either }

// Described names what explains the field.
func (i input) Described() string {
	var by []string
	if i.Hint != "" {
		by = append(by, i.Name+"-hint")
	}
	if i.Error != "" {
		by = append(by, i.Name+"-error")
	}
	return strings.Join(by, " ")
}

// problem is one line of the summary above a form.
type problem struct{ Field, Text string }

// facts is what the words of a problem with a field may need.
type facts struct {
	location lost.Location
	item     lost.Item
	last     string // the last day of a pick-up
	country  string
	wait     int // minutes, for a client that has to; 0 where nobody knows how long
}

// judge puts what is wrong beside the fields that it is about, and gives the lines for the summary.
func judge(l *i18n.Language, inputs []*input, found lost.Problems, about facts) []problem {
	var summary []problem
	known := map[string]bool{}
	for _, i := range inputs { // in the order in which they are read
		known[i.Name] = true
		for _, p := range found {
			if p.Field == i.Name {
				i.Error = wrong(l, p, *i, about)
				summary = append(summary, problem{Field: i.Name, Text: l.Say("error.summary.line", "label", i.Label, "error", i.Error)})
			}
		}
	}
	for _, p := range found {
		if !known[p.Field] {
			summary = append(summary, problem{Text: wrong(l, p, input{}, about)})
		}
	}
	return summary
}

// plainWords are the words for what is wrong with a field, where they need nothing else.
var plainWords = map[string]string{
	"required":          "error.required",
	"control-character": "error.control-character",
	"invalid-email":     "error.invalid-email",
	"invalid-phone":     "error.invalid-phone",
	"invalid-country":   "error.invalid-country",
	"invalid-date":      "error.invalid-date",
	"invalid-time":      "error.invalid-time",
	"past":              "error.past",
	"future":            "error.future",
	"not-allowed":       "error.not-allowed",
	"too-large":         "error.photo.large",
	"not-an-image":      "error.photo.unsupported",
	"too-many-pixels":   "error.photo.pixels",
	"too-heavy":         "error.photo.heavy",
	"too-many":          "error.photo.many",
	"incomplete":        "error.photo.incomplete",
	"choose-again":      "error.photo.again",
	"send-again":        "error.again",
}

// wrong says what is wrong with a field and how to mend it.
func wrong(l *i18n.Language, p lost.FieldError, i input, about facts) string {
	switch p.Code {
	case "required":
		if p.Field == "owner.email" {
			return l.Say("error.required.contact")
		}
	case "past":
		if i.Type == "time" {
			return l.Say("error.past.time")
		}
	case "too-long":
		if i.most > 0 {
			return l.Say("error.too-long", "n", i.most)
		}
	case "after-store-until":
		return l.Say("error.after-store-until", "date", l.Date(about.item.StoreUntil()))
	case "too-far":
		return l.Say("error.too-far", "date", l.Date(about.last))
	case "outside-window":
		window := about.location.Pickup
		return l.Say("error.outside-window", "from", l.Time(cmp.Or(window.From, "00:00")), "to", l.Time(cmp.Or(window.To, "23:59")))
	case "wait":
		if about.wait == 0 { // the location has taken all that it takes in a day
			return l.Say("error.page.full.text", "location", about.location.Name)
		}
		return l.Say("error.page.wait.text", "n", about.wait)
	case "invalid-zip":
		return l.Say("error.invalid-zip", "example", lost.PostalExample(about.country))
	}
	if key := plainWords[p.Code]; key != "" {
		return l.Say(key)
	}
	return l.Say("error.other")
}

// upload is a form that may bring a photo. The photo comes last, and is read when it is wanted.
type upload struct {
	values url.Values
	photo  io.Reader // nil where none was chosen
}

const (
	photoField = "photo"
	maxParts   = 40
	// uploadTime is how long an upload may take from a slow phone.
	uploadTime = 5 * time.Minute
	// maxPatience is how much of an upload is read that is not wanted. A browser that is cut off shows no answer.
	maxPatience = 64 << 20
)

// upload reads the head of a form that may bring a photo.
func (c *call) upload() (*upload, error) {
	mediaType, _, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	c.r.Body = &limitedBody{io.LimitReader(c.r.Body, desk.MaxImage+4*respond.MaxForm), c.r.Body}
	form, err := c.r.MultipartReader()
	if err != nil || mediaType != "multipart/form-data" {
		return nil, respond.Unreadable(err)
	}
	rc := http.NewResponseController(c.w)
	deadline := time.Now().Add(uploadTime)
	if err := errors.Join(rc.SetReadDeadline(deadline), rc.SetWriteDeadline(deadline)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return nil, err
	}
	u := &upload{values: url.Values{}}
	return u, u.read(form)
}

// read reads parts until the photo, or the end.
func (u *upload) read(form *multipart.Reader) error {
	left := respond.MaxForm
	for range maxParts {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return respond.Unreadable(err)
		}
		if part.FormName() == photoField {
			return u.begin(part)
		}
		text, err := io.ReadAll(io.LimitReader(part, int64(left)+1))
		if err != nil {
			return respond.Unreadable(err)
		}
		if left -= len(text); left < 0 {
			return lost.E(lost.TooLarge, "The form is larger than 64 KiB, photos aside.")
		}
		u.values.Add(part.FormName(), string(text))
	}
	return respond.Unreadable(nil)
}

// begin looks whether there is a photo at all: a browser sends an empty one where none was chosen.
func (u *upload) begin(part *multipart.Part) error {
	photo := bufio.NewReader(part)
	_, err := photo.Peek(1)
	switch {
	case err == nil:
		u.photo = brokenOff{photo}
		return nil
	case errors.Is(err, io.EOF):
		return nil
	default:
		return respond.Unreadable(err)
	}
}

// brokenOff tells a form that breaks off from other trouble with a photo.
type brokenOff struct{ io.Reader }

func (b brokenOff) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = respond.Unreadable(err)
	}
	return n, err
}

// drain reads what is left of a form, so that the browser has sent all before it gets its answer.
func (c *call) drain() {
	if limited, is := c.r.Body.(*limitedBody); is {
		_, _ = io.CopyN(io.Discard, limited.whole, maxPatience)
	}
}

// limitedBody is as much of a form as is taken.
type limitedBody struct {
	io.Reader
	whole io.ReadCloser
}

func (b *limitedBody) Close() error { return b.whole.Close() }

// photoProblem turns an error about a photo into a problem of its field; false for errors about other things.
func photoProblem(err error) (lost.Problems, bool) {
	var p lost.Problems
	switch lost.CodeOf(err) {
	case lost.TooLarge:
		p.Add(photoField, "too-large", "is too large")
	case lost.Unsupported:
		p.Add(photoField, "not-an-image", "is no picture")
	case lost.Unreadable:
		p.Add(photoField, "incomplete", "did not arrive whole")
	case lost.Invalid:
		p = lost.ProblemsOf(err)
	case lost.TooMany:
		p.Add("", "wait", "must wait")
	default:
		return nil, false
	}
	return p, true
}
