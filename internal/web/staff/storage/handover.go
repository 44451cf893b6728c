package storage

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/paper"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// handOverPage asks who receives several items at once.
type handOverPage struct {
	frame.Page
	At           string // the path of the page with the papers
	Items        []handOverRow
	Seen         string        // the ids and versions of the items; a form may have only a limited number of fields
	Blocked      []handOverRow // the items that cannot be handed over
	Missing      int           // the number of selected items that are not at the location
	Destination  frame.Input
	Recipient    frame.Input
	Organisation frame.Input
	IDChecked    frame.Input
	Note         frame.Input
	Signature    frame.Input
}

// handOverRow is an item to hand over.
type handOverRow struct {
	frame.ItemSummary
	Why string // why it cannot be handed over
}

// askHandOver asks who receives the selected items.
func (c *papersCall) askHandOver() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	return c.renderHandOver(http.StatusOK, values, nil)
}

func (c *papersCall) renderHandOver(status int, values url.Values, wrong error) error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	items, missing, err := c.Services.Papers.Items(c.Context(), c.Actor(), l.ID, values["item"])
	if err != nil {
		return err
	}
	p, seen := c.handOverPage(l, values), []string{}
	p.Missing = missing
	for _, i := range items {
		row := handOverRow{ItemSummary: c.SummarizeItem(i)}
		if err := i.MayTransfer(); err != nil {
			row.Why = c.ErrorText(err)
			p.Blocked = append(p.Blocked, row)
			continue
		}
		p.Items = append(p.Items, row)
		seen = append(seen, i.ID+" "+frame.EncodeVersion(i.UpdatedAt))
	}
	p.Seen = strings.Join(seen, ",")
	switch lost.CodeOf(wrong) {
	case lost.Conflict, lost.NotFound: // the lists show the items as they are now
		p.Problems = []frame.Problem{{Text: c.Sentences(c.ErrorText(wrong), c.Say("storage.handover.again"))}}
	default:
		if p.Problems, err = c.MarkErrors([]*frame.Input{
			&p.Destination, &p.Recipient, &p.Organisation, &p.IDChecked, &p.Note, &p.Signature,
		}, wrong); err != nil {
			return err
		}
	}
	return c.Render(status, "hand-over-items", p)
}

func (c *papersCall) handOverPage(l lost.Location, values url.Values) handOverPage {
	p := handOverPage{
		Page: newStoragePage(c.Call, c.Say("storage.handover"), "sign.js"), At: frame.LocationPath(l.ID, "/papers"),
		Destination: frame.Input{
			Name: "destination", Label: c.Say("storage.handover.to"), Type: "list", Value: values.Get("destination"),
		},
		Recipient: frame.Input{
			Name: "recipient", Label: c.Say("storage.handover.recipient"), Type: "text", Required: true,
			Value: values.Get("recipient"), Autocomplete: "off",
		},
		Organisation: frame.Input{
			Name: "organisation", Label: c.Say("storage.handover.organisation"), Type: "text",
			Hint: c.Say("storage.handover.organisation.hint"), Value: values.Get("organisation"), Autocomplete: "off",
		},
		IDChecked: frame.Input{
			Name: "idChecked", Label: c.Say("storage.handover.check-id"), Type: "check", Value: values.Get("idChecked"),
		},
		Note: frame.Input{
			Name: "note", Label: c.Say("storage.handover.note"), Type: "area", Value: values.Get("note"),
		},
		Signature: frame.Input{
			Name: "signature", Label: c.Say("storage.handover.signature"), Value: values.Get("signature"),
		},
	}
	for _, to := range paper.HandoverDestinations() {
		p.Destination.Options = append(p.Destination.Options, frame.Option{
			Value: string(to), Name: c.Say("storage.handover.to." + string(to)),
		})
	}
	return p
}

// handOverItems records who received the selected items.
func (c *papersCall) handOverItems() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	values, signature, err := c.ReadSignedForm()
	if err != nil {
		return err
	}
	seen := seenVersions(values.Get("seen"))
	values["item"] = slices.Sorted(maps.Keys(seen))
	done, err := c.Services.Handovers.HandOverItems(c.Context(), c.Actor(), l.ID, paper.HandoverPatch{
		Items: values["item"], Destination: values.Get("destination"), Recipient: values.Get("recipient"),
		Organisation: values.Get("organisation"), IDChecked: values.Get("idChecked") != "", Note: values.Get("note"),
		Signature: signature, Seen: seen,
	})
	switch lost.CodeOf(err) {
	case lost.Conflict, lost.NotFound: // keep what was entered, but not a signature for other items
		values.Del("signature")
		return c.renderHandOver(respond.RecordError(c.Writer, err), values, err)
	case lost.Invalid: // keep what was entered and signed
		return c.renderHandOver(respond.RecordError(c.Writer, err), values, err)
	}
	if err != nil {
		return err
	}
	c.Flash(c.Say("storage.handover.done", "n", done.Items))
	return c.Redirect(frame.LocationPath(l.ID, "/storage/decisions/"+done.ID))
}

// seenVersions reads the items and their versions that a form was made from.
func seenVersions(text string) map[string]time.Time {
	seen := map[string]time.Time{}
	for value := range strings.SplitSeq(text, ",") {
		if id, version, found := strings.Cut(value, " "); found {
			seen[id] = frame.FormVersion(url.Values{"seen": {version}})
		}
	}
	return seen
}
