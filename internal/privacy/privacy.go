// Package privacy implements the use cases about personal data: the audit log, the access log, the export and erasure
// of a person, and the retention of guests' data.
package privacy
