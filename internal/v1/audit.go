package v1

import "homeward/internal/lost"

// AuditEntry is one entry of the account's audit log.
type AuditEntry struct {
	ID      string `json:"id"`
	At      string `json:"at" format:"date-time"`
	Actor   Actor  `json:"actor"`
	Action  string `json:"action" enum:"auditActions"`
	Subject string `json:"subject,omitempty"`
	Note    string `json:"note,omitempty"`
	Address string `json:"address,omitempty"`
}

// AuditEntry converts an audit entry to the API format.
func (w Encoder) AuditEntry(e lost.AuditEntry) AuditEntry {
	return AuditEntry{
		ID: e.ID, At: moment(e.At), Actor: Actor{Type: string(e.Actor.Kind), ID: e.Actor.ID, Name: e.Actor.Name},
		Action: string(e.Action), Subject: e.Subject, Note: e.Note, Address: e.Actor.Address,
	}
}
