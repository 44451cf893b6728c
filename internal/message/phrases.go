package message

import "homeward/internal/lost"

// phrases are the keys of what a message says.
type phrases struct {
	subject, title, lead, sms string
	discreet, discreetSMS     string // instead of subject and sms where the item and the place are not to be named
	page                      string // what can be done on the page that the message leads to; may be empty
	button, link              string // what leads there, in a mail and in an SMS
	footer                    string
	notes, steps              []string // what else is to know after the lead, and what to do next
	until, pickup, where      bool     // what is told of the item
	price                     string   // what its price is called, where that is told
	service, leaves, to       bool     // what is told of its parcel
	tracking                  bool
	desk                      bool // whether the reader is one who has to find the item, and print
}

// aboutFound has what all messages to the owner of something found share.
func aboutFound(l lost.Letter) phrases {
	return phrases{
		discreet: "message.discreet.found.subject", discreetSMS: "message.discreet.found.sms",
		button: "message.button.choose", link: "message.sms.choose", page: choosing(l), footer: "message.footer.found", until: true,
	}
}

// choosing says what the owner can choose from. What is not sent is not offered to be.
func choosing(l lost.Letter) string {
	if _, ships := l.Item.Ships(l.Location); !ships {
		return "message.page.choose.unsent"
	}
	return "message.page.choose"
}

// aboutPickup has what messages about a pick-up share.
func aboutPickup() phrases {
	return phrases{
		discreet: "message.discreet.pickup.subject", discreetSMS: "message.discreet.pickup.sms",
		button: "message.button.see", link: "message.sms.see", footer: "message.footer.found", pickup: true, where: true,
	}
}

// aboutChoice is what is said of any choice.
func aboutChoice() phrases {
	return phrases{
		subject: "message.choice.subject", title: "message.choice.title", lead: "message.choice.lead", sms: "message.choice.sms",
		discreet: "message.discreet.choice.subject", discreetSMS: "message.discreet.choice.sms",
		button: "message.button.see", link: "message.sms.see", footer: "message.footer.found",
	}
}

// aboutRequest has what messages to a claimant share.
func aboutRequest() phrases {
	return phrases{
		discreet: "message.discreet.request.subject", discreetSMS: "message.discreet.request.sms",
		button: "message.button.follow", link: "message.sms.see", footer: "message.footer.request",
	}
}

// phrasesOf chooses what a letter says. A message may be shown long after it was sent, when its item has
// moved on: what is no longer known is then not said, and the general words stand instead.
func phrasesOf(l lost.Letter) phrases {
	switch l.Kind {
	case lost.MatchMessage:
		return aboutFound(l).saying("message.match.subject", "message.match.title", "message.match.lead", "message.match.sms")
	case lost.LastCallMessage:
		if l.Item.StoreUntil() != "" {
			return aboutFound(l).saying("message.last-call.subject", "message.last-call.title", "message.last-call.lead", "message.last-call.sms")
		}
		fallthrough
	case lost.ReminderMessage:
		return aboutFound(l).saying("message.reminder.subject", "message.reminder.title", "message.reminder.lead", "message.reminder.sms")
	case lost.PickupSoonMessage, lost.MissedMessage:
		return pickupPhrases(l)
	case lost.ChoiceMessage:
		return choicePhrases(l)
	case lost.ReceivedMessage:
		p := aboutRequest().saying("message.request-received.subject", "message.request-received.title", "message.request-received.lead", "message.request-received.sms")
		p.page = "message.page.follow"
		return p
	case lost.RejectedMessage:
		p := aboutRequest().saying("message.request-rejected.subject", "message.request-rejected.title", "message.request-rejected.lead", "message.request-rejected.sms")
		p.button = "message.button.see"
		if l.Item.Claim.Reason != "" {
			p.notes = []string{"message.request-rejected.reason"}
		}
		return p
	case lost.QuestionMessage:
		p := aboutRequest().saying("message.request-question.subject", "message.request-question.title", "message.request-question.lead", "message.request-question.sms")
		p.button, p.notes = "message.button.answer", []string{"message.request-question.asks"}
		return p
	case lost.PriceMessage, lost.ReceiptMessage, lost.ShippedMessage, lost.DeliveredMessage, lost.RefundMessage, lost.LabelMessage:
		return parcelPhrases(l)
	case lost.DigestMessage:
		p := phrases{discreet: "message.discreet.digest.subject", discreetSMS: "message.discreet.digest.subject", link: "message.sms.see", footer: "message.footer.digest"}
		return p.saying("message.digest.subject", "message.digest.title", "message.digest.lead", "message.digest.subject")
	default:
		return aboutFound(l).saying("message.notice.subject", "message.notice.title", "message.notice.lead", "message.notice.sms")
	}
}

func pickupPhrases(l lost.Letter) phrases {
	switch {
	case l.Item.Pickup.Date == "":
		return aboutChoice()
	case l.Kind == lost.MissedMessage:
		p := aboutPickup().saying("message.pickup-missed.subject", "message.pickup-missed.title", "message.pickup-missed.lead", "message.pickup-missed.sms")
		p.page, p.button, p.link = "message.page.missed", "message.button.change", "message.sms.choose"
		p.pickup, p.until = false, true
		return p
	}
	p := aboutPickup().saying("message.pickup-soon.subject", "message.pickup-soon.title", "message.pickup-soon.lead", "message.pickup-soon.sms")
	if hasAddress(l.Location) {
		p.sms = "message.pickup-soon.sms.address"
	}
	return p.changeable(l)
}

func choicePhrases(l lost.Letter) phrases {
	p := aboutChoice()
	switch {
	case l.Item.Status == lost.PickUp && l.Item.Pickup.Date != "":
		p = p.saying(p.subject, "message.choice.pickup.title", "message.choice.pickup.lead", "message.choice.pickup.sms")
		p.pickup, p.where = true, true
	case l.Item.Status == lost.Discard:
		p = p.saying(p.subject, "message.choice.leave.title", "message.choice.leave.lead", "message.choice.leave.sms")
	case l.Item.Status == lost.Donate && l.Location.Charity != "":
		p = p.saying(p.subject, "message.choice.donate.title", "message.choice.donate.charity.lead", "message.choice.donate.charity.sms")
	case l.Item.Status == lost.Donate:
		p = p.saying(p.subject, "message.choice.donate.title", "message.choice.donate.lead", "message.choice.donate.sms")
	case l.Item.Status == lost.InfoCompleted:
		return shipPhrases(l)
	}
	return p.changeable(l)
}

// saying puts in what one kind of message says.
func (p phrases) saying(subject, title, lead, sms string) phrases {
	p.subject, p.title, p.lead, p.sms = subject, title, lead, sms
	return p
}

// changeable offers another choice where there is one.
func (p phrases) changeable(l lost.Letter) phrases {
	if l.Item.OpenToGuest() {
		p.page, p.button = "message.page.change", "message.button.change"
	}
	return p
}

// taskPhrases are the words for what waits.
var taskPhrases = map[lost.TaskKind]string{
	lost.AnswerTask:      "message.task.answer-request",
	lost.MatchTask:       "message.task.confirm-match",
	lost.PickupTask:      "message.task.pickup-today",
	lost.MissedTask:      "message.task.pickup-missed",
	lost.ShipTask:        "message.task.ship",
	lost.ShippingTask:    "message.task.shipping-wanted",
	lost.OverdueTask:     "message.task.store-until",
	lost.DisownedTask:    "message.task.not-theirs",
	lost.UnreachableTask: "message.task.unreachable",
	lost.LabelTask:       "message.task.label-refused",
	lost.ParcelTask:      "message.task.parcel-trouble",
	lost.RefundTask:      "message.task.refund-due",
}
