package cli

import (
	"context"
	"log/slog"
	"net"
	"os"
)

// The states that systemd is notified of (sd_notify).
const (
	stateReady    = "READY=1"
	stateStopping = "STOPPING=1"
)

// notifySupervisor sends a state to the supervisor that started this process: one datagram to the socket in
// NOTIFY_SOCKET, if that is set. A failure is logged and does not stop the service.
func notifySupervisor(ctx context.Context, state string, log *slog.Logger) {
	socket := os.Getenv("NOTIFY_SOCKET")
	if socket == "" {
		return
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unixgram", socket)
	if err == nil {
		_, err = conn.Write([]byte(state))
		_ = conn.Close() // a datagram has been sent, or err says why not
	}
	if err != nil {
		log.Warn("notifying the supervisor failed", "state", state, "error", err)
	}
}
