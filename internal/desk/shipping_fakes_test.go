package desk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"homeward/internal/courier"
	"homeward/internal/lost"
)

// script tells the people outside what to do, and keeps what was asked of them. A step has a moment before its effect and one after it:
// "before Buy", "after Buy".
type script struct {
	mu    sync.Mutex
	calls map[string]int
	plan  map[string][]func() error
}

// next has something happen at a moment, once; what is planned for the same moment happens the next time.
func (s *script) next(moment string, do func() error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plan[moment] = append(s.plan[moment], do)
}

// fail has a moment fail, once.
func (s *script) fail(moment string, err error) { s.next(moment, func() error { return err }) }

// asked is how often a step was taken.
func (s *script) asked(step string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[step]
}

// act takes a step.
func (s *script) act(step string, effect func()) error {
	s.mu.Lock()
	s.calls[step]++
	s.mu.Unlock()
	if err := s.reach("before " + step); err != nil {
		return err
	}
	s.mu.Lock()
	effect()
	s.mu.Unlock()
	return s.reach("after " + step)
}

func (s *script) reach(moment string) error {
	s.mu.Lock()
	var do func() error
	if plan := s.plan[moment]; len(plan) > 0 {
		do, s.plan[moment] = plan[0], plan[1:]
	}
	s.mu.Unlock()
	if do == nil {
		return nil
	}
	return do()
}

// signed reads news that somebody outside tells, if it is theirs.
func signed[T any](header http.Header, body []byte) (news T, ours bool, err error) {
	if header.Get("Signature") != "good" {
		return news, false, lost.E(lost.Forbidden, "The signature is wrong.")
	}
	err = json.Unmarshal(body, &news)
	return news, err == nil, err
}

// told is news as it arrives, signed.
func told[T any](news T) (http.Header, []byte) {
	body, err := json.Marshal(news)
	if err != nil {
		panic(err)
	}
	return http.Header{"Signature": {"good"}}, body
}

// parcels is a carrier with the tariff's prices, and an express service on top where it has one. It sells each thing once, however often it is asked.
type parcels struct {
	courier.Tariff
	*script
	express  bool
	prepared int
	bought   map[string][]string // by our name of a shipment, what was bought for it
	voided   []string
	where    lost.ParcelNews // what it tells when it is asked
}

func (p *parcels) Quotes(ctx context.Context, c lost.Consignment) (offers []lost.Quote, err error) {
	err = p.act("Quotes", func() { offers, err = p.Tariff.Quotes(ctx, c) })
	if len(offers) > 0 && p.express {
		fast := offers[0]
		fast.Service, fast.Rate = "Express", "rate_express"
		fast.Price.Postage += 1000
		offers = append(offers, fast)
	}
	return offers, err
}

func (p *parcels) Prepare(ctx context.Context, s lost.Shipment, c lost.Consignment) (q lost.Quote, postage lost.Postage, err error) {
	failed := p.act("Prepare", func() {
		q, postage, err = p.Tariff.Prepare(ctx, s, c)
		p.prepared++
		postage.Shipment, postage.Rate = fmt.Sprintf("carrier_%d", p.prepared), "rate_1"
	})
	if failed != nil {
		err = failed
	}
	return q, postage, err
}

func (p *parcels) Buy(_ context.Context, s lost.Shipment, _ lost.Consignment) (postage lost.Postage, err error) {
	err = p.act("Buy", func() {
		postage = s.Postage
		if !slices.Contains(p.bought[s.ID], postage.Shipment) {
			p.bought[s.ID] = append(p.bought[s.ID], postage.Shipment)
		}
		postage.Tracker, postage.TrackingNumber = "trk_"+s.ID, "TN-"+postage.Shipment
		postage.LabelURL, postage.TrackingURL = "https://carrier.example/label", "https://carrier.example/"+postage.Shipment
	})
	return postage, err
}

func (p *parcels) Label(context.Context, lost.Postage) (content []byte, paper string, err error) {
	return []byte("%PDF of the carrier"), "4x6", p.act("Label", func() {})
}

func (p *parcels) Void(_ context.Context, postage lost.Postage) error {
	return p.act("Void", func() {
		if !slices.Contains(p.voided, postage.Shipment) {
			p.voided = append(p.voided, postage.Shipment)
		}
	})
}

func (p *parcels) Track(_ context.Context, postage lost.Postage) (n lost.ParcelNews, err error) {
	err = p.act("Track", func() { n = p.where })
	n.Tracker = postage.Tracker
	return n, err
}

func (*parcels) Tracks() bool { return true }

func (*parcels) Hear(header http.Header, body []byte) (lost.ParcelNews, bool, error) {
	return signed[lost.ParcelNews](header, body)
}

// till is a payment provider. It gives each payment back once, however often it is asked.
type till struct {
	*script
	now      func() time.Time
	open     map[string]bool // its pages, and whether they can be paid on
	refunded map[string]bool // which payments were given back
	paid     map[string]bool // pages that cannot be closed any more
	found    lost.PaymentNews
}

func (*till) By() lost.PayBy { return lost.PayStripe }

func (t *till) Open(_ context.Context, b lost.Bill) (c lost.Checkout, err error) {
	err = t.act("Open", func() {
		id := "cs_" + b.Shipment.ID + "_" + strconv.Itoa(b.Round)
		t.open[id] = true
		c = lost.Checkout{ID: id, URL: "https://till.example/" + id, ExpiresAt: t.now().Add(24 * time.Hour)}
	})
	return c, err
}

func (t *till) Close(_ context.Context, checkout string) (err error) {
	failed := t.act("Close", func() {
		if t.paid[checkout] {
			err = lost.E(lost.Conflict, "It was paid.")
			return
		}
		t.open[checkout] = false
	})
	if failed != nil {
		return failed
	}
	return err
}

func (*till) Knows(by lost.PayBy) bool { return by == lost.PayStripe }

// Look tells what became of a page, as the test has it.
func (t *till) Look(_ context.Context, checkout string) (n lost.PaymentNews, err error) {
	err = t.act("Look", func() {
		n = t.found
		n.Checkout = checkout
	})
	return n, err
}

func (t *till) Refund(_ context.Context, reference string) error {
	return t.act("Refund", func() { t.refunded[reference] = true })
}

func (*till) Hear(header http.Header, body []byte) (lost.PaymentNews, bool, error) {
	n, ours, err := signed[lost.PaymentNews](header, body)
	n.By = lost.PayStripe
	return n, ours, err
}

// pages are those that can be paid on.
func (t *till) pages() (all []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, open := range t.open {
		if open {
			all = append(all, id)
		}
	}
	slices.Sort(all)
	return all
}

// press prints a line, and cabinet keeps it.
type press struct{ *script }

func (p press) Print(kind lost.DocumentKind, s lost.Shipment, _ lost.Consignment) (content []byte, paper string, err error) {
	err = p.act("Print", func() { content = fmt.Appendf(nil, "%%PDF %s %d of %s", kind, s.Invoice, s.ID) })
	if paper = "A4"; kind == lost.LabelPaper || kind == lost.CustomsPaper {
		paper = "A6"
	}
	return content, paper, err
}

type cabinet struct {
	*script
	names int
	kept  map[string]string
}

func (c *cabinet) NewName() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.names++
	return fmt.Sprintf("paper%d.pdf", c.names)
}

func (c *cabinet) Keep(_ context.Context, name string, content []byte) error {
	return c.act("Keep", func() { c.kept[name] = string(content) })
}

func (c *cabinet) Delete(_ context.Context, names ...string) error {
	return c.act("Delete", func() {
		for _, name := range names {
			delete(c.kept, name)
		}
	})
}

func (*cabinet) Thumbnail(context.Context, string) error { return nil }

func (c *cabinet) Read(_ context.Context, name string, _ int64) (content []byte, err error) {
	err = c.act("Read", func() { content = []byte(c.kept[name]) })
	return content, err
}

// letterbox takes every message.
type letterbox struct{ scribe }

func (letterbox) Send(_ context.Context, _ lost.Letter, handOver func() error) (lost.Receipt, error) {
	return lost.Receipt{State: lost.MessageSent}, handOver()
}

func (letterbox) Trace(context.Context, lost.Message) (lost.MessageState, string, error) {
	return lost.MessageSent, "", nil
}
func (letterbox) Tell(context.Context, string, string, string) error { return nil }
