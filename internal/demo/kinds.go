package demo

// kind is a kind of lost item, with the words that desks use for it.
type kind struct {
	thing   string   // the name of the drawing in package picture
	nouns   []string // %s stands for the colour
	makes   []string // brand|model; the model is optional
	colours []string
	details []string
	notes   []string
	grams   int
	box     string
	// often is the relative frequency at each location, in the order of locationSpecs.
	often [3]int
}

// kinds lists the kinds of lost items. The texts are written as a desk user would type them.
var kinds = []kind{
	{
		thing: "umbrella", nouns: []string{"%s stick umbrella", "%s umbrella with curved handle", "%s long umbrella"},
		makes:   []string{"Fulton|Huntsman", "Knirps|T.900", "Doppler|", "|"},
		colours: []string{"black", "navy", "green", "burgundy", "grey"},
		details: []string{
			"wooden handle", "one rib bent", "small tear near the tip", "handle wrapped in leather",
			"initials {initials} on the band", "nearly new",
		},
		grams: 620, box: "long", often: [3]int{5, 4, 3},
	},
	{
		thing:   "folding umbrella",
		nouns:   []string{"%s folding umbrella", "%s pocket umbrella", "%s telescopic umbrella"},
		makes:   []string{"Knirps|X1", "Knirps|T.200", "Totes|", "Reisenthel|", "|"},
		colours: []string{"black", "red", "blue", "teal", "purple", "yellow"},
		details: []string{
			"in its sleeve", "without sleeve", "strap torn", "opens by button", "still wet, dried overnight",
			"flower pattern inside",
		},
		grams: 340, box: "shoe", often: [3]int{6, 5, 5},
	},
	{
		thing: "phone", nouns: []string{"%s smartphone", "%s phone in a case", "Smartphone, %s back"},
		makes: []string{
			"Apple|iPhone 13", "Apple|iPhone 15 Pro", "Apple|iPhone SE", "Samsung|Galaxy S23", "Samsung|Galaxy A54",
			"Google|Pixel 8", "Fairphone|5", "Xiaomi|Redmi Note 12",
		},
		colours: []string{"black", "white", "blue", "green", "pink", "purple"},
		details: []string{
			"crack across one corner", "lock screen shows two children on a beach", "lock screen shows a brown dog",
			"screen protector, no scratches", "train ticket in the case", "case with a ring on the back",
		},
		notes: []string{"Switched off and locked away.", "Rings now and then: caller shown as Mum.",
			"Battery empty when found."},
		grams: 240, box: "flat", often: [3]int{7, 9, 5},
	},
	{
		thing: "tablet", nouns: []string{"%s tablet", "%s tablet in a folding cover"},
		makes:   []string{"Apple|iPad Air", "Apple|iPad mini", "Samsung|Galaxy Tab S9", "Amazon|Kindle Paperwhite"},
		colours: []string{"black", "grey", "silver", "light blue"},
		details: []string{
			"sticker of a fox on the back", "cover with pencil", "engraved on the back: For Papa",
			"airline sticker on the back", "children's case with handle",
		},
		grams: 650, box: "flat", often: [3]int{2, 6, 1},
	},
	{
		thing: "laptop", nouns: []string{"%s laptop, 13 inch", "%s notebook computer", "%s laptop in a sleeve"},
		makes:   []string{"Apple|MacBook Air", "Lenovo|ThinkPad X1", "Dell|XPS 13", "HP|EliteBook"},
		colours: []string{"silver", "grey", "black"},
		details: []string{
			"company asset sticker", "stickers of three cities on the lid", "with charger",
			"left in the tray at security", "key H is loose",
		},
		grams: 1700, box: "flat", often: [3]int{2, 5, 0},
	},
	{
		thing:   "headphones",
		nouns:   []string{"%s over-ear headphones", "%s noise-cancelling headphones", "%s wireless headphones"},
		makes:   []string{"Sony|WH-1000XM4", "Bose|QuietComfort 45", "Sennheiser|Momentum 4", "JBL|Tune 510"},
		colours: []string{"black", "white", "blue", "beige", "red"},
		details: []string{
			"in a hard case", "ear pads worn", "without cable", "name on a strip of tape inside: {first}",
			"one hinge repaired",
		},
		grams: 390, box: "shoe", often: [3]int{4, 7, 1},
	},
	{
		thing: "earbuds", nouns: []string{"%s charging case with earbuds", "Wireless earbuds in a %s case"},
		makes:   []string{"Apple|AirPods Pro", "Apple|AirPods", "Samsung|Galaxy Buds 2", "Jabra|Elite 4"},
		colours: []string{"white", "black", "grey", "green"},
		details: []string{"left one missing", "case has a carabiner", "scratched lid", "silicone cover", "both inside"},
		grams:   90, box: "letter", often: [3]int{5, 6, 3},
	},
	{
		thing: "cable",
		nouns: []string{"%s phone charger with cable", "%s USB-C charger", "%s charging cable and plug"},
		makes: []string{"Apple|20 W", "Anker|Nano", "Samsung|25 W", "|"}, colours: []string{"white", "black"},
		details: []string{
			"two metres long", "left in the socket by the bed", "UK plug", "cable frayed at one end", "with EU adapter",
		},
		grams: 130, box: "letter", often: [3]int{8, 2, 1},
	},
	{
		thing: "camera", nouns: []string{"%s compact camera", "%s mirrorless camera with strap", "%s camera"},
		makes:   []string{"Fujifilm|X100V", "Canon|EOS M50", "Sony|ZV-1", "Olympus|Tough TG-6"},
		colours: []string{"black", "silver", "brown"},
		details: []string{
			"memory card inside", "leather strap", "lens cap missing", "last picture shows a giraffe", "battery empty",
		},
		grams: 560, box: "shoe", often: [3]int{2, 3, 5},
	},
	{
		thing: "keys",
		nouns: []string{"Bunch of three keys with a %s tag", "Two keys and a %s fob",
			"Car key and house keys, %s key ring"},
		makes:   []string{"|", "Volkswagen|", "Toyota|", "Abus|"},
		colours: []string{"red", "blue", "green", "black", "yellow", "teal"},
		details: []string{
			"fob says 14 B", "bottle opener on the ring", "small torch on the ring", "club badge on the ring",
			"one key marked cellar",
		},
		grams: 110, box: "letter", often: [3]int{6, 8, 7},
	},
	{
		thing: "wallet", nouns: []string{"%s leather wallet", "%s purse", "%s wallet with coin pocket"},
		makes:   []string{"Fossil|", "Bellroy|Note Sleeve", "Secrid|", "|"},
		colours: []string{"brown", "black", "navy", "burgundy", "pink", "green"},
		details: []string{
			"cards inside, no cash", "some coins and a library card", "wedding photograph inside", "zip broken",
			"foreign coins, a gym card",
		},
		notes: []string{"Contents counted by two people and listed.", "In the safe."},
		grams: 180, box: "letter", often: [3]int{5, 8, 6},
	},
	{
		thing: "passport", nouns: []string{"%s passport", "Passport in a %s cover"},
		makes: []string{"|"}, colours: []string{"burgundy", "navy", "green", "black"},
		details: []string{
			"boarding card tucked inside", "visa page marked with a slip", "cover slightly bent",
			"vaccination card inside",
		},
		notes: []string{"In the safe. The consulate was informed."},
		grams: 60, box: "letter", often: [3]int{2, 6, 0},
	},
	{
		thing: "glasses", nouns: []string{"Glasses with %s frame", "%s reading glasses", "%s glasses in a case"},
		makes:   []string{"Mister Spex|", "Ray-Ban|RX5154", "Silhouette|", "|"},
		colours: []string{"black", "brown", "blue", "red", "pink", "grey"},
		details: []string{
			"round lenses", "one arm loose", "strong lenses", "in a soft pouch", "left on the bedside table",
		},
		grams: 120, box: "letter", often: [3]int{8, 6, 5},
	},
	{
		thing: "sunglasses", nouns: []string{"%s sunglasses", "Sunglasses, %s frame"},
		makes:   []string{"Ray-Ban|Wayfarer", "Oakley|Holbrook", "Persol|", "|"},
		colours: []string{"black", "brown", "teal", "red", "white"},
		details: []string{"polarised", "scratch on the left lens", "with cord", "children's size", "in a hard case"},
		grams:   140, box: "letter", often: [3]int{4, 5, 8},
	},
	{
		thing: "watch", nouns: []string{"Wristwatch with %s strap", "%s strap watch", "Watch, %s leather strap"},
		makes:   []string{"Seiko|5 Sports", "Tissot|PRX", "Casio|Vintage", "Junghans|Max Bill", "Swatch|"},
		colours: []string{"brown", "black", "navy", "green"},
		details: []string{
			"engraved 12.6.98", "glass scratched", "runs five minutes fast", "buckle repaired",
			"stopped at ten past ten",
		},
		grams: 110, box: "letter", often: [3]int{4, 4, 2},
	},
	{
		thing: "ring", nouns: []string{"Ring with a %s stone", "Gold ring, %s stone"},
		makes: []string{"|"}, colours: []string{"silver", "red", "green", "blue", "purple"},
		details: []string{
			"found in the drain of the wash basin", "engraved inside: L and M", "stone slightly loose", "size 54",
		},
		notes: []string{"In the safe, envelope signed by two people."},
		grams: 20, box: "letter", often: [3]int{3, 1, 1},
	},
	{
		thing: "necklace", nouns: []string{"Necklace with %s pendant", "Fine chain, %s pendant"},
		makes: []string{"Pandora|", "|"}, colours: []string{"green", "blue", "red", "gold", "silver"},
		details: []string{"clasp broken", "oval pendant", "found under the pillow", "in a small pouch"},
		notes:   []string{"In the safe, envelope signed by two people."},
		grams:   25, box: "letter", often: [3]int{4, 1, 1},
	},
	{
		thing:   "suitcase",
		nouns:   []string{"%s cabin suitcase", "%s hard-shell suitcase", "%s trolley case with four wheels"},
		makes:   []string{"Samsonite|S'Cure", "Rimowa|Essential", "American Tourister|", "Delsey|"},
		colours: []string{"black", "navy", "red", "teal", "grey", "orange"},
		details: []string{
			"ribbon on the handle", "one wheel missing", "locked", "sticker of a lighthouse", "address label torn off",
		},
		grams: 7400, box: "moving", often: [3]int{2, 9, 0},
	},
	{
		thing: "backpack", nouns: []string{"%s backpack", "%s daypack", "%s school rucksack"},
		makes:   []string{"Fjällräven|Kånken", "Deuter|", "Eastpak|Padded", "The North Face|Borealis", "Decathlon|"},
		colours: []string{"green", "navy", "black", "yellow", "red", "grey"},
		details: []string{
			"exercise books inside", "empty except for a raincoat", "penguin keyring on the zip",
			"water bottle in the side pocket", "lunch box inside, disposed of",
		},
		grams: 1300, box: "moving", often: [3]int{3, 6, 7},
	},
	{
		thing: "handbag", nouns: []string{"%s handbag", "%s leather bag", "%s bag with gold clasp"},
		makes:   []string{"Furla|", "Longchamp|Le Pliage", "Bree|", "|"},
		colours: []string{"navy", "brown", "black", "red", "beige", "olive"},
		details: []string{
			"make-up pouch inside", "theatre tickets inside", "strap repaired", "silk scarf tied to the handle",
			"a novel and a fan inside",
		},
		grams: 900, box: "moving", often: [3]int{4, 4, 3},
	},
	{
		thing: "scarf", nouns: []string{"%s wool scarf", "%s knitted scarf with fringe", "%s scarf"},
		makes:   []string{"Acne Studios|", "COS|", "Barbour|", "|"},
		colours: []string{"navy", "red", "grey", "green", "burgundy", "beige", "teal"},
		details: []string{
			"two light stripes", "smells of lavender", "hand-knitted", "label cut out", "one thread pulled",
		},
		grams: 260, box: "flat", often: [3]int{7, 5, 6},
	},
	{
		thing: "beanie", nouns: []string{"%s bobble hat", "%s woollen hat", "Children's %s hat with bobble"},
		makes: []string{"Barts|", "Maximo|", "|"}, colours: []string{"navy", "red", "pink", "yellow", "grey", "teal"},
		details: []string{
			"name label: {first}", "hand-knitted", "fleece lining", "size 52", "bobble hangs by a thread",
		},
		grams: 110, box: "flat", often: [3]int{3, 3, 9},
	},
	{
		thing: "cap", nouns: []string{"%s baseball cap", "%s cap with a star", "%s sun cap"},
		makes:   []string{"New Era|9FORTY", "Nike|", "Adidas|", "|"},
		colours: []string{"blue", "black", "red", "yellow", "green", "beige"},
		details: []string{"adjustable strap", "peak bent", "sun-bleached", "size S", "initials inside"},
		grams:   100, box: "shoe", often: [3]int{2, 4, 10},
	},
	{
		thing: "gloves", nouns: []string{"Pair of %s gloves", "%s knitted gloves", "%s leather gloves"},
		makes: []string{"Roeckl|", "Hestra|", "|"}, colours: []string{"black", "brown", "navy", "red", "grey"},
		details: []string{
			"lined", "touchscreen fingertips", "left thumb repaired", "size 8", "tied together with wool",
		},
		grams: 120, box: "letter", often: [3]int{5, 4, 6},
	},
	{
		thing: "jacket", nouns: []string{"%s jacket", "%s rain jacket", "Children's %s jacket", "%s bomber jacket"},
		makes:   []string{"Jack Wolfskin|", "Patagonia|Torrentshell", "H&M|", "Levi's|", "Uniqlo|"},
		colours: []string{"olive", "navy", "red", "brown", "yellow", "black", "light blue"},
		details: []string{
			"size M", "tissue and a tram ticket in the pocket", "zip sticks", "left on the wardrobe hook",
			"name tape: {short}", "button missing",
		},
		grams: 800, box: "moving", often: [3]int{7, 6, 8},
	},
	{
		thing: "shoe", nouns: []string{"One %s children's shoe", "%s trainers", "Left %s trainer"},
		makes:   []string{"Nike|", "Superfit|", "Converse|Chuck Taylor", "Adidas|Samba"},
		colours: []string{"red", "blue", "white", "green", "pink"},
		details: []string{"size 24", "size 31", "found next to the pond", "laces knotted twice", "under the bed"},
		grams:   420, box: "shoe", often: [3]int{4, 1, 7},
	},
	{
		thing: "bottle", nouns: []string{"%s drinking bottle", "%s steel bottle", "%s thermos bottle"},
		makes:   []string{"Sigg|Traveller", "Chilly's|", "Klean Kanteen|", "Contigo|"},
		colours: []string{"teal", "blue", "red", "black", "green", "orange", "yellow"},
		details: []string{
			"dent at the bottom", "drop on the front", "stickers half scratched off", "half a litre",
			"name in marker: {first}",
		},
		grams: 310, box: "shoe", often: [3]int{3, 7, 9},
	},
	{
		thing: "book", nouns: []string{"%s hardback novel", "%s notebook", "Book with %s cover"},
		makes:   []string{"Moleskine|", "Leuchtturm1917|A5", "|"},
		colours: []string{"red", "navy", "green", "black", "burgundy", "yellow"},
		details: []string{
			"bookmark at page 112", "dedication on the first page", "library stamp", "half filled with drawings",
			"ticket used as bookmark",
		},
		grams: 430, box: "flat", often: [3]int{6, 5, 2},
	},
	{
		thing: "teddy", nouns: []string{"%s teddy bear", "Teddy, %s, with bow tie", "Small %s teddy bear"},
		makes: []string{"Steiff|", "Jellycat|", "|"}, colours: []string{"brown", "beige", "yellow", "grey"},
		details: []string{
			"one ear chewed", "much loved, patched at the back", "about 30 cm", "answers to Bruno, says the label",
			"hospital wristband on its arm",
		},
		notes: []string{"A child will miss this one: call first, write second."},
		grams: 260, box: "shoe", often: [3]int{5, 5, 8},
	},
	{
		thing: "plush rabbit", nouns: []string{"%s plush rabbit", "Soft toy rabbit, %s", "%s cuddly rabbit"},
		makes:   []string{"Jellycat|Bashful", "Sigikid|", "|"},
		colours: []string{"pink", "beige", "grey", "light blue", "white"},
		details: []string{
			"blue neckerchief", "one whisker missing", "washed many times", "about 25 cm", "smells of biscuits",
		},
		notes: []string{"A child will miss this one: call first, write second."},
		grams: 210, box: "shoe", often: [3]int{4, 4, 7},
	},
	{
		thing: "toy car", nouns: []string{"%s toy car", "Model car, %s", "%s die-cast car"},
		makes:   []string{"Siku|", "Matchbox|", "Bburago|1:24", "Playmobil|"},
		colours: []string{"red", "blue", "yellow", "green", "orange", "silver"},
		details: []string{
			"one wheel wobbles", "doors open", "number 7 on the roof", "found in the sand pit", "paint chipped",
		},
		grams: 150, box: "letter", often: [3]int{1, 2, 6},
	},
}
