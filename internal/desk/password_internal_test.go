package desk

import (
	"strings"
	"testing"

	"homeward/internal/lost"
)

func TestAPasswordIsKeptAsAHashThatOnlyItMatches(t *testing.T) {
	h := newHasher()
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
	for _, broken := range []string{"", "plain", "$argon2id$v=19$m=1$!$!"} {
		if ok, err := h.matches(t.Context(), broken, "x"); ok || err == nil {
			t.Errorf("%q: %v, %v", broken, ok, err)
		}
	}
	if _, err := h.hash(t.Context(), "short"); lost.CodeOf(err) != lost.Invalid {
		t.Errorf("a short password: %v", err)
	}
}
