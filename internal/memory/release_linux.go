package memory

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// releaseProgram unmaps the pages of the program that only the start has used, such as the code that initialises
// packages. They remain in the page cache and are mapped again when they are used.
func releaseProgram() {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer func() { _ = maps.Close() }()
	for _, m := range programMappings(maps, program) {
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, m.start, m.end-m.start, syscall.MADV_DONTNEED)
	}
}

// mapping is a range of addresses.
type mapping struct{ start, end uintptr }

// programMappings returns the read-only mappings of a file from the text of /proc/self/smaps. It omits mappings with
// pages that differ from the file, because their content would be lost.
func programMappings(smaps io.Reader, file string) (found []mapping) {
	var m mapping
	var permissions, name string
	lines := bufio.NewScanner(smaps)
	for lines.Scan() {
		if key, value, ok := strings.Cut(lines.Text(), ": "); ok {
			unchanged := key == "Anonymous" && strings.TrimSpace(value) == "0 kB"
			if unchanged && name == file && (permissions == "r-xp" || permissions == "r--p") {
				found = append(found, m)
			}
			continue
		}
		var offset, device, inode string
		m, name = mapping{}, "" // memory without a file has no name
		_, _ = fmt.Sscanf(lines.Text(), "%x-%x %s %s %s %s %s", &m.start, &m.end, &permissions, &offset, &device,
			&inode, &name)
	}
	return found
}
