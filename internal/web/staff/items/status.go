package items

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// movePage asks for confirmation of a status change and shows who will be notified.
type movePage struct {
	frame.Page
	Item     lost.Item
	Base     string
	From, To frame.State
	Status   lost.Status // empty if no status is chosen yet
	Choices  []frame.Option
	Inputs   []*frame.Input
	Audience []string
	Seen     string      // the version of the item that was shown
	Again    bool        // only the pick-up date changes, not the status
	Slots    *slotChoice // nil if the location has no slots
	Closed   string      // says that the location is closed at the chosen time
	Back     string      // the page to open afterwards; empty for the item
}

// slotChoice shows the slots of a day. A button saves the pick-up at its time.
type slotChoice struct {
	Title string
	Slots []slotButton
}

// slotButton is one slot.
type slotButton struct {
	Value, Time, Free string
	Full              bool
}

// Cancel returns the address of the page that the user came from.
func (p movePage) Cancel() string { return cmp.Or(p.Back, p.Base) }

// askMove asks for the new status or, if it is in the URL, for confirmation.
func (c *call) askMove() error {
	return c.showMove(http.StatusOK, c.Request.URL.Query(), nil)
}

// showMove renders the form. wrong is the error of the previous attempt, or nil.
func (c *call) showMove(status int, values url.Values, wrong error) error {
	i, err := c.currentItem()
	if err != nil {
		return err
	}
	to := lost.Status(values.Get("to"))
	if err := c.Services.Items.CheckMove(c.Context(), i, to); err != nil {
		return c.showMissing(i, err)
	}
	p := movePage{
		Page: c.NewPage(c.Say("items.move")), Item: i, Base: frame.ItemPath(i), From: c.ItemState(i),
		Choices: statusOptions(c.Locale, i), Seen: cmp.Or(values.Get("seen"), frame.EncodeVersion(i.UpdatedAt)),
	}
	if values.Get("back") != "" {
		p.Back = frame.SafePath(values.Get("back"))
	}
	if slices.Contains(lost.Statuses(), to) {
		who, err := c.Services.Items.Audience(c.Context(), c.Actor(), i.LocationID, i.ID, to)
		if err != nil {
			return err
		}
		p.Status, p.To, p.Audience = to, c.StatusState(to), audienceText(c.Locale, who, c.May(lost.ManageIntegrations))
		p.Title = c.Say("items.move.title", "status", c.StatusState(to).Word)
		if to == lost.FeePaid {
			p.Title = c.Say("items.move.title", "status", c.StepName(lost.PaidAct))
		}
		p.Inputs = moveInputs(c.Locale, i, to, values)
		if p.Again = to == lost.PickUp && i.Status == to && i.ClosedAt.IsZero(); p.Again {
			p.Title = c.Say("items.pickup.title")
			p.Audience[0] = c.Say("items.pickup.agree")
			p.Inputs = slices.DeleteFunc(p.Inputs, func(in *frame.Input) bool { return in.Name == "closed" })
		}
		if err := addSlots(c, &p); err != nil {
			return err
		}
	}
	if wrong != nil {
		if p.Problems, err = c.MarkErrors(p.Inputs, wrong); err != nil {
			return err
		}
	}
	return c.Render(status, "move", p)
}

// addSlots adds the slots of the day in the form for a pick-up, or of the first possible day, and says if the location
// is closed at the time in the form.
func addSlots(c *call, p *movePage) error {
	if p.Status != lost.PickUp {
		return nil
	}
	l, err := c.Location()
	if err != nil {
		return err
	}
	day, clock := p.Inputs[0], p.Inputs[1]
	if _, ok := lost.ParseDate(day.Value); ok && l.ClosedAt(lost.Pickup{Date: day.Value, Time: clock.Value}) {
		p.Closed = c.Say("items.slots.closed", "when", c.DayAt(c.Day(day.Value), clock.Value))
	}
	if l.Slots.Minutes == 0 {
		return nil
	}
	first, _ := p.Item.PickupDays(l, c.Now())
	date := max(day.Value, first)
	slots, err := c.Services.Items.SlotsFor(c.Context(), c.Actor(), p.Item, date)
	if err != nil {
		return err
	}
	p.Slots = &slotChoice{Title: c.Say("items.slots.title", "date", c.Day(date))}
	if len(slots) == 0 {
		p.Slots.Title = c.Say("items.slots.none", "date", c.Day(date))
	}
	for _, s := range slots {
		b := slotButton{Value: s.Date + " " + s.Time, Time: s.Time, Full: s.Free() == 0}
		if b.Free = c.Say("items.slots.free", "n", s.Free()); b.Full {
			b.Free = c.Say("items.slots.full")
		}
		p.Slots.Slots = append(p.Slots.Slots, b)
	}
	clock.Hint = c.Say("items.slots.other")
	return nil
}

// showMissing shows what must be done before the status can change, and links to the page for it.
func (c *call) showMissing(i lost.Item, why error) error {
	detail := c.ErrorText(why)
	if detail == "" {
		return why
	}
	p := c.newActPage(i, c.Say("items.move.missing"), "", "", detail)
	p.None, p.Instead = true, frame.Link{Name: c.StepName(lost.AddressAct), Href: p.Base + "/address"}
	switch {
	case lost.ReasonOf(why) == lost.ClaimantNotNotified:
		request, open, err := c.Services.Requests.UndoableMatch(c.Context(), c.Actor(), i)
		if err != nil {
			return err
		}
		p.Title, p.Instead = c.Say("items.move"), frame.Link{}
		if open.ID != "" {
			p.Instead = frame.Link{
				Name: c.Say("items.move.request", "reference", request.Reference), Href: frame.ItemPath(request),
			}
		}
	case !i.Owner.Known():
		p.Instead = frame.Link{Name: c.StepName(lost.NameAct), Href: p.Base + "?edit=owner#owner"}
	}
	return c.showAct(http.StatusOK, p, nil)
}

// moveInputs returns the inputs that a change to a status needs.
func moveInputs(lang frame.Locale, i lost.Item, to lost.Status, values url.Values) []*frame.Input {
	var inputs []*frame.Input
	add := func(in frame.Input, before string) {
		if in.Value = before; values.Has(in.Name) {
			in.Value = values.Get(in.Name)
		}
		inputs = append(inputs, &in)
	}
	switch to {
	case lost.PickUp:
		add(frame.Input{
			Name: "pickupDate", Label: lang.Say("items.day"), Type: "date", Narrow: true,
			Hint: lang.Say("items.pickup.hint"),
		}, i.Pickup.Date)
		add(frame.Input{Name: "pickupTime", Label: lang.Say("items.time"), Type: "time", Narrow: true}, i.Pickup.Time)
		add(frame.Input{Name: "closed", Label: lang.Say("items.move.collected"), Type: "check"}, "")
	case lost.Discard, lost.Donate:
		add(frame.Input{
			Name: "closed", Label: lang.Say("items.move.left"), Type: "check", Hint: lang.Say("items.move.left.hint"),
		}, "")
	case lost.FeePaid, lost.Shipped, lost.Delivered:
		add(frame.Input{
			Name: "trackingNumber", Label: lang.FieldLabel("trackingNumber"), Type: "text", Narrow: true,
		}, i.Shipping.TrackingNumber)
	}
	add(frame.Input{Name: "note", Label: lang.Say("items.move.note"), Type: "area"}, "")
	return inputs
}

// audienceText describes who will be notified. Webhooks mean something only to users who manage integrations.
func audienceText(lang frame.Locale, who desk.Audience, integrates bool) []string {
	var texts []string
	switch {
	case who.Owner == "":
		texts = append(texts, lang.Say("items.not-notified"))
	case who.Sends:
		texts = append(texts, lang.Say("items.notified", "address", who.Owner))
	default:
		texts = append(texts, lang.Say("items.notified.saved", "address", who.Owner))
	}
	if integrates && who.Webhooks > 0 {
		texts = append(texts, lang.Say("items.move.webhooks", "n", who.Webhooks))
	}
	return texts
}

// setStatus changes the status of an item.
func (c *call) setStatus() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	location, id := c.Request.PathValue("location"), c.Request.PathValue("id")
	if c.Request.URL.Query().Get("done") != "" {
		return c.finish(location, id, values)
	}
	if values.Has("show") { // the user wants to see the slots of another day
		return c.showMove(http.StatusOK, values, nil)
	}
	if day, clock, isSlot := strings.Cut(values.Get("slot"), " "); isSlot {
		values.Set("pickupDate", day)
		values.Set("pickupTime", clock)
	}
	patch := lost.MovePatch{
		Advised: true, Status: lost.Set(values.Get("to")), PickupDate: respond.FormText(values, "pickupDate"),
		PickupTime:     respond.FormText(values, "pickupTime"),
		TrackingNumber: respond.FormText(values, "trackingNumber"), Note: respond.FormText(values, "note"),
		Seen: frame.FormVersion(values),
	}
	if values.Get("closed") != "" {
		patch.Closed = lost.Set(true)
	}
	i, err := c.Services.Items.SetStatus(c.Context(), c.Actor(), location, id, patch)
	if lost.CodeOf(err) == lost.Invalid {
		return c.showMove(respond.RecordError(c.Writer, err), values, err)
	}
	if err != nil {
		return err
	}
	c.Flash(c.Say("items.move.flash", "reference", i.Reference, "status", c.ItemState(i).Word))
	c.warnOfClosure(i)
	if back := values.Get("back"); back != "" {
		return c.Redirect(frame.SafePath(back))
	}
	return c.Redirect(frame.ItemPath(i))
}

// warnOfClosure shows a warning on the next page if a pick-up is planned for a time when the location is closed. The
// pick-up is already saved, so there is no warning if the location cannot be read.
func (c *call) warnOfClosure(i lost.Item) {
	if i.Status != lost.PickUp || !i.Pickup.Planned || !i.ClosedAt.IsZero() {
		return
	}
	if l, err := c.Location(); err == nil && l.ClosedAt(i.Pickup) {
		c.FlashWarning(c.Say("items.slots.closed", "when", c.DayAt(c.Day(i.Pickup.Date), i.Pickup.Time)))
	}
}

// finish records that the desk has carried out the owner's choice.
func (c *call) finish(location, id string, values url.Values) error {
	seen := frame.FormVersion(values)
	if seen.IsZero() { // the form does not contain a version
		return respond.UnreadableForm(nil)
	}
	i, err := c.Services.Items.Finish(c.Context(), c.Actor(), location, id, seen)
	if err != nil {
		return err
	}
	c.Flash(c.Say("items.done"))
	return c.Redirect(frame.ItemPath(i))
}
