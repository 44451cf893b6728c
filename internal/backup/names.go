package backup

import (
	"bufio"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"
)

// names is a set of file names that uses a limited amount of memory. When too many names are in
// memory, they are written to a temporary file as a sorted run.
type names struct {
	seen  map[string]struct{}
	limit int
	runs  []*os.File
}

const maxNamesInMemory = 100_000

func newNames() *names { return &names{seen: map[string]struct{}{}, limit: maxNamesInMemory} }

func (n *names) add(name string) error {
	n.seen[name] = struct{}{}
	if len(n.seen) < n.limit {
		return nil
	}
	return n.spill()
}

// spill writes the names in memory to a temporary file as a sorted run.
func (n *names) spill() error {
	f, err := os.CreateTemp("", "homeward-names-*")
	if err != nil {
		return fmt.Errorf("write the list of file names: %w", err)
	}
	_ = os.Remove(f.Name()) // the open file stays usable; on systems where this fails, close removes it
	n.runs = append(n.runs, f)
	w := bufio.NewWriter(f)
	for _, name := range slices.Sorted(maps.Keys(n.seen)) {
		_, _ = w.WriteString(name + "\n") // Flush reports errors
	}
	clear(n.seen)
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write the list of file names: %w", err)
	}
	_, err = f.Seek(0, 0)
	return err
}

// all returns every name once, in sorted order.
func (n *names) all() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		rest := slices.Sorted(maps.Keys(n.seen))
		runs := []func() (string, bool){func() (string, bool) {
			if len(rest) == 0 {
				return "", false
			}
			first := rest[0]
			rest = rest[1:]
			return first, true
		}}
		var failed error
		for _, f := range n.runs {
			lines := bufio.NewScanner(f)
			runs = append(runs, func() (string, bool) {
				more := lines.Scan()
				failed = errors.Join(failed, lines.Err())
				return lines.Text(), more
			})
		}
		if merge(runs, func(name string) bool { return yield(name, nil) }) && failed != nil {
			yield("", fmt.Errorf("read the list of file names: %w", failed))
		}
	}
}

// merge calls visit with the names of all runs, sorted and without duplicates. It returns false if
// visit stopped it.
func merge(runs []func() (string, bool), visit func(string) bool) (complete bool) {
	type head struct {
		name string
		next func() (string, bool)
	}
	var heads []head
	for _, next := range runs {
		if name, ok := next(); ok {
			heads = append(heads, head{name, next})
		}
	}
	last := ""
	for len(heads) > 0 {
		least := 0
		for i := range heads {
			if heads[i].name < heads[least].name {
				least = i
			}
		}
		if name := heads[least].name; name != last {
			last = name
			if !visit(name) {
				return false
			}
		}
		name, ok := heads[least].next()
		heads[least].name = name
		if !ok {
			heads = slices.Delete(heads, least, least+1)
		}
	}
	return true
}

func (n *names) close() {
	for _, f := range n.runs {
		_ = f.Close()
		_ = os.Remove(f.Name()) // in case an open file cannot be removed on this system
	}
}
