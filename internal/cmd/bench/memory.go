package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// memoryResult holds the program's memory use, in MB.
type memoryResult struct {
	first  float64 // when idle, after the start that created the database
	idle   float64 // when idle, after any other start
	peak   float64 // the peak during uploads
	upload float64 // the size of each upload
}

const (
	uploads     = 8
	uploadBytes = 10 << 20        // the largest accepted size
	idleTime    = 8 * time.Second // the service releases the memory of its start after 5 s
)

// memory builds the program, runs it on SQLite and reads its memory use from the kernel.
func (b *bench) memory(ctx context.Context) (*memoryResult, error) {
	binary, err := b.build(ctx)
	if err != nil {
		return nil, err
	}
	b.logf("memory: making a picture")
	picture, err := photo(4000, 3000, 66, uploadBytes)
	if err != nil {
		return nil, err
	}
	b.logf("memory: %d uploads of %d bytes", uploads, len(picture))
	m := &memoryResult{upload: float64(len(picture)) / bytesPerMega}
	data := filepath.Join(b.folder, "memory")
	err = withProgram(ctx, binary, []string{"HOMEWARD_DATA=" + data}, func(p *program) error {
		m.first, err = p.resident(ctx, "VmRSS:")
		return err
	})
	if err != nil {
		return nil, err
	}
	err = withProgram(ctx, binary, []string{"HOMEWARD_DATA=" + data}, func(p *program) error {
		if m.idle, err = p.resident(ctx, "VmRSS:"); err != nil {
			return err
		}
		if err := p.uploadAll(ctx, picture); err != nil {
			return err
		}
		m.peak, err = p.resident(ctx, "VmHWM:")
		return err
	})
	return m, err
}

// build builds the program, unless it was already built, and returns its file.
func (b *bench) build(ctx context.Context) (string, error) {
	binary := filepath.Join(b.folder, "homeward")
	if _, err := os.Stat(binary); err == nil {
		return binary, nil
	}
	b.logf("building the program")
	out, err := exec.CommandContext(ctx, "go", "build", "-o", binary, "homeward/cmd/homeward").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return binary, nil
}

// program is the service running as a separate process.
type program struct {
	cmd   *exec.Cmd
	url   string
	began time.Time
}

// withProgram runs the service with settings while fn measures it.
func withProgram(ctx context.Context, binary string, settings []string, fn func(*program) error) error {
	cmd := exec.CommandContext(ctx, binary, "serve")
	cmd.Env = append(append(os.Environ(), "HOMEWARD_LISTEN="+listenAddress, "HOMEWARD_API_KEY="+apiKey,
		"HOMEWARD_RATE_LIMIT=0", "HOMEWARD_LOG=json"), settings...)
	log, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	p := &program{cmd: cmd, began: time.Now()}
	if err := cmd.Start(); err != nil {
		return err
	}
	if p.url, err = listening(log); err == nil {
		err = fn(p)
	}
	return errors.Join(err, cmd.Process.Signal(syscall.SIGTERM), cmd.Wait())
}

// listening returns the address that the service logs, and keeps reading the log so that the service does not block.
func listening(log io.Reader) (string, error) {
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		var line struct{ Msg, URL string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "listening" {
			go func() { _, _ = io.Copy(io.Discard, log) }()
			return line.URL, nil
		}
	}
	return "", errors.New("the program exited before it was listening")
}

// resident waits until the program is idle and returns one of the kernel's memory figures, in MB.
func (p *program) resident(ctx context.Context, name string) (float64, error) {
	select {
	case <-time.After(idleTime):
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		var kB float64
		if rest, ok := strings.CutPrefix(line, name); ok {
			_, err := fmt.Sscanf(strings.TrimSpace(rest), "%f kB", &kB)
			return kB / bytesPerKB, err
		}
	}
	return 0, fmt.Errorf("the kernel does not report %s", name)
}

// uploadAll uploads a picture to eight items at the same time and waits for the thumbnails.
func (p *program) uploadAll(ctx context.Context, picture []byte) error {
	var location struct{ ID string }
	if err := p.post(ctx, "/v1/locations", "application/json", strings.NewReader(`{"name":"Adler"}`),
		&location); err != nil {
		return err
	}
	results := make(chan error, uploads)
	for range uploads {
		go func() { results <- p.uploadOne(ctx, "/v1/locations/"+location.ID+"/items", picture) }()
	}
	var errs []error
	for range uploads {
		errs = append(errs, <-results)
	}
	return errors.Join(errs...)
}

func (p *program) uploadOne(ctx context.Context, items string, picture []byte) error {
	var item struct {
		ID     string
		Images []struct{ ThumbnailURL string }
	}
	if err := p.post(ctx, items, "application/json", strings.NewReader(`{"description":"Umbrella"}`),
		&item); err != nil {
		return err
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("image", "photo.jpg")
	if err != nil {
		return err
	}
	_, _ = part.Write(picture)
	_ = w.Close()
	if err := p.post(ctx, items+"/"+item.ID+"/upload-image", w.FormDataContentType(), &form, &item); err != nil {
		return err
	}
	return p.call(ctx, http.MethodGet, item.Images[0].ThumbnailURL, "", nil, nil)
}

func (p *program) post(ctx context.Context, path, contentType string, body io.Reader, response any) error {
	return p.call(ctx, http.MethodPost, p.url+path, contentType, body, response)
}

func (p *program) call(ctx context.Context, method, address, contentType string, body io.Reader, response any) error {
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return err
	}
	req.Header.Set("svc-api-key", apiKey)
	req.Header.Set("Content-Type", contentType)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= http.StatusBadRequest {
		err = fmt.Errorf("%s %s: %s %s", method, address, res.Status, text)
	}
	if err != nil || response == nil {
		return err
	}
	return json.Unmarshal(text, response)
}

// photo returns a JPEG of nearly the given size in bytes: a gradient with sensor noise, which is what makes real photos
// large.
func photo(width, height, noise, maxBytes int) ([]byte, error) {
	r := rand.New(rand.NewPCG(7, 8))
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			n := r.IntN(noise)
			img.SetRGBA(x, y,
				color.RGBA{
					R: uint8(x*190/width + n), G: uint8(y*190/height + n),
					B: uint8((x+y)*190/(width+height) + r.IntN(noise)), A: 255,
				})
		}
	}
	for quality := 96; quality > 50; quality -= 2 {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: quality}); err != nil {
			return nil, err
		}
		if b.Len() <= maxBytes {
			return b.Bytes(), nil
		}
	}
	return nil, errors.New("the picture cannot be made small enough")
}
