package staff_test

import (
	"net/url"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
)

// nameOrders has names in the order of each language.
var nameOrders = map[string][]string{
	"de": {"Arm", "Ärmel", "Asche", "Ölmühle", "Straße", "Zoo"},
	"pl": {"Lublin", "Lwów", "Łódź", "Mława", "Źródło", "Żary"},
	"ja": {"アネックス", "かっこう", "がっこう", "さくら", "ラーメン", "ラウンジ"},
}

// expectOrder fails the test unless a text contains names after a mark in this order.
func expectOrder(t *testing.T, body, mark string, names ...string) {
	t.Helper()
	_, rest, found := strings.Cut(body, mark)
	if !found {
		t.Errorf("the page has no %s", mark)
	}
	for _, name := range names {
		if _, rest, found = strings.Cut(rest, name); !found {
			t.Errorf("%s is not where it belongs in %s after %s", name, strings.Join(names, ", "), mark)
			return
		}
	}
}

func TestListsHaveTheOrderOfTheUsersLanguage(t *testing.T) {
	for tag, names := range nameOrders {
		t.Run(tag, func(t *testing.T) {
			testkit.Each(t, func(t *testing.T, h *testkit.Server) {
				var l lost.Location
				for n := range names {
					name := names[(n*5+3)%len(names)] // in another order than they are sorted
					l = h.NewLocation(name)
					testkit.Must(h.Services.Accounts.CreateMember(t.Context(), h.Owner.Account, lost.Membership{
						Email: string(rune('a'+n)) + "@homeward.example", Name: name, Role: lost.ViewerRole,
					}, testkit.Password))
				}
				v := h.LogIn()
				v.Post("/language", url.Values{"language": {tag}})
				find := v.Get("/at/" + l.ID + "/find").Body
				expectOrder(t, find, `name="location"`, names...)
				expectOrder(t, v.Get("/").Body, `name="location"`, names...)
				expectOrder(t, v.Get("/settings/team").Body, "<tbody", names...)
				expectOrder(t, v.Get("/settings/audit").Body, `name="who"`, names...)
				expectOrder(t, v.Get("/at/all/reports").Body, "<main", names...)
				expectOrder(t, v.Get("/locations").Body, "<main", names...)
				for n := range names {
					h.NewItem(l, "Hat", func(p *lost.ItemPatch) {
						p.StoragePlace = lost.Set(names[(n*5+3)%len(names)])
					})
				}
				for _, page := range []string{"/places", "/scan?mode=move"} {
					expectOrder(t, v.Get("/at/"+l.ID+page).Body, "<main", names...)
				}
			})
		})
	}
}

func TestCategoriesHaveTheOrderOfTheUsersLanguage(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	v := h.LogIn()
	for tag, names := range map[string][]string{
		"de": {"Handy", "Kamera", "Kopfhörer", "Ladegerät", "Tablet", "Andere Elektronik"},
		"ja": {"イヤホン", "カメラ", "タブレット", "ノートパソコン", "携帯電話", "充電器", "その他の電子機器"},
	} {
		v.Post("/language", url.Values{"language": {tag}})
		expectOrder(t, v.Get("/at/"+l.ID+"/find").Body, `name="category"`, names...)
	}
	expectOrder(t, h.NewVisitor().Get("/l/"+l.Permalink+"?lang=de").Body, `name="category"`, "Armbanduhr",
		"Buch", "Fahrrad", "Medikament", "Mütze", "Schlüssel", "Schmuck", "Andere Elektronik", "Sonstiges")
}
