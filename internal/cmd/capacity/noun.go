package main

import "slices"

// noun describes a kind of record: its tables, its retention period, and the number of records per found item.
type noun struct {
	name    string
	tables  []string
	days    int // retention period in days; 0 means forever
	perFind float64
	table   float64 // bytes of one record
	indexes float64
}

func (n noun) bytes() float64 { return n.table + n.indexes }

// nouns returns the space used by one record of each kind in a database. Found items and requests are rows in the
// same table. Matching terms are counted separately, because they are stored only while an item is pending.
func (s sizes) nouns() []noun {
	finds, items := float64(s.Finds), float64(s.Finds+s.Requests)
	all := []noun{
		{name: "found item", tables: []string{"items"}, perFind: 1},
		{name: "request", tables: []string{"items"}, perFind: float64(s.Requests) / finds},
		{name: "waiting to be matched", tables: []string{"match_terms", "match_subjects", "matches"}, days: waitDays},
		{name: "history entry", tables: []string{"item_history"}},
		{name: "message", tables: []string{"messages"}, days: guestDays},
		{name: "guest's link", tables: []string{"links", "directory"}, days: guestDays},
		{name: "shipment", tables: []string{"shipments"}},
		{name: "event", tables: []string{"events"}, days: eventDays},
		{name: "delivery", tables: []string{"deliveries"}, days: eventDays},
	}
	for i, n := range all {
		var rows float64
		for _, name := range n.tables {
			t := s.Tables[name]
			n.table += float64(t.Table)
			n.indexes += float64(t.Indexes)
			rows = max(rows, float64(t.Rows))
		}
		switch {
		case slices.Equal(n.tables, []string{"items"}):
			rows = items
		case n.name == "waiting to be matched":
			rows = float64(s.Tables["match_subjects"].Rows) // each item has one subject but many terms
		case n.name == "guest's link":
			rows = float64(s.Tables["links"].Rows)
		}
		if n.perFind == 0 {
			n.perFind = rows / finds
		}
		n.table, n.indexes = n.table/max(1, rows), n.indexes/max(1, rows)
		all[i] = n
	}
	return all
}

// others returns the space used by an account's other tables: users, locations, keys and counts. It does not grow
// with the number of items. Tables with few rows are ignored: their pages are mostly empty in the measurement, which
// has only one account.
func (s sizes) others() (bytes float64) {
	const minRows = 50
	var counted []string
	for _, n := range s.nouns() {
		counted = append(counted, n.tables...)
	}
	for name, t := range s.Tables {
		if !slices.Contains(counted, name) && t.Rows >= minRows {
			bytes += float64(t.Table + t.Indexes)
		}
	}
	return bytes
}

func (s sizes) total() (bytes float64) {
	for _, t := range s.Tables {
		bytes += float64(t.Table + t.Indexes)
	}
	return bytes
}
