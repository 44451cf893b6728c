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
	if known, rest := c.split(of, terms, now); !slices.Equal(known, terms[:1]) || !slices.Equal(rest, terms[1:]) {
		t.Errorf("known are %q, counted are %q", known, rest)
	}
	theirs := of
	theirs.account = "b"
	if known, _ := c.split(theirs, terms, now); len(known) > 0 {
		t.Errorf("another account knows %q", known)
	}
	if known, _ := c.split(of, terms, now.Add(commonFor)); len(known) > 0 {
		t.Errorf("%q are known for ever", known)
	}
	for n := range maxCommon + 10 {
		c.learn(of, match.Counts{strconv.Itoa(n): match.MaxCounted}, now)
	}
	if len(c.until) > maxCommon {
		t.Errorf("%d are remembered", len(c.until))
	}
}
