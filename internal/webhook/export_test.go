package webhook

// GuardDial is the check that a dialer calls before it connects.
func GuardDial(network, address string) error { return newGuard().Safe(network, address, nil) }

// TargetOf returns the address that is dialled for a URL, or "" if the URL is refused.
func TargetOf(raw string, allowPrivate bool) string {
	u, f := parseTarget(raw, allowPrivate)
	if f != nil {
		return ""
	}
	return u.String()
}
