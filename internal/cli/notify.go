package cli

import (
	"context"
	"log/slog"
	"net"
	"os"
)

// The states that are sent to systemd, as defined by sd_notify.
const (
	stateReady    = "READY=1"
	stateStopping = "STOPPING=1"
)

// notifySupervisor sends a state to the supervisor that started this process, as one datagram to the socket named by
// NOTIFY_SOCKET. It does nothing if that variable is not set. A failure is logged and does not stop the service.
func notifySupervisor(ctx context.Context, state string, log *slog.Logger) {
	socket := os.Getenv("NOTIFY_SOCKET")
	if socket == "" {
		return
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unixgram", socket)
	if err == nil {
		_, err = conn.Write([]byte(state))
		_ = conn.Close() // the datagram has been sent, or err says why not
	}
	if err != nil {
		log.Warn("notifying the supervisor failed", "state", state, "error", err)
	}
}
