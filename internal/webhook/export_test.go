package webhook

// GuardDial runs the check that a dialer calls before it connects.
func GuardDial(network, address string) error { return newGuard().Safe(network, address, nil) }

// TargetOf returns the URL with its host in the form that is dialled, or "" if the URL is rejected.
func TargetOf(raw string, allowPrivate bool) string {
	u, f := parseTarget(raw, allowPrivate)
	if f != nil {
		return ""
	}
	return u.String()
}
