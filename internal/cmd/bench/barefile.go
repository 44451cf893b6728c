package main

import (
	"bytes"
	"crypto/rand"
	"errors"
	"image/jpeg"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"homeward/internal/media"
)

// bareFiles stores uploads in a folder, in the same way as the service: in two levels of subfolders, under a temporary
// name until they are complete, and flushed to disk with their folder.
type bareFiles struct {
	folder, temp string
	mu           sync.Mutex
	known        map[string]bool // subfolders that exist
	copies       sync.Pool       // of *[]byte
}

func openBareFiles(folder string) (*bareFiles, error) {
	const copySize = 64 << 10
	f := &bareFiles{
		folder: folder, temp: filepath.Join(folder, ".tmp"), known: map[string]bool{},
		copies: sync.Pool{New: func() any { b := make([]byte, copySize); return &b }},
	}
	return f, os.MkdirAll(f.temp, 0o750)
}

// save stores a JPEG and returns its description. Only the header is read, for the size of the picture.
func (f *bareFiles) save(in io.Reader) (i bareImage, err error) {
	temp := filepath.Join(f.temp, strings.ToLower(rand.Text()))
	file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
	if err != nil {
		return i, err
	}
	i = bareImage{File: media.NewName("jpg"), Type: "image/jpeg"}
	i.Thumb = media.ThumbName(i.File)
	if err := errors.Join(f.copyTo(file, in, &i), file.Sync(), file.Close()); err != nil {
		return i, errors.Join(err, os.Remove(temp))
	}
	folder := filepath.Join(f.folder, i.File[:1], i.File[1:2])
	if err := f.makeFolder(folder); err != nil {
		return i, err
	}
	if err := os.Rename(temp, filepath.Join(folder, i.File)); err != nil {
		return i, err
	}
	return i, flushFolder(folder)
}

// copyTo writes a picture to a file and sets its dimensions and size.
func (f *bareFiles) copyTo(file io.Writer, in io.Reader, i *bareImage) error {
	buffer := f.copies.Get().(*[]byte)
	defer f.copies.Put(buffer)
	var head bytes.Buffer
	info, err := jpeg.DecodeConfig(io.TeeReader(in, &head))
	if err != nil {
		return err
	}
	i.Width, i.Height = int64(info.Width), int64(info.Height)
	// The struct hides other methods of the file, which would allocate their own buffer.
	i.Size, err = io.CopyBuffer(struct{ io.Writer }{file}, io.MultiReader(&head, in), *buffer)
	return err
}

// makeFolder creates a subfolder and flushes its parents, once for each subfolder.
func (f *bareFiles) makeFolder(folder string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known[folder] {
		return nil
	}
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	f.known[folder] = true
	return errors.Join(flushFolder(filepath.Dir(folder)), flushFolder(f.folder))
}

func flushFolder(name string) error {
	folder, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// upload stores a photo and makes it the first image of an item.
func (b *bareServer) upload(w http.ResponseWriter, r *http.Request) {
	part, err := imagePart(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	image, err := b.files.save(part)
	if err != nil {
		writeBare(w, 0, nil, err)
		return
	}
	now := time.Now().UnixMicro()
	image.At = now
	b.one(w, r, http.StatusOK, bareAddImage, b.account, r.PathValue("lid"), r.PathValue("id"), image.File, now,
		string(image.appendStored(nil)))
}

// imagePart returns the file in a form as a stream.
func imagePart(r *http.Request) (*multipart.Part, error) {
	form, err := r.MultipartReader()
	if err != nil {
		return nil, err
	}
	for {
		part, err := form.NextPart()
		if err != nil || part.FormName() == "image" {
			return part, err
		}
	}
}
