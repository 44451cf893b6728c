package notice

import (
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/report"
)

// The targets of notices. Other targets are the ids of push subscriptions.
const (
	Email       = ""
	ReportEmail = "report" // monthly reports, which are not combined with other notices
)

// Notice tells one person about one thing. It contains no text: what it says is read when it is sent.
type Notice struct {
	Account, ID        string
	UserID             string
	Target             string
	Kind               Kind
	LocationID, ItemID string
	// Subject identifies what the notice is about. A person is told about it once for each target.
	Subject          string
	DueAt, CreatedAt time.Time
	Attempts         int // including the one under way
}

// monthLayout is the layout of the subject of a monthly report.
const monthLayout = "2006-01"

// Month returns the month that a monthly report is about.
func (n Notice) Month() (lost.Month, bool) {
	day, err := time.Parse(monthLayout, n.Subject)
	return lost.MonthOf(day), err == nil
}

// How notices end. A notice is dropped if the person may no longer see what it is about, or no longer wants it.
const (
	Sent    = "sent"
	Dropped = "dropped"
	Failed  = "failed"
)

// retryDelays is how long to wait after each failed attempt. A later notice about the same thing would not help, so
// there is an end.
var retryDelays = []time.Duration{
	time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
}

// RetryDelay returns how long to wait if the attempt under way fails. It returns false if it is the last one.
func (n Notice) RetryDelay() (time.Duration, bool) {
	if n.Attempts > len(retryDelays) {
		return 0, false
	}
	return retryDelays[max(n.Attempts, 1)-1], true
}

// GivenUp reports whether the attempt under way must not be made, because all others have ended without a result.
func (n Notice) GivenUp() bool { return n.Attempts > len(retryDelays)+1 }

// Happening is something that people may want a notice about.
type Happening struct {
	Kind               Kind
	LocationID, ItemID string
	Subject            string
	At                 time.Time
}

// MaxLines is the maximum number of lines in an e-mail. It says how many more there are.
const MaxLines = 50

// Message is an e-mail or a push message to one person.
type Message struct {
	ID       string
	User     lost.User
	Kinds    []Kind // without duplicates
	Lines    []Line
	More     int    // how many lines were left out
	StopURL  string // where the person stops these e-mails
	Path     string // the page of the dashboard that it links to
	Reported *report.Report
	Where    []string // the names of the locations of a report; nil for all
}

// Line is one notice in a message.
type Line struct {
	Kind         Kind
	Item         lost.Item
	LocationName string
}

// Subscription is a browser that shows push messages to a person. It ends with the session in which it was made.
type Subscription struct {
	Account, ID, UserID, SessionID string
	Endpoint                       string // the URL of the browser's push service
	PublicKey, AuthSecret          string // for encrypting messages, in base64url
	CreatedAt                      time.Time
}

// MaxSubscriptions is the maximum number of browsers that show push messages to one person.
const MaxSubscriptions = 10
