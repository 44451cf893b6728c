package api

import (
	"net/http"
	"slices"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// allowWebsite checks that a publishable key may be used for an operation and, if a browser sent the request, on its
// website. If so, the browser may show the response to the scripts of that website. Responses to secret keys never have
// these headers, so that nobody puts a secret key on a website.
func allowWebsite(c *call) error {
	h, origin := c.w.Header(), c.r.Header.Get("Origin")
	h.Set("Vary", "Origin")
	if origin != "" && !slices.Contains(c.actor.Origins, origin) {
		return lost.E(lost.Forbidden, "This publishable key may not be used on this website. Create a key with this "+
			"website among its origins.")
	}
	if origin != "" {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", "Location, Retry-After, "+respond.RequestIDHeader)
	}
	if !c.op.public {
		return lost.E(lost.Forbidden, "A publishable key only reads a location's public facts and files requests. "+
			"Use a secret key on your server for everything else.")
	}
	return nil
}

// preflight answers a browser that asks whether a website may use an operation. The browser does not send the key yet,
// so the answer is yes if any publishable key may be used on the website. The path supports more methods than public
// does.
func (a *API) preflight(public string, supported []string) http.HandlerFunc {
	const maxAge = "600" // seconds for which the browser remembers the answer
	refuse := respond.MethodNotAllowedHandler(supported...)
	return func(w http.ResponseWriter, r *http.Request) {
		h, origin := w.Header(), r.Header.Get("Origin")
		h.Set("Vary", "Origin")
		allowed := false
		if normal, ok := lost.ParseOrigin(origin); ok && normal == origin {
			var err error
			if allowed, err = a.knowsOrigin(r, origin); err != nil {
				respond.Problem(w, err)
				return
			}
		}
		if !allowed {
			refuse(w, r)
			return
		}
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Allow-Methods", public)
		h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, svc-api-key")
		h.Set("Access-Control-Max-Age", maxAge)
		w.WriteHeader(http.StatusNoContent)
	}
}

// knowsOrigin reports whether a publishable key may be used on a website. A client that has asked for many unknown
// websites gets a TooMany error for further ones.
func (a *API) knowsOrigin(r *http.Request, origin string) (known bool, err error) {
	client := respond.ClientNetwork(r)
	keys := a.services.Keys
	remembered := keys.RemembersOrigin(origin)
	err = a.attempts.take(r.Context(), client, func() bool { return remembered }, func() (err error) {
		known, err = keys.KnowsOrigin(r.Context(), origin)
		return err
	})
	if err == nil && !known && !remembered { // a browser that asks again for the same website costs nothing
		err = a.attempts.refuse(client, nil)
	}
	return known, err
}
