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
	"runtime"
)

const (
	rotatedQuality = 90
	thumbQuality   = 82
)

// decoded is a picture, or the first frame of an animation. The canvas is in the picture's coordinates.
type decoded struct {
	image  image.Image
	canvas image.Rectangle
	size   image.Point // the size of the canvas before the picture was scaled
}

// decode decodes a cleaned picture. Because the file is untrusted, every failure is reported as a damaged file,
// including a panic in a decoder, unless the file could not be read.
func decode(ctx context.Context, ext string, r io.ReadSeeker) (d decoded, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = damagedPicture(fmt.Errorf("decoder panicked: %v", p))
		}
	}()
	in := &errReader{r: yieldingReader{ctxReader{ctx, r}}}
	d, err = decodeAs(ext, r, in)
	switch {
	case ctx.Err() != nil:
		return d, ctx.Err()
	case in.err != nil:
		return d, fmt.Errorf("read picture: %w", in.err)
	case err != nil:
		return d, damagedPicture(err)
	}
	d.size = d.canvas.Size()
	return d, nil
}

// yieldingReader lets other goroutines run before each read. Decoding a large picture would otherwise delay requests by
// ten milliseconds at each of their steps, because that is how long the Go runtime lets a goroutine run.
type yieldingReader struct{ io.Reader }

func (p yieldingReader) Read(b []byte) (int, error) {
	runtime.Gosched()
	return p.Reader.Read(b)
}

// decodeScaledJPEG decodes a baseline JPEG so that each of its blocks becomes block × block pixels. It returns
// errNotScaled if that does not work, whether or not the picture is damaged.
func decodeScaledJPEG(ctx context.Context, r io.Reader, info pictureInfo, block int) (d decoded, err error) {
	defer func() {
		if recover() != nil {
			err = errNotScaled
		}
	}()
	if d.image, err = decodeScaled(ctx, r, block); err != nil {
		return d, err
	}
	d.canvas, d.size = d.image.Bounds(), image.Pt(info.width, info.height)
	return d, nil
}

// decodeAs decodes the picture that it reads from in. The reader in reads from r until the context ends.
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

// decodeGIF decodes the first frame, which may cover only part of the canvas.
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

// verify decodes a cleaned picture to check that it can be displayed.
func (l *Processor) verify(ctx context.Context, lane Lane, p *Picture, info pictureInfo) error {
	return l.inTurn(ctx, lane, info.memory, func() error {
		_, err := decode(ctx, p.Ext, p.Content())
		return err
	})
}

// rotate rotates a cleaned picture according to its orientation. A JPEG remains a JPEG; other formats become PNG,
// which is lossless.
func (l *Processor) rotate(ctx context.Context, lane Lane, p *Picture, info pictureInfo) error {
	return l.inTurn(ctx, lane, info.rotationMemory(), func() error {
		d, err := decode(ctx, p.Ext, p.Content())
		if err != nil {
			return err
		}
		img := orient(d.image, info.orientation)
		profile, err := profileOf(p.Ext, img, p.Content())
		if err != nil {
			return err
		}
		return p.replaceContent(img, profile)
	})
}

// replaceContent replaces the content of the picture's file with img and its colour profile.
func (p *Picture) replaceContent(img image.Image, profile []byte) error {
	if err := restart(p.file); err != nil {
		return err
	}
	out := newWriter(p.file)
	var err error
	if p.Ext == "jpg" {
		err = encodeJPEG(out, img, rotatedQuality, profile)
	} else {
		p.Ext, p.ContentType = "png", "image/png"
		err = png.Encode(out, img)
	}
	if err != nil {
		return fmt.Errorf("encode rotated picture: %w", err)
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

// profileOf returns the colour profile that a re-encoded copy of img needs. It omits a CMYK picture's profile,
// because the copy is RGB.
func profileOf(ext string, img image.Image, r io.Reader) ([]byte, error) {
	if _, cmyk := img.(*image.CMYK); cmyk || ext != "jpg" {
		return nil, nil
	}
	return colourProfile(newReader(r))
}
