package courier

// Minor reads a price as the carrier writes it.
func Minor(decimal, currency string) (int64, bool) { return minor(decimal, currency) }

// InWords names a service as people do.
func InWords(carrier, service string) string { return inWords(carrier, service) }
