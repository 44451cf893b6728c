//go:build linux && !race

package media_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/media"
)

// This test is not built with the race detector, which needs much more memory.

const memoryFolder = "HOMEWARD_MEMORY_TEST_FOLDER"

// memoryLimit is the maximum memory that eight uploads may use, in MB. The whole service may use 150 MB, of which about
// 40 MB are for everything else.
const memoryLimit = 110

// TestMain lets the test binary also run as the process whose memory is measured.
func TestMain(m *testing.M) {
	if folder := os.Getenv(memoryFolder); folder != "" {
		if err := receiveAll(folder); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestEightLargeUploadsStayWithinMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("decodes 8 large pictures for each case")
	}
	photo := largeJPEG(t, 4000, 3000)
	for _, tt := range []struct {
		name string
		body []byte
	}{
		{"12 MP 4:2:0", photo},
		{"12 MP 4:2:0 turned", insert(photo, 2, exifSegment(6))},
		{"20 MP 4:4:4", fullColour(5472, 3648)},
		{"20 MP 4:4:4 turned", insert(fullColour(5472, 3648), 2, exifSegment(6))},
		{"12 MP progressive", progressive(4000, 3000)},
		{"12 MP progressive turned", insert(progressive(4000, 3000), 2, exifSegment(6))},
		{"20 MP progressive", progressive(5472, 3648)},
		{"50 MP progressive 4:4:4", greyJPEG(progressiveFrame, 10_000, 5000, 0x11, 0x11, 0x11)},
		{"50 MP of inks", cmyk(baselineFrame, 10_000, 5000, 0x11, 0x11, 0x11, 0x11)},
		{"12 MP of inks", cmyk(baselineFrame, 4000, 3000, 0x11, 0x11, 0x11, 0x11)},
		{"7 MP of inks turned", insert(cmyk(baselineFrame, 3000, 2500, 0x11, 0x11, 0x11, 0x11), 2, exifSegment(6))},
		{"12 MP of 16 bits", blankPNG(4000, 3000, 16, 6, 0)},
		{"24 MP PNG", blankPNG(6000, 4000, 8, 2, 0)},
		{"12 MP PNG, interlaced", blankPNG(4000, 3000, 8, 2, 1)},
		{"8 MP of 16 bits turned",
			insert(blankPNG(4000, 2000, 16, 2, 0), afterIHDR, chunk("eXIf", exifBlock(binary.BigEndian, 6)))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body := tt.body[:min(len(tt.body), plenty)]
			body = append(bytes.Clone(body), make([]byte, plenty-len(body))...)
			peak := peakMemory(t, body)
			t.Logf("peak %d MB", peak)
			if peak > memoryLimit {
				t.Errorf("peak is %d MB, want at most %d", peak, memoryLimit)
			}
		})
	}
}

// largeJPEG returns a JPEG of random noise that is slightly smaller than 10 MiB.
func largeJPEG(t *testing.T, w, h int) []byte {
	t.Helper()
	m := image.NewYCbCr(image.Rect(0, 0, w, h), image.YCbCrSubsampleRatio420)
	copy(m.Y, noise(w/2, h/2).Pix)
	var b bytes.Buffer
	for quality := 95; quality > 0; quality -= 5 {
		b.Reset()
		if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: quality}); err != nil {
			t.Fatal(err)
		}
		if b.Len() < plenty-1000 {
			break
		}
	}
	return b.Bytes()
}

// peakMemory uploads eight copies of body at the same time in another process, and returns that process's peak
// resident memory in MB.
func peakMemory(t *testing.T, body []byte) int {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "upload"), body, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), memoryFolder+"="+folder)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	kilobytes, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return kilobytes / 1024
}

// receiveAll runs in the measured process: it processes the eight uploads and prints the peak memory in KB.
func receiveAll(folder string) error {
	ctx := context.Background()
	store, err := media.Open(ctx, filepath.Join(folder, "files"))
	if err != nil {
		return err
	}
	processor := media.NewProcessor(folder)
	errs := make([]error, 8)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { errs[i] = receiveOne(ctx, processor, store, filepath.Join(folder, "upload")) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	fmt.Println(strings.Fields(rest)[0])
	return nil
}

func receiveOne(ctx context.Context, processor *media.Processor, store media.Store, path string) error {
	upload, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = upload.Close() }()
	in := incoming(upload, plenty)
	in.Deferred = true // as for photos of items
	p, err := processor.Receive(ctx, in)
	if err != nil {
		return err
	}
	defer func() { _ = p.Close() }()
	name, err := p.Save(ctx, store)
	if err != nil {
		return err
	}
	_, err = processor.Verify(ctx, store, name, media.StaffLane)
	if p.Heavy && lost.CodeOf(err) == lost.Unsupported {
		return nil
	}
	return err
}
