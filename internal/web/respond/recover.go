package respond

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
)

// Recover recovers from a panic in a handler and calls fail to write the error response. The handler must call it
// with defer. If part of the response has already been sent, Recover records the error for the log line and aborts
// the connection, so that the client does not mistake a partial response for a complete one.
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
