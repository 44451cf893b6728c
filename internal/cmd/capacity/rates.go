package main

// rate is the number of operations per second on a machine with two cores, which ran the service, the database and
// the client. An operation therefore costs two core-seconds divided by the rate. This cost is an upper bound, because
// it includes the database and the client.
type rate struct {
	perSecond float64
	source    string // the beginning of the line in docs/develop/performance.md that contains the figure
}

const measuredCores = 2

// cores returns how many cores are needed for one operation per second.
func (r rate) cores() float64 { return measuredCores / r.perSecond }

// Rates on PostgreSQL with 200,000 items. A test compares them with docs/develop/performance.md.
var (
	get     = rate{10115, "| postgres | get | 200000 | "}
	list    = rate{4551, "| postgres | list | 200000 | "}
	search  = rate{2185, "| postgres | search-rare | 200000 | "}
	move    = rate{585, "| postgres | update-status | 200000 | "}
	create  = rate{1098, "| postgres | create | 200000 | "}
	deliver = rate{1890, "| postgres | burst, 100 endpoints, from the start of the service | 1000066 | 20000 | "}
)

// How many seconds one operation takes without other load. These were measured as times, not as rates.
const (
	pageSeconds  = 0.0128 // "/tasks/{kind}", a large page; p50 on PostgreSQL
	matchSeconds = 0.0266 // matching one found item or request; the mean of both
	photoSeconds = 0.25   // assumed: receiving a 12-megapixel photo and making its thumbnails
)

// habits holds the assumed number of operations on one item. It does not include history entries, messages, events
// and deliveries, because their numbers are measured. The assumptions are for a desk that uses the dashboard, and a
// client program that receives webhooks.
type habits struct {
	photos, pages, guestPages, gets, lists, searches, moves float64
	photoBytes                                              float64 // including the thumbnail
}

func usualHabits() habits {
	return habits{photos: 1.5, pages: 12, guestPages: 3, gets: 4, lists: 4, searches: 2, moves: 3, photoBytes: 2.5e6}
}

// Retention periods in days. See docs/operate/retention.md.
const (
	waitDays     = 90  // how long a pending item is in the matching index
	guestDays    = 240 // 60 days until an item is closed, and 180 (the default) after that
	eventDays    = 30
	photoDays    = guestDays
	hotDays      = 90 // users rarely read records that are older than this
	maxDiskShare = 0.7
)

// The assumed overhead factor of tables and indexes after years of writes and vacuums.
const (
	tableSlack = 1.3
	indexSlack = 1.5
)

// The planned load of a machine. A core is half busy at the peak, so that one of two instances may fail.
const (
	busyShare     = 0.5
	instanceCores = 4
	databaseCores = 16
	databaseBytes = 2e12
	databaseRAM   = 64e9
	moveBytes     = 50e6 // how fast a shard moves while the service runs, in bytes per second; assumed
)
