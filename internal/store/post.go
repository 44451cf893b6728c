package store

import (
	"context"
	"slices"
	"strings"

	"homeward/internal/lost"
)

// Post lists messages of an account, or of one of its locations, newest first.
func (r reader) Post(ctx context.Context, account string, f lost.MessageFilter) (lost.Stretch[lost.Message], error) {
	if f.Location != "" && f.State == "" {
		return r.postOf(ctx, account, f)
	}
	q := &query{}
	q.where("account_id = " + q.arg(account))
	if f.Location != "" {
		q.where("location_id = " + q.arg(f.Location))
	}
	if f.State != "" {
		q.where("state = " + q.arg(string(f.State)))
	}
	rs, err := r.h.QueryPlanned(ctx, "SELECT "+messageColumns+" FROM messages"+q.seek(f.Seek), q.args...)
	read, err := collect(rs, err, scanMessage)
	return lost.StretchOf(read, f.Limit), err
}

// postOf lists messages of a location, whatever became of them: the newest of each state, which is what the index is in the order of, put together.
func (r reader) postOf(ctx context.Context, account string, f lost.MessageFilter) (lost.Stretch[lost.Message], error) {
	var all []lost.Message
	for _, state := range lost.MessageStates() {
		some, err := r.Post(ctx, account, lost.MessageFilter{Location: f.Location, State: state, Seek: lost.Seek{Before: f.Before, Limit: f.Limit + 1}})
		if err != nil {
			return lost.Stretch[lost.Message]{}, err
		}
		all = append(all, some.Data...)
	}
	return NewestMessages(all, f.Limit), nil
}

// NewestMessages puts messages of several lists in order.
func NewestMessages(all []lost.Message, limit int) lost.Stretch[lost.Message] {
	slices.SortFunc(all, func(a, b lost.Message) int { return strings.Compare(b.ID, a.ID) })
	return lost.StretchOf(all, limit)
}
