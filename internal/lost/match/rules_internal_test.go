package match

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"testing"
)

// After a change to the dictionary, the weights or the other numbers of the rules, and after a merge of two such
// changes, increase RulesVersion, and copy it and the fingerprint from the test's message.
func TestChangedRulesHaveANewVersion(t *testing.T) {
	const (
		version     = 8
		fingerprint = "f5240b2cdd007281"
	)
	sum := sha256.New()
	err := fs.WalkDir(termFiles, "terms", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := termFiles.ReadFile(path)
		sum.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	sum.Write(thesaurusFile)
	fmt.Fprint(sum, weights, likelyFrom, possibleFrom, suggestedFrom, specific, detailWeights, classWeights,
		meaningWeight, shades, generalNames, looks)
	for _, points := range []float64{-2, 0, 2, 4} { // the cap of the values of pairs with only common properties
		for _, share := range []float64{0, 0.25, 0.5, 0.55, 0.6, 0.65, 0.75, 1} {
			var e Evidence
			e[generic] = share
			fmt.Fprintf(sum, " %.6f", Weights{Base: points}.Value(e))
		}
	}
	if got := fmt.Sprintf("%x", sum.Sum(nil)[:8]); got != fingerprint || RulesVersion != version {
		t.Errorf("rules of version %d have fingerprint %s, but %s belongs to version %d: increase RulesVersion",
			RulesVersion, got, fingerprint, version)
	}
}
