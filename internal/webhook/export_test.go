package webhook

// GuardDial is the check that a dialer calls before it connects.
func GuardDial(network, address string) error { return newGuard().Safe(network, address, nil) }

// TargetOf returns the URL with the host that is dialled, or "" if the URL is refused.
func TargetOf(raw string, allowPrivate bool) string {
	u, f := parseTarget(raw, allowPrivate)
	if f != nil {
		return ""
	}
	return u.String()
}
