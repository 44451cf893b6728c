package web

import (
	"errors"
	"net"
	"os"
	"syscall"
)

// refuseConnections makes the kernel ignore requests for new connections, and reports whether it could. Connections
// that are being established can still be accepted.
//
// Without this, a client can lose a request: the kernel establishes connections on its own, so when the listener is
// closed, some may be established but not yet accepted. The kernel resets them, although the client may have sent a
// request. A client whose connection request is ignored repeats it after a second. By then the listener is closed, the
// client is refused, and a load balancer sends the request to another instance.
func refuseConnections(l net.Listener) bool {
	// The filter gets the TCP header. It drops packets with the flag SYN, and accepts all others.
	const flagsOffset, flagSYN, wholePacket = 13, 0x02, 0xffff
	filter := []syscall.SockFilter{
		{Code: syscall.BPF_LD | syscall.BPF_B | syscall.BPF_ABS, K: flagsOffset},
		{Code: syscall.BPF_JMP | syscall.BPF_JSET | syscall.BPF_K, Jf: 1, K: flagSYN},
		{Code: syscall.BPF_RET | syscall.BPF_K, K: 0},
		{Code: syscall.BPF_RET | syscall.BPF_K, K: wholePacket},
	}
	attached := false
	controlSocket(l, func(fd int) {
		attached = syscall.AttachLsf(fd, filter) == nil //nolint:staticcheck // saves a module
	})
	return attached
}

// acceptLast accepts the connections that are established, and stops listening at once. It is for kernels that cannot
// ignore requests for new connections: almost no time is left in which the kernel could establish another one.
func acceptLast(l net.Listener) (conns []net.Conn) {
	var accepted []int
	controlSocket(l, func(fd int) {
		for {
			n, _, err := syscall.Accept4(fd, syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC)
			if errors.Is(err, syscall.EINTR) || errors.Is(err, syscall.ECONNABORTED) {
				continue
			}
			if err != nil { // there are no more
				break
			}
			accepted = append(accepted, n)
		}
		_ = syscall.Shutdown(fd, syscall.SHUT_RD)
	})
	for _, n := range accepted {
		file := os.NewFile(uintptr(n), "connection")
		if c, err := net.FileConn(file); err == nil { // has its own copy of the file descriptor
			conns = append(conns, c)
		}
		_ = file.Close()
	}
	return conns
}

// controlSocket calls do with the file descriptor of a listener, if it has one.
func controlSocket(l net.Listener, do func(fd int)) {
	socket, ok := l.(syscall.Conn)
	if !ok {
		return
	}
	if raw, err := socket.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { do(int(fd)) }) // fails only if the listener is closed
	}
}
