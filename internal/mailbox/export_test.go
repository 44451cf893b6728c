package mailbox

// RequireTLS makes a server on this machine like one on another machine.
func (r *Reader) RequireTLS() { r.plainLoopback = false }

const MaxAttempts = maxAttempts

// IgnoreIdle makes every server one without IDLE.
func (r *Reader) IgnoreIdle() { r.ignoreIdle = true }
