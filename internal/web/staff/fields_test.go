package staff_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/staff/stafftest"
)

// Fields without an input in the form to edit an item.
var editedElsewhere = []string{
	"imageUrl", // photos are uploaded; the address of a picture elsewhere is set by client programs
}

// Fields without an input in the form to record a find. They are edited later.
var notInFindForm = []string{
	"imageUrl", "shipping.isDocument", "shipping.notShippedBecause", "language", "hold", "keepUntil",
}

// Fields without an input in the forms of a location.
var locationEditedElsewhere = []string{
	"logoUrl", // a logo is uploaded on the tab of the public page
}

var inputName = regexp.MustCompile(`<(?:input|textarea|select)[^>]* name="([^"]+)"`)

// inputNames lists the names of the inputs of a page.
func inputNames(t *testing.T, a testkit.Answer) []string {
	t.Helper()
	if a.Code != http.StatusOK {
		t.Fatalf("the page answered %d", a.Code)
	}
	var names []string
	for _, found := range inputName.FindAllStringSubmatch(a.Body, -1) {
		names = append(names, found[1])
	}
	return names
}

// pathsOn lists what follows a prefix in the links of a page, without duplicates.
func pathsOn(a testkit.Answer, prefix string) []string {
	var paths []string
	for _, found := range regexp.MustCompile(regexp.QuoteMeta(prefix)+`([a-z]+)`).FindAllStringSubmatch(a.Body, -1) {
		paths = append(paths, found[1])
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// expectInputs fails for each field that has neither an input of its name, or of a part of it, nor an exception.
func expectInputs(t *testing.T, form string, inputs, fields, exceptions []string) {
	t.Helper()
	for _, name := range fields {
		has := slices.ContainsFunc(inputs, func(input string) bool {
			return input == name || strings.HasPrefix(input, name+".")
		})
		switch excepted := slices.Contains(exceptions, name); {
		case !has && !excepted:
			t.Errorf("%s has no input for the field %s", form, name)
		case has && excepted:
			t.Errorf("%s has an input for the field %s, which is listed as an exception", form, name)
		}
	}
	for _, name := range exceptions {
		if !slices.Contains(fields, name) {
			t.Errorf("the exception %s of %s is no field", name, form)
		}
	}
}

// freeTexts returns a value for each field of free text, and for the others what a form needs.
func freeTexts[R, P any](fields []lost.RecordField[R, P], others url.Values) url.Values {
	for n := range fields {
		if f := &fields[n]; f.Editable() && f.HasWords() {
			others.Set(f.Name, "Text of "+f.Name)
		}
	}
	return others
}

// expectTextsSaved fails for each field of free text with an input whose value was not saved.
func expectTextsSaved[R, P any](t *testing.T, form string, fields []lost.RecordField[R, P], inputs []string, r R) {
	t.Helper()
	for n := range fields {
		f := &fields[n]
		if !f.Editable() || !f.HasWords() || !slices.Contains(inputs, f.Name) {
			continue
		}
		if got := *f.Text(&r); got != "Text of "+f.Name {
			t.Errorf("%s does not save the field %s: it is %q", form, f.Name, got)
		}
	}
}

// A new field of lost.Item needs an input here; a text that describes the item needs a line in frame.DetailFields.
func TestEveryEditableFieldOfAnItemHasAnInput(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	i := h.NewItem(l, "Hat")
	v, at := h.LogIn(), stafftest.ItemPath(l, i)
	var inputs []string
	groups := pathsOn(v.Get(at), "?edit=")
	for _, group := range groups {
		inputs = append(inputs, inputNames(t, v.Get(at+"?edit="+group))...)
	}
	expectInputs(t, "the form to edit an item", inputs, lost.EditableItemFields(), editedElsewhere)

	form := freeTexts(lost.ItemFields(), url.Values{})
	for _, group := range groups {
		now := testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, i.ID))
		form.Set("group", group)
		form.Set("seen", strconv.FormatInt(now.UpdatedAt.UnixMicro(), 10))
		if a := v.Post(at, form); a.Code != http.StatusSeeOther {
			t.Fatalf("saving the group %s answered %d", group, a.Code)
		}
	}
	now := testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, i.ID))
	expectTextsSaved(t, "the form to edit an item", lost.ItemFields(), inputs, now)
}

func TestEveryFieldOfAnItemIsInTheFormToRecordAFind(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	v, at := h.LogIn(), "/at/"+l.ID+"/find"
	inputs := inputNames(t, v.Get(at))
	expectInputs(t, "the form to record a find", inputs, lost.EditableItemFields(), notInFindForm)
	if a := v.Post(at, freeTexts(lost.ItemFields(), url.Values{})); a.Code != http.StatusSeeOther {
		t.Fatalf("recording a find answered %d", a.Code)
	}
	expectTextsSaved(t, "the form to record a find", lost.ItemFields(), inputs, stafftest.NewestItem(h, l))
}

func TestEveryEditableFieldOfALocationHasAnInput(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	v, at := h.LogIn(), "/locations/"+l.ID+"/"
	var inputs []string
	for _, part := range pathsOn(v.Get(at+"about"), at) {
		names := inputNames(t, v.Get(at+part))
		inputs = append(inputs, names...)
		form := freeTexts(lost.LocationFields(), url.Values{"type": {"hotel"}})
		if !slices.ContainsFunc(names, func(name string) bool { return form.Get(name) != "" }) {
			continue
		}
		if a := v.Post(at+part, form); a.Code != http.StatusSeeOther {
			t.Fatalf("saving %s answered %d", part, a.Code)
		}
	}
	expectInputs(t, "the location's settings", inputs, lost.EditableLocationFields(), locationEditedElsewhere)
	now := testkit.Must(h.Services.Locations.Get(t.Context(), h.Actor, l.ID))
	expectTextsSaved(t, "the location's settings", lost.LocationFields(), inputs, now)
}
