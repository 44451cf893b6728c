// Package lost is the domain: the types and rules for items, requests, locations, owners, shipments, payments,
// messages, webhooks, users, roles, keys and errors. It imports only the standard library and the rules for
// international domains, never reads the clock, and does not know SQL, HTTP or JSON. Only new IDs and references are
// random. The only files that it reads are time zones.
package lost
