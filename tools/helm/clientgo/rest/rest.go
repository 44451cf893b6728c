// Package rest has the type that Helm uses for the address of a cluster.
package rest

import "errors"

// Config would be the address of a cluster.
type Config struct{}

// ErrNoCluster is the error of everything that needs a cluster.
var ErrNoCluster = errors.New("there is no cluster")
