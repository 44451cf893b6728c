package v1

// auditDescriptions describes the fields of the types in audit.go.
var auditDescriptions = map[string]Description{
	"AuditEntry.id":     {"Identifier.", "aud_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"AuditEntry.at":     {"When it happened.", "2026-11-15T09:12:00.000Z"},
	"AuditEntry.actor":  {"Who did it. A key or user that was deleted later is still named.", ""},
	"AuditEntry.action": {"What was done.", "key-revoked"},
	"AuditEntry.subject": {
		"Identifier of the record that was changed or read; absent if the action concerns no single record.",
		"key_06f5q2k8h40v3w9d7n1m8x2b4c",
	},
	"AuditEntry.note": {
		"The name of the subject at that time, or the fields that changed. It never contains a guest's data.",
		"Front desk system",
	},
	"AuditEntry.address": {
		"IP address of the client; of an IPv6 address, its /64 network. Absent for operator commands, for the " +
			"service itself, for guests, and in entries from before addresses were recorded.",
		"203.0.113.7",
	},
}
