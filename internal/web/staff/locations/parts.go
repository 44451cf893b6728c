package locations

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// settingsPart is one page of a location's settings.
type settingsPart struct {
	path, name, lead string                         // name and lead are keys; lead may be empty
	show             func(lost.Location) url.Values // returns the current values of the form
	inputs           func(frame.Locale, url.Values) []*frame.Input
	patch            func(frame.Locale, url.Values) lost.LocationPatch // nil if the page has no fields to save
}

var locationParts = []settingsPart{
	{"about", "locations.about", "", showAbout, aboutInputs, aboutPatch},
	{
		"address", "locations.address", "locations.address.lead", showAddress, addressInputs, addressPatch,
	},
	{"storage", "locations.storage", "", showStorage, storageInputs, storagePatch},
	{keepingPart, "locations.keeping", "locations.keeping.lead", showKeeping, keepingInputs, keepingPatch},
	{hoursPart, "locations.hours", "locations.hours.lead", showHours, hoursInputs, hoursPatch},
	{
		remindersPart, "locations.reminders", "locations.reminders.lead", showReminders, noInputs, reminderPatch,
	},
	{shippingPart, "locations.shipping", "", showShipping, shippingInputs, shippingPatch},
	{
		privacyPart, "locations.privacy", "locations.privacy.lead", showPrivacy, privacyInputs, privacyPatch,
	},
	{
		registerPart, "locations.register", "locations.register.lead", showRegister, registerInputs, registerPatch,
	},
	{staysPart, "stays.title", "stays.lead", noValues, noInputs, nil},
	{assistantPart, "assistant.title", "assistant.lead", noValues, noInputs, nil},
	{"page", "locations.public-page", "", noValues, noInputs, nil},
	{deletePart, "locations.delete", "", noValues, noInputs, nil},
}

// The paths of the pages with rows.
const (
	remindersPart = "reminders"
	shippingPart  = "shipping"
)

func noValues(lost.Location) url.Values { return url.Values{} }

func noInputs(frame.Locale, url.Values) []*frame.Input { return nil }

// wholeNumber reads a whole number from a form field. It reports any other text as a problem.
func wholeNumber[T int | int64](values url.Values, name string, problems *lost.Problems) lost.Field[T] {
	text := strings.TrimSpace(values.Get(name))
	if text == "" {
		return lost.Clear[T]()
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		problems.Add(name, "not-a-number", "must be a whole number")
		return lost.Field[T]{}
	}
	return lost.Set(T(n))
}

func showAbout(l lost.Location) url.Values {
	return url.Values{
		"name": {l.Name}, "type": {string(l.Type)}, "description": {l.Description}, "website": {l.Website},
		"charity": {l.Charity}, "language": {l.Language}, "matching.sisters": {checkboxValue(l.Matching.Sisters)},
		"matching.hint": {cmp.Or(l.Matching.Hint, lost.HintOff)},
	}
}

func aboutInputs(lang frame.Locale, values url.Values) []*frame.Input {
	v := values.Get
	return []*frame.Input{
		{Name: "name", Label: lang.Say("locations.name"), Type: "text", Value: v("name"), Required: true},
		{
			Name: "type", Label: lang.Say("locations.about.type"), Type: "list", Value: v("type"),
			Options: typeOptions(lang), Required: true,
		},
		{
			Name: "description", Label: lang.Say("locations.about.description"), Type: "area",
			Value: v("description"), Hint: lang.Say("locations.about.description.hint"),
		},
		{Name: "website", Label: lang.Say("locations.about.website"), Type: "url", Value: v("website")},
		{
			Name: "charity", Label: lang.Say("locations.about.charity"), Type: "text", Value: v("charity"),
			Hint: lang.Say("locations.about.charity.hint"),
		},
		{
			Name: "language", Label: lang.Say("locations.about.language"), Type: "list", Value: v("language"),
			Options: lang.LanguageOptions(v("language")),
			Hint:    lang.Say("locations.about.language.hint"),
		},
		{
			Name: "matching.sisters", Label: lang.Say("locations.about.matching"), Type: "check",
			Value: v("matching.sisters"), Hint: lang.Say("locations.about.matching.hint"),
		},
		{
			Name: "matching.hint", Label: lang.Say("locations.about.tell"), Type: "list", Value: v("matching.hint"),
			Options: hintOptions(lang), Hint: lang.Say("locations.about.tell.hint"),
		},
	}
}

func aboutPatch(_ frame.Locale, values url.Values) lost.LocationPatch {
	return lost.LocationPatch{
		Name: lost.Set(values.Get("name")), Type: lost.Set(values.Get("type")),
		Description: frame.FormField(values, "description"), Website: frame.FormField(values, "website"),
		Charity: frame.FormField(values, "charity"), Language: frame.FormField(values, "language"),
		Matching: lost.Set(lost.MatchingPatch{
			Sisters: lost.Set(values.Get("matching.sisters") != ""), Hint: lost.Set(values.Get("matching.hint")),
		}),
	}
}

func showAddress(l lost.Location) url.Values {
	return url.Values{
		"address1": {l.Address1}, "address2": {l.Address2}, "zipCode": {l.ZipCode}, "city": {l.City},
		"state": {l.State}, "country": {l.Country},
		"contact.name": {l.Contact.Name}, "contact.email": {l.Contact.Email}, "contact.email2": {l.Contact.Email2},
		"contact.phone": {l.Contact.Phone},
	}
}

func addressInputs(lang frame.Locale, values url.Values) []*frame.Input {
	text := func(name, key string) *frame.Input {
		return &frame.Input{
			Name: name, Label: lang.Say(key), Type: "text", Value: values.Get(name), Autocomplete: "off",
		}
	}
	v := values.Get
	zip := text("zipCode", "locations.address.zip")
	zip.Narrow = true
	return frame.ArrangeInputs(lang, []*frame.Input{
		text("address1", "locations.address.street"), text("address2", "locations.address.line2"), zip,
		text("city", "locations.address.city"), text("state", "locations.address.state"),
		{
			Name: "country", Label: lang.Say("locations.address.country"), Type: "list", Value: v("country"),
			Options: lang.CountryOptions(),
		},
		text("contact.name", "locations.address.contact"),
		{
			Name: "contact.email", Label: lang.Say("locations.address.email"), Type: "email",
			Value: v("contact.email"), Autocomplete: "off", Hint: lang.Say("locations.address.email.hint"),
		},
		{
			Name: "contact.email2", Label: lang.Say("locations.address.labels"), Type: "email",
			Value: v("contact.email2"), Autocomplete: "off", Hint: lang.Say("locations.address.labels.hint"),
		},
		{
			Name: "contact.phone", Label: lang.Say("locations.address.phone"), Type: "tel", Value: v("contact.phone"),
			Autocomplete: "off", Hint: lang.Say("locations.address.phone.hint"),
		},
	})
}

func addressPatch(_ frame.Locale, values url.Values) lost.LocationPatch {
	return lost.LocationPatch{
		Address1: frame.FormField(values, "address1"), Address2: frame.FormField(values, "address2"),
		ZipCode: frame.FormField(values, "zipCode"), City: frame.FormField(values, "city"),
		State: frame.FormField(values, "state"), Country: frame.FormField(values, "country"),
		Contact: lost.Set(lost.ContactPatch{
			Name: frame.FormField(values, "contact.name"), Email: frame.FormField(values, "contact.email"),
			Email2: frame.FormField(values, "contact.email2"), Phone: frame.FormField(values, "contact.phone"),
		}),
	}
}

func showStorage(l lost.Location) url.Values {
	return url.Values{
		"storagePlace": {l.StoragePlace}, "timeZone": {l.TimeZone}, "pickupTime.from": {l.Pickup.From},
		"pickupTime.to": {l.Pickup.To},
	}
}

// durationInput returns the input for the number of days that items are kept.
func durationInput(lang frame.Locale, values url.Values) *frame.Input {
	return &frame.Input{
		Name: "storageDuration", Label: lang.Say("locations.storage.days"), Type: "number",
		Value: values.Get("storageDuration"), Min: "0", Narrow: true, Keyboard: "numeric",
		Hint: lang.Say("locations.storage.days.hint"),
	}
}

func storageInputs(lang frame.Locale, values url.Values) []*frame.Input {
	v := values.Get
	return []*frame.Input{
		{
			Name: "storagePlace", Label: lang.Say("locations.storage.place"), Type: "text", Value: v("storagePlace"),
			Hint: lang.Say("locations.storage.place.hint"),
		},
		{
			Name: "pickupTime.from", Label: lang.Say("locations.storage.from"), Type: "time",
			Value: v("pickupTime.from"), Narrow: true, Hint: lang.Say("locations.storage.from.hint"),
		},
		{
			Name: "pickupTime.to", Label: lang.Say("locations.storage.to"), Type: "time", Value: v("pickupTime.to"),
			Narrow: true,
		},
		{
			Name: "timeZone", Label: lang.Say("locations.storage.time-zone"), Type: "text", Value: v("timeZone"),
			List: "zones", Hint: lang.Say("locations.storage.time-zone.hint"),
		},
	}
}

func storagePatch(_ frame.Locale, values url.Values) lost.LocationPatch {
	return lost.LocationPatch{
		StoragePlace: frame.FormField(values, "storagePlace"), TimeZone: frame.FormField(values, "timeZone"),
		Pickup: lost.Set(lost.PickupPatch{
			From: frame.FormField(values, "pickupTime.from"), To: frame.FormField(values, "pickupTime.to"),
		}),
	}
}

// reminderSteps lists the kinds of reminders, each with its field in the form.
var reminderSteps = []struct {
	name, label, hint string // label and hint are keys; hint may be empty
	of                func(*lost.ReminderSchedule) *[]int
	in                func(*lost.ReminderSchedulePatch) *lost.Field[[]int]
}{
	{
		"reminders.afterNotice", "locations.reminders.notice", "locations.reminders.notice.hint",
		func(l *lost.ReminderSchedule) *[]int { return &l.AfterNotice },
		func(p *lost.ReminderSchedulePatch) *lost.Field[[]int] { return &p.AfterNotice },
	},
	{
		"reminders.beforeStoreUntil", "locations.reminders.last", "locations.reminders.last.hint",
		func(l *lost.ReminderSchedule) *[]int { return &l.BeforeStoreUntil },
		func(p *lost.ReminderSchedulePatch) *lost.Field[[]int] { return &p.BeforeStoreUntil },
	},
	{
		"reminders.beforePickup", "locations.reminders.pickup", "",
		func(l *lost.ReminderSchedule) *[]int { return &l.BeforePickup },
		func(p *lost.ReminderSchedulePatch) *lost.Field[[]int] { return &p.BeforePickup },
	},
	{
		"reminders.afterMissedPickup", "locations.reminders.missed", "",
		func(l *lost.ReminderSchedule) *[]int { return &l.AfterMissedPickup },
		func(p *lost.ReminderSchedulePatch) *lost.Field[[]int] { return &p.AfterMissedPickup },
	},
}

func showReminders(l lost.Location) url.Values {
	values, schedule := url.Values{}, l.ReminderSchedule()
	for _, step := range reminderSteps {
		for _, d := range *step.of(&schedule) {
			values.Add(step.name, strconv.Itoa(d))
		}
	}
	return values
}

func reminderPatch(_ frame.Locale, values url.Values) (p lost.LocationPatch) {
	var schedule lost.ReminderSchedulePatch
	for _, step := range reminderSteps {
		*step.in(&schedule) = readDays(values, step.name, &p.Problems)
	}
	p.Reminders = lost.Set(schedule)
	return p
}

func typeOptions(lang frame.Locale) (options []frame.Option) {
	for _, t := range lost.LocationTypes() {
		options = append(options, frame.Option{Value: string(t), Name: lang.Say("locations.type." + string(t))})
	}
	return options
}

func hintOptions(lang frame.Locale) []frame.Option {
	return []frame.Option{
		{Value: lost.HintOff, Name: lang.Say("locations.about.tell.off")},
		{Value: lost.HintLikely, Name: lang.Say("locations.about.tell.likely")},
		{Value: lost.HintPossible, Name: lang.Say("locations.about.tell.possible")},
	}
}

// checkboxValue returns the form value of a checkbox.
func checkboxValue(checked bool) string {
	if checked {
		return "yes"
	}
	return ""
}

// changedFields returns the stored values of the fields whose submitted values differ.
func changedFields(lang frame.Locale, inputs []*frame.Input, stored, sent url.Values) (facts []frame.ItemFact) {
	for _, i := range inputs {
		value := strings.Join(stored[i.Name], ", ")
		if i.Type == cellType && !stored.Has(i.Name) && !sent.Has(i.Name) || i.Name == exampleWeight ||
			value == strings.ReplaceAll(strings.Join(sent[i.Name], ", "), "\r\n", "\n") {
			continue
		}
		for _, o := range i.Options {
			if o.Value == value {
				value = o.Name
			}
		}
		facts = append(facts,
			frame.ItemFact{Name: i.Label, Value: cmp.Or(value, lang.Say("locations.conflict.empty"))})
	}
	return facts
}
