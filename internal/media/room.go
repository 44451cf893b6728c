package media

import (
	"errors"
	"syscall"
	"time"

	"homeward/internal/lost"
)

// roomWait is how soon it is worth to try again when a disk is full: somebody has to make room first.
const roomWait = 30 * time.Second

// noRoom tells a disk that is full from other trouble: it is nobody's mistake, and passes once there is room again.
func noRoom(err error) error {
	if !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT) && !errors.Is(err, syscall.EFBIG) {
		return err
	}
	e := lost.E(lost.Unavailable, "There is no room left where files are kept, so this one was not taken. Try again later.").Because(err)
	e.Wait = roomWait
	return e
}
