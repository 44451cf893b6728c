// Package staff is the door for people who work with the service: the dashboard. Somebody logs in here, sees what
// needs doing, records what was found, finds it again and sends it home; others arrange locations, people and client programs.
//
// Every page is made here, whole, and works without scripts. Nothing is loaded from anywhere else. Rules are not found
// here: they are the desk's, and so is who may do what. A route only names the right that its page is about, so that a form
// which the desk would refuse is not shown in the first place.
//
// Each use case has a file of its own, with its routes, its handlers and what its templates are given. A handler reads the request,
// calls the desk and answers: with a page, or after a form was taken with a way on to one (see), on which what was done is told
// once (tell). A form with something wrong in it is shown again, with what was typed and the words beside the fields (inputs, judge).
package staff

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

//go:embed templates
var files embed.FS

// Options is what the door works with.
type Options struct {
	Desk   *desk.Desk
	Base   string // the service's public address
	Assets *respond.Assets
	Now    func() time.Time
	Demo   bool // everything is made up, and no message leaves
}

// Staff serves the dashboard. Make one with New.
type Staff struct {
	desk    *desk.Desk
	base    *url.URL
	now     func() time.Time
	assets  *respond.Assets
	demo    bool
	pages   map[string]*template.Template
	origins *http.CrossOriginProtection
	mux     *http.ServeMux
	routes  map[string]Route // by their patterns in mux
}

// New makes the door.
func New(o Options) (http.Handler, error) {
	base, err := url.Parse(o.Base)
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("staff: %q is not an address of the service", o.Base)
	}
	s := &Staff{desk: o.Desk, base: base, now: o.Now, assets: o.Assets, demo: o.Demo, origins: http.NewCrossOriginProtection(), mux: http.NewServeMux(), routes: map[string]Route{}}
	if err := s.origins.AddTrustedOrigin(base.Scheme + "://" + base.Host); err != nil {
		return nil, err
	}
	if s.pages, err = respond.Pages(files, functions()); err != nil {
		return nil, err
	}
	s.mount()
	return s, nil
}

// Route is one address and method of the dashboard.
type Route struct {
	Method, Path string
	// Right is what the page is about; whoever does not have it is told so. Empty where everybody may who is logged in.
	Right lost.Right
	Open  bool // for everybody, logged in or not
	serve func(*call) error
}

// Routes lists every address of this door.
func Routes() []Route {
	return slices.Concat(
		signInRoutes(), peopleRoutes(), keylessRoutes(), frameRoutes(), helpRoutes(), installRoutes(),
		todayRoutes(), findRoutes(), itemRoutes(), bulkRoutes(), tagRoutes(), storageRoutes(), requestRoutes(),
		locationRoutes(), settingsRoutes(),
	)
}

func (s *Staff) mount() {
	methods := map[string][]string{}
	for _, r := range Routes() {
		s.mux.Handle(r.Method+" "+r.Path, s.serve(r))
		s.routes[r.Method+" "+r.Path] = r
		methods[r.Path] = append(methods[r.Path], r.Method)
	}
	others := http.NewServeMux() // for the same addresses with methods that they do not take
	for at, allowed := range methods {
		others.Handle(at, s.serve(Route{Open: true, serve: refuseMethod(allowed)}))
	}
	others.Handle("/", s.serve(Route{Open: true, serve: nothing}))
	s.mux.Handle("/", others)
}

// nothing answers for an address that there is not.
func nothing(*call) error { return lost.E(lost.NotFound, "There is nothing at this address.") }

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

func (s *Staff) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	guard(w.Header())
	if p := r.URL.Path; p != "/" && path.Clean(p) != p { // which the mux would redirect
		s.serve(Route{Open: true, serve: nothing})(w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// guard says what a page of ours may load, and that nobody else shows, keeps or lists it.
func guard(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; connect-src 'self'; "+
		"manifest-src 'self'; worker-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Permissions-Policy", "camera=(self), geolocation=(), microphone=(), payment=(), usb=()")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Robots-Tag", "noindex, nofollow")
}

// serve turns a route into a handler: its errors become pages too.
func (s *Staff) serve(route Route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := &call{Staff: s, w: w, r: r}
		defer c.rescue()
		err := s.sameOrigin(r)
		if err == nil {
			err = c.enter(route)
		}
		if err == nil {
			err = route.serve(c)
		}
		if err != nil {
			c.fail(err)
		}
	}
}

// sameOrigin refuses a form that another site sent.
func (s *Staff) sameOrigin(r *http.Request) error {
	if err := s.origins.Check(r); err != nil {
		return lost.E(lost.Forbidden, "This form was sent from another site.").Because(err)
	}
	return nil
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
