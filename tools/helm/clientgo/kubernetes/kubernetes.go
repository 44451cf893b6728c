// Package kubernetes is empty. Helm imports it only for the version of its module.
package kubernetes
