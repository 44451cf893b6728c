package finds

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"golang.org/x/image/vector"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// findAnywhere redirects to the form to record a found item at the location where the user works.
func (c *call) findAnywhere() error {
	here, err := c.UsualLocation()
	if err != nil {
		return err
	}
	if here.ID == "" {
		return c.NewError(lost.NotFound, "finds.no-location")
	}
	return c.Redirect(frame.LocationPath(here.ID, "/find"))
}

// manifest sends the web app manifest. Browsers request it without cookies, so its language is the browser's.
func (c *call) manifest() error {
	type picture struct {
		Src     string `json:"src"`
		Sizes   string `json:"sizes"`
		Type    string `json:"type"`
		Purpose string `json:"purpose,omitempty"`
	}
	type shortcut struct {
		Name string `json:"name"`
		URL  string `json:"url"`
	}
	body, err := json.Marshal(map[string]any{
		"name": "Homeward", "short_name": "Homeward", "description": c.Say("finds.app"), "id": "/",
		"lang": c.Tag(), "start_url": "/", "scope": "/", "display": "standalone",
		"background_color": "#fbfaf7", "theme_color": "#0f6b5c",
		"icons": []picture{
			{"/icon/192.png", "192x192", "image/png", ""}, {"/icon/512.png", "512x512", "image/png", ""},
			{"/icon/full-512.png", "512x512", "image/png", "maskable"},
		},
		"shortcuts": []shortcut{{c.Say("frame.record"), "/find"}, {c.Say("finds.app.scan"), "/scan"}},
	})
	if err != nil {
		return err
	}
	c.Writer.Header().Set("Vary", "Accept-Language, Cookie")
	c.WriteBytes("application/manifest+json", "public, max-age=3600", body)
	return nil
}

// appIcon sends the app icon in the size that the URL names. Browsers may cache it for a month.
func (c *call) appIcon() error {
	icons, err := appIcons()
	if err != nil {
		return err
	}
	icon, is := icons[c.Request.PathValue("name")]
	if !is {
		return frame.NotFound(c.Call)
	}
	c.WriteBytes("image/png", "public, max-age=2592000", icon)
	return nil
}

// appIcons returns the app icons by name: with a transparent background, and full-bleed for devices that crop icons
// themselves. They are drawn on first use.
var appIcons = sync.OnceValues(func() (map[string][]byte, error) { //nolint:gochecknoglobals // they never change
	icons := map[string][]byte{}
	for _, size := range []int{180, 192, 512} {
		for _, shape := range []string{"", "full-"} {
			var b bytes.Buffer
			if err := png.Encode(&b, drawTag(size, shape != "")); err != nil {
				return nil, err
			}
			icons[shape+strconv.Itoa(size)+".png"] = b.Bytes()
		}
	}
	return icons, nil
})

// drawTag draws the app icon, a luggage tag, in a square of this size.
func drawTag(size int, full bool) image.Image {
	green, paper := image.NewUniform(color.RGBA{0x0f, 0x6b, 0x5c, 0xff}),
		image.NewUniform(color.RGBA{0xfb, 0xfa, 0xf7, 0xff})
	picture := image.NewRGBA(image.Rect(0, 0, size, size))
	tag, lines := green, paper
	scale, shift := float32(size)/32, float32(0)
	if full { // devices may crop everything but the middle
		rectangle(picture, green, 0, 0, float32(size), float32(size))
		tag, lines = paper, green
		scale, shift = float32(size)/48, float32(size)/6
	}
	at := func(v float32) float32 { return v*scale + shift }
	polygon(picture, tag, at, 11, 5, 29, 5, 29, 27, 11, 27, 3, 19.5, 3, 12.5)
	polygon(picture, lines, at, 8.6, 14.2, 12.4, 14.2, 12.4, 17.8, 8.6, 17.8)
	for n, long := range []float32{9, 9, 6} {
		y := float32(11 + 4*n)
		rectangle(picture, lines, at(16), at(y), at(16+long), at(y+2))
	}
	return picture
}

// polygon fills the polygon with these corners, given as pairs of coordinates.
func polygon(on *image.RGBA, with image.Image, at func(float32) float32, corners ...float32) {
	r := vector.NewRasterizer(on.Rect.Dx(), on.Rect.Dy())
	r.MoveTo(at(corners[0]), at(corners[1]))
	for n := 2; n+1 < len(corners); n += 2 {
		r.LineTo(at(corners[n]), at(corners[n+1]))
	}
	r.ClosePath()
	r.Draw(on, on.Rect, with, image.Point{})
}

func rectangle(on *image.RGBA, with image.Image, x0, y0, x1, y1 float32) {
	polygon(on, with, func(v float32) float32 { return v }, x0, y0, x1, y0, x1, y1, x0, y1)
}

// worker is the script of the service worker. It caches the assets that every page uses and shows the offline page if
// there is no connection. It never caches a page with personal data. It also shows push messages.
var worker = template.Must(template.New("sw.js").Parse(`
'use strict'
const name = 'homeward {{.Version}}'
const shell = [{{range .Files}}'{{.}}', {{end}}]
addEventListener('install', event => event.waitUntil(
  caches.open(name).then(cache => cache.addAll(shell)).then(() => skipWaiting())))
addEventListener('activate', event => event.waitUntil((async () => {
  for (const key of await caches.keys()) if (key.startsWith('homeward ') && key !== name) await caches.delete(key)
  await clients.claim()
})()))
addEventListener('fetch', event => {
  const {request} = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== location.origin) return
  if (url.pathname.startsWith('/assets/')) {
    event.respondWith(caches.match(request).then(cached => cached || fetch(request)))
  } else if (request.mode === 'navigate') {
    event.respondWith(fetch(request).catch(() => caches.match('/offline')))
  }
})
addEventListener('push', event => {
  const {title, body, url, tag} = event.data?.json() ?? {}
  if (!title) return
  event.waitUntil(registration.showNotification(title, {body, tag, icon: '/icon/192.png', data: {url}}))
})
addEventListener('notificationclick', event => {
  event.notification.close()
  const url = new URL(event.notification.data?.url ?? '/', location.origin)
  if (url.origin !== location.origin) return
  event.waitUntil((async () => {
    const open = (await clients.matchAll({type: 'window'})).find(client => client.url === url.href)
    return open ? open.focus() : clients.openWindow(url.href)
  })())
})
`))

func (c *call) serviceWorker() error {
	files := []string{
		"/offline", c.Assets.Path("look.css"), c.Assets.Path("staff.js"), c.Assets.Path("photos.js"),
		c.Assets.Path("offline.js"), c.Assets.Path("find.js"), c.Assets.Path("category.js"), c.Assets.Path("icon.svg"),
	}
	var b bytes.Buffer
	version := strings.Join(files[1:], " ") + " " + c.Tag() // the cached page has the language of the user
	if err := worker.Execute(&b, map[string]any{"Version": version, "Files": files}); err != nil {
		return err
	}
	c.WriteBytes("text/javascript; charset=utf-8", "no-cache", b.Bytes())
	return nil
}

// offline renders the page that is shown without a connection. It is the same for all users of a language because
// browsers cache it.
func (c *call) offline() error {
	c.Session.User.ID = ""
	c.Request.Header.Del("Cookie") // otherwise this page would show and delete the user's next flash message
	p := findPage{
		Picker:      frame.NewPhotoPicker(),
		Description: frame.Input{Name: "description", Label: c.Say("finds.what"), Type: "area", Required: true},
		Where:       frame.Input{Name: "discoveryPlace", Label: c.Say("finds.where"), Type: "text"},
		When:        frame.Input{Name: "discoveryDate", Label: c.Say("finds.when"), Type: "date", Narrow: true},
	}
	p.Page = c.NewPage(c.Say("finds.offline"), "photos.js", "offline.js", "find.js", "category.js")
	p.Languages = nil // choosing one needs a connection
	return c.Render(http.StatusOK, "offline", p)
}
