package main

// rate is how often a second something was done by a machine of two cores that had the service, the database and the client on it. So what it
// costs, two cores for one second divided by that, has the database in it, and is rather too much than too little.
type rate struct {
	perSecond float64
	source    string // how its line in docs/develop/performance.md begins, up to the figure
}

const measuredCores = 2

// cores is how many cores one a second takes.
func (r rate) cores() float64 { return measuredCores / r.perSecond }

// Rates on PostgreSQL, beside 200,000 items. A test compares them with docs/develop/performance.md.
var (
	get     = rate{9498, "| postgres | get | 200000 | "}
	list    = rate{4961, "| postgres | list | 200000 | "}
	search  = rate{713, "| postgres | search-rare | 200000 | "}
	move    = rate{2047, "| postgres | update-status | 200000 | "}
	create  = rate{2786, "| postgres | create | 200000 | "}
	deliver = rate{4120, "| postgres | burst, 100 endpoints, from the start of the service | 1000066 | 20000 | "}
)

// What was measured as a time, not as a rate, with nobody else there: seconds that one takes.
const (
	pageSeconds  = 0.0039 // "/tasks/{kind}", PostgreSQL p50, a large page
	matchSeconds = 0.0248 // one look for matches, the mean of both sorts
	photoSeconds = 0.25   // assumed: receiving a photo of 12 megapixels, and its small version
)

// What happens to one find besides what the measurement counts (history, messages, events, deliveries): assumed, for a desk that uses
// the dashboard and a client program that follows by webhook.
type habits struct {
	photos, pages, guestPages, gets, lists, searches, moves float64
	photoBytes                                              float64 // with its small version
}

func usual() habits {
	return habits{photos: 1.5, pages: 12, guestPages: 3, gets: 4, lists: 4, searches: 2, moves: 3, photoBytes: 2.5e6}
}

// How long records are kept, in days; 0 for ever. See docs/operate/retention.md.
const (
	waitDays   = 90  // that a find waits for its owner, and is looked for among the terms of matching
	guestDays  = 240 // 60 until an item has ended, and then the 180 of a new account
	eventDays  = 30
	photoDays  = guestDays
	hotDays    = 90 // what people look at
	mostOfDisk = 0.7
)

// slack is how much larger tables and indexes are that have been written to for years, and vacuumed: assumed.
const (
	tableSlack = 1.3
	indexSlack = 1.5
)

// Work a machine is planned for: a core is half busy at the peak, so that one of two copies may fail, and a shard moves at this rate.
const (
	busy          = 0.5
	copyCores     = 4
	databaseCores = 16
	databaseBytes = 2e12
	databaseRAM   = 64e9
	moveBytes     = 50e6 // a second, while the service runs: assumed
)
