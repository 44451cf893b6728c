// Package demo fills an empty database with sample data: an account with three locations, items found in the last
// ninety days, their owners, the owners' choices and the outcomes. It is used for evaluation and screenshots.
//
// The data is created through the use cases, with a clock that runs through those ninety days, so that history,
// messages, events and parcels are realistic. Every demo contains the same data, except that its times are shifted to
// end now. No external services are contacted, and all addresses are in domains reserved for examples. While the demo
// runs, Receivers takes the place of the programs that receive its webhooks.
package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/services"
)

// Password and Key are a demo's default credentials. They are public, so a demo that uses them must be reachable only
// from this machine.
const (
	Password = "homeward-demo"
	Key      = "hw_demo_key_that_everybody_knows"
)

// DefaultItems is the default number of found items.
const DefaultItems = 120

// Days is how many days a demo covers.
const Days = 90

// Options configures a demo.
type Options struct {
	// Services contains the use cases. Services and Jobs must use Clock.
	Services *services.Services
	Jobs     Jobs
	// Woken is set by the services when they add background work.
	Woken     *atomic.Bool
	Clock     *Clock
	Receivers *Receivers
	Items     int
	// Password and Key are the credentials in the demo; if empty, the defaults are used.
	Password, Key string
	// OnProgress is called with the number of items created so far; may be nil.
	OnProgress func(done, all int)
}

// Jobs performs background work, and returns how much it has done.
type Jobs interface {
	// RunOnce performs the jobs that are due.
	RunOnce(ctx context.Context) (int, error)
	// CheckItemsOnce performs the reminders that are due.
	CheckItemsOnce(ctx context.Context) (int, error)
	// DeliverOnce sends the webhook deliveries that are due.
	DeliverOnce(ctx context.Context)
}

// filler fills a database with a demo.
type filler struct {
	Options
	r      *rand.Rand
	guests *guests
	first  identity.First
	owner  lost.Actor
	places []*place
	steps  []step
	done   int
	photos *photos
}

// step is an action that happens at a certain time.
type step struct {
	at time.Time
	do func(ctx context.Context) error
}

// Fill fills an empty database with a demo. It returns an error if the database already contains data.
func Fill(ctx context.Context, o Options) error {
	const seed = 1912                      // arbitrary; another seed produces a different demo
	r := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // the demo must be the same each time
	f := &filler{Options: o, r: r, guests: &guests{r: r, seen: map[string]int{}}}
	if err := f.createAccount(ctx); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	f.plan()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f.photos.begin(ctx)
	for _, s := range f.steps {
		f.Clock.Advance(s.at)
		if err := s.do(ctx); err != nil {
			return fmt.Errorf("demo: at %s: %w", s.at.Format(time.DateTime), err)
		}
		if f.Woken.Swap(false) {
			if err := f.work(ctx); err != nil {
				return fmt.Errorf("demo: at %s: %w", s.at.Format(time.DateTime), err)
			}
		}
	}
	return f.Services.Accounts.EndDemo(ctx, f.first.Account.ID)
}

// work performs the background jobs that a step added. If a webhook receiver was down, it advances the clock so that
// the deliveries are retried.
func (f *filler) work(ctx context.Context) error {
	if err := f.runJobs(ctx); err != nil {
		return err
	}
	for _, seconds := range []int{15, 60, 120, 240, 480} { // the service's retry schedule
		if !f.Receivers.wereDown() {
			break
		}
		f.Clock.Advance(f.Clock.Now().Add(time.Duration(seconds+1) * time.Second))
		if err := f.runJobs(ctx); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// runJobs runs jobs and sends deliveries until none is due.
func (f *filler) runJobs(ctx context.Context) error {
	const maxRounds = 1000 // normally a few rounds are enough
	for range maxRounds {
		done, err := f.Jobs.RunOnce(ctx)
		if err != nil {
			return err
		}
		f.Jobs.DeliverOnce(ctx)
		if done == 0 {
			return nil
		}
	}
	return errors.New("background jobs did not finish")
}

// checkItems performs the reminders that are due, and the jobs that they add.
func (f *filler) checkItems(ctx context.Context) error {
	for done := 1; done > 0; {
		var err error
		if done, err = f.Jobs.CheckItemsOnce(ctx); err != nil {
			return err
		}
		if err = f.work(ctx); err != nil {
			return err
		}
	}
	return nil
}

// createAccount creates the account with its users, locations, API keys and webhooks.
func (f *filler) createAccount(ctx context.Context) (err error) {
	known := f.Password == "" || f.Key == "" // whether strangers know the password or the key
	f.Password, f.Key = cmp.Or(f.Password, Password), cmp.Or(f.Key, Key)
	owner := Users()[0]
	f.first, err = f.Services.Accounts.BeginDemo(ctx,
		identity.FirstSettings{
			Email: owner.Email, Password: f.Password, Key: f.Key, Account: "Harbour & Hill", Name: owner.Name,
		}, known)
	if err != nil {
		return err
	}
	f.owner = f.first.User.Actor()
	for _, s := range locationSpecs() {
		p, err := s.build(ctx, f.Services, f.owner)
		if err != nil {
			return err
		}
		f.places = append(f.places, p)
	}
	if err := f.createUsers(ctx); err != nil {
		return err
	}
	return f.createWebhooks(ctx)
}

// plan plans all steps and sorts them by time.
func (f *filler) plan() {
	f.photos = &photos{}
	f.planFinds()
	f.planRequests()
	f.planDailyChecks()
	slices.SortStableFunc(f.steps, func(a, b step) int { return a.at.Compare(b.at) })
}

// schedule adds a step, unless it would be in the future.
func (f *filler) schedule(at time.Time, do func(ctx context.Context) error) {
	if at.Before(f.Clock.End()) {
		f.steps = append(f.steps, step{at, do})
	}
}

// planDailyChecks schedules a daily check of all items, after the day's reminders have become due at all locations.
func (f *filler) planDailyChecks() {
	for day := range Days + 1 {
		f.schedule(f.places[1].hour(f.Clock.Start(), day, 10, 1), f.checkItems)
	}
}

// hour returns the given time of day at the location, the given number of days after from.
func (p *place) hour(from time.Time, days, hour, minute int) time.Time {
	here := from.In(p.Zone())
	return time.Date(here.Year(), here.Month(), here.Day()+days, hour, minute, 0, 0, p.Zone())
}
