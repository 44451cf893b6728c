package reply

import (
	"bytes"
	"regexp"
	"strings"
)

// readBounce reports whether an e-mail is a mail server's report, and reads it.
func (s Self) readBounce(m *Message, h header, parts []part) bool {
	statuses := recipientStatuses(parts)
	media, params := mediaType(h.get("content-type"))
	isReport := media == "multipart/report" && strings.EqualFold(params["report-type"], "delivery-status")
	if !isReport && (len(statuses) == 0 || !isFromServer(m, h)) && !isPlainBounce(m, h) {
		return false
	}
	returned := s.returnedHeader(m, h, parts)
	if m.Token == "" { // servers send the report to the sender, and return the address for replies with the e-mail
		m.Token = s.onlyToken(returned)
	}
	if id, own := s.ownID(firstID(returned.get("message-id"))); own {
		m.Answers = append([]string{id}, m.Answers...)
	}
	if len(statuses) == 0 {
		m.Unreachable = s.plainRecipient(m, h)
	}
	for _, status := range statuses {
		if status.isPermanent() {
			m.Unreachable = status.recipient()
			break
		}
	}
	if to := addresses(returned.get("to")); m.Unreachable != "" && len(to) == 1 {
		m.Unreachable = to[0].Address // the report may name the address to which the recipient forwards
	}
	if s.isOwn(m.Unreachable) {
		m.Unreachable = ""
	}
	return true
}

// onlyToken returns the token in the sender's addresses of a returned e-mail.
func (s Self) onlyToken(returned header) string {
	for _, name := range []string{"reply-to", "from"} {
		if tokens := s.tokens(returned.get(name)); len(tokens) == 1 {
			return tokens[0]
		}
	}
	return ""
}

// recipientStatus is what a report says about one recipient, RFC 3464.
type recipientStatus struct{ header }

// recipientStatuses returns the recipients in the machine-readable part of a report.
func recipientStatuses(parts []part) (statuses []recipientStatus) {
	const maxRecipients = 20
	for i := range parts {
		if !strings.HasSuffix(parts[i].media, "delivery-status") {
			continue
		}
		text := bytes.ReplaceAll(parts[i].decoded(), []byte("\r\n"), []byte("\n"))
		for group := range bytes.SplitSeq(text, []byte("\n\n")) {
			h := parseHeader(group)
			if (h.has("final-recipient") || h.has("original-recipient")) && len(statuses) < maxRecipients {
				statuses = append(statuses, recipientStatus{h})
			}
		}
	}
	return statuses
}

// isPermanent reports whether delivery failed for good.
func (r recipientStatus) isPermanent() bool {
	if firstWord(r.get("action")) != "failed" {
		return false
	}
	status := strings.TrimSpace(r.get("status"))
	if status == "" {
		_, status, _ = strings.Cut(r.get("diagnostic-code"), ";")
	}
	return strings.HasPrefix(strings.TrimSpace(status), "5")
}

// recipient returns the address that we used, if the report has it.
func (r recipientStatus) recipient() string {
	for _, name := range []string{"original-recipient", "final-recipient"} {
		_, address, _ := strings.Cut(r.get(name), ";")
		if found := bareAddress.FindString(address); found != "" {
			return found
		}
	}
	return ""
}

// returnedHeader returns the header of our e-mail that a bounce returns, or an empty one.
func (s Self) returnedHeader(m *Message, _ header, parts []part) header {
	for i := range parts {
		if !parts[i].isReturned() {
			continue
		}
		return parseHeader(beforeBody(parts[i].decoded()))
	}
	// Servers that do not follow the standard return the e-mail as text.
	text := m.Whole
	if at := returnedMail.FindStringIndex(text); at != nil {
		h := parseHeader([]byte(text[at[1]:]))
		if h.has("message-id") || h.has("reply-to") {
			return h
		}
	}
	return header{}
}

func beforeBody(mail []byte) []byte {
	mail = bytes.ReplaceAll(mail, []byte("\r\n"), []byte("\n"))
	before, _, _ := bytes.Cut(mail, []byte("\n\n"))
	return before
}

// returnedMail matches the line above an e-mail that is returned as text.
var returnedMail = regexp.MustCompile(`(?im)^.*(below this line is a copy|copy of (the|your) message|` +
	`original message|message headers|returned message|ursprüngliche nachricht|message follows).*$`)

// isFromServer reports whether the sender is a mail server.
func isFromServer(m *Message, h header) bool {
	local, _, _ := splitAddress(strings.ToLower(m.From))
	switch local {
	case "mailer-daemon", "postmaster", "mail-daemon", "maildaemon", "mailerdaemon", "mdaemon":
		return true
	}
	path := h.all("return-path")
	return m.From == "" || len(path) > 0 && strings.TrimSpace(path[0]) == "<>" ||
		strings.HasPrefix(local, "microsoftexchange")
}

var bounceSubject = regexp.MustCompile(`(?i)(undeliver|delivery (status|failure|has ` +
	`failed|failed|problem|incomplete)|` +
	`mail delivery|failure notice|returned mail|returned to sender|non-?delivery|unzustellbar|nicht zustellbar|` +
	`unzustellbarkeit|non remis|échec de (la )?remise|no se (ha )?(pudo|podido) entregar|mancat[ao] ` +
	`(recapito|consegna)|` +
	`onbestelbaar|niet worden bezorgd|nie dostarczon|niedostarczon|não (foi )?entregue|não entregue|` +
	`配信不能|配信できません|未送达|退信|投递失败|无法投递)`)

// isPlainBounce reports whether an e-mail is a report that only people can read.
func isPlainBounce(m *Message, h header) bool {
	if h.get("x-failed-recipients") != "" {
		return true
	}
	return isFromServer(m, h) && (bounceSubject.MatchString(m.Subject) || bounceText.MatchString(m.Whole))
}

var (
	bounceText = regexp.MustCompile(`(?i)this is the qmail-send program|could not be delivered to one or more|` +
		`delivery has failed to these recipients|wasn't delivered to|your message wasn't delivered`)
	failureCode = regexp.MustCompile(`(?:^|[^\d.])([45])(?:\.\d{1,3}\.\d{1,3}|[0-5]\d[ :-])`)
	retryText   = regexp.MustCompile(`(?i)will (retry|keep trying|continue to (try|be)|be retried)|still trying|` +
		`not yet been delivered|has been delayed|delivery is delayed|warning message ` +
		`only|(Zustellung|delivery).{0,20}(verzögert|delayed)`)
	permanentText = regexp.MustCompile(`(?i)permanent (fatal )?(error|failure)|fatal error|giving up|` +
		`(user|address|mailbox|recipient|account)[^.\n]{0,60}(unknown|not found|does ?n[o']t exist|couldn't be ` +
		`found|no such)|` +
		`no such (user|recipient|mailbox)`)
)

// plainRecipient returns the address that a report for people names, if delivery failed for good.
func (s Self) plainRecipient(m *Message, h header) string {
	text := m.Whole
	if at := returnedMail.FindStringIndex(text); at != nil {
		text = text[:at[0]]
	}
	if retryText.MatchString(text) || retryText.MatchString(m.Subject) {
		return ""
	}
	code := failureCode.FindStringSubmatch(text)
	if code != nil && code[1] == "4" || code == nil && !permanentText.MatchString(text) {
		return ""
	}
	if failed := addresses(h.get("x-failed-recipients")); len(failed) > 0 {
		return failed[0].Address
	}
	for _, address := range bareAddress.FindAllString(text, 20) {
		address = strings.Trim(address, ".'")
		if !s.isOwn(address) && !strings.EqualFold(address, m.From) && !strings.HasPrefix(address, "postmaster@") {
			return address
		}
	}
	return ""
}
