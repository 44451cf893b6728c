package v1

import (
	"time"

	"homeward/internal/lost/report"
)

// Report contains the figures of a period.
type Report struct {
	From           string           `json:"from" format:"date"`
	To             string           `json:"to" format:"date"`
	BeforeFrom     string           `json:"beforeFrom" format:"date"`
	BeforeTo       string           `json:"beforeTo" format:"date"`
	ComputedAt     string           `json:"computedAt" format:"date-time"`
	Complete       bool             `json:"complete"`
	MoreLocations  int              `json:"moreLocations"`
	Items          ReportItems      `json:"items"`
	ItemsBefore    ReportItems      `json:"itemsBefore"`
	Locations      []ReportLocation `json:"locations"`
	Months         []ReportMonth    `json:"months"`
	Categories     []ReportGroup    `json:"categories"`
	Colors         []ReportGroup    `json:"colors"`
	Places         []ReportGroup    `json:"places"`
	Finders        []ReportGroup    `json:"finders"`
	Ages           []ReportAge      `json:"ages"`
	Storage        []ReportPlace    `json:"storage"`
	Requests       ReportRequests   `json:"requests"`
	RequestsBefore ReportRequests   `json:"requestsBefore"`
	Values         []ReportValue    `json:"values"`
	MoreCurrencies int              `json:"moreCurrencies"`
	Money          []ReportMoney    `json:"money"`
	MoneyBefore    []ReportMoney    `json:"moneyBefore"`
}

// ReportItems are the numbers of items that were found or left during a period.
type ReportItems struct {
	Found      int  `json:"found"`
	Returned   int  `json:"returned"`
	Donated    int  `json:"donated"`
	Discarded  int  `json:"discarded"`
	Police     int  `json:"police"`
	Authority  int  `json:"authority"`
	Auctioned  int  `json:"auctioned"`
	Finder     int  `json:"finder"`
	MedianDays *int `json:"medianDays,omitempty"`
	P90Days    *int `json:"p90Days,omitempty"`
}

// ReportLocation are the numbers of one location.
type ReportLocation struct {
	LocationID string      `json:"locationId"`
	Name       string      `json:"name"`
	Items      ReportItems `json:"items"`
}

// ReportMonth tells what became of the items that were found during a month.
type ReportMonth struct {
	Month      string `json:"month"`
	Found      int    `json:"found"`
	Returned   int    `json:"returned"`
	Other      int    `json:"other"`
	Open       int    `json:"open"`
	ReturnRate *int   `json:"returnRate,omitempty"`
}

// ReportGroup counts the found items with the same category, color, place or finder.
type ReportGroup struct {
	Value    string `json:"value"`
	Found    int    `json:"found"`
	Returned int    `json:"returned"`
	Groups   int    `json:"groups,omitempty" sample:"omit"`
}

// ReportAge counts items in storage by their age.
type ReportAge struct {
	MinDays int  `json:"minDays"`
	MaxDays *int `json:"maxDays,omitempty"`
	Items   int  `json:"items"`
}

// ReportPlace counts the items at a storage place.
type ReportPlace struct {
	LocationID string `json:"locationId,omitempty"`
	Place      string `json:"place"`
	Items      int    `json:"items"`
	Groups     int    `json:"groups,omitempty" sample:"omit"`
}

// ReportRequests are the figures of the requests that were filed during a period.
type ReportRequests struct {
	Filed         int  `json:"filed"`
	Answered      int  `json:"answered"`
	Open          int  `json:"open"`
	MedianMinutes *int `json:"medianMinutes,omitempty"`
	P90Minutes    *int `json:"p90Minutes,omitempty"`
}

// ReportValue adds up what items are worth in one currency.
type ReportValue struct {
	Currency       string `json:"currency"`
	Stored         int64  `json:"stored"`
	Found          int64  `json:"found"`
	FoundBefore    int64  `json:"foundBefore"`
	Returned       int64  `json:"returned"`
	ReturnedBefore int64  `json:"returnedBefore"`
}

// ReportMoney are the payments and refunds of a period in one currency.
type ReportMoney struct {
	Currency string `json:"currency"`
	Payments int    `json:"payments"`
	Handling int64  `json:"handling"`
	Shipping int64  `json:"shipping"`
	Refunds  int    `json:"refunds"`
	Refunded int64  `json:"refunded"`
}

// Report converts a report to the API format.
func (w Encoder) Report(r report.Report) Report {
	out := Report{
		From: r.Period.From, To: r.Period.To, BeforeFrom: r.Before.From, BeforeTo: r.Before.To,
		ComputedAt: moment(r.ComputedAt), Complete: r.MoreLocations == 0, MoreLocations: r.MoreLocations,
		Items: reportItems(r.Items), ItemsBefore: reportItems(r.ItemsBefore), Locations: []ReportLocation{},
		Months: []ReportMonth{}, Categories: reportGroups(r.Categories), Colors: reportGroups(r.Colors),
		Places: reportGroups(r.Places), Finders: reportGroups(r.Finders), Ages: []ReportAge{},
		Storage: []ReportPlace{}, Requests: reportRequests(r.Requests),
		RequestsBefore: reportRequests(r.RequestsBefore), Values: reportValues(r.Values),
		MoreCurrencies: r.MoreCurrencies, Money: reportMoney(r.Money), MoneyBefore: reportMoney(r.MoneyBefore),
	}
	for _, l := range r.Locations {
		out.Locations = append(out.Locations,
			ReportLocation{LocationID: l.ID, Name: l.Name, Items: reportItems(l.ItemFigures)})
	}
	for _, m := range r.Months {
		out.Months = append(out.Months, ReportMonth{
			Month: m.Month.FirstDay().Format("2006-01"), Found: m.Found, Returned: m.Returned, Other: m.Other,
			Open: m.Open, ReturnRate: ifKnown(m.Rate()),
		})
	}
	for _, a := range r.Ages {
		out.Ages = append(out.Ages,
			ReportAge{MinDays: a.MinDays, MaxDays: ifKnown(a.MaxDays, a.MaxDays >= 0), Items: a.Items})
	}
	for _, p := range r.Storage {
		out.Storage = append(out.Storage,
			ReportPlace{LocationID: p.LocationID, Place: p.Place, Items: p.Items, Groups: p.Rest})
	}
	return out
}

// ifKnown returns a value, or nil if it is not known.
func ifKnown(value int, known bool) *int {
	if !known {
		return nil
	}
	return &value
}

func reportItems(f report.ItemFigures) ReportItems {
	return ReportItems{
		Found: f.Found, Returned: f.Returned, Donated: f.Donated, Discarded: f.Discarded, Police: f.Police,
		Authority: f.Authority, Auctioned: f.Auctioned, Finder: f.Finder,
		MedianDays: ifKnown(f.MedianDays()), P90Days: ifKnown(f.P90Days()),
	}
}

func reportGroups(groups []report.Group) []ReportGroup {
	out := []ReportGroup{}
	for _, g := range groups {
		out = append(out, ReportGroup{Value: g.Name, Found: g.Found, Returned: g.Returned, Groups: g.Rest})
	}
	return out
}

func reportRequests(f report.RequestFigures) ReportRequests {
	minutes := func(d time.Duration, known bool) *int { return ifKnown(int(d/time.Minute), known) }
	return ReportRequests{
		Filed: f.Filed, Answered: f.Answered, Open: f.Open,
		MedianMinutes: minutes(f.MedianAnswer()), P90Minutes: minutes(f.P90Answer()),
	}
}

func reportValues(all []report.ValueFigures) []ReportValue {
	out := []ReportValue{}
	for _, v := range all {
		out = append(out, ReportValue{
			Currency: v.Currency, Stored: v.Stored, Found: v.Found[0], FoundBefore: v.Found[1],
			Returned: v.Returned[0], ReturnedBefore: v.Returned[1],
		})
	}
	return out
}

func reportMoney(all []report.MoneyFigures) []ReportMoney {
	out := []ReportMoney{}
	for _, m := range all {
		out = append(out, ReportMoney{
			Currency: m.Currency, Payments: m.Payments, Handling: m.Handling, Shipping: m.Shipping,
			Refunds: m.Refunds, Refunded: m.Refunded,
		})
	}
	return out
}
