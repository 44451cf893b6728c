package match_test

import (
	"slices"
	"strings"
	"testing"

	"homeward/internal/lost/match"
)

// pair is a realistic found item and request. Their location has no other items or requests.
type pair struct {
	found, notes, place     string
	missed, proof, lost     string
	first, last             string
	likely                  bool
	because, never, against string // an expected reason, a forbidden one, and a word that must not be in any reason
}

func everyday() map[string]pair {
	return map[string]pair{
		"same room": {
			found: "Black umbrella", place: "Room 312", missed: "black umbrella", lost: "Room 312", likely: true,
			because: "same place",
		},
		"another room": {
			found: "Black umbrella", place: "Room 301", missed: "black umbrella", lost: "Room 312",
			because: "different room or number", never: "same place",
		},
		"a room number and a room name": {
			found: "Black umbrella", place: "Room 312", missed: "black umbrella", lost: "Conference room Elbe",
			never: "same place",
		},
		"two places in one hall": {
			found: "Black umbrella", place: "Gate 7", missed: "black umbrella", lost: "Security, lane 4",
			never: "same place",
		},
		"own initials": {
			found: "Wallet brown", notes: "initials A.K.", missed: "brown wallet with initials A.K.", likely: true,
			because: "the initials match",
		},
		"other initials": {
			found: "Wallet brown", notes: "initials A.K.", missed: "brown wallet with initials B.T.",
			never: "initials in both",
		},
		"own name": {
			found: "Passport, Julie Moreau", missed: "my passport", first: "Julie", last: "Moreau", likely: true,
			because: "the name matches",
		},
		"no name": {found: "Passport", missed: "my passport", first: "Julie", last: "Moreau"},
		"a name of two words": {
			found: "Passport, Rosa Blanco", missed: "my passport", first: "Rosa", last: "Blanco", likely: true,
			because: "the name matches",
		},
		"a colour as a name": {
			found: "Passport, Peter Braun", missed: "my passport", first: "Peter", last: "Braun", likely: true,
			because: "the name matches",
		},
		"another name": {
			found: "Passport, Peter Braun", missed: "my passport", first: "Hans", last: "Maier",
			because: "somebody else's name is on it",
		},
		"last name in the notes": {
			found: "Wallet", notes: "ID: Moreau", missed: "my wallet", first: "Julie", last: "Moreau", likely: true,
		},
		"a profession as a name": {
			found: "Geldbörse, Ausweis T. Schneider", missed: "meine Geldbörse mit Ausweis", first: "Tom",
			last: "Schneider", likely: true, because: "the name matches",
		},
		"left is a verb": {
			found: "Phone, left in Room 12", missed: "I left my phone, right before breakfast",
			never: "same details: left side",
		},
		"left is a side": {
			found: "Left Adidas shoe 42", missed: "Right Adidas shoe 42", because: "for the other side",
			never: "same model",
		},
		"a name is not a misspelling": {
			found: "Harry Potter book", missed: "Harry Potter book, chamber of secrets", likely: true, against: "golf",
		},
		"more in the proof": {
			found: "Samsonite suitcase black", missed: "Schwarzer Koffer von Samsonite",
			proof: "Darin sind mein Laptop, zwei Hemden und ein Kulturbeutel", likely: true,
		},
		"a serial number": {
			found: "MacBook", notes: "serial C02XK0AAJGH5", missed: "laptop", proof: "serial number C02XK0AAJGH5",
			likely: true,
		},
		"another format of a number": {
			found: "iPhone", notes: "IMEI 35-209900-176148-1", missed: "my iphone", proof: "IMEI 352099001761481",
			likely: true, never: "different number",
		},
		"a model": {
			found: "Sony WH-1000XM4", missed: "sony wh1000xm4 headphones", likely: true, because: "same model",
		},
		"similar model": {
			found: "Sony WH-1000XM5", missed: "sony wh1000xm4 headphones", because: "different model",
			never: "same model",
		},
		"negated brand": {
			found: "Glasses, not Ray-Ban", missed: "Ray-Ban glasses", never: "same brand: ray ban",
		},
		"negated material": {found: "Scarf (not wool)", missed: "wool scarf", never: "same material: wool"},
		"negated part":     {found: "Brille ohne Etui", missed: "Brille mit Etui", against: "case box"},
		"negated colour": {
			found: "Black umbrella", missed: "my umbrella, not black but blue", because: "different colour",
			never: "same colour",
		},
		"a compound": {
			found: "Navy blue wool scarf", missed: "Dunkelblauer Wollschal", likely: true,
			because: "same material: wool",
		},
		"the same size": {
			found: "Schwarze Sneaker Nike Größe 44", missed: "schwarze Nike Sneaker, Größe 44", likely: true,
			against: "thick",
		},
		"another size": {
			found: "Schwarze Sneaker Nike Größe 44", missed: "schwarze Nike Sneaker, Größe 38",
			because: "different number", never: "same size",
		},
		"the same age": {
			found: "school jumper navy, age 9-10", missed: "Pull d'école bleu marine, 9-10 ans", likely: true,
			because: "same age",
		},
		"another age": {
			found: "school jumper navy, age 9-10", missed: "Pull d'école bleu marine, âge 5-6",
			because: "different number",
		},
		"letters as a size": {
			found: "Blue jacket size L", missed: "blaue Jacke, Größe S", because: "different size",
		},
		"leather in Italian": {
			found: "Guanti pelle neri", missed: "portafoglio nero in pelle",
			because: "a different kind of item", against: "toy",
		},
		"a French word in English": {found: "Packet of tea", missed: "I lost the key to the locker", against: "sweets"},
		"a German word in English": {found: "Rock rot", missed: "red rock", against: "skirt"},
		"an engraving":             {found: "Ring, engraved Anna", missed: "ring engraved Anna", likely: true},
		"another engraving": {
			found: "Ring, engraved Anna", missed: "ring engraved Julia", because: "a different name is on it",
			never: "engraving in both",
		},
		"a date": {
			found: `Ehering, Gravur "Anna 12.5.2010"`, missed: "Ehering mit Gravur Anna 12.05.2010", likely: true,
			because: "same date", never: "a different name is on it",
		},
		"a shade": {
			found: "Umbrella burgundy", missed: "Umbrella red", because: "nearly the same colour",
			never: "different colour",
		},
		"another word for it": {found: "Cartera marrón de piel", missed: "billetera de cuero marrón", likely: true},
		"a device by its purpose": {
			found: "CPAP machine", missed: "breathing device for sleep apnoea", because: "same kind of item: cpap",
		},
	}
}

func TestEverydayPairs(t *testing.T) {
	for name, p := range everyday() {
		t.Run(name, func(t *testing.T) {
			found := match.Read(match.Subject{Description: p.found, More: p.notes, Place: p.place, Day: 20001})
			missed := match.Read(match.Subject{
				Description: p.missed, More: p.proof, Place: p.lost, Day: 20000, FirstName: p.first, LastName: p.last,
			})
			alone := match.Counts{"": 1}
			for _, term := range found.Terms() {
				alone[term] = 1
			}
			s := match.Compare(missed, found, alone)
			if s.Likely() != p.likely {
				t.Errorf("likely: %v, with %.3f", s.Likely(), s.Value)
			}
			if p.because != "" && !slices.Contains(texts(s), p.because) ||
				p.never != "" && slices.Contains(texts(s), p.never) ||
				p.against != "" && strings.Contains(strings.Join(texts(s), " "), p.against) {
				t.Errorf("%.3f: %q", s.Value, s.Reasons)
			}
		})
	}
}
