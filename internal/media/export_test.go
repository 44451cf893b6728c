package media

// HoldGate takes the gate of a Lab until release is called.
func HoldGate(l *Lab) (release func()) {
	l.gate <- struct{}{}
	return func() { <-l.gate }
}

// Orientation lets the fuzzer reach the parser without a picture around it.
func Orientation(block []byte) int { return orientation(block) }
