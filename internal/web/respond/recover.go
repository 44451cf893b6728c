package respond

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
)

// Recover recovers from a panic of a handler, which must defer it, and calls fail to write the error response. If part
// of the response has been sent already, Recover records the error for the log line and aborts the connection, so that
// the client does not mistake half a response for a complete one.
func Recover(w http.ResponseWriter, fail func(error)) {
	p := recover()
	if p == nil {
		return
	}
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(http.ErrAbortHandler)
	}
	err := fmt.Errorf("panic: %v\n%s", p, debug.Stack())
	if Started(w) {
		recordError(w, err)
		panic(http.ErrAbortHandler)
	}
	fail(err)
}
