package photo

import "time"

// Setting is the switch of the photo assistant at a location. Somebody has agreed that photos are sent to a host. If
// the operator uses another host later, no photo is sent until somebody has agreed to that host too.
type Setting struct {
	Account, LocationID string
	Host                string
	EnabledAt           time.Time
	EnabledBy           string // the name of the user
}
