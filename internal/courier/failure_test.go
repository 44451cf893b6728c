package courier_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"homeward/internal/courier"
	"homeward/internal/lost"
)

// easyPostWith returns a carrier whose server sends the same response to every request.
func easyPostWith(t *testing.T, status int, body string) *courier.EasyPost {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return connect(t, courier.Options{Key: "EZTKsecret", API: s.URL})
}

func TestAllErrorsOfAResponseAreShown(t *testing.T) {
	tests := []struct{ body, want string }{
		{
			`{"error":{"code":"ADDRESS.VERIFY.FAILURE","message":"Unable to verify address.",` +
				`"errors":[{"field":"street1","message":"House number is missing","suggestion":null},` +
				`{"field":"zip","message":"is odd"}]}}`,
			"Unable to verify address.; street1 House number is missing; zip is odd",
		},
		{`{"error":{"code":"PARAMETER.REQUIRED","message":"Missing.","errors":["one thing","another"]}}`,
			"Missing.; one thing; another"},
		{`{"error":{"code":"UNPROCESSABLE_ENTITY","message":["Bad format 1","Bad format 2"],"errors":[]}}`,
			"Bad format 1, Bad format 2"},
		{`{"error":{"code":"UNPROCESSABLE_ENTITY","message":{"errors":["Bad format"]},"errors":{"odd":1}}}`,
			"Bad format"},
		{`{"error":{"code":"NOT_FOUND","message":null,"errors":[{"field":"x","message":7},null,3]}}`, "NOT_FOUND; 3"},
		{`{"error":{"code":"A","message":"Line\r\nbroken \u0000 by EZTKsecret"}}`, "Line broken by …"},
	}
	for _, tt := range tests {
		_, err := easyPostWith(t, http.StatusUnprocessableEntity, tt.body).Quotes(t.Context(), umbrella(guest))
		var lostErr *lost.Error
		if !errors.As(err, &lostErr) || lostErr.Code != lost.Invalid ||
			lostErr.Detail != "EasyPost refused this parcel: "+tt.want {
			t.Errorf("%s: %v", tt.body, err)
		}
	}
}

func TestErrorsNotFromEasyPostAreTemporary(t *testing.T) {
	for _, body := range []string{
		"", "<h1>Blocked by the proxy</h1>", "null", " null\n", "{}", `{"error":null}`, `{"error":"no"}`,
		`{"error":{}}`,
	} {
		_, err := easyPostWith(t, http.StatusUnprocessableEntity, body).Quotes(t.Context(), umbrella(guest))
		if lost.CodeOf(err) != lost.Unavailable {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestWithoutOffersTheCarriersReasonIsShown(t *testing.T) {
	e := easyPostWith(t, http.StatusCreated,
		`{"id":"shp_1","rates":[null],"messages":[null,`+
			`{"carrier":"USPS","type":"rate_error","message":"Elizabeth Swan lives too far away."}]}`)
	if got, err := e.Quotes(t.Context(), umbrella(guest)); lost.CodeOf(err) != lost.Invalid || got != nil {
		t.Error(got, err)
	}
	_, _, err := e.Prepare(t.Context(), lost.Shipment{ID: "ship_1"}, umbrella(guest))
	if lost.CodeOf(err) != lost.Invalid ||
		!strings.HasSuffix(err.Error(), "No carrier accepts this parcel: USPS: … lives too far away.") {
		t.Error(err)
	}
}

func TestMissingLabelIsATemporaryError(t *testing.T) {
	for _, body := range []string{
		`{"id":"shp_1"}`, `{"id":"shp_1","postage_label":{}}`,
		`{"id":"shp_1","postage_label":{"label_url":"ftp://x/y"}}`,
	} {
		_, err := easyPostWith(t, http.StatusOK, body).Buy(t.Context(),
			lost.Shipment{ID: "ship_1", Postage: lost.Postage{Shipment: "shp_1", Rate: "rate_1"}}, umbrella(guest))
		if lost.CodeOf(err) != lost.Unavailable {
			t.Errorf("%s: %v", body, err)
		}
	}
}
