package app

import (
	"context"
	"log/slog"
	"net"
	"os"
)

// What systemd is told (sd_notify), where it asked to be.
const (
	nowReady    = "READY=1"
	nowStopping = "STOPPING=1"
)

// tellSupervisor tells the supervisor that started this process how far it is: one datagram to the socket that NOTIFY_SOCKET names.
// Without one nobody asked. A supervisor that does not hear is no reason to stop.
func tellSupervisor(ctx context.Context, state string, log *slog.Logger) {
	socket := os.Getenv("NOTIFY_SOCKET")
	if socket == "" {
		return
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unixgram", socket)
	if err == nil {
		_, err = conn.Write([]byte(state))
		_ = conn.Close() // it was sent, or the error says why not
	}
	if err != nil {
		log.Warn("the supervisor was not told", "state", state, "error", err)
	}
}
