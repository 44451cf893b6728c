package frame

import (
	"strings"
)

// browsers and systems map parts of a User-Agent header to names. The first match is used. The order matters because
// most browsers also mention other browsers.
var (
	browsers = [][2]string{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser", "Samsung Internet"}, {"Firefox", "Firefox"},
		{"FxiOS", "Firefox"}, {"CriOS", "Chrome"},
		{"HeadlessChrome", "Chrome"}, {"Chrome", "Chrome"}, {"Safari", "Safari"},
	}
	systems = [][2]string{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"CrOS", "ChromeOS"}, {"Windows", "Windows"},
		{"Mac OS", "Mac"}, {"Linux", "Linux"},
	}
)

// BrowserName returns the name of the browser and system in a User-Agent header, in readable form.
func (l Locale) BrowserName(agent string) string {
	browser, system := firstMatch(agent, browsers), firstMatch(agent, systems)
	switch {
	case browser != "" && system != "":
		return l.Say("frame.browser.on", "browser", browser, "system", system)
	case browser+system != "":
		return browser + system
	default:
		return l.Say("frame.browser.unknown")
	}
}

func firstMatch(agent string, known [][2]string) string {
	for _, k := range known {
		if strings.Contains(agent, k[0]) {
			return k[1]
		}
	}
	return ""
}
