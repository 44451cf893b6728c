package signin

import (
	"homeward/internal/lost"
)

// HasUserMessage reports whether err has a message for users, which internal errors do not have.
func HasUserMessage(err error) bool { return lost.CodeOf(err) != lost.Internal }
