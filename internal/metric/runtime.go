package metric

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// The sources of Go's own metrics.
const (
	heapObjects  = "/memory/classes/heap/objects:bytes"
	heapUnused   = "/memory/classes/heap/unused:bytes"
	heapReleased = "/memory/classes/heap/released:bytes"
	heapFree     = "/memory/classes/heap/free:bytes"
	heapStacks   = "/memory/classes/heap/stacks:bytes"
	spanInUse    = "/memory/classes/metadata/mspan/inuse:bytes"
	cacheInUse   = "/memory/classes/metadata/mcache/inuse:bytes"
	tinyAllocs   = "/gc/heap/tiny/allocs:objects"
)

// runtimeMetric is a metric that is the sum of some of the runtime's.
type runtimeMetric struct {
	desc *Desc
	from []string
}

func fromRuntime(kind Kind, name, help string, from ...string) runtimeMetric {
	return runtimeMetric{NewDesc(kind, name, help), from}
}

// runtimeMetrics returns the metrics of Go's runtime. They have the names that Prometheus's library gives them, so
// that dashboards for Go programs work.
func runtimeMetrics() []runtimeMetric {
	gauge := func(name, help string, from ...string) runtimeMetric {
		return fromRuntime(GaugeKind, name, help, from...)
	}
	counter := func(name, help string, from ...string) runtimeMetric {
		return fromRuntime(CounterKind, name, help, from...)
	}
	return []runtimeMetric{
		gauge("go_gc_gogc_percent", "Heap growth, in percent, that starts a garbage collection.", "/gc/gogc:percent"),
		gauge("go_gc_gomemlimit_bytes", "Limit for the memory of Go's runtime.", "/gc/gomemlimit:bytes"),
		gauge("go_goroutines", "Goroutines that exist.", "/sched/goroutines:goroutines"),
		gauge("go_sched_gomaxprocs_threads", "Threads that may run Go code at once.", "/sched/gomaxprocs:threads"),
		gauge("go_memstats_alloc_bytes", "Bytes of objects in the heap.", heapObjects),
		counter("go_memstats_alloc_bytes_total", "Bytes of objects ever allocated.", "/gc/heap/allocs:bytes"),
		gauge("go_memstats_buck_hash_sys_bytes", "Bytes used for profiling.",
			"/memory/classes/profiling/buckets:bytes"),
		counter("go_memstats_frees_total", "Objects ever freed.", "/gc/heap/frees:objects", tinyAllocs),
		gauge("go_memstats_gc_sys_bytes", "Bytes used for garbage collection.", "/memory/classes/metadata/other:bytes"),
		gauge("go_memstats_heap_alloc_bytes", "Bytes of objects in the heap.", heapObjects),
		gauge("go_memstats_heap_idle_bytes", "Bytes of the heap without objects.", heapReleased, heapFree),
		gauge("go_memstats_heap_inuse_bytes", "Bytes of the heap in use.", heapObjects, heapUnused),
		gauge("go_memstats_heap_objects", "Objects in the heap.", "/gc/heap/objects:objects"),
		gauge("go_memstats_heap_released_bytes", "Bytes of the heap returned to the system.", heapReleased),
		gauge("go_memstats_heap_sys_bytes", "Bytes of the heap, in use or not.",
			heapObjects, heapUnused, heapReleased, heapFree),
		counter("go_memstats_mallocs_total", "Objects ever allocated.", "/gc/heap/allocs:objects", tinyAllocs),
		gauge("go_memstats_mcache_inuse_bytes", "Bytes of allocation caches in use.", cacheInUse),
		gauge("go_memstats_mcache_sys_bytes", "Bytes of allocation caches.",
			cacheInUse, "/memory/classes/metadata/mcache/free:bytes"),
		gauge("go_memstats_mspan_inuse_bytes", "Bytes of span structures in use.", spanInUse),
		gauge("go_memstats_mspan_sys_bytes", "Bytes of span structures.",
			spanInUse, "/memory/classes/metadata/mspan/free:bytes"),
		gauge("go_memstats_next_gc_bytes", "Heap size that starts the next garbage collection.", "/gc/heap/goal:bytes"),
		gauge("go_memstats_other_sys_bytes", "Bytes used for other things.", "/memory/classes/other:bytes"),
		gauge("go_memstats_stack_inuse_bytes", "Bytes of stacks in use.", heapStacks),
		gauge("go_memstats_stack_sys_bytes", "Bytes of stacks.", heapStacks, "/memory/classes/os-stacks:bytes"),
		gauge("go_memstats_sys_bytes", "Bytes obtained from the system.", "/memory/classes/total:bytes"),
	}
}

// NewRuntimeCollector returns a collector for the metrics of Go's runtime.
func NewRuntimeCollector() Collector {
	all := runtimeMetrics()
	info := NewDesc(GaugeKind, "go_info", "Version of Go.", "version")
	threads := NewDesc(GaugeKind, "go_threads", "Threads created.")
	pauses := NewDesc(summaryKind, "go_gc_duration_seconds", "Pauses for garbage collection.")
	last := NewDesc(GaugeKind, "go_memstats_last_gc_time_seconds", "When garbage was last collected, as Unix time.")
	return Func(func(w *Writer) {
		for _, m := range all {
			samples, sum := make([]metrics.Sample, len(m.from)), 0.0
			for i, name := range m.from {
				samples[i].Name = name
			}
			metrics.Read(samples)
			for _, s := range samples {
				if s.Value.Kind() == metrics.KindUint64 {
					sum += float64(s.Value.Uint64())
				}
			}
			w.Add(m.desc, sum)
		}
		w.Add(info, 1, runtime.Version())
		created, _ := runtime.ThreadCreateProfile(nil)
		w.Add(threads, float64(created))
		quantiles := []string{"0", "0.25", "0.5", "0.75", "1"}
		var stats debug.GCStats
		stats.PauseQuantiles = append(stats.PauseQuantiles, 0, 0, 0, 0, 0)
		debug.ReadGCStats(&stats)
		s := w.series(pauses, nil)
		for i, q := range quantiles {
			s.line("", "quantile", q, stats.PauseQuantiles[i].Seconds())
		}
		s.line("_sum", "", "", stats.PauseTotal.Seconds())
		s.line("_count", "", "", float64(stats.NumGC))
		const nanos = 1e9
		w.Add(last, float64(stats.LastGC.UnixNano())/nanos)
	})
}
