package demo

import "homeward/internal/lost"

// categoryOf returns the category of a kind of item, which is named after its drawing.
func categoryOf(k kind) lost.Category {
	categories := map[string]lost.Category{
		"folding umbrella": lost.UmbrellaCategory, "tablet": lost.TabletCategory,
		"earbuds": lost.HeadphonesCategory, "cable": lost.ChargerCategory,
		"sunglasses": lost.GlassesCategory, "ring": lost.JewelleryCategory, "necklace": lost.JewelleryCategory,
		"backpack": lost.BagCategory, "handbag": lost.BagCategory, "beanie": lost.HatCategory,
		"cap": lost.HatCategory, "jacket": lost.ClothingCategory, "shoe": lost.ShoesCategory,
		"teddy": lost.ToyCategory, "plush rabbit": lost.ToyCategory, "toy car": lost.ToyCategory,
	}
	if c, found := categories[k.thing]; found {
		return c
	}
	return lost.Category(k.thing)
}
