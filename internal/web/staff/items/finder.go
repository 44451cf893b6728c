package items

import (
	"time"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// finderGroup shows who handed the item in. It is folded, because most items are found by staff.
func finderGroup(lang frame.Locale, i lost.Item, now time.Time) *itemGroup {
	f := i.Finder
	yes := func(condition bool) string {
		if condition {
			return lang.Say("items.yes")
		}
		return ""
	}
	told := func(at time.Time) string {
		if at.IsZero() {
			return ""
		}
		return lang.Day(at.In(i.Terms.Zone()).Format(lost.DateLayout))
	}
	g := &itemGroup{
		ID: "finder", Name: lang.Say("items.finder"), Empty: lang.Say("items.finder.none"), Folded: !f.Known(),
		Facts: []frame.ItemFact{
			{Name: lang.FieldLabel("finder.name"), Value: f.Name},
			{Name: lang.FieldLabel("finder.email"), Value: f.Email},
			{Name: lang.FieldLabel("finder.phone"), Value: f.Phone},
			{Name: lang.FieldLabel("finder.wantsReward"), Value: yes(f.WantsReward)},
			{Name: lang.FieldLabel("finder.claimsItem"), Value: yes(f.ClaimsItem)},
			{Name: lang.Say("frame.message.finder-reward"), Value: told(i.FinderNotices.Reward)},
			{Name: lang.Say("frame.message.finder-item"), Value: told(i.FinderNotices.Item)},
		},
		Inputs: lang.FinderInputs(frame.FinderValues(f)),
	}
	if i.CheckTellFinder(lost.FinderReward, now) == nil {
		g.Tell = append(g.Tell, frame.Option{
			Value: string(lost.FinderReward), Name: lang.Say("items.finder.tell.reward"),
		})
	}
	if i.CheckTellFinder(lost.FinderItem, now) == nil {
		g.Tell = append(g.Tell, frame.Option{Value: string(lost.FinderItem), Name: lang.Say("items.finder.tell.item")})
	}
	return g
}

// tellFinder sends a message to the person who handed the item in.
func (c *call) tellFinder() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	i, err := c.Services.Messages.TellFinder(c.Context(), c.Actor(), c.Request.PathValue("location"),
		c.Request.PathValue("id"), lost.MessageKind(values.Get("kind")), lost.IdempotencyKey{})
	if err != nil {
		return err
	}
	c.Flash(c.Say("items.finder.told"))
	return c.Redirect(frame.ItemPath(i) + "#finder")
}
