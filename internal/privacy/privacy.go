// Package privacy implements the use cases about personal data: the audit log, the log of who saw guests' data, the
// export and erasure of a person, and the setting of how long guests' data is stored. Package outbox removes the
// data after that time.
package privacy
