package signin

import (
	"homeward/internal/lost"
)

// HasUserMessage reports whether an error has a message for users and is not an internal error.
func HasUserMessage(err error) bool { return lost.CodeOf(err) != lost.Internal }
