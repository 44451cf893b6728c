package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"homeward/internal/lost/match"
)

// languageNames lists the languages of the thesaurus, in the order of the dictionary.
var languageNames = [...]string{"en", "de", "fr", "es", "it"}

// files maps the files of other languages to the position of the language.
var files = map[string]int{
	"wn-wikt-deu.tab": 1, "wn-cldr-deu.tab": 1, "wn-wikt-fra.tab": 2, "wn-cldr-fra.tab": 2, "wn-wikt-spa.tab": 3,
	"wn-cldr-spa.tab": 3, "wn-data-spa.tab": 3, "wn-wikt-ita.tab": 4, "wn-cldr-ita.tab": 4, "wn-data-ita.tab": 4,
}

// synset is a meaning of WordNet.
type synset struct {
	id      string // such as 04507155-n
	field   int    // number of the lexicographer file, such as 6 for artifacts
	english []string
	gloss   string
	parent  string
	words   [len(languageNames)][]string
	sense   map[string]int // rank of this meaning among those of an English lemma
	number  int            // in the file, from 1
	vector  []int8
}

// network is WordNet with the words of other languages.
type network struct {
	all    map[string]*synset
	order  []string // of lemma and part of speech: its meanings, the most frequent first
	chosen []*synset
}

// Numbers of lexicographer files, and the lowest frequency of English words that are taken from them, as a rank. The
// more of their things people lose, the more words are taken.
var fieldRanks = map[int]int{
	0: 14_000, 1: 6_000, // adjectives
	5: 50_000, 6: 140_000, 7: 4_000, 8: 30_000, 10: 14_000, 13: 30_000, 17: 8_000, 18: 7_000, 20: 40_000,
	21: 14_000, 25: 20_000, 27: 25_000, 4: 3_000, 44: 12_000,
}

// compoundFields are the lexicographer files from which terms of several words are taken too.
var compoundFields = []int{6, 13, 21, 25, 27}

func readWordNet(folder string, english vectors) (*network, error) {
	net := &network{all: map[string]*synset{}}
	for _, part := range []struct{ file, code string }{{"noun", "n"}, {"adj", "a"}} {
		if err := net.readData(filepath.Join(folder, "data."+part.file), part.code); err != nil {
			return nil, err
		}
		if err := net.readIndex(filepath.Join(folder, "index."+part.file), part.code); err != nil {
			return nil, err
		}
	}
	return net, nil
}

// eachLine calls a function for each line of a file that does not begin with a space, as the licence does.
func eachLine(path string, do func(line string) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	const longest = 1 << 20
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, longest)
	for lines.Scan() {
		if line := lines.Text(); line != "" && line[0] != ' ' && line[0] != '#' {
			if err := do(line); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	return lines.Err()
}

func (n *network) readData(path, code string) error {
	return eachLine(path, func(line string) error {
		data, gloss, _ := strings.Cut(line, "|")
		parts := strings.Fields(data)
		field, err := strconv.Atoi(parts[1])
		if err != nil {
			return err
		}
		count, err := strconv.ParseInt(parts[3], 16, 0)
		if err != nil {
			return err
		}
		s := &synset{id: parts[0] + "-" + code, field: field, gloss: gloss, sense: map[string]int{}}
		at := 4
		for range count {
			lemma, _, _ := strings.Cut(parts[at], "(")
			s.english = append(s.english, strings.ReplaceAll(lemma, "_", " "))
			at += 2
		}
		pointers, err := strconv.Atoi(parts[at])
		if err != nil {
			return err
		}
		for p := range pointers {
			pointer := parts[at+1+4*p : at+5+4*p]
			up := pointer[0] == "@" || pointer[0] == "@i" || parts[2] == "s" && pointer[0] == "&"
			if s.parent == "" && up {
				s.parent = pointer[1] + "-" + code
			}
		}
		n.all[s.id] = s
		return nil
	})
}

// readIndex reads the order of the meanings of each lemma.
func (n *network) readIndex(path, code string) error {
	return eachLine(path, func(line string) error {
		parts := strings.Fields(line)
		count, err := strconv.Atoi(parts[2])
		if err != nil {
			return err
		}
		for rank, offset := range parts[len(parts)-count:] {
			if s := n.all[offset+"-"+code]; s != nil {
				s.sense[strings.ReplaceAll(parts[0], "_", " ")] = rank
			}
		}
		return nil
	})
}

func (n *network) readOtherLanguages(folder string) error {
	for _, name := range slices.Sorted(mapKeys(files)) {
		language := files[name]
		err := eachLine(filepath.Join(folder, name), func(line string) error {
			parts := strings.Split(line, "\t")
			s := n.all[parts[0]]
			if s == nil || len(parts) < 3 || !strings.HasSuffix(parts[1], "lemma") {
				return nil
			}
			s.words[language] = append(s.words[language], strings.TrimSpace(parts[len(parts)-1]))
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// key returns a lemma as the dictionary compares words: folded, its words separated by spaces. It is empty for a lemma
// that cannot be found in a text.
func key(lemma string) string {
	words := strings.FieldsFunc(strings.ToLower(lemma), func(r rune) bool {
		return r == ' ' || r == '_' || r == '-' || r == '\'' || r == '’' || r == '.' || r == '(' || r == ')'
	})
	const most = 4
	if len(words) == 0 || len(words) > most {
		return ""
	}
	var folded []byte
	for i, word := range words {
		if i > 0 {
			folded = append(folded, ' ')
		}
		folded = match.AppendFolded(folded, word)
	}
	for _, c := range folded {
		if (c < 'a' || c > 'z') && c != ' ' {
			return ""
		}
	}
	const shortest, longest = 3, 32
	if len(folded) < shortest || len(folded) > longest {
		return ""
	}
	return string(folded)
}

// choose chooses the meanings of things that people lose and of what describes them, and all broader meanings.
func (n *network) choose(english vectors) {
	wanted := map[string]bool{}
	for id, s := range n.all {
		limit, known := fieldRanks[s.field]
		if !known || !s.isFrequent(english, limit) {
			continue
		}
		for at := id; at != "" && !wanted[at] && n.all[at] != nil; at = n.all[at].parent {
			wanted[at] = true
		}
	}
	ids := make([]string, 0, len(wanted))
	for id := range wanted {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		s := n.all[id]
		n.chosen = append(n.chosen, s)
		s.number = len(n.chosen)
	}
}

// isFrequent reports whether all words of one of the first lemmas are frequent enough, and the meaning is one of the
// first of that lemma.
func (s *synset) isFrequent(english vectors, limit int) bool {
	const firstSenses = 4
	for _, lemma := range s.english {
		lemma = strings.ToLower(lemma)
		if key(lemma) == "" || s.sense[lemma] >= firstSenses || !s.allows(lemma) {
			continue
		}
		rare := false
		for _, word := range strings.FieldsFunc(lemma, func(r rune) bool { return r == ' ' || r == '-' || r == '\'' }) {
			rank, known := english.rank[word]
			rare = rare || !known || rank > limit
		}
		if !rare {
			return true
		}
	}
	return false
}

// allows reports whether a term of several words is taken.
func (s *synset) allows(lemma string) bool {
	return !strings.Contains(key(lemma), " ") || slices.Contains(compoundFields, s.field)
}
