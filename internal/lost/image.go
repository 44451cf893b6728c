package lost

import (
	"crypto/sha256"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Image is one uploaded photo.
type Image struct {
	File        string // name in the file store
	Thumbnail   string // name of its thumbnail in the file store
	ContentType string
	Width       int
	Height      int
	Size        int64
	At          time.Time
	Facts       *PhotoFacts // nil until the photo was verified
}

// ID returns the identifier of the image; see ImageIDOf.
func (i Image) ID() string { return ImageIDOf(i.File) }

// ImageIDOf returns the identifier of the image in a file. It is a hash of the file's name, because everybody who knows
// the name can read the file, and identifiers are in the logs of proxies.
func ImageIDOf(file string) string {
	sum := sha256.Sum256([]byte(file))
	return ImageID + "_" + idText.EncodeToString(sum[:idBytes])
}

// ThumbnailSide is the length in pixels of the longer side of the largest thumbnail, the one in Image.Thumbnail.
const ThumbnailSide = 640

// ThumbnailSides returns the lengths of the longer side of an image's thumbnails, in ascending order.
func ThumbnailSides() []int { return []int{160, 320, ThumbnailSide} }

// Thumbnail is an image in a smaller size.
type Thumbnail struct {
	File  string // name in the file store
	Side  int    // the length of the longer side that it was made for
	Width int    // pixels
}

// Thumbnails lists the thumbnails of an image, in ascending order. The last one is that of ThumbnailSide, the others
// are listed only if they are smaller than the image. An image that is too large to decode has none.
func (i Image) Thumbnails() (all []Thumbnail) {
	stem, ext, _ := strings.Cut(i.Thumbnail, ".")
	stem, found := strings.CutSuffix(stem, "-"+strconv.Itoa(ThumbnailSide))
	long := max(i.Width, i.Height)
	if !found || i.Width <= 0 || i.Height <= 0 {
		return nil
	}
	for _, side := range ThumbnailSides() {
		t := Thumbnail{File: stem + "-" + strconv.Itoa(side) + "." + ext, Side: side, Width: i.Width}
		if side < long {
			t.Width = max(1, (i.Width*side+long/2)/long)
		}
		if side < long || side == ThumbnailSide {
			all = append(all, t)
		}
	}
	return all
}

// MayAddImage returns an error if the item has the maximum number of images.
func (i *Item) MayAddImage() error {
	if len(i.Images) >= MaxImages {
		return E(LimitReached, "This item already has the maximum of %d images. Remove one first.", MaxImages)
	}
	return nil
}

// AddImage adds an upload as the first image and makes it the item's main image.
func (i *Item) AddImage(img Image, now time.Time) error {
	if err := i.MayAddImage(); err != nil {
		return err
	}
	img.At = now
	i.Images = slices.Insert(slices.Clone(i.Images), 0, img)
	i.ImageFile, i.ImageURL, i.UpdatedAt = img.File, "", now
	return nil
}

// SetPhotoFacts sets what an image shows, unless the item no longer has the image. An image of an identity paper or a
// payment card has no codes: they often contain its number.
func SetPhotoFacts(i *Item, file string, facts PhotoFacts) (Image, bool) {
	n := imageIndex(i.Images, ImageIDOf(file))
	if n < 0 {
		return Image{}, false
	}
	if i.Category.IsIdentity() {
		facts.Codes = nil
	}
	i.Images = slices.Clone(i.Images)
	i.Images[n].Facts = &facts
	return i.Images[n], true
}

// HideNumbers removes the numbers of an identity paper or a payment card, which are never stored: those in the codes of
// its photos, and its serial number except the last characters. It does nothing for other items.
func HideNumbers(i *Item) {
	if !i.Category.IsIdentity() {
		return
	}
	i.SerialNumber = MaskNumber(i.SerialNumber)
	i.Images = slices.Clone(i.Images)
	for n, img := range i.Images {
		if img.Facts != nil && len(img.Facts.Codes) > 0 {
			facts := *img.Facts
			facts.Codes = nil
			i.Images[n].Facts = &facts
		}
	}
}

// removeNamedCodes removes the codes of photos that contain one of the names, and reports whether there were any.
func removeNamedCodes(images *[]Image, names []string) (changed bool) {
	without := slices.Clone(*images)
	for n, img := range without {
		if img.Facts == nil || !slices.ContainsFunc(img.Facts.Codes, func(c PhotoCode) bool { return c.Names(names) }) {
			continue
		}
		facts := *img.Facts
		facts.Codes = slices.DeleteFunc(slices.Clone(facts.Codes), func(c PhotoCode) bool { return c.Names(names) })
		without[n].Facts, changed = &facts, true
	}
	if changed {
		*images = without
	}
	return changed
}

// ShowImage makes one of the uploads the item's main image. It reports whether that changed anything.
func (i *Item) ShowImage(id string, now time.Time) (bool, error) {
	n := imageIndex(i.Images, id)
	if n < 0 {
		return false, Missing("photo")
	}
	file := i.Images[n].File
	if i.ImageFile == file {
		return false, nil
	}
	i.ImageFile, i.ImageURL, i.UpdatedAt = file, "", now
	return true, nil
}

// RemoveImage removes an upload and returns it. If it was the item's main image, the first of the others becomes the
// main image.
func (i *Item) RemoveImage(id string, now time.Time) (removed Image, err error) {
	n := imageIndex(i.Images, id)
	if n < 0 {
		return removed, Missing("photo")
	}
	removed = i.Images[n]
	i.Images = slices.Delete(slices.Clone(i.Images), n, n+1)
	i.UpdatedAt = now
	if i.ImageFile == removed.File {
		i.ImageFile = ""
		if len(i.Images) > 0 {
			i.ImageFile = i.Images[0].File
		}
	}
	return removed, nil
}

// ImageOrder is a new order of an item's images, as received from the client.
type ImageOrder struct {
	IDs Field[[]string]
	DecodeResult
}

// Sort sorts the images of an item and returns the names of the changed fields, for the history. The order must
// contain the id of each image exactly once. The first image becomes the main image, unless the client has set the URL
// of another one.
func (o ImageOrder) Sort(i *Item, now time.Time) (changed []string, err error) {
	c := &check{slices.Clone(o.Problems)}
	const field = "order"
	if !c.Has(field) && (!o.IDs.Sent || o.IDs.Null) {
		c.Require(field, "")
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	sorted := make([]Image, 0, len(i.Images))
	for n, id := range o.IDs.Value {
		at := imageIndex(i.Images, id)
		if at < 0 || n >= MaxImages || imageIndex(sorted, id) >= 0 {
			break // the images are not a permutation
		}
		sorted = append(sorted, i.Images[at])
	}
	if len(sorted) != len(i.Images) || len(o.IDs.Value) != len(sorted) {
		c.Add(field, "not-each-once", "must contain the id of each of the item's images exactly once: %d in all",
			len(i.Images))
		return nil, c.Err()
	}
	if !slices.Equal(i.Images, sorted) {
		changed = append(changed, "images")
	}
	i.Images = sorted
	if i.ImageURL == "" && len(sorted) > 0 && i.ImageFile != sorted[0].File {
		i.ImageFile = sorted[0].File
		changed = append(changed, "imageUrl")
	}
	if len(changed) > 0 {
		i.UpdatedAt = now
	}
	return changed, nil
}

// RestoreMainImage makes a former main image the main image again: an upload, if it still exists, or the client's URL.
func RestoreMainImage(i *Item, file, url string) {
	switch {
	case imageIndex(i.Images, ImageIDOf(file)) >= 0:
		i.ImageFile = file
	case url != "":
		i.ImageFile, i.ImageURL = "", url
	}
}

// imageIndex returns the position of the image with this id, or -1 if there is none.
func imageIndex(images []Image, id string) int {
	return slices.IndexFunc(images, func(img Image) bool { return img.ID() == id })
}

// Picture returns the upload that is the item's main image, or the zero value if there is none.
func (i *Item) Picture() Image {
	n := slices.IndexFunc(i.Images, func(img Image) bool { return img.File == i.ImageFile })
	if n < 0 {
		return Image{}
	}
	return i.Images[n]
}

// MainImageFirst returns the uploads of an item with the main image at the beginning.
func MainImageFirst(i Item) []Image {
	n := slices.IndexFunc(i.Images, func(img Image) bool { return img.File == i.ImageFile })
	if n <= 0 {
		return i.Images
	}
	return slices.Concat(i.Images[n:n+1], i.Images[:n], i.Images[n+1:])
}

// PhotoColors returns the colours of the first photo of an item that shows the thing's colours, the main photo first.
// Matching uses them if the texts name no colour.
func PhotoColors(i Item) (names []string) {
	for _, image := range MainImageFirst(i) {
		if image.Facts == nil || len(image.Facts.Colors) == 0 {
			continue
		}
		for _, c := range image.Facts.Colors {
			names = append(names, string(c))
		}
		return names
	}
	return nil
}

// MaxImages is the maximum number of photos of an item.
const MaxImages = 50

// PhotoFacts is what the service has found in a photo. It suggests values for the fields of the item; nothing is
// written to them unless somebody accepts it.
type PhotoFacts struct {
	Colors []Color     // of the thing, the main colour first; at most MaxPhotoColors
	Codes  []PhotoCode // at most MaxPhotoCodes
	Hash   PhotoHash
}

// The maximum numbers of facts of a photo.
const (
	MaxPhotoColors = 3
	MaxPhotoCodes  = 4
	MaxPhotoCode   = 200 // characters
)

// Color is the name of a colour that a photo shows. Every name is a colour in the dictionary of package match.
type Color string

// The colours.
const (
	Black     Color = "black"
	Grey      Color = "grey"
	White     Color = "white"
	Beige     Color = "beige"
	Brown     Color = "brown"
	Red       Color = "red"
	Orange    Color = "orange"
	Yellow    Color = "yellow"
	Green     Color = "green"
	Turquoise Color = "turquoise"
	Blue      Color = "blue"
	Purple    Color = "purple"
	Pink      Color = "pink"
)

// Colors lists all colours that a photo can show.
func Colors() []Color {
	return []Color{Black, Grey, White, Beige, Brown, Red, Orange, Yellow, Green, Turquoise, Blue, Purple, Pink}
}

// PhotoHash is a hash of what a photo shows. Copies of a photo in other sizes and qualities have nearly the same hash.
// It is 0 if the photo shows too little to recognise it.
type PhotoHash uint64

// maxHashDistance is the maximum number of bits in which the hashes of copies of a photo differ. Those of other photos
// differ in twice as many.
const maxHashDistance = 6

// IsCopy reports whether two hashes are of copies of the same photo.
func (h PhotoHash) IsCopy(other PhotoHash) bool {
	return h != 0 && other != 0 && bits.OnesCount64(uint64(h^other)) <= maxHashDistance
}

// HashBands is the number of parts of a hash.
const HashBands = 4

// Bands divides the hash into parts of 16 bits. If fewer bits than HashBands differ, hashes have at least one part in
// common, by which an index finds them. Most copies of a photo do.
func (h PhotoHash) Bands() (bands [HashBands]int64) {
	for n := range bands {
		bands[n] = int64(h >> (16 * n) & 0xffff)
	}
	return bands
}

// Orientation is how a photo is to be held.
type Orientation string

// The orientations.
const (
	Portrait  Orientation = "portrait"
	Landscape Orientation = "landscape"
	Square    Orientation = "square"
)

// Orientations lists all orientations.
func Orientations() []Orientation { return []Orientation{Portrait, Landscape, Square} }

// Orientation returns the orientation of the image, which is stored upright.
func (i Image) Orientation() Orientation {
	switch {
	case i.Height > i.Width:
		return Portrait
	case i.Height < i.Width:
		return Landscape
	}
	return Square
}
