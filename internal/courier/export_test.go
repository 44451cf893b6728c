package courier

// Minor exports minor for tests.
func Minor(decimal, currency string) (int64, bool) { return minor(decimal, currency) }

// InWords exports inWords for tests.
func InWords(carrier, service string) string { return inWords(carrier, service) }
