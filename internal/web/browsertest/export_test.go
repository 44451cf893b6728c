package browsertest

import "time"

// SetShortTimeout shortens the visitor's timeout, for tests that expect a timeout.
func (v *Visitor) SetShortTimeout() { v.wait = 300 * time.Millisecond }
