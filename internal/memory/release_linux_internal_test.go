//go:build linux

package memory

import (
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestOnlyUnchangedReadOnlyPagesOfTheProgramAreReleased(t *testing.T) {
	const smaps = `00400000-01b07000 r-xp 00000000 fe:00 10020098                           /opt/homeward
Size:              23580 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me 
01b07000-038f6000 r--p 01707000 fe:00 10020098                           /opt/homeward
Anonymous:             0 kB
038f6000-03f4e000 r--p 034f6000 fe:00 10020098                           /opt/homeward
Anonymous:           252 kB
03f4e000-03f5e000 rw-p 034f6000 fe:00 10020098                           /opt/homeward
Anonymous:             0 kB
283f3ac00000-283f3c400000 r--p 00000000 00:00 0 
Anonymous:             0 kB
7f8b49e27000-7f8b49f7d000 r-xp 00026000 fe:00 326269                     /usr/lib/libc.so.6
Anonymous:             0 kB
`
	want := []mapping{{0x400000, 0x1b07000}, {0x1b07000, 0x38f6000}}
	if got := programMappings(strings.NewReader(smaps), "/opt/homeward"); !slices.Equal(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
}

// The test program itself continues to run after its pages were released, and uses fewer of them.
func TestTheProgramRunsAfterItsPagesWereReleased(t *testing.T) {
	debug.FreeOSMemory() // uses much of the runtime
	before := programPages(t)
	releaseProgram()
	after := programPages(t)
	if after >= before || before == 0 {
		t.Errorf("%d kB of the program are mapped, before it were %d kB", after, before)
	}
	debug.FreeOSMemory()
}

// programPages returns how much of the test program is mapped, in kB.
func programPages(t *testing.T) (kB int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	inside := false
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		switch {
		case !strings.HasSuffix(fields[0], ":"):
			inside = fields[len(fields)-1] == program
		case inside && fields[0] == "Rss:":
			n, err := strconv.Atoi(fields[1])
			if err != nil {
				t.Fatal(err)
			}
			kB += n
		}
	}
	return kB
}
