// Package lost holds the types and rules of a lost-and-found service: locations,
// items, statuses and their moves, owners, keys, pages, errors and identifiers.
//
// It is pure. It only imports the standard library, does no I/O, does not read the clock, and does not depend on SQL
// or JSON, so that all rules can be covered by table-driven tests. Every other package may import it; it imports none
// of them.
package lost
