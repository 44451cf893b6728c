package api

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"strings"

	"homeward/internal/desk"
	"homeward/internal/lost"
	v1 "homeward/internal/v1"
	"homeward/internal/web/respond"
)

// messageHandlers serves the operations on messages.
type messageHandlers struct{ handlers }

func (h messageHandlers) operations() []operation {
	const group, one, request = "Messages and tasks", "/v1/locations/{lid}/items/{id}",
		"/v1/locations/{lid}/requests/{id}"
	return []operation{
		{
			method: http.MethodGet, path: one + "/messages", handle: h.listMessages,
			id: "list-messages", group: group, summary: "List an item's messages",
			about: "Lists the messages to the owner or claimant, newest first, with the state of each. Keys that may " +
				"write also see the text, rendered with the current wording. It contains the guest's private link " +
				"while the link works. Anybody who has the link can choose on the guest's behalf.",
			query: cursorPaging(), status: http.StatusOK, response: v1.List[v1.Message]{},
		},
		{
			method: http.MethodPost, path: one + "/notify", handle: h.notifyOwner,
			id: "notify-owner", group: group, summary: "Notify the owner again",
			about: "Sends the owner or claimant another message with a working link; a revoked link is replaced by a " +
				"new one. Returns a conflict (409) if the item has no e-mail address or phone number, or already " +
				"has 100 messages.",
			status: http.StatusOK, response: v1.Message{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodPost, path: one + "/revoke-link", handle: h.revokeLink,
			id: "revoke-link", group: group, summary: "Revoke the owner's link",
			about: "The owner's private link to the item stops working immediately. The next message contains a new " +
				"one.",
			status: http.StatusOK, response: v1.Item{},
			refuses: []lost.Code{lost.Conflict},
		},
		h.listThread("item", one), h.writeThread("item", one),
		h.listThread("request", request), h.writeThread("request", request),
		{
			method: http.MethodGet, path: "/v1/locations/{lid}/tasks", handle: h.listTasks,
			id: "list-tasks", group: group, summary: "List a location's tasks",
			about: "Lists what the location's staff have to do, oldest first: requests and messages to answer, " +
				"missed pickups, items to ship, items stored for too long, owners who say that the item is not " +
				"theirs or who could not be reached, labels that the carrier rejected, parcels with problems, and " +
				"refunds to pay out. A task disappears when it is done.",
			query: paging(), status: http.StatusOK, response: v1.List[v1.Task]{},
		},
	}
}

func (h messageHandlers) notifyOwner(c *call) error {
	key, err := c.emptyBody()
	if err != nil {
		return err
	}
	m, err := h.services.Messages.Notify(c.r.Context(), c.actor, c.path("lid"), c.path("id"), key)
	return writeRecord(c, m, err, func(m lost.Message) v1.Message { return h.wire.Message(m, "", "") })
}

func (h messageHandlers) revokeLink(c *call) error {
	key, err := c.emptyBody()
	if err != nil {
		return err
	}
	i, err := h.services.Messages.RevokeLink(c.r.Context(), c.actor, c.path("lid"), c.path("id"), key)
	return writeRecord(c, i, err, h.wire.Item)
}

func (h messageHandlers) listMessages(c *call) error {
	page, err := c.page()
	if err != nil {
		return err
	}
	l, err := h.services.Messages.ListOfItem(c.r.Context(), c.actor, c.path("lid"), c.path("id"), page)
	return writeList(c, l, err, func(m desk.MessageWithText) v1.Message {
		return h.wire.Message(m.Message, m.Subject, m.Text)
	})
}

func (h messageHandlers) listTasks(c *call) error {
	page, err := c.page()
	if err != nil {
		return err
	}
	l, err := h.services.Reports.Tasks(c.r.Context(), c.actor, c.path("lid"), page)
	return writeList(c, l, err, h.wire.Task)
}

// listThread returns the operation that lists the conversation about an item or a request.
func (h messageHandlers) listThread(what, path string) operation {
	return operation{
		method: http.MethodGet, path: path + "/thread",
		handle: func(c *call) error { return h.readThread(c, what) },
		id:     "list-" + what + "-thread", group: "Messages and tasks",
		summary: "List the conversation about " + aOrAn(what),
		about: "Lists the messages that the desk and the guest wrote to each other about the " + what + ", newest " +
			"first. seenAt is when the other side first saw a message. Reading the list does not count as seeing it.",
		query: cursorPaging(), status: http.StatusOK, response: v1.List[v1.ThreadMessage]{},
	}
}

// writeThread returns the operation that writes to the guest of an item or a request.
func (h messageHandlers) writeThread(what, path string) operation {
	return operation{
		method: http.MethodPost, path: path + "/thread",
		handle: func(c *call) error { return h.addToThread(c, what) },
		id:     "write-" + what + "-thread", group: "Messages and tasks",
		summary: "Write to the guest of " + aOrAn(what),
		about: "Adds a message from the desk to the conversation and sends it to the guest by e-mail, or by SMS if " +
			"there is no e-mail address. The guest can answer on their page. Messages from the guest count as " +
			"answered. To attach up to 5 photos, send a form: first the part text, which can be omitted, then each " +
			"photo in a part image. Photos have the same limits as those of items, and their metadata is removed. " +
			"Returns a conflict (409) if there is no address to write to, or the conversation already has 300 " +
			"messages.",
		body: v1.ThreadMessage{}, upload: "image", status: http.StatusCreated, response: v1.ThreadMessage{},
		refuses: []lost.Code{lost.Conflict},
	}
}

func aOrAn(what string) string {
	if what == "item" {
		return "an item"
	}
	return "a " + what
}

func (h messageHandlers) readThread(c *call, what string) error {
	page, err := c.page()
	if err != nil {
		return err
	}
	if what == "request" {
		if _, err := h.services.Requests.Get(c.r.Context(), c.actor, c.path("lid"), c.path("id")); err != nil {
			return err
		}
	}
	l, err := h.services.Threads.List(c.r.Context(), c.actor, c.path("lid"), c.path("id"), page)
	return writeList(c, l, err, h.wire.ThreadMessage)
}

func (h messageHandlers) addToThread(c *call, what string) error {
	d, key, err := readDraft(c)
	if err != nil {
		return err
	}
	d.Via, d.ToClaimant = lost.ViaAPI, what == "request"
	m, err := h.services.Threads.Write(c.r.Context(), c.actor, c.path("lid"), c.path("id"), d, key)
	if err != nil {
		return err
	}
	return c.writeCreated(locationPath(m.LocationID)+"/"+what+"s/"+m.ItemID+"/thread", h.wire.ThreadMessage(m))
}

// readDraft reads a message as JSON, or from a form that may have photos.
func readDraft(c *call) (d desk.Draft, key lost.IdempotencyKey, err error) {
	if !strings.HasPrefix(c.r.Header.Get("Content-Type"), "multipart/") {
		d.ThreadPatch, key, err = read(c, v1.DecodeThreadMessage)
		return d, key, err
	}
	form, err := c.form("image")
	if err != nil {
		return d, key, err
	}
	f := &messageForm{form: form}
	first, err := f.next()
	if err != nil {
		return d, key, err
	}
	if f.text != "" {
		d.Text = lost.Set(f.text)
	}
	d.NextPhoto = func() (photo io.Reader, err error) {
		if photo, first = first, nil; photo != nil {
			return photo, nil
		}
		return f.next()
	}
	key, err = c.idempotencyKey([]byte(f.text))
	return d, key, err
}

// messageForm is a form with a message: the part text, followed by parts with photos.
type messageForm struct {
	form   *multipart.Reader
	text   string
	parts  int
	photos bool
}

// next returns the next photo, or nil after the last one. It reads the text on its way.
func (f *messageForm) next() (io.Reader, error) {
	const maxParts = lost.MaxThreadImages + 20
	for ; f.parts < maxParts; f.parts++ {
		part, err := f.form.NextPart()
		switch {
		case errors.Is(err, io.EOF):
			return nil, nil
		case err != nil:
			return nil, respond.UnreadableForm(err)
		case part.FormName() == "image":
			f.parts++
			f.photos = true
			return formFile{part}, nil
		case part.FormName() != "text":
			return nil, invalid(part.FormName(), "unknown-field", "is not a part of this form: send text, then image")
		case f.photos || f.text != "":
			return nil, invalid("text", "duplicate", "must be sent once, before the images")
		}
		const maxText = 64 << 10
		text, err := io.ReadAll(io.LimitReader(part, maxText))
		if err != nil {
			return nil, respond.UnreadableForm(err)
		}
		if len(text) == maxText {
			return nil, lost.E(lost.TooLarge, "The form part text is too large.")
		}
		f.text = string(text)
	}
	return nil, lost.E(lost.TooLarge, "The form has too many parts.")
}
