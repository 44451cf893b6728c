package identity

import (
	"strings"
	"testing"

	"homeward/internal/lost"
)

func TestAPasswordMatchesOnlyItsHash(t *testing.T) {
	h := NewHasher(Hashing{Memory: 8, Passes: 1})
	hash, err := h.hash(t.Context(), "correct horse")
	if err != nil || strings.Contains(hash, "horse") {
		t.Fatalf("got hash %q, %v", hash, err)
	}
	again, _ := h.hash(t.Context(), "correct horse")
	if again == hash {
		t.Error("two hashes of the same password are equal")
	}
	for password, want := range map[string]bool{"correct horse": true, "correct hors": false, "": false} {
		if ok, err := h.matches(t.Context(), hash, password); ok != want || err != nil {
			t.Errorf("%q: got %v, %v, want %v", password, ok, err, want)
		}
	}
	for _, broken := range []string{"", "plain", "$argon2id$v=19$m=1$!$!", "$argon2id$v=19$m=8,t=0,p=1$AAAA$AAAA"} {
		if ok, err := h.matches(t.Context(), broken, "x"); ok || err == nil {
			t.Errorf("hash %q: got %v, %v, want an error", broken, ok, err)
		}
	}
	if ok, err := NewHasher(Hashing{Memory: 16, Passes: 2}).matches(t.Context(), hash, "correct horse"); !ok ||
		err != nil {
		t.Errorf("after a change of the cost: got %v, %v", ok, err)
	}
	if _, err := h.hash(t.Context(), "short"); lost.CodeOf(err) != lost.Invalid {
		t.Errorf("short password: got %v, want invalid", err)
	}
}

// By default, hashes have the full cost. This includes the hash that is compared if the user does not exist.
func TestPasswordsAreHashedAtFullCostByDefault(t *testing.T) {
	h := NewHasher(Hashing{})
	hash, err := h.hash(t.Context(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	for _, stored := range []string{hash, h.nobody} {
		if cost, salt, sum, err := decodeHash(stored); cost != FullHashing || len(salt) < 16 || len(sum) < 32 ||
			err != nil {
			t.Errorf("%s: got cost %+v, %v", stored, cost, err)
		}
	}
	if FullHashing.Memory < 19*1024 || FullHashing.Passes < 2 {
		t.Errorf("the full cost is below the OWASP recommendation: %+v", FullHashing)
	}
}
