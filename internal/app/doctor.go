package app

import "context"

type doctorCommand struct{}

// Run x.
func (doctorCommand) Run(ctx context.Context) error { return nil }
