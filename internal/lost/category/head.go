package category

import (
	"strings"
	"unicode/utf8"

	"homeward/internal/lost"
)

// The levels of certainty.
const (
	usual  = 1 + iota // what a maker usually makes
	vague             // a term that may mean other things
	strong            // a term that names the thing
)

// choice is a category and how certain it is.
type choice struct {
	category lost.Category
	level    int
}

// choose returns the category of the most certain phrase; of equal ones, of the first.
func (r *reader) choose() (best choice) {
	for from := 0; from < len(r.terms); {
		to := from + 1
		for to < len(r.terms) && !r.terms[to].fresh {
			to++
		}
		if found := r.clause(from, to); found.level > best.level {
			best = found
		}
		if best.level == strong {
			return best
		}
		from = to
	}
	return best
}

// clause returns the category of a clause: of its first phrase of nouns. A maker or product at the start is the thing
// unless a noun follows before what it has with it: "iPhone with case", but "Samsung black phone".
func (r *reader) clause(from, to int) (best choice) {
	for i := from; i < to; {
		m := r.meaning(r.terms[i])
		if m.role == with && best.level > 0 {
			return best
		}
		if !m.names() {
			i++
			continue
		}
		end := r.phraseEnd(i, to)
		found := r.phrase(i, end, to)
		if found.category == lost.DocumentCategory && r.hasMoney(end, to) {
			found.category = lost.MoneyCategory
		}
		if found.level > best.level {
			best = found
		}
		if best.level == strong {
			return best
		}
		i = end
	}
	return best
}

// hasMoney reports whether an envelope, which is a document, contains money.
func (r *reader) hasMoney(i, to int) bool {
	contains := false
	for _, t := range r.terms[i:to] {
		m := r.meaning(t)
		contains = contains || m.role == with || m.role == of
		if contains && m.role == noun && m.category == lost.MoneyCategory {
			return true
		}
	}
	return false
}

// names reports whether a term is, or may be, the name of a thing.
func (s sense) names() bool {
	return s.role == noun || s.role == holder || s.role == product || s.role == brand && s.category != ""
}

// phraseEnd returns the end of the nouns that follow each other directly. Numbers and the names of models are skipped.
func (r *reader) phraseEnd(from, to int) int {
	end := from + 1
	for i := from + 1; i < to; i++ {
		m := r.meaning(r.terms[i])
		switch {
		case r.terms[i-1].gap:
			return end
		case m.names():
			if m.role != holder && r.separate(i-1, i) {
				return end
			}
			end = i + 1
		case m.role == of && r.terms[i].unspaced, m.role == with && r.terms[i].unspaced && r.continues(i, to):
		case r.terms[i].number, models[string(r.at(r.terms[i].from, r.terms[i].to))]:
		default:
			return end
		}
	}
	return end
}

// separate reports whether a space separates two terms of a script that has no spaces inside a phrase.
func (r *reader) separate(i, next int) bool {
	return r.terms[i].unspaced && r.terms[next].unspaced && r.terms[i].from != r.terms[next].from
}

// models are words in the names of products.
var models = map[string]bool{
	"pro": true, "max": true, "mini": true, "plus": true, "ultra": true, "air": true, "se": true, "lite": true,
	"gen": true, "generation": true, "xl": true, "note": true, "neo": true, "edge": true, "fe": true, "5g": true,
	"s": true, "x": true, "xr": true, "xs": true,
}

// continues reports whether the text goes on directly after a particle such as 付きの.
func (r *reader) continues(i, to int) bool {
	return i+1 < to && r.terms[i+1].unspaced && !r.terms[i].gap && r.meaning(r.terms[i+1]).role == of
}

// phrase returns the category of nouns that follow each other directly, of which the last or first is the head.
func (r *reader) phrase(from, end, to int) choice {
	var things [6]sense
	count, holders := 0, 0
	for i := from; i < end && count < len(things); i++ {
		m := r.meaning(r.terms[i])
		if !m.names() {
			continue
		}
		if m.role == holder {
			holders++
		}
		if r.terms[i].first != nil && m.role == holder && count < len(things)-1 {
			things[count] = r.known(r.terms[i].first)
			count++
		}
		if content := r.known(r.terms[i].first); m.contains && content.role == noun {
			m = content // Parfümflasche
		}
		things[count] = m
		count++
	}
	if holders > 0 {
		return r.held(things[:count], end, to)
	}
	head := r.head(things[:count])
	if head.contains || r.meaning(r.terms[from]).contains {
		if content := r.content(from, end, to); content.level > 0 {
			return content
		}
	}
	return head.choice()
}

// known returns the first meaning that has a category.
func (r *reader) known(senses []sense) sense {
	for _, s := range senses {
		if s.category != "" {
			return s
		}
	}
	return sense{}
}

func (s sense) choice() choice {
	switch {
	case s.category == "":
		return choice{}
	case s.role == brand:
		return choice{s.category, usual}
	case s.weak:
		return choice{s.category, vague}
	}
	return choice{s.category, strong}
}

// head returns the head of a phrase. A noun comes before a product, a product before a brand. Keys and chargers are
// often written before what they belong to.
func (r *reader) head(things []sense) (head sense) {
	rank := func(s sense) int {
		switch {
		case s.role == noun && (s.category == lost.ChargerCategory || s.category == lost.KeysCategory):
			return 5
		case s.role == noun && !s.weak:
			return 4
		case s.role == product:
			return 3
		case s.role == noun:
			return 2
		}
		return 1
	}
	for n, s := range things {
		if n == 0 || rank(s) > rank(head) || rank(s) == rank(head) && r.lastHead && rank(s) > 1 {
			head = s
		}
	}
	return head
}

// held returns the category of something that holds a thing, such as a case.
func (r *reader) held(things []sense, end, to int) choice {
	if !r.lastHead && things[0].role == noun {
		return things[0].choice() // the holder is mentioned after the thing that it holds
	}
	held := sense{}
	for _, s := range things {
		if s.role != holder && (held.category == "" || held.role == brand) {
			held = s
		}
	}
	if held.category == "" {
		held = r.next(end, to)
	}
	if held.category == "" {
		return choice{}
	}
	c := held.choice()
	c.category = holderOf(held.category)
	return c
}

// next returns the thing that follows words such as for or of.
func (r *reader) next(i, to int) sense {
	const reach = 4
	related := false
	for n := i; n < to && n < i+reach; n++ {
		m := r.meaning(r.terms[n])
		if related && m.names() && m.role != holder {
			return m
		}
		related = related || m.role == relation || m.role == of
	}
	return sense{}
}

// holderOf returns the category of something that holds things of a category. Most belong to what they are made for.
func holderOf(held lost.Category) lost.Category {
	switch held {
	case lost.PhoneCategory, lost.TabletCategory:
		return lost.OtherCategory
	case lost.LaptopCategory, lost.CameraCategory, lost.ClothingCategory, lost.ShoesCategory:
		return lost.BagCategory
	case lost.CardCategory, lost.PassportCategory, lost.MoneyCategory:
		return lost.WalletCategory
	default:
		return held
	}
}

// content returns the category of what a container contains: wine in "bottle of wine".
func (r *reader) content(from, end, to int) choice {
	for i := from + 1; i < end; i++ {
		if m := r.meaning(r.terms[i]); m.role == noun && !m.contains {
			return m.choice()
		}
	}
	if end >= to || r.meaning(r.terms[end]).role != of {
		return choice{}
	}
	const reach = 3 // "bottles of red wine"
	for i := end + 1; i < min(to, end+1+reach); i++ {
		switch m := r.meaning(r.terms[i]); m.role {
		case noun:
			return m.choice()
		case plain:
		default:
			return choice{}
		}
	}
	return choice{}
}

// mentionsMoney reports whether a text has an amount of money.
func mentionsMoney(text string) bool {
	return strings.ContainsAny(text[:min(len(text), maxText)], "€$£¥") && strings.ContainsAny(text, "0123456789")
}

func decode(s []byte) (rune, int) { return utf8.DecodeRune(s) }
