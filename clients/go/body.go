package homeward

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"strings"
)

// body is the body of a request, which can be opened again if the request is repeated.
type body struct {
	contentType string
	length      int64 // -1 if it is not known

	before, after []byte    // all of a JSON body, or what surrounds the file in a form
	file          io.Reader // nil without a file
	start         int64     // where the file started
}

func newBody(r request, images []io.Reader) (*body, error) {
	switch {
	case len(images) > 0:
		return newImageForm(r.body, images)
	case r.file != nil:
		return newForm(r.part, r.file)
	case r.body != nil:
		text, err := json.Marshal(r.body)
		if err != nil {
			return nil, fmt.Errorf("homeward: encode the body: %w", err)
		}
		return &body{contentType: "application/json", length: int64(len(text)), before: text}, nil
	default:
		return &body{}, nil
	}
}

// newImageForm returns a form with the fields of a JSON body, followed by images. It reads the images into memory.
func newImageForm(fields any, images []io.Reader) (*body, error) {
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("homeward: encode the body: %w", err)
	}
	var values map[string]string
	if err := json.Unmarshal(text, &values); err != nil {
		return nil, fmt.Errorf("homeward: the operation does not accept images: %w", err)
	}
	var all bytes.Buffer
	form := multipart.NewWriter(&all)
	for name, value := range values {
		if err := form.WriteField(name, value); err != nil {
			return nil, err
		}
	}
	for _, image := range images {
		part, err := form.CreateFormFile("image", "image")
		if err != nil {
			return nil, err
		}
		if _, err := io.Copy(part, image); err != nil {
			return nil, err
		}
	}
	if err := form.Close(); err != nil {
		return nil, err
	}
	return &body{contentType: form.FormDataContentType(), length: int64(all.Len()), before: all.Bytes()}, nil
}

// newForm returns a form with one file. The file is streamed, not read into memory.
func newForm(part string, file io.Reader) (*body, error) {
	var around bytes.Buffer
	form := multipart.NewWriter(&around)
	if _, err := form.CreateFormFile(part, part); err != nil {
		return nil, err
	}
	before := bytes.Clone(around.Bytes())
	around.Reset()
	if err := form.Close(); err != nil {
		return nil, err
	}
	b := &body{
		contentType: form.FormDataContentType(), length: -1, before: before, after: around.Bytes(), file: file,
	}
	seeker, is := file.(io.Seeker)
	if !is {
		return b, nil
	}
	start, err := seeker.Seek(0, io.SeekCurrent)
	if err != nil {
		return b, nil //nolint:nilerr // a pipe: the file can be read, but only once
	}
	end, err := seeker.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	b.start, b.length = start, int64(len(b.before)+len(b.after))+end-start
	return b, nil
}

// reopens reports whether the body can be sent once more.
func (b *body) reopens() bool { return b.file == nil || b.length >= 0 }

// open returns the body from its start. It returns nil if there is no body.
func (b *body) open() (io.Reader, error) {
	if b.contentType == "" {
		return nil, nil
	}
	if b.file == nil {
		return bytes.NewReader(b.before), nil
	}
	if seeker, is := b.file.(io.Seeker); is && b.length >= 0 {
		if _, err := seeker.Seek(b.start, io.SeekStart); err != nil {
			return nil, err
		}
	}
	return io.MultiReader(bytes.NewReader(b.before), b.file, bytes.NewReader(b.after)), nil
}

// isJSON reports whether a content type is JSON or a problem.
func isJSON(contentType string) bool {
	return strings.HasPrefix(contentType, "application/json") ||
		strings.HasPrefix(contentType, "application/problem+json")
}
