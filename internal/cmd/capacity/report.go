package main

import (
	"fmt"
	"strings"
)

// report returns all tables for a measurement.
func report(m measured) []table {
	return []table{
		{"bytes", reportBytes(m)}, {"tiers", reportTiers(m)}, {"peaks", reportPeaks(m)}, {"shards", reportShards(m)},
		{"prices", reportPrices()},
	}
}

func reportBytes(m measured) string {
	var b strings.Builder
	b.WriteString("| record | per found item | retention | SQLite: row | indexes | PostgreSQL: row | indexes " +
		"|\n|---|--:|---|--:|--:|--:|--:|\n")
	lite, post := m["sqlite"].nouns(), m["postgres"].nouns()
	var all [4]float64
	for i, n := range lite {
		retention := "forever"
		if n.days > 0 {
			retention = fmt.Sprintf("%d days", n.days)
		}
		p := post[i]
		fmt.Fprintf(&b, "| %s | %.2f | %s | %.0f | %.0f | %.0f | %.0f |\n", n.name, n.perFind, retention, n.table,
			n.indexes,
			p.table, p.indexes)
		for k, x := range []float64{
			n.table * n.perFind, n.indexes * n.perFind, p.table * p.perFind, p.indexes * p.perFind,
		} {
			all[k] += x
		}
	}
	fmt.Fprintf(&b, "| **total per found item** | | | %.0f | %.0f | %.0f | %.0f |\n", all[0], all[1], all[2],
		all[3])
	fmt.Fprintf(&b, "\nBytes. Measured with %d found items and %d requests.\n", m["sqlite"].Finds,
		m["sqlite"].Requests)
	return b.String()
}

// simulateAll simulates every tier on the database that it uses.
func simulateAll(m measured) (all []requirements) {
	for n, t := range tiers() {
		engine := "postgres"
		if n == 0 {
			engine = "sqlite"
		}
		all = append(all, simulate(t, engine, m[engine]))
	}
	return all
}

func reportTiers(m measured) string {
	var b strings.Builder
	b.WriteString("| after five years | accounts | found items per year | rows | tables | indexes | photos " +
		"| hot data | cores at the peak | instances of 4 cores | database |\n" +
		"|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n")
	for _, n := range simulateAll(m) {
		database := map[string]string{"sqlite": "SQLite", "postgres": "PostgreSQL"}[n.engine]
		if n.nodes > 1 {
			database += fmt.Sprintf(", %d nodes of %d cores, %s", n.nodes, databaseCores, amount(databaseRAM))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %d | %s |\n", n.name,
			count(float64(n.accounts)), count(n.finds), count(n.allRows), amount(n.table), amount(n.indexes),
			amount(n.files), amount(n.hot), number(n.cores), n.instances, database)
	}
	return b.String()
}

func reportPeaks(m measured) string {
	var b strings.Builder
	b.WriteString("| per second at the peak | found items | requests | uploads | webhooks | messages " +
		"| background jobs | maximum database connections |\n|---|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, n := range simulateAll(m) {
		p := n.peak
		conns := fmt.Sprint(n.conns)
		if n.engine == "sqlite" {
			conns = "1 writer, 4 readers"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", n.name, number(p.finds), number(p.requests),
			number(p.uploads), number(p.webhooks), number(p.messages), number(p.jobs), conns)
	}
	return b.String()
}

func reportShards(m measured) string {
	var b strings.Builder
	b.WriteString("| | shards | mean shard | largest account | largest shard / mean shard | if the ten largest " +
		"accounts are separate | time to move the largest shard |\n|---|--:|--:|--:|--:|--:|--:|\n")
	for _, n := range simulateAll(m) {
		if n.shards == 1 {
			continue
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %.2f %% | %.1f | %.2f | %.1f h |\n", n.name, n.shards, amount(n.shardBytes),
			100*n.largest, n.balance, n.alone, n.moveHours)
	}
	return b.String()
}

// reportPrices returns a table of the operation costs that determine the number of cores.
func reportPrices() string {
	var b strings.Builder
	b.WriteString("| operation | core-milliseconds | per found item | source |\n|---|--:|--:|---|\n")
	h := usualHabits()
	for _, x := range []struct {
		name    string
		seconds float64
		perFind float64
		source  string
	}{
		{"record a found item", create.cores(), 1, "performance.md, create"},
		{"read an item with the API", get.cores(), h.gets, "performance.md, get"},
		{"list items", list.cores(), h.lists, "performance.md, list"},
		{"search items", search.cores(), h.searches, "performance.md, search-rare"},
		{"change a status", move.cores(), h.moves, "performance.md, update-status"},
		{"show a dashboard page or a guest page", pageSeconds, h.pages + h.guestPages, "performance.md, pages"},
		{"match an item", matchSeconds, 1, "performance.md, matching"},
		{"deliver a webhook or an e-mail", deliver.cores(), 0, "performance.md, webhooks, 100 endpoints"},
		{"receive a photo and make its thumbnail", photoSeconds, h.photos, "assumed"},
	} {
		perFind := "as measured above"
		if x.perFind > 0 {
			perFind = fmt.Sprint(x.perFind)
		}
		fmt.Fprintf(&b, "| %s | %.2f | %s | %s |\n", x.name, 1000*x.seconds, perFind, x.source)
	}
	return b.String()
}

// number formats a quantity, with two significant digits if it is small.
func number(x float64) string {
	switch {
	case x < 0.095:
		return fmt.Sprintf("%.3f", x)
	case x < 9.95:
		return fmt.Sprintf("%.1f", x)
	default:
		return count(x)
	}
}

// count formats a large number.
func count(x float64) string {
	switch {
	case x >= 1e9:
		return fmt.Sprintf("%.1f billion", x/1e9)
	case x >= 1e6:
		return fmt.Sprintf("%.1f million", x/1e6)
	case x >= 1e4:
		return fmt.Sprintf("%.0f,000", x/1e3)
	default:
		return fmt.Sprintf("%.0f", x)
	}
}

// amount formats a number of bytes, using powers of a thousand.
func amount(x float64) string {
	for _, unit := range []string{"B", "kB", "MB", "GB", "TB"} {
		if x < 1000 {
			return fmt.Sprintf("%.3g %s", x, unit)
		}
		x /= 1000
	}
	return fmt.Sprintf("%.3g PB", x)
}
