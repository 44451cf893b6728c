package v1

// Description describes a field of a wire type in the OpenAPI document.
type Description struct {
	Text    string // meaning of the field
	Example string // an example value; for a list, values separated by commas; for an object, JSON
}

// Describe returns the description of a field. The parameter is the type and the JSON name of the field, such as
// "Item.status".
func Describe(field string) (Description, bool) {
	for _, table := range descriptions {
		if d, ok := table[field]; ok {
			return d, true
		}
	}
	return Description{}, false
}

// descriptions has one table for each file with wire types.
var descriptions = []map[string]Description{
	commonDescriptions, itemDescriptions, locationDescriptions, matchDescriptions, personDescriptions,
	requestDescriptions, shippingDescriptions, tariffDescriptions, webhookDescriptions,
}
