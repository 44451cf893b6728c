package items

import (
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// writeToGuest sends a message to the guest of the item or request in the URL, or closes the conversation without an
// answer.
func (c *call) writeToGuest() error {
	form, done, err := messageForm(c)
	if err != nil {
		return err
	}
	defer done()
	location, id := c.Request.PathValue("location"), c.Request.PathValue("id")
	values := url.Values(form.Value)
	if values.Get("close") != "" {
		if err := c.Services.Threads.Close(c.Context(), c.Actor(), location, id, values.Get("seen")); err != nil {
			return err
		}
		c.Flash(c.Say("frame.thread.closed"))
		return c.Redirect(frame.LocationPath(location, "/items/"+id) + "#thread")
	}
	if values.Get("insert") != "" {
		return insertTemplate(c, values, len(form.File["photo"]) > 0)
	}
	photos := &formPhotos{files: form.File["photo"]}
	defer photos.close()
	d := desk.Draft{
		Via: lost.ViaPage, ThreadPatch: lost.ThreadPatch{Text: respond.FormText(values, "text")},
		NextPhoto: photos.next, Seen: values.Get("seen"),
	}
	_, wrong := c.Services.Threads.Write(c.Context(), c.Actor(), location, id, d,
		frame.FormKey(values, "thread "+id))
	i, err := itemOrRequest(c)
	if err != nil {
		return err
	}
	if wrong != nil {
		return showThread(c, i, values, len(form.File["photo"]) > 0, wrong)
	}
	c.FlashMessageSent(i.Owner.Channel(), c.Say("frame.thread.sent"), c.Say("frame.thread.saved"))
	return c.Redirect(frame.ItemPath(i) + "#thread")
}

// messageForm reads the form of a message, which may have photos.
func messageForm(c *call) (form *multipart.Form, done func(), err error) {
	if strings.HasPrefix(c.Request.Header.Get("Content-Type"), "multipart/") {
		return c.MultipartForm(lost.MaxThreadImages * desk.MaxImage)
	}
	values, err := c.ReadForm()
	return &multipart.Form{Value: values}, func() {}, err
}

// formPhotos opens the photos of a form one after the other.
type formPhotos struct {
	files  []*multipart.FileHeader
	opened multipart.File
}

// next returns the next photo, or nil after the last one.
func (p *formPhotos) next() (io.Reader, error) {
	p.close()
	if len(p.files) == 0 {
		return nil, nil
	}
	file, err := p.files[0].Open()
	if err != nil {
		return nil, respond.UnreadableForm(err)
	}
	p.files, p.opened = p.files[1:], file
	return file, nil
}

func (p *formPhotos) close() {
	if p.opened != nil {
		_ = p.opened.Close() // it was only read
		p.opened = nil
	}
}

type threadPage struct {
	frame.Page
	Thread *frame.Thread
}

// newThreadPage prepares the page with the conversation alone. The conversation is nil if there is none.
func newThreadPage(c *call, i lost.Item) (p threadPage, l lost.Location, err error) {
	if l, err = c.Location(); err != nil {
		return p, l, err
	}
	p = threadPage{Page: c.NewPage(i.Reference + " " + lost.Shorten(i.Description, maxHeadline))}
	p.Thread, err = frame.LoadThread(c.Call, i, l)
	return p, l, err
}

// showThread shows the conversation with the message that could not be sent and the reasons.
func showThread(c *call, i lost.Item, values url.Values, photos bool, wrong error) error {
	p, _, err := newThreadPage(c, i)
	if err != nil {
		return err
	}
	if p.Thread == nil {
		return wrong
	}
	p.Thread.Text.Value = values.Get("text")
	if photos {
		p.Thread.AskPhotosAgain(c.Call)
	}
	if p.Problems, err = p.Thread.MarkErrors(c.Call, wrong); err != nil {
		return err
	}
	return c.Render(respond.RecordError(c.Writer, wrong), "thread", p)
}

// insertTemplate shows the conversation with the message that the user has begun, followed by a template.
func insertTemplate(c *call, values url.Values, photos bool) error {
	i, err := itemOrRequest(c)
	if err != nil {
		return err
	}
	p, l, err := newThreadPage(c, i)
	if err != nil {
		return err
	}
	if p.Thread == nil {
		return lost.Missing("conversation")
	}
	err = p.Thread.InsertTemplate(c.Call, i, l, values.Get("template"), values.Get("text"))
	if err != nil {
		return err
	}
	if photos {
		p.Thread.AskPhotosAgain(c.Call)
	}
	return c.Render(http.StatusOK, "thread", p)
}
