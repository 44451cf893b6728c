package v1

// Description describes a field of a wire type in the OpenAPI document.
type Description struct {
	Text    string // what the field means
	Example string // a value; of a list, values separated by commas; of an object, JSON
}

// Describe returns the description of a field, which is named by its type and its JSON name, such as "Item.status".
func Describe(field string) (Description, bool) {
	for _, table := range descriptions {
		if d, ok := table[field]; ok {
			return d, true
		}
	}
	return Description{}, false
}

// descriptions holds one table for each file with wire types.
var descriptions = []map[string]Description{
	commonDescriptions, itemDescriptions, locationDescriptions, matchDescriptions, personDescriptions,
	requestDescriptions, shippingDescriptions, tariffDescriptions, webhookDescriptions,
}
