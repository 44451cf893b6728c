// Package scheme registers the API versions that the chart uses. Helm's linter uses it to find deprecated ones.
package scheme

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Scheme has the registered API versions.
var Scheme = newScheme()

// AddToScheme registers the API versions.
func AddToScheme(s *runtime.Scheme) error {
	all := runtime.NewSchemeBuilder(appsv1.AddToScheme, autoscalingv2.AddToScheme, batchv1.AddToScheme,
		corev1.AddToScheme, networkingv1.AddToScheme, policyv1.AddToScheme)
	return all.AddToScheme(s)
}

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	if err := AddToScheme(s); err != nil {
		panic(err)
	}
	return s
}
