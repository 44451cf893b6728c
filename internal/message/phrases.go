package message

import "homeward/internal/lost"

// phrases holds the catalog keys of a message's texts, and which details it lists.
type phrases struct {
	subject, title, lead, sms string
	discreet, discreetSMS     string // used instead of subject and sms if the item and the location must not be named
	page                      string // what the reader can do on the linked page; may be empty
	button, link              string // the link text in an e-mail and in an SMS
	footer                    string
	notes, steps              []string // further paragraphs after the lead, and what to do next
	until, pickup, where      bool     // which details of the item are listed
	price                     string   // the label of the price; empty if it is not listed
	service, shippingDate, to bool     // which details of the parcel are listed
	tracking                  bool
	desk                      bool // the reader has to find the item and print documents
}

// aboutFound returns the phrases that all messages to the owner of a found item share.
func aboutFound(l lost.MessageData) phrases {
	return phrases{
		discreet: "message.discreet.found.subject", discreetSMS: "message.discreet.found.sms",
		button: "message.button.choose", link: "message.sms.choose", page: choiceText(l),
		footer: "message.footer.found",
		until:  true,
	}
}

// choiceText returns the key of the text about the owner's choices. Shipping is mentioned only if the item can be
// shipped.
func choiceText(l lost.MessageData) string {
	if _, ships := l.Item.CanShip(l.Location); !ships {
		return "message.page.choose.unsent"
	}
	return "message.page.choose"
}

// aboutPickup returns the phrases that messages about a pickup share.
func aboutPickup() phrases {
	return phrases{
		discreet: "message.discreet.pickup.subject", discreetSMS: "message.discreet.pickup.sms",
		button: "message.button.see", link: "message.sms.see", footer: "message.footer.found", pickup: true,
		where: true,
	}
}

// aboutChoice returns the phrases that messages about a choice share.
func aboutChoice() phrases {
	return phrases{
		subject: "message.choice.subject", title: "message.choice.title", lead: "message.choice.lead",
		sms:      "message.choice.sms",
		discreet: "message.discreet.choice.subject", discreetSMS: "message.discreet.choice.sms",
		button: "message.button.see", link: "message.sms.see", footer: "message.footer.found",
	}
}

// aboutRequest returns the phrases that messages to a claimant share.
func aboutRequest() phrases {
	return phrases{
		discreet: "message.discreet.request.subject", discreetSMS: "message.discreet.request.sms",
		button: "message.button.follow", link: "message.sms.see", footer: "message.footer.request",
	}
}

// phrasesOf returns the phrases of a message. Messages are composed again when staff read them, and the item may have
// changed since. General texts then replace details that are no longer known.
func phrasesOf(l lost.MessageData) phrases {
	switch l.Kind {
	case lost.MatchMessage:
		return aboutFound(l).withTexts("message.match.subject", "message.match.title", "message.match.lead",
			"message.match.sms")
	case lost.LastCallMessage:
		if l.Item.StoreUntil() != "" {
			return aboutFound(l).withTexts("message.last-call.subject", "message.last-call.title",
				"message.last-call.lead", "message.last-call.sms")
		}
		fallthrough
	case lost.ReminderMessage:
		return aboutFound(l).withTexts("message.reminder.subject", "message.reminder.title", "message.reminder.lead",
			"message.reminder.sms")
	case lost.PickupSoonMessage, lost.MissedMessage:
		return pickupPhrases(l)
	case lost.ChoiceMessage:
		return choicePhrases(l)
	case lost.ReceivedMessage:
		p := aboutRequest().withTexts("message.request-received.subject", "message.request-received.title",
			"message.request-received.lead", "message.request-received.sms")
		p.page = "message.page.follow"
		return p
	case lost.RejectedMessage:
		p := aboutRequest().withTexts("message.request-rejected.subject", "message.request-rejected.title",
			"message.request-rejected.lead", "message.request-rejected.sms")
		p.button = "message.button.see"
		if l.Item.Claim.Reason != "" {
			p.notes = []string{"message.request-rejected.reason"}
		}
		return p
	case lost.QuestionMessage:
		p := aboutRequest().withTexts("message.request-question.subject", "message.request-question.title",
			"message.request-question.lead", "message.request-question.sms")
		p.button, p.notes = "message.button.answer", []string{"message.request-question.asks"}
		return p
	case lost.ThreadNotice, lost.ThreadReminder, lost.ThreadAlert, lost.ThreadRejection:
		return threadPhrases(l)
	case lost.FinderReward, lost.FinderItem:
		return finderPhrases(l)
	case lost.PriceMessage, lost.ReceiptMessage, lost.ShippedMessage, lost.DeliveredMessage, lost.RefundMessage,
		lost.LabelMessage:
		return parcelPhrases(l)
	case lost.DigestMessage:
		p := phrases{
			discreet: "message.discreet.digest.subject", discreetSMS: "message.discreet.digest.subject",
			link: "message.sms.see", footer: "message.footer.digest",
		}
		return p.withTexts("message.digest.subject", "message.digest.title", "message.digest.lead",
			"message.digest.subject")
	default:
		return aboutFound(l).withTexts("message.notice.subject", "message.notice.title", "message.notice.lead",
			"message.notice.sms")
	}
}

// threadPhrases returns the phrases of messages about the conversation between a desk and a guest.
func threadPhrases(l lost.MessageData) phrases {
	p := aboutFound(l)
	if l.Item.Source == lost.Request {
		p = aboutRequest()
	}
	p.page, p.until = "", false
	p.button, p.link = "message.button.reply", "message.sms.see"
	switch l.Kind {
	case lost.ThreadReminder:
		return p.withTexts("message.thread-reminder.subject", "message.thread-reminder.title",
			"message.thread-reminder.lead", "message.thread-reminder.sms")
	case lost.ThreadRejection:
		p.button = "message.button.see"
		return p.withTexts("message.thread-rejected.subject", "message.thread-rejected.title",
			rejectionText(l.About.Rejected), "message.thread-rejected.sms")
	case lost.ThreadAlert:
		p.button, p.footer = "message.button.thread", "message.footer.digest"
		return p.withTexts("message.thread-answer.subject", "message.thread-answer.title", "message.thread-answer.lead",
			"message.thread-answer.subject")
	default:
		return p.withTexts("message.thread-message.subject", "message.thread-message.title",
			"message.thread-message.lead", "message.thread-message.sms")
	}
}

// finderPhrases returns the phrases of messages to the person who handed an item in.
func finderPhrases(l lost.MessageData) phrases {
	p := phrases{
		discreet: "message.discreet.finder.subject", discreetSMS: "message.discreet.finder.sms",
		link: "message.sms.see", footer: "message.footer.finder",
	}
	if l.Kind == lost.FinderReward {
		return p.withTexts("message.finder-reward.subject", "message.finder-reward.title",
			"message.finder-reward.lead", "message.finder-reward.sms")
	}
	p.where, p.steps = true, []string{"message.finder-item.next"}
	return p.withTexts("message.finder-item.subject", "message.finder-item.title", "message.finder-item.lead",
		"message.finder-item.sms")
}

// rejectionText returns the key of the sentence that tells a guest why their reply was not accepted.
func rejectionText(reason lost.Rejection) string {
	switch reason {
	case lost.RejectedTooMany:
		return "message.thread-rejected.lead.daily-limit"
	case lost.RejectedEmpty:
		return "message.thread-rejected.lead.empty"
	case lost.RejectedAmbiguous:
		return "message.thread-rejected.lead.ambiguous"
	default:
		return "message.thread-rejected.lead.closed"
	}
}

func pickupPhrases(l lost.MessageData) phrases {
	switch {
	case l.Item.Pickup.Date == "":
		return aboutChoice()
	case l.Kind == lost.MissedMessage:
		p := aboutPickup().withTexts("message.pickup-missed.subject", "message.pickup-missed.title",
			"message.pickup-missed.lead", "message.pickup-missed.sms")
		p.page, p.button, p.link = "message.page.missed", "message.button.change", "message.sms.choose"
		p.pickup, p.until = false, true
		return p
	}
	p := aboutPickup().withTexts("message.pickup-soon.subject", "message.pickup-soon.title", "message.pickup-soon.lead",
		"message.pickup-soon.sms")
	if hasAddress(l.Location) {
		p.sms = "message.pickup-soon.sms.address"
	}
	return p.withChange(l)
}

func choicePhrases(l lost.MessageData) phrases {
	p := aboutChoice()
	switch {
	case l.Item.Status == lost.PickUp && l.Item.Pickup.Date != "":
		p = p.withTexts(p.subject, "message.choice.pickup.title", "message.choice.pickup.lead",
			"message.choice.pickup.sms")
		p.pickup, p.where = true, true
	case l.Item.Status == lost.Discard:
		p = p.withTexts(p.subject, "message.choice.leave.title", "message.choice.leave.lead",
			"message.choice.leave.sms")
	case l.Item.Status == lost.Donate && l.Location.Charity != "":
		p = p.withTexts(p.subject, "message.choice.donate.title", "message.choice.donate.charity.lead",
			"message.choice.donate.charity.sms")
	case l.Item.Status == lost.Donate:
		p = p.withTexts(p.subject, "message.choice.donate.title", "message.choice.donate.lead",
			"message.choice.donate.sms")
	case l.Item.Status == lost.InfoCompleted:
		return shipPhrases(l)
	}
	return p.withChange(l)
}

// withTexts returns p with other keys for subject, title, lead and SMS.
func (p phrases) withTexts(subject, title, lead, sms string) phrases {
	p.subject = subject
	p.title = title
	p.lead = lead
	p.sms = sms
	return p
}

// withChange adds the offer to choose again, if the guest can still choose.
func (p phrases) withChange(l lost.MessageData) phrases {
	if l.Item.GuestMayChoose() {
		p.page, p.button = "message.page.change", "message.button.change"
	}
	return p
}

// taskPhrases holds the catalog keys of the kinds of task.
var taskPhrases = map[lost.TaskKind]string{
	lost.AnswerTask:      "message.task.answer-request",
	lost.MatchTask:       "message.task.confirm-match",
	lost.ReplyTask:       "message.task.answer-message",
	lost.PickupTask:      "message.task.pickup-today",
	lost.MissedTask:      "message.task.pickup-missed",
	lost.ShipTask:        "message.task.ship",
	lost.ShippingTask:    "message.task.shipping-wanted",
	lost.OverdueTask:     "message.task.store-until",
	lost.DisownedTask:    "message.task.not-theirs",
	lost.UnreachableTask: "message.task.unreachable",
	lost.SilentTask:      "message.task.guest-silent",
	lost.LabelTask:       "message.task.label-refused",
	lost.ParcelTask:      "message.task.parcel-trouble",
	lost.RefundTask:      "message.task.refund-due",
}
