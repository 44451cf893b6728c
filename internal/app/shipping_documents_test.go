package app_test

import (
	"bytes"
	"encoding/json"
	"image/png"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"homeward/internal/message/mailtest"
	"homeward/internal/web/browsertest"
)

// labelled waits until client programs are told that an item is paid for, checks that they are told exactly what the specification
// says, with the item as it can be read, and gives it. With papers, it waits for those first.
func (j *journey) waitForLabel(item string, papers ...string) (record map[string]any) {
	j.t.Helper()
	waitUntil(j.t, "the papers are there", func() bool {
		record = j.must(http.StatusOK, "GET", item, nil)
		return len(papers) == 0 || shippingOf(record)["documents"] != nil
	})
	var event struct {
		EventType, EventTime string
		Payload              struct {
			Item                      json.RawMessage
			ShippingDate, ServiceName string
			Files                     map[string]map[string]string
		}
	}
	var body []byte
	waitUntil(j.t, "the client program knows of the label", func() bool {
		at := slices.IndexFunc(j.site.hooks.listAll(), func(r received) bool { return bytes.Contains(r.body, []byte(text(record["id"]))) })
		if at >= 0 {
			body = j.site.hooks.listAll()[at].body
		}
		return at >= 0
	})
	if err := json.Unmarshal(body, &event); err != nil {
		j.t.Fatal(err)
	}
	shape := []string{"eventTime", "eventType", "payload", "payload.item"}
	if len(papers) > 0 {
		shape = append(shape, "payload.shippingDate", "payload.serviceName", "payload.files")
		for _, file := range []string{"label", "invoice"} {
			shape = append(shape, "payload.files."+file, "payload.files."+file+".paper_size", "payload.files."+file+".url", "payload.files."+file+".file_type")
		}
	}
	if slices.Sort(shape); len(papers) > 0 && !slices.Equal(fieldsOf(j, body), shape) {
		j.t.Errorf("the event has %q, want %q", fieldsOf(j, body), shape)
	}
	if event.EventType != "shipping-label" || event.EventTime != record["updatedAt"] || string(event.Payload.Item) != j.getRaw(item) {
		j.t.Errorf("the event is\n%s\nand the item\n%s", body, j.getRaw(item))
	}
	shown := shippingOf(record)
	if len(papers) > 0 && (event.Payload.ShippingDate != shown["shippingDate"] || event.Payload.ServiceName != shown["service"]) {
		j.t.Errorf("the event tells of %s by %s, the item of %v by %v", event.Payload.ShippingDate, event.Payload.ServiceName, shown["shippingDate"], shown["service"])
	}
	var kinds []string
	documents, _ := shown["documents"].([]any)
	for _, each := range documents {
		d := each.(map[string]any)
		kind := d["type"].(string)
		kinds = append(kinds, kind)
		file := map[string]string{"url": text(d["url"]), "paper_size": text(d["paperSize"]), "file_type": text(d["fileType"])}
		if told := event.Payload.Files[kind]; (kind == "label" || kind == "invoice") && !maps.Equal(told, file) {
			j.t.Errorf("the %s is told as %v, want %v", kind, told, file)
		}
	}
	if !slices.Equal(kinds, papers) {
		j.t.Errorf("the papers are %q, want %q", kinds, papers)
	}
	return record
}

// fieldsOf names every member of an event, down to those of the files.
func fieldsOf(j *journey, body []byte) (names []string) {
	j.t.Helper()
	var walk func(prefix string, v any)
	walk = func(prefix string, v any) {
		members, _ := v.(map[string]any)
		for name, value := range members {
			names = append(names, prefix+name)
			if prefix+name != "payload.item" { // which is compared as a whole
				walk(prefix+name+".", value)
			}
		}
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		j.t.Fatal(err)
	}
	walk("", v)
	slices.Sort(names)
	return names
}

// paper finds the address of one of an item's papers.
func documentURL(record map[string]any, kind string) string {
	documents, _ := shippingOf(record)["documents"].([]any)
	for _, each := range documents {
		if d := each.(map[string]any); d["type"] == kind {
			return d["url"].(string)
		}
	}
	return ""
}

// opens checks that a paper can be opened and printed, and that these words are on it, and gives its bytes.
func (j *journey) openDocument(address string, words ...string) []byte {
	j.t.Helper()
	r, err := http.NewRequestWithContext(j.t.Context(), "GET", address, nil)
	if err != nil {
		j.t.Fatal(err)
	}
	a, err := send(j.unchecked, r) // with no key: whoever knows the address may
	if err != nil || a.status != http.StatusOK || a.header.Get("Content-Type") != "application/pdf" || !bytes.HasPrefix(a.body, []byte("%PDF-")) {
		j.t.Fatalf("%v, %s answered %d %v", err, address, a.status, a.header)
	}
	if !strings.HasPrefix(address, j.url+"/files/") {
		j.t.Errorf("%s is not among our files", address)
	}
	says := joinLines(string(j.poppler(a.body, "pdftotext", "-layout", "-", "-")))
	for _, w := range words {
		if says != "" && !strings.Contains(says, w) {
			j.t.Errorf("the paper does not say %q but %q", w, says)
		}
	}
	return a.body
}

// prints checks that a paper has something on it when it is printed, and keeps the picture where screenshots are kept.
func (j *journey) checkPrint(content []byte, name string) {
	j.t.Helper()
	picture := j.poppler(content, "pdftoppm", "-r", "72", "-png", "-")
	if len(picture) == 0 {
		return
	}
	shown, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		j.t.Fatal(err)
	}
	dark := 0
	for y := range shown.Bounds().Dy() {
		for x := range shown.Bounds().Dx() {
			if r, _, _, _ := shown.At(x, y).RGBA(); r < 0x8000 {
				dark++
			}
		}
	}
	if size := shown.Bounds().Dx() * shown.Bounds().Dy(); dark == 0 || dark > size/2 {
		j.t.Errorf("%s: %d of %d dots are printed", name, dark, size)
	}
	if folder := os.Getenv("HOMEWARD_TEST_SCREENSHOTS"); folder != "" {
		file := strings.NewReplacer("/", " ", "_", " ").Replace(j.t.Name() + " printed " + name + ".png")
		if err := os.WriteFile(filepath.Join(folder, file), picture, 0o600); err != nil {
			j.t.Error(err)
		}
	}
}

// poppler runs one of poppler's programs on a PDF. Without them it says that it looks at nothing, except in CI, where nothing may be left out.
func (j *journey) poppler(content []byte, program string, args ...string) []byte {
	j.t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		if os.Getenv("CI") != "" {
			j.t.Fatalf("%s is missing: install poppler-utils", program)
		}
		j.t.Logf("needs poppler-utils to look at papers: left out: %v", err)
		return nil
	}
	cmd := exec.CommandContext(j.t.Context(), program, args...)
	cmd.Stdin = bytes.NewReader(content)
	out, err := cmd.Output()
	if err != nil {
		j.t.Fatalf("%s: %v", program, err)
	}
	return out
}

// encloses checks which papers came with a mail, and that each is the one that the item's address leads to.
func (j *journey) checkAttachments(m mailtest.Mail, record map[string]any, kinds ...string) {
	j.t.Helper()
	var names []string
	for _, a := range m.Attachments {
		names = append(names, a.Name)
		kind := strings.TrimSuffix(a.Name, "-"+text(record["reference"])+".pdf")
		if a.Type != "application/pdf" || !bytes.Equal(a.Content, j.openDocument(documentURL(record, kind))) {
			j.t.Errorf("%s is %s, or another one than the item has", a.Name, a.Type)
		}
	}
	var want []string
	for _, kind := range kinds {
		want = append(want, kind+"-"+text(record["reference"])+".pdf")
	}
	if !slices.Equal(names, want) {
		j.t.Errorf("the mail to %s encloses %q, want %q", m.To, names, want)
	}
}

// views opens a paper in the browser itself, where that has a viewer for it. What its policy forbids the viewer would fail the test.
func (j *journey) viewDocument(address string) {
	j.t.Helper()
	o := j.options
	o.NoScript = false // the viewer is a program
	v := browsertest.New(j.t, o)
	var can bool
	if v.Run("navigator.pdfViewerEnabled", &can); !can {
		return
	}
	v.Visit(address)
	var kind string
	if v.Run("document.contentType", &kind); kind != "application/pdf" {
		j.t.Errorf("the browser takes the paper for %s", kind)
	}
}

// tidied is a mail's text without its line breaks.
func joinLines(text string) string { return strings.Join(strings.Fields(text), " ") }
