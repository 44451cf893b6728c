package lost

import (
	"slices"
	"time"
)

// View is a saved filter for the list of items. It can be used at every location.
type View struct {
	Account   string
	ID        string
	UserID    string // the user it belongs to
	Name      string
	Query     string // the filter as a URL query
	Shared    bool   // visible to everybody in the account
	CreatedAt time.Time
}

// ViewPatch is a partial view, for creating and updating views.
type ViewPatch struct {
	Name, Query Field[string]
	Shared      Field[bool]
	DecodeResult
}

// Limits of views.
const (
	MaxViews = 50 // maximum number of views per person
	maxQuery = 2000
)

// NewView returns a new view for a person from a patch. The error lists all problems.
func NewView(account, user string, p ViewPatch, now time.Time) (View, error) {
	v := View{Account: account, ID: NewID(ViewID, now), UserID: user, CreatedAt: now}
	return v, v.Update(p)
}

// Update applies a patch.
func (v *View) Update(p ViewPatch) error {
	c := &check{slices.Clone(p.Problems)}
	c.mandatory(p.Name.Sent, p.Name.Null, "name")
	c.line(p.Name, "name", MaxShort, &v.Name)
	if v.Name == "" && !c.Has("name") {
		c.Add("name", "required", "is required")
	}
	c.line(p.Query, "query", maxQuery, &v.Query)
	p.Shared.setOn(&v.Shared)
	return c.Err()
}
