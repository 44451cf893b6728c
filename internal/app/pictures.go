package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/media"
	"homeward/internal/web/respond"
)

// pictures implements the photo interfaces of desk and outbox with package media.
type pictures struct {
	processor *media.Processor
	store     media.Store
}

// Receive reads a picture and prepares it for storage.
func (p pictures) Receive(ctx context.Context, in desk.IncomingPicture) (desk.Upload, error) {
	incoming := media.Incoming{
		Field: in.Field, Content: in.Content, Limit: in.Limit, Store: p.store, Deferred: in.Deferred,
	}
	if in.Public {
		incoming.Lane = media.PublicLane
	}
	if in.BeforeDecode != nil {
		incoming.BeforeDecode = func(sum [sha256.Size]byte) error {
			return in.BeforeDecode(hex.EncodeToString(sum[:]))
		}
	}
	pic, err := p.processor.Receive(ctx, incoming)
	if err != nil {
		return nil, err
	}
	name := media.NewName(pic.Ext)
	if in.Signature {
		name = media.NewSignatureName(pic.Ext)
	}
	return &upload{pic: pic, store: p.store, name: name}, nil
}

// Verify decodes a stored picture, creates its thumbnails and finds out what it shows. A picture that was deleted in
// the meantime is not damaged, nor is one that is too large to decode.
func (p pictures) Verify(ctx context.Context, name string, public bool) (desk.Verified, error) {
	lane := media.StaffLane
	if public {
		lane = media.PublicLane
	}
	facts, err := p.processor.Verify(ctx, p.store, name, lane)
	switch {
	case media.IsDamaged(err):
		return desk.Verified{Damaged: true}, nil
	case lost.CodeOf(err) == lost.NotFound, lost.CodeOf(err) == lost.Unsupported:
		return desk.Verified{}, nil
	}
	return desk.Verified{Facts: &facts}, err
}

// FindFacts returns what a picture shows, without storing anything.
func (p pictures) FindFacts(ctx context.Context, field string, content io.Reader, limit int64) (lost.PhotoFacts,
	error) {
	return p.processor.FindFacts(ctx, field, content, limit)
}

// Blurred returns a stored picture as a PNG in which nothing can be read.
func (p pictures) Blurred(ctx context.Context, name string) ([]byte, error) {
	return p.processor.Blurred(ctx, p.store, name)
}

// Reduced returns a stored picture as a small JPEG without metadata.
func (p pictures) Reduced(ctx context.Context, name string) ([]byte, error) {
	return p.processor.Reduced(ctx, p.store, name)
}

// Delete removes pictures and their thumbnails. Deleting a picture again is not an error.
func (p pictures) Delete(ctx context.Context, names ...string) error {
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := media.DeletePicture(ctx, p.store, name); err != nil {
			return err
		}
	}
	return nil
}

// Thumbnail creates the thumbnail of a picture.
func (p pictures) Thumbnail(ctx context.Context, name string) error {
	return p.processor.Thumbnail(ctx, p.store, name)
}

// Read returns the content of a file, or an error if it is larger than maxSize bytes.
func (p pictures) Read(ctx context.Context, name string, maxSize int64) ([]byte, error) {
	f, err := p.store.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if f.Size > maxSize {
		return nil, lost.E(lost.TooLarge, "The file is larger than %d bytes.", maxSize)
	}
	return io.ReadAll(io.LimitReader(f.Content, maxSize))
}

// NewFileStores returns the picture and document stores that the service uses. Tests use them to build services.
func NewFileStores(store media.Store, processor *media.Processor) (desk.Uploads, desk.Files,
	desk.FileReader) {
	return pictures{processor: processor, store: store}, documentFiles{store}, documentFiles{store}
}

// upload is a received picture and the file name to store it under.
type upload struct {
	pic   *media.Picture
	store media.Store
	name  string
}

func (u *upload) Image() lost.Image {
	thumbnail := media.ThumbName(u.name)
	if u.pic.Heavy { // too large to decode, so it has no separate thumbnail
		thumbnail = u.name
	}
	return lost.Image{
		File: u.name, Thumbnail: thumbnail, ContentType: u.pic.ContentType,
		Width: u.pic.Width, Height: u.pic.Height, Size: u.pic.Size,
	}
}

func (u *upload) Save(ctx context.Context) error {
	return u.pic.StoreAs(ctx, u.store, u.name)
}

func (u *upload) Close() { _ = u.pic.Close() }

// filesHandler returns the handler that serves uploads. Its error responses have the same form as the API's.
func filesHandler(store media.Store, processor *media.Processor) http.Handler {
	return media.Handler(store, processor, func(w http.ResponseWriter, _ *http.Request, err error) {
		respond.Problem(w, err)
	})
}
