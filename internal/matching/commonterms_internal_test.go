package matching

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/match"
)

func TestOnlyCommonTermsAreCachedAndTheyExpire(t *testing.T) {
	c, now := &commonTerms{until: map[commonTerm]time.Time{}}, time.Now()
	of := commonTerm{account: "a", pool: "p", source: lost.Found}
	c.learn(of, match.Counts{"bag": match.MaxCounted, "quagga": match.MaxCounted - 1}, now)
	terms := []string{"bag", "quagga"}
	if common, rest := c.split(of, terms, now); !slices.Equal(common, terms[:1]) || !slices.Equal(rest, terms[1:]) {
		t.Errorf("got common terms %q and other terms %q", common, rest)
	}
	other := of
	other.account = "b"
	if common, _ := c.split(other, terms, now); len(common) > 0 {
		t.Errorf("terms %q of another account are cached", common)
	}
	if common, _ := c.split(of, terms, now.Add(commonFor)); len(common) > 0 {
		t.Errorf("terms %q did not expire", common)
	}
	for n := range maxCommon + 10 {
		c.learn(of, match.Counts{strconv.Itoa(n): match.MaxCounted}, now)
	}
	if len(c.until) > maxCommon {
		t.Errorf("%d terms are cached", len(c.until))
	}
}
