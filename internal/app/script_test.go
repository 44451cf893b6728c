package app_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"homeward/internal/store/storetest"
)

// The scripts in testdata/script document the API as requests to the whole service and its responses. They run on
// each database. An example:
//
//	# A line like this is a comment. The next line is a setting.
//	@rate-limit 2
//
//	### A sentence says what the exchange shows
//
//	POST /v1/locations
//	Idempotency-Key: adler
//
//	{"name": "Hotel Adler"}
//
//	=> 201
//	Location: /v1/locations/$hotel
//
//	{"id": "$hotel", "name": "Hotel Adler", "createdAt": "<time>", …}
//
// A request is sent with the first API key unless it has the header svc-api-key (- means no key), and the body is sent
// as JSON unless it has a Content-Type (- means none). "Form: image = cat.jpg, jpeg of 500 bytes" is a part of a
// multipart form; the kinds are jpeg, png, gif, webp and text, and "of N bytes" pads the file to that size. <x*200> in
// a request is x repeated two hundred times, and <in 2s> is the time two seconds from now.
//
// The status, the listed headers ("!Name" for one that must be absent) and the whole JSON body of a response must
// equal the expected ones, except for the order of fields. <id>, <time>, <reference>, <file>, <number> and <any>
// match values that differ each time; $name matches anything the first time, and then only that value. $base, $key
// (the first key) and $otherKey (another account's key) are predefined. "=> 404 soon" repeats the request until the
// response is as expected, for work that is done in the background.
//
// There are three settings. "@rate-limit 2" sets the number of requests allowed per second. "@retry-unit 1ms" sets
// the base interval for webhook retries. "@receiver hook" starts a webhook receiver at $hook, and allows the service
// to call it. A script can also send requests to the receiver: see the type receiver.
//
// go test ./internal/app -run Scripts -update writes the actual responses into the scripts, using SQLite.
var update = flag.Bool("update", false, "write the actual responses into the scripts")

func TestScripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/script/*.http")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	t.Run("script", func(t *testing.T) {
		for _, file := range files {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".http"), func(t *testing.T) {
				t.Parallel()
				storetest.EachSetting(t, func(t *testing.T, setting string) { runScript(t, file, setting) })
			})
		}
	})
	if all := flag.Lookup("test.run").Value.String(); !strings.Contains(all, "/") && !t.Failed() {
		if missed := uncalledOperations(); len(missed) > 0 {
			t.Errorf("no script calls %s", strings.Join(missed, ", "))
		}
	}
}

func runScript(t *testing.T, file, setting string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sc, err := parseScript(string(text))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	cfg := newConfig(t, setting)
	cfg.RateLimit, cfg.AllowPrivate = sc.rateLimit, len(sc.receivers) > 0
	cfg.RetryUnit = cmp.Or(sc.retryUnit, cfg.RetryUnit)
	s := startService(t, cfg)
	vars := variables{"base": s.url, "key": s.key, "otherKey": s.newAccount()}
	for _, name := range sc.receivers {
		vars[name] = newReceiver(t).url
	}
	for n := range sc.exchanges {
		e := &sc.exchanges[n]
		got, faults := e.play(s, vars)
		if *update {
			e.learn(got, vars)
			continue
		}
		for _, fault := range faults {
			t.Errorf("%s:%d: %s %s: %s", file, e.line, e.method, e.path, fault)
		}
		if len(faults) > 0 {
			t.Fatalf("the response was\n%d %s\n%s", got.status, got.header.Get("Content-Type"),
				render(got.body, "", vars))
		}
	}
	if *update && !strings.Contains(setting, "://") {
		if err := os.WriteFile(file, []byte(sc.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// script is a parsed script file.
type script struct {
	rateLimit float64
	retryUnit time.Duration
	receivers []string // the variables that hold the receivers' addresses
	exchanges []exchange
	tail      string
}

// exchange is a request and its expected response.
type exchange struct {
	line         int
	text         string // comments and request as written in the file
	method, path string
	header       [][2]string
	body         string

	status     int
	soon       bool
	wantHeader [][2]string
	want       string
}

var requestLine = regexp.MustCompile(`^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE) (\S+)$`)

func parseScript(text string) (sc script, err error) {
	lines := strings.SplitAfter(text, "\n")
	at := 0
	peek := func() string { return strings.TrimRight(lines[at], "\n") }
	for at < len(lines) {
		var e exchange
		for at < len(lines) && !requestLine.MatchString(peek()) {
			if setting, ok := strings.CutPrefix(peek(), "@"); ok {
				if err = sc.set(setting); err != nil {
					return sc, fmt.Errorf("line %d: %w", at+1, err)
				}
			} else if line := peek(); line != "" && line[0] != '#' {
				return sc, fmt.Errorf("line %d is neither a comment nor a request: %s", at+1, line)
			}
			e.text += lines[at]
			at++
		}
		if at == len(lines) {
			sc.tail = e.text
			break
		}
		e.line = at + 1
		m := requestLine.FindStringSubmatch(peek())
		e.method, e.path = m[1], m[2]
		e.text += lines[at]
		at++
		for ; at < len(lines) && peek() != "" && !strings.HasPrefix(peek(), "=> "); at++ {
			e.header = append(e.header, headerLine(peek()))
			e.text += lines[at]
		}
		for ; at < len(lines) && !strings.HasPrefix(peek(), "=> "); at++ {
			e.body += lines[at]
			e.text += lines[at]
		}
		e.body = strings.TrimSpace(e.body)
		if at == len(lines) {
			return sc, fmt.Errorf("line %d: the request has no expected response", e.line)
		}
		status, soon, _ := strings.Cut(strings.TrimPrefix(peek(), "=> "), " ")
		e.soon = soon == "soon"
		if e.status, err = strconv.Atoi(status); err != nil {
			return sc, fmt.Errorf("line %d: %w", at+1, err)
		}
		at++
		for ; at < len(lines) && peek() != "" && peek()[0] != '#'; at++ {
			e.wantHeader = append(e.wantHeader, headerLine(peek()))
		}
		for ; at < len(lines) && !strings.HasPrefix(peek(), "#") && !requestLine.MatchString(peek()); at++ {
			e.want += lines[at]
		}
		e.want = strings.TrimSpace(e.want)
		sc.exchanges = append(sc.exchanges, e)
	}
	return sc, nil
}

// set applies a setting such as "rate-limit 2".
func (sc *script) set(setting string) (err error) {
	name, value, _ := strings.Cut(setting, " ")
	switch name {
	case "rate-limit":
		sc.rateLimit, err = strconv.ParseFloat(value, 64)
	case "retry-unit":
		sc.retryUnit, err = time.ParseDuration(value)
	case "receiver":
		sc.receivers = append(sc.receivers, value)
	default:
		err = fmt.Errorf("unknown setting %s", name)
	}
	return err
}

func headerLine(line string) [2]string {
	name, value, _ := strings.Cut(line, ":")
	return [2]string{strings.TrimSpace(name), strings.TrimSpace(value)}
}

func (sc script) String() string {
	var b strings.Builder
	for _, e := range sc.exchanges {
		b.WriteString(e.text)
		fmt.Fprintf(&b, "=> %d", e.status)
		if e.soon {
			b.WriteString(" soon")
		}
		b.WriteString("\n")
		for _, h := range e.wantHeader {
			if strings.HasPrefix(h[0], "!") {
				fmt.Fprintln(&b, h[0])
			} else {
				fmt.Fprintf(&b, "%s: %s\n", h[0], h[1])
			}
		}
		if e.want != "" {
			fmt.Fprintf(&b, "\n%s\n", e.want)
		}
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String()+sc.tail) + "\n"
}

// play sends the request and returns the differences from the expected response.
func (e *exchange) play(s *service, vars variables) (got response, faults []string) {
	try := func() bool {
		r, err := e.request(s.url, vars)
		if err == nil {
			got, err = s.send(r)
		}
		if err != nil {
			faults = []string{err.Error()}
			return true
		}
		faults = e.compare(got, vars)
		return len(faults) == 0
	}
	if e.soon {
		pollFor(time.Minute, try)
	} else {
		try()
	}
	return got, faults
}

func (e *exchange) request(base string, vars variables) (*http.Request, error) {
	path, err := vars.fill(e.path)
	if err != nil {
		return nil, err
	}
	body, err := vars.fill(e.body)
	if err != nil {
		return nil, err
	}
	address := path
	if !strings.HasPrefix(path, "http") {
		address = base + path
	}
	var content io.Reader
	header := http.Header{"Svc-Api-Key": {vars["key"]}}
	if body != "" {
		content = strings.NewReader(body)
		header.Set("Content-Type", "application/json")
	}
	var form *multipart.Writer
	var sent bytes.Buffer
	for _, h := range e.header {
		value, err := vars.fill(h[1])
		switch {
		case err != nil:
			return nil, err
		case h[0] == "Form":
			if form == nil {
				form = multipart.NewWriter(&sent)
			}
			if err := addPart(form, value); err != nil {
				return nil, err
			}
			header.Set("Content-Type", form.FormDataContentType())
		case value == "-":
			header.Del(h[0])
		default:
			header.Set(h[0], value)
			if h[0] == "Authorization" {
				header.Del("svc-api-key")
			}
		}
	}
	if form != nil {
		if err := form.Close(); err != nil {
			return nil, err
		}
		content = &sent
	}
	r, err := http.NewRequest(e.method, address, content)
	if err == nil {
		r.Header = header
	}
	return r, err
}

var formValue = regexp.MustCompile(`^(\w+) = (\S+), (jpeg|png|gif|webp|text)(?: of (\d+) bytes)?$`)

// addPart writes a part of a form: "image = cat.jpg, jpeg of 500 bytes".
func addPart(form *multipart.Writer, value string) error {
	m := formValue.FindStringSubmatch(value)
	if m == nil {
		return fmt.Errorf("not a form part: %s", value)
	}
	size, _ := strconv.Atoi(m[4])
	data := picture(m[3])
	if size > 0 {
		data = padded(m[3], size)
	}
	part, err := form.CreateFormFile(m[1], m[2])
	if err != nil {
		return err
	}
	_, err = part.Write(data)
	return err
}

// compare returns the differences between a response and the expected one.
func (e *exchange) compare(got response, vars variables) (faults []string) {
	if got.status != e.status {
		return []string{fmt.Sprintf("status %d, want %d", got.status, e.status)}
	}
	seen := maps.Clone(vars)
	for _, h := range e.wantHeader {
		if name, absent := strings.CutPrefix(h[0], "!"); absent {
			if v, there := got.header[http.CanonicalHeaderKey(name)]; there {
				faults = append(faults, fmt.Sprintf("header %s is %q, want none", name, v))
			}
		} else if v := got.header.Get(h[0]); !seen.match(h[1], v) {
			faults = append(faults, fmt.Sprintf("header %s is %q, want %q", h[0], v, h[1]))
		}
	}
	faults = append(faults, e.compareBody(got, seen)...)
	if len(faults) == 0 {
		maps.Copy(vars, seen)
	}
	return faults
}

func (e *exchange) compareBody(got response, vars variables) []string {
	if !strings.Contains(got.header.Get("Content-Type"), "json") {
		if e.want != "" && !vars.match(e.want, strings.TrimSpace(string(got.body))) {
			return []string{fmt.Sprintf("body %q, want %q", got.body, e.want)}
		}
		return nil
	}
	if len(got.body) == 0 && e.want == "" {
		return nil // a response to HEAD has no body
	}
	have, err := parseJSON(got.body)
	if err != nil {
		return []string{"the body is not JSON: " + err.Error()}
	}
	have.dropColors()
	want, err := parseJSON([]byte(e.want))
	if err != nil {
		return []string{"the expected body is not JSON: " + err.Error()}
	}
	return differences("", want, have, vars)
}

// learn replaces the expected response with the actual one.
func (e *exchange) learn(got response, vars variables) {
	e.status = got.status
	for n, h := range e.wantHeader {
		if v, there := got.header[http.CanonicalHeaderKey(h[0])]; there && !vars.match(h[1], v[0]) {
			e.wantHeader[n][1] = vars.describe(v[0])
		}
	}
	if strings.Contains(got.header.Get("Content-Type"), "json") && len(got.body) > 0 {
		e.want = render(got.body, e.want, vars)
	}
	e.compare(got, vars) // stores the values of new variables
}

// variables holds the values of a script's variables by name.
type variables map[string]string

var (
	variable   = regexp.MustCompile(`\$[A-Za-z][A-Za-z0-9]*`)
	repetition = regexp.MustCompile(`<([^<>])\*(\d+)>`)
	timeAhead  = regexp.MustCompile(`<in (\w+)>`)
	pattern    = regexp.MustCompile(`<(id|time|reference|file|number|any)>|` + variable.String())
)

// patterns match values that differ each time.
var patterns = map[string]string{
	"<id>":        `[a-z]+_[0-9a-hjkmnp-tv-z]{26}`,
	"<time>":      `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`,
	"<reference>": `[34679ACDEFGHJKMNPQRTUVWXY]{3}-[34679ACDEFGHJKMNPQRTUVWXY]{3}`,
	"<file>":      `[a-z2-7]{26}(?:-640)?\.(?:jpg|png|gif|webp)`,
	"<number>":    `\d+`,
	"<any>":       `.*`,
}

// fill replaces variables with their values. It returns an error if a variable has no value yet.
func (v variables) fill(text string) (string, error) {
	var unknown error
	text = variable.ReplaceAllStringFunc(text, func(name string) string {
		value, known := v[name[1:]]
		if !known {
			unknown = fmt.Errorf("%s has no value yet", name)
		}
		return value
	})
	text = repetition.ReplaceAllStringFunc(text, func(s string) string {
		m := repetition.FindStringSubmatch(s)
		n, _ := strconv.Atoi(m[2])
		return strings.Repeat(m[1], n)
	})
	text = timeAhead.ReplaceAllStringFunc(text, func(s string) string {
		d, err := time.ParseDuration(timeAhead.FindStringSubmatch(s)[1])
		if err != nil {
			unknown = err
		}
		return time.Now().Add(d).UTC().Format("2006-01-02T15:04:05.000Z")
	})
	return text, unknown
}

// match reports whether a text matches the expected one, and stores the values of new variables.
func (v variables) match(want, got string) bool {
	var expr strings.Builder
	var names []string
	at := 0
	for _, m := range pattern.FindAllStringIndex(want, -1) {
		expr.WriteString(regexp.QuoteMeta(want[at:m[0]]))
		at = m[1]
		token := want[m[0]:m[1]]
		switch value, known := v[strings.TrimPrefix(token, "$")]; {
		case token[0] == '<':
			expr.WriteString(patterns[token])
		case known:
			expr.WriteString(regexp.QuoteMeta(value))
		case token == want:
			names = append(names, token[1:])
			expr.WriteString(`(.+)`)
		default:
			names = append(names, token[1:])
			expr.WriteString(`([^/]+)`)
		}
	}
	expr.WriteString(regexp.QuoteMeta(want[at:]))
	found := regexp.MustCompile(`(?s)^(?:` + expr.String() + `)$`).FindStringSubmatch(got)
	if found == nil {
		return false
	}
	for n, name := range names {
		v[name] = found[n+1]
	}
	return true
}

// describe replaces known values in a text with variables and patterns.
func (v variables) describe(text string) string {
	names := slices.SortedFunc(maps.Keys(v), func(a, b string) int { return len(v[b]) - len(v[a]) })
	for _, name := range names {
		if len(v[name]) > 8 {
			text = strings.ReplaceAll(text, v[name], "$"+name)
		}
	}
	for _, token := range []string{"<id>", "<time>", "<file>"} {
		text = regexp.MustCompile(patterns[token]).ReplaceAllString(text, token)
	}
	if regexp.MustCompile(`^` + patterns["<reference>"] + `$`).MatchString(text) {
		return "<reference>"
	}
	return text
}
