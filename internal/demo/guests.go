package demo

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"homeward/internal/lost"
)

// homeCountry is a country that guests come from, with typical names, its language and some addresses.
type homeCountry struct {
	country, language string
	// phone is a pattern in the range that the country reserves for fiction, with # for each digit. It is empty if
	// there is no such range.
	phone       string
	first, last []string
	homes       []string // street|city|postal code|state
}

// homeCountries is sorted by frequency, most frequent first.
var homeCountries = []homeCountry{
	{
		"DE", "de", "+49 171 39200 ##",
		[]string{"Anna", "Jonas", "Miriam", "Felix", "Greta", "Matthias", "Leyla", "Tobias"},
		[]string{"Petersen", "Brandt", "Yılmaz", "Lorenz", "Hoffmann", "Wittkamp", "Seidel", "Kranz"},
		[]string{"Lindenallee 8|Leipzig|04177|", "Kastanienweg 3|Freiburg|79102|", "Große Gasse 21|Lübeck|23552|"},
	},
	{
		"GB", "en", "+44 7700 9001##",
		[]string{"Oliver", "Priya", "Harriet", "Ewan", "Grace", "Samuel", "Imogen", "Tariq"},
		[]string{"Whitfield", "Patel", "Okafor", "Sinclair", "Marlowe", "Hughes", "Fairbairn", "Lowe"},
		[]string{"12 Rosebank Gardens|Glasgow|G12 8QQ|", "4 Mill Lane|Bath|BA1 5TR|", "27 Station Road|York|YO24 1AA|"},
	},
	{
		"US", "en", "+1 202 555 01##",
		[]string{"Emily", "Marcus", "Hannah", "Diego", "Rachel", "Andre", "Kate", "William"},
		[]string{"Carver", "Johnson", "Delgado", "Nguyen", "Brooks", "Abbott", "Feldman", "Ross"},
		[]string{"418 Juniper Street|Portland|97214|OR", "2205 Maple Avenue|Madison|53704|WI",
			"77 Harbor View|Boston|02128|MA"},
	},
	{
		"FR", "fr", "+33 6 39 98 01 ##",
		[]string{"Camille", "Hugo", "Léa", "Antoine", "Manon", "Karim", "Élodie", "Julien"},
		[]string{"Moreau", "Lefèvre", "Garnier", "Benali", "Rousseau", "Chevalier", "Fontaine", "Picard"},
		[]string{"9 rue des Tilleuls|Lyon|69003|", "31 quai de la Fosse|Nantes|44000|"},
	},
	{
		"NL", "nl", "", []string{"Sanne", "Daan", "Lotte", "Bram", "Femke", "Thijs"},
		[]string{"de Vries", "Bakker", "van Dijk", "Visser", "Mulder", "Smits"},
		[]string{"Prinsengracht 402|Amsterdam|1016 JC|", "Oudegracht 88|Utrecht|3511 AV|"},
	},
	{
		"IT", "it", "", []string{"Giulia", "Marco", "Chiara", "Davide", "Elena", "Pietro"},
		[]string{"Ricci", "Conti", "Marchetti", "Galli", "Ferrara", "Bassi"},
		[]string{"Via dei Platani 17|Bologna|40121|", "Corso Venezia 5|Torino|10155|"},
	},
	{
		"ES", "es", "", []string{"Lucía", "Javier", "Carmen", "Álvaro", "Nuria", "Iván"},
		[]string{"Serrano", "Molina", "Ortega", "Campos", "Vidal", "Ibáñez"},
		[]string{"Calle del Olmo 23|Valencia|46003|", "Paseo del Prado 11|Madrid|28014|"},
	},
	{
		"PL", "pl", "", []string{"Zofia", "Jakub", "Maja", "Piotr", "Hanna", "Tomasz"},
		[]string{"Nowicka", "Wiśniewski", "Zielińska", "Kamiński", "Dąbrowska", "Lis"},
		[]string{"ul. Lipowa 6|Kraków|30-702|", "ul. Morska 41|Gdynia|81-225|"},
	},
	{
		"JP", "ja", "", []string{"Aoi", "Haruto", "Yui", "Kenji", "Sakura", "Daichi"},
		[]string{"Sato", "Tanaka", "Watanabe", "Kobayashi", "Mori", "Ishikawa"},
		[]string{"1-14-6 Jingumae|Shibuya-ku|150-0001|Tokyo", "3-2 Nakanoshima|Kita-ku|530-0005|Osaka"},
	},
	{
		"IE", "en", "+353 20 910 01##", []string{"Aoife", "Conor", "Saoirse", "Declan", "Róisín", "Patrick"},
		[]string{"Kelly", "Doyle", "Murphy", "Gallagher", "Nolan", "Walsh"},
		[]string{"15 Strand Road|Galway|H91 X2Y3|", "2 Bridge Street|Cork|T23 A1B2|"},
	},
	{
		"CH", "de", "", []string{"Nina", "Luca", "Selina", "Reto"},
		[]string{"Ammann", "Keller", "Bernasconi", "Zumstein"},
		[]string{"Rebgasse 12|Basel|4058|", "Seestrasse 90|Zürich|8002|"},
	},
}

// guest is a person who lost something.
type guest struct {
	owner    lost.Owner
	language string
	to       lost.RecipientPatch
}

// guests generates guests. Each guest is a different person.
type guests struct {
	r    *rand.Rand
	seen map[string]int
}

// next returns a new guest. Some guests have only a phone number.
func (g *guests) next() guest {
	l := homeCountries[min(g.r.IntN(len(homeCountries)), g.r.IntN(len(homeCountries)))] // favours the first countries
	first, last := l.first[g.r.IntN(len(l.first))], l.last[g.r.IntN(len(l.last))]
	mail := plain(first + "." + last)
	if g.seen[mail]++; g.seen[mail] > 1 {
		mail += fmt.Sprint(g.seen[mail])
	}
	owner := lost.Owner{FirstName: first, LastName: last, Email: mail + "@example.com"}
	switch phone := g.digits(l.phone); {
	case g.r.IntN(8) == 0 && phone != "":
		owner.Email, owner.Phone = "", phone
	case g.r.IntN(2) == 0:
		owner.Phone = phone
	}
	home := strings.Split(l.homes[g.r.IntN(len(l.homes))], "|")
	return guest{owner: owner, language: l.language, to: lost.RecipientPatch{
		Name: lost.Set(first + " " + last), Address1: lost.Set(home[0]), City: lost.Set(home[1]),
		ZipCode: lost.Set(home[2]), State: lost.Set(home[3]), Country: lost.Set(l.country),
	}}
}

// digits replaces each # in a phone number pattern with a random digit.
func (g *guests) digits(form string) string {
	var b strings.Builder
	for _, c := range form {
		if c == '#' {
			c = rune('0' + g.r.IntN(10))
		}
		b.WriteRune(c)
	}
	return b.String()
}

// patch returns the guest's details as the owner of an item.
func (g guest) patch() lost.Field[lost.OwnerPatch] {
	field := func(s string) (f lost.Field[string]) {
		if s != "" {
			f = lost.Set(s)
		}
		return f
	}
	o := g.owner
	return lost.Set(lost.OwnerPatch{
		FirstName: field(o.FirstName), LastName: field(o.LastName), Email: field(o.Email), Phone: field(o.Phone),
	})
}

// withName fills in the guest's name where a text refers to the name on an item. If g is nil, it uses an invented
// name.
func (g *guest) withName(text string) string {
	first, last := "Robin", "Vale"
	if g != nil {
		first, last = g.owner.FirstName, g.owner.LastName
	}
	initial := func(name string) string { return string([]rune(capitalize(name))[:1]) + "." }
	return strings.NewReplacer("{first}", first, "{short}", initial(first)+" "+last, "{initials}",
		initial(first)+" "+initial(last)).Replace(text)
}

// plain converts a name to the local part of an e-mail address.
func plain(name string) string {
	return accents.Replace(strings.ToLower(strings.ReplaceAll(name, " ", "-")))
}

var accents = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "ı", "i", "é", "e", "è", "e", "ê", "e",
	"á", "a", "à", "a", "í", "i", "ó", "o", "ú", "u",
	"ñ", "n", "ł", "l", "ń", "n", "ś", "s", "ą", "a", "ę", "e", "ż", "z", "ź", "z", "ć", "c")
