package easyposttest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// shipment is the server's record of a shipment.
type shipment struct {
	id, reference string
	sent          map[string]any // the shipment as the client sent it
	abroad        bool           // whether it is sent into or out of the United States; other borders are ignored
	rates         []map[string]any

	selected map[string]any // the rate that was bought, or nil
	refund   string
	status   string // tracking status of the parcel
	details  []map[string]any
}

// requestBody holds those fields of a request that the server uses.
type requestBody struct {
	Shipment struct {
		Reference   string  `json:"reference"`
		ToAddress   *place  `json:"to_address"`
		FromAddress *place  `json:"from_address"`
		Parcel      *parcel `json:"parcel"`
	} `json:"shipment"`
	Rate struct {
		ID string `json:"id"`
	} `json:"rate"`
}

type place struct {
	Street1 string `json:"street1"`
	City    string `json:"city"`
	Country string `json:"country"`
}

type parcel struct {
	Weight float64 `json:"weight"`
}

// read decodes the body of a request. It returns false if the body is not valid.
func read(body []byte) (requestBody, map[string]any, bool) {
	var a requestBody
	var raw struct {
		Shipment map[string]any `json:"shipment"`
	}
	err := json.Unmarshal(body, &a)
	return a, raw.Shipment, err == nil && json.Unmarshal(body, &raw) == nil
}

func unreadable() (int, any) {
	return http.StatusBadRequest, errorBody("BAD_REQUEST", "The request could not be understood.")
}

func (s *Server) create(_ *http.Request, body []byte) (int, any) {
	a, raw, ok := read(body)
	if !ok {
		return unreadable()
	}
	to, from, box := a.Shipment.ToAddress, a.Shipment.FromAddress, a.Shipment.Parcel
	switch {
	case to == nil || from == nil || box == nil:
		return http.StatusUnprocessableEntity, errorBody("PARAMETER.REQUIRED", "Missing required parameter.",
			map[string]any{"field": "shipment", "message": "cannot be blank"})
	case to.Country == "" || from.Country == "" || to.Street1 == "" || from.Street1 == "":
		return http.StatusUnprocessableEntity, errorBody("ADDRESS.VERIFY.FAILURE", "Unable to verify address.",
			map[string]any{"field": "street1", "message": "House number is missing"},
			map[string]any{"field": "address", "message": "Address not found"})
	case box.Weight <= 0:
		return http.StatusUnprocessableEntity,
			errorBody("SHIPMENT.INVALID_PARAMS", "Unable to create shipment, one or more parameters were invalid.",
				map[string]any{"field": "parcel.weight", "message": "must be greater than 0"})
	}
	sh := &shipment{
		id: fmt.Sprintf("shp_%032x", len(s.names)+1), reference: a.Shipment.Reference, sent: raw, status: "unknown",
	}
	sh.abroad = (to.Country == "US") != (from.Country == "US")
	for n, r := range s.rates {
		sh.rates = append(sh.rates, map[string]any{
			"id": fmt.Sprintf("rate_%030x%02x", len(s.names)+1, n), "object": "Rate", "mode": "test",
			"shipment_id": sh.id, "carrier": r.Carrier, "service": r.Service,
			"rate": r.Price, "currency": r.Currency, "delivery_days": r.Days, "est_delivery_days": r.Days,
			"delivery_date": nil, "delivery_date_guaranteed": false,
			"list_rate": r.Price, "list_currency": r.Currency, "billing_type": "easypost", "created_at": day,
			"updated_at": day,
		})
	}
	s.shipments[sh.id] = sh
	s.names = append(s.names, sh.id)
	return http.StatusCreated, s.shipmentJSON(sh)
}

// day is the date in all responses. No test depends on it.
const day = "2026-11-02T08:00:00Z"

func (s *Server) retrieve(r *http.Request, _ []byte) (int, any) {
	sh, ok := s.shipments[r.PathValue("id")]
	if !ok {
		return missing()
	}
	return http.StatusOK, s.shipmentJSON(sh)
}

func (s *Server) buy(r *http.Request, body []byte) (int, any) {
	sh, ok := s.shipments[r.PathValue("id")]
	if !ok {
		return missing()
	}
	a, _, ok := read(body)
	if !ok {
		return unreadable()
	}
	var rate map[string]any
	for _, each := range sh.rates {
		if each["id"] == a.Rate.ID {
			rate = each
		}
	}
	switch {
	case sh.selected != nil:
		return http.StatusUnprocessableEntity,
			errorBody("SHIPMENT.POSTAGE.EXISTS", "Postage already exists for this shipment.")
	case s.refusal != nil:
		p := s.refusal
		s.refusal = nil
		return http.StatusUnprocessableEntity, errorBody(p.code, p.message)
	case rate == nil:
		return http.StatusUnprocessableEntity,
			errorBody("SHIPMENT.MISSING_RATE", "The rate does not belong to this shipment.")
	case sh.abroad && sh.sent["customs_info"] == nil:
		return http.StatusUnprocessableEntity,
			errorBody("SHIPMENT.CUSTOMS_INFO.REQUIRED", "Customs information is required for this shipment.")
	}
	sh.selected, sh.status = rate, "pre_transit"
	s.bought[sh.reference]++
	return http.StatusOK, s.shipmentJSON(sh)
}

func (s *Server) refund(r *http.Request, _ []byte) (int, any) {
	sh, ok := s.shipments[r.PathValue("id")]
	switch {
	case !ok:
		return missing()
	case sh.selected == nil:
		return http.StatusUnprocessableEntity, errorBody("SHIPMENT.POSTAGE.REQUIRED", "The shipment has no postage.")
	case sh.refund != "":
		return http.StatusUnprocessableEntity,
			errorBody("SHIPMENT.REFUND.UNAVAILABLE", "Unable to request refund. A refund was requested before.")
	case sh.status != "pre_transit":
		return http.StatusUnprocessableEntity,
			errorBody("SHIPMENT.REFUND.UNAVAILABLE", "Unable to request refund. The parcel has been shipped.")
	}
	sh.refund = "submitted"
	s.refunded[sh.reference]++
	return http.StatusOK, s.shipmentJSON(sh)
}

func (s *Server) track(r *http.Request, _ []byte) (int, any) {
	id := "shp_" + strings.TrimPrefix(r.PathValue("id"), "trk_")
	sh, ok := s.shipments[id]
	if !ok || sh.selected == nil {
		return missing()
	}
	return http.StatusOK, s.tracker(sh)
}

// shipmentJSON returns the JSON object for a shipment.
func (s *Server) shipmentJSON(sh *shipment) map[string]any {
	m := map[string]any{
		"id": sh.id, "object": "Shipment", "mode": "test", "reference": sh.reference, "rates": sh.rates,
		"messages": []any{}, "status": sh.status,
		"to_address": sh.sent["to_address"], "from_address": sh.sent["from_address"], "parcel": sh.sent["parcel"],
		"customs_info": sh.sent["customs_info"],
		"created_at":   day, "updated_at": day, "is_return": false, "refund_status": nil, "tracking_code": nil,
		"tracker": nil, "selected_rate": nil,
		"postage_label": nil, "insurance": nil, "usps_zone": 4,
	}
	if sh.refund != "" {
		m["refund_status"] = sh.refund
	}
	if sh.selected != nil {
		m["selected_rate"], m["tracking_code"], m["tracker"] = sh.selected, sh.code(), s.tracker(sh)
		m["postage_label"] = map[string]any{
			"id": "pl_" + sh.id[4:], "object": "PostageLabel", "label_size": "4x6",
			"label_file_type": "application/pdf", "label_resolution": 300,
			"label_url": s.URL + "/labels/" + sh.id + ".pdf", "label_pdf_url": nil, "label_date": day,
			"created_at": day, "updated_at": day,
		}
	}
	return m
}

// code returns the tracking number of a parcel.
func (sh *shipment) code() string { return "9400100" + sh.id[len(sh.id)-15:] }

func (s *Server) tracker(sh *shipment) map[string]any {
	return map[string]any{
		"id": "trk_" + sh.id[4:], "object": "Tracker", "mode": "test", "tracking_code": sh.code(), "status": sh.status,
		"status_detail": "status_update",
		"shipment_id":   sh.id, "carrier": sh.selected["carrier"], "public_url": s.URL + "/track/" + sh.id[4:],
		"signed_by": nil, "weight": nil,
		"tracking_details": append([]map[string]any{}, sh.details...), "created_at": day, "updated_at": day,
		"finalized": true, "is_return": false,
	}
}

// Advance sets the tracking status of the parcel with a reference, and returns the signed event about the change. The
// caller decides when, how often and in which order events are sent.
func (s *Server) Advance(reference, status, message string) (body []byte, header http.Header) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found *shipment
	for _, name := range s.names {
		if sh := s.shipments[name]; sh.reference == reference && sh.selected != nil {
			found = sh
		}
	}
	if found == nil {
		panic("easyposttest: no label was sold for " + reference)
	}
	found.status = status
	found.details = append(found.details, map[string]any{
		"object": "TrackingDetail", "message": message, "status": status, "datetime": day, "source": "USPS",
		"tracking_location": map[string]any{"object": "TrackingLocation", "city": "HOUSTON", "zip": "77063"},
	})
	s.events++
	body, err := json.Marshal(map[string]any{
		"id": fmt.Sprintf("evt_%032x", s.events), "object": "Event", "mode": "test", "description": "tracker.updated",
		"previous_attributes": map[string]any{},
		"result":              s.tracker(found), "status": "pending", "pending_urls": []string{},
		"completed_urls": []string{}, "created_at": day, "updated_at": day,
	})
	if err != nil {
		panic(fmt.Sprintf("easyposttest: %v", err))
	}
	return body, Sign(s.Secret, body)
}

// Sign returns the headers that EasyPost would send with a body, including the signature.
func Sign(secret string, body []byte) http.Header {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	h.Set("X-Hmac-Signature", "hmac-sha256-hex="+hex.EncodeToString(mac.Sum(nil)))
	return h
}

// label serves the label of a bought shipment. Unlike with other requests, the phase After comes after the response,
// because the request changes nothing.
func (s *Server) label(w http.ResponseWriter, r *http.Request) {
	s.notify(r, Before)
	s.mu.Lock()
	sh, ok := s.shipments[strings.TrimSuffix(r.PathValue("name"), ".pdf")]
	ok = ok && sh.selected != nil
	s.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	content := PDF(sh.code())
	w.Header().Set("Content-Type", "application/pdf")
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = w.Write(content)
	_ = http.NewResponseController(w).Flush()
	s.notify(r, After)
}

// PDF returns a PDF with one page of 4 by 6 inches that contains a line of text.
func PDF(text string) []byte {
	stream := "BT /F1 18 Tf 20 300 Td (" + strings.NewReplacer(`\`, `\\`, `(`, `\(`, `)`, `\)`).Replace(text) +
		") Tj ET"
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 288 432] /Contents 4 0 R " +
			"/Resources << /Font << /F1 5 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(stream), stream),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	at := make([]int, len(objects))
	for n, o := range objects {
		at[n] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", n+1, o)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table)
	return b.Bytes()
}
