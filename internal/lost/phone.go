package lost

import "strings"

// callingCodes lists the country calling codes of ITU-T E.164, each followed by a space. No code is a prefix of
// another.
const callingCodes = "1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 " +
	"64 65 66 " +
	"81 82 84 86 90 91 92 93 94 95 98 " +
	"211 212 213 216 218 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 237 238 239 " +
	"240 241 242 243 244 245 246 247 248 249 250 251 252 253 254 255 256 257 258 260 261 262 263 264 265 266 267 268 " +
	"269 " +
	"290 291 297 298 299 350 351 352 353 354 355 356 357 358 359 370 371 372 373 374 375 376 377 378 379 380 381 382 " +
	"383 385 386 387 389 " +
	"420 421 423 500 501 502 503 504 505 506 507 508 509 590 591 592 593 594 595 596 597 598 599 " +
	"670 672 673 674 675 676 677 678 679 680 681 682 683 685 686 687 688 689 690 691 692 " +
	"800 808 850 852 853 855 856 870 878 880 881 882 883 886 888 960 961 962 963 964 965 966 967 968 970 971 972 973 " +
	"974 975 976 977 979 992 993 994 995 996 998 "

const (
	minPhoneDigits = 7
	maxPhoneDigits = 15
)

// ParsePhone accepts an international number with the usual punctuation, and returns it in E.164 format. The number
// starts with a plus sign or 00, and has 7 to 15 digits. ParsePhone returns false for other input. The number may be
// unassigned, but its country code must exist. A trunk prefix in parentheses, as in +44 (0)20, is removed.
func ParsePhone(s string) (string, bool) {
	digits, plus, ok := phoneDigits(s)
	if international, is := strings.CutPrefix(digits, "00"); is && !plus {
		digits, plus = international, true
	}
	n := len(digits)
	if !ok || !plus || n < minPhoneDigits || n > maxPhoneDigits || !hasCallingCode(digits) {
		return "", false
	}
	return "+" + digits, true
}

// phoneDigits returns the digits of a phone number, and whether a plus sign precedes them. It returns false if the
// number contains anything but digits and the usual punctuation.
func phoneDigits(s string) (digits string, plus, ok bool) {
	rest, plus := strings.CutPrefix(strings.TrimSpace(s), "+")
	rest = strings.Replace(rest, "(0)", "", 1)
	only := make([]byte, 0, maxPhoneDigits)
	for _, r := range rest {
		switch {
		case r >= '0' && r <= '9':
			only = append(only, byte(r))
		case !strings.ContainsRune(" -./()\u00a0\u2010\u2011\u2012\u2013", r):
			return "", plus, false
		}
	}
	return string(only), plus, true
}

// ParsePhoneIn is like ParsePhone, but also accepts a complete national number of a country. It returns false if the
// number could be something else, such as a number without its area code.
func ParsePhoneIn(s, country string) (string, bool) {
	if number, ok := ParsePhone(s); ok {
		return number, true
	}
	digits, plus, ok := phoneDigits(s)
	if plus || !ok || len(country) != 2 {
		return "", false
	}
	for _, p := range numberingPlans {
		if strings.Contains(p.countries, country) && p.includes(digits) {
			return ParsePhone("+" + callingCode(country) + strings.TrimPrefix(digits, p.trunk))
		}
	}
	return "", false
}

// numberingPlan describes the complete national numbers of some countries.
type numberingPlan struct {
	countries   string
	trunk       string // dialled before the number inside the country, and not part of it
	first       string // the digits with which the number can begin
	least, most int    // how many digits it has, without trunk
}

func (p numberingPlan) includes(digits string) bool {
	number, ok := strings.CutPrefix(digits, p.trunk)
	return ok && len(number) >= p.least && len(number) <= p.most && strings.Contains(p.first, number[:1])
}

// numberingPlans lists the national numbering plans in which a number is recognised with certainty: by the trunk prefix
// that precedes it, or by its length if it always has the same. Plans in which a shorter local number, or a number with
// the calling code and without a plus sign, looks the same are left out.
var numberingPlans = []numberingPlan{
	{"CH FR NL RO SK UA AU ZA MA GH KE", "0", notZero, 9, 9},
	{"BA MD ME MK SI", "0", notZero, 8, 8},
	{"AL BE BG DZ EC HR IE IL RS SA TH TW AE", "0", notZero, 7, 9},
	{"GB GG IM JE", "0", notZero, 9, 10},
	{"EG JP KR MY NG NZ PH SE VN", "0", notZero, 7, 10},
	{"AR IN TR VE", "0", notZero, 10, 10},
	{"AT DE FI ID", "0", notZero, 5, 12},
	{"LT", "0", notZero, 8, 8},
	{"LT", "8", notZero, 8, 8},
	{"HU", "06", notZero, 8, 9},
	{"BY", "80", notZero, 9, 9},
	{"KZ RU", "8", notZero, 10, 10},
	{northAmerica, "", "23456789", 10, 10},
	{northAmerica, "1", "23456789", 10, 10},
	{"CO IN MX", "", notZero, 10, 10},
	{"GR", "", "2678", 10, 10},
	{"CZ ES PL PT", "", notZero, 9, 9},
	{"CL PE", "", "9", 9, 9},
	{"BH CR CY DK GT HK HN KW LV MO MT NI NO OM QA SG SV TN", "", notZero, 8, 8},
	{"IS", "", notZero, 7, 7},
	{"IT VA", "", "0", 6, 11}, // a zero at the beginning is part of the number
	{"IT VA", "", "3", 9, 10},
}

const (
	notZero = "123456789"
	// northAmerica lists the countries with the calling code 1.
	northAmerica = "AG AI AS BB BM BS CA DM DO GD GU JM KN KY LC MP MS PR SX TC TT US VC VG VI"
)

func hasCallingCode(digits string) bool {
	code, _ := splitPhone(digits)
	return code != ""
}

// CallingCodeOf returns the country calling code of a number in E.164 format, without the plus sign.
func CallingCodeOf(number string) string {
	code, _ := splitPhone(strings.TrimPrefix(number, "+"))
	return code
}

// countryCallingCodes lists the calling codes of countries: the country code of ISO 3166-1 and the calling code of
// ITU-T E.164, each followed by a space.
const countryCallingCodes = "" +
	"AD376 AE971 AF93 AG1 AI1 AL355 AM374 AO244 AR54 AS1 AT43 AU61 AW297 AX358 AZ994 BA387 BB1 BD880 " +
	"BE32 BF226 BG359 BH973 BI257 BJ229 BL590 BM1 BN673 BO591 BQ599 BR55 BS1 BT975 BW267 BY375 BZ501 CA1 " +
	"CC61 CD243 CF236 CG242 CH41 CI225 CK682 CL56 CM237 CN86 CO57 CR506 CU53 CV238 CW599 CX61 CY357 " +
	"CZ420 DE49 DJ253 DK45 DM1 DO1 DZ213 EC593 EE372 EG20 EH212 ER291 ES34 ET251 FI358 FJ679 FK500 FM691 " +
	"FO298 FR33 GA241 GB44 GD1 GE995 GF594 GG44 GH233 GI350 GL299 GM220 GN224 GP590 GQ240 GR30 GT502 GU1 " +
	"GW245 GY592 HK852 HN504 HR385 HT509 HU36 ID62 IE353 IL972 IM44 IN91 IO246 IQ964 IR98 IS354 IT39 " +
	"JE44 JM1 JO962 JP81 KE254 KG996 KH855 KI686 KM269 KN1 KP850 KR82 KW965 KY1 KZ7 LA856 LB961 LC1 " +
	"LI423 LK94 LR231 LS266 LT370 LU352 LV371 LY218 MA212 MC377 MD373 ME382 MF590 MG261 MH692 MK389 " +
	"ML223 MM95 MN976 MO853 MP1 MQ596 MR222 MS1 MT356 MU230 MV960 MW265 MX52 MY60 MZ258 NA264 NC687 " +
	"NE227 NF672 NG234 NI505 NL31 NO47 NP977 NR674 NU683 NZ64 OM968 PA507 PE51 PF689 PG675 PH63 PK92 " +
	"PL48 PM508 PR1 PS970 PT351 PW680 PY595 QA974 RE262 RO40 RS381 RU7 RW250 SA966 SB677 SC248 SD249 " +
	"SE46 SG65 SH290 SI386 SJ47 SK421 SL232 SM378 SN221 SO252 SR597 SS211 ST239 SV503 SX1 SY963 SZ268 " +
	"TC1 TD235 TG228 TH66 TJ992 TK690 TL670 TM993 TN216 TO676 TR90 TT1 TV688 TW886 TZ255 UA380 UG256 US1 " +
	"UY598 UZ998 VA39 VC1 VE58 VG1 VI1 VN84 VU678 WF681 WS685 YE967 YT262 ZA27 ZM260 ZW263 "

// callingCode returns the calling code of a country, or "" if the country has none.
func callingCode(country string) string {
	_, after, found := strings.Cut(" "+countryCallingCodes, " "+country)
	if !found || country == "" {
		return ""
	}
	code, _, _ := strings.Cut(after, " ")
	return code
}

// ParseTypedPhone is like ParsePhone, but for searching. It accepts more spellings, and any national number if all the
// given countries have the same calling code.
func ParseTypedPhone(s string, countries []string) (string, bool) {
	if number, ok := ParsePhone(strings.TrimSpace(s)); ok {
		return number, true
	}
	runs := phoneRuns(s)
	if len(runs) != 1 {
		return "", false
	}
	digits, rest := "", s
	for n, g := range runs[0] {
		before := s[:g.start]
		if n > 0 && g.digits == "0" && opensBracket(before) && closesBracket(s[g.end:]) {
			continue
		}
		digits, rest = digits+g.digits, s[g.end:]
	}
	start, plus := phoneStart(s, runs[0][0].start, len(s))
	if !onlySeparators(s[:start]) || !onlySeparators(rest) {
		return "", false
	}
	if plus {
		return ParsePhone("+" + digits)
	}
	if international, ok := strings.CutPrefix(digits, "00"); ok {
		return ParsePhone("+" + international)
	}
	return nationalPhone(digits, countries)
}

func onlySeparators(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !isPhoneSeparator(r) })
}

// nationalPhone returns the E.164 format of a national number, if all countries have the same calling code.
func nationalPhone(digits string, countries []string) (string, bool) {
	code := ""
	for _, country := range countries {
		c := callingCode(country)
		if c == "" || code != "" && c != code {
			return "", false
		}
		code = c
	}
	if code == "" {
		return "", false
	}
	for _, trunk := range append(trunkPrefixes[code], "0") {
		if national, ok := strings.CutPrefix(digits, trunk); ok {
			return ParsePhone("+" + code + national)
		}
	}
	return ParsePhone("+" + code + digits)
}
