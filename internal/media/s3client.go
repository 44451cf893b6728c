package media

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/xml"
	"errors"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"
	"github.com/minio/minio-go/v7/pkg/signer"
)

// s3Client sends requests to one bucket. Keys and signatures come from minio's packages for them. The rest of minio's
// library, for the hundreds of requests that are not needed here, would be larger than PostgreSQL's driver.
type s3Client struct {
	http        *http.Client
	base        url.URL // of the bucket, with a slash at the end
	region      string
	credentials *credentials.Credentials
}

// newS3Client returns a client for a bucket. The endpoint is a host and may have a port.
func newS3Client(endpoint string, secure bool, lookup s3Lookup, bucket, region string) (*s3Client, error) {
	base := url.URL{Scheme: "http", Host: endpoint, Path: "/"}
	if secure {
		base.Scheme = "https"
	}
	if parsed, err := url.Parse(base.String()); err != nil || *parsed != base || base.Hostname() == "" {
		return nil, errors.New("s3 endpoint must be host:port, http://… or https://…")
	}
	if err := s3utils.CheckValidBucketName(bucket); err != nil {
		return nil, fmt.Errorf("s3 bucket: %w", err)
	}
	inHost := lookup == lookupHost || lookup == lookupAuto && s3utils.IsVirtualHostSupported(base, bucket)
	if endpoint == amazon { // has an address in each region, which works for new buckets too
		base.Host = "s3.dualstack." + region + ".amazonaws.com"
		if strings.HasPrefix(region, "cn-") {
			base.Host += ".cn"
		}
	}
	base.Host = withoutDefaultPort(base)
	if inHost {
		base.Host = bucket + "." + base.Host
	} else {
		base.Path += bucket + "/"
	}
	return &s3Client{base: base, region: region, http: &http.Client{
		Transport: s3Transport(),
		// For requests for keys: they do not redirect.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// withoutDefaultPort returns the host without a port that the scheme implies. Servers sign the host without it.
func withoutDefaultPort(u url.URL) string {
	if port := u.Port(); port == "80" && u.Scheme == "http" || port == "443" && u.Scheme == "https" {
		return strings.TrimSuffix(u.Host, ":"+port)
	}
	return u.Host
}

// s3Error is an error that the server returned.
type s3Error struct {
	Status  int    `xml:"-"`
	Code    string // for example NoSuchKey
	Message string
}

// Error returns the server's message, its code or the status.
func (e *s3Error) Error() string {
	switch {
	case e.Message != "":
		return e.Message
	case e.Code != "":
		return e.Code
	default:
		return fmt.Sprintf("S3 returned status %d", e.Status)
	}
}

// s3Status returns the status with which the server refused a request, or 0 if there is none.
func s3Status(err error) int {
	if e, ok := errors.AsType[*s3Error](err); ok {
		return e.Status
	}
	return 0
}

// s3Request is a request for an object or, without a key, for the bucket.
type s3Request struct {
	method string
	key    string
	query  url.Values
	header http.Header
	body   io.Reader // may be nil
	size   int64     // of the body
}

// do sends a request until it succeeds, is refused or has failed s3Retries times. A body that cannot be read again is
// sent only once. The caller must close the response's body.
func (c *s3Client) do(ctx context.Context, r s3Request) (*http.Response, error) {
	attempts := s3Retries
	seeker, start := io.Seeker(nil), int64(0)
	if r.body != nil {
		var ok bool
		seeker, ok = r.body.(io.Seeker)
		var err error
		if ok {
			start, err = seeker.Seek(0, io.SeekCurrent)
		}
		if !ok || err != nil {
			attempts, seeker = 1, nil
		}
	}
	for attempt := 1; ; attempt++ {
		res, err := c.try(ctx, r)
		if err == nil || attempt == attempts || !worthRepeating(ctx, err) {
			return res, err
		}
		const pause, longest = 200 * time.Millisecond, time.Second
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(rand.N(min(pause<<attempt, longest))): //nolint:gosec // not a secret
		}
		if seeker != nil {
			if _, err := seeker.Seek(start, io.SeekStart); err != nil {
				return nil, err
			}
		}
	}
}

// worthRepeating reports whether a request may succeed when it is sent again.
func worthRepeating(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	e, refused := errors.AsType[*s3Error](err)
	if !refused {
		_, untrusted := errors.AsType[x509.UnknownAuthorityError](err)
		return !untrusted && !strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
	}
	const closedRequest, unknownError = 499, 520 // from proxies
	return slices.Contains([]int{
		http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout, closedRequest, unknownError,
	}, e.Status) || slices.Contains([]string{
		"RequestTimeout", "Throttling", "ThrottlingException", "RequestLimitExceeded", "RequestThrottled",
		"InternalError", "ExpiredToken", "ExpiredTokenException", "SlowDown", "SlowDownWrite", "SlowDownRead",
	}, e.Code)
}

// try sends a request once.
func (c *s3Client) try(ctx context.Context, r s3Request) (*http.Response, error) {
	//nolint:gosec // the operator sets the address
	request, err := http.NewRequestWithContext(ctx, r.method, c.url(r.key, r.query), nil)
	if err != nil {
		return nil, err
	}
	for name, values := range r.header {
		request.Header[name] = values
	}
	request.Header.Set("User-Agent", "Homeward")
	if r.body != nil {
		body := &revocableBody{r: io.LimitReader(r.body, r.size)}
		defer body.revoke()
		request.Body, request.ContentLength = body, r.size
		if r.size == 0 {
			request.Body = http.NoBody
		}
	}
	request, err = c.sign(ctx, request, r.size)
	if err != nil {
		return nil, err
	}
	// Not Do: for a redirect, it closes the body while the transport may still be sending it.
	res, err := c.http.Transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if res.StatusCode/100 == 2 {
		return res, nil
	}
	defer func() { _ = res.Body.Close() }()
	const maxError = 1 << 20
	refusal := &s3Error{}
	_ = xml.NewDecoder(io.LimitReader(res.Body, maxError)).Decode(refusal) // proxies send other texts
	refusal.Status = res.StatusCode
	return nil, refusal
}

// url returns the address of an object or, without a key, of the bucket. It encodes the key as signatures demand.
func (c *s3Client) url(key string, query url.Values) string {
	target := c.base
	target.Path += key
	target.RawPath = s3utils.EncodePath(target.Path)
	target.RawQuery = s3utils.QueryEncode(query)
	return target.String()
}

// sign adds the signature. Over TLS, the content is not part of it, because TLS protects the content.
func (c *s3Client) sign(ctx context.Context, r *http.Request, size int64) (*http.Request, error) {
	// Fetching the keys does not end with this request, because other requests wait for them too.
	keys, err := c.credentials.GetWithContext(&credentials.CredContext{
		Context: context.WithoutCancel(ctx), Client: c.http,
	})
	switch {
	case err != nil:
		return nil, err
	case keys.SignerType.IsAnonymous():
		return r, nil
	case r.Body != nil && c.base.Scheme == "http":
		return signer.StreamingSignV4(r, keys.AccessKeyID, keys.SecretAccessKey, keys.SessionToken, c.region, size,
			time.Now().UTC(), sha256Hasher{sha256.New()}), nil
	}
	content := "UNSIGNED-PAYLOAD"
	if r.Body == nil {
		content = emptySHA256
	}
	r.Header.Set("X-Amz-Content-Sha256", content)
	return signer.SignV4(*r, keys.AccessKeyID, keys.SecretAccessKey, keys.SessionToken, c.region), nil
}

// emptySHA256 is the hash of an empty content.
const emptySHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// sha256Hasher is the standard library's hash in the form that the signer needs.
type sha256Hasher struct{ hash.Hash }

// Close does nothing.
func (sha256Hasher) Close() {}

// revocableBody is a body that can no longer be read after revoke: http may read a body even after it has returned a
// response.
type revocableBody struct {
	mu    sync.Mutex
	r     io.Reader
	ended bool
}

func (l *revocableBody) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return 0, errors.New("the request has ended")
	}
	return l.r.Read(p)
}

// Close does nothing: the body belongs to the caller.
func (l *revocableBody) Close() error { return nil }

func (l *revocableBody) revoke() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
}
