// Package dynamic has what Helm uses to look up objects in a cluster. No client can be created.
package dynamic

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"k8s.io/client-go/rest"
)

// ResourceInterface reads objects of one kind.
type ResourceInterface interface {
	Get(ctx context.Context, name string, options metav1.GetOptions, subresources ...string) (
		*unstructured.Unstructured, error)
	List(ctx context.Context, options metav1.ListOptions) (*unstructured.UnstructuredList, error)
}

// NamespaceableResourceInterface reads objects of one kind, of all namespaces or of one.
type NamespaceableResourceInterface interface {
	Namespace(string) ResourceInterface
	ResourceInterface
}

// Interface reads objects of all kinds.
type Interface interface {
	Resource(schema.GroupVersionResource) NamespaceableResourceInterface
}

// NewForConfig returns an error.
func NewForConfig(*rest.Config) (Interface, error) { return nil, rest.ErrNoCluster }
