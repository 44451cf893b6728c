package v1

import (
	"homeward/internal/lost"
)

// Location is a location in the API format.
type Location struct {
	ID              string         `json:"id"`
	Permalink       string         `json:"permalink"`
	Name            string         `json:"name" input:"required" max:"200"`
	Website         string         `json:"website,omitempty" input:"optional" format:"iri" max:"2048"`
	LogoURL         string         `json:"logoUrl,omitempty" input:"optional" format:"iri" max:"2048"`
	Description     string         `json:"description,omitempty" input:"optional" max:"5000"`
	Type            string         `json:"type" input:"kept" enum:"locationTypes"`
	StorageDuration *int           `json:"storageDuration,omitempty" input:"optional" least:"0" most:"36500"`
	KeepingRules    []KeepingRule  `json:"keepingRules,omitempty" input:"optional" items:"100"`
	StoragePlace    string         `json:"storagePlace,omitempty" input:"optional" max:"500"`
	Address1        string         `json:"address1,omitempty" input:"optional" max:"200"`
	Address2        string         `json:"address2,omitempty" input:"optional" max:"200"`
	City            string         `json:"city,omitempty" input:"optional" max:"200"`
	State           string         `json:"state,omitempty" input:"optional" max:"200"`
	ZipCode         string         `json:"zipCode,omitempty" input:"optional" max:"200"`
	Country         string         `json:"country,omitempty" input:"optional" pattern:"^[A-Za-z]{2}$"`
	Contact         *Contact       `json:"contact,omitempty" input:"optional"`
	PickupTime      *PickupTime    `json:"pickupTime,omitempty" input:"optional"`
	OpeningHours    []OpeningHours `json:"openingHours,omitempty" input:"optional" items:"28"`
	Closures        []Closure      `json:"closures,omitempty" input:"optional" items:"200"`
	Slots           *Slots         `json:"slots,omitempty" input:"optional"`

	TimeZone string `json:"timeZone,omitempty" input:"optional"`
	Charity  string `json:"charity,omitempty" input:"optional" max:"500"`

	PrivacyText string `json:"privacyText,omitempty" input:"optional" max:"2000"`
	PrivacyURL  string `json:"privacyUrl,omitempty" input:"optional" format:"iri" max:"2048"`

	Language string `json:"language,omitempty" input:"optional" max:"35" pattern:"^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$"`

	ExternalID string   `json:"externalId,omitempty" input:"optional" max:"200"`
	Metadata   Metadata `json:"metadata,omitempty" input:"optional"`

	Reminders *Reminders     `json:"reminders,omitempty" input:"optional"`
	Shipping  *ShippingRules `json:"shipping,omitempty" input:"optional"`
	Matching  *Matching      `json:"matching,omitempty" input:"optional"`

	PublicRegister bool     `json:"publicRegister,omitempty" input:"optional"`
	PublicAreas    []string `json:"publicAreas,omitempty" input:"optional" items:"50" max:"60"`

	CreatedAt string `json:"createdAt" format:"date-time"`
	UpdatedAt string `json:"updatedAt" format:"date-time"`
}

// Contact is the person in charge of lost and found.
type Contact struct {
	Name   string `json:"name,omitempty" input:"optional" max:"200"`
	Email  string `json:"email,omitempty" input:"optional" format:"idn-email" max:"254"`
	Email2 string `json:"email2,omitempty" input:"optional" format:"idn-email" max:"254"`
	Phone  string `json:"phone,omitempty" input:"optional" max:"60"`
}

// KeepingRule says how long some items are stored.
type KeepingRule struct {
	Category string    `json:"category,omitempty" input:"optional" enum:"categories"`
	MinValue *MinValue `json:"minValue,omitempty" input:"optional"`
	Days     int       `json:"days" input:"required" least:"0" most:"36500"`
	Then     string    `json:"then,omitempty" input:"optional" enum:"disposals"`
}

// MinValue is the least value of the items that a keeping rule is about.
type MinValue struct {
	Amount   int64  `json:"amount" input:"required" least:"1" most:"100000000"`
	Currency string `json:"currency" input:"optional" pattern:"^[A-Za-z]{3}$"`
}

// PickupTime is the part of the day during which guests can collect items.
type PickupTime struct {
	From string `json:"from,omitempty" input:"optional" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$"`
	To   string `json:"to,omitempty" input:"optional" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$"`
}

// OpeningHours are the hours in which guests can collect items on some days of the week.
type OpeningHours struct {
	Days []string `json:"days" input:"required" items:"7" enum:"weekdays"`
	From string   `json:"from" input:"required" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$"`
	To   string   `json:"to" input:"required" pattern:"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$"`
}

// Closure is a period in which the location is closed.
type Closure struct {
	From   string `json:"from" input:"required" format:"date"`
	To     string `json:"to" input:"optional" format:"date"`
	Reason string `json:"reason,omitempty" input:"optional" max:"200"`
	Yearly bool   `json:"yearly,omitempty" input:"optional"`
}

// Slots divide the opening hours.
type Slots struct {
	Minutes  int `json:"minutes" input:"optional" least:"5" most:"480"`
	Capacity int `json:"capacity" input:"optional" least:"1" most:"1000"`
}

// Slot is a part of the opening hours.
type Slot struct {
	Date     string `json:"date" format:"date"`
	Time     string `json:"time" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$"`
	End      string `json:"end" pattern:"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$"`
	Capacity int    `json:"capacity"`
	Free     int    `json:"free"`
}

// SlotList lists the slots of some days.
type SlotList struct {
	Data []Slot `json:"data"`
}

// Slots converts slots to the API format.
func (w Encoder) Slots(slots []lost.Slot) SlotList {
	out := SlotList{Data: make([]Slot, len(slots))}
	for n, s := range slots {
		out.Data[n] = Slot{Date: s.Date, Time: s.Time, End: s.End, Capacity: s.Capacity, Free: s.Free()}
	}
	return out
}

// Reminders specifies when guests are sent reminders. All intervals are in days.
type Reminders struct {
	AfterNotice       []int `json:"afterNotice" input:"optional" items:"10" least:"1" most:"365"`
	BeforeStoreUntil  []int `json:"beforeStoreUntil" input:"optional" items:"10" least:"1" most:"365"`
	BeforePickup      []int `json:"beforePickup" input:"optional" items:"10" least:"1" most:"365"`
	AfterMissedPickup []int `json:"afterMissedPickup" input:"optional" items:"10" least:"1" most:"365"`
}

// Location converts a location to the API format.
func (w Encoder) Location(l lost.Location) Location {
	out := Location{
		ID: l.ID, Permalink: l.Permalink, Name: l.Name, Website: l.Website, LogoURL: w.logoURL(l),
		Description: l.Description,
		Type:        string(l.Type), StorageDuration: l.StorageDuration, StoragePlace: l.StoragePlace,
		Address1: l.Address1, Address2: l.Address2, City: l.City, State: l.State, ZipCode: l.ZipCode,
		Country:  l.Country,
		TimeZone: l.TimeZone, Charity: l.Charity, Language: l.Language, PrivacyText: l.PrivacyText,
		PrivacyURL: l.PrivacyURL, PublicRegister: l.PublicRegister, PublicAreas: l.PublicAreas,
		ExternalID: l.ExternalID, Metadata: Metadata(l.Metadata),
		CreatedAt: moment(l.CreatedAt),
		UpdatedAt: moment(l.UpdatedAt),
	}
	if l.Contact != (lost.Contact{}) {
		c := Contact(l.Contact)
		out.Contact = &c
	}
	if l.Pickup != (lost.PickupWindow{}) {
		p := PickupTime(l.Pickup)
		out.PickupTime = &p
	}
	for _, r := range l.KeepingRules {
		out.KeepingRules = append(out.KeepingRules, keepingRule(r))
	}
	for _, h := range l.OpeningHours {
		out.OpeningHours = append(out.OpeningHours, OpeningHours(h))
	}
	for _, c := range l.Closures {
		out.Closures = append(out.Closures, Closure(c))
	}
	if l.Slots != (lost.Slots{}) {
		s := Slots(l.Slots)
		out.Slots = &s
	}
	if r := l.Reminders; r != nil {
		out.Reminders = &Reminders{
			AfterNotice: days(r.AfterNotice), BeforeStoreUntil: days(r.BeforeStoreUntil),
			BeforePickup: days(r.BeforePickup), AfterMissedPickup: days(r.AfterMissedPickup),
		}
	}
	if l.Shipping != nil {
		out.Shipping = shippingRules(*l.Shipping)
	}
	if l.Matching != (lost.Matching{}) {
		m := Matching(l.Matching)
		out.Matching = &m
	}
	return out
}

func keepingRule(r lost.KeepingRule) KeepingRule {
	out := KeepingRule{Category: string(r.Category), Days: r.Days, Then: string(r.Then)}
	if r.MinValue != (lost.Value{}) {
		v := MinValue(r.MinValue)
		out.MinValue = &v
	}
	return out
}

// days copies a list. It returns an empty list for nil, because null has a different meaning in the API.
func days(list []int) []int { return append([]int{}, list...) }

func (w Encoder) logoURL(l lost.Location) string {
	if l.LogoURL != "" {
		return l.LogoURL
	}
	return w.FileURL(l.LogoFile)
}

// DecodeLocation decodes the fields of a location that a client sent.
func DecodeLocation(body []byte) (p lost.LocationPatch, err error) {
	err = decode(body, &p.DecodeResult, func(o *object) {
		readTexts(o, "", lost.LocationFields(), &p)
		o.whole("storageDuration", &p.StorageDuration)
		objects(o, "keepingRules", lost.MaxKeepingRules, &p.KeepingRules, readKeepingRule)
		o.metadata(&p.Metadata)
		nested(o, "contact", &p.Contact, func(o *object, _ *lost.ContactPatch) {
			readTexts(o, "contact.", lost.LocationFields(), &p)
		})
		nested(o, "pickupTime", &p.Pickup, func(o *object, _ *lost.PickupPatch) {
			readTexts(o, "pickupTime.", lost.LocationFields(), &p)
		})
		o.flag("publicRegister", &p.PublicRegister)
		o.texts("publicAreas", &p.PublicAreas)
		objects(o, "openingHours", lost.MaxOpeningHours, &p.OpeningHours, readOpeningHours)
		objects(o, "closures", lost.MaxClosures, &p.Closures, readClosure)
		nested(o, "slots", &p.Slots, func(o *object, p *lost.SlotsPatch) {
			o.whole("minutes", &p.Minutes)
			o.whole("capacity", &p.Capacity)
		})
		nested(o, "reminders", &p.Reminders, func(o *object, p *lost.ReminderSchedulePatch) {
			o.wholes("afterNotice", &p.AfterNotice)
			o.wholes("beforeStoreUntil", &p.BeforeStoreUntil)
			o.wholes("beforePickup", &p.BeforePickup)
			o.wholes("afterMissedPickup", &p.AfterMissedPickup)
		})
		o.shippingRules(&p.Shipping)
		nested(o, "matching", &p.Matching, func(o *object, p *lost.MatchingPatch) {
			o.flag("sisters", &p.Sisters)
			o.text("hint", &p.Hint)
		})
		o.owned("id", "permalink", "createdAt", "updatedAt")
	})
	return p, err
}

func readKeepingRule(o *object, r *lost.KeepingRule) {
	var category, then lost.Field[string]
	var days int64
	o.text("category", &category)
	o.text("then", &then)
	o.needed("days", &days)
	var least lost.Field[lost.Value]
	nested(o, "minValue", &least, func(o *object, v *lost.Value) {
		var currency lost.Field[string]
		o.needed("amount", &v.Amount)
		o.text("currency", &currency)
		v.Currency = currency.Value
	})
	r.Category, r.Then = lost.Category(category.Value), lost.Disposal(then.Value)
	r.Days = int(min(max(days, -1), lost.MaxStorageDays+1)) // the domain rejects days that are out of range
	r.MinValue = least.Value
	if least.Sent && !least.Null && r.MinValue == (lost.Value{}) { // otherwise it would count as not sent
		o.bad("minValue", "required", "must have an amount and a currency, or be null")
	}
}

func readOpeningHours(o *object, h *lost.OpeningHours) {
	var days lost.Field[[]string]
	var from, to lost.Field[string]
	o.texts("days", &days)
	o.text("from", &from)
	o.text("to", &to)
	h.Days, h.From, h.To = days.Value, from.Value, to.Value
}

func readClosure(o *object, c *lost.Closure) {
	var from, to, reason lost.Field[string]
	o.text("from", &from)
	o.text("to", &to)
	var yearly lost.Field[bool]
	o.text("reason", &reason)
	o.flag("yearly", &yearly)
	*c = lost.Closure{From: from.Value, To: to.Value, Reason: reason.Value, Yearly: yearly.Value}
}
