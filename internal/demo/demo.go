// Package demo fills an empty database with a believable account: three places, what was found there in the last ninety days, the people it
// belongs to, what they chose and what became of it. It is there to be looked at and to be photographed.
//
// Everything is done with desk's own methods, by a clock that runs through those days, so that history, messages, events and parcels are what
// they would be. What happens is the same each time; only when it happens moves along, to end now. Nobody outside is written to or called: every address
// is one that is kept for examples.
package demo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
)

// Password and Key are those of every demo that was given none. Everybody knows them, which is why such a demo is for this machine alone.
const (
	Password = "homeward-demo"
	Key      = "hw_demo_key_that_everybody_knows"
)

// Finds is how many things were found in a demo, unless somebody wants fewer.
const Finds = 300

// Days is how far back a demo goes.
const Days = 90

// Options is what a demo is filled with.
type Options struct {
	// Desk and Work go by Clock.
	Desk *desk.Desk
	// Work does in the background what is due, until nothing is.
	Work func(ctx context.Context) error
	// Nudged is set by Desk when it leaves something to do.
	Nudged    *atomic.Bool
	Clock     *Clock
	Receivers *Receivers
	Finds     int
	// Password and Key are for everybody in the demo; empty for those that are known.
	Password, Key string
	// Say is told how many finds are recorded; nil for nobody.
	Say func(done, all int)
}

// filler fills one demo.
type filler struct {
	Options
	r      *rand.Rand
	guests *guests
	first  desk.First
	owner  lost.Actor
	places []*place
	steps  []step
	done   int
	photos *photos
}

// step is something that happens at a time.
type step struct {
	at time.Time
	do func(ctx context.Context) error
}

// Fill fills an empty database.
func Fill(ctx context.Context, o Options) error {
	const seed = 1912                      // any will do; with another the demo is another
	r := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // it is to be the same each time
	f := &filler{Options: o, r: r, guests: &guests{r: r, seen: map[string]int{}}}
	if err := f.settle(ctx); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	f.plan()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f.photos.begin(ctx)
	for _, s := range f.steps {
		f.Clock.To(s.at)
		if err := s.do(ctx); err != nil {
			return fmt.Errorf("demo: at %s: %w", s.at.Format(time.DateTime), err)
		}
		if f.Nudged.Swap(false) {
			if err := f.work(ctx); err != nil {
				return fmt.Errorf("demo: at %s: %w", s.at.Format(time.DateTime), err)
			}
		}
	}
	return f.Desk.EndDemo(ctx, f.first.Account.ID)
}

// work does what follows from a step. Where a receiver of webhooks was down, its retries are waited for.
func (f *filler) work(ctx context.Context) error {
	if err := f.Work(ctx); err != nil {
		return err
	}
	for _, seconds := range []int{15, 60, 120, 240, 480} { // as the service waits
		if !f.Receivers.wereDown() {
			break
		}
		f.Clock.To(f.Clock.Now().Add(time.Duration(seconds+1) * time.Second))
		if err := f.Work(ctx); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// settle makes the account with its people, places, keys and webhooks.
func (f *filler) settle(ctx context.Context) (err error) {
	known := f.Password == "" && f.Key == ""
	if known {
		f.Password, f.Key = Password, Key
	}
	boss := People()[0]
	f.first, err = f.Desk.BeginDemo(ctx, desk.FirstSettings{Email: boss.Email, Password: f.Password, Key: f.Key, Account: "Harbour & Hill", Name: boss.Name}, known)
	if err != nil {
		return err
	}
	f.owner = f.first.User.Actor()
	for _, s := range settings() {
		p, err := s.build(ctx, f.Desk, f.owner)
		if err != nil {
			return err
		}
		f.places = append(f.places, p)
	}
	if err := f.employ(ctx); err != nil {
		return err
	}
	return f.integrate(ctx)
}

// plan decides everything that happens, and puts it in the order of time.
func (f *filler) plan() {
	f.photos = &photos{}
	f.planFinds()
	f.planRequests()
	f.planMornings()
	slices.SortStableFunc(f.steps, func(a, b step) int { return a.at.Compare(b.at) })
}

// then has something happen, unless it would only happen after now.
func (f *filler) then(at time.Time, do func(ctx context.Context) error) {
	if at.Before(f.Clock.End()) {
		f.steps = append(f.steps, step{at, do})
	}
}

// planMornings has everything looked at once a day, after the hour at which reminders are due in the last of the zones.
func (f *filler) planMornings() {
	for day := range Days + 1 {
		f.then(f.places[1].hour(f.Clock.Start(), day, 10, 1), f.work)
	}
}

// hour is a time of day at a place, so many days after another.
func (p *place) hour(from time.Time, days, hour, minute int) time.Time {
	here := from.In(p.Zone())
	return time.Date(here.Year(), here.Month(), here.Day()+days, hour, minute, 0, 0, p.Zone())
}
