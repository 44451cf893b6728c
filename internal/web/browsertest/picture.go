package browsertest

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/chromedp/chromedp"
)

// Screenshot saves a picture of the whole page in the folder named by the environment variable
// HOMEWARD_TEST_SCREENSHOTS. If the variable is not set, it does nothing.
func (v *Visitor) Screenshot(name string) {
	v.t.Helper()
	folder := os.Getenv("HOMEWARD_TEST_SCREENSHOTS")
	if folder == "" {
		return
	}
	picture, err := chromedp.Run(v.ctx, chromedp.FullScreenshot(100))
	v.must(err)
	v.must(os.MkdirAll(folder, 0o755))
	file := strings.NewReplacer("/", " ", "_", " ").Replace(v.t.Name() + " " + name)
	v.must(os.WriteFile(filepath.Join(folder, file+".png"), picture, 0o644))
}

// Picture returns the visible part of the page as a PNG.
func (v *Visitor) Picture() []byte {
	v.t.Helper()
	picture, err := chromedp.Run(v.ctx, chromedp.CaptureScreenshot())
	v.must(err)
	return picture
}
