// Package helm lints and renders the chart in deploy/helm with Helm's own packages, and decodes the result into the
// types of Kubernetes. Its tests check the chart; nothing else uses it.
package helm

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/lint/support"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// Chart is the folder of a chart.
type Chart string

// Values are the values of a release.
type Values = map[string]any

// release is the name of the release, and namespace its namespace.
const (
	release   = "homeward"
	namespace = "desk"
)

// Lint returns an error for every warning and error of helm lint, as with --strict.
func (c Chart) Lint(values Values) error {
	var found []error
	for _, m := range lint.RunAll(string(c), values, namespace).Messages {
		if m.Severity >= support.WarningSev {
			found = append(found, fmt.Errorf("%s: %w", m.Path, m.Err))
		}
	}
	return errors.Join(found...)
}

// Render returns the rendered templates by name, without those that are empty, as helm template does.
func (c Chart) Render(values Values) (map[string]string, error) {
	loaded, err := loader.LoadDir(string(c))
	if err != nil {
		return nil, err
	}
	options := common.ReleaseOptions{Name: release, Namespace: namespace, Revision: 1, IsInstall: true}
	// This also validates the values with the schema.
	all, err := util.ToRenderValues(loaded, values, options, common.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	rendered, err := engine.Render(loaded, all)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(rendered, func(_, text string) bool { return strings.TrimSpace(text) == "" })
	return rendered, nil
}

// ReadValues reads a file with values.
func ReadValues(file string) (Values, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var values Values
	return values, yaml.UnmarshalStrict(text, &values)
}

// Object is a decoded object.
type Object struct {
	Kind, Name string
	Labels     map[string]string
	Typed      any // a pointer to a type of Kubernetes, a *ServiceMonitor or a *PrometheusRule
}

// Decode decodes all objects of rendered templates. It returns an error for an unknown kind or field, a duplicate key,
// a value of the wrong type, and an object without a name.
func Decode(rendered map[string]string) (all []Object, err error) {
	for _, file := range slices.Sorted(maps.Keys(rendered)) {
		if filepath.Ext(file) != ".yaml" {
			continue
		}
		for _, text := range strings.Split("\n"+rendered[file], "\n---\n") {
			if withoutComments(text) == "" {
				continue
			}
			o, err := decodeObject(text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w\n%s", file, err, text)
			}
			all = append(all, o)
		}
	}
	return all, nil
}

func withoutComments(text string) string {
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool {
		return strings.HasPrefix(strings.TrimSpace(line), "#")
	})
	return strings.TrimSpace(strings.Join(lines, ""))
}

func decodeObject(text string) (o Object, err error) {
	var head struct {
		metav1.TypeMeta `json:",inline"`
		Metadata        metav1.ObjectMeta `json:"metadata"`
	}
	if err := yaml.Unmarshal([]byte(text), &head); err != nil {
		return o, err
	}
	if o.Typed, err = newTyped(head.TypeMeta); err != nil {
		return o, err
	}
	asJSON, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		return o, err
	}
	// Unlike encoding/json, this distinguishes upper and lower case, as Kubernetes does.
	strict, err := kjson.UnmarshalStrict(asJSON, o.Typed)
	if err := errors.Join(append(strict, err)...); err != nil {
		return o, err
	}
	o.Kind, o.Name, o.Labels = head.Kind, head.Metadata.Name, head.Metadata.Labels
	if o.Name == "" || head.Metadata.Namespace != "" {
		return o, errors.New("an object must have a name and no namespace")
	}
	return o, nil
}

// newTyped returns a pointer to a new object of a kind.
func newTyped(head metav1.TypeMeta) (any, error) {
	switch head.APIVersion + " " + head.Kind {
	case "monitoring.coreos.com/v1 ServiceMonitor":
		return &ServiceMonitor{}, nil
	case "monitoring.coreos.com/v1 PrometheusRule":
		return &PrometheusRule{}, nil
	default:
		var object runtime.Object
		object, err := scheme.Scheme.New(head.GroupVersionKind())
		return object, err
	}
}

// ServiceMonitor has the fields of the Prometheus Operator's type that the chart uses.
type ServiceMonitor struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        metav1.ObjectMeta `json:"metadata"`
	Spec            struct {
		JobLabel  string               `json:"jobLabel"`
		Selector  metav1.LabelSelector `json:"selector"`
		Endpoints []struct {
			Port     string `json:"port"`
			Interval string `json:"interval"`
		} `json:"endpoints"`
	} `json:"spec"`
}

// PrometheusRule has the fields of the Prometheus Operator's type that the chart uses.
type PrometheusRule struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        metav1.ObjectMeta `json:"metadata"`
	Spec            struct {
		Groups []struct {
			Name  string `json:"name"`
			Rules []struct {
				Alert       string            `json:"alert"`
				Expr        string            `json:"expr"`
				For         string            `json:"for"`
				Labels      map[string]string `json:"labels"`
				Annotations map[string]string `json:"annotations"`
			} `json:"rules"`
		} `json:"groups"`
	} `json:"spec"`
}
