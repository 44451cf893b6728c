package finds_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

func TestACategoryIsSuggestedWhileADescriptionIsTyped(t *testing.T) {
	h := testkit.NewServer(t)
	h.NewLocation("Hotel Adler")
	v := h.LogIn()
	for _, c := range []struct {
		values             url.Values
		category, contains string
	}{
		{url.Values{"description": {"schwarzer Regenschirm"}}, "umbrella", "Category: Umbrella · change"},
		{url.Values{"description": {"blue"}, "brand": {"Apple"}, "model": {"iPhone 13"}}, "phone", "Phone"},
		{url.Values{"description": {"something blue"}}, "", ""},
		{url.Values{"description": {strings.Repeat("x ", 2_000)}}, "", ""},
	} {
		a := v.Post("/category", c.values)
		var got struct{ Category, Text, Icon string }
		if a.Code != http.StatusOK {
			t.Errorf("%.40s: got status %d", c.values.Get("description"), a.Code)
			continue
		}
		if err := json.Unmarshal([]byte(a.Body), &got); err != nil || got.Category != c.category ||
			!strings.Contains(got.Text, c.contains) || (got.Icon == "") != (c.category == "") {
			t.Errorf("%.40s: got %s (%v), want category %q", c.values.Get("description"), a.Body, err, c.category)
		}
	}
}

func TestASuggestedCategoryIsChangedWithOneTap(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true}} {
		t.Run(o.String(), func(t *testing.T) {
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/find")
			v.Fill("What is it?", "Black brolly with a wooden handle")
			v.See("Category: Umbrella · change")
			v.Screenshot("suggested-category")
			stafftest.ExpectNoOverflow(t, v)
			v.CheckAccessibility()
			v.Fill("What is it?", "Black wallet with cards") // the suggestion follows what is typed
			v.See("Category: Wallet or purse · change")
			v.Follow("Save")
			v.See("Write this on the tag")
			if i := stafftest.NewestItem(h, l); i.Category != lost.WalletCategory {
				t.Errorf("got category %q, want the suggested one", i.Category)
			}

			v.Visit(at + "/at/" + l.ID + "/find")
			v.Fill("What is it?", "Black wallet")
			v.See("Category: Wallet or purse · change")
			v.Click("Category: Wallet or purse · change")
			if f := v.Focused(); !strings.Contains(f, "category") {
				t.Errorf("got focus on %s, want the list of categories", f)
			}
			v.Press("Escape")
			v.Choose("Category", "Bag or backpack")
			v.SeeNot("Category: Wallet or purse · change")
			v.Fill("What is it?", "Umbrella") // a chosen category is not replaced
			v.Follow("Save")
			v.See("Write this on the tag")
			if i := stafftest.NewestItem(h, l); i.Category != lost.BagCategory {
				t.Errorf("got category %q, want the chosen one", i.Category)
			}
			v.Visit(at + stafftest.ItemsPath(l))
			v.Screenshot("placeholders")
		})
	}
}

func TestACategoryIsChosenWithoutScripts(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	v := browsertest.New(t, browsertest.Options{Phone: true, NoScript: true})
	stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/find")
	v.Fill("What is it?", "Black thing")
	v.Choose("Category", "Wallet or purse")
	v.Follow("Save")
	v.See("Write this on the tag")
	if i := stafftest.NewestItem(h, l); i.Category != lost.WalletCategory {
		t.Errorf("got category %q, want the chosen one", i.Category)
	}
}
