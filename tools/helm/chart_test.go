package helm

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
)

const chart Chart = "../../deploy/helm"

// valueSets returns the value sets in the chart's folder ci, by name.
func valueSets(t *testing.T) map[string]Values {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(string(chart), "ci", "*-values.yaml"))
	if err != nil || len(files) < 3 {
		t.Fatalf("got %d value sets, %v, want at least 3", len(files), err)
	}
	sets := map[string]Values{}
	for _, file := range files {
		values, err := ReadValues(file)
		if err != nil {
			t.Fatal(err)
		}
		sets[strings.TrimSuffix(filepath.Base(file), "-values.yaml")] = values
	}
	return sets
}

// objects are the decoded objects of a release.
type objects struct {
	t   *testing.T
	all []Object
}

// render renders and decodes one of the value sets.
func render(t *testing.T, set string) objects {
	t.Helper()
	values, exists := valueSets(t)[set]
	if !exists {
		t.Fatalf("there is no value set %s", set)
	}
	rendered, err := chart.Render(values)
	if err != nil {
		t.Fatal(err)
	}
	all, err := Decode(rendered)
	if err != nil {
		t.Fatal(err)
	}
	return objects{t, all}
}

// find returns the objects of a type by name.
func find[T any](o objects) map[string]*T {
	found := map[string]*T{}
	for _, one := range o.all {
		if typed, is := one.Typed.(*T); is {
			found[one.Name] = typed
		}
	}
	return found
}

// only returns the only object of a type.
func only[T any](o objects) *T {
	o.t.Helper()
	found := find[T](o)
	if len(found) != 1 {
		o.t.Fatalf("got %d objects of type %T, want 1", len(found), *new(T))
	}
	for _, one := range found {
		return one
	}
	return nil
}

func TestLintFindsNothing(t *testing.T) {
	sets := valueSets(t)
	sets["default"] = Values{}
	for name, values := range sets {
		t.Run(name, func(t *testing.T) {
			if err := chart.Lint(values); err != nil {
				t.Error(err)
			}
		})
	}
}

// Each value set renders the expected objects, which have only fields that Kubernetes knows.
func TestValueSetsRenderTheirObjects(t *testing.T) {
	for set, want := range map[string][]string{
		"production": {
			"ConfigMap homeward", "CronJob homeward-backup", "Deployment homeward", "Ingress homeward",
			"PersistentVolumeClaim homeward-backup", "Pod homeward-test", "PodDisruptionBudget homeward",
			"Service homeward", "Service homeward-metrics", "ServiceAccount homeward",
		},
		"sqlite": {
			"ConfigMap homeward", "CronJob homeward-backup", "Deployment homeward", "PersistentVolumeClaim homeward",
			"PersistentVolumeClaim homeward-backup", "Pod homeward-test", "Service homeward",
			"Service homeward-metrics", "ServiceAccount homeward",
		},
		"everything": {
			"ConfigMap lost-and-found", "CronJob lost-and-found-backup", "Deployment lost-and-found",
			"HorizontalPodAutoscaler lost-and-found", "Ingress lost-and-found", "Pod lost-and-found-test",
			"PodDisruptionBudget lost-and-found", "PrometheusRule lost-and-found", "Secret lost-and-found",
			"Service lost-and-found", "Service lost-and-found-metrics", "ServiceAccount homeward-s3",
			"ServiceMonitor lost-and-found",
		},
	} {
		t.Run(set, func(t *testing.T) {
			var got []string
			for _, o := range render(t, set).all {
				got = append(got, o.Kind+" "+o.Name)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// podSpec is the specification of a pod, and the labels of the pod.
type podSpec struct {
	*corev1.PodSpec
	labels map[string]string
}

// pods returns the pods that the objects create, by the name of the object.
func (o objects) pods() map[string]podSpec {
	all := map[string]podSpec{}
	for name, d := range find[appsv1.Deployment](o) {
		all[name] = podSpec{&d.Spec.Template.Spec, d.Spec.Template.Labels}
	}
	for name, c := range find[batchv1.CronJob](o) {
		template := &c.Spec.JobTemplate.Spec.Template
		all[name] = podSpec{&template.Spec, template.Labels}
	}
	for name, p := range find[corev1.Pod](o) {
		all[name] = podSpec{&p.Spec, p.Labels}
	}
	return all
}

func TestPodsAreConfined(t *testing.T) {
	for set := range valueSets(t) {
		for name, pod := range render(t, set).pods() {
			s := pod.SecurityContext
			if s == nil || !*s.RunAsNonRoot || *s.RunAsUser != 65532 || *s.RunAsGroup != 65532 ||
				s.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
				t.Errorf("%s: the pods of %s are not confined: %+v", set, name, s)
			}
			if *pod.AutomountServiceAccountToken || *pod.EnableServiceLinks || pod.HostNetwork || pod.HostPID {
				t.Errorf("%s: the pods of %s have access to the cluster or the node", set, name)
			}
			for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
				s := c.SecurityContext
				if s == nil || *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem || s.Privileged != nil ||
					!slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) || len(s.Capabilities.Add) > 0 {
					t.Errorf("%s: the container %s of %s is not confined: %+v", set, c.Name, name, s)
				}
				if c.Resources.Limits.Memory().IsZero() || c.Resources.Requests.Cpu().IsZero() {
					t.Errorf("%s: the container %s of %s has no limit or no request", set, c.Name, name)
				}
			}
		}
	}
}

// existing are the objects that the value sets expect in the cluster.
var existing = []string{"production Secret homeward", "everything PersistentVolumeClaim backups"}

func TestReferencesExist(t *testing.T) {
	for set := range valueSets(t) {
		o := render(t, set)
		exists := map[string]bool{}
		for _, one := range o.all {
			exists[one.Kind+" "+one.Name] = true
		}
		need := func(from, kind, name string) {
			t.Helper()
			if !exists[kind+" "+name] && !slices.Contains(existing, set+" "+kind+" "+name) {
				t.Errorf("%s: %s refers to the %s %s, which does not exist", set, from, kind, name)
			}
		}
		for name, pod := range o.pods() {
			if pod.ServiceAccountName != "" {
				need(name, "ServiceAccount", pod.ServiceAccountName)
			}
			volumes := map[string]bool{}
			for _, v := range pod.Volumes {
				volumes[v.Name] = true
				if v.Secret != nil {
					need(name, "Secret", v.Secret.SecretName)
				}
				if v.PersistentVolumeClaim != nil {
					need(name, "PersistentVolumeClaim", v.PersistentVolumeClaim.ClaimName)
				}
			}
			for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
				for _, m := range c.VolumeMounts {
					if !volumes[m.Name] {
						t.Errorf("%s: the container %s of %s mounts the missing volume %s", set, c.Name, name, m.Name)
					}
				}
				for _, from := range c.EnvFrom {
					need(name, "ConfigMap", from.ConfigMapRef.Name)
				}
			}
		}
		for name, i := range find[networkingv1.Ingress](o) {
			need(name, "Service", i.Spec.Rules[0].HTTP.Paths[0].Backend.Service.Name)
		}
		for name, h := range find[autoscalingv2.HorizontalPodAutoscaler](o) {
			need(name, h.Spec.ScaleTargetRef.Kind, h.Spec.ScaleTargetRef.Name)
		}
	}
}

// isSubset reports whether all labels of a selector are among the labels of an object.
func isSubset(selector, labels map[string]string) bool {
	for name, value := range selector {
		if labels[name] != value {
			return false
		}
	}
	return len(selector) > 0
}

// Only the pods of the Deployment get requests. The metrics have a Service of their own.
func TestSelectorsFindOnlyTheServer(t *testing.T) {
	for set := range valueSets(t) {
		o := render(t, set)
		d := only[appsv1.Deployment](o)
		selectors := map[string]map[string]string{"the Deployment": d.Spec.Selector.MatchLabels}
		for name, s := range find[corev1.Service](o) {
			selectors["the Service "+name] = s.Spec.Selector
			for _, p := range s.Spec.Ports {
				isNamed := func(c corev1.ContainerPort) bool { return c.Name == p.TargetPort.String() }
				if !slices.ContainsFunc(d.Spec.Template.Spec.Containers[0].Ports, isNamed) ||
					(p.Name == "metrics") != strings.HasSuffix(name, "-metrics") {
					t.Errorf("%s: the Service %s has the port %+v", set, name, p)
				}
			}
		}
		for name, b := range find[policyv1.PodDisruptionBudget](o) {
			selectors["the PodDisruptionBudget "+name] = b.Spec.Selector.MatchLabels
		}
		for from, selector := range selectors {
			for name, pod := range o.pods() {
				if isSubset(selector, pod.labels) != (name == d.Name) {
					t.Errorf("%s: %s selects %v, and the pods of %s have the labels %v", set, from, selector, name,
						pod.labels)
				}
			}
		}
		for name, m := range find[ServiceMonitor](o) {
			for _, s := range find[corev1.Service](o) {
				if isSubset(m.Spec.Selector.MatchLabels, s.Labels) != (s.Spec.Ports[0].Name == "metrics") ||
					s.Labels[m.Spec.JobLabel] != "homeward" {
					t.Errorf("%s: the ServiceMonitor %s and the Service %s do not match", set, name, s.Name)
				}
			}
		}
	}
}

// A rolling update loses no request: a new pod is ready before an old one stops, and an old one drains and finishes its
// requests before it is killed. A pod may take long to start, because it migrates the database.
func TestRollingUpdatesLoseNoRequest(t *testing.T) {
	o := render(t, "production")
	d := only[appsv1.Deployment](o)
	u := d.Spec.Strategy.RollingUpdate
	if *d.Spec.Replicas != 3 || d.Spec.Strategy.Type != appsv1.RollingUpdateDeploymentStrategyType ||
		u.MaxUnavailable.IntValue() != 0 || u.MaxSurge.IntValue() != 1 {
		t.Errorf("%d copies, strategy %+v", *d.Spec.Replicas, d.Spec.Strategy)
	}
	if b := only[policyv1.PodDisruptionBudget](o); b.Spec.MaxUnavailable.IntValue() != 1 {
		t.Errorf("the disruption budget is %+v", b.Spec)
	}
	pod := d.Spec.Template.Spec
	drain, err := time.ParseDuration(only[corev1.ConfigMap](o).Data["HOMEWARD_DRAIN"])
	if err != nil {
		t.Fatal(err)
	}
	const finish = 30 * time.Second // for the requests in progress
	if grace := time.Duration(*pod.TerminationGracePeriodSeconds) * time.Second; drain < 10*time.Second ||
		grace < drain+finish+5*time.Second {
		t.Errorf("a pod drains for %s and is killed after %s", drain, grace)
	}
	c := pod.Containers[0]
	if p := c.ReadinessProbe; p.HTTPGet.Path != "/readyz" || p.HTTPGet.Port.String() != "http" {
		t.Errorf("the readiness probe is %+v", p)
	}
	if p := c.LivenessProbe; p.HTTPGet.Path != "/healthz" || p.FailureThreshold*p.PeriodSeconds < 60 {
		t.Errorf("the liveness probe is %+v", p) // it must not need the database, and must tolerate a busy node
	}
	if p := c.StartupProbe; p.HTTPGet.Path != "/healthz" || p.FailureThreshold*p.PeriodSeconds < 900 {
		t.Errorf("the startup probe is %+v", p)
	}
}

// Two copies never use the same SQLite database, except for a backup on the same node.
func TestSQLiteHasOneCopy(t *testing.T) {
	o := render(t, "sqlite")
	d := only[appsv1.Deployment](o)
	if *d.Spec.Replicas != 1 || d.Spec.Strategy.Type != appsv1.RecreateDeploymentStrategyType ||
		d.Spec.Strategy.RollingUpdate != nil {
		t.Errorf("%d copies, strategy %+v", *d.Spec.Replicas, d.Spec.Strategy)
	}
	claim := find[corev1.PersistentVolumeClaim](o)["homeward"]
	if claim.Annotations["helm.sh/resource-policy"] != "keep" {
		t.Error("helm uninstall would delete the data")
	}
	job := only[batchv1.CronJob](o).Spec.JobTemplate.Spec.Template
	terms := job.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	if len(terms) != 1 || terms[0].TopologyKey != "kubernetes.io/hostname" ||
		!isSubset(terms[0].LabelSelector.MatchLabels, d.Spec.Template.Labels) {
		t.Errorf("the backup may run on another node: %+v", terms)
	}
}

// A backup is verified before old ones are deleted. Each has its own name.
func TestBackupsAreVerifiedBeforeOldOnesAreDeleted(t *testing.T) {
	for set := range valueSets(t) {
		c := only[batchv1.CronJob](render(t, set))
		pod := c.Spec.JobTemplate.Spec.Template.Spec
		const file = "/backup/homeward-$(POD_NAME).tar.gz"
		if len(pod.InitContainers) != 2 ||
			!slices.Equal(pod.InitContainers[0].Args, []string{"backup", file}) ||
			!slices.Equal(pod.InitContainers[1].Args, []string{"backup", "verify", file}) ||
			c.Spec.ConcurrencyPolicy != batchv1.ForbidConcurrent || pod.RestartPolicy != corev1.RestartPolicyNever {
			t.Errorf("%s: the backup is %+v", set, pod.InitContainers)
		}
		hasName := func(e corev1.EnvVar) bool {
			return e.Name == "POD_NAME" && e.ValueFrom.FieldRef.FieldPath == "metadata.name"
		}
		for _, c := range pod.InitContainers {
			if !slices.ContainsFunc(c.Env, hasName) {
				t.Errorf("%s: the container %s does not know its pod's name", set, c.Name)
			}
		}
		if pruning := strings.Join(pod.Containers[0].Command, " "); len(pod.Containers) != 1 ||
			!strings.HasPrefix(pruning, "find /backup -name homeward-*.tar.gz* -mtime +") {
			t.Errorf("%s: old backups are deleted with %s", set, pruning)
		}
	}
}

// Secrets are files, and appear neither in the ConfigMap nor in the environment.
func TestSecretsAreFiles(t *testing.T) {
	for set, values := range valueSets(t) {
		o := render(t, set)
		var want []string
		if keys, ok := values["existingSecretKeys"].([]any); ok {
			for _, key := range keys {
				want = append(want, key.(string))
			}
		}
		given, _ := values["secrets"].(Values)
		for name, value := range given {
			if value != "" {
				want = append(want, name)
			}
		}
		for name, s := range find[corev1.Secret](o) {
			for key, value := range s.StringData {
				if value != given[key] {
					t.Errorf("%s: %s in the Secret %s is %q, want %q", set, key, name, value, given[key])
				}
			}
		}
		slices.Sort(want)
		for name, pod := range o.pods() {
			if strings.HasSuffix(name, "-test") {
				continue
			}
			mounted := secretFiles(pod)
			for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
				if c.Name == "prune" {
					continue
				}
				var got []string
				for _, e := range c.Env {
					setting, isFile := strings.CutSuffix(e.Name, "_FILE")
					switch {
					case isFile && slices.Contains(mounted, e.Value):
						got = append(got, setting)
					case e.Name != "POD_NAME":
						t.Errorf("%s: the container %s of %s has the variable %+v", set, c.Name, name, e)
					}
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s: the container %s of %s reads %v from files, want %v", set, c.Name, name, got, want)
				}
			}
		}
		for key, value := range only[corev1.ConfigMap](o).Data {
			for name, secret := range given {
				if text, _ := secret.(string); text != "" && strings.Contains(value, text) {
					t.Errorf("%s: %s in the ConfigMap contains %s", set, key, name)
				}
			}
		}
	}
}

// secretFiles returns the paths of the files that a pod gets from its Secret.
func secretFiles(pod podSpec) (files []string) {
	for _, v := range pod.Volumes {
		if v.Secret == nil {
			continue
		}
		for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
			for _, m := range c.VolumeMounts {
				for _, item := range v.Secret.Items {
					if m.Name == v.Name {
						files = append(files, m.MountPath+"/"+item.Path)
					}
				}
			}
		}
	}
	return files
}

func TestSettingsReachTheConfigMap(t *testing.T) {
	o := render(t, "everything")
	for name, want := range map[string]string{
		"HOMEWARD_BASE_URL": "https://lost.example.com:8443", "HOMEWARD_RATE_LIMIT": "50", "HOMEWARD_DISCREET": "true",
		"HOMEWARD_DRAIN": "30s", "HOMEWARD_ADMIN_EMAIL": "admin@example.com",
	} {
		if got := only[corev1.ConfigMap](o).Data[name]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if rule := only[networkingv1.Ingress](o).Spec.Rules[0]; rule.Host != "lost.example.com" {
		t.Errorf("the ingress has the host %q", rule.Host)
	}
	if rules := only[PrometheusRule](o).Spec.Groups[0].Rules; len(rules) < 20 ||
		!strings.Contains(rules[0].Annotations["description"], "{{ $labels.instance }}") {
		t.Errorf("the alerts are not those of deploy/prometheus: %+v", rules)
	}
}

// A changed setting or secret replaces the pods.
func TestAChangeReplacesThePods(t *testing.T) {
	annotations := func(change func(Values)) map[string]string {
		values := valueSets(t)["everything"]
		change(values)
		rendered, err := chart.Render(values)
		if err != nil {
			t.Fatal(err)
		}
		all, err := Decode(rendered)
		if err != nil {
			t.Fatal(err)
		}
		return only[appsv1.Deployment](objects{t, all}).Spec.Template.Annotations
	}
	before := annotations(func(Values) {})
	for part, name := range map[string]string{"settings": "HOMEWARD_LOG_LEVEL", "secrets": "HOMEWARD_API_KEY"} {
		after := annotations(func(v Values) { v[part].(Values)[name] = "another" })
		if before["checksum/"+part] == after["checksum/"+part] {
			t.Errorf("a change of the %s changes nothing in the pods", part)
		}
	}
}

func TestNotesTellTheNextSteps(t *testing.T) {
	for set, want := range map[string]string{
		"production": "/homeward user create", "sqlite": "/data/secret.key", "everything": "/homeward doctor",
	} {
		rendered, err := chart.Render(valueSets(t)[set])
		if err != nil {
			t.Fatal(err)
		}
		if notes := rendered["homeward/templates/NOTES.txt"]; !strings.Contains(notes, want) {
			t.Errorf("%s: the notes do not mention %s:\n%s", set, want, notes)
		}
	}
}

// refusedValues are changes of a value set that must not be rendered, with the text of the error.
var refusedValues = map[string]struct {
	set    string
	change func(Values)
	want   string
}{
	"two copies with a volume": {"sqlite", func(v Values) { v["replicaCount"] = 2 }, "set replicaCount to 1"},
	"the default number of copies with a volume": {
		"sqlite", func(v Values) { delete(v, "replicaCount") }, "set replicaCount to 1",
	},
	"autoscaling with a volume": {
		"sqlite", func(v Values) { v["autoscaling"] = Values{"enabled": true} }, "autoscaling.enabled to false",
	},
	"a rolling update with a volume": {
		"sqlite", func(v Values) { v["strategy"] = Values{"type": "RollingUpdate"} }, "must be Recreate",
	},
	"no database": {"sqlite", func(v Values) { delete(v, "persistence") }, "there is no database"},
	"no secret": {
		"everything", func(v Values) { delete(v["secrets"].(Values), "HOMEWARD_SECRET") }, "HOMEWARD_SECRET is missing",
	},
	"no key of the secret": {
		"production", func(v Values) { v["existingSecretKeys"] = []any{"HOMEWARD_DATABASE"} },
		"HOMEWARD_SECRET is missing",
	},
	"local files": {"production", func(v Values) { delete(v, "settings") }, "photos would be lost"},
	"both kinds of secrets": {
		"everything", func(v Values) { v["existingSecret"] = "homeward" }, "are alternatives",
	},
	"no image":         {"production", func(v Values) { delete(v, "image") }, "image.repository"},
	"no address":       {"production", func(v Values) { delete(v, "baseURL") }, "baseURL"},
	"an address path":  {"production", func(v Values) { v["baseURL"] = "https://example.com/lost" }, "/baseURL"},
	"a misspelt value": {"production", func(v Values) { v["replicas"] = 3 }, "replicas"},
	"a password among the settings": {
		"production", func(v Values) { v["settings"].(Values)["HOMEWARD_SMTP"] = "smtp://a:b@c" }, "HOMEWARD_SMTP",
	},
	"an unknown secret": {
		"everything", func(v Values) { v["secrets"].(Values)["HOMEWARD_SMPT"] = "smtp://a:b@c" }, "HOMEWARD_SMPT",
	},
	"a number of copies in words": {"production", func(v Values) { v["replicaCount"] = "three" }, "/replicaCount"},
}

func TestWrongValuesAreRefused(t *testing.T) {
	for name, c := range refusedValues {
		t.Run(name, func(t *testing.T) {
			values := valueSets(t)[c.set]
			c.change(values)
			if _, err := chart.Render(values); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
}

// The linter and the decoder notice mistakes in a chart.
func TestMistakesAreNoticed(t *testing.T) {
	for name, c := range map[string]struct{ file, from, to, want string }{
		"an unknown field":  {"deployment.yaml", "periodSeconds: 5", "periodSecs: 5", "periodSecs"},
		"a wrong case":      {"deployment.yaml", "maxSurge: 1", "maxsurge: 1", "maxsurge"},
		"a wrong type":      {"deployment.yaml", "containerPort: 8080", "containerPort: http", "containerPort"},
		"a duplicate key":   {"service.yaml", "  clusterIP: None", "  clusterIP: None\n  clusterIP: None", "clusterIP"},
		"a wrong quantity":  {"persistentvolumeclaim.yaml", "storage: {{", "storage: x{{", "quantities"},
		"an old API":        {"poddisruptionbudget.yaml", "policy/v1", "policy/v1beta1", "policy/v1beta1"},
		"a broken template": {"ingress.yaml", "{{- end }}", "", "ingress.yaml"},
		"a missing helper":  {"secret.yaml", "homeward.labels", "homeward.label", "homeward.label"},
		"a wrong indent":    {"configmap.yaml", "data:\n", "  data:\n", "configmap.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			if err := os.CopyFS(folder, os.DirFS(string(chart))); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(folder, "templates", c.file)
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), c.from) {
				t.Fatalf("%s does not contain %q", c.file, c.from)
			}
			if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(text), c.from, c.to)), 0o600); err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, values := range valueSets(t) {
				if err := Chart(folder).Lint(values); err != nil {
					found = append(found, err.Error())
				}
				rendered, err := Chart(folder).Render(values)
				if err == nil {
					_, err = Decode(rendered)
				}
				if err != nil {
					found = append(found, err.Error())
				}
			}
			if !strings.Contains(strings.Join(found, "\n"), c.want) {
				t.Errorf("found %q, want %q", found, c.want)
			}
		})
	}
}
