package match

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"testing"
)

// After a change to the dictionary or the weights, increase RulesVersion and copy the fingerprint from the test's
// message.
func TestChangedRulesHaveANewVersion(t *testing.T) {
	const (
		version     = 7
		fingerprint = "1e5d2c170cf1e62f"
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
	fmt.Fprint(sum, weights, likelyFrom, possibleFrom, suggestedFrom)
	if got := fmt.Sprintf("%x", sum.Sum(nil)[:8]); got != fingerprint || RulesVersion != version {
		t.Errorf("rules of version %d have fingerprint %s, but %s belongs to version %d: increase RulesVersion",
			RulesVersion, got, fingerprint, version)
	}
}
