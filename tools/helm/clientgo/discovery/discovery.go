// Package discovery has what Helm uses to look up the APIs of a cluster. Everything returns an error.
package discovery

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"k8s.io/client-go/rest"
)

// DiscoveryClient cannot be created.
type DiscoveryClient struct{}

// NewDiscoveryClientForConfig returns an error.
func NewDiscoveryClientForConfig(*rest.Config) (*DiscoveryClient, error) {
	return nil, rest.ErrNoCluster
}

// ServerResourcesForGroupVersion returns an error.
func (*DiscoveryClient) ServerResourcesForGroupVersion(string) (*metav1.APIResourceList, error) {
	return nil, rest.ErrNoCluster
}
