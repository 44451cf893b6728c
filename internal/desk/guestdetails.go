package desk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"homeward/internal/access"
	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// AddToRequest adds text and a photo from the claimant to a request. The text may be missing, and photo may be nil. If
// the same text and photo are sent twice, they are added once.
func (g *Guests) AddToRequest(ctx context.Context, token string, details lost.Field[string],
	photo io.Reader) (v change.Visit, err error) {
	if photo == nil {
		return g.addDetails(ctx, token, details)
	}
	if v, err = g.mayAddToRequest(ctx, token, details); err != nil { // before reading the upload
		return v, err
	}
	var once lost.IdempotencyKey
	check := func(digest string) (err error) {
		if v, err = g.mayAddToRequest(ctx, token, details); err != nil {
			return err
		}
		if once, err = g.newAddition(ctx, v, details.Value, digest); err != nil {
			return err
		}
		if len(v.Item.Images) >= lost.MaxClaimImages {
			return errUnchangeable
		}
		return nil
	}
	in := IncomingPicture{Field: "photo", Content: photo, Limit: MaxImage, Deferred: true}
	err = g.pictures.upload(ctx, v.Link.Guest(), in, check,
		func(image lost.Image, keep func(*store.Tx) error) (bool, error) {
			v, err = g.addPhoto(ctx, token, details, image, once, keep)
			return v.Item.ImageFile == image.File, err
		})
	g.wake()
	return v, err
}

// addDetails adds text from the claimant to a request.
func (g *Guests) addDetails(ctx context.Context, token string, details lost.Field[string]) (change.Visit, error) {
	return g.links.Change(ctx, token, func(tx *store.Tx, v change.Visit, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(v.Link.Guest(), lost.Updated, tx.Now())
		changed, err := i.AddDetails(details, tx.Now())
		if changed {
			entry.Fields = []string{"description"}
		}
		return entry, err
	})
}

// addedPhoto is the saved response to a claimant who added a photo.
type addedPhoto struct{ File string }

// isIn reports whether a request still contains the photo and the text that was sent with it.
func (p addedPhoto) isIn(i lost.Item, text string) bool {
	return strings.Contains(i.Description, text) &&
		slices.ContainsFunc(i.Images, func(image lost.Image) bool { return image.File == p.File })
}

// newAddition returns the idempotency key of a text and a photo. It returns errRepeated if the claimant has already
// added them. If staff have removed them since, the claimant can add them again, with another key.
func (g *Guests) newAddition(ctx context.Context, v change.Visit, text,
	digest string) (once lost.IdempotencyKey, err error) {
	sum := sha256.Sum256([]byte(text + "\n" + digest))
	for n := range lost.MaxClaimImages {
		once = lost.IdempotencyKey{
			Key: fmt.Sprintf("details %s %d", hex.EncodeToString(sum[:]), n), Request: "details",
		}
		first, found, err := access.FindCreated[addedPhoto](ctx, g.db, v.Link.Guest(), once)
		if err != nil || !found {
			return once, err
		}
		i, err := g.db.Item(ctx, v.Item.Account, v.Item.LocationID, v.Item.ID) // after the search, so that it is newer
		if err != nil {
			return once, err
		}
		if first.isIn(i, text) {
			return once, errRepeated
		}
	}
	return once, errUnchangeable // added and removed too often
}

// addPhoto adds a photo, and text that may be missing, to a request. It changes nothing if another call with the same
// key has added them in the meantime.
func (g *Guests) addPhoto(ctx context.Context, token string, details lost.Field[string], image lost.Image,
	once lost.IdempotencyKey, keep func(*store.Tx) error) (change.Visit, error) {
	return g.links.Change(ctx, token, func(tx *store.Tx, v change.Visit, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(v.Link.Guest(), lost.Updated, tx.Now())
		add := func() (addedPhoto, error) {
			if details.Value != "" {
				changed, err := i.AddDetails(details, tx.Now())
				if err != nil {
					return addedPhoto{}, err
				}
				if changed {
					entry.Fields = append(entry.Fields, "description")
				}
			}
			entry.Fields = append(entry.Fields, "images")
			if err := addImage(tx, v.Link.Guest(), i, image); err != nil {
				return addedPhoto{}, err
			}
			return addedPhoto{image.File}, keep(tx)
		}
		_, err := access.CreateOnce(tx, v.Link.Guest(), once, add)
		return entry, err
	})
}

// errUnchangeable is returned if a claimant can no longer add to a request.
var errUnchangeable = lost.E(lost.Conflict, "This can no longer be changed here.")

// mayAddToRequest returns an error if a claimant cannot add the text to a request.
func (g *Guests) mayAddToRequest(ctx context.Context, token string, details lost.Field[string]) (change.Visit, error) {
	v, err := g.links.Visit(ctx, token)
	if err != nil {
		return v, err
	}
	if v.Item.Source != lost.Request || v.Item.Claim.State != lost.RequestPending {
		return v, errUnchangeable
	}
	if details.Value != "" {
		i := v.Item // a copy, which is not saved
		_, err = i.AddDetails(details, v.Now)
	}
	return v, err
}
