// Package courier sends parcels: it tells what that costs, buys labels and knows where parcels are. There are two carriers. Tariff is built in:
// prices are the location's own, the label is printed by us, and the desk says where the parcel is. EasyPost asks a service that knows
// most carriers of the world.
package courier

import "homeward/internal/lost"

// known tells whether it is said from where to where something goes, and anything of what it is.
func known(c lost.Consignment) bool {
	return c.From.Country != "" && c.To.Country != "" && c.Load != lost.Load{}
}
