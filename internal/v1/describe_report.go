package v1

// reportDescriptions describes the fields of the types in report.go.
var reportDescriptions = map[string]Description{
	"Report.from":       {"The first day of the period.", "2026-10-01"},
	"Report.to":         {"The last day of the period.", "2026-10-31"},
	"Report.beforeFrom": {"The first day of the period before, with which the report compares.", "2026-09-01"},
	"Report.beforeTo":   {"The last day of the period before.", "2026-09-30"},
	"Report.computedAt": {"When the figures were computed: at most a minute ago.", "2026-11-15T08:30:00.000Z"},
	"Report.complete": {
		"False if the report leaves out locations, because there are more than 200.", "true",
	},
	"Report.moreLocations": {"How many locations the report leaves out: those after the first 200 by name.", "0"},
	"Report.items":         {"Items that were found, or that left, during the period.", ""},
	"Report.itemsBefore":   {"The same of the period before.", ""},
	"Report.locations":     {"The same of the period, by location, sorted by name.", ""},
	"Report.months": {
		"What became of the items that were found in each month, oldest first. These are the months of the period, " +
			"and at least twelve.", "",
	},
	"Report.categories": {"The items that were found during the period by category, most frequent first.", ""},
	"Report.colors":     {"The same by color, at most 12 and the rest.", ""},
	"Report.places":     {"The same by the place of discovery, at most 12 and the rest.", ""},
	"Report.finders": {
		"The same by the name of the finder, at most 12 and the rest. The rest includes finders with fewer than 3 " +
			"items.", "",
	},
	"Report.ages":           {"The items in storage now, by the days since they were found.", ""},
	"Report.storage":        {"The items in storage now by storage place, fullest first, at most 12 and the rest.", ""},
	"Report.requests":       {"Requests that were filed during the period.", ""},
	"Report.requestsBefore": {"The same of the period before.", ""},
	"Report.values": {
		"What items are worth by currency, the currencies of most items first, at most 12. Items without a value are " +
			"not counted.", "",
	},
	"Report.moreCurrencies": {"How many further currencies values leaves out.", "0"},
	"Report.money":          {"Payments and refunds during the period by currency. Test payments are not counted.", ""},
	"Report.moneyBefore":    {"The same of the period before.", ""},

	"ReportItems.found": {
		"Items found during the period: by discoveryDate or, without one, by the day of recording.", "120",
	},
	"ReportItems.returned": {
		"Items returned during the period, whenever they were found: delivered, or collected and closed.", "64",
	},
	"ReportItems.donated":    {"Items donated during the period.", "18"},
	"ReportItems.discarded":  {"Items left behind or discarded during the period.", "9"},
	"ReportItems.police":     {"Items handed to the police during the period.", "2"},
	"ReportItems.authority":  {"Items handed to an authority other than the police during the period.", "1"},
	"ReportItems.auctioned":  {"Items given to an auction during the period.", "4"},
	"ReportItems.finder":     {"Items left to their finders during the period.", "1"},
	"ReportItems.medianDays": {"Half of the returned items were returned within this many days of discovery.", "4"},
	"ReportItems.p90Days":    {"Nine of ten returned items were returned within this many days of discovery.", "21"},

	"ReportLocation.locationId": {"The location.", "loc_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"ReportLocation.name":       {"Its name.", "Hotel Adler"},
	"ReportLocation.items":      {"Its items that were found, or that left, during the period.", ""},

	"ReportMonth.month":    {"The month of discovery, YYYY-MM.", "2026-10"},
	"ReportMonth.found":    {"Items found during the month.", "120"},
	"ReportMonth.returned": {"Of those, returned so far.", "58"},
	"ReportMonth.other":    {"Of those, donated, discarded or given to somebody else so far.", "20"},
	"ReportMonth.open":     {"Of those, still here or on the way to the owner.", "42"},
	"ReportMonth.returnRate": {
		"The percentage of returned items among those that are not open. Absent if all are open.", "74",
	},

	"ReportGroup.value": {
		"The category, or the most frequent spelling. Empty if it is not known, and for the rest.", "black",
	},
	"ReportGroup.found":    {"Items found during the period.", "31"},
	"ReportGroup.returned": {"Of those, returned so far.", "15"},
	"ReportGroup.groups":   {"Only for the rest: how many further values it contains.", "40"},

	"ReportAge.minDays": {"The youngest age in days.", "8"},
	"ReportAge.maxDays": {"The oldest age in days. Absent for the oldest items.", "30"},
	"ReportAge.items":   {"Items in storage of this age.", "25"},

	"ReportPlace.locationId": {"The location. Absent for the rest.", "loc_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"ReportPlace.place":      {"The storage place. Empty if it is not known, and for the rest.", "Shelf B2"},
	"ReportPlace.items":      {"Items there.", "17"},
	"ReportPlace.groups":     {"Only for the rest: how many further places it contains.", "6"},

	"ReportRequests.filed": {"Requests filed during the period.", "35"},
	"ReportRequests.answered": {
		"Of those, answered so far: with a message, an acceptance or a rejection.", "33",
	},
	"ReportRequests.open": {"Of those, pending without an answer.", "2"},
	"ReportRequests.medianMinutes": {
		"Half of the answered requests got their first answer within this many minutes.", "95",
	},
	"ReportRequests.p90Minutes": {
		"Nine of ten answered requests got their first answer within this many minutes.", "1260",
	},

	"ReportValue.currency": {"Currency, ISO 4217.", "EUR"},
	"ReportValue.stored": {
		"What the items in storage now are worth, in the currency's smallest unit.", "184500",
	},
	"ReportValue.found":       {"The same of the items found during the period.", "62000"},
	"ReportValue.foundBefore": {"The same of the items found during the period before.", "48050"},
	"ReportValue.returned": {
		"The same of the items returned during the period, whenever they were found.", "31000",
	},
	"ReportValue.returnedBefore": {"The same of the items returned during the period before.", "27500"},

	"ReportMoney.currency": {"Currency, ISO 4217.", "EUR"},
	"ReportMoney.payments": {"The number of payments.", "12"},
	"ReportMoney.handling": {"Handling fees paid, in the currency's smallest unit.", "3600"},
	"ReportMoney.shipping": {"Postage paid, in the currency's smallest unit.", "18280"},
	"ReportMoney.refunds":  {"The number of refunds.", "1"},
	"ReportMoney.refunded": {"The amount refunded, in the currency's smallest unit.", "1990"},
}
