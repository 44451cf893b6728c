package identity

import (
	"strings"
	"testing"

	"homeward/internal/lost"
)

func TestAPasswordMatchesOnlyItsHash(t *testing.T) {
	h := NewHasher(Hashing{Memory: 8, Passes: 1})
	kept, err := h.hash(t.Context(), "correct horse")
	if err != nil || strings.Contains(kept, "horse") {
		t.Fatalf("kept as %q, %v", kept, err)
	}
	again, _ := h.hash(t.Context(), "correct horse")
	if again == kept {
		t.Error("two hashes of one password are the same")
	}
	for password, want := range map[string]bool{"correct horse": true, "correct hors": false, "": false} {
		if ok, err := h.matches(t.Context(), kept, password); ok != want || err != nil {
			t.Errorf("%q: %v, %v", password, ok, err)
		}
	}
	for _, broken := range []string{"", "plain", "$argon2id$v=19$m=1$!$!", "$argon2id$v=19$m=8,t=0,p=1$AAAA$AAAA"} {
		if ok, err := h.matches(t.Context(), broken, "x"); ok || err == nil {
			t.Errorf("%q: %v, %v", broken, ok, err)
		}
	}
	if ok, err := NewHasher(Hashing{Memory: 16, Passes: 2}).matches(t.Context(), kept, "correct horse"); !ok ||
		err != nil {
		t.Errorf("after the cost was changed: %v, %v", ok, err)
	}
	if _, err := h.hash(t.Context(), "short"); lost.CodeOf(err) != lost.Invalid {
		t.Errorf("a short password: %v", err)
	}
}

// The default is full cost, and it takes as long for a user that does not exist.
func TestPasswordsAreHashedAtFullCostByDefault(t *testing.T) {
	h := NewHasher(Hashing{})
	kept, err := h.hash(t.Context(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	for _, hash := range []string{kept, h.nobody} {
		if cost, salt, sum, err := decodeHash(hash); cost != FullHashing || len(salt) < 16 || len(sum) < 32 ||
			err != nil {
			t.Errorf("%s: %+v, %v", hash, cost, err)
		}
	}
	if FullHashing.Memory < 19*1024 || FullHashing.Passes < 2 {
		t.Errorf("the full cost is below what OWASP recommends: %+v", FullHashing)
	}
}
