package stripetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// response is a response that is stored under the idempotency key of its request.
type response struct {
	status     int
	body       []byte
	requestKey string // path and parameters of the request
}

const maxForm = 1 << 20

func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		write(w, refuse(http.StatusBadRequest, "invalid_request_error", "", "The form cannot be read."))
		return
	}
	if !s.allowed(r) {
		write(w,
			refuse(http.StatusUnauthorized, "invalid_request_error", "",
				"Invalid API Key provided: "+r.Header.Get("Authorization")))
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+r.Header.Get("Idempotency-Key")))
	s.mu.Unlock()
	s.notifyTest(r, "before")
	s.wait(r)
	if f, failing := s.failing(); failing {
		write(w, response{status: f.status, body: []byte(f.body)})
		return
	}
	a := s.performOnce(r)
	s.notifyTest(r, "after")
	write(w, a)
}

func write(w http.ResponseWriter, a response) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Request-Id", "req_1")
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body)
}

// performOnce processes a request, or returns the stored response if its idempotency key was used before. Error
// responses are not stored.
func (s *Server) performOnce(r *http.Request) response {
	s.mu.Lock()
	defer s.mu.Unlock()
	key, requestKey := r.Header.Get("Idempotency-Key"), r.URL.Path+"?"+r.PostForm.Encode()
	stored, known := s.responses[key]
	switch {
	case key == "" || r.Method != http.MethodPost:
		return s.perform(r)
	case known && stored.requestKey != requestKey:
		return refuse(http.StatusBadRequest, "idempotency_error", "",
			"Keys for idempotent requests can only be used with the same parameters they were first used with.")
	case known:
		return stored
	}
	a := s.perform(r)
	a.requestKey = requestKey
	if a.status < 300 {
		s.responses[key] = a
	}
	return a
}

func (s *Server) perform(r *http.Request) response {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	switch route := r.Method + " " + parts[0]; {
	case route == "POST refunds" && len(parts) == 1:
		return s.refund(r.PostForm)
	case route == "POST checkout" && len(parts) == 2:
		return s.create(r.PostForm)
	case route == "GET checkout" && len(parts) == 3:
		return s.retrieve(parts[2])
	case route == "POST checkout" && len(parts) == 4 && parts[3] == "expire":
		return s.expire(parts[2])
	default:
		return refuse(http.StatusNotFound, "invalid_request_error", "", "Unrecognized request URL.")
	}
}

func refuse(status int, kind, code, message string) response {
	return response{
		status: status,
		body:   encode(map[string]any{"error": map[string]any{"type": kind, "code": code, "message": message}}),
	}
}

func encode(v any) []byte {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // cannot happen: only maps of strings and numbers are encoded
	}
	return body
}

func (s *Server) create(form url.Values) response {
	session := &Session{
		ID: s.name("cs_test"), Shipment: form.Get("client_reference_id"), Metadata: map[string]string{},
		Form:   map[string]string{},
		Status: "open", PaymentStatus: "unpaid", Expires: time.Now().Add(24 * time.Hour).Truncate(time.Second),
	}
	for name := range form {
		session.Form[name] = form.Get(name)
		if inner, of := strings.CutPrefix(name, "metadata["); of {
			session.Metadata[strings.TrimSuffix(inner, "]")] = form.Get(name)
		}
	}
	if problem := session.add(form); problem != "" {
		return refuse(http.StatusBadRequest, "invalid_request_error", "parameter_invalid", problem)
	}
	if least := 50; session.Amount > 0 && session.Amount < int64(least) &&
		slices.Contains([]string{"eur", "usd"}, session.Currency) {
		return refuse(http.StatusBadRequest, "invalid_request_error", "amount_too_small",
			"The Checkout Session's total amount must convert to at least 50 cents.")
	}
	s.sessions[session.ID] = session
	s.order = append(s.order, session.ID)
	return response{status: http.StatusOK, body: encode(s.object(session))}
}

// add reads the line items of a new session. It returns an error message if the form is not valid, and "" otherwise.
func (c *Session) add(form url.Values) (problem string) {
	if form.Get("mode") != "payment" || form.Get("success_url") == "" {
		return "Missing required param: mode, success_url."
	}
	for n := 0; ; n++ {
		prefix := fmt.Sprintf("line_items[%d]", n)
		amount := form.Get(prefix + "[price_data][unit_amount]")
		if amount == "" {
			break
		}
		currency, name := form.Get(prefix+"[price_data][currency]"), form.Get(prefix+"[price_data][product_data][name]")
		minor, err := strconv.ParseInt(amount, 10, 64)
		switch {
		case err != nil || minor < 0:
			return "Invalid integer: unit_amount."
		case name == "" || form.Get(prefix+"[quantity]") != "1":
			return "Missing required param: name, quantity."
		case n > 0 && currency != c.Currency || currency != strings.ToLower(currency) || len(currency) != 3:
			return "Invalid currency: " + currency
		case minor%step(currency) != 0:
			return "Invalid amount."
		}
		c.Currency, c.Amount = currency, c.Amount+minor
		c.Lines = append(c.Lines,
			Line{Name: name, Description: form.Get(prefix + "[price_data][product_data][description]"), Amount: minor})
	}
	if len(c.Lines) == 0 {
		return "Missing required param: line_items."
	}
	return ""
}

// step returns the number that amounts in a currency must be a multiple of.
func step(currency string) int64 {
	switch currency {
	case "isk", "ugx":
		return 100
	case "bhd", "jod", "kwd", "omr", "tnd":
		return 10
	default:
		return 1
	}
}

// object returns the JSON object for a session, which is the same in the API and in events.
func (s *Server) object(c *Session) map[string]any {
	o := map[string]any{
		"id": c.ID, "object": "checkout.session", "mode": "payment", "livemode": false,
		"client_reference_id": c.Shipment,
		"amount_total":        c.Amount, "amount_subtotal": c.Amount, "currency": c.Currency, "metadata": c.Metadata,
		"status": c.Status, "payment_status": c.PaymentStatus, "payment_intent": nil, "url": nil,
		"expires_at": c.Expires.Unix(), "success_url": c.Form["success_url"], "cancel_url": c.Form["cancel_url"],
	}
	if c.PaymentIntent != "" {
		o["payment_intent"] = c.PaymentIntent
	}
	if c.Status == "open" {
		o["url"] = s.URL + "/pay/" + c.ID
	}
	return o
}

func missing(what string) response {
	return refuse(http.StatusNotFound, "invalid_request_error", "resource_missing", "No such "+what)
}

func (s *Server) retrieve(id string) response {
	session, known := s.sessions[id]
	if !known {
		return missing("checkout.session: '" + id + "'")
	}
	return response{status: http.StatusOK, body: encode(s.object(session))}
}

func (s *Server) expire(id string) response {
	session, known := s.sessions[id]
	switch {
	case !known:
		return missing("checkout.session: '" + id + "'")
	case session.Status != "open":
		return refuse(http.StatusBadRequest, "invalid_request_error", "",
			"Only Checkout Sessions with a status in [\"open\"] can be expired. "+
				"This Checkout Session has a status of `"+session.Status+"`.")
	}
	session.Status = "expired"
	return response{status: http.StatusOK, body: encode(s.object(session))}
}

func (s *Server) refund(form url.Values) response {
	intent := form.Get("payment_intent")
	at := slices.IndexFunc(s.order, func(id string) bool {
		return intent != "" && s.sessions[id].PaymentIntent == intent
	})
	switch {
	case at < 0:
		return missing("payment_intent: '" + intent + "'")
	case !s.sessions[s.order[at]].Charged:
		return refuse(http.StatusBadRequest, "invalid_request_error", "",
			"This PaymentIntent does not have a successful charge to refund.")
	case s.refunds[intent] > 0:
		return refuse(http.StatusBadRequest, "invalid_request_error", "charge_already_refunded",
			"Charge has already been refunded.")
	}
	s.refunds[intent]++
	return response{status: http.StatusOK, body: encode(map[string]any{
		"id": s.name("re"), "object": "refund", "status": "succeeded", "payment_intent": intent,
		"amount": s.sessions[s.order[at]].Amount,
	})}
}
