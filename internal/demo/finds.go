package demo

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"homeward/internal/lost"
)

// find is something that was found.
type find struct {
	*place
	kind    kind
	noun    string // with its colour
	detail  string
	marked  *guest // whose name is on it, if there is one; nil for somebody whom nobody knows
	colour  string
	patch   lost.ItemPatch
	at      time.Time
	owner   *guest // nil where nobody knows
	number  int
	pending bool // nobody has said whose it is, and nobody will
	photo   bool

	item lost.Item // once it is recorded
}

// fate is what becomes of a find.
type fate int

const (
	waits fate = iota // for its owner, until its time is over
	addressed
	paid
	sent
	arrived
	collected
	collectedToday
	collectedTomorrow
	missed
	leftBehind
	donated
	disowned
	claimed // by a request
)

// scene is a find that every demo has, so that each kind of task is there to be seen: what, at which place, and how many days ago.
type scene struct {
	fate  fate
	place int
	days  int
}

// scenes are in the order in which a small demo has them.
var scenes = []scene{
	{paid, 0, 4}, {collectedToday, 0, 3}, {addressed, 1, 3}, {sent, 0, 7}, {waits, 2, 33}, {collectedTomorrow, 1, 4}, {disowned, 0, 5}, {missed, 2, 9}, {claimed, 1, 12},
	{arrived, 0, 30}, {leftBehind, 0, 20}, {donated, 1, 25}, {collected, 2, 12}, {waits, 1, 2}, {waits, 0, 63},
	{paid, 1, 5}, {collectedToday, 2, 2}, {collectedToday, 1, 4}, {collectedTomorrow, 0, 2}, {addressed, 0, 2}, {sent, 1, 8}, {paid, 0, 3}, {collectedToday, 0, 6},
	{addressed, 0, 5}, {paid, 2, 6}, {sent, 0, 6}, {collectedTomorrow, 0, 5}, {disowned, 1, 6}, {missed, 0, 8}, {addressed, 2, 4}, {paid, 1, 4}, {sent, 2, 9},
	{waits, 1, 47}, {waits, 1, 49}, {waits, 0, 62}, {waits, 2, 32},
}

// planFinds decides what is found, and what becomes of it.
func (f *filler) planFinds() {
	some := scenes[:min(len(scenes), f.Finds/3)]
	for _, s := range some {
		p := f.places[s.place]
		f.planFind(p, p.hour(f.Clock.End(), -s.days, 9+f.r.IntN(8), f.r.IntN(60)), s.fate)
	}
	for range f.Finds - len(some) {
		p := f.places[weighted(f.r, 42, 36, 22)]
		open := p.setting.open
		at := p.hour(f.Clock.Start(), f.r.IntN(Days+1), open[0]+f.r.IntN(open[1]-open[0]), f.r.IntN(60))
		if early := f.Clock.Start().Add(time.Hour); at.Before(early) {
			at = early
		}
		f.planFind(p, at, f.anyFate(p))
	}
}

// anyFate is what becomes of a find that is no scene.
func (f *filler) anyFate(p *place) fate {
	if f.r.Float64() < p.setting.known {
		return []fate{arrived, collected, leftBehind, donated, waits}[weighted(f.r, 31, 34, 8, 7, 20)]
	}
	return []fate{waits, claimed}[weighted(f.r, 72, 28)]
}

// weighted chooses a number, each as often as its weight says.
func weighted(r *rand.Rand, weights ...int) int {
	all := 0
	for _, w := range weights {
		all += w
	}
	for n, left := 0, r.IntN(all); ; n++ {
		if left -= weights[n]; left < 0 {
			return n
		}
	}
}

// planFind decides on one find.
func (f *filler) planFind(p *place, at time.Time, what fate) {
	for late := f.Clock.End().Add(-20 * time.Minute); !at.Before(late); { // that hour of today has not come
		at = at.AddDate(0, 0, -1)
	}
	fd := f.describe(p, at)
	fd.photo = f.r.IntN(100) < 86 || at.After(f.Clock.End().AddDate(0, 0, -7))
	if fd.photo {
		f.photos.want(fd)
	}
	knows := what != claimed && (what != waits || f.r.Float64() < p.setting.known/2)
	told := at
	if knows {
		g := f.guests.next()
		fd.owner = &g
		if what != disowned {
			fd.marked = &g
		}
		if f.r.IntN(10) < 7 || what == collectedToday || what == collectedTomorrow {
			fd.patch.Owner, fd.patch.Language = g.patch(), lost.Set(g.language)
		} else {
			told = at.Add(time.Duration(20+f.r.IntN(500)) * time.Minute)
			f.then(told, func(ctx context.Context) error { return f.nameOwner(ctx, fd) })
		}
	}
	f.then(at, func(ctx context.Context) error { return f.record(ctx, fd) })
	f.planFate(fd, what, told)
}

// describe makes up what was found, in the words of a desk.
func (f *filler) describe(p *place, at time.Time) *find {
	fd := &find{place: p, at: at, number: f.r.IntN(1 << 30)}
	k := f.anyKind(p)
	brand, model, _ := strings.Cut(pick(f.r, k.makes), "|")
	fd.kind, fd.colour, fd.detail = k, pick(f.r, k.colours), pick(f.r, k.details)
	fd.noun = fmt.Sprintf(pick(f.r, k.nouns), fd.colour)
	text := upper(fd.noun)
	if f.r.IntN(5) > 0 {
		text += ", " + fd.detail
	}
	fd.patch = lost.ItemPatch{
		Description: lost.Set(text), Color: lost.Set(upper(fd.colour)), DiscoveryPlace: lost.Set(pick(f.r, p.setting.where)), DiscoveryDate: lost.Set(p.Day(at)),
		Shipping: lost.Set(lost.ShippingPatch{
			Weight: lost.Set(float64(k.grams+f.r.IntN(9)*10) / 1000), WeightUnit: lost.Set("kg"), BoxType: lost.Set(k.box), IsDocument: lost.Set(k.thing == "passport"),
		}),
	}
	set := func(field *lost.Field[string], value string) {
		if value != "" {
			*field = lost.Set(value)
		}
	}
	set(&fd.patch.Brand, brand)
	set(&fd.patch.Model, model)
	set(&fd.patch.StoragePlace, pick(f.r, p.setting.shelf))
	if len(k.notes) > 0 && f.r.IntN(2) == 0 {
		set(&fd.patch.Notes, pick(f.r, k.notes))
	}
	return fd
}

// anyKind is a sort of thing that is lost at a place.
func (f *filler) anyKind(p *place) kind {
	which := slices.Index(f.places, p)
	weights := make([]int, len(kinds))
	for n, k := range kinds {
		weights[n] = k.often[which]
	}
	return kinds[weighted(f.r, weights...)]
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// upper begins a sentence.
func upper(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// record is the desk, with what was handed in and a phone to photograph it.
func (f *filler) record(ctx context.Context, fd *find) (err error) {
	by := fd.clerk
	if fd.number%4 == 0 {
		by = fd.rover
	}
	fd.patch.Description.Value = fd.marked.onIt(fd.patch.Description.Value)
	if fd.item, err = f.Desk.CreateItem(ctx, by, fd.ID, fd.patch, lost.IdempotencyKey{}); err != nil {
		return err
	}
	if fd.photo {
		photo, err := f.photos.take(ctx, fd)
		if err != nil {
			return err
		}
		f.Clock.To(f.Clock.Now().Add(25 * time.Second))
		if _, err := f.Desk.UploadImage(ctx, by, fd.ID, fd.item.ID, bytes.NewReader(photo), lost.IdempotencyKey{}); err != nil {
			return err
		}
	}
	if !fd.patch.Owner.Sent {
		f.Nudged.Store(false) // nobody is told: what is left to do for a photo can wait
	}
	if f.done++; f.Say != nil {
		f.Say(f.done, f.Finds)
	}
	return nil
}

// nameOwner is the desk, once it has found out whose something is.
func (f *filler) nameOwner(ctx context.Context, fd *find) error {
	_, err := f.Desk.UpdateItem(ctx, fd.clerk, fd.ID, fd.item.ID, lost.ItemPatch{Owner: fd.owner.patch(), Language: lost.Set(fd.owner.language)})
	return err
}
