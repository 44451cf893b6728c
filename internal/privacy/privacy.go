// Package privacy holds the use cases about personal data: the audit log, the log of who read guests' data, the export
// and erasure of a person, and how long guests' data is kept.
package privacy
