package signin

import (
	"homeward/internal/lost"
)

// HasUserMessage tells whether an error has words for people, and is not about the service itself.
func HasUserMessage(err error) bool { return lost.CodeOf(err) != lost.Internal }
