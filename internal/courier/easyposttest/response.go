package easyposttest

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// failures maps HTTP statuses to EasyPost's error codes.
var failures = map[int]string{
	400: "BAD_REQUEST", 402: "PAYMENT_REQUIRED", 403: "FORBIDDEN", 429: "RATE_LIMITED", 500: "INTERNAL_SERVER_ERROR",
	503: "SERVICE_UNAVAILABLE",
}

// write sends a response. A json.RawMessage is sent unchanged, even if it is not valid JSON.
func write(w http.ResponseWriter, status int, response any) {
	raw, isRaw := response.(json.RawMessage)
	if !isRaw {
		var err error
		if raw, err = json.Marshal(response); err != nil {
			panic(fmt.Sprintf("easyposttest: %v", err))
		}
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(raw)
}

// errorBody returns the body of an error response.
func errorBody(code, message string, fields ...map[string]any) any {
	return map[string]any{
		"error": map[string]any{"code": code, "message": message, "errors": append([]map[string]any{}, fields...)},
	}
}

func missing() (int, any) {
	return http.StatusNotFound, errorBody("NOT_FOUND", "The requested resource could not be found.")
}
