// Package homedir is empty. Only Helm's own tests import it; go mod tidy needs it.
package homedir
