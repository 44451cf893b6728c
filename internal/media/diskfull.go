package media

import (
	"errors"
	"syscall"
	"time"

	"homeward/internal/lost"
)

// diskFullWait is when to try again after the disk was full: somebody has to free space first.
const diskFullWait = 30 * time.Second

// diskFullError turns the errors of a full disk into Unavailable: the request was correct, and works once there is
// space. It returns other errors unchanged.
func diskFullError(err error) error {
	if !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT) && !errors.Is(err, syscall.EFBIG) {
		return err
	}
	e := lost.E(lost.Unavailable,
		"The file storage is full, so the file was not saved. Try again later.").WithCause(err)
	e.Wait = diskFullWait
	return e
}
