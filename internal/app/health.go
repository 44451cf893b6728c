package app

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

type healthCommand struct {
	URL string `name:"url" placeholder:"URL" help:"Where the service answers, with or without /readyz. Default: LISTEN, on this machine, by https where it speaks TLS; its certificate is not checked then."`
}

// healthTime bounds the whole question: the service itself gives its database and files five seconds.
const healthTime = 8 * time.Second

// Run asks the service whether it is ready. A container without a shell or curl is looked after by this.
func (c healthCommand) Run(ctx context.Context, cfg *Config, out io.Writer) error {
	base, err := c.base(cfg)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/readyz", nil)
	if err != nil {
		return wrong("--url", "an http or https address, such as http://127.0.0.1:8080")
	}
	// No proxy, and no going elsewhere: it is this service that is asked.
	way := &http.Transport{Proxy: nil, DisableKeepAlives: true}
	if c.URL == "" {
		way.TLSClientConfig = cfg.toMyself()
	}
	client := http.Client{
		Transport:     way,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res, err := client.Do(r)
	if err != nil {
		return fmt.Errorf("not ready: %w", err)
	}
	_ = res.Body.Close() // the status says it all
	if res.StatusCode != http.StatusOK {
		hint := ""
		if res.StatusCode == http.StatusBadRequest && r.URL.Scheme == "http" {
			hint = ": it may speak TLS there, so ask by https"
		}
		return fmt.Errorf("not ready: %s answered %d%s", r.URL.Redacted(), res.StatusCode, hint)
	}
	_, err = fmt.Fprintln(out, "ready")
	return err
}

// base is where the service is asked: the address that was named, or the one that it listens on.
func (c healthCommand) base(cfg *Config) (string, error) {
	switch host, port, err := net.SplitHostPort(cfg.Listen); {
	case c.URL != "" && !isURL(c.URL, "http", "https"):
		return "", wrong("--url", "an http or https address, such as http://127.0.0.1:8080")
	case c.URL != "":
		return strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(c.URL, "/"), "/readyz"), "/"), nil
	case err != nil || !isListen(cfg.Listen):
		return "", wrong("HOMEWARD_LISTEN", "host:port, such as 127.0.0.1:8080")
	case port == "0":
		return "", fmt.Errorf("HOMEWARD_LISTEN is %s, a port that is chosen at the start: name the address with --url", cfg.Listen)
	case host == "" || net.ParseIP(host).IsUnspecified():
		return cfg.at(net.JoinHostPort("127.0.0.1", port)), nil // one that listens on all addresses; an image may have no names for them
	default:
		return cfg.at(cfg.Listen), nil
	}
}
