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

// waitForLabel waits for an item's shipping-label event, checks that the event has exactly the documented content and
// contains the current item, and returns the item. If document kinds are given, it waits for those documents first.
func (j *journey) waitForLabel(item string, documents ...string) (record map[string]any) {
	j.t.Helper()
	waitUntil(j.t, "the documents exist", func() bool {
		record = j.must(http.StatusOK, "GET", item, nil)
		return len(documents) == 0 || shippingOf(record)["documents"] != nil
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
	waitUntil(j.t, "the receiver has the event", func() bool {
		at := slices.IndexFunc(j.site.hooks.listAll(), func(r received) bool {
			return bytes.Contains(r.body, []byte(text(record["id"])))
		})
		if at >= 0 {
			body = j.site.hooks.listAll()[at].body
		}
		return at >= 0
	})
	if err := json.Unmarshal(body, &event); err != nil {
		j.t.Fatal(err)
	}
	shape := []string{"eventTime", "eventType", "payload", "payload.item"}
	if len(documents) > 0 {
		shape = append(shape, "payload.shippingDate", "payload.serviceName", "payload.files")
		for _, file := range []string{"label", "invoice"} {
			shape = append(shape, "payload.files."+file, "payload.files."+file+".paper_size",
				"payload.files."+file+".url", "payload.files."+file+".file_type")
		}
	}
	slices.Sort(shape)
	if len(documents) > 0 && !slices.Equal(fieldsOf(j, body), shape) {
		j.t.Errorf("the event has %q, want %q", fieldsOf(j, body), shape)
	}
	if event.EventType != "shipping-label" || event.EventTime != record["updatedAt"] ||
		string(event.Payload.Item) != j.getRaw(item) {
		j.t.Errorf("the event is\n%s\nthe item is\n%s", body, j.getRaw(item))
	}
	shown := shippingOf(record)
	if len(documents) > 0 &&
		(event.Payload.ShippingDate != shown["shippingDate"] || event.Payload.ServiceName != shown["service"]) {
		j.t.Errorf("the event has %s by %s, the item %v by %v", event.Payload.ShippingDate, event.Payload.ServiceName,
			shown["shippingDate"], shown["service"])
	}
	var kinds []string
	shownDocuments, _ := shown["documents"].([]any)
	for _, each := range shownDocuments {
		d := each.(map[string]any)
		kind := d["type"].(string)
		kinds = append(kinds, kind)
		file := map[string]string{
			"url": text(d["url"]), "paper_size": text(d["paperSize"]), "file_type": text(d["fileType"]),
		}
		if sent := event.Payload.Files[kind]; (kind == "label" || kind == "invoice") && !maps.Equal(sent, file) {
			j.t.Errorf("the %s in the event is %v, want %v", kind, sent, file)
		}
	}
	if !slices.Equal(kinds, documents) {
		j.t.Errorf("the documents are %q, want %q", kinds, documents)
	}
	return record
}

// fieldsOf returns the paths of all fields in an event.
func fieldsOf(j *journey, body []byte) (names []string) {
	j.t.Helper()
	var walk func(prefix string, v any)
	walk = func(prefix string, v any) {
		members, _ := v.(map[string]any)
		for name, value := range members {
			names = append(names, prefix+name)
			if prefix+name != "payload.item" { // compared as a whole
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

// documentURL returns the URL of one of an item's documents.
func documentURL(record map[string]any, kind string) string {
	documents, _ := shippingOf(record)["documents"].([]any)
	for _, each := range documents {
		if d := each.(map[string]any); d["type"] == kind {
			return d["url"].(string)
		}
	}
	return ""
}

// openDocument checks that a document is a PDF that contains the given words, and returns its content.
func (j *journey) openDocument(address string, words ...string) []byte {
	j.t.Helper()
	r, err := http.NewRequestWithContext(j.t.Context(), "GET", address, nil)
	if err != nil {
		j.t.Fatal(err)
	}
	a, err := send(j.unchecked, r) // without an API key: the URL is enough
	if err != nil || a.status != http.StatusOK || a.header.Get("Content-Type") != "application/pdf" ||
		!bytes.HasPrefix(a.body, []byte("%PDF-")) {
		j.t.Fatalf("%v, %s returned %d %v", err, address, a.status, a.header)
	}
	if !strings.HasPrefix(address, j.url+"/files/") {
		j.t.Errorf("%s is not a URL of the service", address)
	}
	says := joinLines(string(j.poppler(a.body, "pdftotext", "-layout", "-", "-")))
	for _, w := range words {
		if says != "" && !strings.Contains(says, w) {
			j.t.Errorf("the document lacks %q: %q", w, says)
		}
	}
	return a.body
}

// checkPrint checks that a printed document is neither blank nor mostly black, and saves a picture of it with the
// screenshots.
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

// poppler runs one of Poppler's programs on a PDF. If the program is not installed, the check is skipped, except in
// CI, where no check may be skipped.
func (j *journey) poppler(content []byte, program string, args ...string) []byte {
	j.t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		if os.Getenv("CI") != "" {
			j.t.Fatalf("%s is missing: install poppler-utils", program)
		}
		j.t.Logf("poppler-utils is not installed: document check skipped: %v", err)
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

// checkAttachments checks which documents are attached to an e-mail, and that each is identical to the item's.
func (j *journey) checkAttachments(m mailtest.Mail, record map[string]any, kinds ...string) {
	j.t.Helper()
	var names []string
	for _, a := range m.Attachments {
		names = append(names, a.Name)
		kind := strings.TrimSuffix(a.Name, "-"+text(record["reference"])+".pdf")
		if a.Type != "application/pdf" || !bytes.Equal(a.Content, j.openDocument(documentURL(record, kind))) {
			j.t.Errorf("%s is %s, or differs from the item's", a.Name, a.Type)
		}
	}
	var want []string
	for _, kind := range kinds {
		want = append(want, kind+"-"+text(record["reference"])+".pdf")
	}
	if !slices.Equal(names, want) {
		j.t.Errorf("the e-mail to %s has the attachments %q, want %q", m.To, names, want)
	}
}

// viewDocument opens a document in the browser's own viewer, if it has one. A violation of the content security policy
// fails the test.
func (j *journey) viewDocument(address string) {
	j.t.Helper()
	o := j.options
	o.NoScript = false // the viewer needs JavaScript
	v := browsertest.New(j.t, o)
	var can bool
	v.Run("navigator.pdfViewerEnabled", &can)
	if !can {
		return
	}
	v.Visit(address)
	var kind string
	v.Run("document.contentType", &kind)
	if kind != "application/pdf" {
		j.t.Errorf("the browser treats the document as %s", kind)
	}
}

// joinLines returns a text without line breaks.
func joinLines(text string) string { return strings.Join(strings.Fields(text), " ") }
