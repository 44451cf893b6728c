package users

import (
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"github.com/boombuler/barcode/qr"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

type totpPage struct {
	frame.Page
	Tabs          []frame.Link
	Seed          string
	URL           template.URL // opens the authenticator app
	QR            qrDrawing
	Code, Current *frame.Input
}

// qrDrawing is a QR code as an SVG path.
type qrDrawing struct {
	Size int
	Path string
}

// drawQR draws text as a QR code, with the margin that scanners need.
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

func (c *call) beginTOTP() error {
	if err := c.Services.TOTP.Begin(c.Context(), c.Session); err != nil {
		return err
	}
	return c.Redirect("/settings/profile/two-step")
}

func (c *call) totpPage() (p totpPage, err error) {
	n, err := c.Services.TOTP.Pending(c.Context(), c.Session)
	if err != nil {
		return p, err
	}
	p = totpPage{
		Page: c.NewPage(c.Say("users.two-step.setup")), Tabs: c.FormTabs(), Seed: n.Seed,
		Code: c.CodeInput(c.Say("users.two-step.code.hint")), Current: c.CurrentPasswordInput(),
	}
	p.Code.Focus = false        // the focus would scroll past the QR code above
	p.URL = template.URL(n.URL) //nolint:gosec // G203: created by the service; it starts with otpauth:
	p.QR, err = drawQR(n.URL)
	return p, err
}

func (c *call) askTOTP() error {
	p, err := c.totpPage()
	if lost.CodeOf(err) == lost.NotFound { // two-step login is already on, or its setup was not started
		return c.Redirect("/settings/profile")
	}
	if err != nil {
		return err
	}
	return c.Render(http.StatusOK, "two-step", p)
}

// recoveryPage shows new recovery codes. They are shown only once.
type recoveryPage struct {
	frame.Page
	Tabs  []frame.Link
	Codes []string
	Base  string // the service's public address, shown with the codes
	// LoggedOut is true if two-step login was just turned on, which ends the other sessions.
	LoggedOut bool
}

func (c *call) recoveryPage(codes []string) recoveryPage {
	return recoveryPage{
		Page: c.NewPage(c.Say("users.recovery.title")), Tabs: c.FormTabs(), Codes: codes, Base: c.Base.String(),
	}
}

func (c *call) confirmTOTP() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	codes, wrong := c.Services.TOTP.Confirm(c.Context(), c.Session, values.Get("current"), values.Get("code"))
	if wrong == nil {
		p := c.recoveryPage(codes)
		p.LoggedOut = true
		return c.Render(http.StatusOK, "recovery", p)
	}
	p, err := c.totpPage()
	if err != nil {
		return err
	}
	if p.Problems, err = c.MarkErrors([]*frame.Input{p.Current, p.Code}, wrong); err != nil {
		if lost.CodeOf(err) != lost.TooMany {
			return err
		}
		p.Problems = []frame.Problem{{Text: c.ErrorText(err)}}
	}
	return c.Render(respond.RecordError(c.Writer, wrong), "two-step", p)
}

func (c *call) disableTOTPPage() *frame.FormPage {
	p := c.profileAsk(c.Say("users.two-step.off.title"), c.Say("users.two-step.off"), c.CurrentPasswordInput())
	p.Danger, p.Lead = true, []string{c.Say("users.two-step.off.lead")}
	return p
}

func (c *call) askDisableTOTP() error { return c.ShowForm(c.disableTOTPPage()) }

func (c *call) disableTOTP() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	if err := c.Services.TOTP.Disable(c.Context(), c.Session, values.Get("current")); err != nil {
		return c.ShowFormAgain(c.disableTOTPPage(), err)
	}
	c.Flash(c.Say("users.two-step.off.done"))
	return c.Redirect("/settings/profile")
}

func (c *call) newRecoveryPage() *frame.FormPage {
	p := c.profileAsk(c.Say("users.recovery.new"), c.Say("users.recovery.new.button"), c.CurrentPasswordInput())
	p.Lead = []string{c.Say("users.recovery.new.lead")}
	return p
}

func (c *call) askRecovery() error { return c.ShowForm(c.newRecoveryPage()) }

func (c *call) renewRecovery() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	codes, err := c.Services.TOTP.RenewRecovery(c.Context(), c.Session, values.Get("current"))
	if err != nil {
		return c.ShowFormAgain(c.newRecoveryPage(), err)
	}
	return c.Render(http.StatusOK, "recovery", c.recoveryPage(codes))
}
