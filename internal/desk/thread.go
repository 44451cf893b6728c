package desk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"strings"
	"time"

	"homeward/internal/access"
	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

// Threads implements the conversations between desks and guests.
type Threads struct {
	db       *store.DB
	wire     v1.Encoder
	reader   *access.Reader
	links    *change.GuestLinks
	pictures *pictures
	wake     func()
}

// ThreadsOptions are the dependencies of Threads.
type ThreadsOptions struct {
	DB      *store.DB
	Wire    v1.Encoder
	Reader  *access.Reader
	Links   *change.GuestLinks
	Uploads Uploads
	Wake    func()
}

// NewThreads creates Threads.
func NewThreads(o ThreadsOptions) *Threads {
	return &Threads{
		db: o.DB, wire: o.Wire, reader: o.Reader, links: o.Links,
		pictures: &pictures{db: o.DB, uploads: o.Uploads}, wake: o.Wake,
	}
}

// Draft is a message that somebody wants to add to a conversation.
type Draft struct {
	lost.ThreadPatch
	Via        lost.ThreadChannel
	ToClaimant bool // from the desk about a request; other items are then not found
	// Seen is the id of the newest message that the author has seen, or lost.NoThreadMessage. Later ones do not count
	// as answered. It is empty if it is not known.
	Seen string
	// NextPhoto returns the photos of the message one after the other, and nil after the last one. It is nil if there
	// are none.
	NextPhoto func() (io.Reader, error)
	// SkipBadPhotos adds the message without the photos that cannot be used, or are too many. Otherwise they are
	// errors. The message names them if they are of type NamedPhoto.
	SkipBadPhotos bool
	// FromForm says that the ExternalID is the key of a form. The form sent again with another text or other photos is
	// another message.
	FromForm bool
	Omitted  []string // the names of attachments that are no photos
}

// externalID returns what identifies a message with the given digests of its photos. For a draft from a form, it
// depends on the content.
func (d Draft) externalID(photos []string) string {
	if !d.FromForm || d.ExternalID == "" {
		return d.ExternalID
	}
	content := slices.Concat([]string{d.ExternalID, d.Text.Value}, photos)
	sum := sha256.Sum256([]byte(strings.Join(content, "\n")))
	return "form " + hex.EncodeToString(sum[:])
}

// NamedPhoto is a photo with the name of its file.
type NamedPhoto struct {
	io.Reader
	Name string
}

// List lists the messages of an item's conversation, newest first.
func (s *Threads) List(ctx context.Context, a lost.Actor, location, id string,
	page lost.Page) (list lost.List[lost.ThreadMessage], err error) {
	if _, err := s.reader.Item(ctx, a, location, id); err != nil {
		return list, err
	}
	return s.db.Thread(ctx, a.Account, id, page)
}

// Newest lists the newest messages of the conversation about an item that the actor has read.
func (s *Threads) Newest(ctx context.Context, a lost.Actor, i lost.Item) (list lost.List[lost.ThreadMessage],
	err error) {
	if err := access.MayView(a, i.LocationID, "item"); err != nil {
		return list, err
	}
	return s.db.Thread(ctx, a.Account, i.ID, lost.Page{Number: 1, Limit: lost.MaxThreadMessages})
}

// See is like Newest, and records that the desk has seen the messages.
func (s *Threads) See(ctx context.Context, a lost.Actor, i lost.Item) (list lost.List[lost.ThreadMessage], err error) {
	list, err = s.Newest(ctx, a, i)
	if err != nil {
		return list, err
	}
	return list, s.markSeen(ctx, i, lost.FromDesk, list.Data)
}

// markSeen records that one side saw the given messages, unless it has seen them all before.
func (s *Threads) markSeen(ctx context.Context, i lost.Item, by lost.ThreadSide, shown []lost.ThreadMessage) error {
	unseen, newest := false, ""
	for _, m := range shown {
		unseen = unseen || m.From != by && m.SeenAt.IsZero()
		newest = max(newest, m.ID)
	}
	if !unseen {
		return nil
	}
	return s.db.Write(ctx, func(tx *store.Tx) error { return tx.MarkThreadSeen(i, by, newest) })
}

// Write adds a message from the desk to the conversation about an item, and queues an e-mail or SMS to the guest.
func (s *Threads) Write(ctx context.Context, a lost.Actor, location, id string, d Draft,
	o lost.IdempotencyKey) (m lost.ThreadMessage, err error) {
	if err := access.May(a, lost.HandleItems, location, "item"); err != nil {
		return m, err
	}
	err = s.withPhotos(ctx, a, d, nil, func(p prepared) (added bool, err error) {
		err = s.db.Write(ctx, func(tx *store.Tx) error {
			added = false // may run twice
			m, err = access.CreateOnce(tx, a, o, func() (lost.ThreadMessage, error) {
				i, err := tx.LockItem(a.Account, location, id)
				if d.ToClaimant && (lost.CodeOf(err) == lost.NotFound || err == nil && i.Source != lost.Request) {
					err = lost.Missing("request")
				}
				if err != nil {
					return m, err
				}
				added = true
				return s.add(tx, a, i, d, p)
			})
			return err
		})
		return added, err
	})
	s.wake()
	return m, err
}

// Close records that neither the desk nor the guest needs to answer the last messages, so that they are no longer a
// task, and the guest is not reminded. Seen is the same as in a Draft.
func (s *Threads) Close(ctx context.Context, a lost.Actor, location, id, seen string) error {
	if err := access.May(a, lost.HandleItems, location, "item"); err != nil {
		return err
	}
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		i, err := tx.LockItem(a.Account, location, id)
		if err != nil {
			return err
		}
		return tx.EndThread(i, seen)
	})
	s.wake()
	return err
}

// ListAsGuest lists the messages of the conversation that a guest's link belongs to, oldest first. It shows no messages
// to or from a former owner of the item. The guest may not have seen them: mail servers open the links of e-mails.
func (s *Threads) ListAsGuest(ctx context.Context, v Visit) ([]lost.ThreadMessage, error) {
	return s.db.GuestThread(ctx, v.Item)
}

// SeeAsGuest records that the guest who has a link has seen the messages of the conversation, up to the one with an id,
// or all of them if the id is empty.
func (s *Threads) SeeAsGuest(ctx context.Context, token, upTo string) error {
	v, err := s.links.Visit(ctx, token)
	if err != nil {
		return err
	}
	shown, err := s.db.GuestThread(ctx, v.Item)
	if err != nil {
		return err
	}
	shown = slices.DeleteFunc(shown, func(m lost.ThreadMessage) bool { return upTo != "" && m.ID > upTo })
	return s.markSeen(ctx, v.Item, lost.FromGuest, shown)
}

// WriteAsGuest adds a message from the guest who has a link. A message whose ExternalID was received before is not
// added again, unless the draft is from a form and differs.
func (s *Threads) WriteAsGuest(ctx context.Context, token string, d Draft) error {
	v, err := s.links.Visit(ctx, token)
	if err != nil {
		return err
	}
	return s.receive(ctx, v.Link, d, func(l lost.Link, i lost.Item, now time.Time) error {
		return l.CheckAccess(i, now)
	})
}

// receive adds a message from a guest. The function mayWrite checks the guest's link once the item is locked.
func (s *Threads) receive(ctx context.Context, link lost.Link, d Draft,
	mayWrite func(lost.Link, lost.Item, time.Time) error) error {
	a := link.Guest()
	var digests []string                    // of the photos
	repeated := func(digest string) error { // before a photo is decoded
		digests = append(digests, digest)
		if d.FromForm { // it is not known yet whether there are more photos
			return nil
		}
		_, found, err := s.db.ReceivedThreadMessage(ctx, link.Account, link.ItemID, d.ExternalID)
		if err == nil && found {
			err = errRepeated
		}
		return err
	}
	err := s.withPhotos(ctx, a, d, repeated, func(p prepared) (added bool, err error) {
		err = s.db.Write(ctx, func(tx *store.Tx) error {
			added = false // may run twice
			i, err := tx.LockItem(link.Account, link.LocationID, link.ItemID)
			if err != nil {
				return err
			}
			current, err := tx.Link(ctx, link.Account, link.ID)
			if err != nil {
				return err
			}
			if err := mayWrite(current, i, tx.Now()); err != nil {
				return err
			}
			received := d
			received.ExternalID = d.externalID(digests)
			_, known, err := tx.ReceivedThreadMessage(ctx, i.Account, i.ID, received.ExternalID)
			if err != nil || known {
				return err
			}
			added = true
			_, err = s.add(tx, a, i, received, p)
			return err
		})
		return added, err
	})
	s.wake()
	return err
}

// add adds a message to the conversation about a locked item, with its history entry, its event, and the notification
// of the other side.
func (s *Threads) add(tx *store.Tx, a lost.Actor, i lost.Item, d Draft, p prepared) (m lost.ThreadMessage, err error) {
	states, err := tx.ThreadStates(tx.Context(), i.Account, []string{i.ID}, tx.Now())
	if err != nil {
		return m, err
	}
	if err := lost.CheckThread(i, a, states[i.ID]); err != nil {
		return m, err
	}
	if m, err = lost.NewThreadMessage(i, a, d.Via, d.ThreadPatch, len(p.images), tx.Now()); err != nil {
		return m, err
	}
	m.Images, m.Omitted = slices.Clone(p.images), omittedNames(d, p)
	for n := range m.Images {
		m.Images[n].At = tx.Now()
	}
	for _, keep := range p.keep {
		if err := keep(tx); err != nil {
			return m, err
		}
	}
	if err := tx.AddThreadMessage(m, d.Seen); err != nil {
		return m, err
	}
	if err := tx.AddHistory(i, lost.NewEntry(a, lost.Wrote, tx.Now())); err != nil {
		return m, err
	}
	if m.From == lost.FromDesk {
		return m, notifyGuest(tx, i, m)
	}
	if err := s.announce(tx, i, m); err != nil {
		return m, err
	}
	if !states[i.ID].AwaitsDesk.IsZero() { // the desk was told before and has not answered yet
		return m, nil
	}
	return m, alertDesk(tx, i, m)
}

// notifyGuest queues the e-mail or SMS with a message from the desk. Replies to it can be received.
func notifyGuest(tx *store.Tx, i lost.Item, m lost.ThreadMessage) error {
	link, err := change.WorkingLink(tx, i)
	if err != nil {
		return err
	}
	if err := tx.AddReplyToken(link); err != nil {
		return err
	}
	notice := lost.NewThreadNotice(i, m, tx.Now())
	notice.LinkID = link.ID
	return tx.AddMessage(notice)
}

// alertDesk queues the e-mail that tells the desk that a guest wrote.
func alertDesk(tx *store.Tx, i lost.Item, m lost.ThreadMessage) error {
	l, err := tx.Location(tx.Context(), i.Account, i.LocationID)
	if err != nil {
		return err
	}
	alert, reachable := lost.NewThreadAlert(i, l, m, tx.Now())
	if !reachable {
		return nil
	}
	return tx.AddMessage(alert)
}

// announce saves the event about a message from a guest, and its deliveries to webhooks.
func (s *Threads) announce(tx *store.Tx, i lost.Item, m lost.ThreadMessage) (err error) {
	e := lost.NewEvent(lost.MessageReceivedEvent, i, tx.Now())
	if e.Body, err = s.wire.MessageEvent(e, i, m); err != nil {
		return err
	}
	return tx.AddEvent(e)
}

// prepared are the uploaded photos of a message. Each function in keep keeps one of them.
type prepared struct {
	images  []lost.Image
	keep    []func(*store.Tx) error
	omitted []string // the names of photos that cannot be used, or are too many
}

// withPhotos uploads the photos of a message one after the other and then calls add, which reports whether it added the
// message. Otherwise the photos are deleted again. The function check is called before a photo is decoded; it may be
// nil.
func (s *Threads) withPhotos(ctx context.Context, a lost.Actor, d Draft, check func(digest string) error,
	add func(prepared) (added bool, err error)) error {
	added := false
	var next func(p prepared) error
	next = func(p prepared) error {
		photo, err := nextPhoto(d, &p)
		if err != nil {
			return err
		}
		if photo == nil {
			added, err = add(p)
			return err
		}
		used := false
		in := IncomingPicture{Field: "photo", Content: photo, Limit: MaxImage}
		err = s.pictures.upload(ctx, a, in, check, func(image lost.Image, keep func(*store.Tx) error) (bool, error) {
			used = true
			err := next(prepared{append(p.images, image), append(p.keep, keep), p.omitted})
			return added, err
		})
		if !used && d.SkipBadPhotos && isBadPhoto(err) {
			p.omit(photo)
			return next(p)
		}
		return err
	}
	return next(prepared{})
}

// omit records that a photo is not in the message, if its name is known.
func (p *prepared) omit(photo io.Reader) {
	if named, ok := photo.(NamedPhoto); ok {
		p.omitted = append(p.omitted, named.Name)
	}
}

// nextPhoto returns the next photo of a message, or nil if there are no more.
func nextPhoto(d Draft, p *prepared) (io.Reader, error) {
	if d.NextPhoto == nil {
		return nil, nil
	}
	photo, err := d.NextPhoto()
	for d.SkipBadPhotos && len(p.images) >= lost.MaxThreadImages && err == nil && photo != nil {
		p.omit(photo)
		photo, err = d.NextPhoto()
	}
	if err != nil || photo == nil {
		return nil, err
	}
	if len(p.images) >= lost.MaxThreadImages {
		var p lost.Problems
		p.Add("photo", "too-many", "must be at most %d photos in a message", lost.MaxThreadImages)
		return nil, p.Err()
	}
	return photo, nil
}

// isBadPhoto reports whether an error is about the content of a photo.
func isBadPhoto(err error) bool {
	switch lost.CodeOf(err) {
	case lost.Unsupported, lost.TooLarge, lost.Invalid:
		return true
	default:
		return false
	}
}
