package stripetest

import (
	"bytes"
	"html/template"
	"net/http"
)

// page is the checkout page. Its button has the HTML id "pay", and its link has the id "cancel".
var page = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Pay</title></head>
<body><main><h1>Pay</h1>
<ul>{{range .Lines}}<li>{{.Name}}: {{.Amount}}{{with .Description}} ({{.}}){{end}}</li>{{end}}</ul>
<p>Total: <span id="total">{{.Amount}}</span> <span id="currency">{{.Currency}}</span></p>
<form method="post"><button id="pay">Pay</button></form>
{{with index .Form "cancel_url"}}<p><a id="cancel" href="{{.}}">Cancel</a></p>{{end}}
</main></body></html>
`))

func (s *Server) find(id string) (Session, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, known := s.sessions[id]
	if !known {
		return Session{}, false
	}
	return *c, true
}

func (s *Server) showPage(w http.ResponseWriter, r *http.Request) {
	c, known := s.find(r.PathValue("session"))
	switch {
	case !known:
		http.NotFound(w, r)
	case c.Status != "open":
		http.Error(w, "This page is "+c.Status+".", http.StatusGone)
	default:
		var shown bytes.Buffer
		if err := page.Execute(&shown, c); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = shown.WriteTo(w)
	}
}

// pressButton handles a click on the button by paying the session. Like Stripe, it posts the event and then redirects
// the guest, whatever the response to the event is.
func (s *Server) pressButton(w http.ResponseWriter, r *http.Request) {
	c, known := s.find(r.PathValue("session"))
	switch {
	case !known:
		http.NotFound(w, r)
		return
	case c.Status == "expired":
		http.Error(w, "This page has expired.", http.StatusGone)
		return
	case c.Status == "open":
		e := s.Pay(c.ID)
		_, _ = s.Post(r.Context(), e)
	}
	http.Redirect(w, r, c.Form["success_url"], http.StatusSeeOther)
}
