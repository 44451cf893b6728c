package frame

import (
	"net/http"
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
	h.Set("Content-Disposition", `inline; filename="`+asciiName(name)+`"`)
	h.Set("Content-Length", strconv.Itoa(len(content)))
	// browsers' PDF viewers need these permissions
	h.Set("Content-Security-Policy",
		"default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	c.Writer.WriteHeader(http.StatusOK)
	_, _ = c.Writer.Write(content) // the client may have disconnected
	return nil
}

// asciiName removes the characters that some browsers do not accept in a file name.
func asciiName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, name)
}
