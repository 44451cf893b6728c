package respond

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// minCompressed is the size in bytes from which on a response is compressed. Smaller ones fit into one packet anyway.
const minCompressed = 1024

// AcceptsGzip reports whether a client prefers a response that is compressed with gzip.
func AcceptsGzip(h http.Header) bool {
	lines := h["Accept-Encoding"]
	if len(lines) == 0 {
		return false
	}
	zipped, other, identity := -1.0, -1.0, -1.0 // the qualities of gzip, of any other coding, and of no coding
	for _, line := range lines {
		for part := range strings.SplitSeq(line, ",") {
			name, params, _ := strings.Cut(part, ";")
			switch q := quality(params); strings.ToLower(strings.TrimSpace(name)) {
			case "gzip", "x-gzip":
				zipped = q
			case "identity":
				identity = q
			case "*":
				other = q
			}
		}
	}
	if zipped < 0 {
		zipped = other
	}
	return zipped > 0 && zipped >= identity
}

// quality returns the value of the parameter q, which is 1 if it is absent and 0 if it is not a number.
func quality(params string) float64 {
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(param, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil || q < 0 || q > 1 {
				return 0
			}
			return q
		}
	}
	return 1
}

// zipper compresses into a buffer. Both are used again, because a gzip writer takes more memory than most requests.
type zipper struct {
	gzip   *gzip.Writer
	buffer bytes.Buffer
}

var zippers = sync.Pool{New: func() any {
	z := &zipper{}
	z.gzip, _ = gzip.NewWriterLevel(&z.buffer, gzip.BestSpeed) // fails only for an unknown level
	return z
}}

// useCompressed calls use with the compressed body. The bytes are valid only until use returns.
func useCompressed(body []byte, use func(compressed []byte)) {
	const maxBuffer = 256 << 10
	z := zippers.Get().(*zipper) //nolint:forcetypeassert // the pool contains nothing else
	z.buffer.Reset()
	z.gzip.Reset(&z.buffer)
	_, _ = z.gzip.Write(body) // a buffer accepts everything
	_ = z.gzip.Close()
	use(z.buffer.Bytes())
	if z.buffer.Cap() <= maxBuffer {
		zippers.Put(z)
	}
}

// varyEncoding is the Vary header of a response that is compressed for some clients.
var varyEncoding = []string{"Accept-Encoding"}

// addVary says that the response also depends on a header of the request.
func addVary(h http.Header, name []string) {
	if before := h.Get("Vary"); before != "" {
		h.Set("Vary", before+", "+name[0])
		return
	}
	h["Vary"] = name
}
