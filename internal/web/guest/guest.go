// Package guest serves the pages for people without a login: owners of items, who follow the private link in a
// message and choose what happens to the item; and people who lost something at a location and report it on the
// location's public page.
//
// Every page is rendered on the server and works without scripts. Pages load nothing from other sites, and never send
// a link's token to another site. The business rules are in the use cases, not in this package.
package guest

import (
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"homeward/internal/lost"
	"homeward/internal/services"
	"homeward/internal/web/respond"
)

//go:embed templates embed.js
var files embed.FS

// Options configure the guest pages.
type Options struct {
	Services *services.Services
	Base     string // the service's public address
	// FormKey is the key for signing the time at which a public form was shown. The form contains the signed time. All
	// instances of the service must use the same key.
	FormKey []byte
	Assets  *respond.Assets
	Now     func() time.Time
}

// Guest serves /g, /l and /assets.
type Guest struct {
	services      *services.Services
	base          *url.URL
	now           func() time.Time
	pages         map[string]*template.Template
	assets        *respond.Assets
	formTokens    formTokens
	origins       *respond.OriginCheck
	wrongTokens   *respond.Throttle // limits how many wrong tokens a client may try
	changesByLink *respond.Throttle // limits how often changes may be made with one link
	formsByClient *respond.Throttle // limits how many forms a client may send, whether or not they are filed
	registers     registers

	registersByClient *respond.Throttle // limits how many pages of registers a client may read

	mux *http.ServeMux
}

// minKey is the minimum length of FormKey, in bytes.
const minKey = 16

// New returns the handler of the guest pages. It returns an error if Base has no host or FormKey is too short.
func New(o Options) (http.Handler, error) {
	base, err := url.Parse(o.Base)
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("guest: base address %q has no host", o.Base)
	}
	if len(o.FormKey) < minKey {
		return nil, fmt.Errorf("guest: form key has %d bytes; it needs at least %d", len(o.FormKey), minKey)
	}
	g := &Guest{
		services: o.Services, base: base, now: o.Now, assets: o.Assets, formTokens: formTokens{o.FormKey},
		wrongTokens:   respond.NewThrottle(rate.Every(5*time.Second), 60, o.Now),
		changesByLink: respond.NewThrottle(rate.Every(time.Minute), 30, o.Now),
		formsByClient: respond.NewThrottle(rate.Every(20*time.Second), 60, o.Now),
		mux:           http.NewServeMux(),

		registersByClient: respond.NewThrottle(rate.Every(2*time.Second), 60, o.Now),
	}
	if g.registers.tokens, err = newRegisterTokens(o.FormKey); err != nil {
		return nil, err
	}
	if g.origins, err = respond.NewOriginCheck(base); err != nil {
		return nil, err
	}
	if g.pages, err = respond.ParsePages(files, nil); err != nil {
		return nil, err
	}
	g.mount()
	return g, nil
}

// Routes lists the patterns of all routes, in the format of http.ServeMux.
func Routes() (patterns []string) {
	for _, r := range routes() {
		patterns = append(patterns, r.method+" "+r.path)
	}
	return patterns
}

// route is one address and method.
type route struct {
	method, path string
	serve        func(*call) error
}

// routes lists every route of the guest pages.
func routes() []route {
	return []route{
		{http.MethodGet, "/g/{token}", onLink(linkCall.show)},
		{http.MethodGet, "/g/{token}/pickup", onLink(linkCall.askPickup)},
		{http.MethodPost, "/g/{token}/pickup", onAction(linkCall.pickUp)},
		{http.MethodGet, "/g/{token}/pickup.ics", onLink(linkCall.calendar)},
		{http.MethodGet, "/g/{token}/cancel", onLink(linkCall.askCancel)},
		{http.MethodPost, "/g/{token}/cancel", onAction(linkCall.cancel)},
		{http.MethodGet, "/g/{token}/ship", onLink(linkCall.askShip)},
		{http.MethodPost, "/g/{token}/ship", onAction(linkCall.ship)},
		{http.MethodGet, "/g/{token}/pay", onPayment(paymentCall.askPay)},
		{http.MethodPost, "/g/{token}/pay", onPayment(paymentCall.pay)},
		{http.MethodGet, "/g/{token}/test-payment", onPayment(paymentCall.askTestPayment)},
		{http.MethodPost, "/g/{token}/test-payment", onPayment(paymentCall.payTest)},
		{http.MethodGet, "/g/paid", onPayment(returnAfterPaying())},
		{http.MethodGet, "/g/unpaid", onPayment(returnWithoutPaying())},
		{http.MethodGet, "/g/{token}/leave", onLink(showQuestion(leaveQuestion()))},
		{http.MethodPost, "/g/{token}/leave", onAction(acceptQuestion(leaveQuestion()))},
		{http.MethodGet, "/g/{token}/donate", onLink(showQuestion(donateQuestion()))},
		{http.MethodPost, "/g/{token}/donate", onAction(acceptQuestion(donateQuestion()))},
		{http.MethodGet, "/g/{token}/not-mine", onLink(showQuestion(disownQuestion()))},
		{http.MethodPost, "/g/{token}/not-mine", onAction(linkCall.disown)},
		{http.MethodPost, "/g/{token}/renew", (*call).renew},
		{http.MethodPost, "/g/{token}/details", onAction(linkCall.addDetails)},
		{http.MethodPost, "/g/{token}/messages", onAction(linkCall.writeMessage)},
		{http.MethodPost, "/g/{token}/seen", onLink(linkCall.seeMessages)},
		{http.MethodPost, "/g/{token}/tracker", onAction(linkCall.shareTracker)},
		{http.MethodPost, "/g/{token}/found", onAction(linkCall.withdraw)},
		{http.MethodGet, "/l/{permalink}", onPublic(publicCall.location)},
		{http.MethodPost, "/l/{permalink}", onPublic(publicCall.report)},
		{http.MethodGet, "/l/{permalink}/thanks/{token}", onPublic(publicCall.thanks)},
		{http.MethodGet, "/l/{permalink}/calendar/{token}", onPublic(publicCall.feed)},
		{http.MethodGet, "/l/{permalink}/found", onPublic(publicCall.found)},
		{http.MethodGet, "/l/{permalink}/embed.js", onPublic(publicCall.embedScript)},
		{http.MethodGet, "/assets/{name}", (*call).asset},
	}
}

func (g *Guest) mount() {
	methods := map[string][]string{}
	for _, r := range routes() {
		g.mux.Handle(r.method+" "+r.path, g.serve(r.serve))
		methods[r.path] = append(methods[r.path], r.method)
	}
	for at, allowed := range methods {
		// Requests for these paths with other methods match /g/{token}, which responds with the same Allow header.
		if at == "/g/paid" || at == "/g/unpaid" {
			continue
		}
		g.mux.Handle(at, g.serve(func(c *call) error { return respond.MethodNotAllowed(c.w, c.r, allowed) }))
	}
	for _, at := range []string{"/g", "/g/", "/l", "/l/", "/assets", "/assets/"} {
		g.mux.Handle(at, g.serve(notFound))
	}
}

// notFound returns the error for an unknown address.
func notFound(*call) error { return lost.Missing("page") }

func (g *Guest) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	setHeaders(w.Header(), r)
	if p := r.URL.Path; path.Clean(p) != strings.TrimSuffix(p, "/") { // otherwise the mux would redirect
		g.serve(notFound)(w, r)
		return
	}
	g.mux.ServeHTTP(w, r)
}

// setHeaders sets the headers that limit what a page may load and who may embed or cache it. Any site may embed
// public pages. No site may embed private pages, and neither caches nor search engines may store them.
func setHeaders(h http.Header, r *http.Request) {
	public := strings.HasPrefix(r.URL.Path, "/l/")
	ancestors := "'none'"
	if public {
		ancestors = "*"
	}
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "+
		"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors "+ancestors)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	h.Set("Vary", "Accept-Language, Cookie")
	h.Set("Cache-Control", "no-cache") // a form contains the time at which it was shown
	if !public {
		h.Set("Cache-Control", "no-store")
		h.Set("X-Robots-Tag", "noindex, nofollow")
	}
}

// serve returns a handler for a page. If page returns an error, the handler responds with an error page.
func (g *Guest) serve(page func(*call) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := &call{Guest: g, w: w, r: r}
		defer respond.Recover(w, c.writeError)
		err := respond.CheckAddress(r)
		if err == nil {
			err = g.checkOrigin(r)
		}
		if err == nil {
			err = page(c)
		}
		if err != nil {
			c.writeError(err)
		}
	}
}

// checkOrigin returns a Forbidden error if another site sent the form.
//
// Guest pages send no referrer, so browsers set the Origin header of their forms to "null". Browsers also send
// Sec-Fetch-Site, except to a service without TLS, for example in a location's own network. There, the service's own
// forms cannot prove their origin. checkOrigin accepts them, and only their secret path protects them.
func (g *Guest) checkOrigin(r *http.Request) error {
	if r.Header.Get("Sec-Fetch-Site") == "" && r.Header.Get("Origin") == "null" {
		return nil
	}
	return g.origins.Check(r)
}
