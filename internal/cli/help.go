package cli

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/alecthomas/kong"

	"homeward/internal/app"
)

// settingHelp contains each setting's help text, keyed by its environment variable.
//
//nolint:gosec // the texts mention secrets but contain none
var settingHelp = map[string]string{
	"HOMEWARD_LISTEN": "Address to listen on. Default: ${default}.",
	"HOMEWARD_BASE_URL": "Public address, used in links and file URLs. " +
		"Default: http://LISTEN; with TLS https://LISTEN, or the first host name in ACME.",
	"HOMEWARD_DATA":     "Folder for the embedded database and files. Default: ${default}.",
	"HOMEWARD_DATABASE": "postgres://… or a SQLite file. Default: DATA/homeward.db.",
	"HOMEWARD_DATABASE_REPLICA": "postgres://… for a streaming replica of the database. Lists and searches use it " +
		"while it is up to date. Default: none.",
	"HOMEWARD_FILES": "s3://bucket?… or a folder. Default: DATA/files.",
	"HOMEWARD_SECRET": "Key for links and for encrypting stored secrets, at least 16 characters that are hard to " +
		"guess; the same on every instance. Default: generated once, DATA/secret.key.",
	"HOMEWARD_SECRET_FILE": "File that contains the secret, instead of HOMEWARD_SECRET.",
	"HOMEWARD_SECRET_OLD":  "Former secrets, separated by commas; needed until homeward secret rotate has finished.",
	"HOMEWARD_SECRET_OLD_FILE": "File that contains former secrets, one per line, " +
		"instead of HOMEWARD_SECRET_OLD or in addition to it.",

	"HOMEWARD_SMTP": "smtp://user:pass@host:port or smtps://…; user:pass is optional; STARTTLS is used if offered. " +
		"Default: e-mails are saved and shown, not sent.",
	"HOMEWARD_MAIL_FROM": "Sender of messages. Default: ${default}.",
	"HOMEWARD_IMAP": "imaps://user:pass@host/INBOX: mailbox in which replies to messages are read. The user is the " +
		"mailbox's address; otherwise its address must be MAIL_FROM. Default: replies are not read.",
	"HOMEWARD_TWILIO_ACCOUNT": "Twilio account SID, for text messages to guests without an e-mail address. " +
		"Default: text messages are saved and shown, not sent.",
	"HOMEWARD_TWILIO_TOKEN": "Twilio auth token.",
	"HOMEWARD_TWILIO_FROM":  "Sender of text messages: a Twilio number, or the SID of a messaging service.",
	"HOMEWARD_TWILIO_API":   "Overrides the URL of Twilio's API.",
	"HOMEWARD_DISCREET":     "Omit the item and location from e-mail subjects and text messages, and photos.",

	"HOMEWARD_WEBHOOK_ALLOW_PRIVATE": "Allow webhooks to use loopback and private addresses, and plain HTTP.",
	"HOMEWARD_WEBHOOK_RETRY_UNIT":    "Base interval of the webhook retry schedule. Default: ${default}.",
	"HOMEWARD_WEBHOOK_RETENTION":     "How long events and finished webhook deliveries are kept. Default: ${default}.",

	"HOMEWARD_ADMIN_EMAIL": "E-mail address of the first user, created if the database is empty. " +
		"Default: admin@homeward.example.",
	"HOMEWARD_ADMIN_PASSWORD": "Password of the first user, 10 to 200 characters. " +
		"Default: generated, " + firstStartHelp,
	"HOMEWARD_API_KEY": "First API key, 20 to 200 visible ASCII characters, created if the database is empty. " +
		"Default: generated, " + firstStartHelp,

	"HOMEWARD_METRICS_LISTEN": "Serve /metrics on this address instead of the main one. " +
		"Default: on the main address, but only to programs on this machine; for anybody else it does not exist.",
	"HOMEWARD_DEBUG_LISTEN": "Serve Go's profiles (/debug/pprof/) on this loopback address, such as 127.0.0.1:6060; " +
		"for any other address, add the word exposed after it. Default: not served.",
	"HOMEWARD_OTLP": "Send traces and log lines to this OpenTelemetry collector using OTLP over HTTP, " +
		"such as http://127.0.0.1:4318. Default: not sent.",
	"HOMEWARD_OTLP_HEADERS": "Headers for the collector: name=value, separated by commas.",
	"HOMEWARD_TRACE_SAMPLE": "Fraction of requests to trace, 0 to 1. A request with a traceparent header is traced " +
		"if its caller traces it. Default: ${default}.",
	"HOMEWARD_RATE_LIMIT": "Requests per second allowed for each API key; 0 means no limit. Default: ${default}.",

	"HOMEWARD_PAYMENT": "How guests pay for shipping: stripe, test (a test page) or none (pay at the desk). " +
		"Default: stripe if a key is set, else none; test with --demo.",
	"HOMEWARD_STRIPE_KEY": "Stripe secret key.",
	"HOMEWARD_STRIPE_WEBHOOK_SECRET": "Signing secret of Stripe's webhook to BASE_URL/hooks/stripe. " +
		"Required with stripe, because this webhook confirms payments.",
	"HOMEWARD_STRIPE_API": "Overrides the URL of Stripe's API.",
	"HOMEWARD_CARRIER": "Who ships parcels: easypost, or tariff (each location's own prices). " +
		"Default: ${default}.",
	"HOMEWARD_EASYPOST_KEY": "EasyPost API key.",
	"HOMEWARD_EASYPOST_WEBHOOK_SECRET": "Signing secret of EasyPost's webhook to BASE_URL/hooks/easypost, " +
		"which reports parcel status changes immediately. The status is also polled every hour.",
	"HOMEWARD_EASYPOST_API": "Overrides the URL of EasyPost's API.",

	"HOMEWARD_OIDC_ISSUER": "OpenID Connect provider for log-in; only invited people can log in. " +
		"Default: none.",
	"HOMEWARD_OIDC_CLIENT_ID": "Client ID of this service at the provider. " +
		"The redirect URL to register there is BASE_URL/login/back.",
	"HOMEWARD_OIDC_CLIENT_SECRET": "Client secret of this service at the provider. Default: none, for a public client.",
	"HOMEWARD_OIDC_NAME": "Name of the provider on the button \"Log in with …\". " +
		"Default: the issuer's host.",

	"HOMEWARD_VISION": "https://…/v1 of a server that speaks the OpenAI chat form with images, such as Ollama: the " +
		"photo assistant suggests what is in photos, at locations that switch it on. Default: none.",
	"HOMEWARD_VISION_MODEL": "Name of the model that can see.",
	"HOMEWARD_VISION_KEY":   "API key of that server. Default: none.",
	"HOMEWARD_VISION_DAILY": "Photos that an account may send to the photo assistant on a day (UTC). " +
		"Default: ${default}.",
	"HOMEWARD_EMBEDDINGS": "https://…/v1 of a server that speaks the OpenAI embeddings form: matching also compares " +
		"what descriptions mean. Default: none.",
	"HOMEWARD_EMBEDDINGS_MODEL": "Name of the model for embeddings.",
	"HOMEWARD_EMBEDDINGS_KEY":   "API key of that server. Default: none.",

	"HOMEWARD_TLS_CERT": "Serve TLS on LISTEN with this certificate (PEM, with its chain); reloaded when it changes. " +
		"Default: plain http.",
	"HOMEWARD_TLS_KEY": "Private key of the certificate (PEM).",
	"HOMEWARD_ACME": "Serve TLS on LISTEN with certificates for these host names, from Let's Encrypt, " +
		"whose terms you accept by setting this, or from ACME_DIRECTORY.",
	"HOMEWARD_ACME_DIRECTORY": "ACME directory of another certificate authority.",
	"HOMEWARD_ACME_ROOTS": "Root certificates (PEM) to trust for ACME_DIRECTORY, for a private authority. " +
		"Default: the system's root certificates.",
	"HOMEWARD_HTTP_LISTEN": "With TLS: an address for plain HTTP, such as :80, that redirects to HTTPS " +
		"and responds to ACME challenges.",
	"HOMEWARD_TRUSTED_PROXIES": "Proxies whose X-Forwarded-For, X-Forwarded-Proto and Forwarded headers are trusted, " +
		"such as 10.0.0.0/8,192.0.2.7, or none. Default: proxies on this machine.",
	"HOMEWARD_DRAIN": "After SIGTERM: how long to be unready and still accept requests, so that load balancers " +
		"can stop sending them. Default: ${default}.",
	"HOMEWARD_DATABASE_WAIT": "How long the start waits for a database that cannot be reached. Default: ${default}.",
	"HOMEWARD_LOG_LEVEL": "Least important log lines to write: debug (with health checks and single jobs), info, " +
		"warn or error. Default: ${default}.",
	"HOMEWARD_LOG": "Log format: text or json. Default: text on a terminal, otherwise json.",
}

const firstStartHelp = "printed once on a terminal, otherwise written to DATA/" + app.FirstStartFile + "."

const demoHelp = "Serve a sample account, created if the data folder (by default ./homeward-demo) is empty. " +
	"With other commands: use that folder by default."

// helpTexts returns the help texts that are too long for a struct tag. Tags refer to them as ${name}.
func helpTexts() kong.Vars {
	return kong.Vars{
		"role_help": "Permissions: owner (everything), admin (everything except the account itself), " +
			"desk (desk work), logger (only record found items) or viewer (only read).",
		"key_role_help": "Permissions: admin (everything), desk (desk work), " +
			"logger (only record found items), viewer (only read) or publishable (for websites; needs --origin).",
		"audit_export_help": "Export the audit log as JSON Lines or CSV, newest entries first, also while the " +
			"service runs. The audit log of each exported account records the export.",
		"match_report_help": "Show how often the desk accepted suggested matches, by likelihood and score, so that " +
			"you see what \"likely\" means for this account. Needs decisions: accepted matches and rejected ones.",
		"audit_from_help": "Only entries from this day (2026-11-14, in UTC) or time (2026-11-14T08:30:00Z) on.",
		"health_url_help": "Address of the service, with or without /readyz. " +
			"Default: LISTEN on this machine, with HTTPS if it serves TLS; the certificate is then not verified.",
		"service_url":  "http://127.0.0.1:8080",
		"mcp_url_help": "Address of the service. Default: http://127.0.0.1:8080.",
		"citus_help": "Distribute the tables by account across the machines of a Citus cluster (a PostgreSQL " +
			"extension). Needed once; later migrations distribute new tables automatically.",
		"move_files_help": "Copy photos and documents to this location: s3://bucket?… or a folder. " +
			"Default: they stay where they are.",
		"give_up_help": "Abandon a move that was started: remove only the moved data from the PostgreSQL database.",
		"tell_owners_help": "Notify the owners listed in the file as if their items had just been recorded. " +
			"The running service sends the messages.",
		"webhook_secret_help": "The webhook's secret, whsec_…; may be repeated, or pasted while the command runs. " +
			"With --forward-to: the secret to sign with. Default: a new one, which is printed.",
		"forward_to_help": "Ask the service for events and send each to this URL, instead of listening.",
		"forward_type_help": "Only forward events of this type; may be repeated, and * stands for all. " +
			"Default: those that a webhook receives by default, and tests.",
		"cursor_file_help": "File that remembers which events were forwarded, so that a restart misses none. " +
			"Default: only events from now on are forwarded.",
		"offline_help": "Confirm that no service uses the PostgreSQL database, " +
			"even though there are other connections to it.",
		"i_have_lost_it_help": "Confirm that the secret is lost and that no instance is running. " +
			"Without it, the command only counts what would be lost.",
		"any_secret_help": "Restore even if the configured secret does not match the backup. " +
			"The service will not start with that secret.",
	}
}

// addSettingHelp sets every setting's help text and the placeholders for durations and secrets. It returns an error if
// a setting has no help text.
func addSettingHelp(k *kong.Kong) error {
	secrets := app.SecretSettings()
	for _, flag := range k.Model.Flags {
		if flag.Target.Type() == reflect.TypeFor[time.Duration]() {
			flag.PlaceHolder = "TIME"
		}
		if flag.Name == "demo" {
			flag.Help = demoHelp
			continue
		}
		for _, name := range flag.Envs {
			text, ok := settingHelp[name]
			if !ok {
				return fmt.Errorf("the setting %s has no help text", name)
			}
			flag.Help = text
			if slices.Contains(secrets, name) {
				flag.Help += " $" + name + app.FileSuffix + " names a file that contains it."
				flag.PlaceHolder = cmp.Or(flag.PlaceHolder, "TEXT")
			}
		}
	}
	return nil
}

// dataSettings are the settings that locate and decrypt the data.
var dataSettings = []string{
	"data", "database", "files", "secret", "secret-file", "secret-old", "secret-old-file", "demo",
}

// usedSettings returns the flag names of the settings that a command uses. It is not called for serve and doctor,
// which use all settings.
func usedSettings(command string) []string {
	switch command {
	case "migrate":
		return append([]string{"database-wait"}, dataSettings...)
	case "account", "key", "import", "secret", "backup", "restore", "move":
		return dataSettings
	case "user", "person", "export":
		return append([]string{"base-url"}, dataSettings...)
	case "mcp", "webhook":
		return []string{"api-key"}
	case "health":
		return []string{"listen", "base-url", "tls-cert", "tls-key", "acme"}
	default:
		return nil
	}
}

// printHelp prints a command's help, including only the settings that the command uses.
func printHelp(o kong.HelpOptions, ctx *kong.Context) error {
	n := slices.IndexFunc(ctx.Path, func(p *kong.Path) bool { return p.Command != nil })
	if n < 0 || slices.Contains([]string{"serve", "doctor"}, ctx.Path[n].Command.Name) {
		return kong.DefaultHelpPrinter(o, ctx)
	}
	used := usedSettings(ctx.Path[n].Command.Name)
	for _, f := range ctx.Model.Flags {
		if f.Group != nil && f.Group.Key == "settings" && !slices.Contains(used, f.Name) {
			f.Hidden = true
		}
		if f.Name == "api-key" {
			f.Help = clientKeyHelp
		}
	}
	return kong.DefaultHelpPrinter(o, ctx)
}
