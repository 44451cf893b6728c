package finds_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"homeward/internal/testkit"
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
