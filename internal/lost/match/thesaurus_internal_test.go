package match

import "testing"

func TestTheThesaurusHasEnoughWordsAndLittleMemory(t *testing.T) {
	const words, memory = 4000, 8 << 20
	th := theThesaurus()
	size := len(th.vectors) + 4*len(th.broader) + len(th.fields) + len(th.depth)
	for n, l := range th.languages {
		if l.size() < words {
			t.Errorf("%s has %d words", dictionaryLanguages[n], l.size())
		}
		size += len(l.letters) + 4*(len(l.ends)+len(l.meanings)+len(l.lasts))
	}
	if size > memory {
		t.Errorf("the thesaurus takes %d bytes", size)
	}
	t.Logf("the thesaurus takes %d bytes", size)
}

func TestRelatedMeanings(t *testing.T) {
	th := theThesaurus()
	related := func(a, b string) float64 { return th.related(th.senses(a), th.senses(b)) }
	for _, c := range []struct {
		a, b        string
		least, most float64
	}{
		{"umbrella", "parapluie", 0.9, 1}, {"schirm", "ombrello", 0.8, 1}, {"anorak", "jacket", 0.7, 1},
		{"wallet", "purse", 0.4, 0.9}, {"racket", "violin", 0, 0.3}, {"umbrella", "trousers", 0, 0.4},
	} {
		if got := related(c.a, c.b); got < c.least || got > c.most || got != related(c.b, c.a) {
			t.Errorf("%s and %s have %.2f, want %.2f to %.2f", c.a, c.b, got, c.least, c.most)
		}
	}
}

func TestABrokenThesaurusIsRejected(t *testing.T) {
	for _, file := range [][]byte{nil, []byte("x"), thesaurusFile[:len(thesaurusFile)/2]} {
		if _, err := readThesaurus(file); err == nil {
			t.Errorf("%d bytes were read", len(file))
		}
	}
}
