package demo

import (
	"bytes"
	"context"

	"homeward/internal/demo/picture"
	"homeward/internal/lost"
	"homeward/internal/services"
)

// place is a location in the demo, with its users and texts.
type place struct {
	lost.Location
	setting locationSpec
	clerk   lost.Actor // the desk user
	finder  lost.Actor // a user who records items found by others
}

// locationSpec describes a location before it is created.
type locationSpec struct {
	patch  lost.LocationPatch
	sign   string   // the name of the sign on the logo
	colour string   // the logo's colour
	where  []string // where items are found
	shelf  []string // where items are stored
	known  float64  // the probability that the owner is known
	share  int      // the percentage of all items that are found here
	open   [2]int   // the hours between which items are recorded
}

// locationSpecs returns the three locations: a hotel at a harbour, an airport's lost property office, and a zoo.
func locationSpecs() []locationSpec { return []locationSpec{hotel(), airport(), zoo()} }

// hotel returns a hotel in Hamburg, where most owners are known.
func hotel() locationSpec {
	return locationSpec{
		patch: lost.LocationPatch{
			Name: lost.Set("Hotel Kaikante"), Type: lost.Set("hotel"),
			Website: lost.Set("https://kaikante.example"),
			Description: lost.Set("Eighty rooms on the quay. Items that guests leave behind are labelled and " +
				"stored at reception."),
			Address1: lost.Set("Kaikante 14"), City: lost.Set("Hamburg"), ZipCode: lost.Set("20457"),
			Country: lost.Set("DE"), TimeZone: lost.Set("Europe/Berlin"), Language: lost.Set("de"),
			PublicRegister: lost.Set(true),
			PublicAreas: lost.Set([]string{
				"Lobby", "Breakfast room", "Harbour bar", "Sauna", "Lift", "Underground car park",
			}),
			StorageDuration: lost.Set(60), StoragePlace: lost.Set("Reception, cupboard B"),
			Charity:     lost.Set("Kleiderkammer Speicherstadt"),
			PrivacyText: lost.Set("We use your details only to return your item, and delete them 180 days later."),
			PrivacyURL:  lost.Set("https://kaikante.example/privacy"),
			Contact: lost.Set(lost.ContactPatch{
				Name: lost.Set("Dana Köhler"), Email: lost.Set("reception@kaikante.example"),
				Phone: lost.Set("+49 40 66969 014"),
			}),
			Pickup: lost.Set(lost.PickupPatch{From: lost.Set("08:00"), To: lost.Set("20:00")}),
			Shipping: lost.Set(lost.ShippingRulesPatch{
				Service: lost.Set("Parcel, tracked"), Handling: lost.Set(int64(350)), TaxRate: lost.Set(19.0),
				TaxID: lost.Set("DE000000000"), Tracking: lost.Set("https://parcels.example/track/{number}"),
			}),
		},
		sign: "wave", colour: "navy", known: 0.78, share: 42, open: [2]int{7, 20},
		where: []string{
			"Room 112", "Room 118", "Room 203", "Room 207, wardrobe", "Room 214, bedside table", "Room 301",
			"Room 305, bathroom", "Room 312", "Room 326, under the bed", "Room 408", "Room 411, safe",
			"Breakfast room", "Harbour bar", "Sauna, changing room", "Lift", "Lobby, sofa by the window",
			"Conference room Elbe", "Underground car park",
		},
		shelf: []string{
			"", "", "Reception, drawer 1", "Reception, safe", "Cellar, shelf A2", "Cellar, shelf A4",
			"Cellar, shelf B1", "Linen room, box 3",
		},
	}
}

// airport returns an airport's lost property office in Edinburgh, where few owners are known.
func airport() locationSpec {
	return locationSpec{
		patch: lost.LocationPatch{
			Name: lost.Set("Firth Airport Lost Property"), Type: lost.Set("airport"),
			Website: lost.Set("https://firth-airport.example"),
			Description: lost.Set("Items found in the terminal, at security and on board. Open every day of " +
				"the year, landside, next to the train station."),
			Address1: lost.Set("Terminal Building, Arrivals"), City: lost.Set("Edinburgh"),
			ZipCode: lost.Set("EH12 9DN"), Country: lost.Set("GB"), TimeZone: lost.Set("Europe/London"),
			Language:        lost.Set("en"),
			StorageDuration: lost.Set(45), StoragePlace: lost.Set("Store room 1"),
			Charity:    lost.Set("Forth Valley Hospice Shops"),
			PrivacyURL: lost.Set("https://firth-airport.example/privacy"),
			Contact: lost.Set(lost.ContactPatch{
				Name: lost.Set("Callum Reid"), Email: lost.Set("lost.property@firth-airport.example"),
				Email2: lost.Set("mailroom@firth-airport.example"), Phone: lost.Set("+44 131 496 0123"),
			}),
			Pickup: lost.Set(lost.PickupPatch{From: lost.Set("06:00"), To: lost.Set("21:30")}),
			Shipping: lost.Set(lost.ShippingRulesPatch{
				Service: lost.Set("Tracked post"), Handling: lost.Set(int64(500)), TaxRate: lost.Set(20.0),
				TaxID: lost.Set("GB000000000"), Tracking: lost.Set("https://post.example/track/{number}"),
			}),
			Reminders: lost.Set(lost.ReminderSchedulePatch{
				AfterNotice: lost.Set([]int{2, 5, 10}), BeforeStoreUntil: lost.Set([]int{7, 2}),
			}),
		},
		sign: "plane", colour: "teal", known: 0.36, share: 36, open: [2]int{6, 21},
		where: []string{
			"Security, lane 2", "Security, lane 4", "Security, lane 5, tray", "Gate 3", "Gate 7",
			"Gate 12, seating", "Gate 14", "Baggage claim, belt 2", "Baggage claim, belt 4",
			"Check-in, desks 20 to 28", "Arrivals hall", "Café by gate 9", "Flight FA 214, row 17",
			"Flight FA 388, row 4", "Flight FA 631, overhead bin", "Prayer room", "Bus to the long-stay car park",
			"Passport control",
		},
		shelf: []string{
			"", "", "Store room 1, bay 3", "Store room 1, bay 7", "Store room 2, rack 1", "Store room 2, rack 4",
			"Electronics cage", "Safe", "Oversize area",
		},
	}
}

// zoo returns a zoo in Dublin, where many toys are found.
func zoo() locationSpec {
	return locationSpec{
		patch: lost.LocationPatch{
			Name: lost.Set("Willow Park Zoo"), Type: lost.Set("zoo"),
			Website: lost.Set("https://willowpark.example"),
			Description: lost.Set("Four hundred animals, one lost-and-found box at the main gate. We take extra " +
				"care of soft toys."),
			Address1: lost.Set("7 Willow Lane"), City: lost.Set("Dublin"), ZipCode: lost.Set("D08 XY12"),
			Country: lost.Set("IE"), TimeZone: lost.Set("Europe/Dublin"), Language: lost.Set("en"),
			StorageDuration: lost.Set(30), StoragePlace: lost.Set("Main gate, box 1"),
			Charity: lost.Set("Liffey Children's Trust"),
			Contact: lost.Set(lost.ContactPatch{
				Name: lost.Set("Niamh Byrne"), Email: lost.Set("gate@willowpark.example"),
				Phone: lost.Set("+353 20 910 0147"),
			}),
			Pickup: lost.Set(lost.PickupPatch{From: lost.Set("09:30"), To: lost.Set("17:00")}),
			Shipping: lost.Set(lost.ShippingRulesPatch{
				Handling: lost.Set(int64(200)), TaxRate: lost.Set(23.0), TaxID: lost.Set("IE0000000A"),
			}),
		},
		sign: "paw", colour: "green", known: 0.3, share: 22, open: [2]int{9, 17},
		where: []string{
			"Giraffe house", "Sea lion pool, second row", "Playground", "Playground, sand pit", "Otter path",
			"Penguin terrace", "Picnic lawn", "Train stop Savanna", "Café Willow", "Petting farm", "Butterfly hall",
			"Toilets by the aviary", "Main gate, pram park",
		},
		shelf: []string{"", "", "Main gate, box 2", "Main gate, box 4", "Office, top shelf", "Office, drawer"},
	}
}

// build creates a location with its logo.
func (s locationSpec) build(ctx context.Context, d *services.Services, by lost.Actor) (*place, error) {
	l, err := d.Locations.Create(ctx, by, s.patch, lost.IdempotencyKey{})
	if err != nil {
		return nil, err
	}
	logo, err := picture.Logo(s.sign, s.colour)
	if err != nil {
		return nil, err
	}
	l, err = d.Locations.UploadLogo(ctx, by, l.ID, bytes.NewReader(logo), lost.IdempotencyKey{})
	return &place{Location: l, setting: s}, err
}
