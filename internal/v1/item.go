package v1

import (
	"homeward/internal/lost"
)

// Item is a lost item as the API shows it.
type Item struct {
	ID             string    `json:"id" doc:"Identifier." example:"item_06f5q2k8h40v3w9d7n1m8x2b4c"`
	LocationID     string    `json:"locationId" doc:"The location it was found at." example:"loc_06f5q2k8h40v3w9d7n1m8x2b4c"`
	Reference      string    `json:"reference" doc:"Short name for the tag and the phone; unique in the account." example:"K7F-3QD"`
	Source         string    `json:"source" enum:"sources" doc:"Whether the location found it or a claimant reported it lost." example:"found"`
	Status         string    `json:"status" enum:"statuses" doc:"Where it stands. A new item is PENDING; update-status changes it." example:"PENDING"`
	Description    string    `json:"description" input:"required" max:"5000" doc:"Brief description of the item." example:"Black umbrella with a wooden handle"`
	DiscoveryPlace string    `json:"discoveryPlace,omitempty" input:"optional" max:"500" doc:"Where it was found." example:"Room 312"`
	DiscoveryDate  string    `json:"discoveryDate,omitempty" input:"optional" format:"date" doc:"When it was found, YYYY-MM-DD." example:"2026-11-14"`
	Brand          string    `json:"brand,omitempty" input:"optional" max:"200" doc:"Manufacturer." example:"Knirps"`
	Model          string    `json:"model,omitempty" input:"optional" max:"200" doc:"The brand's model." example:"T.200"`
	Color          string    `json:"color,omitempty" input:"optional" max:"200" doc:"Colour." example:"black"`
	StoragePlace   string    `json:"storagePlace,omitempty" input:"optional" max:"500" doc:"Where it is stored: its own place, else the location's." example:"Shelf B, box 4"`
	Notes          string    `json:"notes,omitempty" input:"optional" max:"10000" doc:"Internal notes for the team." example:"Handle is scratched"`
	ImageURL       string    `json:"imageUrl,omitempty" input:"optional" format:"iri" max:"2048" doc:"Image URL. Uploading an image sets it to the newest." example:"https://homeward.example/files/mv4x7q2k9d3w.jpg"`
	Images         []Image   `json:"images" doc:"Every uploaded image, newest first."`
	Shipping       *Shipping `json:"shipping,omitempty" input:"optional" doc:"Shipment information."`
	Owner          *Owner    `json:"owner,omitempty" input:"optional" doc:"The guest it belongs to. Each address that is set is told once, by e-mail, or by SMS where there is only a phone number."`
	Language       string    `json:"language,omitempty" input:"optional" max:"35" pattern:"^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$" doc:"The guest's language, as a BCP 47 tag. Messages and the guest's page are in it where the service speaks it." example:"pl"`
	Hold           string    `json:"hold,omitempty" input:"optional" max:"500" sample:"omit" doc:"Why the desk keeps it, whatever the day. While there is a reason it has no storeUntil, and nobody is asked to clear it away. Only what was found and is still here is put on hold; what is given away or sent is no longer." example:"The police have asked for it"`
	KeepUntil      string    `json:"keepUntil,omitempty" input:"optional" sample:"omit" format:"date" doc:"The day until which it is kept at least, YYYY-MM-DD. storeUntil is this day or, where that is later, the one by the location's storageDuration." example:"2027-03-31"`
	Destination    string    `json:"destination,omitempty" enum:"destinations" sample:"omit" doc:"What the desk did with it when its storage time was over." example:"donated"`
	Handover       *Handover `json:"handover,omitempty" sample:"omit" doc:"Who has taken it at the desk, and when. It stays when the item comes back."`
	Pickup         *Pickup   `json:"pickup,omitempty" sample:"omit" doc:"When the owner comes for it, once that is chosen."`
	ClosedAt       string    `json:"closedAt,omitempty" sample:"omit" format:"date-time" doc:"When the desk had acted on the owner's choice: handed it over or gave it away. The owner can change the choice until then." example:"2026-11-20T13:40:00.000Z"`
	DisownedAt     string    `json:"disownedAt,omitempty" sample:"omit" format:"date-time" doc:"When the person who was told said that it is not theirs." example:"2026-11-16T07:05:00.000Z"`
	Request        *Claim    `json:"request,omitempty" sample:"omit" doc:"What the claimant reported and what became of it. Only where source is request."`
	StoreUntil     string    `json:"storeUntil,omitempty" format:"date" doc:"Last day it is kept, by the location's present storageDuration or, where that is later, by keepUntil; absent without either, and while it is on hold." example:"2027-02-12"`
	CreatedAt      string    `json:"createdAt" format:"date-time" doc:"When it was recorded." example:"2026-11-15T08:30:00.000Z"`
	UpdatedAt      string    `json:"updatedAt" format:"date-time" doc:"When it last changed." example:"2026-11-15T08:30:00.000Z"`
}

// Image is an uploaded photo.
type Image struct {
	URL          string `json:"url" format:"uri" doc:"Address of the image." example:"https://homeward.example/files/mv4x7q2k9d3w.jpg"`
	ThumbnailURL string `json:"thumbnailUrl" format:"uri" doc:"Address of a small version, at most 640 pixels a side." example:"https://homeward.example/files/mv4x7q2k9d3w-640.jpg"`
	ContentType  string `json:"contentType" doc:"Its type." example:"image/jpeg"`
	Width        int    `json:"width" doc:"Width in pixels." example:"3024"`
	Height       int    `json:"height" doc:"Height in pixels." example:"4032"`
	Size         int64  `json:"size" doc:"Size in bytes." example:"2481152"`
	CreatedAt    string `json:"createdAt" format:"date-time" doc:"When it was uploaded." example:"2026-11-15T08:31:00.000Z"`
}

// Owner is the guest an item belongs to.
type Owner struct {
	FirstName string `json:"firstName,omitempty" input:"optional" max:"200" doc:"First name." example:"Anna"`
	LastName  string `json:"lastName,omitempty" input:"optional" max:"200" doc:"Last name." example:"Kowalska"`
	Email     string `json:"email,omitempty" input:"optional" format:"idn-email" max:"254" doc:"E-mail address." example:"anna@example.com"`
	Phone     string `json:"phone,omitempty" input:"optional" doc:"Phone number with + and country code; shown in E.164." example:"+48221234567"`
}

// Pickup is when the owner picks the item up.
type Pickup struct {
	Date string `json:"date,omitempty" format:"date" doc:"Day, YYYY-MM-DD." example:"2026-11-20"`
	Time string `json:"time,omitempty" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" doc:"Time of day, HH:mm, in the location's time zone." example:"14:30"`
}

// Handover records that an item was given to somebody at the desk.
type Handover struct {
	Name       string `json:"name" doc:"Who took it." example:"Anna Kowalska"`
	IDChecked  bool   `json:"idChecked" doc:"Whether the desk has seen a paper with that name." example:"true"`
	At         string `json:"at" format:"date-time" doc:"When that was." example:"2026-11-20T13:40:00.000Z"`
	ReceiptURL string `json:"receiptUrl,omitempty" format:"uri" doc:"Address of the receipt, a PDF: whoever has it can read it, for as long as the item is there." example:"https://homeward.example/files/mv4x7q2k9d3w.pdf"`
}

// Item writes an item.
func (w Encoder) Item(i lost.Item) Item {
	out := Item{
		ID: i.ID, LocationID: i.LocationID, Reference: i.Reference, Source: string(i.Source), Status: string(i.Status),
		Description: i.Description, DiscoveryPlace: i.DiscoveryPlace, DiscoveryDate: i.DiscoveryDate,
		Brand: i.Brand, Model: i.Model, Color: i.Color, StoragePlace: i.KeptAt(), Notes: i.Notes, Hold: i.Hold,
		KeepUntil: i.KeepUntil, Destination: string(i.Destination),
		ImageURL: w.imageURL(i), Images: make([]Image, len(i.Images)), Shipping: w.shipping(i), Language: i.Language,
		ClosedAt: moment(i.ClosedAt), DisownedAt: moment(i.DisownedAt), StoreUntil: i.StoreUntil(),
		CreatedAt: moment(i.CreatedAt), UpdatedAt: moment(i.UpdatedAt),
	}
	for n, img := range i.Images {
		out.Images[n] = w.image(img)
	}
	if i.Owner.Known() {
		o := Owner(i.Owner)
		out.Owner = &o
	}
	if i.Pickup != (lost.Pickup{}) {
		out.Pickup = &Pickup{Date: i.Pickup.Date, Time: i.Pickup.Time}
	}
	if h := i.Handover; h.Known() {
		out.Handover = &Handover{
			Name: h.Name, IDChecked: h.IDChecked, At: moment(h.At), ReceiptURL: w.FileURL(h.ReceiptFile),
		}
	}
	if i.Source == lost.Request {
		out.Request = claim(i.Claim)
	}
	return out
}

func (w Encoder) image(img lost.Image) Image {
	return Image{
		URL: w.FileURL(img.File), ThumbnailURL: w.FileURL(img.Thumbnail), ContentType: img.ContentType,
		Width: img.Width, Height: img.Height, Size: img.Size, CreatedAt: moment(img.At),
	}
}

func (w Encoder) imageURL(i lost.Item) string {
	if i.ImageURL != "" {
		return i.ImageURL
	}
	return w.FileURL(i.ImageFile)
}

// DecodeItem reads a partial item.
func DecodeItem(body []byte) (p lost.ItemPatch, err error) {
	err = decode(body, &p.DecodeResult, func(o *object) {
		readTexts(o, "", lost.ItemFields(), &p)
		o.shipping(&p)
		o.owner(&p)
		o.owned("id", "locationId", "reference", "source", "status", "images", "destination", "handover", "pickup",
			"closedAt", "disownedAt", "request", "storeUntil", "createdAt", "updatedAt")
	})
	return p, err
}

func (o *object) owner(p *lost.ItemPatch) {
	nested(o, "owner", &p.Owner, func(o *object, _ *lost.OwnerPatch) {
		readTexts(o, "owner.", lost.ItemFields(), p)
	})
}

// CheckReadOnlyItem compares the read-only fields that were sent with the item: one that differs is a problem. It
// ignores values that come from the location or from an upload.
func (w Encoder) CheckReadOnlyItem(p *lost.ItemPatch, i lost.Item) {
	if i.StoragePlace == "" {
		dropEcho(&p.StoragePlace, i.KeptAt())
	}
	dropEcho(&p.ImageURL, w.imageURL(i))
	settle(&p.DecodeResult, w.Item(i))
}

// Move is a change of status.
type Move struct {
	Status         string `json:"status" input:"required" enum:"statuses" doc:"The new status." example:"PICKUP"`
	PickupDate     string `json:"pickupDate" input:"optional" format:"date" doc:"With PICKUP: the day the owner comes, YYYY-MM-DD." example:"2026-11-20"`
	PickupTime     string `json:"pickupTime" input:"optional" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" doc:"With PICKUP: the time of day, HH:mm." example:"14:30"`
	TrackingNumber string `json:"trackingNumber" input:"optional" max:"200" sample:"omit" doc:"With FEE PAID, SHIPPED or DELIVERED: the carrier's number for the parcel. Where the carrier tells it, it need not be typed in." example:"00340434161094042557"`
	Closed         bool   `json:"closed" input:"optional" sample:"omit" doc:"With PICKUP, DISCARD or DONATE: true once the desk has acted on it, handed it over or gave it away. The owner can then change nothing, and is reminded of nothing. false takes it back." example:"true"`
	Note           string `json:"note" input:"optional" max:"5000" doc:"A remark for the item's history." example:"Called; comes on Friday"`
}

// DecodeMove reads a change of status.
func DecodeMove(body []byte) (p lost.MovePatch, err error) {
	err = decode(body, &p.DecodeResult, func(o *object) {
		o.text("status", &p.Status)
		o.text("pickupDate", &p.PickupDate)
		o.text("pickupTime", &p.PickupTime)
		o.text("trackingNumber", &p.TrackingNumber)
		o.flag("closed", &p.Closed)
		o.text("note", &p.Note)
	})
	return p, err
}

// Entry is one line of an item's history.
type Entry struct {
	ID     string   `json:"id" doc:"Identifier." example:"hist_06f5q2k8h40v3w9d7n1m8x2b4c"`
	At     string   `json:"at" format:"date-time" doc:"When it happened." example:"2026-11-15T09:12:00.000Z"`
	Actor  Actor    `json:"actor" doc:"Who did it."`
	Action string   `json:"action" enum:"actions" doc:"What was done." example:"status-changed"`
	From   string   `json:"from,omitempty" enum:"statuses" doc:"The status before." example:"PENDING"`
	To     string   `json:"to,omitempty" enum:"statuses" doc:"The status after." example:"PICKUP"`
	Fields []string `json:"fields,omitempty" doc:"The fields that changed." example:"status,pickup"`
	Note   string   `json:"note,omitempty" doc:"A remark." example:"Called; comes on Friday"`
}

// Actor is who did something.
type Actor struct {
	Type string `json:"type" enum:"actorKinds" doc:"What sort of actor." example:"key"`
	ID   string `json:"id,omitempty" doc:"Identifier." example:"key_06f5q2k8h40v3w9d7n1m8x2b4c"`
	Name string `json:"name,omitempty" doc:"Name." example:"Front desk system"`
}

// Entry writes a line of history.
func (w Encoder) Entry(e lost.Entry) Entry {
	return Entry{
		ID: e.ID, At: moment(e.At), Actor: Actor{Type: string(e.Actor.Kind), ID: e.Actor.ID, Name: e.Actor.Name},
		Action: string(e.Action), From: string(e.From), To: string(e.To), Fields: e.Fields, Note: e.Note,
	}
}
