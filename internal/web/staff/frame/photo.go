package frame

import (
	"net/url"

	"homeward/internal/lost"
	"homeward/internal/lost/photo"
	"homeward/internal/web/respond"
)

// MaxPhotosAtOnce is the maximum number of photos in one upload to an item.
const MaxPhotosAtOnce = 10

// Photo is a photo as pages show it.
type Photo struct {
	ID, Full, Small string
	Set             string // the sizes that browsers can choose from, for srcset
	Alt             string
	Number          int
	Main            bool
	Hidden          bool // it is blurred: Full is the page that shows it
}

// BlurredPath returns the path of a blurred photo of an item.
func BlurredPath(i lost.Item, img lost.Image) string {
	return LocationPath(i.LocationID, "/items/"+i.ID+"/photos/"+img.ID()+"/blurred")
}

// ShownPhotos prepares the photos of an item for its own page, and returns the URL of its photo on another site. If the
// user asked to see those of an identity paper or a payment card, they are not hidden, and the audit log says so.
func (c *Call) ShownPhotos(i lost.Item) (photos []Photo, elsewhere string, err error) {
	switch {
	case !i.Category.IsIdentity():
		return PhotosOf(c.Locale, i), i.ImageURL, nil
	case len(i.Images) == 0 && i.ImageURL == "" || c.Request.URL.Query().Get("photos") != "show":
		return PhotosOf(c.Locale, i), "", nil
	}
	return clearPhotosOf(c.Locale, i), i.ImageURL, c.Services.Items.RevealPhotos(c.Context(), c.Actor(), i)
}

// PhotosOf prepares the photos of an item for a page. The main photo is the first. Photos of identity papers and
// payment cards are blurred.
func PhotosOf(l Locale, i lost.Item) []Photo {
	photos := clearPhotosOf(l, i)
	if !i.Category.IsIdentity() {
		return photos
	}
	for n, img := range lost.MainImageFirst(i) {
		p := &photos[n]
		p.Hidden, p.Set = true, ""
		p.Small, p.Full = BlurredPath(i, img), ItemPath(i)+"?photos=show#photo-gallery"
	}
	return photos
}

// clearPhotosOf prepares the photos of an item for a page that shows them even if they are of identity papers.
func clearPhotosOf(l Locale, i lost.Item) []Photo {
	images := lost.MainImageFirst(i)
	photos := make([]Photo, len(images))
	for n, img := range images {
		photos[n] = Photo{
			ID: img.ID(), Full: FilePath(img.File), Small: respond.SmallImage(img, lost.ThumbnailSide),
			Set: respond.SrcSet(img, lost.ThumbnailSide), Number: n + 1, Main: img.File == i.ImageFile,
			Alt: l.Say("frame.photos.alt", "n", n+1, "all", len(images), "item", shorten(i.Description)),
		}
	}
	return photos
}

// PhotoPicker is a group of fields to take photos or choose them.
type PhotoPicker struct {
	Name      string
	Max       int
	Upload    string // the path to which a script sends each photo at once; empty if a form sends them
	Described string // the ids of the elements that describe the fields
}

// PhotoEditor is a form that adds, sorts and removes the photos of an item.
type PhotoEditor struct {
	Base   string // the path of the item's page
	Picker PhotoPicker
	Photos []Photo
}

// EditPhotos returns the form for the photos of an item or a request.
func EditPhotos(i lost.Item, photos []Photo) *PhotoEditor {
	return &PhotoEditor{
		Base: LocationPath(i.LocationID, "/items/"+i.ID), Photos: photos,
		Picker: PhotoPicker{
			Name: "image", Max: MaxPhotosAtOnce, Upload: LocationPath(i.LocationID, "/find/"+i.ID+"/photos"),
		},
	}
}

// ComparedPhotos are the main photos of a request and a found item, side by side.
type ComparedPhotos struct{ Lost, Found Photo }

// Any reports whether there is a photo to show.
func (p ComparedPhotos) Any() bool { return p.Lost.Full != "" || p.Found.Full != "" }

// ComparePhotos returns the main photos of a request and a found item.
func ComparePhotos(l Locale, request, found lost.Item) (p ComparedPhotos) {
	if photos := PhotosOf(l, request); len(photos) > 0 {
		p.Lost = photos[0]
	}
	if photos := PhotosOf(l, found); len(photos) > 0 {
		p.Found = photos[0]
	}
	return p
}

// PhotoChip is a value that a photo suggests for a field that is empty. Nothing is written until somebody accepts it.
type PhotoChip struct {
	Field string `json:"field"`
	Value string `json:"value"`
	Text  string `json:"text"`
}

// PhotoChips returns what the photos of an item suggest.
func PhotoChips(l Locale, i lost.Item) []PhotoChip {
	var all []lost.PhotoFacts
	for _, img := range lost.MainImageFirst(i) {
		if img.Facts != nil {
			all = append(all, *img.Facts)
		}
	}
	return SuggestFromPhotos(l, i, all...)
}

// SuggestFromPhotos returns what photos suggest for the empty fields of an item. The first photo is the main photo.
func SuggestFromPhotos(l Locale, i lost.Item, photos ...lost.PhotoFacts) (chips []PhotoChip) {
	for _, v := range photo.ValuesFor(i, photos...) {
		field, value := string(v.Field), v.Code
		if v.Color != "" {
			value = l.Say("frame.photo-color." + string(v.Color))
		}
		text := l.Say("frame.photo-fact.chip", "field", l.FieldLabel(field), "value", value)
		chips = append(chips, PhotoChip{field, value, text})
	}
	return chips
}

// FillFromPhoto returns the change that a form with a chip asks for; see photo.Fill.
func FillFromPhoto(chip url.Values) (lost.ItemPatch, lost.Condition[lost.Item], bool) {
	return photo.Fill(photo.Field(chip.Get("field")), chip.Get("value"))
}

// CopyLinks returns links to items that have the same photo.
func CopyLinks(l Locale, copies []lost.Item) (links []Link) {
	for _, i := range copies {
		links = append(links, Link{
			Href: ItemPath(i), Name: l.Say("frame.photo-fact.copy", "reference", i.Reference),
		})
	}
	return links
}

// PhotoError returns the error for a script whose photo was rejected. Other errors stay as they are.
func PhotoError(l Locale, err error) error {
	switch code := lost.CodeOf(err); code {
	case lost.TooLarge, lost.Unsupported, lost.Invalid, lost.Conflict:
		return localError{lost.E(code, "%s", Capitalize(l.PhotoFault(err)))}
	default:
		return err
	}
}
