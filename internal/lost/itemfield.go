package lost

import "slices"

// ItemField describes one field of an item.
type ItemField = RecordField[Item, ItemPatch]

// ItemFields lists the fields of an item: first those that clients and staff set, in the order in which the history
// lists them, then those that the service sets. The caller must not change the list.
//
// To add a field:
//
//  1. Add it to Item and, if it can be set, to ItemPatch.
//  2. Add an entry to editableItemFields or serviceItemFields. The entry determines how patches, history, erasure,
//     redaction of events, search, the search for personal data, and reading JSON and CSV handle the field.
//  3. Add a migration with a text column that has the field's name in snake case: serialNumber becomes
//     serial_number. The store reads and writes text columns based on this list; other types need an entry in the
//     store.
//  4. Add the field to v1.Item and Encoder.Item, and its description to v1/describe_item.go.
//  5. Add a column to itemcsv, and an input with a label to the dashboard's form.
//
// Tests in fieldtest, v1, itemcsv, store and the dashboard walk the struct and report missing entries.
func ItemFields() []ItemField { return itemFields }

// EditableItemFields lists the names of the fields that staff and API clients can set.
func EditableItemFields() []string { return editable(itemFields) }

//nolint:gochecknoglobals // a fixed list, joined once
var itemFields = slices.Concat(editableItemFields, serviceItemFields)

var editableItemFields = []ItemField{
	{
		Name: "description", Kind: ProseKind, Limit: MaxDescription, Author: StaffAuthor, Erase: EraseOnRequest,
		Required: true, Search: SearchByTerm,
		At:    func(i *Item) any { return &i.Description },
		Patch: func(p *ItemPatch) *Field[string] { return &p.Description },
	},
	{
		Name: "discoveryPlace", Kind: LineKind, Limit: MaxPlace, Author: StaffAuthor, Erase: EraseNames,
		Search: SearchByQuery,
		At:     func(i *Item) any { return &i.DiscoveryPlace },
		Patch:  func(p *ItemPatch) *Field[string] { return &p.DiscoveryPlace },
	},
	{
		Name: "discoveryDate", Kind: DateKind, Author: StaffAuthor, Erase: KeepValue,
		At:    func(i *Item) any { return &i.DiscoveryDate },
		Patch: func(p *ItemPatch) *Field[string] { return &p.DiscoveryDate },
	},
	{
		Name: "brand", Kind: LineKind, Limit: MaxShort, Author: StaffAuthor, Erase: EraseOnRequest,
		Search: SearchByTerm,
		At:     func(i *Item) any { return &i.Brand },
		Patch:  func(p *ItemPatch) *Field[string] { return &p.Brand },
	},
	{
		Name: "model", Kind: LineKind, Limit: MaxShort, Author: StaffAuthor, Erase: EraseOnRequest,
		Search: SearchByTerm,
		At:     func(i *Item) any { return &i.Model },
		Patch:  func(p *ItemPatch) *Field[string] { return &p.Model },
	},
	{
		Name: "color", Kind: LineKind, Limit: MaxShort, Author: StaffAuthor, Erase: EraseOnRequest,
		Search: SearchByTerm,
		At:     func(i *Item) any { return &i.Color },
		Patch:  func(p *ItemPatch) *Field[string] { return &p.Color },
	},
	{
		Name: "storagePlace", Kind: LineKind, Limit: MaxPlace, Author: StaffAuthor, Erase: EraseNames,
		Search: SearchByQuery,
		At:     func(i *Item) any { return &i.StoragePlace },
		Patch:  func(p *ItemPatch) *Field[string] { return &p.StoragePlace },
	},
	{
		Name: "notes", Kind: ProseKind, Limit: MaxNotes, Author: StaffAuthor, Erase: EraseValue, Search: SearchByQuery,
		At:    func(i *Item) any { return &i.Notes },
		Patch: func(p *ItemPatch) *Field[string] { return &p.Notes },
	},
	{
		Name: "imageUrl", Kind: URLKind, Author: StaffAuthor, Erase: EraseValue,
		At:    func(i *Item) any { return &i.ImageURL },
		Patch: func(p *ItemPatch) *Field[string] { return &p.ImageURL },
	},
	{
		Name: "imageFile", Kind: FileKind, Author: StaffAuthor, Erase: EraseValue, History: "imageUrl",
		At:    func(i *Item) any { return &i.ImageFile },
		apply: replaceImageFile,
	},
	{
		Name: "shipping.weight", Author: StaffAuthor, Erase: KeepValue,
		At:    func(i *Item) any { return &i.Shipping.Weight },
		apply: applyWeight,
	},
	{
		Name: "shipping.weightUnit", Kind: ChoiceKind, Author: StaffAuthor, Erase: KeepValue,
		At:    func(i *Item) any { return &i.Shipping.WeightUnit },
		Patch: func(p *ItemPatch) *Field[string] { return &p.Shipping.Value.WeightUnit },
		apply: func(c *check, p *ItemPatch, i *Item) {
			oneOf(c, p.Shipping.Value.WeightUnit, "shipping.weightUnit", WeightUnits(), &i.Shipping.WeightUnit)
		},
	},
	{
		Name: "shipping.boxType", Kind: ChoiceKind, Author: StaffAuthor, Erase: KeepValue,
		At:    func(i *Item) any { return &i.Shipping.BoxType },
		Patch: func(p *ItemPatch) *Field[string] { return &p.Shipping.Value.BoxType },
		apply: func(c *check, p *ItemPatch, i *Item) {
			oneOf(c, p.Shipping.Value.BoxType, "shipping.boxType", BoxTypes(), &i.Shipping.BoxType)
		},
	},
	{
		Name: "shipping.isDocument", Author: StaffAuthor, Erase: KeepValue,
		At:    func(i *Item) any { return &i.Shipping.IsDocument },
		apply: applyIsDocument,
	},
	{
		Name: "shipping.notShippedBecause", Kind: LineKind, Limit: MaxPlace, Prose: true, Author: StaffAuthor,
		Erase: EraseNames,
		At:    func(i *Item) any { return &i.Shipping.NotShipped },
		Patch: func(p *ItemPatch) *Field[string] { return &p.Shipping.Value.NotShipped },
	},
	{
		Name: "language", Kind: LanguageKind, Author: GuestAuthor, Erase: EraseValue,
		At:    func(i *Item) any { return &i.Language },
		Patch: func(p *ItemPatch) *Field[string] { return &p.Language },
	},
	{
		Name: "hold", Kind: LineKind, Limit: MaxPlace, Prose: true, Author: StaffAuthor, Erase: EraseValue,
		Search: SearchByQuery,
		At:     func(i *Item) any { return &i.Hold },
		Patch:  func(p *ItemPatch) *Field[string] { return &p.Hold },
	},
	{
		Name: "keepUntil", Kind: DateKind, Author: StaffAuthor, Erase: KeepValue,
		At:    func(i *Item) any { return &i.KeepUntil },
		Patch: func(p *ItemPatch) *Field[string] { return &p.KeepUntil },
	},
	{
		Name: "owner.firstName", Kind: LineKind, Limit: MaxName, Author: GuestAuthor, Erase: EraseValue, Personal: true,
		Search: SearchByTerm,
		At:     func(i *Item) any { return &i.Owner.FirstName },
		Patch:  func(p *ItemPatch) *Field[string] { return &p.Owner.Value.FirstName },
	},
	{
		Name: "owner.lastName", Kind: LineKind, Limit: MaxName, Author: GuestAuthor, Erase: EraseValue, Personal: true,
		Search: SearchByTerm,
		At:     func(i *Item) any { return &i.Owner.LastName },
		Patch:  func(p *ItemPatch) *Field[string] { return &p.Owner.Value.LastName },
	},
	{
		Name: "owner.email", Kind: EmailKind, Author: GuestAuthor, Erase: EraseValue, Personal: true,
		Search: SearchByTerm,
		At:     func(i *Item) any { return &i.Owner.Email },
		Patch:  func(p *ItemPatch) *Field[string] { return &p.Owner.Value.Email },
	},
	{
		Name: "owner.phone", Kind: PhoneKind, Author: GuestAuthor, Erase: EraseValue, Personal: true,
		Search: SearchByTerm,
		At:     func(i *Item) any { return &i.Owner.Phone },
		Patch:  func(p *ItemPatch) *Field[string] { return &p.Owner.Value.Phone },
		apply: func(c *check, p *ItemPatch, i *Item) {
			c.phone(p.Owner.Value.Phone, "owner.phone", p.Country, &i.Owner.Phone)
		},
	},
	{
		Name: "externalId", Kind: LineKind, Limit: MaxExternalID, Author: StaffAuthor, Erase: EraseNames,
		Search: SearchByTerm,
		At:     func(i *Item) any { return &i.ExternalID },
		Patch:  func(p *ItemPatch) *Field[string] { return &p.ExternalID },
	},
	{
		Name: "metadata", Kind: MetadataKind, Author: StaffAuthor, Erase: EraseValue,
		At:    func(i *Item) any { return &i.Metadata },
		apply: func(c *check, p *ItemPatch, i *Item) { c.metadata(p.Metadata, &i.Metadata) },
	},
	{
		Name: "category", Kind: ChoiceKind, Author: StaffAuthor, Erase: KeepValue,
		At:    func(i *Item) any { return &i.Category },
		Patch: func(p *ItemPatch) *Field[string] { return &p.Category },
		apply: func(c *check, p *ItemPatch, i *Item) { oneOf(c, p.Category, "category", Categories(), &i.Category) },
	},
	{
		Name: "serialNumber", Kind: LineKind, Limit: MaxShort, Author: StaffAuthor, Erase: EraseOnRequest,
		Search: SearchByTerm,
		At:     func(i *Item) any { return &i.SerialNumber },
		Patch:  func(p *ItemPatch) *Field[string] { return &p.SerialNumber },
	},
	{
		Name: "value", Author: StaffAuthor, Erase: KeepValue,
		At:    func(i *Item) any { return &i.Value },
		apply: func(c *check, p *ItemPatch, i *Item) { c.value(p.Value, p.Currency, &i.Value) },
	},
	{
		Name: "finder.name", Kind: LineKind, Limit: MaxName, Author: StaffAuthor, Erase: EraseWithFinder,
		Personal: true, Search: SearchByTerm,
		At:    func(i *Item) any { return &i.Finder.Name },
		Patch: func(p *ItemPatch) *Field[string] { return &p.Finder.Value.Name },
	},
	{
		Name: "finder.email", Kind: EmailKind, Author: StaffAuthor, Erase: EraseWithFinder, Personal: true,
		Search: SearchByTerm,
		At:     func(i *Item) any { return &i.Finder.Email },
		Patch:  func(p *ItemPatch) *Field[string] { return &p.Finder.Value.Email },
	},
	{
		Name: "finder.phone", Kind: PhoneKind, Author: StaffAuthor, Erase: EraseWithFinder, Personal: true,
		Search: SearchByTerm,
		At:     func(i *Item) any { return &i.Finder.Phone },
		Patch:  func(p *ItemPatch) *Field[string] { return &p.Finder.Value.Phone },
		apply: func(c *check, p *ItemPatch, i *Item) {
			c.phone(p.Finder.Value.Phone, "finder.phone", p.Country, &i.Finder.Phone)
		},
	},
	{
		Name: "finder.wantsReward", Author: StaffAuthor, Erase: EraseWithFinder, Personal: true,
		At:    func(i *Item) any { return &i.Finder.WantsReward },
		apply: func(_ *check, p *ItemPatch, i *Item) { p.Finder.Value.WantsReward.setOn(&i.Finder.WantsReward) },
	},
	{
		Name: "finder.claimsItem", Author: StaffAuthor, Erase: EraseWithFinder, Personal: true,
		At:    func(i *Item) any { return &i.Finder.ClaimsItem },
		apply: func(_ *check, p *ItemPatch, i *Item) { p.Finder.Value.ClaimsItem.setOn(&i.Finder.ClaimsItem) },
	},
}

// replaceImageFile clears the uploaded main image if an image URL was sent, because the URL replaces it.
func replaceImageFile(_ *check, p *ItemPatch, i *Item) {
	if p.ImageURL.Sent {
		i.ImageFile = ""
	}
}

func applyWeight(c *check, p *ItemPatch, i *Item) {
	const field = "shipping.weight"
	switch f := p.Shipping.Value.Weight; {
	case !f.Sent || c.Has(field):
	case f.Null:
		i.Shipping.Weight = nil
	case !(f.Value > 0 && f.Value <= MaxWeight): // NaN fails both comparisons
		c.Add(field, "out-of-range", "must be more than 0 and at most %d", MaxWeight)
	default:
		w := f.Value
		i.Shipping.Weight = &w
	}
}

func applyIsDocument(c *check, p *ItemPatch, i *Item) {
	f := p.Shipping.Value.IsDocument
	if !f.Sent || c.Has("shipping.isDocument") {
		return
	}
	i.Shipping.IsDocument = nil
	if !f.Null {
		v := f.Value
		i.Shipping.IsDocument = &v
	}
}
