package lost

import (
	"slices"
	"strings"
	"time"
)

// Recipient is the name and address that a parcel is sent to.
type Recipient struct {
	Name, Company, Address1, Address2, City, State, ZipCode, Country, Phone string
}

// Known reports whether any field is set.
func (r Recipient) Known() bool { return r != Recipient{} }

// RecipientPatch is an address as received from the client.
type RecipientPatch struct {
	Name, Company, Address1, Address2, City, State, ZipCode, Country, Phone Field[string]
}

// recipient validates a complete address according to the rules of its country.
func (c *check) recipient(p RecipientPatch) (r Recipient) {
	c.line(p.Name, "recipient.name", MaxName, &r.Name)
	c.line(p.Company, "recipient.company", MaxName, &r.Company)
	c.line(p.Address1, "recipient.address1", MaxShort, &r.Address1)
	c.line(p.Address2, "recipient.address2", MaxShort, &r.Address2)
	c.line(p.City, "recipient.city", MaxShort, &r.City)
	c.line(p.State, "recipient.state", MaxShort, &r.State)
	c.line(p.ZipCode, "recipient.zipCode", maxZip, &r.ZipCode)
	c.country(p.Country, "recipient.country", &r.Country)
	if p.Phone.Value != "" {
		c.phone(p.Phone, "recipient.phone", r.Country, &r.Phone)
	}
	c.Require("recipient.name", r.Name)
	c.Require("recipient.address1", r.Address1)
	c.Require("recipient.city", r.City)
	c.Require("recipient.country", r.Country)
	if NeedsState(r.Country) {
		c.Require("recipient.state", r.State)
	}
	c.zipCode(&r)
	return r
}

// MaySend returns an error if the desk cannot set the item's shipping address.
func (i Item) MaySend() error {
	switch {
	case i.Source == Request:
		return E(WrongState, "This is a request. Ship the found item that matches it.")
	case !i.Held():
		return E(WrongState, "This item is no longer here.")
	case !i.Owner.Known():
		return E(NoContact, "This item has no owner. Add the owner first.")
	case i.Shipping.NotShipped != "":
		return E(WrongState, "This item is marked as not shippable: %s. To ship it, clear the reason first.",
			strings.TrimSuffix(i.Shipping.NotShipped, "."))
	case i.Status == FeePaid && i.Parcel.Problem(LabelTask) == "":
		return E(PaymentOpen, "Shipping is already paid. Refund the fee to send the item elsewhere.")
	default:
		return nil
	}
}

// SendTo sets the shipping address that the owner gave to the desk. If shipping is paid and the carrier rejected the
// parcel, the address may be corrected but must stay in the same country, because the price was paid for that
// country.
func (i *Item) SendTo(p RecipientPatch, by ActorKind, now time.Time) (changed []string, err error) {
	if err := i.MaySend(); err != nil {
		return nil, err
	}
	c := &check{}
	r := c.recipient(p)
	paid := i.Status == FeePaid
	if paid && r.Country != i.Shipping.Recipient.Country && !c.Has("recipient.country") {
		c.Add("recipient.country", "paid-for",
			"must stay the same, because shipping was paid for this country; refund the fee to send the item "+
				"elsewhere")
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	if !paid {
		if changed, err = i.MoveTo(Move{To: InfoCompleted}, by, now); err != nil {
			return nil, err
		}
	}
	if i.Shipping.Recipient != r {
		i.Shipping.Recipient = r
		changed = append(changed, "shipping.recipient")
	}
	if len(changed) > 0 {
		i.UpdatedAt, i.DisownedAt = now, time.Time{} // the owner has confirmed that the item is theirs
	}
	return changed, nil
}

const maxZip = 20

func (c *check) zipCode(r *Recipient) {
	const field = "recipient.zipCode"
	forms := postalForms[r.Country]
	if forms == "" || c.Has(field) {
		return // a country without postal codes, or without a single format
	}
	if r.ZipCode == "" {
		c.Add(field, "required", "is required")
		return
	}
	for form := range strings.SplitSeq(forms, "|") {
		if code, ok := formatPostalCode(r.ZipCode, form); ok {
			r.ZipCode = code
			return
		}
	}
	c.Add(field, "invalid-zip", "must be a valid postal code in this country, such as %s", PostalExample(r.Country))
}

// formatPostalCode formats a postal code according to a pattern such as "99-999", where 9 is a digit and A is a
// letter. It reports whether the code matches the pattern.
func formatPostalCode(code, form string) (string, bool) {
	if before, after, found := strings.Cut(code, "-"); found && form[0] == '9' && lettersOnly(before) {
		code = after // an old notation with the country's letters: D-10115
	}
	var rest []rune
	for _, r := range strings.ToUpper(code) {
		switch {
		case r >= '０' && r <= '９':
			rest = append(rest, '0'+r-'０')
		case !strings.ContainsRune(" -–－〒\u00a0\u3000", r):
			rest = append(rest, r)
		}
	}
	var b strings.Builder
	for _, f := range form {
		if f == ' ' || f == '-' {
			b.WriteRune(f)
			continue
		}
		if len(rest) == 0 || f == '9' && (rest[0] < '0' || rest[0] > '9') || f == 'A' && !isLetter(rest[0]) {
			return "", false
		}
		b.WriteRune(rest[0])
		rest = rest[1:]
	}
	return b.String(), len(rest) == 0
}

// NeedsState reports whether an address in a country needs a state, province or prefecture.
func NeedsState(country string) bool {
	return country != "" && strings.Contains("AU BR CA CN IN JP MX US", country)
}

// PostalExample returns an example of a country's postal code, or an empty string if there is no single format.
func PostalExample(country string) string {
	form, _, _ := strings.Cut(postalForms[country], "|")
	var b strings.Builder
	shown := 0
	for _, f := range form {
		switch f {
		case '9':
			b.WriteByte("1234567890"[shown%10])
			shown++
		case 'A':
			b.WriteByte("ABCDEFGHJK"[shown%10])
			shown++
		default:
			b.WriteRune(f)
		}
	}
	return b.String()
}

// postalForms maps countries to the patterns of their postal codes: 9 is a digit, A is a letter. Countries that are
// not in the map have no postal codes or no single format.
var postalForms = map[string]string{
	"AD": "AA999", "AT": "9999", "AU": "9999", "BE": "9999", "BG": "9999", "BR": "99999-999", "CA": "A9A 9A9",
	"CH": "9999",
	"CN": "999999", "CY": "9999", "CZ": "999 99", "DE": "99999", "DK": "9999", "EE": "99999", "ES": "99999",
	"FI": "99999",
	"FR": "99999", "GB": "A9 9AA|A99 9AA|A9A 9AA|AA9 9AA|AA99 9AA|AA9A 9AA", "GR": "999 99", "HR": "99999",
	"HU": "9999",
	"ID": "99999", "IL": "9999999|99999", "IN": "999999", "IS": "999", "IT": "99999", "JP": "999-9999", "KR": "99999",
	"LI": "9999",
	"LT": "99999|AA-99999", "LU": "9999", "LV": "9999|AA-9999", "MC": "99999", "MT": "AAA 9999", "MX": "99999",
	"MY": "99999", "NL": "9999 AA",
	"NO": "9999", "NZ": "9999", "PH": "9999", "PL": "99-999", "PT": "9999-999", "RO": "999999", "RS": "99999",
	"RU": "999999",
	"SE": "999 99", "SG": "999999", "SI": "9999", "SK": "999 99", "SM": "99999", "TH": "99999", "TR": "99999",
	"TW": "999|99999|999999",
	"UA": "99999", "US": "99999|99999-9999", "VA": "99999", "ZA": "9999",
}

// Countries lists the codes of all countries.
func Countries() []string { return strings.Fields(countries) }

// countries lists the 249 officially assigned codes of ISO 3166-1 alpha-2.
const countries = "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS " +
	"BT BV BW BY BZ " +
	"CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO " +
	"FR " +
	"GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM " +
	"JO JP " +
	"KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR " +
	"MS MT MU MV MW MX MY MZ " +
	"NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW " +
	"SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ " +
	"UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW"

// ParseCountry accepts a country code in upper or lower case and returns it in upper case. It returns false for other
// input.
func ParseCountry(s string) (string, bool) {
	code := strings.ToUpper(s)
	return code, len(s) == 2 && code[0] != ' ' && code[1] != ' ' && strings.Contains(countries, code)
}

// countryZones maps the first part of time zone names to country codes, each followed by the second part of the name.
// It contains only countries that have the same time everywhere.
var countryZones = map[string]string{
	"Africa": "AO Luanda BF Ouagadougou BI Bujumbura BJ Porto-Novo BW Gaborone CF Bangui CG Brazzaville CI Abidjan " +
		"CM Douala DJ Djibouti DZ Algiers EG Cairo EH El_Aaiun ER Asmara ET Addis_Ababa GA Libreville GH Accra GM " +
		"Banjul GN Conakry GQ Malabo GW Bissau KE Nairobi LR Monrovia LS Maseru LY Tripoli MA Casablanca ML Bamako " +
		"MR Nouakchott MW Blantyre MZ Maputo NA Windhoek NE Niamey NG Lagos RW Kigali SD Khartoum SL Freetown SN " +
		"Dakar SO Mogadishu SS Juba ST Sao_Tome SZ Mbabane TD Ndjamena TG Lome TN Tunis TZ Dar_es_Salaam UG Kampala " +
		"ZA Johannesburg ZM Lusaka ZW Harare",
	"America": "AG Antigua AI Anguilla AW Aruba BB Barbados BL St_Barthelemy BO La_Paz BQ Kralendijk BS Nassau BZ " +
		"Belize CO Bogota CR Costa_Rica CU Havana CW Curacao DM Dominica DO Santo_Domingo GD Grenada GF Cayenne GP " +
		"Guadeloupe GT Guatemala GY Guyana HN Tegucigalpa HT Port-au-Prince JM Jamaica KN St_Kitts KY Cayman LC " +
		"St_Lucia MF Marigot MQ Martinique MS Montserrat NI Managua PA Panama PE Lima PM Miquelon PR Puerto_Rico PY " +
		"Asuncion SR Paramaribo SV El_Salvador SX Lower_Princes TC Grand_Turk TT Port_of_Spain UY Montevideo VC " +
		"St_Vincent VE Caracas VG Tortola VI St_Thomas",
	"Arctic": "SJ Longyearbyen",
	"Asia": "AE Dubai AF Kabul AM Yerevan AZ Baku BD Dhaka BH Bahrain BN Brunei BT Thimphu GE Tbilisi HK " +
		"Hong_Kong IL Jerusalem IN Kolkata IQ Baghdad IR Tehran JO Amman JP Tokyo KG Bishkek KH Phnom_Penh KP " +
		"Pyongyang KR Seoul KW Kuwait LA Vientiane LB Beirut LK Colombo MM Yangon MO Macau NP Kathmandu OM Muscat PH " +
		"Manila PK Karachi QA Qatar SA Riyadh SG Singapore SY Damascus TH Bangkok TJ Dushanbe TL Dili TM Ashgabat TW " +
		"Taipei VN Ho_Chi_Minh YE Aden",
	"Atlantic": "BM Bermuda CV Cape_Verde FK Stanley FO Faroe GS South_Georgia IS Reykjavik SH St_Helena",
	"Europe": "AD Andorra AL Tirane AT Vienna AX Mariehamn BA Sarajevo BE Brussels BG Sofia BY Minsk CH Zurich CZ " +
		"Prague DE Berlin DK Copenhagen EE Tallinn FI Helsinki FR Paris GB London GG Guernsey GI Gibraltar GR Athens " +
		"HR Zagreb HU Budapest IE Dublin IM Isle_of_Man IT Rome JE Jersey LI Vaduz LT Vilnius LU Luxembourg LV Riga " +
		"MC Monaco MD Chisinau ME Podgorica MK Skopje MT Malta NL Amsterdam NO Oslo PL Warsaw RO Bucharest RS " +
		"Belgrade SE Stockholm SI Ljubljana SK Bratislava SM San_Marino TR Istanbul VA Vatican",
	"Indian": "CC Cocos CX Christmas IO Chagos KM Comoro MG Antananarivo MU Mauritius MV Maldives RE Reunion SC " +
		"Mahe TF Kerguelen YT Mayotte",
	"Pacific": "AS Pago_Pago CK Rarotonga FJ Fiji GU Guam MP Saipan NC Noumea NF Norfolk NR Nauru NU Niue PN " +
		"Pitcairn PW Palau SB Guadalcanal TK Fakaofo TO Tongatapu TV Funafuti VU Efate WF Wallis WS Apia",
}

// ZoneOf returns the time zone of a country, or an empty string if the country has more than one.
func ZoneOf(country string) string {
	for area, list := range countryZones {
		for pairs := strings.Fields(list); len(pairs) > 1; pairs = pairs[2:] {
			if pairs[0] == country {
				return area + "/" + pairs[1]
			}
		}
	}
	return ""
}

// manyZones lists time zones of countries that have more than one.
const manyZones = "America/Anchorage America/Argentina/Buenos_Aires America/Bogota America/Chicago America/Denver " +
	"America/Edmonton America/Guayaquil America/Halifax America/Los_Angeles America/Manaus America/Mexico_City " +
	"America/New_York America/Phoenix America/Santiago America/Sao_Paulo America/St_Johns America/Tijuana " +
	"America/Toronto America/Vancouver America/Winnipeg Asia/Almaty Asia/Jakarta Asia/Kuala_Lumpur Asia/Makassar " +
	"Asia/Nicosia Asia/Shanghai Asia/Tashkent Asia/Ulaanbaatar Asia/Vladivostok Asia/Yekaterinburg Atlantic/Azores " +
	"Atlantic/Canary Australia/Adelaide Australia/Brisbane Australia/Darwin Australia/Melbourne Australia/Perth " +
	"Australia/Sydney Europe/Kyiv Europe/Lisbon Europe/Madrid Europe/Moscow Pacific/Auckland Pacific/Honolulu UTC"

// CommonZones lists the time zones that people can choose from, sorted by name.
func CommonZones() []string {
	zones := strings.Fields(manyZones)
	for area, list := range countryZones {
		for pairs := strings.Fields(list); len(pairs) > 1; pairs = pairs[2:] {
			zones = append(zones, area+"/"+pairs[1])
		}
	}
	slices.Sort(zones)
	return slices.Compact(zones)
}
