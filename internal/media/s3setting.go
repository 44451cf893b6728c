package media

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
)

const (
	amazon = "s3.amazonaws.com"

	// s3Retries limits how long a request to an unreachable server takes. By default it could take minutes, but a
	// user is waiting, and jobs have their own retries.
	s3Retries = 3

	// The timeouts for connecting, for receiving the response to a complete request, and for uploading a file. A
	// request to a server that hangs fails after s3Retries times the timeout.
	s3DialTime     = 5 * time.Second
	s3ResponseTime = 8 * time.Second
	s3PutTime      = time.Minute
)

// s3Transport returns a transport with these timeouts.
func s3Transport() *http.Transport {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: s3DialTime, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout: s3DialTime, ResponseHeaderTimeout: s3ResponseTime,
		MaxIdleConns: 256, MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute,
		DisableCompression: true, // files must arrive as they were stored
		TLSClientConfig:    &tls.Config{MinVersion: tls.VersionTLS12},
	}
}

// openS3 returns the store for a setting such as
//
//	s3://bucket?endpoint=host:9000&region=…&access_key=…&secret_key=…&prefix=…&path_style=true&tls=false
//
// Errors never contain the setting, because it may contain a secret.
func openS3(setting string) (*s3, error) {
	bucket, values, err := parseS3(setting)
	if err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	endpoint, secure, err := s3Endpoint(values)
	if err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	lookup, err := parseLookup(values)
	if err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	creds, err := s3Credentials(values, endpoint)
	if err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	region := cmp.Or(values["region"], os.Getenv("AWS_REGION"), "us-east-1")
	client, err := newS3Client(endpoint, secure, lookup, bucket, region)
	if err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	client.credentials = creds
	prefix := strings.Trim(values["prefix"], "/")
	if prefix != "" {
		prefix += "/"
	}
	return &s3{client: client, bucket: bucket, prefix: prefix}, nil
}

// parseS3 parses the setting. It rejects unknown parameters, so that a misspelt one is not silently ignored.
func parseS3(setting string) (bucket string, values map[string]string, err error) {
	u, err := url.Parse(setting)
	if err != nil {
		return "", nil, errors.New(
			"s3 setting is not a valid URL; write s3://bucket?endpoint=… and %-encode special characters")
	}
	switch {
	case u.Host == "":
		return "", nil, errors.New("s3 setting has no bucket; write s3://bucket?…")
	case u.User != nil:
		return "", nil, errors.New("s3 setting must use access_key= and secret_key=, not user:password@")
	case strings.Trim(u.Path, "/") != "":
		return "", nil, errors.New("s3 setting must specify a folder as prefix=, not after the bucket")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return "", nil, errors.New("s3 setting has a parameter that cannot be read; %-encode special characters")
	}
	known := []string{"endpoint", "region", "access_key", "secret_key", "prefix", "path_style", "tls"}
	values = make(map[string]string)
	for key, all := range query {
		if !slices.Contains(known, key) {
			return "", nil, fmt.Errorf("s3 parameter %q is unknown; use one of %s", key, strings.Join(known, ", "))
		}
		if len(all) > 1 {
			return "", nil, fmt.Errorf("s3 parameter %s is set twice", key)
		}
		values[key] = all[0]
	}
	return u.Host, values, nil
}

// s3Endpoint returns the values of endpoint and tls. The endpoint may be host:port or a URL.
func s3Endpoint(values map[string]string) (endpoint string, secure bool, err error) {
	endpoint, secure = cmp.Or(values["endpoint"], amazon), true
	if scheme, rest, ok := strings.Cut(endpoint, "://"); ok {
		if scheme != "http" && scheme != "https" {
			return "", false, errors.New("s3 endpoint must be host:port, http://… or https://…")
		}
		endpoint, secure = strings.TrimSuffix(rest, "/"), scheme == "https"
	}
	if values["tls"] != "" {
		secure, err = strconv.ParseBool(values["tls"])
		if err != nil {
			return "", false, errors.New("s3 parameter tls must be true or false")
		}
	}
	return endpoint, secure, nil
}

// s3Lookup says where the name of the bucket is in an address.
type s3Lookup int

const (
	lookupAuto s3Lookup = iota // in the host where the server is known to support it
	lookupPath
	lookupHost
)

func parseLookup(values map[string]string) (s3Lookup, error) {
	if values["path_style"] == "" {
		return lookupAuto, nil
	}
	byPath, err := strconv.ParseBool(values["path_style"])
	if err != nil {
		return 0, errors.New("s3 parameter path_style must be true or false")
	}
	if byPath {
		return lookupPath, nil
	}
	return lookupHost, nil
}

// s3Credentials returns the keys in the setting, or else those in the usual AWS environment variables and files.
func s3Credentials(values map[string]string, endpoint string) (*credentials.Credentials, error) {
	// Secrets often contain a plus sign, which means a space in a URL. No key contains a space.
	access := strings.ReplaceAll(values["access_key"], " ", "+")
	secret := strings.ReplaceAll(values["secret_key"], " ", "+")
	switch {
	case access != "" && secret != "":
		return credentials.NewStaticV4(access, secret, ""), nil
	case access != "" || secret != "":
		return nil, errors.New("s3 parameters access_key and secret_key must be set together; one is missing")
	}
	chain := []credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}}
	if endpoint == amazon {
		chain = append(chain, &credentials.IAM{}) // the machine's IAM role, which exists only at Amazon
	}
	return credentials.NewChainCredentials(chain), nil
}
