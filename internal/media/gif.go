package media

import (
	"encoding/binary"
)

const (
	gifExtension = 0x21
	gifImage     = 0x2c
	gifTrailer   = 0x3b

	gifControl     = 0xf9 // extension with the delay and transparency of the next frame
	gifApplication = 0xff // extension with application data, such as how often to repeat

	gifInterlaced = 0x40 // flag in a frame header
)

// gifCleaner copies a GIF block by block.
type gifCleaner struct {
	r      *reader
	w      *writer
	facts  pictureInfo
	frames int
	looped bool // the number of repetitions was copied
}

// cleanGIF copies the frames, their timing and the number of repetitions. It drops comments, text and application
// data.
func cleanGIF(r *reader, w *writer) (pictureInfo, error) {
	head, err := r.Peek(13)
	if err != nil {
		return pictureInfo{}, err
	}
	width, height, flags := gifUint(head[6:]), gifUint(head[8:]), head[10]
	if err := checkSize(width, height); err != nil {
		return pictureInfo{}, err
	}
	if err := r.copyTo(w, 13+gifPalette(flags)); err != nil {
		return pictureInfo{}, err
	}
	g := &gifCleaner{r: r, w: w, facts: pictureInfo{width: width, height: height}}
	for ended := false; !ended; {
		if ended, err = g.block(); err != nil {
			return g.facts, err
		}
	}
	if g.frames == 0 {
		return pictureInfo{}, brokenFile("no picture before the end")
	}
	g.facts.animated = g.frames > 1
	return g.facts, nil
}

func gifUint(p []byte) int { return int(binary.LittleEndian.Uint16(p)) }

// gifPalette returns the length in bytes of the colour table described by flags.
func gifPalette(flags byte) int64 {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// block copies or drops one block and reports whether it was the last one.
func (g *gifCleaner) block() (ended bool, err error) {
	kind, err := g.r.ReadByte()
	if err != nil {
		return false, err
	}
	switch kind {
	case gifTrailer:
		g.w.put(gifTrailer)
		return true, nil
	case gifImage:
		return false, g.image()
	case gifExtension:
		return false, g.extension()
	}
	return false, brokenFile("unknown block")
}

// image copies a frame: its position and size, colour table and encoded pixels.
func (g *gifCleaner) image() error {
	head, err := g.r.Peek(9)
	if err != nil {
		return err
	}
	width, height := gifUint(head[4:]), gifUint(head[6:])
	if err := checkSize(width, height); err != nil {
		return err
	}
	g.frames++
	if g.frames == 1 {
		g.facts.memory = gifMemory(width, height, head[8]&gifInterlaced != 0)
		if err := g.w.pixels(); err != nil {
			return err
		}
	}
	g.w.put(gifImage)
	// The colour table is followed by one byte with the size of the first code.
	if err := g.r.copyTo(g.w, 9+gifPalette(head[8])+1); err != nil {
		return err
	}
	return g.parts(func(n int64) error {
		g.w.put(byte(n))
		return g.r.copyTo(g.w, n)
	})
}

// parts calls each with the length of every part of a block; each must read the part. The caller writes the beginning
// of the block, and parts writes the end.
func (g *gifCleaner) parts(each func(n int64) error) error {
	for {
		n, err := g.r.ReadByte()
		if err != nil {
			return err
		}
		if n == 0 {
			g.w.put(0)
			return nil
		}
		if err := each(int64(n)); err != nil {
			return err
		}
	}
}

func (g *gifCleaner) extension() error {
	label, err := g.r.ReadByte()
	if err != nil {
		return err
	}
	switch label {
	case gifControl:
		return g.control()
	case gifApplication:
		return g.application()
	}
	return g.drop()
}

// drop skips all parts of a block.
func (g *gifCleaner) drop() error {
	for {
		n, err := g.r.ReadByte()
		if err != nil || n == 0 {
			return err
		}
		if err := g.r.skip(int64(n)); err != nil {
			return err
		}
	}
}

// control copies the four bytes that describe the next frame.
func (g *gifCleaner) control() error {
	var p [6]byte
	if err := g.r.fill(p[:]); err != nil {
		return err
	}
	if p[0] != 4 || p[5] != 0 {
		return brokenFile("graphic control")
	}
	g.w.put(gifExtension, gifControl)
	g.w.put(p[:]...)
	return nil
}

// application copies the number of repetitions and drops all other application data, including XMP.
func (g *gifCleaner) application() error {
	n, err := g.r.ReadByte()
	if err != nil {
		return err
	}
	var id [11]byte
	if n == 0 {
		return nil
	}
	if n != byte(len(id)) {
		return brokenFile("application extension")
	}
	if err := g.r.fill(id[:]); err != nil {
		return err
	}
	if name := string(id[:]); name != "NETSCAPE2.0" && name != "ANIMEXTS1.0" || g.looped {
		return g.drop()
	}
	g.w.put(gifExtension, gifApplication, n)
	g.w.put(id[:]...)
	return g.parts(g.loop)
}

// loop copies the first part that contains the number of repetitions.
func (g *gifCleaner) loop(n int64) error {
	p, err := g.r.head(3, n)
	if err == nil && n == 3 && p[0] == 1 && !g.looped {
		g.looped = true
		g.w.put(3)
		g.w.put(p...)
	}
	return err
}
