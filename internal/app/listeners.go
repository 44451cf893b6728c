package app

import (
	"context"
	"fmt"
	"net"
)

// listen listens on the configured addresses. If no public address is configured, it sets the default.
func (a *App) listen(ctx context.Context) (err error) {
	var tcp net.ListenConfig
	a.mainListener, err = tcp.Listen(ctx, "tcp", a.cfg.Listen)
	if err != nil {
		return fmt.Errorf("HOMEWARD_LISTEN: cannot listen on %s: %w "+
			"(choose another address, such as --listen 127.0.0.1:8081)", a.cfg.Listen, err)
	}
	debugAddress, _ := a.cfg.DebugAddress() // checkTelemetry has checked it
	optional := []struct {
		setting, address string
		listener         *net.Listener
	}{
		{"HOMEWARD_METRICS_LISTEN", a.cfg.MetricsListen, &a.metricsListener},
		{"HOMEWARD_DEBUG_LISTEN", debugAddress, &a.debugListener},
		{"HOMEWARD_HTTP_LISTEN", a.cfg.HTTPListen, &a.plainListener},
	}
	for _, o := range optional {
		if o.address == "" {
			continue
		}
		l, err := tcp.Listen(ctx, "tcp", o.address)
		if err != nil {
			return fmt.Errorf("%s: cannot listen on %s: %w", o.setting, o.address, err)
		}
		*o.listener = l
	}
	a.cfg.BaseURL = a.cfg.PublicURL(reachableAddress(a.mainListener.Addr()))
	return nil
}

// reachableAddress returns the address at which this machine can reach a listener. For a listener on all interfaces,
// the host is localhost.
func reachableAddress(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		return net.JoinHostPort("localhost", port)
	}
	return addr.String()
}

// URL returns the URL at which this machine can reach the service.
func (a *App) URL() string {
	return a.cfg.URLOf(reachableAddress(a.mainListener.Addr()))
}

func (a *App) closeListeners() {
	for _, l := range []net.Listener{a.mainListener, a.metricsListener, a.debugListener, a.plainListener} {
		if l != nil {
			_ = l.Close() // if its server was running, it is already closed
		}
	}
}
