package stay

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// roomWords are words for a room in ten languages, in lower case and without a point at the end. What follows one of
// them is the name of a room if it contains a digit.
var roomWords = []string{
	"room", "rm", "suite", "apartment", "apt", "bungalow", "cabin", "unit", // English
	"zimmer", "zi", "appartement", "raum", // German
	"chambre", "ch", "chbre", // French
	"habitación", "habitacion", "hab", "cuarto", // Spanish
	"camera", "stanza", "cam", // Italian
	"kamer", "kmr", // Dutch
	"quarto", "qto", // Portuguese
	"pokój", "pokoj", "pokoju", "pok", "apartament", // Polish
	"部屋", "客室", "お部屋", "房间", "房間", "客房", "房号", "房號", "ルーム", // Japanese and Chinese
}

// numberWords may stand between a word for a room and its name.
const numberWords = `(?:no|nr|n|num|number|nummer|numéro|numero|número|numer)?[.:º°#]?\s*`

// otherWords follow or precede a number that is not a room. They are compared without a point at the end.
var otherWords = []string{
	"floor", "stock", "og", "ug", "eg", "etage", "étage", "piso", "planta", "piano", "verdieping", "andar", "piętro",
	"m", "km", "meter", "meters", "metres", "mètres", "metros", "metri", "metrów", "uhr", "h", "am", "pm", "eur", "usd",
	"階", "楼", "层", "円", "元", "分", "時", "点",
}

// roomNumber matches the number of a room.
const roomNumber = `(\p{Latin}{0,2}[-.]?\d{1,5}(?:[-./]\d{1,4})?\p{Latin}?)`

var (
	afterWord = regexp.MustCompile(`(?i)(?:^|[^\p{L}])(\p{L}+)[.:]?[\s#№]*` +
		numberWords + roomNumber + `(?:[^\p{L}\d]|$)`)
	afterHan    = regexp.MustCompile(`(?:部屋|客室|ルーム|房间|房間|客房|房号|房號)[\s::#]*` + roomNumber)
	beforeHan   = regexp.MustCompile(roomNumber + `\s*(?:号室|號室|号房|號房|号客房|号房间|室|房)`)
	wholeNumber = regexp.MustCompile(`(?i)^#?` + roomNumber + `(?:$|\s*[,;(–—]|:\s|\s+-|\s+(\p{L}+))`)
)

// Room reads the name of a room from a text in which somebody has written where something was found, such as
// "Room 207", "Zimmer 207, Bad", "207" or "207号室". It reports false if the text names no room. A name has at least one
// digit.
func Room(text string) (name string, found bool) {
	text = narrow(strings.TrimSpace(text))
	if len(text) > 1000 {
		return "", false
	}
	for _, pattern := range []*regexp.Regexp{afterHan, beforeHan} {
		if m := pattern.FindStringSubmatch(text); m != nil {
			return strings.ToUpper(m[1]), true
		}
	}
	if name := afterRoomWord(text); name != "" {
		return name, true
	}
	m := wholeNumber.FindStringSubmatch(text)
	if m == nil || strings.HasSuffix(m[1], ".") || isWord(otherWords, m[2]) || m[2] != "" && len(digits(m[1])) < 3 {
		return "", false
	}
	return strings.ToUpper(m[1]), true
}

// afterRoomWord returns the name that follows the first word for a room.
func afterRoomWord(text string) string {
	for rest := text; ; {
		at := afterWord.FindStringSubmatchIndex(rest)
		if at == nil {
			return ""
		}
		if word := rest[at[2]:at[3]]; isWord(roomWords, word) {
			return strings.ToUpper(rest[at[4]:at[5]])
		}
		rest = rest[at[3]:]
	}
}

func isWord(words []string, word string) bool {
	return word != "" && slices.Contains(words, strings.ToLower(word))
}

// narrow replaces full-width digits and letters, which Japanese and Chinese keyboards write.
func narrow(text string) string {
	const first, last, distance = '\uff01', '\uff5e', '\uff01' - '!'
	return strings.Map(func(r rune) rune {
		switch {
		case r >= first && r <= last:
			return r - distance
		case r == '\u3000': // the ideographic space
			return ' '
		default:
			return r
		}
	}, text)
}

func digits(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, text)
}

// RoomKey returns the form of a room's name that is the same for all ways to write it: "Room 207", "207" and "0207" are
// one room, and so are "12b" and "12 B".
func RoomKey(name string) string {
	if short, found := Room(name); found {
		name = short
	}
	key := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, narrow(name))
	trimmed := strings.TrimLeft(key, "0")
	if trimmed == "" && key != "" {
		return "0"
	}
	return trimmed
}
