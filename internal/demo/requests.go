package demo

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"homeward/internal/lost"
)

// planClaim schedules a request for a found item, the desk's decision that they match, and the owner's choice.
func (f *filler) planClaim(fd *find) {
	g := f.guests.next()
	fd.owner, fd.marked = &g, &g
	at := fd.at.Add(f.between(3*time.Hour, 110*time.Hour))
	decided := at.Add(f.between(40*time.Minute, 30*time.Hour))
	// If the decision would be too recent, skip the request: it would stay open, and there are enough open requests.
	if !decided.Before(f.Clock.End().AddDate(0, 0, -4)) {
		fd.owner, fd.marked, fd.pending = nil, nil, true
		f.planClearing(fd)
		return
	}
	p := f.report(fd.place, fd.kind, fd.colour, fd.detail, fd.at, g)
	p.LostPlace = fd.patch.DiscoveryPlace
	var request lost.Item
	f.schedule(at, func(ctx context.Context) (err error) {
		request, err = f.file(ctx, fd.place, p)
		return err
	})
	f.schedule(decided, func(ctx context.Context) error {
		_, err := f.Services.Requests.Decide(ctx, fd.clerk, fd.ID, request.ID,
			lost.DecisionPatch{Type: lost.Set(lost.Accept), ItemID: lost.Set(fd.item.ID)})
		return err
	})
	soon := decided.Add(f.between(30*time.Minute, 30*time.Hour))
	if f.r.IntN(2) == 0 {
		f.planPickup(fd, collected, soon)
		return
	}
	f.planParcel(fd, arrived, decided, soon)
}

// registered is how long a find is at the desk until the public register lists it, at the latest.
const registered = (lost.RegisterDelay + 1) * 24 * time.Hour

// planRequests schedules requests for items that are not found, or that the desk has not yet matched.
func (f *filler) planRequests() {
	for range f.Items / 14 {
		p := f.places[weighted(f.r, 30, 48, 22)]
		at := f.Clock.Start().Add(f.between(24*time.Hour, (Days-12)*24*time.Hour))
		f.planUnsuccessful(p, at)
	}
	waiting := slices.DeleteFunc(slices.Clone(f.photos.requested), func(fd *find) bool {
		return !fd.pending || fd.at.Before(f.Clock.End().AddDate(0, 0, -20))
	})
	slices.SortStableFunc(waiting, func(a, b *find) int { return cmp.Compare(b.at.Unix(), a.at.Unix()) })
	for n, fd := range waiting[:min(len(waiting), 2+f.Items/80)] {
		at := fd.at.Add(f.between(30*time.Minute, 5*time.Hour))
		late := f.Clock.End().Add(-time.Duration(25+n*190) * time.Minute)
		if at.After(late) {
			at = late
		}
		g := f.guests.next()
		fd.marked = &g
		p := f.report(fd.place, fd.kind, fd.colour, fd.detail, fd.at, g)
		chosen := fd.place.PublicRegister && late.Sub(fd.at) > registered
		if chosen { // in the public register, which lists the find by now
			at = late
		}
		f.schedule(at, func(ctx context.Context) error {
			if chosen {
				p.RegisterItemID = fd.item.ID
			}
			_, err := f.file(ctx, fd.place, p)
			return err
		})
	}
	for n := range 1 + f.Items/120 {
		p := f.places[(n+1)%len(f.places)]
		k := f.anyKind(p)
		at := f.Clock.End().Add(-time.Duration(70+n*800) * time.Minute)
		patch := f.report(p, k, pick(f.r, k.colours), pick(f.r, k.details), at, f.guests.next())
		if n == 0 {
			patch.TrackerLink = lost.Set("https://find.apple.com/item/demo")
		}
		f.schedule(at, func(ctx context.Context) error { _, err := f.file(ctx, p, patch); return err })
	}
}

// planUnsuccessful schedules an unsuccessful request: the item is not found, or its owner finds it.
func (f *filler) planUnsuccessful(p *place, at time.Time) {
	k := f.anyKind(p)
	patch := f.report(p, k, pick(f.r, k.colours), pick(f.r, k.details), at, f.guests.next())
	withdrawn := f.r.IntN(7) == 0
	var filed lost.Item
	var token string
	f.schedule(at, func(ctx context.Context) error {
		r, err := f.Services.Requests.Report(ctx, p.Location, patch, nil, lost.IdempotencyKey{})
		filed, token = r.Item, r.Token
		return err
	})
	reason := pick(f.r, []string{
		"We searched the area and asked the cleaning staff. Nothing like it was handed in.",
		"No matching item has been found so far. We will write to you if it turns up.",
		"We only have a similar item from a different brand. Sorry.",
	})
	f.schedule(at.Add(f.between(50*time.Hour, 190*time.Hour)), func(ctx context.Context) error {
		if withdrawn {
			_, err := f.Services.Guests.WithdrawRequest(ctx, token)
			return err
		}
		_, err := f.Services.Requests.Decide(ctx, p.clerk, p.ID, filed.ID,
			lost.DecisionPatch{Type: lost.Set(lost.Reject), Reason: lost.Set(reason)})
		return err
	})
}

// report returns a lost report, written as a guest would write it.
func (f *filler) report(p *place, k kind, colour, detail string, lostAt time.Time, g guest) lost.RequestPatch {
	thing := strings.ToLower(k.thing)
	templates := []string{
		"I think I left my %s with you. It is %s.",
		"My %s is gone: %s. I still had it in the morning, but not in the evening.",
		"Has anyone handed in my %s? It is %s and not new.",
		"I am looking for my %s (%s). It is not worth much, but it means a lot to me.",
	}
	if strings.HasSuffix(thing, "s") { // keys, gloves, glasses
		templates = []string{
			"I think I left my %s with you. They are %s.",
			"My %s are gone: %s. I still had them in the morning, but not in the evening.",
			"Has anyone handed in my %s? They are %s and not new.",
			"I am looking for my %s (%s). They are not worth much, but they mean a lot to me.",
		}
	}
	text := fmt.Sprintf(pick(f.r, templates), thing, colour)
	return lost.RequestPatch{
		Description: lost.Set(text), Color: lost.Set(capitalize(colour)),
		LostPlace: lost.Set(pick(f.r, p.setting.where)),
		LostDate:  lost.Set(p.Day(lostAt)), Proof: lost.Set(capitalize(g.withName(detail)) + "."),
		Language: lost.Set(g.language), Owner: g.patch(),
	}
}

// file submits a request on a location's public page.
func (f *filler) file(ctx context.Context, p *place, patch lost.RequestPatch) (lost.Item, error) {
	r, err := f.Services.Requests.Report(ctx, p.Location, patch, nil, lost.IdempotencyKey{})
	return r.Item, err
}
