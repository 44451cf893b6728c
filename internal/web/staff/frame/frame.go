// Package frame contains the code that all areas of the dashboard share: the request with its session and
// permissions, the layout and the templates, forms, flash messages, lists, the timeline and the addresses of pages.
//
// It does not depend on any area. An area is a separate package that passes its routes and templates to New.
//
// # Languages
//
// All texts are in the catalogs of package i18n, in staff-<area>.json. Templates and code name their keys:
//
//	<h1>{{say "items.title"}}</h1> <p>{{say "items.count" "n" .Count}}</p>
//	<p>{{rich "items.tip" "link" (link .Help)}}</p>
//	c.NewPage(c.Say("items.title"))
//
// The language is bound to the functions of the templates, so they work inside range, with and partial templates. A
// function that is not a method of a call takes a Locale named lang as its first parameter. Dates, times, numbers and
// money are formatted by methods of Locale: Day, Moment, ShortDay, Number, Money. Write whole sentences with
// placeholders and plural forms instead of joining parts. Total formats counts that may be a lower bound. Errors that a
// page makes itself have their text from Locale.NewError. Field errors keep English messages; other languages show the
// text of their code, frame.invalid.<code>.
//
// Scripts have no texts of their own. A template gives them to the element that the script works on, as data-say-name,
// and the script reads element.dataset.sayName. Several texts, or texts with plural forms, are in data-texts:
//
//	<div data-texts="{{texts "finds.unsent.own" "finds.unsent.send"}}">
//
// The function textsOf in offline.js reads them.
//
// The tests of internal/i18n and internal/web/staff tell which texts are missing, unused or not in a catalog.
package frame

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"slices"
	"time"

	"homeward/internal/lost"
	"homeward/internal/services"
	"homeward/internal/web/respond"
)

// Options configures the dashboard.
type Options struct {
	Services *services.Services
	Base     string // the service's public address
	Assets   *respond.Assets
	Now      func() time.Time
	Demo     bool // all data is sample data, and no message is sent
}

// Area is one part of the dashboard: its routes, its page templates, and the templates that those include.
type Area struct {
	Routes    []Route
	Templates fs.FS
	Parts     []fs.FS
}

// Route is a path and method that the dashboard serves.
type Route struct {
	Method, Path string
	Right        lost.Permission // the permission that the page needs; empty if every logged-in user may open it
	Open         bool            // also accessible to people who are not logged in
	Handler      func(*Call) error
}

// Get returns the route of a page that users with the permission right may open. C is the area's own call type.
func Get[C ~struct{ *Call }](path string, right lost.Permission, handler func(*C) error) Route {
	return Route{Method: http.MethodGet, Path: path, Right: right, Handler: adapt(handler)}
}

// Post returns the route of a form that users with the permission right may send. C is the area's own call type.
func Post[C ~struct{ *Call }](path string, right lost.Permission, handler func(*C) error) Route {
	return Route{Method: http.MethodPost, Path: path, Right: right, Handler: adapt(handler)}
}

// adapt converts a handler that takes an area's own call type to a handler that takes a *Call.
func adapt[C ~struct{ *Call }](handler func(*C) error) func(*Call) error {
	return func(c *Call) error {
		own := C(struct{ *Call }{c})
		return handler(&own)
	}
}

// Public returns a copy of the route that is also accessible to people who are not logged in.
func Public(r Route) Route {
	r.Open = true
	return r
}

// Frame serves the dashboard. Create one with New.
type Frame struct {
	Services *services.Services
	Base     *url.URL
	Now      func() time.Time
	Assets   *respond.Assets
	Demo     bool
	pages    *pageSet
	origins  *respond.OriginCheck
	mux      *http.ServeMux
	routes   map[string]Route // by their patterns in mux
}

// New returns the HTTP handler of a dashboard with these areas.
func New(o Options, areas ...Area) (*Frame, error) {
	base, err := url.Parse(o.Base)
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("staff: base address %q has no host", o.Base)
	}
	f := &Frame{
		Services: o.Services, Base: base, Now: o.Now, Assets: o.Assets, Demo: o.Demo,
		mux: http.NewServeMux(), routes: map[string]Route{},
	}
	if f.origins, err = respond.NewOriginCheck(base); err != nil {
		return nil, err
	}
	if f.pages, err = newPageSet(areas); err != nil {
		return nil, err
	}
	routes := Routes()
	for _, a := range areas {
		routes = slices.Concat(routes, a.Routes)
	}
	f.mount(routes)
	return f, nil
}

// Routes returns the routes that do not belong to an area.
func Routes() []Route {
	return []Route{
		Public(Route{Method: http.MethodPost, Path: "/theme", Handler: setTheme}),
		Public(Route{Method: http.MethodPost, Path: "/language", Handler: setLanguage}),
		{Method: http.MethodPost, Path: "/at", Handler: switchLocation},
		{Method: http.MethodGet, Path: "/live", Right: lost.ViewItems, Handler: serveLive},
	}
}

func (f *Frame) mount(routes []Route) {
	methods := map[string][]string{}
	for _, r := range routes {
		f.mux.Handle(r.Method+" "+r.Path, f.handler(r))
		f.routes[r.Method+" "+r.Path] = r
		methods[r.Path] = append(methods[r.Path], r.Method)
	}
	fallback := http.NewServeMux() // handles known paths with unsupported methods
	for at, allowed := range methods {
		fallback.Handle(at, f.handler(Route{Open: true, Handler: methodNotAllowed(allowed)}))
	}
	fallback.Handle("/", f.handler(Route{Open: true, Handler: NotFound}))
	f.mux.Handle("/", fallback)
}

func (f *Frame) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	setSecurityHeaders(w.Header())
	if p := r.URL.Path; p != "/" && path.Clean(p) != p { // the mux would redirect to the cleaned path
		f.handler(Route{Open: true, Handler: NotFound})(w, r)
		return
	}
	f.mux.ServeHTTP(w, r)
}

// handler turns a route into an HTTP handler that shows errors as pages.
func (f *Frame) handler(route Route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := &Call{Frame: f, Writer: w, Request: r, began: time.Now()}
		c.Locale = localeOf(c)
		defer respond.Recover(w, c.renderError)
		err := respond.CheckAddress(r)
		if err == nil {
			err = f.origins.Check(r)
		}
		if err == nil {
			err = c.authenticate(route)
		}
		if err == nil {
			err = route.Handler(c)
		}
		if err != nil {
			c.renderError(err)
		}
	}
}
