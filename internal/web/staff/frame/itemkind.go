package frame

import (
	"strings"

	"homeward/internal/lost"
)

// itemKinds are the most common kinds of items with the words for them in the languages that desks use most. The
// first match is used, so containers come before what may be in them.
var itemKinds = []struct{ name, words string }{
	{"umbrella", "umbrella parasol schirm regenschirm parapluie paraguas ombrello paraplu guarda-chuva"},
	{"glasses", "glasses sunglasses spectacles eyeglasses brille sonnenbrille lunettes gafas occhiali bril"},
	{"phone",
		"phone iphone smartphone mobile handy telefon telefoon téléphone telefono teléfono móvil galaxy pixel tablet " +
			"ipad laptop macbook kindle charger ladekabel headphones earphones airpods kopfhörer"},
	{"wallet",
		"wallet purse portemonnaie geldbörse brieftasche portefeuille cartera portafoglio passport reisepass ausweis " +
			"card karte"},
	{"keys", "key keys keyring schlüssel schlüsselbund clé clés llave llaves chiavi sleutel sleutels"},
	{"bag",
		"bag handbag backpack rucksack suitcase koffer tasche handtasche sac valise bolso mochila maleta borsa zaino " +
			"valigia tas luggage briefcase trolley"},
	{"jewellery",
		"ring necklace bracelet earring earrings watch uhr armbanduhr kette halskette armband ohrring bague collier " +
			"montre anillo reloj collar anello orologio collana jewellery jewelry brooch"},
	{"toy", "toy teddy bear doll plush spielzeug puppe kuscheltier peluche jouet juguete muñeca giocattolo lego"},
	{"book", "book notebook diary novel buch notizbuch heft livre libro boek magazine"},
	{"bottle", "bottle flask thermos mug cup flasche trinkflasche becher bouteille botella bottiglia fles"},
	{"clothing",
		"jacket coat scarf hat cap glove gloves shirt sweater jumper trousers jeans dress shoe shoes sock socks belt " +
			"tie pullover jacke mantel schal mütze hut handschuh handschuhe hemd hose kleid schuh schuhe " +
			"veste manteau écharpe chapeau gants chaussures chaqueta abrigo bufanda guantes zapatos giacca cappotto " +
			"sciarpa guanti scarpe hoodie"},
}

// kindWords maps a word to the index of its kind.
var kindWords = readKinds() //nolint:gochecknoglobals // a lookup table that never changes

func readKinds() map[string]int {
	words := map[string]int{}
	for n, k := range itemKinds {
		for word := range strings.FieldsSeq(k.words) {
			words[word] = n
		}
	}
	return words
}

// maxKindText is the maximum number of characters of a description that KindOf reads.
const maxKindText = 200

// KindOf guesses the kind of an item from its description, for the icon of an item without a photo.
func KindOf(description string) string {
	best := len(itemKinds)
	words := strings.FieldsFunc(strings.ToLower(lost.Truncate(description, maxKindText)), func(r rune) bool {
		return strings.ContainsRune(" \t\n,.;:()/\"'’!?&+", r)
	})
	for _, word := range words {
		if k, known := kindWords[word]; known {
			best = min(best, k)
		}
	}
	if best == len(itemKinds) {
		return "other"
	}
	return itemKinds[best].name
}
