package app

import (
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/openai"
	"homeward/internal/store"
)

// InvalidSetting returns the error for a setting with an invalid value. The parameter valid describes valid values.
func InvalidSetting(setting, valid string) error { return fmt.Errorf("%s must be %s", setting, valid) }

func (c *Config) checkAddresses() error {
	switch {
	case !IsListenAddress(c.Listen):
		return InvalidSetting("HOMEWARD_LISTEN", "host:port, such as 127.0.0.1:8080")
	case c.MetricsListen != "" && !IsListenAddress(c.MetricsListen):
		return InvalidSetting("HOMEWARD_METRICS_LISTEN", "host:port, such as 127.0.0.1:9090")
	case c.BaseURL != "" && !IsURL(c.BaseURL, "http", "https"):
		return InvalidSetting("HOMEWARD_BASE_URL", "an HTTP or HTTPS URL, such as https://lost.example.com")
	case hasPath(c.BaseURL):
		return InvalidSetting("HOMEWARD_BASE_URL",
			"a URL without a path, such as https://lost.example.com; Homeward needs a host name of its own")
	case hasUnspecifiedHost(c.BaseURL):
		return InvalidSetting("HOMEWARD_BASE_URL", "an address that guests can open; 0.0.0.0 and [::] mean all "+
			"addresses of this machine, so use them only in HOMEWARD_LISTEN")
	case c.Data == "":
		return InvalidSetting("HOMEWARD_DATA", "a folder")
	case (strings.Contains(c.Database, "://") || keywordDSN.MatchString(c.Database)) && !store.IsPostgres(c.Database):
		return InvalidSetting("HOMEWARD_DATABASE",
			"postgres://user:password@host:5432/name or the path of a SQLite file")
	case c.Replica != "" && !store.IsPostgres(c.Replica):
		return InvalidSetting("HOMEWARD_DATABASE_REPLICA",
			"postgres://user:password@host:5432/name, a replica of the database")
	case c.Replica != "" && !store.IsPostgres(c.Database):
		return errors.New("HOMEWARD_DATABASE_REPLICA is a PostgreSQL replica: set HOMEWARD_DATABASE to its primary")
	case strings.Contains(c.Files, "://") && !strings.HasPrefix(c.Files, "s3://"):
		return InvalidSetting("HOMEWARD_FILES", "s3://bucket?… or a folder")
	}
	c.BaseURL = strings.TrimSuffix(c.BaseURL, "/")
	return nil
}

// hasPath reports whether a URL has a path, a query or a fragment. A slash at its end is no path.
func hasPath(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "")
}

func (c *Config) checkFirstAccount() error {
	invisible := func(r rune) bool { return r < '!' || r > '~' }
	if _, ok := lost.ParseEmail(c.AdminEmail); c.AdminEmail != "" && !ok {
		return InvalidSetting("HOMEWARD_ADMIN_EMAIL", "an e-mail address")
	}
	switch n := len([]rune(c.AdminPassword)); {
	case c.AdminPassword != "" && (n < lost.MinPassword || n > lost.MaxPassword):
		return InvalidSetting("HOMEWARD_ADMIN_PASSWORD", "10 to 200 characters")
	case c.APIKey != "" && (len(c.APIKey) < 20 || len(c.APIKey) > 200 || strings.ContainsFunc(c.APIKey, invisible)):
		return InvalidSetting("HOMEWARD_API_KEY", "20 to 200 visible ASCII characters")
	case c.Secret != "" && c.SecretFile != "":
		return errors.New("HOMEWARD_SECRET and HOMEWARD_SECRET_FILE are alternatives: set only one of them")
	case !(c.RateLimit >= 0 && c.RateLimit <= 1e6): // also false for NaN
		return InvalidSetting("HOMEWARD_RATE_LIMIT", "a number of requests per second from 0 (no limit) to 1000000")
	case c.Log != "" && c.Log != "text" && c.Log != "json":
		return InvalidSetting("HOMEWARD_LOG", "text or json")
	}
	if _, ok := c.Level(); !ok {
		return InvalidSetting("HOMEWARD_LOG_LEVEL", "debug, info, warn or error")
	}
	return c.CheckSecret()
}

func (c *Config) checkMessages() error {
	_, fromErr := mail.ParseAddress(c.MailFrom)
	twilio := []string{c.TwilioAccount, c.TwilioToken, c.TwilioFrom}
	switch {
	case c.SMTP != "" && !IsURL(c.SMTP, "smtp", "smtps"):
		return InvalidSetting("HOMEWARD_SMTP", "smtp://user:pass@host:port or smtps://…")
	case fromErr != nil:
		return InvalidSetting("HOMEWARD_MAIL_FROM", "an e-mail address")
	case c.IMAP != "" && !c.isMailbox():
		return InvalidSetting("HOMEWARD_IMAP", "imaps://user:pass@host/INBOX; write %40 for an @ in the user name")
	case c.IMAP != "" && c.SMTP == "":
		return errors.New("HOMEWARD_IMAP needs HOMEWARD_SMTP too: it receives the replies to e-mails that are sent")
	case strings.Join(twilio, "") != "" && slices.Contains(twilio, ""):
		return errors.New("HOMEWARD_TWILIO_ACCOUNT, HOMEWARD_TWILIO_TOKEN and HOMEWARD_TWILIO_FROM " +
			"must be set together")
	case c.TwilioAPI != "" && !IsURL(c.TwilioAPI, "http", "https"):
		return InvalidSetting("HOMEWARD_TWILIO_API", "an HTTP or HTTPS URL")
	}
	return nil
}

// isMailbox reports whether the setting of the mailbox is valid.
func (c *Config) isMailbox() bool {
	_, err := NewMailbox(*c, nil, nil)
	return err == nil
}

// Limits that are far longer than useful values, to notice mistakes.
const (
	maxDrain        = 5 * time.Minute
	maxDatabaseWait = time.Hour
)

func (c *Config) checkServices() error {
	switch {
	case c.RetryUnit <= 0 || c.RetryUnit > 24*time.Hour:
		return InvalidSetting("HOMEWARD_WEBHOOK_RETRY_UNIT", "a duration above 0 and at most 24h, such as 15s")
	case c.Retention < time.Hour:
		return InvalidSetting("HOMEWARD_WEBHOOK_RETENTION", "a duration of at least 1h, such as 720h")
	case c.Drain < 0 || c.Drain > maxDrain:
		return InvalidSetting("HOMEWARD_DRAIN", "a duration of at most 5m, such as 3s")
	case c.DatabaseWait < 0 || c.DatabaseWait > maxDatabaseWait:
		return InvalidSetting("HOMEWARD_DATABASE_WAIT", "a duration of at most 1h, such as 30s")
	case !slices.Contains([]string{"stripe", "test", "none"}, c.Payment):
		return InvalidSetting("HOMEWARD_PAYMENT", "stripe, test or none")
	case c.Payment == "stripe" && c.StripeKey == "":
		return errors.New("HOMEWARD_PAYMENT=stripe needs HOMEWARD_STRIPE_KEY")
	case c.Payment == "stripe" && c.StripeSecret == "":
		return errors.New("HOMEWARD_STRIPE_KEY needs HOMEWARD_STRIPE_WEBHOOK_SECRET too: " +
			"payments are confirmed by Stripe's webhook to BASE_URL/hooks/stripe")
	case !slices.Contains([]string{"easypost", "tariff"}, c.Carrier):
		return InvalidSetting("HOMEWARD_CARRIER", "easypost or tariff")
	case c.Carrier == "easypost" && c.EasyPostKey == "":
		return errors.New("HOMEWARD_CARRIER=easypost needs HOMEWARD_EASYPOST_KEY")
	case c.StripeAPI != "" && !IsURL(c.StripeAPI, "http", "https"):
		return InvalidSetting("HOMEWARD_STRIPE_API", "an HTTP or HTTPS URL")
	case c.EasyPostAPI != "" && !IsURL(c.EasyPostAPI, "http", "https"):
		return InvalidSetting("HOMEWARD_EASYPOST_API", "an HTTP or HTTPS URL")
	}
	return nil
}

func (c *Config) checkProvider() error {
	const maxName = 40
	switch {
	case (c.OIDCIssuer == "") != (c.OIDCClient == ""):
		return errors.New("HOMEWARD_OIDC_ISSUER and HOMEWARD_OIDC_CLIENT_ID must be set together")
	case c.OIDCIssuer == "" && c.OIDCSecret != "":
		return errors.New("HOMEWARD_OIDC_CLIENT_SECRET needs HOMEWARD_OIDC_ISSUER")
	case c.OIDCIssuer == "" && c.OIDCName != "":
		return errors.New("HOMEWARD_OIDC_NAME needs HOMEWARD_OIDC_ISSUER")
	case c.OIDCIssuer != "" && !IsURL(c.OIDCIssuer, "http", "https"):
		return InvalidSetting("HOMEWARD_OIDC_ISSUER", "an HTTP or HTTPS URL, such as https://login.example.com")
	case len([]rune(c.OIDCName)) > maxName:
		return InvalidSetting("HOMEWARD_OIDC_NAME", "at most 40 characters")
	}
	return nil
}

// maxVisionDaily is far more than an account needs, to notice mistakes.
const maxVisionDaily = 1_000_000

func (c *Config) checkVision() error {
	switch {
	case c.Vision == "" && (c.VisionModel != "" || c.VisionKey != ""):
		return errors.New("HOMEWARD_VISION_MODEL and HOMEWARD_VISION_KEY need HOMEWARD_VISION: the URL of a server")
	case c.Vision == "":
		return nil
	case openai.CheckURL(c.Vision) != nil:
		return InvalidSetting("HOMEWARD_VISION",
			"an HTTP or HTTPS URL without a user and a query, such as https://api.example.com/v1")
	case c.VisionModel == "":
		return errors.New("HOMEWARD_VISION needs HOMEWARD_VISION_MODEL: the name of a model that can see")
	case c.VisionDaily < 1 || c.VisionDaily > maxVisionDaily:
		return InvalidSetting("HOMEWARD_VISION_DAILY", "a number of photos from 1 to 1000000")
	}
	return nil
}

func (c *Config) checkEmbeddings() error {
	switch {
	case c.Embeddings == "" && (c.EmbeddingsModel != "" || c.EmbeddingsKey != ""):
		return errors.New("HOMEWARD_EMBEDDINGS_MODEL and HOMEWARD_EMBEDDINGS_KEY need HOMEWARD_EMBEDDINGS: " +
			"the URL of a server")
	case c.Embeddings == "":
		return nil
	case openai.CheckURL(c.Embeddings) != nil:
		return InvalidSetting("HOMEWARD_EMBEDDINGS",
			"an HTTP or HTTPS URL without a user and a query, such as https://api.example.com/v1")
	case c.EmbeddingsModel == "":
		return errors.New("HOMEWARD_EMBEDDINGS needs HOMEWARD_EMBEDDINGS_MODEL: the name of a model for embeddings")
	}
	return nil
}

// IsListenAddress reports whether s is host:port with a numeric port; the host may be empty.
func IsListenAddress(s string) bool {
	_, port, err := net.SplitHostPort(s)
	if err != nil {
		return false
	}
	n, err := strconv.Atoi(port)
	return err == nil && n >= 0 && n <= 65535
}

// IsURL reports whether s is a URL with a host and one of the schemes.
func IsURL(s string, schemes ...string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && slices.Contains(schemes, u.Scheme)
}

// hasUnspecifiedHost reports whether the host of a URL is 0.0.0.0 or [::], which nobody can connect to.
func hasUnspecifiedHost(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return ip != nil && ip.IsUnspecified()
}

// keywordDSN matches PostgreSQL's keyword=value connection strings. They are rejected because they would otherwise be
// mistaken for the name of a SQLite file, and that name would contain the password.
var keywordDSN = regexp.MustCompile(`(?:^|\s)(?:host|hostaddr|port|dbname|user|password|sslmode)\s*=`)
