package backup

// NamesOf adds names to a set that holds at most limit names in memory, and returns the distinct
// names.
func NamesOf(limit int, all ...string) (distinct []string, err error) {
	n := newNames()
	n.limit = limit
	defer n.close()
	for _, name := range all {
		if err := n.add(name); err != nil {
			return nil, err
		}
	}
	for name, err := range n.all() {
		if err != nil {
			return distinct, err
		}
		distinct = append(distinct, name)
	}
	return distinct, nil
}
