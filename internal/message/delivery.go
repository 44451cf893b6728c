package message

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"net/textproto"

	"github.com/wneessen/go-mail/smtp"
)

// delivery is one e-mail that is sent over a connection.
type delivery struct {
	*server
	envelope

	client     *smtp.Client
	conn       *limitedConn
	content    []byte
	handOver   func() error
	handedOver bool // handOver has succeeded
	partial    bool // only a part of the e-mail was written
	rejected   bool // the server has rejected the e-mail for good
}

// send sends the e-mail with the address for bounces as its sender. Many servers accept only the address of their user
// as the sender, and some of them find that out late. If the server rejects the e-mail for good, it is sent again with
// the address in From, unless the connection is lost.
func (d *delivery) send(ctx context.Context) error {
	if d.bounces == "" || d.onlyFrom.Load() {
		return d.sendFrom(ctx, d.from)
	}
	err := d.sendFrom(ctx, mail.Address{Address: d.bounces})
	if !d.rejected || d.client.Reset() != nil {
		return err
	}
	err = d.sendFrom(ctx, d.from)
	if err == nil {
		d.onlyFrom.Store(true)
	}
	return err
}

// observe records whether an error is the final answer of the server, and returns the error.
func (d *delivery) observe(err error) error {
	reply, ok := errors.AsType[*textproto.Error](err)
	d.rejected = ok && reply.Code >= 500
	return err
}

// sendFrom sends the e-mail with a sender, to which servers report if it does not arrive.
func (d *delivery) sendFrom(ctx context.Context, sender mail.Address) error {
	if err := d.observe(d.client.Mail(smtpAddress(sender))); err != nil {
		return d.senderError(ctx, "set the sender", err)
	}
	if err := d.observe(d.client.Rcpt(smtpAddress(d.to))); err != nil {
		return d.recipientError(ctx, "set the recipient", err, d.secrets)
	}
	w, err := d.client.Data()
	if d.observe(err) != nil {
		return d.recipientError(ctx, "start the e-mail", err, d.secrets)
	}
	d.partial = true
	if _, err := w.Write(d.content); err != nil {
		return d.senderError(ctx, "send the e-mail", err)
	}
	if !d.handedOver {
		if err := d.handOver(); err != nil {
			return fmt.Errorf("hand over the e-mail: %w", err)
		}
		d.handedOver = true
	}
	d.conn.wait = acceptTime
	err = d.observe(w.Close())
	d.conn.wait, d.partial = waitTime, false
	if err != nil {
		return d.recipientError(ctx, "finish the e-mail", err, d.secrets)
	}
	return nil
}
