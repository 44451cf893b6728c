package cli

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"homeward/internal/app"
)

type healthCommand struct {
	URL string `name:"url" placeholder:"URL" help:"${health_url_help}"`
}

// healthTimeout is how long the request may take. The service itself waits up to five seconds for its database.
const healthTimeout = 8 * time.Second

// Run checks whether the service is ready. Container images without a shell or curl use it as their health check.
func (c healthCommand) Run(ctx context.Context, cfg *app.Config, out io.Writer) error {
	base, err := c.base(cfg)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/readyz", nil)
	if err != nil {
		return errInvalidURL()
	}
	// No proxy and no redirects: the response must come from this service.
	transport := &http.Transport{Proxy: nil, DisableKeepAlives: true}
	if c.URL == "" {
		transport.TLSClientConfig = cfg.LocalTLS()
	}
	client := http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res, err := client.Do(r)
	if err != nil {
		return fmt.Errorf("not ready: %w", err)
	}
	_ = res.Body.Close() // only the status matters
	if res.StatusCode != http.StatusOK {
		hint := ""
		if res.StatusCode == http.StatusBadRequest && r.URL.Scheme == "http" {
			hint = ": if it serves TLS there, use https"
		}
		return fmt.Errorf("not ready: %s returned %d%s", r.URL.Redacted(), res.StatusCode, hint)
	}
	_, err = fmt.Fprintln(out, "ready")
	return err
}

func errInvalidURL() error {
	return app.InvalidSetting("--url", "an HTTP or HTTPS URL, such as http://127.0.0.1:8080")
}

// base returns the service's base URL, which is --url or derived from the address that it listens on.
func (c healthCommand) base(cfg *app.Config) (string, error) {
	if c.URL != "" {
		if !app.IsURL(c.URL, "http", "https") {
			return "", errInvalidURL()
		}
		return strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(c.URL, "/"), "/readyz"), "/"), nil
	}
	host, port, err := net.SplitHostPort(cfg.Listen)
	switch {
	case err != nil || !app.IsListenAddress(cfg.Listen):
		return "", app.InvalidSetting("HOMEWARD_LISTEN", "host:port, such as 127.0.0.1:8080")
	case port == "0":
		return "", fmt.Errorf("HOMEWARD_LISTEN is %s, so the port is chosen at startup: set the address with --url",
			cfg.Listen)
	case host == "" || net.ParseIP(host).IsUnspecified():
		// The service listens on all addresses. A container image may be unable to resolve localhost.
		return cfg.URLOf(net.JoinHostPort("127.0.0.1", port)), nil
	default:
		return cfg.URLOf(cfg.Listen), nil
	}
}
