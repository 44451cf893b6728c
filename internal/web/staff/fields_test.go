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
	"homeward/internal/lost/fieldtest"
	"homeward/internal/testkit"
	"homeward/internal/web/staff/stafftest"
)

// editedElsewhere lists fields that have no input in the form to edit an item.
var editedElsewhere = []string{
	"imageUrl",               // photos are uploaded; only API clients set the URL of a picture on another site
	"externalId", "metadata", // of API clients
}

// notInFindForm lists fields that have no input in the form to record a found item. They can be edited later.
var notInFindForm = []string{
	"imageUrl", "shipping.isDocument", "shipping.notShippedBecause", "language", "hold", "keepUntil",
	"externalId", "metadata",
}

// locationEditedElsewhere lists fields that have no input in the settings forms of a location.
var locationEditedElsewhere = []string{
	"logoUrl",                // a logo is uploaded on the tab "Public page"
	"externalId", "metadata", // of API clients
}

var inputName = regexp.MustCompile(`<(?:input|textarea|select)[^>]* name="([^"]+)"`)

// inputNames returns the names of the inputs on a page.
func inputNames(t *testing.T, a testkit.Response) []string {
	t.Helper()
	if a.Code != http.StatusOK {
		t.Fatalf("got status %d, want 200", a.Code)
	}
	var names []string
	for _, found := range inputName.FindAllStringSubmatch(a.Body, -1) {
		names = append(names, found[1])
	}
	return names
}

// pathsOn returns the words that follow a prefix in the links on a page, without duplicates.
func pathsOn(a testkit.Response, prefix string) []string {
	var paths []string
	for _, found := range regexp.MustCompile(regexp.QuoteMeta(prefix)+`([a-z]+)`).FindAllStringSubmatch(a.Body, -1) {
		paths = append(paths, found[1])
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// expectInputs reports a failure for each field that has no input, neither for the field itself nor for a part of it.
// exceptions lists fields that must not have an input.
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
			t.Errorf("the exception %s of %s is not a field", name, form)
		}
	}
}

// expectListed reports a failure for each field of a record that is missing from the record's list of fields. Forms
// contain only listed fields.
func expectListed[R, P any](t *testing.T, leaves []fieldtest.Leaf[R, P]) {
	t.Helper()
	for _, leaf := range leaves {
		if leaf.Field == nil {
			t.Errorf("%T.%s is not in the list of fields, so the dashboard cannot edit it", *new(R), leaf.Path)
		}
	}
}

// freeTexts adds a value for each free-text field to others and returns it.
func freeTexts[R, P any](fields []lost.RecordField[R, P], others url.Values) url.Values {
	for n := range fields {
		if f := &fields[n]; f.Editable() && f.HasWords() {
			others.Set(f.Name, "Text of "+f.Name)
		}
	}
	return others
}

// expectTextsSaved reports a failure for each free-text field that has an input but whose value was not saved.
func expectTextsSaved[R, P any](t *testing.T, form string, fields []lost.RecordField[R, P], inputs []string, r R) {
	t.Helper()
	for n := range fields {
		f := &fields[n]
		if !f.Editable() || !f.HasWords() || !slices.Contains(inputs, f.Name) {
			continue
		}
		if got := *f.Text(&r); got != "Text of "+f.Name {
			t.Errorf("%s: field %s: got %q after saving", form, f.Name, got)
		}
	}
}

// A new field of lost.Item needs an input in the form. For a text that describes the item, add a line to
// frame.DetailFields.
func TestEveryEditableFieldOfAnItemHasAnInput(t *testing.T) {
	expectListed(t, fieldtest.ItemLeaves(new(lost.Item)))
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
			t.Fatalf("saving the group %s: got status %d, want 303", group, a.Code)
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
		t.Fatalf("got status %d for a found item, want 303", a.Code)
	}
	expectTextsSaved(t, "the form to record a find", lost.ItemFields(), inputs, stafftest.NewestItem(h, l))
}

func TestEveryEditableFieldOfALocationHasAnInput(t *testing.T) {
	expectListed(t, fieldtest.LocationLeaves(new(lost.Location)))
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
			t.Fatalf("saving %s: got status %d, want 303", part, a.Code)
		}
	}
	expectInputs(t, "the location's settings", inputs, lost.EditableLocationFields(), locationEditedElsewhere)
	now := testkit.Must(h.Services.Locations.Get(t.Context(), h.Actor, l.ID))
	expectTextsSaved(t, "the location's settings", lost.LocationFields(), inputs, now)
}
