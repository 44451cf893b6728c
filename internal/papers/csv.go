package papers

import (
	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/lost/paper"
)

// registerHeadings returns the headings of a register as CSV, in the language of the location.
func registerHeadings(l *i18n.Language) []string {
	return []string{
		l.Say("paper.reference"), l.Say("paper.items.found-on"),
		l.Say("paper.items.found-at"), l.Say("paper.slip.item"), l.Say("paper.items.category"),
		l.Say("paper.slip.brand"), l.Say("paper.slip.color"), l.Say("paper.items.serial"), l.Say("paper.items.value"),
		l.Say("paper.items.currency"), l.Say("paper.items.finder"), l.Say("paper.items.finder.email"),
		l.Say("paper.items.finder.phone"), l.Say("paper.items.claims"), l.Say("paper.pick.place"),
		l.Say("paper.items.stored-until"), l.Say("paper.items.outcome"), l.Say("paper.items.ended-on"),
		l.Say("paper.receipt.name"),
	}
}

// registerCells returns the cells of a find.
func registerCells(l *i18n.Language, p paper.Paper, i lost.Item) []string {
	category, amount, claims := "", "", ""
	if i.Category != "" {
		category = l.Say("common.category." + string(i.Category))
	}
	if i.Value.Known() {
		amount = i18n.PlainAmount(i.Value.Amount, i.Value.Currency)
	}
	if i.Finder.ClaimsItem {
		claims = "×"
	}
	return []string{
		i.Reference, paper.Day(i), i.DiscoveryPlace, i.Description, category,
		i18n.Join(" ", i.Brand, i.Model), i.Color, p.SerialNumber(i), amount, i.Value.Currency, i.Finder.Name,
		i.Finder.Email, i.Finder.Phone, claims, i.StoredAt(), i.StoreUntil(), l.Say(paper.OutcomeKey(i)),
		paper.Ended(i), i.Handover.Name,
	}
}
