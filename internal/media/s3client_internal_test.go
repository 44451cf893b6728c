package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"homeward/internal/lost"
)

// TestAddressesAreThoseOfTheLibrary compares the address of an object with the one in a link that minio's library
// signs.
func TestAddressesAreThoseOfTheLibrary(t *testing.T) {
	t.Parallel()
	const key = "some/folder/a b+c~ü.jpg"
	for _, c := range []struct{ endpoint, bucket, region string }{
		{amazon, "lost", "us-east-1"},
		{amazon, "lost", "eu-central-1"},
		{amazon, "lost", "cn-north-1"},
		{amazon, "lost.and.found", "eu-west-1"}, // no certificate has this name
		{"127.0.0.1:9000", "lost", "us-east-1"},
		{"minio.example:443", "lost", "us-east-1"},
		{"minio.example:80", "lost", "us-east-1"},
		{"storage.googleapis.com", "lost", "us-east-1"},
		{"oss-cn-hangzhou.aliyuncs.com", "lost", "oss-cn-hangzhou"},
	} {
		for ours, theirs := range map[s3Lookup]minio.BucketLookupType{
			lookupAuto: minio.BucketLookupAuto, lookupPath: minio.BucketLookupPath, lookupHost: minio.BucketLookupDNS,
		} {
			for _, secure := range []bool{true, false} {
				library, err := minio.New(c.endpoint, &minio.Options{
					Creds: credentials.NewStaticV4("a", "b", ""), Secure: secure, Region: c.region,
					BucketLookup: theirs,
				})
				if err != nil {
					t.Fatal(err)
				}
				link, err := library.PresignedGetObject(t.Context(), c.bucket, key, time.Hour, nil)
				if err != nil {
					t.Fatal(err)
				}
				client, err := newS3Client(c.endpoint, secure, ours, c.bucket, c.region)
				if err != nil {
					t.Fatal(err)
				}
				want, _, _ := strings.Cut(link.String(), "?")
				if got := client.url(key, nil); got != want {
					t.Errorf("%v %v %t: got %s, want %s", c, theirs, secure, got, want)
				}
			}
		}
	}
}

func TestInvalidEndpointsAndBucketsAreRefused(t *testing.T) {
	t.Parallel()
	for _, setting := range []string{
		"s3://lost?endpoint=host:port", "s3://lost?endpoint=host/folder", "s3://lost?endpoint=a%20b",
		"s3://lost?endpoint=u:p%40host", "s3://lost?endpoint=host%3Fa", "s3://lo?endpoint=host",
		"s3://lo_st!?endpoint=host",
	} {
		if _, err := openS3(setting); err == nil {
			t.Errorf("%s is accepted", setting)
		}
	}
}

// newTestS3 returns a client of a server that a test controls.
func newTestS3(t *testing.T, handle http.HandlerFunc) *s3 {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	s, err := openS3("s3://lost?path_style=true&access_key=a&secret_key=b&endpoint=" + server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOnlyTemporaryRefusalsAreTriedAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		code   string
		calls  int64
		want   lost.Code
	}{
		{503, "SlowDown", 3, lost.Unavailable}, {500, "", 3, lost.Unavailable}, {429, "", 3, lost.Unavailable},
		{400, "ExpiredToken", 3, ""}, {403, "AccessDenied", 1, ""}, {404, "NoSuchBucket", 1, ""},
		{301, "PermanentRedirect", 1, lost.Unavailable},
	} {
		var calls atomic.Int64
		s := newTestS3(t, func(w http.ResponseWriter, r *http.Request) {
			calls.Add(1)
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(c.status)
			_, _ = fmt.Fprintf(w, "<Error><Code>%s</Code><Message>because</Message></Error>", c.code)
		})
		err := s.put(t.Context(), "a", strings.NewReader("content"), 7, "text/plain")
		if calls.Load() != c.calls || err == nil || c.want != "" && lost.CodeOf(err) != c.want {
			t.Errorf("%d %s: got %v after %d calls", c.status, c.code, err, calls.Load())
		}
		calls.Store(0)
		once := io.MultiReader(strings.NewReader("content")) // cannot be read again
		if err := s.put(t.Context(), "a", once, 7, "text/plain"); err == nil || calls.Load() != 1 {
			t.Errorf("%d %s: got %v after %d calls, want 1", c.status, c.code, err, calls.Load())
		}
	}
}

// TestARepeatedUploadIsComplete checks that the second attempt sends the content from where the first one started.
func TestARepeatedUploadIsComplete(t *testing.T) {
	t.Parallel()
	var got []byte
	var calls atomic.Int64
	s := newTestS3(t, func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable) // without reading the content
			return
		}
		got, _ = io.ReadAll(r.Body)
	})
	content := bytes.Repeat([]byte("0123456789"), 100_000)
	r := bytes.NewReader(content)
	if _, err := r.Seek(10, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if err := s.put(t.Context(), "a", r, int64(len(content)-10), "text/plain"); err != nil {
		t.Fatal(err)
	}
	// Over plain HTTP, each chunk of the content has a signature of its own.
	if calls.Load() != 2 || bytes.Count(got, []byte("0123456789")) < len(content)/10-20 {
		t.Errorf("%d calls, %d bytes", calls.Load(), len(got))
	}
}

// TestAFileThatChangesIsNotMixed checks that parts of two versions are never returned as one file.
func TestAFileThatChangesIsNotMixed(t *testing.T) {
	t.Parallel()
	version := "one"
	s := newTestS3(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"`+version+`"`)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader("content of version "+version))
	})
	f, err := s.open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, at := range []int64{11, 0, 19} {
		if _, err := f.Content.Seek(at, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(f.Content); err != nil || string(got) != "content of version one"[at:] {
			t.Errorf("from %d: got %q, %v", at, got, err)
		}
	}
	version = "two"
	if _, err := f.Content.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(f.Content); s3Status(err) != http.StatusPreconditionFailed {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := f.Content.Seek(-1, io.SeekStart); err == nil {
		t.Error("a negative offset is accepted")
	}
}

func TestACutDownloadIsAnError(t *testing.T) {
	t.Parallel()
	s := newTestS3(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		if r.Method == http.MethodGet {
			_, _ = w.Write([]byte("too short"))
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
	})
	f, err := s.open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := io.ReadAll(f.Content); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestALentBodyIsNotReadAfterTheRequest(t *testing.T) {
	t.Parallel()
	body := &revocableBody{r: strings.NewReader("content")}
	body.revoke()
	if n, err := body.Read(make([]byte, 10)); n != 0 || err == nil {
		t.Errorf("got %d, %v", n, err)
	}
}

func TestAnEndedContextEndsTheAttempts(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var calls atomic.Int64
	s := newTestS3(t, func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		cancel()
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	if _, err := s.open(ctx, "a"); !errors.Is(err, context.Canceled) || calls.Load() != 1 {
		t.Errorf("got %v after %d calls", err, calls.Load())
	}
}
