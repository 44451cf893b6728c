package main

import (
	"math"
	"strings"
	"unicode"

	"homeward/internal/lost/match/matchtest"
)

// bm25 returns a ranking that uses only shared words. It is the baseline for matching.
func bm25(finds []matchtest.Find) func(matchtest.Request) []guess {
	const k, b = 1.2, 0.75
	documents := make([]map[string]float64, len(finds))
	lengths := make([]float64, len(finds))
	documentFrequency := map[string]float64{}
	average := 0.0
	for n, f := range finds {
		documents[n] = map[string]float64{}
		for _, w := range words(f.Description, f.Brand, f.Model, f.Color, f.DiscoveryPlace, f.Notes) {
			documents[n][w]++
			lengths[n]++
		}
		for w := range documents[n] {
			documentFrequency[w]++
		}
		average += lengths[n] / float64(len(finds))
	}
	return func(r matchtest.Request) (all []guess) {
		query := words(r.Description, r.Brand, r.Model, r.Color, r.LostPlace, r.Proof, r.FirstName, r.LastName)
		for n, f := range finds {
			value := 0.0
			for _, w := range query {
				if count := documents[n][w]; count > 0 {
					rarity := math.Log(1 + (float64(len(finds))-documentFrequency[w]+0.5)/(documentFrequency[w]+0.5))
					value += rarity * count * (k + 1) / (count + k*(1-b+b*lengths[n]/average))
				}
			}
			if value > 0 {
				all = append(all, guess{item: f.ID, value: value})
			}
		}
		return best(all)
	}
}

func words(texts ...string) []string {
	return strings.FieldsFunc(strings.ToLower(strings.Join(texts, " ")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}
