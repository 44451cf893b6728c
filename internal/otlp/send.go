package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	sendTime     = 10 * time.Second // how long sending one batch may take
	retryTime    = time.Minute      // how long a batch is tried again
	firstDelay   = 5 * time.Second
	maxResponse  = 1 << 16
	partlyFailed = 1 // the field of the response that says how many records were refused
)

// sender posts batches to one path of the collector.
type sender struct {
	client  *http.Client
	url     string
	headers map[string]string
	agent   string
	delay   time.Duration // the pause after the first attempt; each further one is twice as long
}

func newSender(o Options, path string) *sender {
	return &sender{
		url: strings.TrimSuffix(o.Collector, "/") + path, headers: o.Headers,
		agent: strings.TrimSuffix("Homeward/"+o.Version, "/"), delay: firstDelay,
		client: &http.Client{
			Timeout: sendTime,
			// Do not follow redirects, because the headers are intended only for the collector.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// post sends a batch. If the collector does not respond or is busy, it tries again for a minute.
func (s *sender) post(ctx context.Context, body []byte) error {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, err := zip.Write(body)
	if err := errors.Join(err, zip.Close()); err != nil {
		return err
	}
	end := time.Now().Add(retryTime)
	for delay := s.delay; ; delay *= 2 {
		asked, again, err := s.try(ctx, packed.Bytes(), "gzip")
		if err == nil || !again {
			return err
		}
		delay = max(delay, asked)
		if time.Now().Add(delay).After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(delay):
		}
	}
}

// try sends a body once. If it fails, again says whether another attempt may succeed, and after what pause if the
// collector asked for one.
func (s *sender) try(ctx context.Context, body []byte, encoding string) (pause time.Duration, again bool, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return 0, false, err
	}
	r.Header.Set("User-Agent", s.agent)
	for name, value := range s.headers {
		r.Header.Set(name, value)
	}
	r.Header.Set("Content-Type", "application/x-protobuf")
	if encoding != "" {
		r.Header.Set("Content-Encoding", encoding)
	}
	res, err := s.client.Do(r)
	if err != nil {
		return 0, ctx.Err() == nil, err
	}
	defer func() { _ = res.Body.Close() }()
	response, err := io.ReadAll(io.LimitReader(res.Body, maxResponse))
	switch {
	case res.StatusCode/100 == 2:
		return 0, false, errors.Join(err, refused(res.Header.Get("Content-Type"), response))
	case err != nil:
		return 0, true, err
	}
	switch res.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
		if err == nil && seconds > 0 {
			pause = time.Duration(min(seconds, int(retryTime/time.Second)+1)) * time.Second
		}
		again = true
	}
	return pause, again, fmt.Errorf("the collector returned status %d", res.StatusCode)
}

// refused returns an error if the collector accepted the batch but not all of its records. It quotes nothing of the
// response, which may contain the records.
func refused(contentType string, response []byte) error {
	if len(response) == 0 || !strings.HasPrefix(contentType, "application/x-protobuf") {
		return nil
	}
	part := field(response, partlyFailed, wireBytes)
	if n, size := binary.Uvarint(field(part, 1, wireVarint)); size > 0 && n > 0 {
		return fmt.Errorf("the collector refused %d records", n)
	}
	return nil
}

// field returns the first field of a protocol buffer that has the number and the wire type, or nil.
func field(m []byte, number, wire uint64) []byte {
	for len(m) > 0 {
		tag, n := binary.Uvarint(m)
		if n <= 0 {
			return nil
		}
		m = m[n:]
		size := 0
		switch tag & 7 {
		case wireVarint:
			_, size = binary.Uvarint(m)
		case wireFixed64:
			size = 8
		case wireFixed32:
			size = 4
		case wireBytes:
			length, n := binary.Uvarint(m)
			if n <= 0 || length > uint64(len(m)-n) {
				return nil
			}
			m, size = m[n:], int(length)
		}
		if size < 0 || size > len(m) || size == 0 && tag&7 != wireBytes {
			return nil
		}
		if tag == number<<3|wire {
			return m[:size]
		}
		m = m[size:]
	}
	return nil
}
