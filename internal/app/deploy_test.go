package app_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"homeward/internal/app"
)

// readProjectFile reads a file in the repository.
func readProjectFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// interpolated lists the variables that only compose.yaml itself reads.
var interpolated = []string{"HOMEWARD_PORT"}

func TestDeploymentFilesUseExistingSettings(t *testing.T) {
	t.Parallel()
	known := slices.Clone(interpolated)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[app.Config]()) {
		known = append(known, f.Tag.Get("env"))
	}
	for _, name := range app.SecretSettings() {
		known = append(known, name+app.FileSuffix)
	}
	for _, name := range []string{
		"Dockerfile", "compose.yaml", "deploy/homeward.service", "deploy/Caddyfile", "deploy/nginx.conf",
		"scripts/compose-secrets", "deploy/helm/values.yaml", "deploy/helm/values.schema.json",
		"deploy/helm/templates/configmap.yaml", "deploy/helm/templates/_helpers.tpl",
		"deploy/helm/ci/production-values.yaml", "deploy/helm/ci/sqlite-values.yaml",
		"deploy/helm/ci/everything-values.yaml",
	} {
		for _, setting := range regexp.MustCompile(`HOMEWARD_[A-Z0-9_]+`).FindAllString(readProjectFile(t, name), -1) {
			if !slices.Contains(known, setting) {
				t.Errorf("%s uses %s, which is not a setting", name, setting)
			}
		}
	}
}

// The chart's schema lists the settings that are secrets. They must be files, and no other setting can be one.
func TestTheHelmChartKnowsEverySecret(t *testing.T) {
	t.Parallel()
	type names struct{ Enum []string }
	var schema struct {
		Properties struct {
			Secrets            struct{ PropertyNames names }
			ExistingSecretKeys struct{ Items names }
			Settings           struct {
				PropertyNames struct{ Not struct{ AnyOf []names } }
			}
		}
	}
	if err := json.Unmarshal([]byte(readProjectFile(t, "deploy/helm/values.schema.json")), &schema); err != nil {
		t.Fatal(err)
	}
	want := append(app.SecretSettings(), "HOMEWARD_SECRET", "HOMEWARD_SECRET_OLD", "AWS_SHARED_CREDENTIALS")
	slices.Sort(want)
	for part, got := range map[string][]string{
		"secrets": schema.Properties.Secrets.PropertyNames.Enum,
		"keys":    schema.Properties.ExistingSecretKeys.Items.Enum,
	} {
		slices.Sort(got)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("the %s in values.schema.json (-want +got):\n%s", part, d)
		}
	}
	refused := schema.Properties.Settings.PropertyNames.Not.AnyOf[0].Enum
	for _, name := range want {
		if !slices.Contains(refused, name) && name != "HOMEWARD_FILES" { // which need not contain keys
			t.Errorf("values.schema.json allows %s among the settings", name)
		}
	}
}

// The value sets that make test-helm renders are the examples of the operator's guide.
func TestTheExamplesForKubernetesAreTested(t *testing.T) {
	t.Parallel()
	page := readProjectFile(t, "docs/operate/kubernetes.md")
	for set, indent := range map[string]string{"production": "       ", "sqlite": "    "} {
		var example strings.Builder
		for line := range strings.Lines(readProjectFile(t, "deploy/helm/ci/"+set+"-values.yaml")) {
			example.WriteString(indent + line)
		}
		if !strings.Contains(page, example.String()) {
			t.Errorf("docs/operate/kubernetes.md does not contain deploy/helm/ci/%s-values.yaml", set)
		}
	}
}

func TestTheHelmChartHasTheShippedAlerts(t *testing.T) {
	t.Parallel()
	if readProjectFile(t, "deploy/helm/files/alerts.yaml") != readProjectFile(t, "deploy/prometheus/alerts.yaml") {
		t.Error("deploy/helm/files/alerts.yaml is not a copy of deploy/prometheus/alerts.yaml: " +
			"cp deploy/prometheus/alerts.yaml deploy/helm/files/")
	}
}

// container holds the parts of a service in compose.yaml that are tested.
type container struct {
	Image       string
	ReadOnly    bool     `yaml:"read_only"`
	CapDrop     []string `yaml:"cap_drop"`
	CapAdd      []string `yaml:"cap_add"`
	SecurityOpt []string `yaml:"security_opt"`
	Privileged  bool
	Restart     string
	Healthcheck struct{ Test []string }
	EnvFile     string `yaml:"env_file"`
	Environment map[string]string
	Ports       []string
	DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
	Networks    []string
	Tmpfs       []string
	MemLimit    string `yaml:"mem_limit"`
	Secrets     []string
}

// composeFile holds the parts of compose.yaml that are tested.
type composeFile struct {
	Services map[string]container
	Networks map[string]struct {
		Ipam struct{ Config []struct{ Subnet string } }
	}
	Secrets map[string]struct{ File string }
}

// readCompose reads compose.yaml.
func readCompose(t *testing.T) (file composeFile) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(readProjectFile(t, "compose.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestContainersAreConfinedAndMonitored(t *testing.T) {
	t.Parallel()
	all := readCompose(t).Services
	for name, c := range all {
		once := c.Restart == "no" // the container runs to completion
		switch {
		case c.Image == "" || strings.HasSuffix(c.Image, ":latest") || !strings.Contains(c.Image, ":"):
			t.Errorf("%s has the image %q: pin a version", name, c.Image)
		case !c.ReadOnly || c.Privileged || !slices.Equal(c.CapDrop, []string{"ALL"}) || len(c.CapAdd) > 1 ||
			!slices.Contains(c.SecurityOpt, "no-new-privileges:true"):
			t.Errorf("%s must be read-only and have no privileges: %+v", name, c)
		case !once && (c.Restart != "unless-stopped" || len(c.Healthcheck.Test) == 0):
			t.Errorf("%s has no restart policy or health check: %+v", name, c)
		}
		for dependency, on := range c.DependsOn {
			if _, there := all[dependency]; !there || on.Condition == "" {
				t.Errorf("%s depends on %s, which is missing or has no condition: %+v", name, dependency, on)
			}
		}
	}
}

// Every secret is a file that the container that needs it gets, and nobody else.
func TestComposeSecretsAreFiles(t *testing.T) {
	t.Parallel()
	file := readCompose(t)
	used := map[string]bool{}
	for name, c := range file.Services {
		var mounted []string
		for _, secret := range c.Secrets {
			used[secret] = true
			mounted = append(mounted, "/run/secrets/"+secret)
			if got, want := file.Secrets[secret].File, "deploy/secrets/"+secret; got != want {
				t.Errorf("the secret %s of %s is the file %q, want %s", secret, name, got, want)
			}
		}
		for setting, value := range c.Environment {
			isFile := strings.HasSuffix(setting, "_FILE")
			mayBeSecret := slices.Contains(app.SecretSettings(), setting) && setting != "HOMEWARD_FILES" ||
				regexp.MustCompile(`(?i)secret|password|api_key`).MatchString(setting)
			switch {
			case !isFile && mayBeSecret:
				t.Errorf("%s has %s=%s in a public file: move it to deploy/secrets", name, setting, value)
			case isFile && value != "${"+setting+":-}" && !slices.Contains(mounted, value):
				t.Errorf("%s has %s=%s, which is not one of its secrets %v", name, setting, value, mounted)
			}
		}
	}
	for secret := range file.Secrets {
		if !used[secret] {
			t.Errorf("no container gets the secret %s", secret)
		}
	}
	for name, want := range map[string][]string{
		"homeward-1": {
			"HOMEWARD_SECRET_FILE", "HOMEWARD_DATABASE_FILE", "AWS_SHARED_CREDENTIALS_FILE", "HOMEWARD_SMTP_FILE",
			"HOMEWARD_ADMIN_PASSWORD_FILE", "HOMEWARD_API_KEY_FILE",
		},
		"postgres": {"POSTGRES_PASSWORD_FILE"},
	} {
		for _, setting := range want {
			if file.Services[name].Environment[setting] == "" {
				t.Errorf("%s does not have %s", name, setting)
			}
		}
	}
}

func TestInstancesShareSettingsAndOnlyTheBalancerIsExposed(t *testing.T) {
	t.Parallel()
	all := readCompose(t).Services
	first := all["homeward-1"]
	for _, name := range []string{"homeward-1", "homeward-2", "homeward-3"} {
		c := all[name]
		if c.EnvFile != "deploy/secrets/homeward.env" || !reflect.DeepEqual(c.Environment, first.Environment) ||
			c.Image != first.Image {
			t.Errorf("the settings of %s differ from those of homeward-1: %+v", name, c)
		}
		for _, balancer := range []string{"deploy/Caddyfile"} {
			if !strings.Contains(readProjectFile(t, balancer), name+":8080") {
				t.Errorf("%s does not forward to %s", balancer, name)
			}
		}
	}
	for name, c := range all {
		if (len(c.Ports) > 0) != (name == "balancer") {
			t.Errorf("%s publishes the ports %v, but only the balancer may publish ports", name, c.Ports)
		}
		if inside := slices.Contains(c.Networks, "outside"); inside && (name == "postgres" || name == "s3") {
			t.Errorf("%s must not be in the network of the balancer", name)
		}
	}
}

func TestInstancesTrustTheBalancer(t *testing.T) {
	t.Parallel()
	file := readCompose(t)
	outside := file.Networks["outside"].Ipam.Config
	if len(outside) != 1 || outside[0].Subnet == "" ||
		file.Services["homeward-1"].Environment["HOMEWARD_TRUSTED_PROXIES"] != outside[0].Subnet {
		t.Errorf("the balancer's network is %v, but the trusted network is %q", outside,
			file.Services["homeward-1"].Environment["HOMEWARD_TRUSTED_PROXIES"])
	}
	if !strings.Contains(readProjectFile(t, "deploy/nginx.conf"), "HOMEWARD_TRUSTED_PROXIES") {
		t.Error("nginx.conf does not mention HOMEWARD_TRUSTED_PROXIES")
	}
}

// Operators are told to replace :8080 with a host name. The load balancer then no longer listens on port 8080, so its
// health check must use another port.
func TestBalancerHealthCheckHasItsOwnPort(t *testing.T) {
	t.Parallel()
	balancer := readCompose(t).Services["balancer"]
	port := regexp.MustCompile(`127\.0\.0\.1(:\d+)/healthz`).FindStringSubmatch(strings.Join(balancer.Healthcheck.Test,
		" "))
	if port == nil || port[1] == ":8080" ||
		!strings.Contains(readProjectFile(t, "deploy/Caddyfile"), "\n"+port[1]+" {\n\trespond /healthz") {
		t.Errorf("the health check requests %v, for which the Caddyfile has no separate site", port)
	}
}

func TestInstanceAndItsDataFolderFitIntoMemory(t *testing.T) {
	t.Parallel()
	c := readCompose(t).Services["homeward-1"]
	data := regexp.MustCompile(`size=(\d+)m`).FindStringSubmatch(strings.Join(c.Tmpfs, " "))
	heap := regexp.MustCompile(`^(\d+)MiB$`).FindStringSubmatch(c.Environment["GOMEMLIMIT"])
	if data == nil || heap == nil || c.MemLimit != "1g" {
		t.Fatalf("got the memory limits %v, GOMEMLIMIT %q and mem_limit %q", c.Tmpfs, c.Environment["GOMEMLIMIT"],
			c.MemLimit)
	}
	files, _ := strconv.Atoi(data[1]) // the pattern matches only digits
	program, _ := strconv.Atoi(heap[1])
	if files+program > 1000 {
		t.Errorf("%d MB of files and %d MB for the program do not fit into 1 GB", files, program)
	}
}

// composeSecrets is a folder in which the script compose-secrets runs.
type composeSecrets struct {
	t      *testing.T
	folder string
}

func newComposeSecrets(t *testing.T) composeSecrets {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed")
	}
	s := composeSecrets{t, t.TempDir()}
	s.write("scripts/compose-secrets", readProjectFile(t, "scripts/compose-secrets"))
	return s
}

func (s composeSecrets) write(name, text string) {
	s.t.Helper()
	file := filepath.Join(s.folder, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
		s.t.Fatal(err)
	}
}

// run runs the script and returns all files by name.
func (s composeSecrets) run() map[string]string {
	s.t.Helper()
	script := filepath.Join(s.folder, "scripts", "compose-secrets")
	output, err := exec.CommandContext(s.t.Context(), "bash", script).CombinedOutput()
	if err != nil {
		s.t.Fatalf("%v: %s", err, output)
	}
	folder := filepath.Join(s.folder, "deploy", "secrets")
	if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o700 {
		s.t.Fatalf("the folder of the secrets: %v %v, want mode 700", info, err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		s.t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			s.t.Fatal(err)
		}
		all[e.Name()] = string(text)
		for _, secret := range regexp.MustCompile(`[0-9a-f]{48}`).FindAllString(string(text), -1) {
			if strings.Contains(string(output), secret) {
				s.t.Errorf("the output contains a secret of %s", e.Name())
			}
		}
	}
	return all
}

// The script creates every file that compose.yaml needs, only once.
func TestComposeSecretsAreCreatedOnce(t *testing.T) {
	t.Parallel()
	s := newComposeSecrets(t)
	first := s.run()
	if d := cmp.Diff(first, s.run()); d != "" {
		t.Error("the second run changed the files:\n", d)
	}
	seen := map[string]bool{}
	for name := range readCompose(t).Secrets {
		text, exists := first[name]
		secret := regexp.MustCompile(`[0-9a-f]{48}`).FindString(text)
		if !exists || secret == "" && name != "homeward_smtp" {
			t.Errorf("%s contains no secret: %q", name, text)
		}
		seen[secret] = true
	}
	if len(seen) != 6 { // five secrets of which two are in two files, and the empty homeward_smtp
		t.Errorf("there are %d different secrets, want 5", len(seen)-1)
	}
	if strings.Contains(first["homeward.env"], "SECRET") || !strings.Contains(first["homeward.env"], "ADMIN_EMAIL") {
		t.Errorf("homeward.env is %q", first["homeward.env"])
	}
}

// Earlier versions had the secrets in environment files, to which operators may have added settings.
func TestComposeSecretsOfEarlierVersionsAreKept(t *testing.T) {
	t.Parallel()
	s := newComposeSecrets(t)
	s.write("deploy/secrets/postgres.env", "POSTGRES_USER=homeward\nPOSTGRES_PASSWORD=pass=word\n")
	s.write("deploy/secrets/s3.env", "ROOT_ACCESS_KEY=homeward\nROOT_SECRET_KEY=s3-key\n")
	s.write("deploy/secrets/homeward.env", "HOMEWARD_DATABASE=postgres://homeward:pass=word@postgres/homeward\n"+
		"HOMEWARD_SECRET=the secret\nHOMEWARD_ADMIN_EMAIL=me@example.com\nHOMEWARD_ADMIN_PASSWORD=admin-pass\n"+
		"HOMEWARD_API_KEY=hw_key\nAWS_ACCESS_KEY_ID=homeward\nAWS_SECRET_ACCESS_KEY=s3-key\n"+
		"HOMEWARD_SMTP=smtp://mail.example.com\n")
	want := map[string]string{
		"postgres_password": "pass=word\n", "s3_secret_key": "s3-key\n",
		"homeward_database": "postgres://homeward:pass=word@postgres/homeward\n", "homeward_secret": "the secret\n",
		"homeward_admin_password": "admin-pass\n", "homeward_api_key": "hw_key\n", "homeward_smtp": "\n",
		"homeward_s3_credentials": "[default]\naws_access_key_id = homeward\naws_secret_access_key = s3-key\n",
		"homeward.env":            "HOMEWARD_ADMIN_EMAIL=me@example.com\nHOMEWARD_SMTP=smtp://mail.example.com\n",
	}
	if d := cmp.Diff(want, s.run()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(want, s.run()); d != "" {
		t.Error("the second run changed the files:\n", d)
	}
}

func TestSystemdAcceptsTheUnit(t *testing.T) {
	t.Parallel()
	tool, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed (Debian package systemd)")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// Use a program that exists, so that the rest of the unit is checked even if homeward is not installed.
	unit := strings.Replace(readProjectFile(t, "deploy/homeward.service"), "ExecStart=/usr/local/bin/homeward",
		"ExecStart="+self, 1)
	file := filepath.Join(t.TempDir(), "homeward.service")
	if err := os.WriteFile(file, []byte(unit), 0o600); err != nil {
		t.Fatal(err)
	}
	output, err := exec.CommandContext(t.Context(), tool, "verify", "--man=no", file).CombinedOutput()
	if strings.Contains(string(output), "Failed to initialize manager") {
		t.Skipf("systemd-analyze does not work here: %s", output)
	}
	for line := range strings.Lines(string(output)) {
		if strings.Contains(line, "homeward.service") {
			t.Errorf("systemd reports %s", line)
		}
	}
	if err != nil {
		t.Errorf("systemd-analyze verify: %v: %s", err, output)
	}
}
