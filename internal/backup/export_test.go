package backup

// NamesOf returns each name once, with at most so many in memory.
func NamesOf(most int, all ...string) (once []string, err error) {
	n := newNames()
	n.most = most
	defer n.close()
	for _, name := range all {
		if err := n.add(name); err != nil {
			return nil, err
		}
	}
	for name, err := range n.all() {
		if err != nil {
			return once, err
		}
		once = append(once, name)
	}
	return once, nil
}
