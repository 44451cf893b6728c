package v1

// Description describes a field in the OpenAPI document.
type Description struct {
	Text    string // the meaning of the field
	Example string // an example value; for a list, values separated by commas; for an object, JSON
}

// Describe returns the description of a field. The field is named by its type and JSON name, such as "Item.status".
// Describe returns false if there is no such field.
func Describe(field string) (Description, bool) {
	for _, table := range descriptions {
		if d, ok := table[field]; ok {
			return d, true
		}
	}
	return Description{}, false
}

// descriptions has one table for each file that defines API types.
var descriptions = []map[string]Description{
	auditDescriptions, bulkDescriptions, commonDescriptions, itemDescriptions, locationDescriptions, matchDescriptions,
	personDescriptions, reportDescriptions, requestDescriptions, shippingDescriptions, stayDescriptions,
	tariffDescriptions,
	webhookDescriptions,
}
