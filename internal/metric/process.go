package metric

import (
	"math"
	"os"
	"strconv"
	"strings"
)

// NewProcessCollector returns a collector for the metrics of the process. They have the names that Prometheus's
// library gives them. They are read from /proc, so that only Linux has them.
func NewProcessCollector() Collector { return newProcessCollector("/proc") }

func newProcessCollector(proc string) Collector {
	cpu := NewDesc(CounterKind, "process_cpu_seconds_total", "CPU time used, in seconds.")
	virtual := NewDesc(GaugeKind, "process_virtual_memory_bytes", "Virtual memory, in bytes.")
	resident := NewDesc(GaugeKind, "process_resident_memory_bytes", "Resident memory, in bytes.")
	started := NewDesc(GaugeKind, "process_start_time_seconds", "When the process started, as Unix time.")
	maxFiles := NewDesc(GaugeKind, "process_max_fds", "Maximum number of open files.")
	maxVirtual := NewDesc(GaugeKind, "process_virtual_memory_max_bytes", "Maximum of virtual memory, in bytes.")
	files := NewDesc(GaugeKind, "process_open_fds", "Open files.")
	received := NewDesc(CounterKind, "process_network_receive_bytes_total", "Bytes received from the network.")
	sent := NewDesc(CounterKind, "process_network_transmit_bytes_total", "Bytes sent to the network.")
	return Func(func(w *Writer) {
		if f := processFields(proc); f != nil {
			const ticks = 100 // per second, on every architecture
			w.Add(cpu, (f[10]+f[11])/ticks)
			w.Add(virtual, f[19])
			w.Add(resident, f[20]*float64(os.Getpagesize()))
			if boot, ok := find(proc+"/stat", "btime "); ok {
				w.Add(started, boot+f[18]/ticks)
			}
		}
		if n, ok := find(proc+"/self/limits", "Max open files "); ok {
			w.Add(maxFiles, n)
		}
		if n, ok := find(proc+"/self/limits", "Max address space "); ok {
			w.Add(maxVirtual, n)
		}
		if all, err := os.ReadDir(proc + "/self/fd"); err == nil {
			w.Add(files, float64(len(all)))
		}
		if in, out, ok := networkBytes(proc); ok {
			w.Add(received, in)
			w.Add(sent, out)
		}
	})
}

// processFields returns the numbers in the process's stat file, from the one after the state on: number 0 here is 4
// in the file's documentation. It returns nil if they cannot be read.
func processFields(proc string) []float64 {
	const known = 21
	text, err := os.ReadFile(proc + "/self/stat")
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(text[strings.LastIndex(string(text), ")")+1:]), " ") // after the program's name
	words := strings.Fields(rest)
	if len(words) < known+1 {
		return nil
	}
	all := make([]float64, 0, len(words))
	for _, word := range words[1:] {
		n, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return nil
		}
		all = append(all, n)
	}
	return all
}

// find returns the number after a text at the beginning of a line.
func find(file, start string) (float64, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		rest, found := strings.CutPrefix(line, start)
		words := strings.Fields(rest)
		if !found || len(words) == 0 {
			continue
		}
		if words[0] == "unlimited" {
			return math.MaxUint64, true
		}
		n, err := strconv.ParseFloat(words[0], 64)
		return n, err == nil
	}
	return 0, false
}

// networkBytes returns the bytes that the process's network has received and sent.
func networkBytes(proc string) (in, out float64, ok bool) {
	text, err := os.ReadFile(proc + "/self/net/netstat")
	if err != nil {
		return 0, 0, false
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] != "IpExt:" {
			continue
		}
		if names == nil { // the first of two lines
			names = words
			continue
		}
		for i, name := range names[:min(len(names), len(words))] {
			switch name {
			case "InOctets":
				in, _ = strconv.ParseFloat(words[i], 64)
			case "OutOctets":
				out, _ = strconv.ParseFloat(words[i], 64)
			}
		}
		return in, out, true
	}
	return 0, 0, false
}
