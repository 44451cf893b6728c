package storage

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// The modes of the scan page.
const (
	scanOpen  = "open"
	scanMove  = "move"
	scanCount = "count"
	scanShip  = "ship"
)

type scanPage struct {
	frame.Page
	Scanner scanner
	At      string
	Mode    string
	Tabs    []frame.Link
	Place   string // the place to which items are moved
	Shelves []lost.StoragePlace
	Moved   *movedItem
	Shipped *frame.ItemSummary // the last item that was marked as shipped
	Open    []lost.StockTake   // counts that can be continued
	CanMove bool
}

// scanner is the input for a code. Its hidden values are sent along with the code.
type scanner struct {
	Action string // the path to which the code is sent
	Read   string // the path to which a script sends camera frames
	Label  string
	Hint   string
	Button string // what the button says; empty for "Look up"
	Error  string
	Hidden []frame.Option
	// Elsewhere leads to the scan page of the location to which the item with the last code belongs.
	Elsewhere *frame.Link
}

// movedItem is the last item that was moved, and its previous place.
type movedItem struct {
	Item   frame.ItemSummary
	Before string
}

// scanHere redirects to the scan page of the location where the user works.
func (c *call) scanHere() error {
	here, err := c.UsualLocation()
	if err != nil {
		return err
	}
	if here.ID == "" {
		return c.Redirect("/")
	}
	return c.Redirect(frame.LocationPath(here.ID, "/scan"))
}

func (c *call) askScan() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	return c.showScan(l, c.Request.URL.Query(), nil)
}

// showScan renders the scan page with the error of the last code. Even after an error the code field has the focus,
// because people with a scanner look at the page only when the scanner beeps.
func (c *call) showScan(l lost.Location, values url.Values, wrong error) (err error) {
	at := frame.LocationPath(l.ID, "")
	p := scanPage{
		Page: newStoragePage(c.Call, c.Say("storage.scan"), "scan.js"), At: at, Mode: values.Get("mode"),
		CanMove: c.May(lost.HandleItems),
	}
	if !slices.Contains([]string{scanMove, scanCount, scanShip}, p.Mode) || !p.CanMove {
		p.Mode = scanOpen
	}
	p.Scanner = scanner{
		Action: at + "/scan", Read: at + "/scan/read", Label: c.Say("storage.scan.code"),
		Hidden: []frame.Option{{Value: "mode", Name: p.Mode}},
	}
	p.Tabs = []frame.Link{{Href: at + "/scan", Name: c.Say("storage.scan.open"), Current: p.Mode == scanOpen}}
	if p.CanMove {
		p.Tabs = append(p.Tabs,
			frame.Link{Href: at + "/scan?mode=move", Name: c.Say("storage.scan.move"), Current: p.Mode == scanMove},
			frame.Link{Href: at + "/scan?mode=count", Name: c.Say("storage.scan.count"), Current: p.Mode == scanCount},
			frame.Link{Href: shipPath(l.ID), Name: c.Say("storage.scan.ship"), Current: p.Mode == scanShip})
	}
	switch p.Mode {
	case scanMove:
		err = c.fillMove(&p, l, values)
	case scanCount:
		err = c.fillCount(&p, l)
	case scanShip:
		err = c.fillShip(&p, l, values)
	default:
		p.Scanner.Hint = c.Say("storage.scan.code.hint")
	}
	if err != nil {
		return err
	}
	status, err := markScanError(c.Call, &p.Scanner, p.Mode, wrong)
	if err != nil {
		return err
	}
	return c.Render(status, "scan", p)
}

// markScanError puts an error about the code next to the field and returns the status of the response. It returns other
// errors.
func markScanError(c *frame.Call, s *scanner, mode string, wrong error) (int, error) {
	if wrong == nil {
		return http.StatusOK, nil
	}
	code := lost.CodeOf(wrong)
	if code == lost.Internal || code == lost.Forbidden {
		return 0, wrong
	}
	s.Error = c.ErrorText(wrong)
	if other, is := errors.AsType[elsewhereError](wrong); is {
		s.Elsewhere = &frame.Link{
			Href: frame.LocationPath(other.at.ID, "/scan?mode="+mode),
			Name: c.Say("storage.scan.there", "location", other.at.Name),
		}
	}
	switch fields := lost.ProblemsOf(wrong); {
	case code == lost.NotFound:
		s.Error = c.Say("storage.scan.not-found")
	case len(fields) > 0 && fields[0].Field == "photo":
		s.Error = c.Say("frame.labelled", "label", c.Say("storage.scanner.photo.label"), "text",
			c.FieldErrorText(fields[0]))
	case len(fields) > 0:
		s.Error = c.FieldErrorText(fields[0])
	}
	return respond.RecordError(c.Writer, wrong), nil
}

// fillMove prepares the page to move items.
func (c *call) fillMove(p *scanPage, l lost.Location, values url.Values) (err error) {
	if p.Place, err = lost.ParsePlace(values.Get("place")); err != nil {
		p.Place = ""
	}
	if p.Place == "" {
		p.Scanner.Label, p.Scanner.Hint = c.Say("storage.scan.place"), c.Say("storage.scan.place.move")
		p.Shelves, _, err = c.places(l, "")
		return err
	}
	p.Scanner.Label, p.Scanner.Hint = c.Say("storage.scan.item"), c.Say("storage.scan.item.move")
	p.Scanner.Hidden = append(p.Scanner.Hidden, frame.Option{Value: "place", Name: p.Place})
	if id := values.Get("moved"); id != "" {
		i, err := c.Services.Items.Get(c.Context(), c.Actor(), l.ID, id)
		if err != nil {
			return lost.IgnoreNotFound(err)
		}
		p.Moved = &movedItem{Item: c.SummarizeItem(i), Before: values.Get("before")}
	}
	return nil
}

// fillCount prepares the page to start or continue a count.
func (c *call) fillCount(p *scanPage, l lost.Location) (err error) {
	p.Scanner.Label, p.Scanner.Hint = c.Say("storage.scan.place"), c.Say("storage.scan.place.count")
	if p.Shelves, _, err = c.places(l, ""); err != nil {
		return err
	}
	p.Open, err = c.Services.Counts.ListOpen(c.Context(), c.Actor(), l.ID)
	return err
}

// scanned handles a code depending on the mode.
func (c *call) scanned() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	values, err := readScan(c.Call)
	if values == nil {
		return err
	}
	if err == nil {
		err = c.follow(l, values)
	}
	if err != nil {
		return c.showScan(l, values, err)
	}
	return nil
}

// follow opens the item or place that the code names, or moves the item, depending on the mode.
func (c *call) follow(l lost.Location, values url.Values) error {
	code := values.Get("code")
	if mode, place := values.Get("mode"), values.Get("place"); mode == scanMove && place != "" {
		if tag, is := lost.ReadTag(c.Base.String(), code); is && tag.Place != "" {
			return c.followTo(tag, scanMove)
		}
		if found, err := c.Services.Storage.Scan(c.Context(), c.Actor(), code); err == nil && found.Item.ID != "" &&
			found.Item.LocationID != l.ID {
			return c.newElsewhereError(found.Item)
		}
		s, err := c.Services.Storage.StoreAt(c.Context(), c.Actor(), l.ID, place, code)
		if err != nil {
			return err
		}
		return c.Redirect(movePath(l.ID, place) + "&moved=" + s.Item.ID + "&before=" + url.QueryEscape(s.Before))
	}
	if values.Get("mode") == scanShip {
		return c.ship(l, code)
	}
	found, err := c.Services.Storage.Scan(c.Context(), c.Actor(), code)
	switch mode := values.Get("mode"); {
	case err != nil:
		return err
	case found.Item.ID == "":
		return c.followTo(found.Place, mode)
	case mode == scanMove || mode == scanCount:
		return c.NewError(lost.Conflict, "storage.scan.is-item", "reference", found.Item.Reference)
	default:
		return c.Redirect(frame.ItemPath(found.Item))
	}
}

// followTo opens the place of a scanned tag: to move items to it, to count it or to view it, depending on the mode.
func (c *call) followTo(tag lost.Tag, mode string) error {
	switch mode {
	case scanMove:
		return c.Redirect(movePath(tag.LocationID, tag.Place))
	case scanCount:
		count, err := c.Services.Counts.Begin(c.Context(), c.Actor(), tag.LocationID, tag.Place, false)
		if err != nil {
			return err
		}
		return c.Redirect(countPath(count))
	default:
		return c.Redirect(placePath(tag.LocationID, tag.Place))
	}
}

func movePath(location, place string) string {
	return frame.LocationPath(location, "/scan?mode=move&place="+url.QueryEscape(place))
}

// undoScan moves the last item back to its previous place, or marks it as not shipped.
func (c *call) undoScan() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	if values.Get("mode") == scanShip {
		return c.undoShip(l, values.Get("item"))
	}
	place := values.Get("place")
	i, err := c.Services.Storage.UndoStoreAt(c.Context(), c.Actor(), l.ID, values.Get("item"), place,
		values.Get("before"))
	if err != nil {
		return c.showScan(l, url.Values{"mode": {scanMove}, "place": {place}}, err)
	}
	if i.StoredAt() == "" {
		c.Flash(c.Say("storage.scan.moved-back.none", "reference", i.Reference))
	} else {
		c.Flash(c.Say("storage.scan.moved-back", "reference", i.Reference, "place", i.StoredAt()))
	}
	return c.Redirect(movePath(l.ID, place))
}

// readScan reads a form with a code that was typed, scanned or photographed. A photo comes last in the form. The other
// values are returned even if the photo shows no code.
func readScan(c *frame.Call) (url.Values, error) {
	if kind, _, _ := mime.ParseMediaType(c.Request.Header.Get("Content-Type")); kind != "multipart/form-data" {
		return c.ReadForm()
	}
	const maxValue, maxFields = 4 << 10, 10
	form, err := c.MultipartReader(desk.MaxImage)
	if err != nil {
		return nil, err
	}
	values := url.Values{}
	for range maxFields {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, respond.UnreadableForm(err)
		}
		if part.FormName() == "photo" {
			if err := respond.CheckForm(values); err != nil {
				return nil, err
			}
			code, err := c.Services.Tags.ReadPicture(c.Context(), c.Actor(), part)
			values.Set("code", code)
			return values, err
		}
		text, err := io.ReadAll(io.LimitReader(part, maxValue))
		if err != nil {
			return nil, respond.UnreadableForm(err)
		}
		values.Add(part.FormName(), string(text))
	}
	return values, respond.CheckForm(values)
}

// readFrame reads the code in a camera frame and responds with its text. Most frames contain no code.
func (c *call) readFrame() error {
	if _, err := c.Location(); err != nil {
		return err
	}
	code, err := c.Services.Tags.ReadPicture(c.Context(), c.Actor(),
		http.MaxBytesReader(c.Writer, c.Request.Body, desk.MaxImage))
	if lost.CodeOf(err) == lost.Invalid {
		c.Writer.WriteHeader(http.StatusNoContent)
		return nil
	}
	if err != nil {
		return err
	}
	c.Writer.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(c.Writer, code) // safe: the script inserts it as text, not as HTML
	return nil
}
