package app

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/mail"
	"strings"
	"syscall"
	"time"

	"homeward/internal/courier"
	"homeward/internal/message"
	"homeward/internal/oidc"
	"homeward/internal/otlp"
	"homeward/internal/payment"
	"homeward/internal/tlsconf"
)

// newPost makes what sends messages.
func newPost(cfg Config) (*message.Post, error) {
	return message.New(message.Options{
		SMTP: cfg.SMTP, From: cfg.MailFrom, Base: cfg.BaseURL, Discreet: cfg.Discreet,
		Twilio: message.Twilio{Account: cfg.TwilioAccount, Token: cfg.TwilioToken, From: cfg.TwilioFrom, API: cfg.TwilioAPI},
	})
}

func examineMail(ctx context.Context, cfg *Config) []finding {
	const what = "HOMEWARD_SMTP"
	if cfg.SMTP == "" {
		return []finding{{warning, what, "it is not set: e-mails are kept and shown, not sent", "set it to smtp://user:pass@host:port, unless that is what you want"}}
	}
	post, err := newPost(*cfg)
	if err == nil {
		err = post.TryMail(ctx)
	}
	said := "the mail server takes us"
	if strings.Contains(cfg.SMTP, "@") {
		said += ", user and password"
	}
	all := []finding{mailOutcome(what, said, err)}
	return append(all, senderFinding(ctx, cfg.MailFrom)...)
}

// mailOutcome gives the words of the mail server too, which are in those for people.
func mailOutcome(what, well string, err error) finding {
	if err == nil {
		return finding{fine, what, well, ""}
	}
	return finding{bad, what, err.Error(), "see that host and port are right and can be reached, that its certificate is valid, and that it takes this user and password"}
}

// senderFinding looks whether the sender's domain takes mail: many servers refuse mail from one that does not.
func senderFinding(ctx context.Context, from string) []finding {
	const what = "HOMEWARD_MAIL_FROM"
	address, err := mail.ParseAddress(from)
	if err != nil {
		return []finding{{bad, what, "it is not an e-mail address", "set it to the sender of messages"}}
	}
	domain := address.Address[strings.LastIndexByte(address.Address, '@')+1:]
	if domain == "localhost" {
		return []finding{{warning, what, "messages are sent from " + address.Address + ", which most servers refuse", "set it to an address of yours"}}
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if _, err := net.DefaultResolver.LookupMX(ctx, domain); err != nil {
		return []finding{{warning, what, "no mail server is known for " + domain, "if that is not only so from here, have its DNS name one (MX)"}}
	}
	return []finding{{fine, what, domain + " takes mail", ""}}
}

func examineTexts(ctx context.Context, cfg *Config) []finding {
	const what = "HOMEWARD_TWILIO_ACCOUNT"
	if cfg.TwilioAccount == "" {
		return []finding{{fine, what, "it is not set: text messages are kept and shown, not sent", ""}}
	}
	post, err := newPost(*cfg)
	if err == nil {
		err = post.TryTexts(ctx)
	}
	return []finding{outcome(what, "Twilio takes account and token", err, "see that HOMEWARD_TWILIO_ACCOUNT and HOMEWARD_TWILIO_TOKEN are those of Twilio's console, and that its address can be reached from here")}
}

func examinePayment(ctx context.Context, cfg *Config) []finding {
	if cfg.StripeKey == "" {
		return []finding{{fine, "HOMEWARD_PAYMENT", "it is " + cfg.Payment + ": nobody has to be asked", ""}}
	}
	till, err := payment.NewStripe(payment.Options{Key: cfg.StripeKey, WebhookSecret: cfg.StripeSecret, API: cfg.StripeAPI})
	if err == nil {
		err = till.Try(ctx)
	}
	return []finding{outcome("HOMEWARD_STRIPE_KEY", "Stripe takes the key", err, "see that the key is a secret one (or a restricted one that may write Checkout Sessions and Refunds), and that Stripe can be reached from here")}
}

func examineCarrier(ctx context.Context, cfg *Config) []finding {
	if cfg.Carrier != "easypost" {
		return []finding{{fine, "HOMEWARD_CARRIER", "it is " + cfg.Carrier + ": nobody has to be asked", ""}}
	}
	carrier, err := courier.NewEasyPost(courier.Options{Key: cfg.EasyPostKey, API: cfg.EasyPostAPI, WebhookSecret: cfg.EasyPostHook, Now: time.Now})
	if err == nil {
		err = carrier.Try(ctx)
	}
	return []finding{outcome("HOMEWARD_EASYPOST_KEY", "EasyPost takes the key", err, "see that the key is one of EasyPost's dashboard, and that EasyPost can be reached from here")}
}

func examineProvider(ctx context.Context, cfg *Config) []finding {
	const what = "HOMEWARD_OIDC_ISSUER"
	if cfg.OIDCIssuer == "" {
		return []finding{{fine, what, "it is not set: people log in with passwords and passkeys", ""}}
	}
	err := oidc.New(oidc.Options{Issuer: cfg.OIDCIssuer, Client: cfg.OIDCClient, Secret: cfg.OIDCSecret, Back: cfg.BaseURL + "/login/back", Now: time.Now}).Try(ctx)
	return []finding{outcome(what, "the provider describes itself", err, "see that the address is the issuer as the provider itself writes it, and can be reached from here")}
}

// visited is what an address answered.
type visited struct {
	ours   bool // it is the service
	status int
	date   string    // by its clock
	until  time.Time // its certificate is valid; zero where it has none
}

// visit asks an address of the service whether it is alive; it is spoken to as others do where nothing else is said.
func visit(ctx context.Context, base string, speak *tls.Config) (v visited, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/healthz", nil)
	if err != nil {
		return v, err
	}
	client := http.Client{Timeout: examTime, Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: speak, DisableKeepAlives: true}}
	res, err := client.Do(r)
	if err != nil {
		return v, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, 1024))
	v = visited{ours: res.StatusCode == http.StatusOK && strings.TrimSpace(string(body)) == "alive", status: res.StatusCode, date: res.Header.Get("Date")}
	if res.TLS != nil {
		v.until = res.TLS.PeerCertificates[0].NotAfter
	}
	return v, err
}

func examineListen(ctx context.Context, cfg *Config) []finding {
	main, runs := listenFinding(ctx, cfg)
	all := []finding{main}
	debug, _ := debugAddress(cfg.DebugListen)
	for _, other := range []struct{ what, address string }{
		{"HOMEWARD_METRICS_LISTEN", cfg.MetricsListen}, {"HOMEWARD_DEBUG_LISTEN", debug}, {"HOMEWARD_HTTP_LISTEN", cfg.HTTPListen},
	} {
		if other.address != "" {
			all = append(all, besideFinding(ctx, other.what, other.address, runs))
		}
	}
	return all
}

// tryListen tells whether an address is free.
func tryListen(ctx context.Context, address string) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err == nil {
		_ = l.Close() // nothing was accepted
	}
	return err
}

// besideFinding tells whether an address beside the main one is free, or taken by the service, where that runs.
func besideFinding(ctx context.Context, what, address string, runs bool) finding {
	switch err := tryListen(ctx, address); {
	case err == nil:
		return finding{fine, what, address + " is free", ""}
	case runs && errors.Is(err, syscall.EADDRINUSE):
		return finding{fine, what, address + " is in use, as it should be while the service runs", ""}
	default:
		return finding{warning, what, err.Error(), "choose another address, unless it is the service that has it"}
	}
}

// listenFinding tells whether the main address is free, or the service's already, which says there that it is alive.
func listenFinding(ctx context.Context, cfg *Config) (f finding, runs bool) {
	const what = "HOMEWARD_LISTEN"
	address := cfg.Listen
	err := tryListen(ctx, address)
	if err == nil {
		return finding{fine, what, address + " is free", ""}, false
	}
	host, port, _ := net.SplitHostPort(address)
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	if v, _ := visit(ctx, cfg.at(net.JoinHostPort(host, port)), cfg.toMyself()); v.ours {
		return finding{fine, what, "the service answers at " + address, ""}, true
	}
	return finding{bad, what, err.Error(), "stop the other program, or choose another address, such as 127.0.0.1:8081"}, false
}

// examineCertificate looks at what the service would speak TLS with.
func examineCertificate(ctx context.Context, cfg *Config) []finding {
	switch {
	case cfg.TLSCert != "":
		return []finding{pairFinding(cfg)}
	case cfg.ACME != "":
		asked, err := cfg.authority(nil, slog.New(slog.DiscardHandler)) // which is asked for nothing that has to be kept
		if err != nil {
			return []finding{{bad, "HOMEWARD_ACME_ROOTS", err.Error(), "set it to a file with the certificates (PEM) that the authority is trusted by"}}
		}
		return []finding{outcome("HOMEWARD_ACME", "the authority answers", asked.Try(ctx), "see that HOMEWARD_ACME_DIRECTORY is the authority's directory, can be reached from here, and is trusted by HOMEWARD_ACME_ROOTS")}
	default:
		return nil
	}
}

// pairFinding looks at the certificate in files.
func pairFinding(cfg *Config) finding {
	const what = "HOMEWARD_TLS_CERT"
	pair, err := tlsconf.Read(cfg.TLSCert, cfg.TLSKey)
	if err != nil {
		return finding{bad, what, err.Error(), "set it to a certificate (PEM, with its chain), and HOMEWARD_TLS_KEY to its key, and let the service's user read both"}
	}
	left := time.Until(pair.Leaf.NotAfter)
	if left < 0 {
		return finding{bad, what, "it has expired", "put another in its place; it is read by itself"}
	}
	if host := cfg.host(); host != "" && pair.Leaf.VerifyHostname(host) != nil {
		return finding{bad, what, "it is not valid for " + host, "have one that is valid for the name in HOMEWARD_BASE_URL"}
	}
	if left < fewDays {
		return finding{warning, what, validFor(left), "renew it"}
	}
	return finding{fine, what, validFor(left), ""}
}

func validFor(left time.Duration) string {
	return fmt.Sprintf("it is valid for %d more days", int(left.Hours()/24))
}

func examineCollector(ctx context.Context, cfg *Config) []finding {
	if cfg.OTLP == "" {
		return nil
	}
	headers, _ := otlpHeaders(cfg.OTLPHeaders)
	err := otlp.Try(ctx, otlp.Options{Collector: cfg.OTLP, Headers: headers})
	return []finding{outcome("HOMEWARD_OTLP", "the collector takes what is sent", err, "see that it is a collector that takes OTLP over HTTP, can be reached from here, and takes HOMEWARD_OTLP_HEADERS")}
}

// fewDays is how long before its end a certificate should have been renewed.
const fewDays = 14 * 24 * time.Hour

func examineBase(ctx context.Context, cfg *Config) []finding {
	const what = "HOMEWARD_BASE_URL"
	base := cfg.base(cfg.Listen)
	if cfg.BaseURL == "" && cfg.ACME == "" {
		return []finding{{warning, what, "it is not set: links in messages lead to " + base, "set it to the address at which guests reach the service"}}
	}
	v, err := visit(ctx, base, nil)
	if err != nil {
		return []finding{unvisited(what, err)}
	}
	if !v.ours {
		return []finding{{bad, what, fmt.Sprintf("something else answers there, with %d", v.status), "have the proxy in front lead to HOMEWARD_LISTEN, with the same path"}}
	}
	all := []finding{{fine, what, "the service answers there", ""}}
	if v.until.IsZero() {
		all[0] = finding{warning, what, "the service answers there, unencrypted", "put a proxy with a certificate before it, or have it speak TLS itself, and set https://…"}
	} else if left := time.Until(v.until); left < fewDays {
		all = append(all, finding{warning, "certificate", validFor(left), "renew it; something that does so by itself has failed"})
	}
	if at, err := http.ParseTime(v.date); err == nil {
		all = append(all, clockFinding("clock of the public address", time.Until(at)))
	}
	return all
}

// unvisited tells a certificate that is not right from a service that does not run.
func unvisited(what string, err error) finding {
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	_, invalid := errors.AsType[x509.CertificateInvalidError](err)
	_, other := errors.AsType[x509.HostnameError](err)
	if unknown || invalid || other {
		return finding{bad, what, err.Error(), "have a certificate there that is valid for this name, with its whole chain"}
	}
	return finding{warning, what, err.Error(), "start the service; if it runs, have DNS and the proxy lead to it"}
}
