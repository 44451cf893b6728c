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

// find is a found item.
type find struct {
	*place
	kind    kind
	noun    string // includes the colour
	detail  string
	marked  *guest // the guest whose name is on the item; nil for an unknown person
	colour  string
	patch   lost.ItemPatch
	at      time.Time
	owner   *guest // nil if unknown
	number  int
	pending bool // the owner is unknown and will stay unknown
	photo   bool

	item lost.Item // set when the item is created
}

// outcome is what finally happens to a found item.
type outcome int

const (
	waits outcome = iota // the item waits for its owner until it is overdue
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
	claimed // a guest's request is matched with the item
)

// scene is an item that every demo contains, so that there are tasks of each kind. It consists of an outcome, a
// location, and the number of days since the item was found.
type scene struct {
	outcome outcome
	place   int
	days    int
}

// scenes is sorted by priority, because a small demo uses only the first ones.
var scenes = []scene{
	{paid, 0, 4}, {collectedToday, 0, 3}, {addressed, 1, 3}, {sent, 0, 7}, {waits, 2, 33}, {collectedTomorrow, 1, 4},
	{disowned, 0, 5}, {missed, 2, 9}, {claimed, 1, 12},
	{arrived, 0, 30}, {leftBehind, 0, 20}, {donated, 1, 25}, {collected, 2, 12}, {waits, 1, 2}, {waits, 0, 63},
	{paid, 1, 5}, {collectedToday, 2, 2}, {collectedToday, 1, 4}, {collectedTomorrow, 0, 2}, {addressed, 0, 2},
	{sent, 1, 8}, {paid, 0, 3}, {collectedToday, 0, 6},
	{addressed, 0, 5}, {paid, 2, 6}, {sent, 0, 6}, {collectedTomorrow, 0, 5}, {disowned, 1, 6}, {missed, 0, 8},
	{addressed, 2, 4}, {paid, 1, 4}, {sent, 2, 9},
	{waits, 1, 47}, {waits, 1, 49}, {waits, 0, 62}, {waits, 2, 32},
}

// planFinds schedules the found items and their outcomes.
func (f *filler) planFinds() {
	selected := scenes[:min(len(scenes), f.Items/3)]
	for _, s := range selected {
		p := f.places[s.place]
		f.planFind(p, p.hour(f.Clock.End(), -s.days, 9+f.r.IntN(8), f.r.IntN(60)), s.outcome)
	}
	for range f.Items - len(selected) {
		p := f.places[weighted(f.r, 42, 36, 22)]
		open := p.setting.open
		at := p.hour(f.Clock.Start(), f.r.IntN(Days+1), open[0]+f.r.IntN(open[1]-open[0]), f.r.IntN(60))
		if early := f.Clock.Start().Add(time.Hour); at.Before(early) {
			at = early
		}
		f.planFind(p, at, f.anyOutcome(p))
	}
}

// anyOutcome returns a random outcome for an item at the given location.
func (f *filler) anyOutcome(p *place) outcome {
	if f.r.Float64() < p.setting.known {
		return []outcome{arrived, collected, leftBehind, donated, waits}[weighted(f.r, 31, 34, 8, 7, 20)]
	}
	return []outcome{waits, claimed}[weighted(f.r, 72, 28)]
}

// weighted returns a random index, chosen by weight.
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

// planFind schedules the creation of one item and its outcome.
func (f *filler) planFind(p *place, at time.Time, what outcome) {
	for late := f.Clock.End().Add(-20 * time.Minute); !at.Before(late); { // if at is too late, use an earlier day
		at = at.AddDate(0, 0, -1)
	}
	fd := f.describe(p, at)
	fd.photo = f.r.IntN(100) < 86 || at.After(f.Clock.End().AddDate(0, 0, -7))
	if fd.photo {
		f.photos.request(fd)
	}
	ownerKnown := what != claimed && (what != waits || f.r.Float64() < p.setting.known/2)
	notifiedAt := at
	if ownerKnown {
		g := f.guests.next()
		fd.owner = &g
		if what != disowned {
			fd.marked = &g
		}
		if f.r.IntN(10) < 7 || what == collectedToday || what == collectedTomorrow {
			fd.patch.Owner, fd.patch.Language = g.patch(), lost.Set(g.language)
		} else {
			notifiedAt = at.Add(time.Duration(20+f.r.IntN(500)) * time.Minute)
			f.schedule(notifiedAt, func(ctx context.Context) error { return f.nameOwner(ctx, fd) })
		}
	}
	f.schedule(at, func(ctx context.Context) error { return f.createItem(ctx, fd) })
	f.planOutcome(fd, what, notifiedAt)
}

// describe returns a random found item, described as a desk user would describe it.
func (f *filler) describe(p *place, at time.Time) *find {
	fd := &find{place: p, at: at, number: f.r.IntN(1 << 30)}
	k := f.anyKind(p)
	brand, model, _ := strings.Cut(pick(f.r, k.makes), "|")
	fd.kind, fd.colour, fd.detail = k, pick(f.r, k.colours), pick(f.r, k.details)
	fd.noun = fmt.Sprintf(pick(f.r, k.nouns), fd.colour)
	text := capitalize(fd.noun)
	if f.r.IntN(5) > 0 {
		text += ", " + fd.detail
	}
	fd.patch = lost.ItemPatch{
		Description: lost.Set(text), Color: lost.Set(capitalize(fd.colour)),
		Category:       lost.Set(string(categoryOf(k))),
		DiscoveryPlace: lost.Set(pick(f.r, p.setting.where)), DiscoveryDate: lost.Set(p.Day(at)),
		Shipping: lost.Set(lost.ShippingPatch{
			Weight: lost.Set(float64(k.grams+f.r.IntN(9)*10) / 1000), WeightUnit: lost.Set("kg"),
			BoxType: lost.Set(k.box), IsDocument: lost.Set(k.thing == "passport"),
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

// anyKind returns a random kind of item for the given location.
func (f *filler) anyKind(p *place) kind {
	which := slices.Index(f.places, p)
	weights := make([]int, len(kinds))
	for n, k := range kinds {
		weights[n] = k.often[which]
	}
	return kinds[weighted(f.r, weights...)]
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// capitalize makes the first letter of a sentence upper case.
func capitalize(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// createItem creates the item as a desk user would, with a photo if it has one.
func (f *filler) createItem(ctx context.Context, fd *find) (err error) {
	by := fd.clerk
	if fd.number%4 == 0 {
		by = fd.finder
	}
	fd.patch.Description.Value = fd.marked.withName(fd.patch.Description.Value)
	if fd.item, err = f.Services.Items.Create(ctx, by, fd.ID, fd.patch, lost.IdempotencyKey{}); err != nil {
		return err
	}
	if fd.photo {
		photo, err := f.photos.take(ctx, fd)
		if err != nil {
			return err
		}
		f.Clock.Advance(f.Clock.Now().Add(25 * time.Second))
		if _, err := f.Services.Items.UploadImage(ctx, by, fd.ID, fd.item.ID, bytes.NewReader(photo),
			lost.IdempotencyKey{}); err != nil {
			return err
		}
	}
	if !fd.patch.Owner.Sent {
		f.Woken.Store(false) // no owner is notified, so the thumbnail job can wait
	}
	if f.done++; f.OnProgress != nil {
		f.OnProgress(f.done, f.Items)
	}
	return nil
}

// nameOwner adds the owner after the desk has identified them.
func (f *filler) nameOwner(ctx context.Context, fd *find) error {
	_, err := f.Services.Items.Update(ctx, fd.clerk, fd.ID, fd.item.ID,
		lost.ItemPatch{Owner: fd.owner.patch(), Language: lost.Set(fd.owner.language)})
	return err
}
