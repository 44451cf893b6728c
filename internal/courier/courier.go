// Package courier ships parcels: it returns prices, buys labels and tracks parcels. There are two
// carriers. Tariff is built in: the location sets the prices, we print the label, and the desk sets
// the status of the parcel. EasyPost uses a service that connects to most carriers of the world.
package courier

import "homeward/internal/lost"

// hasBasics reports whether both countries and anything about the load are known.
func hasBasics(c lost.ParcelOrder) bool {
	return c.From.Country != "" && c.To.Country != "" && c.Load != lost.ParcelSize{}
}
