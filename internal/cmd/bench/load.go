package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// Search terms. They also occur in the second location, so that a search that ignores the location is noticeably
// slower.
const (
	rareTerm    = "theodolite" // occurs in rareItems items of each location
	commonTerm  = "leather"    // occurs in about 60 % of the items
	missingTerm = "zeppelin"   // occurs in no item
	rareItems   = 10

	commonShare    = 0.6
	otherItems     = 3000 // in the second location
	loadPerWrite   = 100
	itemsYearsBack = 2
)

// Words used to describe lost items.
var (
	things = []string{"umbrella", "wallet", "backpack", "handbag", "suitcase", "jacket", "scarf", "glove", "phone",
		"laptop",
		"charger", "headphones", "watch", "bracelet", "ring", "book", "passport", "keys", "glasses", "teddy bear",
		"camera", "hat",
		"coat", "shoe", "toilet bag", "tablet", "e-reader", "violin case", "walking stick", "water bottle"}
	details = []string{"with a broken zip", "in its case", "with initials on the inside", "with a red ribbon",
		"slightly worn",
		"nearly new", "with a whale sticker", "left under the bed", "found in the wardrobe", "with a key ring",
		"wrapped in paper",
		"with two compartments", "handed in by a guest", "with a name tag", "with a small stain"}
	parts  = []string{"leather strap", "leather handle", "leather case", "leather trim"}
	other  = []string{"canvas strap", "metal clasp", "wooden handle", "plastic case", "nylon cover"}
	colors = []string{"black", "brown", "navy blue", "red", "green", "grey", "white", "beige", "yellow", "silver"}
	brands = []string{
		"Knirps", "Samsonite", "Rimowa", "Apple", "Samsung", "Sony", "Fjällräven", "Eastpak", "Casio", "Fossil", "Tumi",
		"Bose", "Lego", "Steiff", "",
	}
	places = []string{
		"Room", "Breakfast hall, table", "Locker", "Meeting room", "Sauna, bench", "Garage, space", "Lift",
		"Terrace, table",
	}
	firsts = []string{
		"Anna", "Jonas", "Maria", "Paul", "Zoë", "Ahmed", "Yuki", "Carlos", "Élodie", "Piotr", "Ingrid", "Tom", "Aylin",
		"Søren", "Lucia", "Noah",
	}
	lasts = []string{
		"Kowalska", "Petersen", "García", "Müller", "Tanaka", "Dubois", "Novák", "Smith", "Öztürk", "Rossi", "Jensen",
		"Nguyen", "Okafor", "Silva",
	}
)

func pick(r *rand.Rand, words []string) string { return words[r.IntN(len(words))] }

// describe returns a random item. The same seed always produces the same items.
func describe(r *rand.Rand, rare bool) lost.ItemPatch {
	part := pick(r, other)
	if r.Float64() < commonShare {
		part = pick(r, parts)
	}
	color, thing := pick(r, colors), pick(r, things)
	text := fmt.Sprintf("%s %s with %s, %s", strings.ToUpper(color[:1])+color[1:], thing, part, pick(r, details))
	if rare {
		text += ", next to a " + rareTerm
	}
	first, last := pick(r, firsts), pick(r, lasts)
	p := lost.ItemPatch{
		Description: lost.Set(text), Color: lost.Set(color), Brand: lost.Set(pick(r, brands)),
		Model:          lost.Set(fmt.Sprintf("%c.%d", 'A'+r.IntN(26), r.IntN(900))),
		DiscoveryPlace: lost.Set(fmt.Sprintf("%s %d", pick(r, places), 1+r.IntN(600))),
		DiscoveryDate:  lost.Set(fmt.Sprintf("2026-%02d-%02d", 1+r.IntN(10), 1+r.IntN(28))),
		StoragePlace:   lost.Set(fmt.Sprintf("Shelf %c, box %d", 'A'+r.IntN(8), 1+r.IntN(40))),
	}
	if r.IntN(2) == 0 {
		p.Owner = lost.Set(lost.OwnerPatch{
			FirstName: lost.Set(first), LastName: lost.Set(last),
			Phone: lost.Set(fmt.Sprintf("+4930%07d", r.IntN(1e7))),
			Email: lost.Set(fmt.Sprintf("guest%d@example.com", r.IntN(1e6))),
		})
		p.Shipping = lost.Set(lost.ShippingPatch{
			Weight: lost.Set(float64(1+r.IntN(90)) / 10), BoxType: lost.Set("shoe"),
		})
	}
	return p
}

// loader fills a database through package store, with many items in each transaction.
type loader struct {
	db    *store.DB
	actor lost.Actor
	r     *rand.Rand
	// references holds the references in use, to avoid duplicates. A duplicate would repeat a transaction with
	// hundreds of items.
	references map[string]bool
	// vary changes a new item to a later state; may be nil.
	vary func(*rand.Rand, *lost.Item)
}

// location creates a location with items, and returns its ID and the IDs of the items.
func (l *loader) location(ctx context.Context, name string, items int) (id string, ids []string, err error) {
	var at lost.Location
	err = l.db.Write(ctx, func(tx *store.Tx) error {
		at, err = lost.NewLocation(l.actor.Account,
			lost.LocationPatch{
				Name: lost.Set(name), StorageDuration: lost.Set(90), TimeZone: lost.Set("Europe/Berlin"),
			}, tx.Now())
		if err != nil {
			return err
		}
		at.Permalink = strings.ToLower(name)
		return tx.InsertLocation(at)
	})
	rare := map[int]bool{}
	for len(rare) < rareItems {
		rare[l.r.IntN(items)] = true
	}
	begin := time.Now().AddDate(-itemsYearsBack, 0, 0)
	step := time.Since(begin) / time.Duration(items)
	for from := 0; from < items && err == nil; from += loadPerWrite {
		var batch []lost.Item
		for n := from; n < min(items, from+loadPerWrite) && err == nil; n++ {
			var i lost.Item
			i, err = l.item(at, rare[n], begin.Add(time.Duration(n)*step))
			batch, ids = append(batch, i), append(ids, i.ID)
		}
		if err == nil {
			err = l.write(ctx, batch)
		}
	}
	return at.ID, ids, err
}

func (l *loader) item(at lost.Location, rare bool, found time.Time) (lost.Item, error) {
	found = found.UTC().Truncate(time.Microsecond)
	i, err := lost.NewItem(at.Account, at.ID, describe(l.r, rare), found)
	for l.references[i.Reference] {
		i.Reference = lost.NewReference()
	}
	l.references[i.Reference] = true
	if l.vary != nil {
		l.vary(l.r, &i)
	}
	return i, err
}

func (l *loader) write(ctx context.Context, items []lost.Item) error {
	return l.db.Write(ctx, func(tx *store.Tx) error {
		for _, i := range items {
			if err := tx.InsertItem(i); err != nil {
				return err
			}
			if err := tx.AddHistory(i, lost.NewEntry(l.actor, lost.Created, i.CreatedAt)); err != nil {
				return err
			}
			if i.Status == lost.Pending {
				continue
			}
			moved := lost.NewEntry(l.actor, lost.Moved, i.MovedAt)
			moved.From, moved.To = lost.Pending, i.Status
			if err := tx.AddHistory(i, moved); err != nil {
				return err
			}
		}
		return nil
	})
}
