package frame

import (
	"homeward/internal/lost"
	"homeward/internal/lost/category"
)

// CategoryIcon returns the path of the icon for a category, on a grid of 24 by 24 and for lines of 1.5. The drawing for
// an item without a photo is the same, larger. It is empty for an unknown category.
func CategoryIcon(c lost.Category) string { return categoryIcons[c] }

// ShownCategory returns the category for the drawing of an item: the chosen one or else the suggested one.
func ShownCategory(i lost.Item) lost.Category {
	if i.Category != "" {
		return i.Category
	}
	if c := category.SuggestFor(i); c != "" {
		return c
	}
	return lost.OtherCategory
}

// categoryIcons are drawn for this project. Each shows one thing from its most familiar side.
var categoryIcons = map[lost.Category]string{
	lost.PhoneCategory: "M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM10.5 5.5h3M11 18.5h2",
	lost.LaptopCategory: "M5 15V6.5a1 1 0 0 1 1-1h12a1 1 0 0 1 1 1V15zM5 15l-2.5 3.5h19L19 15M10.5 18.5" +
		"l.5-1.2h2l.5 1.2",
	lost.TabletCategory: "M6 3h12a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM5 17.5h14" +
		"M11.5 19.3h1",
	lost.HeadphonesCategory: "M4 15.5V13a8 8 0 0 1 16 0v2.5M4 14.5h3v6H5.5A1.5 1.5 0 0 1 4 19z" +
		"M20 14.5h-3v6h1.5A1.5 1.5 0 0 0 20 19z",
	lost.ChargerCategory: "M9 3v5M15 3v5M6.5 8h11v3a5.5 5.5 0 0 1-11 0zM12 16.5V19a2 2 0 0 0 2 2h4",
	lost.CameraCategory: "M3.5 8h4L9 5h6l1.5 3h4v11h-17zM12 16.7a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z" +
		"M18 10.5h.01",
	lost.ElectronicsCategory: "M7 7h10v10H7zM10 7V4M14 7V4M10 20v-3M14 20v-3M7 10H4M7 14H4M20 10h-3M20 14h-3" +
		"M10.5 10.5h3v3h-3z",
	lost.WalletCategory: "M4 7.5h14.5A1.5 1.5 0 0 1 20 9v9a1.5 1.5 0 0 1-1.5 1.5h-13" +
		"A1.5 1.5 0 0 1 4 18zM4 7.5A2.5 2.5 0 0 1 6.5 5H17v2.5M20 11.5h-4a2 2 0 0 0 0 4h4M16.2 13.5h.01",
	lost.KeysCategory: "M8 12a4.3 4.3 0 1 0 0-8.6A4.3 4.3 0 0 0 8 12zM11 10.8L20 20M16.5 16.5" +
		"l2.2-2.2M13.7 13.6l2-2M7.3 7.2h.01",
	lost.CardCategory: "M4.5 5.5h15a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1h-15a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1z" +
		"M3.5 9h17M3.5 11h17M6.5 15h4M16 15h1.5",
	lost.DocumentCategory: "M6 3h8.5L18 6.5V21H6zM14.5 3v3.5H18M9 11h6M9 14h6M9 17h4",
	lost.PassportCategory: "M7 3h10a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM12 13.5" +
		"a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM8.5 10h7M12 6.5c-1.8 2.2-1.8 4.8 0 7 1.8-2.2 1.8-4.8 0-7" +
		"M9.5 17h5",
	lost.MoneyCategory: "M2.5 6.5h16v9.5h-16zM10.5 13.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6z" +
		"M5 9v.01M16 13.5v.01M5.5 19h16V9.5",
	lost.JewelleryCategory: "M12 21a6 6 0 1 0 0-12 6 6 0 0 0 0 12zM9.5 3h5L17 5.8 12 9 7 5.8zM7 5.8h10",
	lost.WatchCategory: "M12 17a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM9 8l.5-5h5l.5 5M9 16l.5 5h5l.5-5M12 9.7V12" +
		"l1.5 1",
	lost.GlassesCategory: "M6.7 17a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM17.3 17a3.5 3.5 0 1 0 0-7 3.5 3.5 0" +
		" 0 0 0 7zM10.2 13c.9-1.2 2.7-1.2 3.6 0M3.2 13L5 6.5h1.5M20.8 13L19 6.5h-1.5",
	lost.ClothingCategory: "M9 4c.9 2.2 5.1 2.2 6 0l5.5 2.8-2 5L16 11v9H8v-9l-2.5.8-2-5z",
	lost.ShoesCategory: "M3.5 7v10.5h17V15c0-2.2-2.7-2.5-4.7-3.4-2-1-3.3-3-4.3-4.6-1 1.2-2.5 2-4 2S4.5 8" +
		" 3.5 7zM3.5 14.7h17M10.7 11l2-1.3M13 12.9l1.7-1.5",
	lost.HatCategory: "M7 14.5L8 8a2.5 2.5 0 0 1 3-2c.7.2 1.3.2 2 0a2.5 2.5 0 0 1 3 2l1 6.5M7.4 12h9.2" +
		"M3 13.5c0 2.5 4 4.5 9 4.5s9-2 9-4.5c-1.3 0-2.5 1-4 1H7c-1.5 0-2.7-1-4-1z",
	lost.ScarfCategory: "M6.5 6c0-1.5 2.4-2.5 5.5-2.5s5.5 1 5.5 2.5v2.5c0 1.5-2.4 2.5-5.5 2.5S6.5 10 6.5" +
		" 8.5zM6.5 6c0 1.4 2.4 2.3 5.5 2.3S17.5 7.4 17.5 6M8 10.3V21h5V11M9.7 21v-2.5M11.3 21v-2.5" +
		"M8 16h5M13 12.5l3.5 6 2-1.2-3-7",
	lost.GlovesCategory: "M7.5 20.5v-4C6 14.5 5.5 12 5.5 9a4 4 0 0 1 8-.5V11l1.7-2.3a1.9 1.9 0 0 1 3.1 2.2" +
		"L14.5 16.5v4zM7.5 17h7",
	lost.BagCategory: "M6.5 11.5a5.5 5.5 0 0 1 11 0V20a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1zM9.5 6.5v-2A1.5 1.5 0 0" +
		" 1 11 3h2a1.5 1.5 0 0 1 1.5 1.5v2M9 21v-6h6v6M9.5 11h5M6.5 13H5a.5.5 0 0 0-.5.5V18h2M17.5 13H19" +
		"a.5.5 0 0 1 .5.5V18h-2",
	lost.SuitcaseCategory: "M5 7.5h14a1 1 0 0 1 1 1V18a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V8.5a1 1 0 0 1 1-1zM9 7.5V5" +
		"a1.5 1.5 0 0 1 1.5-1.5h3A1.5 1.5 0 0 1 15 5v2.5M8 7.5V19M16 7.5V19M7 19v2M17 19v2",
	lost.UmbrellaCategory: "M3.5 12.5a8.5 8.5 0 0 1 17 0c-1.4-1.4-2.9-1.4-4.2 0-1.4-1.4-2.9-1.4-4.3 0" +
		"-1.4-1.4-2.9-1.4-4.3 0-1.3-1.4-2.8-1.4-4.2 0zM12 4V2.5M12 12.5V19a1.7 1.7 0 0 0 3.4 0",
	lost.ToyCategory: "M12 14a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM7.5 6.7a2 2 0 1 1 2.3-2.2M16.5 6.7a2 2 0 1 0-2.3" +
		"-2.2M10.2 8.2h.01M13.8 8.2h.01M10.9 11c.7.7 1.5.7 2.2 0M8.3 12.5C5.7 14.5 5.2 18 6.5 20.5" +
		"h11c1.3-2.5.8-6-1.8-8",
	lost.BookCategory: "M12 7c-2-1.3-5-1.7-8-1.3v12.5c3-.4 6 0 8 1.3 2-1.3 5-1.7 8-1.3V5.7c-3-.4-6 0-8 1.3z" +
		"M12 7v12.5",
	lost.MedicalCategory: "M9.5 4h5v5.5H20v5h-5.5V20h-5v-5.5H4v-5h5.5z",
	lost.CosmeticsCategory: "M5.5 12.5h6V21h-6zM6.5 12.5V9h4v3.5M6.5 9V6l4-2.5V9M14.5 21V10.5h5V21zM15.5 10.5" +
		"V8h3v2.5M14.5 14h5",
	lost.BottleCategory: "M10 3h4v3.5l2 3V20a1 1 0 0 1-1 1H9a1 1 0 0 1-1-1V9.5l2-3zM10 5h4M8 12h8M8 17h8",
	lost.SportCategory: "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM12 8.5l3.5 2.5-1.3 4h-4.4l-1.3-4z" +
		"M12 8.5v-5M15.5 11l4.7-1.5M14.2 15l2.9 3.9M9.8 15l-2.9 3.9M8.5 11L3.8 9.5",
	lost.BicycleCategory: "M5.7 18.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM18.3 18.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0" +
		" 0 0 0 7zM5.7 15l3-6h6.5l3.1 6M8.7 9l3.3 6H5.7M12 15l3.2-6L14.2 6h2.5M7.2 6.5h3M8 6.5L8.7 9",
	lost.InstrumentCategory: "M9 17V5l10-2v12M6.5 19.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM16.5 17.5a2.5 2.5 0" +
		" 1 0 0-5 2.5 2.5 0 0 0 0 5zM9 8.5l10-2",
	lost.ToolCategory: "M4.5 9.5c.8-3.2 2.7-5 6-5H19v5h-8.5c-2-.9-4-.9-6 0zM11.5 9.5h4V20a1 1 0 0 1-1 1h-2" +
		"a1 1 0 0 1-1-1z",
	lost.FoodCategory:  "M6.5 3v5a2.5 2.5 0 0 0 5 0V3M9 3v18M17 21v-7.5h-2.5V8.5C14.5 5.5 15.5 3.8 17 3z",
	lost.OtherCategory: "M4.5 8L12 4l7.5 4v8.5L12 20.5l-7.5-4zM4.5 8L12 12l7.5-4M12 12v8.5",
}
