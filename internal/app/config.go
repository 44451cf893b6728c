package app

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/mail"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// Config is every setting of the service. Each is a flag, an environment variable, or a line of the
// file that --config names; the tags say how, and what it means.
type Config struct {
	Listen        string        `env:"HOMEWARD_LISTEN" default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Address to listen on. Default: ${default}."`
	BaseURL       string        `name:"base-url" env:"HOMEWARD_BASE_URL" placeholder:"URL" help:"Public address, in links and file URLs. Default: http://LISTEN; with TLS https://LISTEN, or the first name of ACME."`
	Data          string        `env:"HOMEWARD_DATA" default:"${data}" placeholder:"DIR" help:"Folder for the embedded database and files. Default: ${default}."`
	Database      string        `env:"HOMEWARD_DATABASE" placeholder:"DB" help:"postgres://… or a SQLite file. Default: DATA/homeward.db."`
	Replica       string        `name:"database-replica" env:"HOMEWARD_DATABASE_REPLICA" placeholder:"DB" help:"postgres://… of a streaming replica of the database: lists and searches are read there while it has caught up. Default: none."`
	Files         string        `env:"HOMEWARD_FILES" placeholder:"DIR" help:"s3://bucket?… or a folder. Default: DATA/files."`
	Secret        string        `env:"HOMEWARD_SECRET" placeholder:"TEXT" help:"Key for links and for secrets at rest, at least 16 characters; the same on every copy. Default: made once, DATA/secret.key."`
	SecretFile    string        `env:"HOMEWARD_SECRET_FILE" placeholder:"FILE" help:"File that holds HOMEWARD_SECRET, instead of it."`
	SecretOld     string        `env:"HOMEWARD_SECRET_OLD" placeholder:"TEXT" help:"Former secrets, separated by commas, until homeward secret rotate is done."`
	SecretOldFile string        `env:"HOMEWARD_SECRET_OLD_FILE" placeholder:"FILE" help:"File that holds former secrets, one a line, instead of HOMEWARD_SECRET_OLD or beside it."`
	SMTP          string        `name:"smtp" env:"HOMEWARD_SMTP" placeholder:"URL" help:"smtp://user:pass@host:port or smtps://…; user optional, STARTTLS used where offered. Default: messages are kept and shown, not sent."`
	MailFrom      string        `env:"HOMEWARD_MAIL_FROM" default:"lost-and-found@localhost" placeholder:"ADDRESS" help:"Sender of messages. Default: ${default}."`
	TwilioAccount string        `name:"twilio-account" env:"HOMEWARD_TWILIO_ACCOUNT" placeholder:"SID" help:"Twilio's account SID, for text messages to guests who have only a phone. Default: they are kept and shown, not sent."`
	TwilioToken   string        `name:"twilio-token" env:"HOMEWARD_TWILIO_TOKEN" placeholder:"TEXT" help:"Twilio's auth token."`
	TwilioFrom    string        `name:"twilio-from" env:"HOMEWARD_TWILIO_FROM" placeholder:"NUMBER" help:"Sender of text messages: a number of Twilio's, or a messaging service's SID."`
	TwilioAPI     string        `name:"twilio-api" env:"HOMEWARD_TWILIO_API" placeholder:"URL" help:"Overrides Twilio's address."`
	Discreet      bool          `env:"HOMEWARD_DISCREET" help:"Name neither item nor place in the subject of a message, nor in a text message."`
	AllowPrivate  bool          `name:"webhook-allow-private" env:"HOMEWARD_WEBHOOK_ALLOW_PRIVATE" help:"Allow loopback and private webhook targets, and plain http."`
	RetryUnit     time.Duration `name:"webhook-retry-unit" env:"HOMEWARD_WEBHOOK_RETRY_UNIT" default:"15s" placeholder:"TIME" help:"The 15 s of the webhook retry schedule. Default: ${default}."`
	Retention     time.Duration `name:"webhook-retention" env:"HOMEWARD_WEBHOOK_RETENTION" default:"${retention}" placeholder:"TIME" help:"How long events and settled webhook deliveries are kept. Default: ${default}."`
	AdminEmail    string        `env:"HOMEWARD_ADMIN_EMAIL" placeholder:"ADDRESS" help:"First user, made when the database is empty. Default: made up, printed once."`
	AdminPassword string        `env:"HOMEWARD_ADMIN_PASSWORD" placeholder:"TEXT" help:"The first user's password, 10 to 200 characters. Default: made up, printed once."`
	APIKey        string        `name:"api-key" env:"HOMEWARD_API_KEY" placeholder:"TEXT" help:"First API key, 20 to 200 visible ASCII characters, made when the database is empty. Default: made up, printed once."`
	MetricsListen string        `env:"HOMEWARD_METRICS_LISTEN" placeholder:"HOST:PORT" help:"Serve /metrics on this address instead of the main one."`
	DebugListen   string        `env:"HOMEWARD_DEBUG_LISTEN" placeholder:"HOST:PORT" help:"Serve Go's profiles (/debug/pprof/) on this address of this machine, such as 127.0.0.1:6060; another one only with the word exposed after it. Default: nowhere."`
	OTLP          string        `name:"otlp" env:"HOMEWARD_OTLP" placeholder:"URL" help:"Send traces and log lines to this OpenTelemetry collector, by OTLP over HTTP, such as http://127.0.0.1:4318. Default: nowhere."`
	OTLPHeaders   string        `name:"otlp-headers" env:"HOMEWARD_OTLP_HEADERS" placeholder:"LIST" help:"Headers that the collector asks for: name=value, with commas between."`
	TraceSample   float64       `env:"HOMEWARD_TRACE_SAMPLE" default:"0.1" placeholder:"N" help:"Share of requests that are traced, 0 to 1, where their caller does not say. Default: ${default}."`
	RateLimit     float64       `env:"HOMEWARD_RATE_LIMIT" default:"100" placeholder:"N" help:"Requests per second and key; 0 is no limit. Default: ${default}."`
	Payment       string        `env:"HOMEWARD_PAYMENT" placeholder:"KIND" help:"How guests pay for shipping: stripe, test (a page that says so) or none (the desk collects). Default: stripe where a key is set, else none; test with --demo."`
	StripeKey     string        `env:"HOMEWARD_STRIPE_KEY" placeholder:"TEXT" help:"Stripe's secret key."`
	StripeSecret  string        `name:"stripe-webhook-secret" env:"HOMEWARD_STRIPE_WEBHOOK_SECRET" placeholder:"TEXT" help:"Secret that signs Stripe's webhooks to BASE_URL/hooks/stripe. Needed with stripe: payments are confirmed by them."`
	StripeAPI     string        `name:"stripe-api" env:"HOMEWARD_STRIPE_API" placeholder:"URL" help:"Overrides Stripe's address."`
	Carrier       string        `env:"HOMEWARD_CARRIER" default:"tariff" placeholder:"KIND" help:"Who sends parcels: easypost, or tariff (each location's own prices). Default: ${default}."`
	EasyPostKey   string        `name:"easypost-key" env:"HOMEWARD_EASYPOST_KEY" placeholder:"TEXT" help:"EasyPost's API key."`
	EasyPostHook  string        `name:"easypost-webhook-secret" env:"HOMEWARD_EASYPOST_WEBHOOK_SECRET" placeholder:"TEXT" help:"Secret that signs EasyPost's webhooks to BASE_URL/hooks/easypost, which tell of parcels at once; they are asked for every hour in any case."`
	EasyPostAPI   string        `name:"easypost-api" env:"HOMEWARD_EASYPOST_API" placeholder:"URL" help:"Overrides EasyPost's address."`
	OIDCIssuer    string        `name:"oidc-issuer" env:"HOMEWARD_OIDC_ISSUER" placeholder:"URL" help:"People may log in with this OpenID Connect provider; it lets in only whom somebody has invited. Default: nobody does."`
	OIDCClient    string        `name:"oidc-client-id" env:"HOMEWARD_OIDC_CLIENT_ID" placeholder:"TEXT" help:"What the provider calls this service. People come back to BASE_URL/login/back."`
	OIDCSecret    string        `name:"oidc-client-secret" env:"HOMEWARD_OIDC_CLIENT_SECRET" placeholder:"TEXT" help:"The secret that the provider gave this service. Default: none, for a public client."`
	OIDCName      string        `name:"oidc-name" env:"HOMEWARD_OIDC_NAME" placeholder:"TEXT" help:"What people call the provider: the button says \"Log in with …\". Default: the issuer's host."`
	TLSCert       string        `name:"tls-cert" env:"HOMEWARD_TLS_CERT" placeholder:"FILE" help:"Speak TLS on LISTEN with this certificate (PEM, with its chain); read again when it changes. Default: plain http."`
	TLSKey        string        `name:"tls-key" env:"HOMEWARD_TLS_KEY" placeholder:"FILE" help:"The certificate's private key (PEM)."`
	ACME          string        `name:"acme" env:"HOMEWARD_ACME" placeholder:"HOSTS" help:"Speak TLS on LISTEN with certificates for these names, had from Let's Encrypt, whose terms you accept by it, or from ACME_DIRECTORY."`
	ACMEDirectory string        `name:"acme-directory" env:"HOMEWARD_ACME_DIRECTORY" placeholder:"URL" help:"The directory of another authority that speaks ACME."`
	ACMERoots     string        `name:"acme-roots" env:"HOMEWARD_ACME_ROOTS" placeholder:"FILE" help:"Certificates (PEM) that ACME_DIRECTORY is trusted by, for an authority of your own. Default: the machine's."`
	HTTPListen    string        `name:"http-listen" env:"HOMEWARD_HTTP_LISTEN" placeholder:"HOST:PORT" help:"With TLS: an address, such as :80, that sends on to https and answers the authority of ACME."`
	Proxies       string        `name:"trusted-proxies" env:"HOMEWARD_TRUSTED_PROXIES" placeholder:"NETWORKS" help:"Proxies whose X-Forwarded-For, X-Forwarded-Proto and Forwarded are believed, such as 10.0.0.0/8,192.0.2.7; none for nobody's. Default: those on this machine."`
	Log           string        `env:"HOMEWARD_LOG" placeholder:"FORM" help:"text or json. Default: text on a terminal, else json."`

	Demo      bool `help:"Serve a believable sample account, made when the data folder (then ./homeward-demo) is empty. With another command: use that folder."`
	DemoFinds int  `kong:"-"` // how much a demo is filled with; 0 for as much as is worth looking at

	Hashing desk.Hashing     `kong:"-"` // what passwords cost; empty for what they should, which is what tests alone change
	Clock   func() time.Time `kong:"-"` // nil for the machine's own; tests alone turn it

	examined bool // by the doctor, who tells what is wrong with all settings
}

// now is the clock that everything goes by.
func (c Config) now() func() time.Time {
	if c.Clock == nil {
		return time.Now
	}
	return c.Clock
}

// Validate fills in what follows from other settings, and says in one line what is wrong with the
// first setting that is wrong. It never repeats a secret.
func (c *Config) Validate() error {
	if all := c.faults(); len(all) > 0 && !c.examined {
		return all[0]
	}
	return nil
}

// faults is Validate that goes on: of each group of settings it says what is wrong first.
func (c *Config) faults() (all []error) {
	if c.Database == "" {
		c.Database = filepath.Join(c.Data, "homeward.db")
	}
	if c.Files == "" {
		c.Files = filepath.Join(c.Data, "files")
	}
	if c.Payment == "" {
		c.Payment = "none"
		switch {
		case c.Demo:
			c.Payment = "test"
		case c.StripeKey != "":
			c.Payment = "stripe"
		}
	}
	for _, check := range []func() error{c.checkAddresses, c.checkTLS, c.checkPlain, c.checkProxies, c.checkFirst, c.checkMessages, c.checkServices, c.checkProvider, c.checkSeeing, c.checkDemo} {
		if err := check(); err != nil {
			all = append(all, err)
		}
	}
	return all
}

func wrong(setting, takes string) error { return fmt.Errorf("%s takes %s", setting, takes) }

func (c *Config) checkAddresses() error {
	switch {
	case !isListen(c.Listen):
		return wrong("HOMEWARD_LISTEN", "host:port, such as 127.0.0.1:8080")
	case c.MetricsListen != "" && !isListen(c.MetricsListen):
		return wrong("HOMEWARD_METRICS_LISTEN", "host:port, such as 127.0.0.1:9090")
	case c.BaseURL != "" && !isURL(c.BaseURL, "http", "https"):
		return wrong("HOMEWARD_BASE_URL", "an http or https address, such as https://lost.example.com")
	case c.Data == "":
		return wrong("HOMEWARD_DATA", "a folder")
	case (strings.Contains(c.Database, "://") || keywords.MatchString(c.Database)) && !store.IsPostgres(c.Database):
		return wrong("HOMEWARD_DATABASE", "postgres://user:password@host:5432/name or the path of a SQLite file")
	case c.Replica != "" && !store.IsPostgres(c.Replica):
		return wrong("HOMEWARD_DATABASE_REPLICA", "postgres://user:password@host:5432/name of a replica of the database")
	case c.Replica != "" && !store.IsPostgres(c.Database):
		return errors.New("HOMEWARD_DATABASE_REPLICA needs HOMEWARD_DATABASE to be a PostgreSQL, which it is a replica of")
	case strings.Contains(c.Files, "://") && !strings.HasPrefix(c.Files, "s3://"):
		return wrong("HOMEWARD_FILES", "s3://bucket?… or a folder")
	}
	c.BaseURL = strings.TrimSuffix(c.BaseURL, "/")
	return nil
}

func (c *Config) checkFirst() error {
	invisible := func(r rune) bool { return r < '!' || r > '~' }
	if _, ok := lost.ParseEmail(c.AdminEmail); c.AdminEmail != "" && !ok {
		return wrong("HOMEWARD_ADMIN_EMAIL", "an e-mail address")
	}
	switch n := len([]rune(c.AdminPassword)); {
	case c.AdminPassword != "" && (n < lost.MinPassword || n > lost.MaxPassword):
		return wrong("HOMEWARD_ADMIN_PASSWORD", "10 to 200 characters")
	case c.APIKey != "" && (len(c.APIKey) < 20 || len(c.APIKey) > 200 || strings.ContainsFunc(c.APIKey, invisible)):
		return wrong("HOMEWARD_API_KEY", "20 to 200 visible ASCII characters")
	case c.Secret != "" && len(c.Secret) < minSecret:
		return wrong("HOMEWARD_SECRET", "at least 16 characters")
	case c.Secret != "" && c.SecretFile != "":
		return errors.New("HOMEWARD_SECRET and HOMEWARD_SECRET_FILE say the same: set one of them")
	case !(c.RateLimit >= 0 && c.RateLimit <= 1e6): // not a number is neither
		return wrong("HOMEWARD_RATE_LIMIT", "a number of requests per second from 0 (no limit) to 1000000")
	case c.Log != "" && c.Log != "text" && c.Log != "json":
		return wrong("HOMEWARD_LOG", "text or json")
	}
	return nil
}

func (c *Config) checkMessages() error {
	_, fromErr := mail.ParseAddress(c.MailFrom)
	twilio := []string{c.TwilioAccount, c.TwilioToken, c.TwilioFrom}
	switch {
	case c.SMTP != "" && !isURL(c.SMTP, "smtp", "smtps"):
		return wrong("HOMEWARD_SMTP", "smtp://user:pass@host:port or smtps://…")
	case fromErr != nil:
		return wrong("HOMEWARD_MAIL_FROM", "an e-mail address")
	case strings.Join(twilio, "") != "" && slices.Contains(twilio, ""):
		return errors.New("HOMEWARD_TWILIO_ACCOUNT, HOMEWARD_TWILIO_TOKEN and HOMEWARD_TWILIO_FROM are needed together")
	case c.TwilioAPI != "" && !isURL(c.TwilioAPI, "http", "https"):
		return wrong("HOMEWARD_TWILIO_API", "an http or https address")
	}
	return nil
}

func (c *Config) checkServices() error {
	switch {
	case c.RetryUnit <= 0 || c.RetryUnit > 24*time.Hour:
		return wrong("HOMEWARD_WEBHOOK_RETRY_UNIT", "a time above 0 and at most 24h, such as 15s")
	case c.Retention < time.Hour:
		return wrong("HOMEWARD_WEBHOOK_RETENTION", "a time of at least 1h, such as 720h")
	case !slices.Contains([]string{"stripe", "test", "none"}, c.Payment):
		return wrong("HOMEWARD_PAYMENT", "stripe, test or none")
	case c.Payment == "stripe" && c.StripeKey == "":
		return errors.New("HOMEWARD_PAYMENT=stripe needs HOMEWARD_STRIPE_KEY")
	case c.Payment == "stripe" && c.StripeSecret == "":
		return errors.New("HOMEWARD_STRIPE_KEY needs HOMEWARD_STRIPE_WEBHOOK_SECRET too: payments are confirmed by Stripe's webhook to BASE_URL/hooks/stripe")
	case !slices.Contains([]string{"easypost", "tariff"}, c.Carrier):
		return wrong("HOMEWARD_CARRIER", "easypost or tariff")
	case c.Carrier == "easypost" && c.EasyPostKey == "":
		return errors.New("HOMEWARD_CARRIER=easypost needs HOMEWARD_EASYPOST_KEY")
	case c.StripeAPI != "" && !isURL(c.StripeAPI, "http", "https"):
		return wrong("HOMEWARD_STRIPE_API", "an http or https address")
	case c.EasyPostAPI != "" && !isURL(c.EasyPostAPI, "http", "https"):
		return wrong("HOMEWARD_EASYPOST_API", "an http or https address")
	}
	return nil
}

func (c *Config) checkProvider() error {
	const maxName = 40
	switch {
	case (c.OIDCIssuer == "") != (c.OIDCClient == ""):
		return errors.New("HOMEWARD_OIDC_ISSUER and HOMEWARD_OIDC_CLIENT_ID are needed together")
	case c.OIDCIssuer == "" && c.OIDCSecret != "":
		return errors.New("HOMEWARD_OIDC_CLIENT_SECRET needs HOMEWARD_OIDC_ISSUER")
	case c.OIDCIssuer == "" && c.OIDCName != "":
		return errors.New("HOMEWARD_OIDC_NAME needs HOMEWARD_OIDC_ISSUER")
	case c.OIDCIssuer != "" && !isURL(c.OIDCIssuer, "http", "https"):
		return wrong("HOMEWARD_OIDC_ISSUER", "an http or https address, such as https://login.example.com")
	case len([]rune(c.OIDCName)) > maxName:
		return wrong("HOMEWARD_OIDC_NAME", "at most 40 characters")
	}
	return nil
}

// idle names the settings that were given and have nothing to act on.
func (c *Config) idle() (names []string) {
	if c.EasyPostKey != "" && c.Carrier != "easypost" {
		names = append(names, "HOMEWARD_EASYPOST_KEY")
	}
	return names
}

func isListen(s string) bool {
	_, port, err := net.SplitHostPort(s)
	if err != nil {
		return false
	}
	n, err := strconv.Atoi(port)
	return err == nil && n >= 0 && n <= 65535
}

func isURL(s string, schemes ...string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && slices.Contains(schemes, u.Scheme)
}

// Logger writes the log in the form that was chosen: for people on a terminal, else for programs.
func (c *Config) Logger(to *os.File) *slog.Logger {
	form := c.Log
	if form == "" && isTerminal(to) {
		form = "text"
	}
	if form == "text" {
		return slog.New(redactHandler{slog.NewTextHandler(to, nil)})
	}
	return slog.New(redactHandler{slog.NewJSONHandler(to, nil)})
}

// isTerminal tells whether a person reads what is written to a file.
func isTerminal(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// keywords is how PostgreSQL's own programs name a database, which this one does not take: it would be the name of a file, with the password in it.
var keywords = regexp.MustCompile(`(?:^|\s)(?:host|hostaddr|port|dbname|user|password|sslmode)\s*=`)
