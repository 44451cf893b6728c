package staff

import (
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"github.com/boombuler/barcode/qr"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

func twoStepRoutes() []Route {
	return []Route{
		{Method: http.MethodPost, Path: "/settings/profile/two-step", serve: (*call).beginTwoStep},
		{Method: http.MethodGet, Path: "/settings/profile/two-step", serve: (*call).askTwoStep},
		{Method: http.MethodPost, Path: "/settings/profile/two-step/confirm", serve: (*call).confirmTwoStep},
		{Method: http.MethodGet, Path: "/settings/profile/two-step/off", serve: (*call).askTwoStepOff},
		{Method: http.MethodPost, Path: "/settings/profile/two-step/off", serve: (*call).dropTwoStep},
		{Method: http.MethodGet, Path: "/settings/profile/two-step/recovery", serve: (*call).askRecovery},
		{Method: http.MethodPost, Path: "/settings/profile/two-step/recovery", serve: (*call).renewRecovery},
	}
}

type twoStepPage struct {
	page
	Tabs          []link
	Seed          string
	URL           template.URL // which the app opens
	QR            qrDrawing
	Code, Current *input
}

// qrDrawing is a QR code as what an SVG draws.
type qrDrawing struct {
	Size int
	Path string
}

// drawQR makes a QR code, with the margin that scanners need.
func drawQR(text string) (d qrDrawing, err error) {
	const margin = 4
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return d, fmt.Errorf("draw a QR code: %w", err)
	}
	size := code.Bounds().Dx()
	var b strings.Builder
	for y := range size {
		for x := range size {
			if r, _, _, _ := code.At(x, y).RGBA(); r == 0 {
				fmt.Fprintf(&b, "M%d %dh1v1h-1z", x+margin, y+margin)
			}
		}
	}
	return qrDrawing{Size: size + 2*margin, Path: b.String()}, nil
}

func (c *call) beginTwoStep() error {
	if err := c.desk.BeginTwoStep(c.ctx(), c.in); err != nil {
		return err
	}
	return c.see("/settings/profile/two-step")
}

func (c *call) twoStepPage() (p twoStepPage, err error) {
	n, err := c.desk.PendingTwoStep(c.ctx(), c.in)
	if err != nil {
		return p, err
	}
	p = twoStepPage{page: c.page("Set up the second step"), Tabs: c.peopleTabs(), Seed: n.Seed, Code: codeInput("Six digits, which change every half minute."), Current: currentInput()}
	p.Code.Focus = false        // what is to be scanned stands above it
	p.URL = template.URL(n.URL) //nolint:gosec // G203: it begins with otpauth: and is made by us
	p.QR, err = drawQR(n.URL)
	return p, err
}

func (c *call) askTwoStep() error {
	p, err := c.twoStepPage()
	if lost.CodeOf(err) == lost.NotFound { // it is on, or was not begun
		return c.see("/settings/profile")
	}
	if err != nil {
		return err
	}
	return c.write(http.StatusOK, "two-step", p)
}

// recoveryPage shows recovery codes, this once.
type recoveryPage struct {
	page
	Tabs  []link
	Codes []string
	Base  string // of what they are, on a sheet of paper
}

func (c *call) showRecovery(codes []string) error {
	return c.write(http.StatusOK, "recovery", recoveryPage{page: c.page("Keep these codes"), Tabs: c.peopleTabs(), Codes: codes, Base: c.base.String()})
}

func (c *call) confirmTwoStep() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	codes, wrong := c.desk.ConfirmTwoStep(c.ctx(), c.in, values.Get("current"), values.Get("code"))
	if wrong == nil {
		return c.showRecovery(codes)
	}
	p, err := c.twoStepPage()
	if err != nil {
		return err
	}
	if p.Problems, err = judge([]*input{p.Current, p.Code}, wrong); err != nil {
		if lost.CodeOf(err) != lost.TooMany {
			return err
		}
		p.Problems = []problem{{Text: lost.Detail(err)}}
	}
	return c.write(respond.Failed(c.w, wrong), "two-step", p)
}

func (c *call) twoStepOffPage() *askPage {
	p := c.profileAsk("Switch the second step off", "Switch it off", currentInput())
	p.Danger, p.Lead = true, []string{"Your password alone then lets you in: also whoever else has it."}
	return p
}

func (c *call) askTwoStepOff() error { return c.asks(c.twoStepOffPage()) }

func (c *call) dropTwoStep() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	if err := c.desk.DropTwoStep(c.ctx(), c.in, values.Get("current")); err != nil {
		return c.again(c.twoStepOffPage(), err)
	}
	c.tell("The second step is off.")
	return c.see("/settings/profile")
}

func (c *call) newRecoveryPage() *askPage {
	p := c.profileAsk("Make new recovery codes", "Make new codes", currentInput())
	p.Lead = []string{"The ones that you have now work no more."}
	return p
}

func (c *call) askRecovery() error { return c.asks(c.newRecoveryPage()) }

func (c *call) renewRecovery() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	codes, err := c.desk.RenewRecovery(c.ctx(), c.in, values.Get("current"))
	if err != nil {
		return c.again(c.newRecoveryPage(), err)
	}
	return c.showRecovery(codes)
}
