package media

import (
	"context"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"
)

const (
	turnedQuality = 90
	thumbQuality  = 82
)

// decoded is a picture, or the first frame of one, and the canvas that it lies
// on, in the picture's own coordinates.
type decoded struct {
	image  image.Image
	canvas image.Rectangle
}

// decode decodes a cleaned picture. Whatever stops it is a refusal of the file,
// even a panic: the decoders are others' work and the file is a stranger's.
func decode(ctx context.Context, ext string, r io.ReadSeeker) (d decoded, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = damaged(fmt.Errorf("decoder panicked: %v", p))
		}
	}()
	d, err = decodeAs(ext, r, ctxReader{ctx, r})
	switch {
	case ctx.Err() != nil:
		return d, ctx.Err()
	case err != nil:
		return d, damaged(err)
	}
	return d, nil
}

// decodeAs reads from in, which is r under a context.
func decodeAs(ext string, r io.Seeker, in io.Reader) (d decoded, err error) {
	switch ext {
	case "jpg":
		d.image, err = jpeg.Decode(in)
	case "png":
		d.image, err = png.Decode(in)
	case "webp":
		d.image, d.canvas, err = decodeWebP(in)
	case "gif":
		return decodeGIF(r, in)
	default:
		return d, errVariant
	}
	if err == nil && d.canvas.Empty() {
		d.canvas = d.image.Bounds()
	}
	return d, err
}

// decodeGIF decodes the first frame, which may cover but a part of the canvas.
func decodeGIF(r io.Seeker, in io.Reader) (d decoded, err error) {
	config, err := gif.DecodeConfig(in)
	if err != nil {
		return d, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return d, err
	}
	d.image, err = gif.Decode(in)
	d.canvas = image.Rect(0, 0, config.Width, config.Height)
	return d, err
}

// prove decodes a cleaned picture, to know that it can be shown.
func (l *Lab) prove(ctx context.Context, p *Picture, seen facts) error {
	return l.alone(ctx, seen.memory, func() error {
		_, err := decode(ctx, p.Ext, p.Content())
		return err
	})
}

// upright turns a cleaned picture as its orientation demands. A JPEG stays one;
// the others become PNG, which loses nothing.
func (l *Lab) upright(ctx context.Context, p *Picture, seen facts) error {
	if seen.heavyToTurn() {
		return errHeavy
	}
	return l.alone(ctx, seen.memory, func() error {
		d, err := decode(ctx, p.Ext, p.Content())
		if err != nil {
			return err
		}
		img := turn(d.image, seen.orientation)
		profile, err := profileOf(p.Ext, img, p.Content())
		if err != nil {
			return err
		}
		return p.redraw(img, profile)
	})
}

// redraw replaces the content. The old bytes are no longer needed: what is
// decoded and the profile are all that is kept of them.
func (p *Picture) redraw(img image.Image, profile []byte) error {
	if err := restart(p.file); err != nil {
		return err
	}
	out := newWriter(p.file)
	var err error
	if p.Ext == "jpg" {
		err = encodeJPEG(out, img, turnedQuality, profile)
	} else {
		p.Ext, p.ContentType = "png", "image/png"
		err = png.Encode(out, img)
	}
	if err != nil {
		return fmt.Errorf("encode turned picture: %w", err)
	}
	p.Width, p.Height, p.Size = img.Bounds().Dx(), img.Bounds().Dy(), out.at
	return out.flush()
}

func restart(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.Seek(0, io.SeekStart)
	return err
}

// profileOf gives the colour profile that an encoded copy of img needs. That of a
// CMYK picture is not among them: its copy is RGB.
func profileOf(ext string, img image.Image, r io.Reader) ([]byte, error) {
	if _, cmyk := img.(*image.CMYK); cmyk || ext != "jpg" {
		return nil, nil
	}
	return colourProfile(newReader(r))
}
