package reply

import (
	"bytes"
	"mime"
	"net/mail"
	"regexp"
	"slices"
	"strings"
)

// header holds the fields of an e-mail or of one of its parts, in order.
type header struct{ fields []field }

type field struct{ name, value string } // the name is in lower case, the value is not decoded

func (h header) get(name string) string {
	for _, f := range h.fields {
		if f.name == name {
			return f.value
		}
	}
	return ""
}

func (h header) has(name string) bool { return len(h.all(name)) > 0 }

func (h header) all(name string) (values []string) {
	for _, f := range h.fields {
		if f.name == name {
			values = append(values, f.value)
		}
	}
	return values
}

// Limits of one header. What exceeds them is ignored.
const (
	maxFields      = 1000
	maxFieldValue  = 16 << 10
	maxHeaderBytes = 512 << 10
)

// parseHeader reads header fields from lines without the empty line at the end. It ignores lines that are not fields.
func parseHeader(text []byte) (h header) {
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			continue
		}
		if line[0] == ' ' || line[0] == '\t' {
			if last := len(h.fields) - 1; last >= 0 && len(h.fields[last].value)+len(line) < maxFieldValue {
				h.fields[last].value += " " + string(bytes.TrimSpace(line))
			}
			continue
		}
		name, value, found := bytes.Cut(line, []byte{':'})
		name = bytes.TrimRight(name, " \t")
		if !found || len(name) == 0 || bytes.ContainsAny(name, " \t") || len(h.fields) >= maxFields {
			continue
		}
		value = bytes.TrimSpace(value)
		h.fields = append(h.fields, field{
			strings.ToLower(string(name)), string(value[:min(maxFieldValue, len(value))]),
		})
	}
	for i, f := range h.fields {
		h.fields[i].value = toUTF8([]byte(f.value), "")
	}
	return h
}

// decodeHeader decodes the encoded words of a field that is text, and removes control characters.
func decodeHeader(value string) string {
	decoder := mime.WordDecoder{CharsetReader: charsetReader}
	decoded, err := decoder.DecodeHeader(value)
	if err != nil {
		decoded = value
	}
	return strings.Join(strings.Fields(strings.Map(visible, strings.ToValidUTF8(decoded, "\ufffd"))), " ")
}

// maxAddresses is the number of addresses that are read from one field.
const maxAddresses = 200

// bareAddress finds addresses in a field that does not follow the standard.
var bareAddress = regexp.MustCompile(`[^\s<>",;:()\[\]\\]+@[^\s<>",;:()\[\]\\]+`)

// quotedText matches the parts of a field that are not addresses: quoted names and comments.
var quotedText = regexp.MustCompile(`"[^"]*"|\([^)]*\)`)

// addresses returns the addresses in a field, without those that have invisible characters.
func addresses(value string) []mail.Address {
	return slices.DeleteFunc(anyAddresses(value), func(a mail.Address) bool { return !isVisible(a.Address) })
}

func anyAddresses(value string) []mail.Address {
	if value == "" {
		return nil
	}
	parser := mail.AddressParser{WordDecoder: &mime.WordDecoder{CharsetReader: charsetReader}}
	var found []mail.Address
	if list, err := parser.ParseList(value); err == nil {
		for _, a := range list[:min(maxAddresses, len(list))] {
			found = append(found, mail.Address{Name: decodeHeader(a.Name), Address: a.Address})
		}
		return found
	}
	plain := quotedText.ReplaceAllString(value, " ")
	inBrackets := angle.FindAllStringSubmatch(plain, maxAddresses)
	for _, m := range inBrackets {
		if address := bareAddress.FindString(m[1]); address != "" {
			found = append(found, mail.Address{Address: address})
		}
	}
	if len(inBrackets) == 0 {
		for _, address := range bareAddress.FindAllString(plain, maxAddresses) {
			found = append(found, mail.Address{Address: address})
		}
	}
	return found
}

// angle finds what is in angle brackets.
var angle = regexp.MustCompile(`<([^<>\s]+)>`)

// messageIDs returns the ids in a field such as References.
func messageIDs(value string) (ids []string) {
	for _, m := range angle.FindAllStringSubmatch(value, -1) {
		ids = append(ids, m[1])
	}
	return ids
}

// firstID returns the id in a Message-ID field, at most 250 bytes long. Some programs omit the angle brackets.
func firstID(value string) string {
	id := strings.TrimSpace(value)
	if ids := messageIDs(value); len(ids) > 0 {
		id = ids[0]
	}
	if strings.ContainsAny(id, " \t<>") || len(id) > 250 || !isVisible(id) {
		return ""
	}
	return id
}

// mediaType returns the type in lower case and the parameters of a Content-Type or Content-Disposition field.
func mediaType(value string) (string, map[string]string) {
	kind, params, err := mime.ParseMediaType(value)
	if err == nil || len(params) > 0 && strings.Contains(kind, "/") {
		return kind, params
	}
	// The field does not follow the standard: read the parameters that matter.
	kind, rest, _ := strings.Cut(value, ";")
	params = map[string]string{}
	for _, m := range looseParam.FindAllStringSubmatch(rest, 20) {
		params[strings.ToLower(m[1])] = strings.Trim(m[2], `"`)
	}
	return strings.ToLower(strings.TrimSpace(kind)), params
}

var looseParam = regexp.MustCompile(`([\w-]+)\s*=\s*("[^"]*"|[^\s;]+)`)
