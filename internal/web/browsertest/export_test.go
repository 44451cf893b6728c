package browsertest

import "time"

// SetShortTimeout is for tests that expect a timeout.
func (v *Visitor) SetShortTimeout() { v.wait = 300 * time.Millisecond }
