package app

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"homeward/internal/identity"
)

// Config holds every setting of the service. Each setting can be a flag, an environment variable, or a line in the
// file passed to --config; the tags define their names. Package cli reads the settings and has their help texts.
// A setting with the tag secret may contain a secret and can also be read from the file that NAME_FILE names.
type Config struct {
	Listen        string `env:"HOMEWARD_LISTEN" default:"127.0.0.1:8080" placeholder:"HOST:PORT"`
	BaseURL       string `name:"base-url" env:"HOMEWARD_BASE_URL" placeholder:"URL"`
	Data          string `env:"HOMEWARD_DATA" default:"${data}" placeholder:"DIR"`
	Database      string `env:"HOMEWARD_DATABASE" placeholder:"DB" secret:""`
	Replica       string `name:"database-replica" env:"HOMEWARD_DATABASE_REPLICA" placeholder:"DB" secret:""`
	Files         string `env:"HOMEWARD_FILES" placeholder:"DIR" secret:""`
	Secret        string `env:"HOMEWARD_SECRET" placeholder:"TEXT"`
	SecretFile    string `env:"HOMEWARD_SECRET_FILE" placeholder:"FILE"`
	SecretOld     string `env:"HOMEWARD_SECRET_OLD" placeholder:"TEXT"`
	SecretOldFile string `env:"HOMEWARD_SECRET_OLD_FILE" placeholder:"FILE"`

	SMTP          string `name:"smtp" env:"HOMEWARD_SMTP" placeholder:"URL" secret:""`
	MailFrom      string `env:"HOMEWARD_MAIL_FROM" default:"lost-and-found@localhost" placeholder:"ADDRESS"`
	IMAP          string `name:"imap" env:"HOMEWARD_IMAP" placeholder:"URL" secret:""`
	TwilioAccount string `name:"twilio-account" env:"HOMEWARD_TWILIO_ACCOUNT" placeholder:"SID"`
	TwilioToken   string `name:"twilio-token" env:"HOMEWARD_TWILIO_TOKEN" secret:""`
	TwilioFrom    string `name:"twilio-from" env:"HOMEWARD_TWILIO_FROM" placeholder:"NUMBER"`
	TwilioAPI     string `name:"twilio-api" env:"HOMEWARD_TWILIO_API" placeholder:"URL"`
	Discreet      bool   `env:"HOMEWARD_DISCREET"`

	AllowPrivate bool          `name:"webhook-allow-private" env:"HOMEWARD_WEBHOOK_ALLOW_PRIVATE"`
	RetryUnit    time.Duration `name:"webhook-retry-unit" env:"HOMEWARD_WEBHOOK_RETRY_UNIT" default:"15s"`
	Retention    time.Duration `name:"webhook-retention" env:"HOMEWARD_WEBHOOK_RETENTION" default:"${retention}"`

	AdminEmail    string `env:"HOMEWARD_ADMIN_EMAIL" placeholder:"ADDRESS"`
	AdminPassword string `env:"HOMEWARD_ADMIN_PASSWORD" secret:""`
	APIKey        string `name:"api-key" env:"HOMEWARD_API_KEY" secret:""`

	MetricsListen string  `env:"HOMEWARD_METRICS_LISTEN" placeholder:"HOST:PORT"`
	DebugListen   string  `env:"HOMEWARD_DEBUG_LISTEN" placeholder:"HOST:PORT"`
	OTLP          string  `name:"otlp" env:"HOMEWARD_OTLP" placeholder:"URL"`
	OTLPHeaders   string  `name:"otlp-headers" env:"HOMEWARD_OTLP_HEADERS" placeholder:"LIST" secret:""`
	TraceSample   float64 `env:"HOMEWARD_TRACE_SAMPLE" default:"0.1" placeholder:"N"`
	RateLimit     float64 `env:"HOMEWARD_RATE_LIMIT" default:"100" placeholder:"N"`

	Payment        string `env:"HOMEWARD_PAYMENT" placeholder:"KIND"`
	StripeKey      string `env:"HOMEWARD_STRIPE_KEY" secret:""`
	StripeSecret   string `name:"stripe-webhook-secret" env:"HOMEWARD_STRIPE_WEBHOOK_SECRET" secret:""`
	StripeAPI      string `name:"stripe-api" env:"HOMEWARD_STRIPE_API" placeholder:"URL"`
	Carrier        string `env:"HOMEWARD_CARRIER" default:"tariff" placeholder:"KIND"`
	EasyPostKey    string `name:"easypost-key" env:"HOMEWARD_EASYPOST_KEY" secret:""`
	EasyPostSecret string `name:"easypost-webhook-secret" env:"HOMEWARD_EASYPOST_WEBHOOK_SECRET" secret:""`
	EasyPostAPI    string `name:"easypost-api" env:"HOMEWARD_EASYPOST_API" placeholder:"URL"`

	OIDCIssuer string `name:"oidc-issuer" env:"HOMEWARD_OIDC_ISSUER" placeholder:"URL"`
	OIDCClient string `name:"oidc-client-id" env:"HOMEWARD_OIDC_CLIENT_ID" placeholder:"TEXT"`
	OIDCSecret string `name:"oidc-client-secret" env:"HOMEWARD_OIDC_CLIENT_SECRET" secret:""`
	OIDCName   string `name:"oidc-name" env:"HOMEWARD_OIDC_NAME" placeholder:"TEXT"`

	Vision          string `env:"HOMEWARD_VISION" placeholder:"URL"`
	VisionModel     string `env:"HOMEWARD_VISION_MODEL" placeholder:"TEXT"`
	VisionKey       string `env:"HOMEWARD_VISION_KEY" secret:""`
	VisionDaily     int    `env:"HOMEWARD_VISION_DAILY" default:"200" placeholder:"N"`
	Embeddings      string `env:"HOMEWARD_EMBEDDINGS" placeholder:"URL"`
	EmbeddingsModel string `env:"HOMEWARD_EMBEDDINGS_MODEL" placeholder:"TEXT"`
	EmbeddingsKey   string `env:"HOMEWARD_EMBEDDINGS_KEY" secret:""`

	TLSCert       string `name:"tls-cert" env:"HOMEWARD_TLS_CERT" placeholder:"FILE"`
	TLSKey        string `name:"tls-key" env:"HOMEWARD_TLS_KEY" placeholder:"FILE"`
	ACME          string `name:"acme" env:"HOMEWARD_ACME" placeholder:"HOSTS"`
	ACMEDirectory string `name:"acme-directory" env:"HOMEWARD_ACME_DIRECTORY" placeholder:"URL"`
	ACMERoots     string `name:"acme-roots" env:"HOMEWARD_ACME_ROOTS" placeholder:"FILE"`
	HTTPListen    string `name:"http-listen" env:"HOMEWARD_HTTP_LISTEN" placeholder:"HOST:PORT"`
	Proxies       string `name:"trusted-proxies" env:"HOMEWARD_TRUSTED_PROXIES" placeholder:"NETWORKS"`
	Log           string `env:"HOMEWARD_LOG" placeholder:"FORM"`
	LogLevel      string `env:"HOMEWARD_LOG_LEVEL" default:"info" placeholder:"LEVEL"`

	Drain        time.Duration `env:"HOMEWARD_DRAIN" default:"${drain}"`
	DatabaseWait time.Duration `name:"database-wait" env:"HOMEWARD_DATABASE_WAIT" default:"30s"`

	Demo bool

	// DemoFinds is the number of found items in a demo; 0 means the default. Only tests set it.
	DemoFinds int `kong:"-"`

	// Hashing is the cost of password hashing; the zero value means the production cost. Only tests set it.
	Hashing identity.Hashing `kong:"-"`

	// ModelTimeout limits one request to a model; 0 means the default of the model. Only tests set it.
	ModelTimeout time.Duration `kong:"-"`

	// Clock replaces time.Now if it is not nil. Only tests set it.
	Clock func() time.Time `kong:"-"`
}

// now returns Clock, or time.Now if Clock is nil.
func (c Config) now() func() time.Time {
	if c.Clock == nil {
		return time.Now
	}
	return c.Clock
}

// Validate sets the defaults that depend on other settings. It returns a one-line error about the first invalid
// setting, or nil if all are valid. The error never contains a secret.
func (c *Config) Validate() error {
	if all := c.Problems(); len(all) > 0 {
		return all[0]
	}
	return nil
}

// Problems sets the defaults that depend on other settings, and returns the first problem in each group of settings.
func (c *Config) Problems() (all []error) {
	c.setDefaults()
	for _, check := range []func() error{
		c.checkAddresses, c.checkTLS, c.checkPlainHTTP, c.checkProxies, c.checkFirstAccount,
		c.checkMessages, c.checkServices, c.checkProvider, c.checkVision, c.checkEmbeddings, c.checkTelemetry,
		c.checkDemo,
	} {
		if err := check(); err != nil {
			all = append(all, err)
		}
	}
	return all
}

// setDefaults sets the settings whose default depends on another setting.
func (c *Config) setDefaults() {
	if c.Database == "" {
		c.Database = filepath.Join(c.Data, "homeward.db")
	}
	if c.Files == "" {
		c.Files = filepath.Join(c.Data, "files")
	}
	if c.Payment != "" {
		return
	}
	switch {
	case c.Demo:
		c.Payment = "test"
	case c.StripeKey != "":
		c.Payment = "stripe"
	default:
		c.Payment = "none"
	}
}

// Unused returns the settings that are set but have no effect because of another setting.
func (c *Config) Unused() (names []string) {
	if c.EasyPostKey != "" && c.Carrier != "easypost" {
		names = append(names, "HOMEWARD_EASYPOST_KEY")
	}
	return names
}

// SecretSettings returns the names of the settings that can be read from a file: NAME_FILE names the file.
func SecretSettings() (names []string) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		if _, isSecret := field.Tag.Lookup("secret"); isSecret {
			names = append(names, field.Tag.Get("env"))
		}
	}
	return names
}

// FileSuffix is the end of the name of the variable with the file that contains a setting.
const FileSuffix = "_FILE"

// UnknownSettings returns the names of environment variables that begin with HOMEWARD_ but are not settings.
func UnknownSettings(environ []string) []string {
	known := map[string]bool{"HOMEWARD_URL": true} // of homeward mcp, which may share its environment with the service
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		known[field.Tag.Get("env")] = true
	}
	for _, name := range SecretSettings() {
		known[name+FileSuffix] = true
	}
	var unknown []string
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		forTests := strings.HasPrefix(name, "HOMEWARD_TEST_") || strings.HasPrefix(name, "HOMEWARD_SERVICES_")
		if strings.HasPrefix(name, "HOMEWARD_") && !known[name] && !forTests {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// Level returns the configured log level, and whether the setting is valid. The default is Info.
func (c *Config) Level() (level slog.Level, ok bool) {
	switch c.LogLevel {
	case "debug":
		return slog.LevelDebug, true
	case "", "info":
		return slog.LevelInfo, true
	case "warn":
		return slog.LevelWarn, true
	case "error":
		return slog.LevelError, true
	default:
		return slog.LevelInfo, false
	}
}

// Logger returns a logger for the configured format. The default is text on a terminal and JSON otherwise. The caller
// may change the level later.
func (c *Config) Logger(to *os.File, level slog.Leveler) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	format := c.Log
	if format == "" && IsTerminal(to) {
		format = "text"
	}
	if format == "text" {
		return NewLogger(slog.NewTextHandler(to, options))
	}
	return NewLogger(slog.NewJSONHandler(to, options))
}

// NewLogger returns a logger that writes no secrets and no e-mail addresses.
func NewLogger(h slog.Handler) *slog.Logger { return slog.New(redactHandler{h}) }

// IsTerminal reports whether w is a terminal. The null device is not one, although it is a character device too.
func IsTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
