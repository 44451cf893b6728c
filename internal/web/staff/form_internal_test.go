package staff

import (
	"net/url"
	"testing"
)

func TestWhatIsDeletedIsTypedAsPeopleTypeIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typed, want string
		is          bool
	}{
		{"hw 4k7q", "HW-4K7Q", true}, {"hotel adler", "Hotel Adler", true}, {"Hotel Adlon", "Hotel Adler", false}, {"", "Hotel Adler", false},
		{"-", "-", true}, {"", "-", false}, {" ", "- -", false},
	} {
		if err := confirmed(url.Values{"name": {c.typed}}, "name", c.want); (err == nil) != c.is {
			t.Errorf("%q for %q: %v", c.typed, c.want, err)
		}
	}
}
