package message_test

import (
	"maps"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/message"
)

const (
	base       = "https://lost.example.com"
	token      = "q7m2kx9v4tz8rj3hw6np5cd1fg"
	link       = base + "/g/" + token
	replyToken = "bz5qk3m8wd2nx7ht4vc9"
	privacyURL = "https://adler.example/privacy?lang=en&v=2"
	script     = `<script>alert("x")</script> & {name}'`
)

// privacyText is a privacy notice with a long line, two paragraphs and characters that are special in HTML.
const privacyText = "Hotel Adler GmbH & Co. KG uses your details only to return your item to you, and deletes them " +
	"180 days later.\r\nYou can ask for a copy at any time.\n\n\nSupervisory authority: <Berlin>"

var now = time.Date(2026, 11, 16, 9, 30, 0, 0, time.UTC)

func newSender(t *testing.T, o message.Options) *message.Sender {
	t.Helper()
	o.Base, o.Now = base, func() time.Time { return now }
	if o.From == "" {
		o.From = "Homeward <lost@homeward.example>"
	}
	p, err := message.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func hotel() lost.Location {
	return lost.Location{
		Account: "acc_1", ID: "loc_1", Permalink: "hotel-adler", Name: "Hotel Adler", LogoFile: "logo-1.png",
		Address1: "Hauptstraße 1", ZipCode: "10115", City: "Berlin", Country: "DE",
		Contact:  lost.Contact{Name: "Jana Berg", Email: "desk@adler.example", Phone: "+493012345678"},
		TimeZone: "Europe/Berlin",
	}
}

func umbrella() lost.Item {
	days := 30
	return lost.Item{
		Account: "acc_1", ID: "item_1", LocationID: "loc_1", Reference: "K7F-3QD", Source: lost.Found,
		Status:        lost.Pending,
		Description:   "Black umbrella with a wooden handle,\nfound under the bed in room 12",
		DiscoveryDate: "2026-10-21", Notes: "secret note",
		StoragePlace: "secret shelf",
		Owner: lost.Owner{
			FirstName: "Anna", LastName: "Müller", Email: "anna@example.com", Phone: "+447700900123",
		},
		Pickup: lost.Pickup{}, MovedBy: lost.ByGuest,
		Terms: lost.Terms{StorageDuration: &days, TimeZone: "Europe/Berlin"},
	}
}

// allMessages returns a message of every kind, by name. There is one for each choice, and one for each state of a
// parcel.
func allMessages() map[string]lost.MessageData {
	all := map[string]lost.MessageData{}
	for _, kind := range lost.MessageKinds() {
		all[string(kind)] = newMessage(kind)
	}
	delete(all, string(lost.ChoiceMessage))
	for name, status := range map[string]lost.Status{
		"choice-pickup": lost.PickUp, "choice-leave": lost.Discard, "choice-donate": lost.Donate,
		"choice-ship": lost.InfoCompleted, "choice-done": lost.Delivered,
	} {
		l := newMessage(lost.ChoiceMessage)
		l.Item.Status = status
		if status == lost.PickUp {
			l.Item.Pickup = lost.Pickup{Date: "2026-11-20", Time: "14:30", Planned: true}
		}
		all[name] = l
	}
	charity := newMessage(lost.ChoiceMessage)
	charity.Item.Status, charity.Location.Charity = lost.Donate, "Berliner Stadtmission"
	all["choice-donate-charity"] = charity
	for name, notice := range map[string]lost.PrivacyNotice{
		"privacy": {Text: privacyText, URL: privacyURL}, "privacy-text": {Text: privacyText},
		"privacy-url": {URL: privacyURL},
	} {
		l := newMessage(lost.NoticeMessage)
		l.Privacy = notice
		all[name] = l
	}
	for _, reason := range []lost.Rejection{lost.RejectedTooMany, lost.RejectedEmpty, lost.RejectedAmbiguous} {
		l := newMessage(lost.ThreadRejection)
		l.About.Rejected = reason
		all["thread-rejected-"+string(reason)] = l
	}
	maps.Copy(all, parcelMessages())
	return all
}

func newMessage(kind lost.MessageKind) lost.MessageData {
	l := lost.MessageData{
		Message: lost.Message{
			Account: "acc_1", ID: "msg_0123", LocationID: "loc_1", ItemID: "item_1", Kind: kind, Channel: lost.ByEmail,
			To: "anna@example.com", State: lost.MessageWaiting,
		},
		Item: umbrella(), Location: hotel(), URL: link,
	}
	switch kind {
	case lost.PickupSoonMessage, lost.MissedMessage:
		l.Item.Status, l.Item.Pickup = lost.PickUp, lost.Pickup{Date: "2026-11-20", Time: "14:30", Planned: true}
	case lost.ReceivedMessage, lost.RejectedMessage:
		l.Item.Source, l.Item.Claim.State = lost.Request, lost.RequestPending
		if kind == lost.RejectedMessage {
			l.Item.Claim.State, l.Item.Claim.Reason = lost.RequestRejected,
				"We looked in the room and asked the cleaners."
		}
	case lost.QuestionMessage:
		l.Item.Source, l.Item.Claim.State, l.About.Question = lost.Request, lost.RequestPending,
			"Is the wood of the handle light or dark?"
	case lost.ThreadNotice, lost.ThreadAlert:
		l.About.Text = "The handle is dark.\nCan I collect it on Sunday?\n\nKind regards"
	case lost.FinderReward, lost.FinderItem:
		l.Item.Finder = lost.Finder{Name: "Marta Nowak", Email: "marta@example.com"}
		l.To, l.URL = "marta@example.com", ""
	case lost.DigestMessage:
		l.Item = lost.Item{}
		l.URL = ""
		l.ItemID = ""
		l.To = "desk@adler.example"
		for n, task := range lost.TaskKinds() {
			i := umbrella()
			i.Parcel.Troubles = []lost.ParcelProblem{{
				Kind: lost.LabelTask, Why: "The carrier wants a phone number for this country.",
			}, {Kind: lost.ParcelTask, Why: "Return to sender."}}
			l.Tasks.Data = append(l.Tasks.Data, lost.Task{Kind: task, Since: now.AddDate(0, 0, n-9), Item: i})
		}
		l.Tasks.Total = lost.Total{Count: len(l.Tasks.Data) + 5}
	case lost.PriceMessage, lost.ReceiptMessage, lost.ShippedMessage, lost.DeliveredMessage, lost.RefundMessage,
		lost.LabelMessage:
		l.Item = parcel(kind)
		if kind == lost.ReceiptMessage {
			l.Enclosed = []lost.Attachment{pdf("Invoice 17", 20_000)}
		}
		if kind == lost.LabelMessage {
			l.To, l.URL = "parcels@adler.example", ""
			l.Enclosed = []lost.Attachment{pdf("Label K7F-3QD.pdf", 30_000), pdf("Invoice 17.pdf", 20_000),
				pdf("Packing slip.pdf", 100)}
		}
	}
	return l
}

func bySMS(l lost.MessageData) lost.MessageData {
	l.Channel, l.To = lost.BySMS, "+447700900123"
	return l
}
