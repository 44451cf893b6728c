package demo

import (
	"context"

	"homeward/internal/lost"
)

// User is a user in a demo.
type User struct {
	Name, Email string
	Role        lost.Role
	Location    int // the index of the user's location; -1 for all
}

// Users returns the demo's users. They all have the same password.
func Users() []User {
	return []User{
		{"Olivia Brandt", "owner@homeward.example", lost.OwnerRole, -1},
		{"Anton Reyes", "admin@homeward.example", lost.AdminRole, -1},
		{"Dana Köhler", "desk@homeward.example", lost.DeskRole, 0},
		{"Callum Reid", "airport@homeward.example", lost.DeskRole, 1},
		{"Niamh Byrne", "zoo@homeward.example", lost.DeskRole, 2},
		{"Leo Marsh", "logger@homeward.example", lost.LoggerRole, 0},
		{"Vera Lindqvist", "viewer@homeward.example", lost.ViewerRole, -1},
	}
}

// createUsers creates all users except the first, who already exists, and assigns them to their locations.
func (f *filler) createUsers(ctx context.Context) error {
	for _, p := range f.places {
		p.clerk, p.finder = f.owner, f.owner
	}
	for _, person := range Users()[1:] {
		a, err := f.createUser(ctx, person)
		if err != nil {
			return err
		}
		switch {
		case person.Location < 0:
		case person.Role == lost.DeskRole:
			f.places[person.Location].clerk, f.places[person.Location].finder = a, a
		default:
			f.places[person.Location].finder = a
		}
	}
	return nil
}

// createUser creates one user with their role and locations.
func (f *filler) createUser(ctx context.Context, p User) (lost.Actor, error) {
	var where []string
	if p.Location >= 0 {
		where = []string{f.places[p.Location].ID}
	}
	u, err := f.Services.Accounts.CreateMember(ctx, f.first.Account.ID,
		lost.Membership{Email: p.Email, Name: p.Name, Role: p.Role, Locations: where}, f.Password)
	return u.Actor(), err
}
