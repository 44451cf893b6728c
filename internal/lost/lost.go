// Package lost holds the types and rules of a lost-and-found service: locations,
// items, statuses and their moves, owners, keys, pages, errors and identifiers.
//
// It is pure. It imports the standard library only, does no I/O, reads no clock
// and knows neither SQL nor JSON, so every rule in it can be tested by a table.
// Every other package may import it; it imports none of them.
package lost
