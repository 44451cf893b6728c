package locations

import (
	"net/url"
	"strconv"
	"strings"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// settingsPart is one page of a location's settings.
type settingsPart struct {
	path, name, lead string
	show             func(lost.Location) url.Values // returns the current values of the form
	inputs           func(frame.Locale, url.Values) []*frame.Input
	patch            func(url.Values) lost.LocationPatch // nil if the page has no fields to save
}

var locationParts = []settingsPart{
	{"about", "About", "", showAbout, aboutInputs, aboutPatch},
	{
		"address", "Address and desk", "Shown to guests on every page and in every message.", showAddress,
		addressInputs, addressPatch,
	},
	{"storage", "Storage and hours", "", showStorage, storageInputs, storagePatch},
	{
		"reminders", "Reminders",
		"Numbers of days, separated by commas, for example 3, 7. Leave a field empty for no reminder. Reminders are " +
			"sent in the morning, in the location’s time zone.", showReminders, reminderInputs, reminderPatch,
	},
	{"shipping", "Shipping fees", "", showShipping, shippingInputs, shippingPatch},
	{
		privacyPart, "Privacy",
		"Shown to guests before they send data, at the end of every guest page and in every e-mail. If both fields " +
			"are empty, guests see the privacy notice of the account.", showPrivacy, privacyInputs, privacyPatch,
	},
	{"page", "Public page", "", noValues, noInputs, nil},
	{deletePart, "Delete", "", noValues, noInputs, nil},
}

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
	}
}

func aboutInputs(lang frame.Locale, values url.Values) []*frame.Input {
	v := values.Get
	return []*frame.Input{
		{Name: "name", Label: "Name", Type: "text", Value: v("name"), Required: true},
		{Name: "type", Label: "Type of place", Type: "list", Value: v("type"), Options: typeOptions(), Required: true},
		{
			Name: "description", Label: "Short description", Type: "area", Value: v("description"),
			Hint: "Shown on the public page.",
		},
		{Name: "website", Label: "Website", Type: "url", Value: v("website")},
		{
			Name: "charity", Label: "Charity for donations", Type: "text", Value: v("charity"),
			Hint: "Shown to guests who donate an item.",
		},
		{
			Name: "language", Label: "Language", Type: "list", Value: v("language"),
			Options: lang.LanguageOptions(v("language")),
			Hint:    "Used for guests whose language is unknown, and for e-mails to the desk.",
		},
		{
			Name: "matching.sisters", Label: "Match with other locations", Type: "check", Value: v("matching.sisters"),
			Hint: "Compares lost reports here with items found at other locations that have turned this on, and " +
				"vice versa.",
		},
	}
}

func aboutPatch(values url.Values) lost.LocationPatch {
	return lost.LocationPatch{
		Name: lost.Set(values.Get("name")), Type: lost.Set(values.Get("type")),
		Description: frame.FormField(values, "description"), Website: frame.FormField(values, "website"),
		Charity: frame.FormField(values, "charity"), Language: frame.FormField(values, "language"),
		Matching: lost.Set(lost.MatchingPatch{Sisters: lost.Set(values.Get("matching.sisters") != "")}),
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
	v := values.Get
	return []*frame.Input{
		{Name: "address1", Label: "Street and number", Type: "text", Value: v("address1"), Autocomplete: "off"},
		{Name: "address2", Label: "Address, line 2", Type: "text", Value: v("address2"), Autocomplete: "off"},
		{Name: "zipCode", Label: "Postal code", Type: "text", Value: v("zipCode"), Narrow: true, Autocomplete: "off"},
		{Name: "city", Label: "City", Type: "text", Value: v("city"), Autocomplete: "off"},
		{Name: "state", Label: "State or province", Type: "text", Value: v("state"), Autocomplete: "off"},
		{Name: "country", Label: "Country", Type: "list", Value: v("country"), Options: lang.CountryOptions()},
		{
			Name: "contact.name", Label: "Lost and found contact", Type: "text", Value: v("contact.name"),
			Autocomplete: "off",
		},
		{
			Name: "contact.email", Label: "E-mail address of the desk", Type: "email", Value: v("contact.email"),
			Autocomplete: "off", Hint: "Shown to guests. The daily digest is sent to this address each morning.",
		},
		{
			Name: "contact.email2", Label: "E-mail address for labels", Type: "email", Value: v("contact.email2"),
			Autocomplete: "off", Hint: "For the team that packs parcels. If empty, labels are sent to the desk.",
		},
		{
			Name: "contact.phone", Label: "Phone number of the desk", Type: "tel", Value: v("contact.phone"),
			Autocomplete: "off", Hint: "With the country code, for example +49 331 1234567.",
		},
	}
}

func addressPatch(values url.Values) lost.LocationPatch {
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
	values := url.Values{
		"storagePlace": {l.StoragePlace}, "timeZone": {l.TimeZone}, "pickupTime.from": {l.Pickup.From},
		"pickupTime.to": {l.Pickup.To},
	}
	if l.StorageDuration != nil {
		values.Set("storageDuration", strconv.Itoa(*l.StorageDuration))
	}
	return values
}

func storageInputs(_ frame.Locale, values url.Values) []*frame.Input {
	v := values.Get
	return []*frame.Input{
		{
			Name: "storageDuration", Label: "Days that items are kept", Type: "number", Value: v("storageDuration"),
			Min: "0", Narrow: true, Keyboard: "numeric",
			Hint: "Counted from the day an item was found. Leave it empty for no limit.",
		},
		{
			Name: "storagePlace", Label: "Default storage place", Type: "text", Value: v("storagePlace"),
			Hint: "You can choose a different place for each item.",
		},
		{
			Name: "pickupTime.from", Label: "Guests may collect from", Type: "time", Value: v("pickupTime.from"),
			Narrow: true, Hint: "Every day, in the location’s time zone. Guests choose a time within these hours.",
		},
		{
			Name: "pickupTime.to", Label: "Guests may collect until", Type: "time", Value: v("pickupTime.to"),
			Narrow: true,
		},
		{
			Name: "timeZone", Label: "Time zone", Type: "text", Value: v("timeZone"), List: "zones",
			Hint: "For example Europe/Berlin. Used for dates and times. If empty: UTC.",
		},
	}
}

func storagePatch(values url.Values) lost.LocationPatch {
	p := lost.LocationPatch{
		StoragePlace: frame.FormField(values, "storagePlace"), TimeZone: frame.FormField(values, "timeZone"),
		Pickup: lost.Set(lost.PickupPatch{
			From: frame.FormField(values, "pickupTime.from"), To: frame.FormField(values, "pickupTime.to"),
		}),
	}
	p.StorageDuration = wholeNumber[int](values, "storageDuration", &p.Problems)
	return p
}

// reminderSteps lists the kinds of reminders, each with its field in the form.
var reminderSteps = []struct {
	name, label, hint string
	of                func(*lost.ReminderSchedule) *[]int
	in                func(*lost.ReminderSchedulePatch) *lost.Field[[]int]
}{
	{
		"reminders.afterNotice", "After the first message", "If the owner has not chosen yet.",
		func(l *lost.ReminderSchedule) *[]int { return &l.AfterNotice },
		func(p *lost.ReminderSchedulePatch) *lost.Field[[]int] { return &p.AfterNotice },
	},
	{
		"reminders.beforeStoreUntil", "Before the storage time ends", "The last reminder.",
		func(l *lost.ReminderSchedule) *[]int { return &l.BeforeStoreUntil },
		func(p *lost.ReminderSchedulePatch) *lost.Field[[]int] { return &p.BeforeStoreUntil },
	},
	{
		"reminders.beforePickup", "Before a pick-up", "",
		func(l *lost.ReminderSchedule) *[]int { return &l.BeforePickup },
		func(p *lost.ReminderSchedulePatch) *lost.Field[[]int] { return &p.BeforePickup },
	},
	{
		"reminders.afterMissedPickup", "After a missed pick-up", "",
		func(l *lost.ReminderSchedule) *[]int { return &l.AfterMissedPickup },
		func(p *lost.ReminderSchedulePatch) *lost.Field[[]int] { return &p.AfterMissedPickup },
	},
}

func showReminders(l lost.Location) url.Values {
	values, schedule := url.Values{}, l.ReminderSchedule()
	for _, step := range reminderSteps {
		var days []string
		for _, d := range *step.of(&schedule) {
			days = append(days, strconv.Itoa(d))
		}
		values.Set(step.name, strings.Join(days, ", "))
	}
	return values
}

func reminderInputs(_ frame.Locale, values url.Values) (inputs []*frame.Input) {
	for _, step := range reminderSteps {
		inputs = append(inputs,
			&frame.Input{
				Name: step.name, Label: step.label, Hint: step.hint, Type: "text", Value: values.Get(step.name),
				Narrow: true,
			})
	}
	return inputs
}

func reminderPatch(values url.Values) (p lost.LocationPatch) {
	var schedule lost.ReminderSchedulePatch
	for _, step := range reminderSteps {
		*step.in(&schedule) = readDays(values, step.name, &p.Problems)
	}
	p.Reminders = lost.Set(schedule)
	return p
}

// readDays reads numbers of days, separated by commas. It reports any other text as a problem.
func readDays(values url.Values, name string, problems *lost.Problems) lost.Field[[]int] {
	days := []int{}
	for _, text := range strings.FieldsFunc(values.Get(name), func(r rune) bool {
		return r == ',' || r == ' ' || r == ';'
	}) {
		n, err := strconv.Atoi(text)
		if err != nil {
			problems.Add(name, "not-a-number", "must be whole numbers of days separated by commas, for example 3, 7")
			break
		}
		days = append(days, n)
	}
	return lost.Set(days)
}

func typeOptions() (options []frame.Option) {
	for _, t := range lost.LocationTypes() {
		name := strings.ReplaceAll(string(t), "-", " ")
		options = append(options, frame.Option{Value: string(t), Name: strings.ToUpper(name[:1]) + name[1:]})
	}
	return options
}

// checkboxValue returns the form value of a checkbox.
func checkboxValue(checked bool) string {
	if checked {
		return "yes"
	}
	return ""
}
