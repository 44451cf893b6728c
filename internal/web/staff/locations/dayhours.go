package locations

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"homeward/internal/lost"
)

var (
	// betweenPeriods separates the periods of a day.
	betweenPeriods = regexp.MustCompile(`[,;、/&+]|\s(?:und|and|et|e|y|en|i|och|og)\s|和|と`)

	// period is one period of a day, such as 9–12:30, 9h-18h, "9 bis 18 Uhr", 9am–5pm and 9時～18時半.
	period = regexp.MustCompile(`^(?:(?:from|von|de|das|da|dalle|od|van|vanaf)\s+)?` + timeOfDay +
		`\s*(?:[-–—−~〜ー至]|から|\s(?:to|until|till|bis|à|a|alle|al|as|às|hasta|tot|do)\s)\s*` + timeOfDay + `(?:まで)?$`)

	// closedWords are the texts for a day without opening hours, in lower case.
	closedWords = []string{
		"-", "–", "—", "closed", "geschlossen", "ruhetag", "zu", "fermé", "ferme", "fermée", "cerrado", "chiuso",
		"fechado", "encerrado", "gesloten", "dicht", "nieczynne", "zamknięte", "zamkniete", "休み", "お休み", "定休日", "休業",
		"休業日", "休館日", "休息", "休业", "关闭", "不开放", "不营业", "关门",
	}
)

// timeOfDay has three groups: the hour, the minutes, and am or pm.
const timeOfDay = `(\d{1,2})\s*(?:(?:[:.h時点时]|uhr|godz\.)\s*(\d{2}|半)?)?\s*(?:分|h|uhr|u|uur)?\s*([ap]\.?m\.?)?`

// readHours reads the hours of each day, and combines the days that have the same ones. It reports invalid text as a
// problem of its day.
func readHours(values url.Values, problems *lost.Problems) (hours []lost.OpeningHours) {
	for _, day := range lost.Weekdays() {
		var former string // the end of the period before
		for _, window := range readDay(values.Get(dayField(day)), dayField(day), problems) {
			if window.From < former {
				problems.Add(dayField(day), "overlaps", "must have periods in order that do not overlap")
				break
			}
			former = window.To
			n := slices.IndexFunc(hours, func(h lost.OpeningHours) bool {
				return h.From == window.From && h.To == window.To
			})
			if n < 0 {
				hours = append(hours, lost.OpeningHours{From: window.From, To: window.To})
				n = len(hours) - 1
			}
			hours[n].Days = append(hours[n].Days, day)
		}
	}
	return hours
}

// readDay reads the hours of one day, such as "09:00–12:00, 13:00–18:00", as people write them in the languages of the
// dashboard. A day with the word for closed has no hours.
func readDay(text, field string, problems *lost.Problems) (windows []lost.PickupWindow) {
	text = strings.ToLower(strings.TrimSpace(norm.NFKC.String(text))) // NFKC replaces full-width characters
	if slices.Contains(closedWords, text) {
		return nil
	}
	for _, part := range betweenPeriods.Split(text, -1) {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		found := period.FindStringSubmatch(part)
		if found == nil {
			problems.Add(field, "invalid-hours", "must be hours such as 09:00–12:00, 13:00–18:00, or empty")
			return nil
		}
		if found[3] == "" && found[6] != "" { // 9–11am: both are in the morning
			found[3] = sharedHalf(found[1], found[4], found[6])
			if found[3] == "am" && strings.TrimLeft(found[4], "0") == "12" && found[6][0] == 'a' { // noon or midnight?
				problems.Add(field, "invalid-hours", "must be hours such as 09:00–12:00, 13:00–18:00, or empty")
				return nil
			}
		}
		w := lost.PickupWindow{From: clock(found[1:4]), To: clock(found[4:7])}
		if w.To == "00:00" {
			w.To = "24:00"
		}
		if !lost.ValidHours(w) {
			problems.Add(field, "invalid-hours",
				"must be hours from 00:00 to 24:00 whose start is before their end, such as 09:00–12:00")
			return nil
		}
		windows = append(windows, w)
	}
	return windows
}

// sharedHalf returns the half of the day of a start without one, from the half of the end: 1–5pm starts after noon,
// 9–5pm before it.
func sharedHalf(start, end, half string) string {
	from, _ := strconv.Atoi(start)
	to, _ := strconv.Atoi(end)
	if from%12 > to%12 {
		return "am"
	}
	return half
}

// clock returns a time of day as HH:mm. Its parts are the hour, the minutes, and am or pm; the last two may be empty.
func clock(parts []string) string {
	hour, minute := parts[0], parts[1]
	if n, err := strconv.Atoi(hour); parts[2] != "" && err == nil && n >= 1 && n <= 12 {
		n %= 12
		if parts[2][0] == 'p' {
			n += 12
		}
		hour = strconv.Itoa(n)
	}
	switch minute {
	case "":
		minute = "00"
	case "半":
		minute = "30"
	}
	if len(hour) == 1 {
		hour = "0" + hour
	}
	return hour + ":" + minute
}
