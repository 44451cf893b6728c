package testkit

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// FreePort returns a loopback port on which nothing listens. It is below the range from which the system chooses the
// ports of connections and of listeners without a port, so that no other test gets the same one in the meantime.
func FreePort(t testing.TB) int {
	t.Helper()
	const lowest, ports, tries = 10000, 5000, 100 // scripts/with-services uses the next range
	for range tries {
		port := lowest + rand.IntN(ports)
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			_ = l.Close()
			return port
		}
	}
	t.Fatal("found no free port on 127.0.0.1")
	return 0
}
