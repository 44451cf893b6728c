// Package matching compares requests with found items, saves suggestions, and lists them for staff. The rules for
// comparing two descriptions are in lost/match.
package matching
