package lost_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"homeward/internal/lost"
)

func anyCountry() *rapid.Generator[string] { return rapid.SampledFrom(lost.Countries()) }

// anyLoad returns a random parcel with this weight.
func anyLoad(t *rapid.T, grams int64) lost.ParcelSize {
	return lost.ParcelSize{
		Grams: grams, Box: rapid.SampledFrom(append(lost.BoxTypes(), "")).Draw(t, "box"),
		Document: rapid.Bool().Draw(t, "document"),
	}
}

func TestPriceNeverFallsWithMoreWeight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := lost.DefaultShippingRules(anyCountry().Draw(t, "from"))
		zone := rapid.SampledFrom([]lost.Zone{rules.Domestic, rules.Neighbour, rules.World}).Draw(t, "zone")
		light := anyLoad(t, rapid.Int64Range(1, 40_000).Draw(t, "grams"))
		heavy := light
		heavy.Grams += rapid.Int64Range(0, 40_000).Draw(t, "more")
		less, lightShips := zone.Price(light)
		more, heavyShips := zone.Price(heavy)
		switch {
		case heavyShips && !lightShips:
			t.Fatalf("%+v can be shipped, but %+v cannot", heavy, light)
		case heavyShips && more < less:
			t.Fatalf("%+v costs %d, but the lighter %+v costs %d", heavy, more, light, less)
		case lightShips && (less <= 0 || less > lost.MaxAmount):
			t.Fatalf("%+v costs %d", light, less)
		}
	})
}

func TestADocumentNeverCostsMoreThanAParcelOfItsWeight(t *testing.T) {
	for _, from := range lost.Countries() {
		rules := lost.DefaultShippingRules(from)
		for _, zone := range []lost.Zone{rules.Domestic, rules.Neighbour, rules.World} {
			for _, grams := range []int64{1, 20, 500, 1000, 1001, 2000, 2001, 5000, 31_500} {
				for _, box := range append(lost.BoxTypes(), "") {
					document, documentShips := zone.Price(lost.ParcelSize{Grams: grams, Box: box, Document: true})
					parcel, parcelShips := zone.Price(lost.ParcelSize{Grams: grams, Box: box})
					if parcelShips && !documentShips || parcelShips && document > parcel {
						t.Fatalf("from %s, %d g in %q: a document costs %d, a parcel %d", from, grams, box, document,
							parcel)
					}
				}
			}
		}
	}
}

func TestEveryPairOfCountriesHasAZone(t *testing.T) {
	countries := lost.Countries()
	for n, from := range countries {
		rules := lost.DefaultShippingRules(from)
		home, near, far := firstPrice(rules.Domestic), firstPrice(rules.Neighbour), firstPrice(rules.World)
		if home <= 0 || home >= near || near >= far {
			t.Errorf("from %s: got prices %d domestic, %d neighbour, %d world; want ascending", from, home, near, far)
		}
		for _, to := range countries[n:] {
			if got := firstPrice(rules.Zone(from, to)); (got == home) != (from == to) || got != home &&
				got != near && got != far {
				t.Fatalf("from %s to %s costs %d", from, to, got)
			}
		}
	}
}

func TestPricesAreTheSameInBothDirections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from, to := anyCountry().Draw(t, "from"), anyCountry().Draw(t, "to")
		rules := lost.DefaultShippingRules("DE")
		if there, back := firstPrice(rules.Zone(from, to)), firstPrice(rules.Zone(to, from)); there != back {
			t.Fatalf("from %s to %s costs %d, in the other direction %d", from, to, there, back)
		}
	})
}

func firstPrice(z lost.Zone) int64 {
	if len(z.Prices) == 0 {
		return 0
	}
	return z.Prices[0].Price
}

// unitGrams maps each unit to its definition in grams.
var unitGrams = map[lost.WeightUnit]float64{
	lost.Pound: 453.59237, lost.Kilogram: 1000, lost.Ounce: 453.59237 / 16, lost.Gram: 1,
}

func TestAWeightCostsTheSameInEveryUnit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grams := rapid.Int64Range(1, 31_000).Draw(t, "grams")
		zone := lost.DefaultShippingRules("DE").Zone("DE", anyCountry().Draw(t, "to"))
		for _, unit := range lost.WeightUnits() {
			weight := float64(grams) / unitGrams[unit]
			item := lost.Item{Shipping: lost.Shipping{Weight: &weight, WeightUnit: unit}}
			load, known := item.Shipping.ParcelSize()
			if !known || load.Grams < grams || load.Grams > grams+1 {
				t.Fatalf("%d g as %v %s: got %d g", grams, weight, unit, load.Grams)
			}
			// One gram more may be in the next price band.
			want, _ := zone.Price(lost.ParcelSize{Grams: grams})
			above, _ := zone.Price(lost.ParcelSize{Grams: grams + 1})
			if got, documentShips := zone.Price(load); !documentShips || got != want && got != above {
				t.Fatalf("%d g as %v %s: got price %d, want %d", grams, weight, unit, got, want)
			}
		}
	})
}

func TestTaxInIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.OneOf(rapid.Int64Range(-10, 10_000), rapid.Int64Range(0, lost.MaxAmount),
			rapid.Int64Range(math.MaxInt64/2, math.MaxInt64)).Draw(t, "amount")
		rate := rapid.IntRange(-1, 10_000).Draw(t, "rate")
		tax := lost.TaxIn(amount, rate)
		if amount <= 0 || rate <= 0 {
			if tax != 0 {
				t.Fatalf("TaxIn(%d, %d) = %d", amount, rate, tax)
			}
			return
		}
		net := amount - tax
		if tax < 0 || tax > amount || net+tax != amount {
			t.Fatalf("TaxIn(%d, %d) = %d", amount, rate, tax)
		}
		if want := taxOf(amount, rate); want.Cmp(big.NewInt(tax)) != 0 {
			t.Fatalf("TaxIn(%d, %d) = %d, want %s", amount, rate, tax, want)
		}
	})
}

// taxOf returns amount·rate/(100 %+rate), rounded half up, with arbitrary precision.
func taxOf(amount int64, rate int) *big.Int {
	exact := new(big.Rat).Mul(new(big.Rat).SetInt64(amount), big.NewRat(int64(rate), 10_000+int64(rate)))
	exact.Add(exact, big.NewRat(1, 2))
	return new(big.Int).Div(exact.Num(), exact.Denom())
}

func TestATotalIsTheSumOfItsLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := lost.Price{
			Postage:  rapid.Int64Range(0, lost.MaxAmount).Draw(t, "postage"),
			Handling: rapid.Int64Range(0, lost.MaxAmount).Draw(t, "handling"), Currency: "EUR",
		}
		if p.Total()-p.Handling != p.Postage || p.Total() < p.Postage {
			t.Fatalf("total of %+v is %d", p, p.Total())
		}
	})
}
