package reply_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"homeward/internal/reply"
	"homeward/internal/reply/replytest"
)

const token = "7f3k9x2m4p8q1r5t6v0w3y7z2b"

// to is the header of a simple e-mail.
const to = "From: a@b.example\r\nTo: fundstelle+" + token + "@adler.example\r\nMIME-Version: 1.0\r\n"

func parse(t testing.TB, raw string) reply.Message {
	t.Helper()
	m, err := reply.Parse(strings.NewReader(raw), replytest.Self)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// endless repeats a text and never ends.
type endless struct{ text string }

func (e endless) Read(b []byte) (int, error) {
	n := 0
	for n+len(e.text) <= len(b) {
		n += copy(b[n:], e.text)
	}
	if n == 0 {
		n = copy(b, e.text)
	}
	return n, nil
}

func TestHostileMailsTakeBoundedMemoryAndTime(t *testing.T) {
	boundary := func(i int) string {
		return fmt.Sprintf("Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n", i, i)
	}
	var nested strings.Builder
	for i := range 10_000 {
		nested.WriteString(boundary(i))
	}
	photo := "--x\r\nContent-Type: image/jpeg; name=a.jpg\r\nContent-Transfer-Encoding: base64\r\n\r\n"
	mixed := to + "Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\nYes.\r\n"
	for name, r := range map[string]io.Reader{
		"25 MB attachment": io.MultiReader(strings.NewReader(mixed+photo),
			io.LimitReader(endless{"/9j/4AAQSkZJRgAB\r\n"}, 25<<20)),
		"endless attachment":  io.MultiReader(strings.NewReader(mixed+photo), endless{"/9j/4AAQSkZJRgAB\r\n"}),
		"10,000 nested parts": strings.NewReader(to + nested.String()),
		"endless parts":       io.MultiReader(strings.NewReader(mixed), endless{photo + "/9j/4AAQ\r\n"}),
		"endless header":      io.MultiReader(strings.NewReader(to), endless{"X-Spam: yes\r\n"}),
		"endless field":       io.MultiReader(strings.NewReader(to+"X-Long: "), endless{"a"}),
		"endless folding":     io.MultiReader(strings.NewReader(to+"References:"), endless{"\r\n <a@b>"}),
		"endless recipients":  io.MultiReader(strings.NewReader("From: a@b\r\nTo: x@y"), endless{", <a@b>"}),
		"endless line":        io.MultiReader(strings.NewReader(to+"\r\n"), endless{"word "}),
		"endless quotes":      io.MultiReader(strings.NewReader(to+"\r\n"), endless{"> > a\r\n"}),
		"endless dashes":      io.MultiReader(strings.NewReader(to+"\r\n"), endless{"-- \r\nFrom: a@b\r\n\r\n"}),
		"endless attribution": io.MultiReader(strings.NewReader(to+"\r\n"), endless{"On 15:30 a@b\r\nwrote:\r\n"}),
		"endless elements": io.MultiReader(strings.NewReader(to+"Content-Type: text/html\r\n\r\n"),
			endless{"<div><blockquote><p style='display:none'>"}),
		"endless end tags": io.MultiReader(strings.NewReader(to+"Content-Type: text/html\r\n\r\n"+
			strings.Repeat("<i>", 300)),
			endless{"</b></div>"}),
		"endless comment": io.MultiReader(strings.NewReader(to+"Content-Type: text/html\r\n\r\n<!--"), endless{"<!- "}),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			_, err := reply.Parse(r, replytest.Self)
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Error(err)
			}
			if took := time.Since(start); took > 15*time.Second {
				t.Errorf("took %v", took)
			}
			if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 200 {
				t.Errorf("allocated %d MB", mb)
			}
		})
	}
}

func TestALargeAttachmentDoesNotHideTheText(t *testing.T) {
	raw := io.MultiReader(strings.NewReader(to+"Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n"+
		"Content-Type: video/mp4; name=film.mp4\r\nContent-Transfer-Encoding: base64\r\n\r\n"),
		io.LimitReader(endless{"/9j/4AAQSkZJRgAB\r\n"}, 26<<20),
		strings.NewReader("\r\n--x\r\n\r\nIt is red.\r\n--x--\r\n"))
	m, err := reply.Parse(raw, replytest.Self)
	if err != nil || m.Text != "It is red." ||
		!slices.Equal(m.Omitted, []string{"film.mp4"}) || len(m.Photos) != 0 || m.Token != token {
		t.Errorf("got %+v, %v", m, err)
	}
}

func TestAPhotoThatIsCutOffIsOmitted(t *testing.T) {
	c := replytest.Generate(5, replytest.Shapes())
	i := slices.IndexFunc(c, func(c replytest.Case) bool { return c.Shape == "Gmail on Android with photos" })
	whole := bytes.TrimRight(c[i].Raw, "\r\n")
	closed := bytes.LastIndex(whole, []byte("\r\n--"))
	for _, test := range []struct{ end, photos, omitted int }{
		{len(whole), c[i].Photos, 0},
		{closed, c[i].Photos, 0}, // without the last boundary
		{closed - 1000, c[i].Photos - 1, 1},
	} {
		m := parse(t, string(whole[:test.end]))
		if len(m.Photos) != test.photos || len(m.Omitted) != test.omitted || squeeze(m.Text) != squeeze(c[i].Text) {
			t.Errorf("cut at %d: %d photos, %d omitted, want %d, %d", test.end, len(m.Photos), len(m.Omitted),
				test.photos, test.omitted)
		}
	}
}

func TestWhatIsNotAnEmailIsRefused(t *testing.T) {
	for _, raw := range []string{"", "\r\n\r\n", "hello world\r\n", "\x00\x01\x02"} {
		if _, err := reply.Parse(strings.NewReader(raw), replytest.Self); err == nil {
			t.Errorf("%q: no error", raw)
		}
	}
	broken := errors.New("broken")
	r := io.MultiReader(strings.NewReader(to), iotest.ErrReader(broken))
	if _, err := reply.Parse(r, replytest.Self); !errors.Is(err, broken) {
		t.Errorf("got %v, want the error of the reader", err)
	}
}

func TestInvisibleCharactersMakeNoAddress(t *testing.T) {
	for _, c := range []string{"\x00", "\x10", "\x1b", "\u202e", "\u200b"} {
		m := parse(t, "From: a"+c+"b@example.com\r\nMessage-ID: <a"+c+"b@example.com>\r\n"+to+"\r\nHello")
		if m.From != "" || !strings.HasSuffix(m.ID, "@none") || m.Text != "Hello" {
			t.Errorf("%q: got from %q, id %q, text %q", c, m.From, m.ID, m.Text)
		}
	}
}

func TestLongTextsAreShortened(t *testing.T) {
	m := parse(t, to+"Subject: "+strings.Repeat("ä", 5000)+"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"+
		strings.Repeat("Füße ", 50_000))
	if n := utf8.RuneCountInString(m.Text); n > reply.MaxText || n < reply.MaxText-10 {
		t.Errorf("the text has %d characters", n)
	}
	if n := utf8.RuneCountInString(m.Whole); n > reply.MaxWhole {
		t.Errorf("the whole text has %d characters", n)
	}
	if n := utf8.RuneCountInString(m.Subject); n > 300 {
		t.Errorf("the subject has %d characters", n)
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range replytest.Generate(1, 2*replytest.Shapes()) {
		if len(c.Raw) < 10<<10 { // larger ones are slow to change
			f.Add(c.Raw)
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := reply.Parse(bytes.NewReader(raw), replytest.Self)
		if err != nil {
			return
		}
		for _, text := range []string{m.Text, m.Whole, m.Subject, m.From, m.ID} {
			if !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\r\x1b\u202e") {
				t.Errorf("unsafe text %q", text)
			}
		}
		if len(m.Photos) > reply.MaxPhotos || utf8.RuneCountInString(m.Text) > reply.MaxText {
			t.Errorf("%d photos, %d bytes of text", len(m.Photos), len(m.Text))
		}
		if m.Token != "" && m.Kind != reply.Bounce && !bytes.Contains(bytes.ToLower(raw), []byte(m.Token)) {
			t.Errorf("the token %q is not in the mail", m.Token)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	cases := replytest.Generate(3, replytest.Shapes())
	size := 0
	for _, c := range cases {
		size += len(c.Raw)
	}
	b.SetBytes(int64(size / len(cases)))
	for i := 0; b.Loop(); i++ {
		if _, err := reply.Parse(bytes.NewReader(cases[i%len(cases)].Raw), replytest.Self); err != nil {
			b.Fatal(err)
		}
	}
}
