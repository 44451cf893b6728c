package cli

import (
	"context"
	"net"
	"net/mail"
	"net/url"
	"strings"
	"time"

	"homeward/internal/app"
	"homeward/internal/courier"
	"homeward/internal/oidc"
	"homeward/internal/otlp"
	"homeward/internal/payment"
)

func checkMail(ctx context.Context, cfg *app.Config) []finding {
	const what = "HOMEWARD_SMTP"
	if cfg.SMTP == "" {
		return []finding{warning(what, "it is not set: e-mails are saved and shown, not sent",
			"set it to smtp://user:pass@host:port, unless this is intended")}
	}
	messenger, err := app.NewMessenger(*cfg)
	if err == nil {
		err = messenger.CheckMail(ctx)
	}
	message := "the mail server accepts the connection"
	if strings.Contains(cfg.SMTP, "@") {
		message += ", user and password"
	}
	all := []finding{mailResult(what, message, err)}
	return append(all, checkSender(ctx, cfg.MailFrom)...)
}

// checkMailbox logs in to the mailbox for replies and opens its folder.
func checkMailbox(ctx context.Context, cfg *app.Config) []finding {
	const what = "HOMEWARD_IMAP"
	if cfg.IMAP == "" {
		return []finding{ok(what, "it is not set: replies by e-mail are not read")}
	}
	mailbox, err := app.NewMailbox(*cfg, nil, nil)
	if err == nil {
		err = mailbox.Check(ctx)
	}
	return []finding{mailResult(what, "the mailbox can be opened", err)}
}

// mailResult is result with the whole error instead of its cause, because it contains the mail server's reply.
func mailResult(what, success string, err error) finding {
	if err == nil {
		return ok(what, success)
	}
	return incorrect(what, err.Error(), "make sure that the host and port are correct and can be reached, "+
		"that the certificate is valid, and that the server accepts this user and password")
}

// checkSender checks whether the sender's domain receives mail. Many servers reject mail from a domain that does not.
func checkSender(ctx context.Context, from string) []finding {
	const what, timeout = "HOMEWARD_MAIL_FROM", 5 * time.Second
	address, err := mail.ParseAddress(from)
	if err != nil {
		return []finding{incorrect(what, "it is not an e-mail address", "set it to the sender of messages")}
	}
	domain := address.Address[strings.LastIndexByte(address.Address, '@')+1:]
	if domain == "localhost" {
		return []finding{warning(what, "messages are sent from "+address.Address+", which most servers reject",
			"set it to your own e-mail address")}
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if _, err := net.DefaultResolver.LookupMX(ctx, domain); err != nil {
		return []finding{warning(what, "no mail server was found for "+domain,
			"add an MX record to its DNS, unless it has one that cannot be resolved from here")}
	}
	return []finding{ok(what, domain+" receives mail")}
}

func checkTextMessages(ctx context.Context, cfg *app.Config) []finding {
	const what = "HOMEWARD_TWILIO_ACCOUNT"
	if cfg.TwilioAccount == "" {
		return []finding{ok(what, "it is not set: text messages are saved and shown, not sent")}
	}
	messenger, err := app.NewMessenger(*cfg)
	if err == nil {
		err = messenger.CheckSMS(ctx)
	}
	return []finding{result(what, "Twilio accepts the account and token", err,
		"copy HOMEWARD_TWILIO_ACCOUNT and HOMEWARD_TWILIO_TOKEN from Twilio's console, "+
			"and make sure that Twilio can be reached from here")}
}

func checkPayment(ctx context.Context, cfg *app.Config) []finding {
	if cfg.StripeKey == "" {
		return []finding{ok("HOMEWARD_PAYMENT", "it is "+cfg.Payment+", which needs no connection")}
	}
	stripe, err := payment.NewStripe(payment.Options{
		Key: cfg.StripeKey, WebhookSecret: cfg.StripeSecret, API: cfg.StripeAPI,
	})
	if err == nil {
		err = stripe.Check(ctx)
	}
	return []finding{result("HOMEWARD_STRIPE_KEY", "Stripe accepts the key", err,
		"make sure that it is a secret key (or a restricted key that may write Checkout Sessions and Refunds), "+
			"and that Stripe can be reached from here")}
}

func checkCarrier(ctx context.Context, cfg *app.Config) []finding {
	if cfg.Carrier != "easypost" {
		return []finding{ok("HOMEWARD_CARRIER", "it is "+cfg.Carrier+", which needs no connection")}
	}
	carrier, err := courier.NewEasyPost(courier.Options{
		Key: cfg.EasyPostKey, API: cfg.EasyPostAPI, WebhookSecret: cfg.EasyPostSecret, Now: time.Now,
	})
	if err == nil {
		err = carrier.Check(ctx)
	}
	return []finding{result("HOMEWARD_EASYPOST_KEY", "EasyPost accepts the key", err,
		"copy the key from EasyPost's dashboard, and make sure that EasyPost can be reached from here")}
}

func checkProvider(ctx context.Context, cfg *app.Config) []finding {
	const what = "HOMEWARD_OIDC_ISSUER"
	if cfg.OIDCIssuer == "" {
		return []finding{ok(what, "it is not set: people log in with passwords and passkeys")}
	}
	provider := oidc.New(oidc.Options{
		Issuer: cfg.OIDCIssuer, Client: cfg.OIDCClient, Secret: cfg.OIDCSecret,
		RedirectURL: cfg.BaseURL + "/login/back", Now: time.Now,
	})
	return []finding{result(what, "the provider's discovery document is valid", provider.Check(ctx),
		"make sure that it is the issuer URL exactly as the provider states it, and can be reached from here")}
}

func checkVision(ctx context.Context, cfg *app.Config) []finding {
	const what = "HOMEWARD_VISION"
	if cfg.Vision == "" {
		return []finding{ok(what, "it is not set: photos are not described")}
	}
	model, err := app.NewVision(*cfg)
	if err == nil {
		err = model.Check(ctx)
	}
	return append(checkModel(what, cfg.VisionModel, err), checkPlain(what, cfg.Vision, "photos")...)
}

func checkEmbeddings(ctx context.Context, cfg *app.Config) []finding {
	const what = "HOMEWARD_EMBEDDINGS"
	if cfg.Embeddings == "" {
		return []finding{ok(what, "it is not set: matching compares words only")}
	}
	model, err := app.NewEmbeddings(*cfg)
	if err == nil {
		err = model.Check(ctx)
	}
	return append(checkModel(what, cfg.EmbeddingsModel, err), checkPlain(what, cfg.Embeddings, "descriptions")...)
}

// checkModel returns the finding about a model. Without it, the service works as before.
func checkModel(what, model string, err error) []finding {
	return []finding{result(what, "the server answers and has the model "+model, err,
		"make sure that it is the URL with /v1 at its end, can be reached from here, has the model, and accepts "+what+
			"_KEY; until then nothing else is affected")}
}

// checkPlain returns a warning if data are sent to another machine without encryption.
func checkPlain(what, address, data string) []finding {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || u.Hostname() == "localhost" {
		return nil
	}
	if ip := net.ParseIP(u.Hostname()); ip != nil && ip.IsLoopback() {
		return nil
	}
	return []finding{warning(what, data+" are sent without encryption", "use https, unless the network is your own")}
}

func checkCollector(ctx context.Context, cfg *app.Config) []finding {
	if cfg.OTLP == "" {
		return nil
	}
	headers, _ := cfg.CollectorHeaders()
	err := otlp.Check(ctx, otlp.Options{Collector: cfg.OTLP, Headers: headers})
	return []finding{result("HOMEWARD_OTLP", "the collector accepts data", err,
		"make sure that it is a collector for OTLP over HTTP, can be reached from here, "+
			"and accepts HOMEWARD_OTLP_HEADERS")}
}
