package desk

import (
	"context"

	"homeward/internal/lost"
	"homeward/internal/lost/report"
)

// SaveMapped lets tests save a mapping that was chosen while something else changed the import.
var SaveMapped = saveMapped

// LimitFinds limits the memory for the facts about found items, and makes accounts with at least some number of items
// large. RefreshFinds reads the items of large accounts.
func (r *Reports) LimitFinds(bytes, large int)            { r.finds.max, r.finds.large = bytes, large }
func (r *Reports) RefreshFinds(ctx context.Context) error { return r.finds.refresh(ctx) }

// PauseReading pauses each reading of all items of a large account twice: it sends to the returned channel at the
// beginning, and receives from it at the end.
func (r *Reports) PauseReading() chan struct{} {
	r.finds.reading = make(chan struct{})
	return r.finds.reading
}

// SpoilFinds counts the found items of an account twice from now on. It does not remove them, because the latest ones
// may be read again at any time. Another server is said to have taken over since they were read if its history is not
// empty.
func (r *Reports) SpoilFinds(account, history string) {
	a := r.finds.of[account]
	a.items = append(a.items, a.items...)
	if history != "" {
		a.position.History = history
	}
}

// CountFinds returns the number of found items of an account, and of their texts, in memory.
func (r *Reports) CountFinds(account string) (items, texts int) {
	a := r.finds.of[account]
	if a == nil {
		return 0, 0
	}
	return len(a.items), len(a.texts)
}

// CountFindsAfterFailure counts the found items at some locations for a report, while another one fails to read all
// items again after this one has read them.
func (r *Reports) CountFindsAfterFailure(ctx context.Context, account string,
	at []lost.LocationName) (n int, err error) {
	a, err := r.finds.get(ctx, account)
	if err != nil {
		return 0, err
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	a.forget()
	if _, err := r.finds.update(canceled, a, account, 0); err == nil {
		panic("reading with a canceled context succeeded")
	}
	err = r.finds.show(ctx, a, account, newShownFinds(at, func(report.Find) { n++ }))
	return n, err
}
