package frame

import (
	"strings"
)

// browsers and systems tell by which word in a browser's name for itself it is recognised: the first that fits. Most call themselves by the
// names of others too.
var (
	browsers = [][2]string{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser", "Samsung Internet"}, {"Firefox", "Firefox"}, {"FxiOS", "Firefox"}, {"CriOS", "Chrome"},
		{"HeadlessChrome", "Chrome"}, {"Chrome", "Chrome"}, {"Safari", "Safari"},
	}
	systems = [][2]string{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"CrOS", "ChromeOS"}, {"Windows", "Windows"}, {"Mac OS", "Mac"}, {"Linux", "Linux"},
	}
)

// BrowserName says in words what a browser calls itself.
func BrowserName(agent string) string {
	browser, system := firstMatch(agent, browsers), firstMatch(agent, systems)
	switch {
	case browser != "" && system != "":
		return browser + " on " + system
	case browser+system != "":
		return browser + system
	default:
		return "A browser that does not say its name"
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
