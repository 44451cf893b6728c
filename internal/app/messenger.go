package app

import "homeward/internal/message"

// NewMessenger returns the sender of e-mails and text messages.
func NewMessenger(cfg Config) (*message.Sender, error) {
	return message.New(message.Options{
		SMTP: cfg.SMTP, From: cfg.MailFrom, Base: cfg.BaseURL, Replies: cfg.replyAddress(),
		Discreet: cfg.Discreet,
		Twilio: message.Twilio{
			Account: cfg.TwilioAccount, Token: cfg.TwilioToken, From: cfg.TwilioFrom, API: cfg.TwilioAPI,
		},
	})
}
