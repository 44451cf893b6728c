package archtest_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// notLinked maps packages that the service must not contain to what it uses instead. A package stands for all below
// it, except that "=" at the end means the package alone. Tests may import them.
//
// A cold "go run ./cmd/homeward" compiles everything that is linked: these packages took a quarter of the time.
var notLinked = map[string]string{
	"github.com/stripe/stripe-go":       "internal/payment calls Stripe itself",
	"go.opentelemetry.io":               "internal/tracing and internal/otlp",
	"github.com/prometheus":             "internal/metric",
	"google.golang.org/grpc":            "nothing in the service needs gRPC",
	"google.golang.org/protobuf":        "internal/otlp writes the few messages that are sent",
	"google.golang.org/genproto":        "nothing in the service needs it",
	"github.com/minio/minio-go/v7=":     "internal/media/s3client.go; the library's packages below are allowed",
	"golang.org/x/text/collate":         "internal/i18n/countryorder.txt",
	"go.yaml.in/yaml":                   "JSON",
	"github.com/chromedp":               "it is for tests",
	"github.com/aws":                    "internal/media/s3client.go",
	"k8s.io":                            "it is for tests of the chart",
	"github.com/johannesboyne/gofakes3": "it is for tests",
}

// maxLinked is the number of packages of others, including the standard library's, that the service may consist of.
// Before you raise it, look for a smaller package, or for a smaller part of the same library.
const maxLinked = 440

func TestTheServiceLinksNoLargeLibraries(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "./cmd/homeward")
	cmd.Dir = "../.."
	// The same packages on every machine.
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	output, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := slices.DeleteFunc(strings.Fields(string(output)), func(pkg string) bool {
		return strings.HasPrefix(pkg, "homeward/")
	})
	for _, pkg := range linked {
		for banned, instead := range notLinked {
			if isBanned(pkg, banned) {
				t.Errorf("the service links %s; instead: %s", pkg, instead)
			}
		}
	}
	if len(linked) > maxLinked {
		t.Errorf("the service links %d packages of others, want at most %d", len(linked), maxLinked)
	}
	if len(linked) < maxLinked/2 {
		t.Errorf("only %d packages were listed", len(linked))
	}
}

// isBanned reports whether an entry of notLinked applies to a package.
func isBanned(pkg, banned string) bool {
	if alone, found := strings.CutSuffix(banned, "="); found {
		return pkg == alone
	}
	return pkg == banned || strings.HasPrefix(pkg, banned+"/")
}

func TestBannedPackagesAreRecognized(t *testing.T) {
	for _, c := range []struct {
		pkg, banned string
		want        bool
	}{
		{"google.golang.org/grpc", "google.golang.org/grpc", true},
		{"google.golang.org/grpc/codes", "google.golang.org/grpc", true},
		{"google.golang.org/grpcother", "google.golang.org/grpc", false},
		{"github.com/minio/minio-go/v7", "github.com/minio/minio-go/v7=", true},
		{"github.com/minio/minio-go/v7/pkg/signer", "github.com/minio/minio-go/v7=", false},
	} {
		if got := isBanned(c.pkg, c.banned); got != c.want {
			t.Errorf("%s by %s: got %t", c.pkg, c.banned, got)
		}
	}
}
