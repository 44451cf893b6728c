package webhook

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"homeward/internal/lost"
)

// maxHost is the maximum length of a DNS host name.
const maxHost = 253

// localNames lists suffixes of host names that exist only inside a private network.
var localNames = []string{
	"localhost", "local", "localdomain", "internal", "intranet", "private", "corp", "home", "home.arpa", "lan", "test",
}

// otherPorts lists ports from 1024 upwards that are used by well-known services other than web servers, such as
// databases. Webhooks must not reach them. Below 1024, only ports 80 and 443 are allowed.
var otherPorts = []int{
	1080, 1194, 1433, 1434, 1521, 1723, 1883, 2049, 2181, 2375, 2376, 2379, 2380, 3128, 3306, 3389, 4190, 4369,
	5060, 5061, 5432, 5672, 5900, 5984, 6000, 6379, 6380, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
	7000, 7001, 8086, 8125, 8500, 8883, 9042, 9092, 9100, 9160, 9200, 9300, 10080, 10250, 10255, 11211, 11434,
	15672, 25565, 26257, 27017, 27018, 27019, 28015, 61616,
}

// urlProblem describes an invalid URL: a code for programs and a message for users.
type urlProblem struct{ code, message string }

// Problems that parseTarget reports.
var (
	noURL     = &urlProblem{"required", "must be set to the HTTPS URL that receives the events"}
	longURL   = &urlProblem{"too-long", "must have at most 2048 characters"}
	badURL    = &urlProblem{"invalid-url", "must be a URL such as https://example.com/hooks"}
	badScheme = &urlProblem{"https-required",
		"must begin with https:// (the operator can allow plain HTTP for development)"}
	hasUser     = &urlProblem{"invalid-url", "must not contain a user name or password; set a header instead"}
	hasFragment = &urlProblem{"invalid-url", "must not contain a fragment (#…)"}
	badPort     = &urlProblem{"invalid-port", "must have a port from 1 to 65535 or no port"}
	otherPort   = &urlProblem{"invalid-port",
		"must use port 443, port 80, or a port from 1024 upwards that no other well-known service uses"}
	badHost    = &urlProblem{"invalid-url", "must have a host name such as example.com"}
	oddAddress = &urlProblem{"invalid-url",
		"must contain the IP address in its usual form, such as 192.0.2.1 or [2001:db8::1]"}
	private = &urlProblem{"private-address", "must resolve to a public address; " +
		"this host, private networks and names inside them are not allowed unless the operator permits them"}
)

// CheckURL validates a URL that an account wants to register. It does not resolve names, because the resolved address
// is checked at every connection. allowPrivate is for development and closed networks: it allows plain HTTP, any host
// and any port.
func CheckURL(raw string, allowPrivate bool) lost.Problems {
	var p lost.Problems
	if _, f := parseTarget(raw, allowPrivate); f != nil {
		p.Add("url", f.code, "%s", f.message)
	}
	return p
}

// parseTarget checks a URL and returns it with its host in the form that is both checked and dialled: ASCII, lower
// case, without a trailing dot.
func parseTarget(raw string, allowPrivate bool) (*url.URL, *urlProblem) {
	switch {
	case raw == "":
		return nil, noURL
	case utf8.RuneCountInString(raw) > lost.MaxURL:
		return nil, longURL
	case strings.Contains(raw, "#"):
		return nil, hasFragment
	case strings.Contains(raw, `\`) || strings.ContainsFunc(raw, unicode.IsSpace):
		return nil, badURL // programs parse these characters differently
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, badURL
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, badScheme
	case u.Scheme == "http" && !allowPrivate:
		return nil, badScheme
	case u.User != nil:
		return nil, hasUser
	}
	host, f := checkHost(u.Hostname(), allowPrivate)
	if f == nil {
		f = checkPort(u.Port(), strings.HasSuffix(u.Host, ":"), allowPrivate)
	}
	if f != nil {
		return nil, f
	}
	u.Host = joinHost(host, u.Port())
	return u, nil
}

func joinHost(host, port string) string {
	switch {
	case port != "":
		return net.JoinHostPort(host, port)
	case strings.Contains(host, ":"):
		return "[" + host + "]"
	default:
		return host
	}
}

func checkPort(port string, empty, allowPrivate bool) *urlProblem {
	if port == "" && !empty {
		return nil
	}
	n, err := strconv.Atoi(port)
	switch {
	case err != nil || n < 1 || n > 65535:
		return badPort
	case allowPrivate || n == 80 || n == 443:
		return nil
	case n < 1024 || slices.Contains(otherPorts, n):
		return otherPort
	default:
		return nil
	}
}

// checkHost checks a host and returns it in the form in which it is dialled, after folding full-width digits and
// other variants. It rejects numbers that only some programs parse as an address (2130706433, 0x7f.1, 0177.0.0.1,
// 127.1).
func checkHost(host string, allowPrivate bool) (string, *urlProblem) {
	host, ok := foldHost(host)
	if !ok {
		return "", badHost
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return host, checkAddr(addr, allowPrivate)
	}
	switch {
	case strings.Contains(host, ":") || endsInNumber(host):
		return "", oddAddress
	case !isHostName(host):
		return "", badHost
	case !allowPrivate && isLocalName(host):
		return "", private
	default:
		return host, nil
	}
}

func checkAddr(addr netip.Addr, allowPrivate bool) *urlProblem {
	switch {
	case addr.Zone() != "":
		return oddAddress
	case !allowPrivate && newGuard().SafeAddr(addr) != nil:
		return private
	default:
		return nil
	}
}

// foldHost returns the form of a host that is used in DNS, and false if the host is invalid. It rejects a host that
// is too long before folding it, because folding takes time quadratic in the length.
func foldHost(host string) (string, bool) {
	if utf8.RuneCountInString(host) > maxHost+1 {
		return "", false
	}
	if strings.ContainsFunc(host, func(r rune) bool { return r >= utf8.RuneSelf }) {
		var err error
		if host, err = idna.Lookup.ToASCII(host); err != nil {
			return "", false
		}
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host, host != ""
}

// endsInNumber reports whether a program may parse a host as an IPv4 address. No real top-level domain is a number.
func endsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	digits, isHex := strings.CutPrefix(last, "0x")
	return (isHex || digits != "") && !strings.ContainsFunc(digits, func(r rune) bool {
		return (r < '0' || r > '9') && (!isHex || r < 'a' || r > 'f')
	})
}

// isHostName reports whether a folded host consists of letters, digits and hyphens.
func isHostName(host string) bool {
	for label := range strings.SplitSeq(host, ".") {
		bad := strings.ContainsFunc(label, func(r rune) bool {
			return r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
		})
		if bad || label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
	}
	return len(host) <= maxHost
}

// isLocalName reports whether a name may resolve to a host inside the service's network.
func isLocalName(host string) bool {
	return !strings.Contains(host, ".") || slices.ContainsFunc(localNames, func(end string) bool {
		return strings.HasSuffix("."+host, "."+end)
	})
}
