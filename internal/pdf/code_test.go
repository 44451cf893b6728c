package pdf_test

import (
	"image"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/oned"
	"github.com/makiuchi-d/gozxing/qrcode"

	"homeward/internal/lost"
)

// part returns an area of a picture. The arguments are in millimetres.
func part(shown *image.Gray, x, y, w, h float64) image.Image {
	return shown.SubImage(image.Rect(inDots(x, dots), inDots(y, dots), inDots(x+w, dots), inDots(y+h, dots)))
}

// read returns the text of a code in a picture, as a scanner would read it.
func read(t *testing.T, reader gozxing.Reader, shown image.Image) string {
	t.Helper()
	bitmap, err := gozxing.NewBinaryBitmapFromImage(shown)
	if err != nil {
		t.Fatal(err)
	}
	result, err := reader.Decode(bitmap, nil)
	if err != nil {
		return "unreadable: " + err.Error()
	}
	return result.GetText()
}

// codes holds the texts of the codes on a label.
type codes struct{ square, reference, tracking string }

func (o order) readLabel(t *testing.T, content []byte) codes {
	t.Helper()
	shown := picture(t, content, dots)
	const top = 148 - 5 - 16.5 - 2 // the top of the tracking number's area
	bottom := 148.0 - 5
	if o.s.Postage.TrackingNumber != "" {
		bottom = top
	}
	return codes{
		square:    read(t, qrcode.NewQRCodeReader(), part(shown, 0, bottom-36, 36, 36)),
		reference: read(t, oned.NewCode128Reader(), part(shown, 38, bottom-30, 67, 14)),
		tracking:  read(t, oned.NewCode128Reader(), part(shown, 0, top+1, 105, 14)),
	}
}

// TestATestLabelSaysSoAndIsMachineReadable checks that the test mark and the phone number do not overlap the codes,
// even if the tracking number is as long as possible.
func TestATestLabelSaysSoAndIsMachineReadable(t *testing.T) {
	tracking := "JJD " + strings.Repeat("9", 30)
	o := plain()
	o.s.Postage.TrackingNumber, o.s.PayBy, o.s.To.Phone = tracking, lost.PayTest, "+49 30 901820"
	want := codes{"HOMEWARD:K7F-3QD:" + tracking, "K7F-3QD", tracking}
	content := o.print(t, lost.LabelPaper)
	if got := o.readLabel(t, content); got != want {
		t.Errorf("the label reads %+v", got)
	}
	says(t, lost.LabelPaper, content, "TEST – keine", "Zahlung", "Telefon: +49 30 901820") // the mark is on two lines
}

func TestALabelWithoutATrackingNumberIsMachineReadable(t *testing.T) {
	o := plain()
	o.s.Postage.TrackingNumber = ""
	if got := o.readLabel(t, o.print(t, lost.LabelPaper)); got.square != "HOMEWARD:K7F-3QD" ||
		got.reference != "K7F-3QD" {
		t.Errorf("the label reads %+v", got)
	}
}

func TestATrackingNumberThatTheDeskTypedIsOnTheLabel(t *testing.T) {
	o := plain()
	o.s.Postage.TrackingNumber, o.c.Item.Shipping.TrackingNumber = "", "CC473124829DE"
	if printed := text(t, o.print(t, lost.LabelPaper)); !strings.Contains(printed, "CC473124829DE") {
		t.Errorf("the label says %q", printed)
	}
}

func TestATrackingNumberThatNoBarCodeCanHoldIsStillPrinted(t *testing.T) {
	for _, tracking := range []string{"ñ-ß-12", strings.Repeat("X7", 100)} {
		o := plain()
		o.s.Postage.TrackingNumber = tracking
		content := o.print(t, lost.LabelPaper)
		if printed := squeeze(text(t, content)); !strings.Contains(printed, tracking) {
			t.Errorf("%s is not on the label: %q", tracking, printed)
		}
	}
}

func TestATestPackingSlipSaysSoAndIsMachineReadable(t *testing.T) {
	o := plain()
	o.s.PayBy = lost.PayTest
	content := o.print(t, lost.SlipPaper)
	says(t, lost.SlipPaper, content, "TEST – keine Zahlung")
	shown := picture(t, content, dots)
	if got := read(t, oned.NewCode128Reader(), part(shown, 128, 20, 62, 14)); got != "K7F-3QD" {
		t.Errorf("the slip reads %q", got)
	}
}

// isDark reports whether a point in a picture is dark.
func isDark(shown *image.Gray, x, y float64) bool {
	return shown.GrayAt(inDots(x, dots), inDots(y, dots)).Y < 0x80
}
