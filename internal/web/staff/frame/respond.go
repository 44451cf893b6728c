package frame

import (
	"net/http"
	"strconv"
	"strings"
)

// WriteBytes answers with bytes that are no page.
func (c *Call) WriteBytes(contentType, cache string, body []byte) {
	h := c.Writer.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", cache)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	c.Writer.WriteHeader(http.StatusOK)
	_, _ = c.Writer.Write(body) // a client that left is no error of ours
}

// WritePDF answers with a paper that the browser shows.
func (c *Call) WritePDF(name string, content []byte) error {
	h := c.Writer.Header()
	h.Set("Content-Type", "application/pdf")
	h.Set("Content-Disposition", `inline; filename="`+asciiName(name)+`"`)
	h.Set("Content-Length", strconv.Itoa(len(content)))
	h.Set("Content-Security-Policy", "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'") // browsers' viewers of PDFs need that much
	c.Writer.WriteHeader(http.StatusOK)
	_, _ = c.Writer.Write(content) // a browser that left is no error of ours
	return nil
}

// asciiName leaves of a file's name what every browser takes.
func asciiName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, name)
}
