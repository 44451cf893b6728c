package browsertest

import "time"

// Hurry makes a visitor lose patience soon, where the test knows that it waits for nothing.
func (v *Visitor) Hurry() { v.wait = 300 * time.Millisecond }
