package lost

import (
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
		return E(Conflict, "This item already has the maximum of %d images. Remove one first.", MaxImages)
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

// ShowImage makes one of the uploads the item's main image. It reports whether that changed anything.
func (i *Item) ShowImage(file string, now time.Time) (bool, error) {
	if !hasImage(i.Images, file) {
		return false, Missing("photo")
	}
	if i.ImageFile == file {
		return false, nil
	}
	i.ImageFile, i.ImageURL, i.UpdatedAt = file, "", now
	return true, nil
}

// RemoveImage removes an upload. If it was the item's main image, the newest of the others becomes the main image.
func (i *Item) RemoveImage(file string, now time.Time) error {
	if !hasImage(i.Images, file) {
		return Missing("photo")
	}
	i.Images = slices.DeleteFunc(slices.Clone(i.Images), func(img Image) bool { return img.File == file })
	i.UpdatedAt = now
	if i.ImageFile != file {
		return nil
	}
	i.ImageFile = ""
	if len(i.Images) > 0 {
		i.ImageFile = i.Images[0].File
	}
	return nil
}

// RestoreMainImage makes a former main image the main image again: an upload, if it still exists, or the client's URL.
func RestoreMainImage(i *Item, file, url string) {
	switch {
	case hasImage(i.Images, file):
		i.ImageFile = file
	case url != "":
		i.ImageFile, i.ImageURL = "", url
	}
}

func hasImage(images []Image, file string) bool {
	return slices.ContainsFunc(images, func(img Image) bool { return img.File == file })
}

// Picture returns the upload that is the item's main image, or the zero value if there is none.
func (i *Item) Picture() Image {
	n := slices.IndexFunc(i.Images, func(img Image) bool { return img.File == i.ImageFile })
	if n < 0 {
		return Image{}
	}
	return i.Images[n]
}

// MaxImages is the maximum number of photos of an item.
const MaxImages = 50
