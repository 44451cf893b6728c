package main

import "slices"

// measuredPage is a route of the dashboard. It is measured without a query string, and with each query string in
// queries.
type measuredPage struct {
	route   string
	queries []string
}

// allLocations replaces the location in the path of a list.
const allLocations = "/at/all/"

// measuredPages returns the pages that are measured. A test compares it with the dashboard's routes.
func measuredPages() []measuredPage { return slices.Concat(itemPages(), otherPages()) }

func itemPages() []measuredPage {
	here := []string{"?location={location}"}
	return []measuredPage{
		{"/{$}", here},
		{"/tasks/{kind}", here},
		{"/at/{location}/reports", []string{"?from={lastyear}&to={today}"}},
		{"/at/{location}/reports/payments", paymentQueries()},
		{"/at/{location}/items", itemQueries()},
		{"/at/{location}/views", nil},
		{"/at/{location}/items/{id}", nil},
		{"/at/{location}/items/{id}/status", nil},
		{"/at/{location}/items/{id}/notify", nil},
		{"/at/{location}/items/{id}/address", nil},
		{"/at/{location}/items/{id}/link", nil},
		{"/at/{location}/items/{id}/delete", nil},
		{"/at/{location}/items/{id}/hand-over", nil},
		{"/at/{location}/items/{id}/stays", nil},
		{"/at/{location}/requests", []string{"?q=" + commonTerm, "?q=qz", "?state=MATCHED", "?page=50"}},
		{"/at/{location}/requests/new", nil},
		{"/at/{location}/requests/{id}", []string{"?q=" + commonTerm, "?q=qz"}},
		{"/at/{location}/requests/{id}/accept", nil},
		{allLocations + "items", itemQueries()},
		{allLocations + "requests", []string{"?q=" + commonTerm, "?q=qz", "?state=MATCHED", "?page=50"}},
		{allLocations + "reports", nil},
		{allLocations + "reports/payments", paymentQueries()},
		{allLocations + "storage", []string{"?page=20"}},
		{allLocations + "storage/held", nil},
	}
}

func otherPages() []measuredPage {
	return []measuredPage{
		{"/at/{location}/storage", []string{"?page=20"}},
		{"/at/{location}/storage/held", nil},
		{"/at/{location}/storage/decisions/{decision}", nil},
		{"/at/{location}/pickups", nil},
		{"/at/{location}/pickups/day", nil},
		{"/at/{location}/places", nil},
		{"/at/{location}/place", nil},
		{"/at/{location}/labels", nil},
		{"/at/{location}/tags", nil},
		{"/at/{location}/papers", nil},
		{"/at/{location}/scan", nil},
		{"/at/{location}/counts", nil},
		{"/at/{location}/counts/{count}", nil},
		{"/at/{location}/find", nil},
		{"/at/{location}/find/{id}", nil},
		{"/at/{location}/import", nil},
		{"/at/{location}/import/{import}", nil},
		{"/locations", nil},
		{"/locations/new", nil},
		{"/locations/{location}", nil},
		{"/locations/{location}/{part}", nil},
		{"/settings/account", nil},
		{"/settings/keys", nil},
		{"/settings/keys/new", nil},
		{"/settings/keys/{key}", nil},
		{"/settings/webhooks", nil},
		{"/settings/webhooks/new", nil},
		{"/settings/webhooks/{webhook}", []string{"?state=failed"}},
		{"/settings/webhooks/{webhook}/edit", nil},
		{"/settings/webhooks/{webhook}/delete", nil},
		{"/settings/deliveries/{delivery}", nil},
		{"/settings/events", nil},
		{"/settings/events/{event}", nil},
		{"/settings/messages", []string{"?state=failed", "?location={location}"}},
		{"/settings/messages/{message}", nil},
		{"/settings/templates", nil},
		{"/settings/audit", []string{"?deed=logged-in"}},
		{"/settings/categories", nil},
		{"/settings/retention", nil},
		{"/settings/persons", nil},
		{"/settings/team", nil},
		{"/settings/team/invite", nil},
		{"/settings/team/members/{user}", nil},
		{"/settings/profile", nil},
		{"/settings/notices", nil},
		{"/settings/profile/email", nil},
		{"/settings/profile/password", nil},
		{"/forgot", nil},
		{"/offline", nil},
		{"/help", nil},
		{"/search", []string{"?q=umbrella", "?q=umbrela&top=1", "?q=black+brolly+lobby", "?q=" + rareTerm}},
	}
}

// itemQueries returns query strings that filter a list of items. The term qz occurs in hardly any item, and er in
// nearly all of them. FEE PAID is a rare status.
func itemQueries() []string {
	return []string{
		"?status=PENDING", "?status=INFO+COMPLETED", "?status=FEE+PAID", "?status=SHIPPED", "?status=DELIVERED",
		"?status=DISCARD", "?status=PICKUP", "?status=DONATE",
		"?status=FEE+PAID&status=SHIPPED", "?status=FEE+PAID&status=DISCARD&page=30", "?open=1&status=PICKUP",
		"?open=1", "?where=here", "?where=gone", "?where=gone&page=40", "?where=here&q=umbrella", "?mine=1",
		"?source=request", "?source=all", "?page=300", "?page=1000",
		"?from={today}", "?from={month}", "?from={lastyear}&to={lastyear}", "?from={lastyear}&to={month}",
		"?to={lastyear}", "?to={lastyear}&page=40",
		"?from={lastyear}&to={month}&status=FEE+PAID", "?from={lastyear}&to={month}&status=SHIPPED",
		"?from={lastyear}&q=" + commonTerm, "?from={lastyear}&to={lastyear}&q=" + rareTerm,
		"?q=" + rareTerm, "?q=" + commonTerm, "?q=" + commonTerm + "&page=40", "?q=umbrella",
		"?q=" + commonTerm + "+umbrella", "?q=" + commonTerm + "+canvas", "?q=violin+knirps+kowalska",
		"?q=er", "?q=qz", "?q=q", "?q=" + commonTerm + "+qz", "?q=qz&from={lastyear}",
		"?q=qz&status=FEE+PAID", "?q=qz&status=DELIVERED",
		"?q=" + commonTerm + "&status=FEE+PAID", "?q=" + rareTerm + "&status=DELIVERED",
		"?q=umbrella&status=DISCARD", "?q=" + commonTerm + "&open=1", "?q=nothing-has-this",
		"?ownerState=no-owner", "?ownerState=told", "?ownerState=no-answer", "?ownerState=told&page=40",
		"?ownerState=no-owner&q=umbrella", "?ownerState=told&from={lastyear}", "?color=black", "?place=room+301",
		"?owner=kowalska&ownerState=told", "?color=black&q=umbrella&status=PENDING",
		"?sort=found", "?sort=-found&page=40", "?sort=found&status=DELIVERED", "?sort=status", "?sort=-status&page=40",
		"?ownerState=no-answer&to={lastyear}", "?sort=status&status=FEE+PAID",
		"?worth=1", "?worth=1&page=40", "?worth=1500", "?worth=1990", "?worth=100000", "?worth=1&sort=found",
		"?worth=1990&sort=-status", "?worth=1990&where=here", "?worth=1&status=FEE+PAID", "?serial=kn+2209+7741",
		"?sort=until", "?sort=-until", "?sort=until&page=40", "?sort=until&where=here", "?sort=found&where=here",
		"?sort=until&where=gone", "?sort=until&status=FEE+PAID", "?sort=until&open=1", "?source=request&sort=until",
		"?category=watch", "?category=watch&page=40", "?category=watch&sort=status", "?category=watch&sort=found",
		"?category=watch&sort=until", "?category=money&sort=until", "?category=bag&sort=until&where=here",
		"?finder=kowalska", "?finder=kowalska&category=watch",
		"?report=returned&from={lastyear}&to={today}", "?report=found&group=rest:place",
		"?report=found&group=rest:finder", "?report=paid&group=currency:EUR&from={lastyear}&to={today}",
	}
}

// paymentQueries returns query strings that select the payments behind an amount of a report.
func paymentQueries() []string {
	const period = "&currency=EUR&from={lastyear}&to={today}"
	return []string{"?figure=paid" + period, "?figure=balance" + period, "?figure=postage&page=2" + period}
}

// unmeasuredPages returns the routes that are not measured, with the reason.
func unmeasuredPages() map[string]string {
	const (
		file     = "a file that is streamed"
		pdf      = "a PDF"
		redirect = "redirects to another page"
		link     = "needs a link from a message"
		static   = "a static file, not a page"
	)
	return map[string]string{
		"/at/{location}/items.csv": file, "/at/{location}/reports.csv": file, "/settings/audit/export": file,
		"/at/{location}/reports/payments.csv": file,
		"/at/{location}/tags.pdf":             pdf, "/at/{location}/counts/{count}/report.pdf": pdf,
		"/at/{location}/items/{id}/hand-over/form":         pdf,
		"/at/{location}/papers/register.pdf":               pdf,
		"/at/{location}/papers/register.csv":               file,
		"/at/{location}/items/{id}/photos/{image}/blurred": "a picture",
		"/at/{location}/storage/decisions/{decision}/list": pdf,
		"/at/{location}/requests/{id}/tracker":             "needs a request with a tracker link",
		// redirects for users who are logged in
		"/t/{reference}": redirect, "/t/place/{location}/{place}": redirect, "/scan": redirect, "/find": redirect,
		"/settings": redirect, "/login": redirect,
		"/login/code": redirect, "/reset/{token}": link, "/invitation/{token}": link, "/confirm/{token}": link,
		"/notices/stop/{token}": link,
		"/manifest.webmanifest": static, "/icon/{name}": static, "/sw.js": static,
		"/live":                               "a stream, which -ops live measures",
		"/at/{location}/counts/{count}/close": "needs an open stock count; it reads less than the count's page",
		"/at/{location}/items/{id}/refund":    "needs a payment; it reads less than the item's page",
		"/settings/profile/passkeys/new":      "asks for the password first",
		"/login/with":                         redirect, "/login/back": redirect, "/settings/profile/link": redirect,
		"/settings/profile/unlink":                    "needs a linked external login; it reads no data",
		"/settings/profile/passkeys/{passkey}/remove": "needs a passkey; it reads only that passkey",
		"/settings/profile/two-step":                  "asks for the password first",
		"/settings/profile/two-step/off":              "needs two-step login; it reads no data",
		"/settings/profile/two-step/recovery":         "needs two-step login; it reads no data",
	}
}
