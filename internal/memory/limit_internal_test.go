package memory

import (
	"testing"
	"testing/fstest"
)

func TestContainerMemoryReadsTheLimit(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	const group = "proc/self/cgroup"
	for name, tt := range map[string]struct {
		files fstest.MapFS
		want  int64
	}{
		"no groups": {fstest.MapFS{}, 0},
		"no limit": {fstest.MapFS{
			group: file("0::/\n"), "sys/fs/cgroup/memory.max": file("max\n"),
		}, 0},
		"in a container": {fstest.MapFS{
			group: file("0::/\n"), "sys/fs/cgroup/memory.max": file("268435456\n"),
		}, 256 << 20},
		"in a service": {fstest.MapFS{
			group: file("0::/system.slice/homeward.service\n"),
			"sys/fs/cgroup/system.slice/homeward.service/memory.max": file("1048576\n"),
		}, 1 << 20},
		"limit of the parent group": {fstest.MapFS{
			group: file("0::/a/b\n"), "sys/fs/cgroup/a/memory.max": file("1024\n"),
			"sys/fs/cgroup/a/b/memory.max": file("4096\n"),
		}, 1024},
		"cgroup version 1": {fstest.MapFS{
			group: file("4:memory:/x\n1:cpu:/\n"),
			"sys/fs/cgroup/memory/memory.limit_in_bytes":   file("9223372036854771712\n"),
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes": file("2048\n"),
		}, 2048},
	} {
		if got := containerMemory(tt.files); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}
