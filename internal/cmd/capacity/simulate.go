package main

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
)

// tier describes a service of a certain size.
type tier struct {
	name     string
	accounts int
	finds    float64 // found items of all accounts in the first year
	growth   float64 // the yearly growth factor of found items
	years    int
	shards   int
}

func tiers() []tier {
	return []tier{
		{"a hotel", 1, 2e3, 1, 5, 1},
		{"a chain or an airport", 1, 2e5, 1, 5, 1},
		{"a thousand customers", 1000, 2e6, 1.2, 5, 1},
		{"a country", 20_000, 4e7, 1.2, 5, 64},
		{"the internet", 500_000, 1e9, 1.2, 5, 512},
	}
}

// requirements holds what a tier needs in its last year.
type requirements struct {
	tier
	engine string

	finds      float64            // found items in that year
	rows       map[string]float64 // by noun, at the end of that year
	allRows    float64
	table      float64 // size in bytes
	indexes    float64
	files      float64
	hot        float64 // bytes of data that should be in memory
	peak       peak
	cores      float64 // number of busy cores at the peak
	instances  int
	conns      int     // maximum number of database connections
	nodes      int     // number of database nodes
	largest    float64 // the largest account's share of the whole service
	balance    float64 // the size of the largest shard relative to the mean
	alone      float64 // like balance, if the ten largest accounts have their own shards
	shardBytes float64 // mean size of a shard
	moveHours  float64 // how many hours it takes to move the largest shard
}

func (n requirements) bytes() float64 { return n.table + n.indexes }

// peak holds the number of operations per second at the busiest time.
type peak struct{ finds, requests, webhooks, messages, jobs, uploads float64 }

const seed = 1912 // arbitrary; another seed produces different account IDs and time zones

// simulate computes a tier's requirements by simulating its years day by day.
func simulate(t tier, engine string, s sizes) requirements {
	n := requirements{tier: t, engine: engine, rows: map[string]float64{}}
	days := everyDay(t)
	year := days[len(days)-daysOfYear:]
	n.finds = sum(year)
	nouns := s.nouns()
	for _, of := range nouns {
		retained := days
		if of.days > 0 {
			retained = days[max(0, len(days)-of.days):]
		}
		rows := of.perFind * sum(retained)
		n.rows[of.name] = rows
		n.allRows += rows
		n.table += rows * of.table * tableSlack
		n.indexes += rows * of.indexes * indexSlack
		n.hot += of.perFind * sum(days[max(0, len(days)-min(hotDays, frequentDays(of))):]) * (of.table*tableSlack +
			of.indexes*indexSlack)
	}
	n.table += s.others() * float64(t.accounts)
	h := usualHabits()
	n.files = h.photos * h.photoBytes * sum(days[max(0, len(days)-photoDays):])
	const upperLevels = 0.02 // the share of old index data that is still used: the upper levels
	n.hot += upperLevels * n.indexes
	shares, zones := accountsOf(t)
	n.peak = peakOf(slices.Max(year), zones, nouns)
	n.cores = n.peak.cores(nouns)
	n.plan(shares)
	return n
}

// frequentDays returns for how many days a noun's records are read often. For events and deliveries, this is only
// slightly longer than the time until delivery.
func frequentDays(of noun) int {
	if of.days == eventDays {
		return 2
	}
	if of.days == 0 {
		return hotDays
	}
	return of.days
}

const daysOfYear = 365

// everyDay returns the number of found items on each day. It is higher in summer, lower in the middle of the week,
// and grows from year to year.
func everyDay(t tier) []float64 {
	days := make([]float64, t.years*daysOfYear)
	var first float64
	for d := range days {
		season := 1 + 0.3*math.Sin(2*math.Pi*float64(d%daysOfYear-105)/daysOfYear)
		week := []float64{1.25, 1.1, 0.9, 0.8, 0.85, 1, 1.1}[d%7]
		days[d] = season * week
		if d < daysOfYear {
			first += days[d]
		}
	}
	for d := range days {
		days[d] *= t.finds / first * math.Pow(t.growth, float64(d)/daysOfYear)
	}
	return days
}

func sum(values []float64) (total float64) {
	for _, x := range values {
		total += x
	}
	return total
}

// accountsOf returns each account's share of the whole service, and the share of each time zone. The sizes of
// accounts follow Zipf's law: the second largest is 0.57 times as large as the largest, and the tenth 0.16 times.
func accountsOf(t tier) (shares []account, zones [24]float64) {
	const exponent = 0.8
	r := rand.New(rand.NewPCG(seed, uint64(t.accounts))) // always produces the same accounts
	shares = make([]account, t.accounts)
	var all float64
	for i := range shares {
		shares[i].share = math.Pow(float64(i+1), -exponent)
		all += shares[i].share
	}
	for i := range shares {
		shares[i].share /= all
		shares[i].hash = hashOf(r)
		zones[randomZone(r)] += shares[i].share
	}
	return shares, zones
}

// account is an account in a tier.
type account struct {
	share float64
	hash  uint32
}

// hashOf generates an account ID and returns its 32-bit hash. The hashes are evenly distributed, like those of the
// PostgreSQL hash function that Citus uses.
func hashOf(r *rand.Rand) uint32 {
	var bits [16]byte
	binary.BigEndian.PutUint64(bits[:8], r.Uint64())
	binary.BigEndian.PutUint64(bits[8:], r.Uint64())
	sum := sha256.Sum256([]byte("acc_" + base32.StdEncoding.EncodeToString(bits[:])))
	return binary.BigEndian.Uint32(sum[:])
}

// randomZone returns a random time zone in Europe, the Americas or Asia.
func randomZone(r *rand.Rand) int {
	where := []int{23, 0, 0, 1, 1, 1, 2, 3, 16, 17, 18, 18, 19, 19, 20, 5, 7, 8, 8, 9, 10}
	return where[r.IntN(len(where))]
}

// dayCurve returns the share of a day's found items in each hour. It peaks in the late morning, during housekeeping.
func dayCurve() [24]float64 {
	curve := [24]float64{
		.3, .2, .1, .1, .2, .5, 1.5, 3, 5, 8, 11, 12.5, 10, 8, 7, 6.5, 6, 5.5, 4.5, 3.5, 2.6, 2, 1.3, .7,
	}
	var all float64
	for _, x := range curve {
		all += x
	}
	for h := range curve {
		curve[h] /= all
	}
	return curve
}

// peakOf returns the load in the busiest second of the busiest day. It is three times the mean of the busiest hour
// across all time zones, because requests come in bursts.
func peakOf(day float64, zones [24]float64, nouns []noun) (p peak) {
	const burst, secondsOfHour = 3, 3600
	curve := dayCurve()
	var busiest float64
	for h := range curve {
		var here float64
		for zone, share := range zones {
			here += share * curve[(h+zone)%len(curve)]
		}
		busiest = max(busiest, here)
	}
	p.finds = day * busiest / secondsOfHour * burst
	h := usualHabits()
	per := perFind(nouns)
	p.uploads = p.finds * h.photos
	p.webhooks = p.finds * per["delivery"]
	p.messages = p.finds * per["message"]
	// Each found item and request is matched, and each photo gets a thumbnail.
	p.jobs = p.webhooks + p.messages + p.finds*(1+per["request"]) + p.uploads
	p.requests = p.finds*(1+h.pages+h.guestPages+h.gets+h.lists+h.searches+h.moves) + p.uploads
	return p
}

func perFind(nouns []noun) map[string]float64 {
	per := map[string]float64{}
	for _, n := range nouns {
		per[n.name] = n.perFind
	}
	return per
}

// cores returns how many cores are busy at the peak, including those of the database.
func (p peak) cores(nouns []noun) float64 {
	h := usualHabits()
	one := create.cores() + h.gets*get.cores() + h.lists*list.cores() + h.searches*search.cores() +
		h.moves*move.cores() +
		(h.pages+h.guestPages)*pageSeconds + (1+perFind(nouns)["request"])*matchSeconds + h.photos*photoSeconds
	return p.finds*one + (p.webhooks+p.messages)*deliver.cores()
}

// plan determines how many machines a tier needs and how large its shards are.
func (n *requirements) plan(shares []account) {
	n.largest = shares[0].share
	const separate = 10 // number of accounts that may get their own shards
	n.balance = largestShard(shares, n.shards)
	n.alone = n.balance
	if len(shares) > separate {
		n.alone = largestShard(shares[separate:], n.shards)
	}
	n.shardBytes = n.bytes() / float64(n.shards)
	n.moveHours = n.shardBytes * n.balance / moveBytes / 3600
	n.instances = ceil(n.cores / instanceCores / busyShare)
	if n.finds > 1e6 {
		n.instances = max(3, n.instances) // so that one may fail while another is being updated
	}
	n.conns = n.instances * max(8, 4*instanceCores) // as many as internal/store opens
	n.nodes = max(ceil(n.bytes()/maxDiskShare/databaseBytes), ceil(n.hot/databaseRAM/maxDiskShare),
		ceil(n.cores/2/busyShare/databaseCores))
	if n.shards == 1 {
		n.nodes = 1
	}
}

func ceil(x float64) int { return max(1, int(math.Ceil(x))) }

// largestShard assigns accounts to shards by ranges of their hashes, and returns the size of the largest shard
// relative to the mean.
func largestShard(accounts []account, shards int) float64 {
	load := make([]float64, shards)
	for _, a := range accounts {
		load[int(uint64(a.hash)*uint64(shards)>>32)] += a.share
	}
	return slices.Max(load) / (sum(load) / float64(shards))
}
