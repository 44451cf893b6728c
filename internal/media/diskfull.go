package media

import (
	"errors"
	"syscall"
	"time"

	"homeward/internal/lost"
)

// diskFullWait is how long clients should wait before retrying when the disk is full. An operator must free space
// first.
const diskFullWait = 30 * time.Second

// diskFullError converts a disk-full error to Unavailable, because the request was valid and will succeed once there
// is space. It returns other errors unchanged.
func diskFullError(err error) error {
	if !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT) && !errors.Is(err, syscall.EFBIG) {
		return err
	}
	e := lost.E(lost.Unavailable,
		"The file storage is full, so the file was not saved. Try again later.").WithCause(err)
	e.Wait = diskFullWait
	return e
}
