// Package guest is the door for people without a log-in: the owner of an item, who follows the private link in
// a message and says what should happen with it; and whoever lost something at a location and reports it on
// its public page.
//
// Every page is made here, whole, and works without scripts. Nothing is loaded from anywhere else, and a link's
// token goes nowhere but back here. Rules are not found here: they are the desk's.
package guest

import (
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

//go:embed templates embed.js
var files embed.FS

// Options is what the door works with.
type Options struct {
	Desk *desk.Desk
	Base string // the service's public address
	// FormKey signs the forms of public pages, so that they show when they were made. Copies of the service share one.
	FormKey []byte
	Assets  *respond.Assets
	Now     func() time.Time
}

// Guest serves /g, /l and /assets. Make one with New.
type Guest struct {
	desk    *desk.Desk
	base    *url.URL
	now     func() time.Time
	pages   map[string]*template.Template
	assets  *respond.Assets
	stamps  stamps
	origins *http.CrossOriginProtection
	guesses *pace // how many wrong tokens it may try
	acts    *pace // how often something may be changed by one link
	mux     *http.ServeMux
}

// minKey is the least that signs anything.
const minKey = 16

// New makes the door.
func New(o Options) (http.Handler, error) {
	base, err := url.Parse(o.Base)
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("guest: %q is not an address of the service", o.Base)
	}
	if len(o.FormKey) < minKey {
		return nil, fmt.Errorf("guest: the key for forms has %d bytes, at least %d are needed", len(o.FormKey), minKey)
	}
	g := &Guest{
		desk: o.Desk, base: base, now: o.Now, assets: o.Assets, stamps: stamps{o.FormKey}, origins: http.NewCrossOriginProtection(), mux: http.NewServeMux(),
		guesses: newPace(5*time.Second, 60, o.Now), acts: newPace(time.Minute, 30, o.Now),
	}
	if err := g.origins.AddTrustedOrigin(base.Scheme + "://" + base.Host); err != nil {
		return nil, err
	}
	if g.pages, err = respond.Pages(files, nil); err != nil {
		return nil, err
	}
	g.mount()
	return g, nil
}

// Routes names every address of this door with its method, as a mux takes them.
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

// routes is every address of this door.
func routes() []route {
	return []route{
		{http.MethodGet, "/g/{token}", (*call).show},
		{http.MethodGet, "/g/{token}/pickup", (*call).askPickup},
		{http.MethodPost, "/g/{token}/pickup", (*call).pickUp},
		{http.MethodGet, "/g/{token}/ship", (*call).askShip},
		{http.MethodPost, "/g/{token}/ship", (*call).ship},
		{http.MethodGet, "/g/{token}/pay", (*call).askPay},
		{http.MethodPost, "/g/{token}/pay", (*call).pay},
		{http.MethodGet, "/g/{token}/test-payment", (*call).askTestPayment},
		{http.MethodPost, "/g/{token}/test-payment", (*call).payTest},
		{http.MethodGet, "/g/paid", returning("?paid=1", "guest.back.paid.title", "guest.back.paid.text")},
		{http.MethodGet, "/g/unpaid", returning("/pay?unpaid=1", "guest.back.unpaid.title", "guest.back.unpaid.text")},
		{http.MethodGet, "/g/{token}/leave", asking(leaving)},
		{http.MethodPost, "/g/{token}/leave", doing(leaving)},
		{http.MethodGet, "/g/{token}/donate", asking(donating)},
		{http.MethodPost, "/g/{token}/donate", doing(donating)},
		{http.MethodGet, "/g/{token}/not-mine", asking(disowning)},
		{http.MethodPost, "/g/{token}/not-mine", (*call).disown},
		{http.MethodPost, "/g/{token}/renew", (*call).renew},
		{http.MethodPost, "/g/{token}/details", (*call).addDetails},
		{http.MethodPost, "/g/{token}/found", (*call).withdraw},
		{http.MethodGet, "/l/{permalink}", (*call).location},
		{http.MethodPost, "/l/{permalink}", (*call).report},
		{http.MethodGet, "/l/{permalink}/thanks/{token}", (*call).thanks},
		{http.MethodGet, "/l/{permalink}/embed.js", (*call).embedScript},
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
		if at == "/g/paid" || at == "/g/unpaid" { // other methods come to /g/{token}, which allows the same
			continue
		}
		g.mux.Handle(at, g.serve(refuseMethod(allowed)))
	}
	for _, at := range []string{"/g", "/g/", "/l", "/l/", "/assets", "/assets/"} {
		g.mux.Handle(at, g.serve(nothing))
	}
}

// nothing answers for an address that there is not.
func nothing(*call) error { return lost.Missing("page") }

// refuseMethod answers for an address that exists with other methods.
func refuseMethod(allowed []string) func(*call) error {
	if slices.Contains(allowed, http.MethodGet) {
		allowed = append(allowed, http.MethodHead)
	}
	slices.Sort(allowed)
	return func(c *call) error {
		c.w.Header().Set("Allow", strings.Join(allowed, ", "))
		return lost.E(lost.NoMethod, "This address does not take that method.")
	}
}

func (g *Guest) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	guard(w.Header(), r)
	if p := r.URL.Path; path.Clean(p) != strings.TrimSuffix(p, "/") { // which the mux would redirect
		g.serve(nothing)(w, r)
		return
	}
	g.mux.ServeHTTP(w, r)
}

// guard says what a page of ours may load and who may show it. Public pages may be part of any site; private ones
// of none, and nothing keeps or lists them.
func guard(h http.Header, r *http.Request) {
	public := strings.HasPrefix(r.URL.Path, "/l/")
	ancestors := "'none'"
	if public {
		ancestors = "*"
	}
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors "+ancestors)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	h.Set("Vary", "Accept-Language, Cookie")
	h.Set("Cache-Control", "no-cache") // a form has its time on it
	if !public {
		h.Set("Cache-Control", "no-store")
		h.Set("X-Robots-Tag", "noindex, nofollow")
	}
}

// serve turns a page into a handler: its errors become pages too.
func (g *Guest) serve(page func(*call) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := &call{Guest: g, w: w, r: r}
		defer c.rescue()
		err := g.sameOrigin(r)
		if err == nil {
			err = page(c)
		}
		if err != nil {
			c.fail(err)
		}
	}
}

// rescue answers a request whose page panicked. Where an answer had begun, the panic goes on, and cuts it off.
func (c *call) rescue() {
	p := recover()
	if p == nil {
		return
	}
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) || respond.Begun(c.w) {
		panic(p)
	}
	c.fail(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
}

// sameOrigin refuses a form that another site sent.
//
// Our pages send no referrer, and with that browsers make the origin of their forms "null". They say "same-origin" in another
// header all the same, except where the service is reached without TLS, in a house's own network: there a form
// of ours has nothing to show. It is let through; what protects it is that nobody knows its address.
func (g *Guest) sameOrigin(r *http.Request) error {
	h := r.Header
	if h.Get("Sec-Fetch-Site") == "" && h.Get("Origin") == "null" {
		return nil
	}
	if err := g.origins.Check(r); err != nil {
		return lost.E(lost.Forbidden, "This form was sent from another site.").Because(err)
	}
	return nil
}
