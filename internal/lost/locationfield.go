package lost

// LocationField describes one field of a location.
type LocationField = RecordField[Location, LocationPatch]

// LocationFields lists the fields of a location. The caller must not change the list.
//
// A new text field needs an entry here, a migration with a column that has the field's name in snake case, a field in
// v1.Location with its line in Encoder.Location, and an input in the dashboard. Tests in fieldtest, v1 and store walk
// the struct and report missing entries.
func LocationFields() []LocationField { return locationFields }

// EditableLocationFields lists the names of the fields that staff and API clients can set.
func EditableLocationFields() []string { return editable(locationFields) }

var locationFields = []LocationField{
	{Name: "account", Erase: KeepValue, At: func(l *Location) any { return &l.Account }},
	{Name: "id", Erase: KeepValue, At: func(l *Location) any { return &l.ID }},
	{Name: "permalink", Erase: KeepValue, At: func(l *Location) any { return &l.Permalink }},
	{
		Name: "name", Kind: LineKind, Limit: MaxName, Author: StaffAuthor, Erase: KeepValue, Required: true,
		Search: SearchByTerm,
		At:     func(l *Location) any { return &l.Name },
		Patch:  func(p *LocationPatch) *Field[string] { return &p.Name },
	},
	{
		Name: "website", Kind: URLKind, Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.Website },
		Patch: func(p *LocationPatch) *Field[string] { return &p.Website },
	},
	{
		Name: "logoUrl", Kind: URLKind, Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.LogoURL },
		Patch: func(p *LocationPatch) *Field[string] { return &p.LogoURL },
	},
	{
		Name: "logoFile", Kind: FileKind, History: "logoUrl", Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.LogoFile },
		apply: replaceLogoFile,
	},
	{
		Name: "description", Kind: ProseKind, Limit: MaxDescription, Author: StaffAuthor, Erase: KeepValue,
		Search: SearchByTerm,
		At:     func(l *Location) any { return &l.Description },
		Patch:  func(p *LocationPatch) *Field[string] { return &p.Description },
	},
	{
		Name: "type", Kind: ChoiceKind, Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.Type },
		Patch: func(p *LocationPatch) *Field[string] { return &p.Type },
		apply: applyLocationType,
	},
	{
		Name: "storagePlace", Kind: LineKind, Limit: MaxPlace, Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.StoragePlace },
		Patch: func(p *LocationPatch) *Field[string] { return &p.StoragePlace },
	},
	{
		Name: "address1", Kind: LineKind, Limit: MaxShort, Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.Address1 },
		Patch: func(p *LocationPatch) *Field[string] { return &p.Address1 },
	},
	{
		Name: "address2", Kind: LineKind, Limit: MaxShort, Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.Address2 },
		Patch: func(p *LocationPatch) *Field[string] { return &p.Address2 },
	},
	{
		Name: "city", Kind: LineKind, Limit: MaxShort, Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.City },
		Patch: func(p *LocationPatch) *Field[string] { return &p.City },
	},
	{
		Name: "state", Kind: LineKind, Limit: MaxShort, Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.State },
		Patch: func(p *LocationPatch) *Field[string] { return &p.State },
	},
	{
		Name: "zipCode", Kind: LineKind, Limit: MaxShort, Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.ZipCode },
		Patch: func(p *LocationPatch) *Field[string] { return &p.ZipCode },
	},
	{
		Name: "country", Kind: CountryKind, Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.Country },
		Patch: func(p *LocationPatch) *Field[string] { return &p.Country },
	},
	{
		Name: "timeZone", Kind: ZoneKind, Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.TimeZone },
		Patch: func(p *LocationPatch) *Field[string] { return &p.TimeZone },
	},
	{
		Name: "charity", Kind: ProseKind, Limit: MaxPlace, Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.Charity },
		Patch: func(p *LocationPatch) *Field[string] { return &p.Charity },
	},
	{
		Name: "language", Kind: LanguageKind, Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.Language },
		Patch: func(p *LocationPatch) *Field[string] { return &p.Language },
	},
	{
		Name: "privacyText", Kind: ProseKind, Limit: MaxPrivacyText, Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.PrivacyText },
		Patch: func(p *LocationPatch) *Field[string] { return &p.PrivacyText },
	},
	{
		Name: "privacyUrl", Kind: HTTPSKind, Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.PrivacyURL },
		Patch: func(p *LocationPatch) *Field[string] { return &p.PrivacyURL },
	},
	{
		Name: "reminders", Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.Reminders },
		apply: func(c *check, p *LocationPatch, l *Location) { p.applyReminders(c, l) },
	},
	{
		Name: "shipping", Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.Shipping },
		apply: func(c *check, p *LocationPatch, l *Location) { p.applyShipping(c, l) },
	},
	{
		Name: "matching", Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.Matching },
		apply: func(c *check, p *LocationPatch, l *Location) { p.applyMatching(c, l) },
	},
	{
		Name: "storageDuration", Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.StorageDuration },
		apply: applyDuration,
	},
	{
		Name: "keepingRules", Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.KeepingRules },
		apply: func(c *check, p *LocationPatch, l *Location) { p.applyKeepingRules(c, l) },
	},
	{
		Name: "contact.name", Kind: LineKind, Limit: MaxName, Author: StaffAuthor, Erase: KeepValue,
		Search: SearchByTerm,
		At:     func(l *Location) any { return &l.Contact.Name },
		Patch:  func(p *LocationPatch) *Field[string] { return &p.Contact.Value.Name },
	},
	{
		Name: "contact.email", Kind: EmailKind, Author: StaffAuthor, Erase: KeepValue, Search: SearchByTerm,
		At:    func(l *Location) any { return &l.Contact.Email },
		Patch: func(p *LocationPatch) *Field[string] { return &p.Contact.Value.Email },
	},
	{
		Name: "contact.email2", Kind: EmailKind, Author: StaffAuthor, Erase: KeepValue, Search: SearchByTerm,
		At:    func(l *Location) any { return &l.Contact.Email2 },
		Patch: func(p *LocationPatch) *Field[string] { return &p.Contact.Value.Email2 },
	},
	{
		Name: "contact.phone", Kind: PhoneKind, Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.Contact.Phone },
		Patch: func(p *LocationPatch) *Field[string] { return &p.Contact.Value.Phone },
		apply: func(c *check, p *LocationPatch, l *Location) { // the list has country before this field
			c.phone(p.Contact.Value.Phone, "contact.phone", l.Country, &l.Contact.Phone)
		},
	},
	{
		Name: "pickupTime.from", Kind: TimeKind, Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.Pickup.From },
		Patch: func(p *LocationPatch) *Field[string] { return &p.Pickup.Value.From },
	},
	{
		Name: "pickupTime.to", Kind: TimeKind, Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.Pickup.To },
		Patch: func(p *LocationPatch) *Field[string] { return &p.Pickup.Value.To },
	},
	{
		Name: "openingHours", Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.OpeningHours },
		apply: func(c *check, p *LocationPatch, l *Location) { p.applyOpeningHours(c, l) },
	},
	{
		Name: "closures", Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.Closures },
		apply: func(c *check, p *LocationPatch, l *Location) { p.applyClosures(c, l) },
	},
	{ // the list has openingHours before this field
		Name: "slots", Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.Slots },
		apply: func(c *check, p *LocationPatch, l *Location) { p.applySlots(c, l) },
	},
	{
		Name: "publicRegister", Author: StaffAuthor, Erase: KeepValue,
		At: func(l *Location) any { return &l.PublicRegister },
		apply: func(c *check, p *LocationPatch, l *Location) {
			if p.PublicRegister.Sent && !c.Has("publicRegister") {
				l.PublicRegister = p.PublicRegister.Value && !p.PublicRegister.Null
			}
		},
	},
	{
		Name: "publicAreas", Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.PublicAreas },
		apply: func(c *check, p *LocationPatch, l *Location) { p.applyPublicAreas(c, l) },
	},
	{
		Name: "externalId", Kind: LineKind, Limit: MaxExternalID, Author: StaffAuthor, Erase: KeepValue,
		Search: SearchByTerm,
		At:     func(l *Location) any { return &l.ExternalID },
		Patch:  func(p *LocationPatch) *Field[string] { return &p.ExternalID },
	},
	{
		Name: "metadata", Kind: MetadataKind, Author: StaffAuthor, Erase: KeepValue,
		At:    func(l *Location) any { return &l.Metadata },
		apply: func(c *check, p *LocationPatch, l *Location) { c.metadata(p.Metadata, &l.Metadata) },
	},
	{Name: "createdAt", Erase: KeepValue, At: func(l *Location) any { return &l.CreatedAt }},
	{Name: "updatedAt", Erase: KeepValue, At: func(l *Location) any { return &l.UpdatedAt }},
}

// replaceLogoFile clears the uploaded logo if a logo URL was sent, because the URL replaces it.
func replaceLogoFile(_ *check, p *LocationPatch, l *Location) {
	if p.LogoURL.Sent {
		l.LogoFile = ""
	}
}

func applyLocationType(c *check, p *LocationPatch, l *Location) {
	c.mandatory(p.Type.Sent, isEmpty(p.Type), "type")
	oneOf(c, p.Type, "type", LocationTypes(), &l.Type)
}

func applyDuration(c *check, p *LocationPatch, l *Location) {
	const field = "storageDuration"
	switch {
	case !p.StorageDuration.Sent || c.Has(field):
	case p.StorageDuration.Null:
		l.StorageDuration = nil
	case p.StorageDuration.Value < 0 || p.StorageDuration.Value > MaxStorageDays:
		c.Add(field, "out-of-range", "must be a number of days from 0 to %d", MaxStorageDays)
	default:
		days := p.StorageDuration.Value
		l.StorageDuration = &days
	}
}
