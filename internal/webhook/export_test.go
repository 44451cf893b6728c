package webhook

// GuardDial is what a dialer asks before it connects.
func GuardDial(network, address string) error { return newGuard().Safe(network, address, nil) }

// TargetOf is the address that is dialled for a URL; empty if it is refused.
func TargetOf(raw string, allowPrivate bool) string {
	u, f := parseTarget(raw, allowPrivate)
	if f != nil {
		return ""
	}
	return u.String()
}
