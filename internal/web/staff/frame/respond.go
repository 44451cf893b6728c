package frame

import (
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
)

// WriteBytes sends content that is not a page.
func (c *Call) WriteBytes(contentType, cache string, body []byte) {
	h := c.Writer.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", cache)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	c.Writer.WriteHeader(http.StatusOK)
	_, _ = c.Writer.Write(body) // the client may have disconnected
}

// WritePDF sends a PDF for the browser to display.
func (c *Call) WritePDF(name string, content []byte) error {
	h := c.Writer.Header()
	h.Set("Content-Type", "application/pdf")
	h.Set("Cache-Control", "private, no-store") // it contains personal data
	h.Set("Content-Disposition", disposition("inline", name))
	h.Set("Content-Length", strconv.Itoa(len(content)))
	// browsers' PDF viewers need these permissions
	h.Set("Content-Security-Policy",
		"default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	c.Writer.WriteHeader(http.StatusOK)
	_, _ = c.Writer.Write(content) // the client may have disconnected
	return nil
}

// disposition returns a Content-Disposition header. For a name that is not ASCII, it also has the exact name, encoded
// as in RFC 6266; old browsers use the name with only its ASCII characters.
func disposition(kind, name string) string {
	plain := asciiName(name)
	header := kind + `; filename="` + plain + `"`
	if plain != name {
		header += "; filename*=UTF-8''" + strings.ReplaceAll(url.QueryEscape(name), "+", "%20")
	}
	return header
}

// asciiName removes the characters that some browsers do not accept in a file name. Parts that become empty are
// left out: tags-大阪.pdf becomes tags.pdf.
func asciiName(name string) string {
	extension := path.Ext(name)
	parts := strings.FieldsFunc(strings.TrimSuffix(name, extension), func(r rune) bool {
		return r != '.' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
	return strings.Join(parts, "-") + extension
}
