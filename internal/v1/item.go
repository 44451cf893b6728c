package v1

import (
	"homeward/internal/lost"
)

// Item is an item or request in the API format.
type Item struct {
	ID             string    `json:"id"`
	LocationID     string    `json:"locationId"`
	Reference      string    `json:"reference"`
	Source         string    `json:"source" enum:"sources"`
	Status         string    `json:"status" enum:"statuses"`
	Description    string    `json:"description" input:"required" max:"5000"`
	DiscoveryPlace string    `json:"discoveryPlace,omitempty" input:"optional" max:"500"`
	DiscoveryDate  string    `json:"discoveryDate,omitempty" input:"optional" format:"date"`
	Brand          string    `json:"brand,omitempty" input:"optional" max:"200"`
	Model          string    `json:"model,omitempty" input:"optional" max:"200"`
	Color          string    `json:"color,omitempty" input:"optional" max:"200"`
	StoragePlace   string    `json:"storagePlace,omitempty" input:"optional" max:"500"`
	Notes          string    `json:"notes,omitempty" input:"optional" max:"10000"`
	ImageURL       string    `json:"imageUrl,omitempty" input:"optional" format:"iri" max:"2048"`
	Images         []Image   `json:"images"`
	Shipping       *Shipping `json:"shipping,omitempty" input:"optional"`
	Owner          *Owner    `json:"owner,omitempty" input:"optional"`

	Language string `json:"language,omitempty" input:"optional" max:"35" pattern:"^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$"`

	ExternalID string   `json:"externalId,omitempty" input:"optional" max:"200"`
	Metadata   Metadata `json:"metadata,omitempty" input:"optional"`

	Category     string  `json:"category,omitempty" input:"optional" enum:"categories"`
	SerialNumber string  `json:"serialNumber,omitempty" input:"optional" max:"200"`
	Value        *Value  `json:"value,omitempty" input:"optional"`
	Finder       *Finder `json:"finder,omitempty" input:"optional" sample:"omit"`

	Hold        string    `json:"hold,omitempty" input:"optional" max:"500" sample:"omit"`
	KeepUntil   string    `json:"keepUntil,omitempty" input:"optional" sample:"omit" format:"date"`
	Destination string    `json:"destination,omitempty" enum:"destinations" sample:"omit"`
	Handover    *Handover `json:"handover,omitempty" sample:"omit"`
	Pickup      *Pickup   `json:"pickup,omitempty" sample:"omit"`
	ClosedAt    string    `json:"closedAt,omitempty" sample:"omit" format:"date-time"`
	DisownedAt  string    `json:"disownedAt,omitempty" sample:"omit" format:"date-time"`
	Request     *Claim    `json:"request,omitempty" sample:"omit"`
	StoreUntil  string    `json:"storeUntil,omitempty" format:"date"`
	ThenDue     string    `json:"thenDue,omitempty" enum:"disposals" sample:"omit"`
	CreatedAt   string    `json:"createdAt" format:"date-time"`
	UpdatedAt   string    `json:"updatedAt" format:"date-time"`
}

// DeletedItem is a deleted item or request in a list of changes.
type DeletedItem struct {
	ID         string `json:"id"`
	LocationID string `json:"locationId"`
	Deleted    bool   `json:"deleted"`
	UpdatedAt  string `json:"updatedAt" format:"date-time"`
}

// ListedItem stands for an Item or a DeletedItem in the OpenAPI document.
type ListedItem struct{}

// ItemChange converts a change of an item to the API format: an Item or a DeletedItem.
func (w Encoder) ItemChange(c lost.ItemChange) any {
	if c.Deleted {
		return DeletedItem{ID: c.ID, LocationID: c.LocationID, Deleted: true, UpdatedAt: moment(c.UpdatedAt)}
	}
	return w.Item(c.Item)
}

// Image is an uploaded photo.
type Image struct {
	ID           string `json:"id"`
	URL          string `json:"url" format:"uri"`
	ThumbnailURL string `json:"thumbnailUrl" format:"uri"`
	ContentType  string `json:"contentType"`
	Width        int    `json:"width"`
	Height       int    `json:"height"`
	Size         int64  `json:"size"`
	CreatedAt    string `json:"createdAt" format:"date-time"`

	Orientation string      `json:"orientation" enum:"orientations"`
	Colors      []string    `json:"colors,omitempty" enum:"colors"`
	Codes       []ImageCode `json:"codes,omitempty" sample:"omit"`
}

// ImageCode is a bar code or QR code in an uploaded photo.
type ImageCode struct {
	Format string `json:"format" enum:"codeFormats"`
	Text   string `json:"text"`
}

// Owner is the guest that an item belongs to.
type Owner struct {
	FirstName string `json:"firstName,omitempty" input:"optional" max:"200"`
	LastName  string `json:"lastName,omitempty" input:"optional" max:"200"`
	Email     string `json:"email,omitempty" input:"optional" format:"idn-email" max:"254"`
	Phone     string `json:"phone,omitempty" input:"optional" max:"60"`
}

// Value is what an item is worth.
type Value struct {
	Amount   int64  `json:"amount" input:"optional" least:"1" most:"100000000"`
	Currency string `json:"currency" input:"optional" pattern:"^[A-Za-z]{3}$"`
}

// Finder is the person who found an item and handed it in.
type Finder struct {
	Name        string `json:"name,omitempty" input:"optional" max:"200"`
	Email       string `json:"email,omitempty" input:"optional" format:"idn-email" max:"254"`
	Phone       string `json:"phone,omitempty" input:"optional" max:"60"`
	WantsReward bool   `json:"wantsReward" input:"optional"`
	ClaimsItem  bool   `json:"claimsItem" input:"optional"`
}

// Pickup is the day and time when the owner will collect the item.
type Pickup struct {
	Date string `json:"date,omitempty" format:"date"`
	Time string `json:"time,omitempty" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$"`
}

// Handover describes how an item was handed to somebody at the desk.
type Handover struct {
	Name       string `json:"name"`
	IDChecked  bool   `json:"idChecked"`
	At         string `json:"at" format:"date-time"`
	ReceiptURL string `json:"receiptUrl,omitempty" format:"uri"`
}

// Item converts an item to the API format.
func (w Encoder) Item(i lost.Item) Item {
	out := Item{
		ID: i.ID, LocationID: i.LocationID, Reference: i.Reference, Source: string(i.Source), Status: string(i.Status),
		Description: i.Description, DiscoveryPlace: i.DiscoveryPlace, DiscoveryDate: i.DiscoveryDate,
		Brand: i.Brand, Model: i.Model, Color: i.Color, StoragePlace: i.StoredAt(), Notes: i.Notes, Hold: i.Hold,
		KeepUntil: i.KeepUntil, Destination: string(i.Destination),
		ImageURL: w.imageURL(i), Images: w.images(i.Images), Shipping: w.shipping(i), Language: i.Language,
		ExternalID: i.ExternalID, Metadata: Metadata(i.Metadata),
		Category: string(i.Category), SerialNumber: i.SerialNumber,
		ClosedAt: moment(i.ClosedAt), DisownedAt: moment(i.DisownedAt), StoreUntil: i.StoreUntil(),
		ThenDue:   string(i.ThenDue()),
		CreatedAt: moment(i.CreatedAt), UpdatedAt: moment(i.UpdatedAt),
	}
	if i.Category.IsIdentity() { // they often contain the number
		for n := range out.Images {
			out.Images[n].Codes = nil
		}
	}
	if i.Owner.Known() {
		o := Owner(i.Owner)
		out.Owner = &o
	}
	if i.Value.Known() {
		v := Value(i.Value)
		out.Value = &v
	}
	if i.Finder.Known() {
		f := Finder(i.Finder)
		out.Finder = &f
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
		out.Request = w.claim(i.Claim)
	}
	return out
}

func (w Encoder) images(images []lost.Image) []Image {
	out := make([]Image, len(images))
	for n, img := range images {
		out[n] = w.image(img)
	}
	return out
}

func (w Encoder) image(img lost.Image) Image {
	out := Image{
		ID: img.ID(), URL: w.FileURL(img.File), ThumbnailURL: w.FileURL(img.Thumbnail), ContentType: img.ContentType,
		Width: img.Width, Height: img.Height, Size: img.Size, CreatedAt: moment(img.At),
		Orientation: string(img.Orientation()),
	}
	if img.Facts == nil {
		return out
	}
	for _, c := range img.Facts.Colors {
		out.Colors = append(out.Colors, string(c))
	}
	for _, c := range img.Facts.Codes {
		out.Codes = append(out.Codes, ImageCode{Format: string(c.Format), Text: c.Text})
	}
	return out
}

func (w Encoder) imageURL(i lost.Item) string {
	if i.ImageURL != "" {
		return i.ImageURL
	}
	return w.FileURL(i.ImageFile)
}

// DecodeItem decodes the fields of an item that a client sent.
func DecodeItem(body []byte) (p lost.ItemPatch, err error) {
	err = decode(body, &p.DecodeResult, func(o *object) { o.item(&p) })
	return p, err
}

func (o *object) item(p *lost.ItemPatch) {
	readTexts(o, "", lost.ItemFields(), p)
	o.metadata(&p.Metadata)
	o.shipping(p)
	o.owner(p)
	o.value(p)
	o.finder(p)
	o.owned("id", "locationId", "reference", "source", "status", "images", "destination", "handover", "pickup",
		"closedAt", "disownedAt", "request", "storeUntil", "thenDue", "createdAt", "updatedAt")
}

func (o *object) owner(p *lost.ItemPatch) {
	nested(o, "owner", &p.Owner, func(o *object, _ *lost.OwnerPatch) {
		readTexts(o, "owner.", lost.ItemFields(), p)
	})
}

func (o *object) value(p *lost.ItemPatch) {
	nested(o, "value", &p.Value, func(o *object, v *lost.ValuePatch) {
		o.amount("amount", &v.Amount)
		o.text("currency", &v.Currency)
	})
}

func (o *object) finder(p *lost.ItemPatch) {
	nested(o, "finder", &p.Finder, func(o *object, f *lost.FinderPatch) {
		readTexts(o, "finder.", lost.ItemFields(), p)
		o.flag("wantsReward", &f.WantsReward)
		o.flag("claimsItem", &f.ClaimsItem)
	})
}

// ImageOrder is a request to sort the images of an item.
type ImageOrder struct {
	Order []string `json:"order" input:"required" items:"50"`
}

// DecodeImageOrder decodes a request to sort the images of an item.
func DecodeImageOrder(body []byte) (p lost.ImageOrder, err error) {
	err = decode(body, &p.DecodeResult, func(o *object) { o.texts("order", &p.IDs) })
	return p, err
}

// Move is a request to change the status of an item.
type Move struct {
	Status         string `json:"status" input:"required" enum:"statuses"`
	PickupDate     string `json:"pickupDate" input:"optional" format:"date"`
	PickupTime     string `json:"pickupTime" input:"optional" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$"`
	TrackingNumber string `json:"trackingNumber" input:"optional" max:"200" sample:"omit"`
	Closed         bool   `json:"closed" input:"optional" sample:"omit"`
	Note           string `json:"note" input:"optional" max:"5000"`
}

// DecodeMove decodes a request to change the status of an item.
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

// Entry is one entry in an item's history.
type Entry struct {
	ID     string   `json:"id"`
	At     string   `json:"at" format:"date-time"`
	Actor  Actor    `json:"actor"`
	Action string   `json:"action" enum:"actions"`
	From   string   `json:"from,omitempty" enum:"statuses"`
	To     string   `json:"to,omitempty" enum:"statuses"`
	Fields []string `json:"fields,omitempty"`
	Note   string   `json:"note,omitempty"`
}

// Actor identifies who performed an action.
type Actor struct {
	Type string `json:"type" enum:"actorKinds"`
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
}

// Entry converts a history entry to the API format.
func (w Encoder) Entry(e lost.Entry) Entry {
	return Entry{
		ID: e.ID, At: moment(e.At), Actor: Actor{Type: string(e.Actor.Kind), ID: e.Actor.ID, Name: e.Actor.Name},
		Action: string(e.Action), From: string(e.From), To: string(e.To), Fields: e.Fields, Note: e.Note,
	}
}
