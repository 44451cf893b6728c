// Package courier ships parcels: it returns prices, buys labels and tracks parcels. It implements two carriers.
// Tariff is built in: the location sets the prices, the service prints the label, and staff set the status of the
// parcel. EasyPost is an external service that connects to many carriers.
package courier

import "homeward/internal/lost"

// hasBasics reports whether both countries (origin and destination) and the weight or size of a parcel are known.
func hasBasics(c lost.ParcelOrder) bool {
	return c.From.Country != "" && c.To.Country != "" && c.Load != lost.ParcelSize{}
}
