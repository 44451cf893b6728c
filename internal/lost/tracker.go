package lost

import (
	"net/url"
	"strings"
	"time"
	"unicode"
)

// TrackerService is a service whose share links show where a tracker is.
type TrackerService struct {
	Name  string
	Hosts []TrackerHost
}

// TrackerHost is a host that the share links of a tracker service may have.
type TrackerHost struct {
	Host       string
	Subdomains bool   // whether a link may also have a subdomain of the host
	Path       string // what the path must begin with; empty for any path
}

// TrackerServices lists the services whose share links claimants can add to a request. All hosts belong to the makers
// of the trackers. docs/use/requests.md says what is known about each of them.
func TrackerServices() []TrackerService {
	return []TrackerService{
		{"Apple Find My", []TrackerHost{
			{Host: "find.apple.com"}, {Host: "find.apple.com.cn"}, {Host: "share.apple.com"},
		}},
		{"Google Find Hub", []TrackerHost{
			{Host: "www.google.com", Path: "/android/find"}, // other pages of the host redirect to other sites
		}},
		{"Samsung Find", []TrackerHost{{Host: "samsungfind.samsung.com"}, {Host: "smartthingsfind.samsung.com"}}},
		{"Tile", []TrackerHost{{Host: "tile.com", Subdomains: true}, {Host: "thetileapp.com", Subdomains: true}}},
		{"Chipolo", []TrackerHost{{Host: "chipolo.net", Subdomains: true}}},
	}
}

// TrackerHosts lists the hosts of TrackerServices, with the paths that a link must have.
func TrackerHosts() (hosts []string) {
	for _, s := range TrackerServices() {
		for _, h := range s.Hosts {
			hosts = append(hosts, h.Host+h.Path)
		}
	}
	return hosts
}

// TrackerLife is how long a tracker link is kept. Apple and Google let a share link expire after the same time.
const TrackerLife = 7 * 24 * time.Hour

// trackerLink sets the link of a tracker, or adds a problem.
func (c *check) trackerLink(f Field[string], field string, dst *string) {
	c.formatted(f, field, "not-a-tracker", "an HTTPS link without user name or port, of at most 2048 characters, to "+
		"one of the hosts "+strings.Join(TrackerHosts(), ", "), MaxURL, parseTrackerLink, dst)
}

// parseTrackerLink accepts a link to a tracker service. The whole authority must be a known host, so that a user name,
// a port or another spelling of a host cannot lead to another site.
func parseTrackerLink(s string) (string, bool) {
	if strings.ContainsFunc(s, func(r rune) bool { return r == '\\' || r > unicode.MaxASCII }) {
		return "", false
	}
	s, ok := parseHTTPS(s)
	if !ok {
		return "", false
	}
	u, err := url.Parse(s)
	if err != nil {
		return "", false
	}
	_, ok = serviceOf(u)
	return s, ok
}

// serviceOf returns the tracker service that a URL leads to.
func serviceOf(u *url.URL) (TrackerService, bool) {
	for _, s := range TrackerServices() {
		for _, h := range s.Hosts {
			if h.matches(strings.ToLower(u.Host), u.Path) {
				return s, true
			}
		}
	}
	return TrackerService{}, false
}

// matches reports whether a share link may have a host and path.
func (h TrackerHost) matches(host, path string) bool {
	if host != h.Host && !(h.Subdomains && strings.HasSuffix(host, "."+h.Host)) {
		return false
	}
	if h.Path == "" || path == h.Path {
		return true
	}
	return strings.HasPrefix(path, h.Path+"/") && !strings.Contains(path, "..")
}

// TrackerServiceName returns the name of the service that a tracker link leads to, or an empty string.
func TrackerServiceName(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return ""
	}
	s, _ := serviceOf(u)
	return s.Name
}

// Tracker returns the tracker link of a request, or an empty string if there is none or it has expired.
func (c Claim) Tracker(now time.Time) string {
	if !now.Before(c.TrackerUntil) {
		return ""
	}
	return c.TrackerLink
}

// ShareTracker sets or replaces the tracker link of a request, or removes it if the value is null. It reports whether
// anything changed. A link that is sent again is kept for the full time again.
func (c *Claim) ShareTracker(p Field[string], now time.Time) (changed bool, err error) {
	var valid check
	var link string
	valid.trackerLink(p, "trackerLink", &link)
	if !p.Null {
		valid.Require("trackerLink", link)
	}
	if err := valid.Err(); err != nil {
		return false, err
	}
	if c.State != RequestPending { // or not a request
		return false, E(AlreadyDecided, "This request can no longer be changed.")
	}
	if link == "" {
		return c.forgetTracker(), nil
	}
	until := now.Add(TrackerLife)
	if link == c.TrackerLink && until.Sub(c.TrackerUntil) < time.Minute { // a double click
		return false, nil
	}
	c.TrackerLink, c.TrackerUntil = link, until
	return true, nil
}

// ExpireTracker removes the tracker link of a request if it has expired. It reports whether anything changed.
func (c *Claim) ExpireTracker(now time.Time) bool { return c.Tracker(now) == "" && c.forgetTracker() }

// forgetTracker removes the tracker link of a request, and reports whether there was one.
func (c *Claim) forgetTracker() bool {
	had := c.TrackerLink != "" || !c.TrackerUntil.IsZero()
	c.TrackerLink, c.TrackerUntil = "", time.Time{}
	return had
}
