package lost

import "time"

// FindOutcome is the outcome of a found item, for statistics.
type FindOutcome string

// The outcomes.
const (
	OutcomeCollected FindOutcome = "collected" // picked up by the owner or somebody on their behalf
	OutcomeDelivered FindOutcome = "posted"    // delivered by parcel
	OutcomeInTransit FindOutcome = "travels"   // the parcel is in transit
	OutcomeDonated   FindOutcome = "donated"
	OutcomeDiscarded FindOutcome = "left"   // the owner does not want it back, or it was discarded
	OutcomePolice    FindOutcome = "police" // handed to the police
	OutcomeAuthority FindOutcome = "authority"
	OutcomeAuctioned FindOutcome = "auctioned"
	OutcomeFinder    FindOutcome = "finder"  // the finder keeps it
	OutcomeOpen      FindOutcome = "waiting" // not decided, or not carried out yet
)

// FindOutcomes lists all outcomes, best first.
func FindOutcomes() []FindOutcome {
	return []FindOutcome{
		OutcomeCollected, OutcomeDelivered, OutcomeInTransit, OutcomeDonated, OutcomeDiscarded, OutcomePolice,
		OutcomeAuthority, OutcomeAuctioned, OutcomeFinder, OutcomeOpen,
	}
}

// Returned reports whether the owner has the item.
func (o FindOutcome) Returned() bool { return o == OutcomeCollected || o == OutcomeDelivered }

// FindFacts is the data about a found item that statistics need.
type FindFacts struct {
	LocationID    string
	Status        Status
	Destination   Destination
	DiscoveryDate string
	CreatedAt     time.Time
	MovedAt       time.Time
	ClosedAt      time.Time
	Color         string
	Place         string
	Category      Category
	FinderName    string
	StoragePlace  string // empty if it is at the location's usual place
	Value         Value
}

// FindFacts returns the facts about the item for statistics.
func (i Item) FindFacts() FindFacts {
	return FindFacts{
		LocationID: i.LocationID, Status: i.Status, Destination: i.Destination, DiscoveryDate: i.DiscoveryDate,
		CreatedAt: i.CreatedAt, MovedAt: i.MovedAt, ClosedAt: i.ClosedAt, Color: i.Color, Place: i.DiscoveryPlace,
		Category: i.Category, FinderName: i.Finder.Name, StoragePlace: i.StoragePlace, Value: i.Value,
	}
}

// Outcome returns the outcome of the item. A pick-up counts as collected only after the desk has closed it.
func (f FindFacts) Outcome() FindOutcome {
	switch {
	case f.Status == Delivered:
		return OutcomeDelivered
	case f.Status == PickUp && !f.ClosedAt.IsZero():
		return OutcomeCollected
	case f.Status == Shipped:
		return OutcomeInTransit
	case f.Status == Donate:
		return OutcomeDonated
	case f.Status == Discard:
		return discardOutcome(f.Destination)
	default:
		return OutcomeOpen
	}
}

// discardOutcome returns the outcome of an item with the status Discard.
func discardOutcome(to Destination) FindOutcome {
	switch to {
	case Police:
		return OutcomePolice
	case ToAuthority, ToIssuer:
		return OutcomeAuthority
	case Auctioned:
		return OutcomeAuctioned
	case ToFinder:
		return OutcomeFinder
	default:
		return OutcomeDiscarded
	}
}

// FoundOn returns the day on which the item was found or, if it is not known, was recorded.
func (f FindFacts) FoundOn(zone *time.Location) string {
	if f.DiscoveryDate != "" {
		return f.DiscoveryDate
	}
	return f.CreatedAt.In(zone).Format(DateLayout)
}

// EndedAt returns when the item was returned, donated, discarded or handed to the police. It is zero if it was not. An
// item that had this outcome when it was recorded has ended at that time.
func (f FindFacts) EndedAt() time.Time {
	switch o := f.Outcome(); {
	case o == OutcomeOpen || o == OutcomeInTransit:
		return time.Time{}
	case o == OutcomeCollected:
		return f.ClosedAt
	case f.MovedAt.IsZero():
		return f.CreatedAt
	default:
		return f.MovedAt
	}
}

// Held is like Item.Held.
func (f FindFacts) Held() bool { return held(f.Status, f.ClosedAt) }

// RequestFacts is the data about a request that statistics need.
type RequestFacts struct {
	LocationID string
	State      RequestState
	CreatedAt  time.Time
	AnsweredAt time.Time // when the desk first wrote or decided; zero if it did not
}

// PaymentFacts are the payments or the refunds in a currency, for statistics.
type PaymentFacts struct {
	Refund bool
	Number int
	Price
}

// PaymentFigure is a figure of a report that adds up payments or refunds.
type PaymentFigure string

// The figures.
const (
	FeesPaid     PaymentFigure = "paid"
	HandlingPaid PaymentFigure = "handling"
	PostagePaid  PaymentFigure = "postage"
	FeesRefunded PaymentFigure = "refunded"
	FeesBalance  PaymentFigure = "balance" // what was paid and not refunded
)

// PaymentFigures lists all figures.
func PaymentFigures() []PaymentFigure {
	return []PaymentFigure{FeesPaid, HandlingPaid, PostagePaid, FeesRefunded, FeesBalance}
}

// Amount returns what a payment or refund adds to the figure. A refund is negative.
func (f PaymentFigure) Amount(p Payment) int64 {
	switch {
	case f == HandlingPaid:
		return p.Handling
	case f == PostagePaid:
		return p.Postage
	case p.Refund:
		return -p.Total()
	default:
		return p.Total()
	}
}

// PaymentFilter selects the payments and refunds that a figure adds up, in one currency.
type PaymentFilter struct {
	Figure   PaymentFigure
	Currency string
	Bounds   []ReportBounds
	Page
}

// Payment is a payment or a refund of the fees for one shipment.
type Payment struct {
	At     time.Time
	Refund bool
	Price
	Location LocationName // where the item was found
	// Item has only its id, location, source, reference and description. Its id is empty if it was deleted.
	Item Item
}

// ReportFigure is a figure of a report that counts items or requests.
type ReportFigure string

// The figures. The first four are about items that were found during the period, the next four about items that left
// during the period, whenever they were found.
const (
	FigureFound         ReportFigure = "found"
	FigureFoundReturned ReportFigure = "found-returned" // and returned so far
	FigureFoundOther    ReportFigure = "found-other"    // and donated, discarded or handed to the police so far
	FigureFoundOpen     ReportFigure = "found-open"     // and still here, or on the way to the owner
	FigureReturned      ReportFigure = "returned"
	FigureDonated       ReportFigure = "donated"
	FigureDiscarded     ReportFigure = "discarded"
	FigureAuthority     ReportFigure = "authority"
	FigureAuctioned     ReportFigure = "auctioned"
	FigureFinder        ReportFigure = "finder"
	FigurePolice        ReportFigure = "police"
	FigureHere          ReportFigure = "here" // in storage now, by the day of discovery
	FigureFiled         ReportFigure = "filed"
	FigureAnswered      ReportFigure = "answered"
	FigureUnanswered    ReportFigure = "unanswered"
	FigurePaid          ReportFigure = "paid"
	FigureRefunded      ReportFigure = "refunded"
)

// ReportFigures lists all figures.
func ReportFigures() []ReportFigure {
	return []ReportFigure{
		FigureFound, FigureFoundReturned, FigureFoundOther, FigureFoundOpen, FigureReturned, FigureDonated,
		FigureDiscarded, FigurePolice, FigureAuthority, FigureAuctioned, FigureFinder, FigureHere, FigureFiled,
		FigureAnswered, FigureUnanswered, FigurePaid, FigureRefunded,
	}
}

// AboutRequests reports whether a figure counts requests.
func (f ReportFigure) AboutRequests() bool {
	return f == FigureFiled || f == FigureAnswered || f == FigureUnanswered
}

// ReportTrait is a field by which a report groups the items that were found during the period.
type ReportTrait string

// The traits.
const (
	CategoryTrait ReportTrait = "category"
	ColorTrait    ReportTrait = "color"
	PlaceTrait    ReportTrait = "place"
	FinderTrait   ReportTrait = "finder" // the name of who handed the item in
	// StorageTrait is where an item in storage is. It is not in ReportTraits, because it groups other items.
	StorageTrait ReportTrait = "storage"
)

// ReportTraits lists all traits.
func ReportTraits() []ReportTrait {
	return []ReportTrait{CategoryTrait, ColorTrait, PlaceTrait, FinderTrait}
}

// ReportFilter selects the records that a figure of a report counts.
type ReportFilter struct {
	Figure   ReportFigure
	From, To string // days; empty if there is no limit
	// Trait and Key select a group of FigureFound. Spellings are the values that the group has.
	Trait     ReportTrait
	Key       string
	Spellings []string
	// Rest selects, instead of the group with a key, all groups that the report does not name, but adds up in one row.
	// Spellings are then the values of the groups that it names or, for StorageTrait, Stored their places.
	Rest     bool
	Stored   []StoredAt
	Currency string // of the payments or refunds, or of the values of the items; empty for all
	// Bounds tell when the days begin and end in the time zones of the locations.
	Bounds []ReportBounds
}

// ReportBounds are when the days of a report begin and end at some locations. A zero time does not limit the period.
type ReportBounds struct {
	Locations  []string
	Begin, End time.Time
}

// StoredAt is a storage place of a location, as items have it: empty for the usual place of the location.
type StoredAt struct{ LocationID, Place string }

// Month is a calendar month, numbered from January of the year 0.
type Month int

// MonthOf returns the month of a time in its time zone.
func MonthOf(t time.Time) Month { return Month(t.Year()*monthsInYear + int(t.Month()) - 1) }

// FirstDay returns the first day of the month.
func (m Month) FirstDay() time.Time {
	return time.Date(int(m)/monthsInYear, time.Month(int(m)%monthsInYear+1), 1, 0, 0, 0, 0, time.UTC)
}

const monthsInYear = 12

// Limits of statistics.
const (
	MaxStatisticsLocations = 200 // locations in a report
)

// LocationName is the id, name and time zone of a location, and the usual place of its items.
type LocationName struct{ ID, Name, TimeZone, StoragePlace string }

// Zone returns the time zone of the location.
func (l LocationName) Zone() *time.Location { return zone(l.TimeZone) }
