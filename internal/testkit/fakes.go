package testkit

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/lost/paper"
)

// NoUploads rejects every file. It is for tests of checks that happen before a file is read.
type NoUploads struct{}

// ErrNoUploads is returned by NoUploads.
var ErrNoUploads = errors.New("uploads are not supported")

// Receive returns ErrNoUploads.
func (NoUploads) Receive(context.Context, desk.IncomingPicture) (desk.Upload, error) {
	return nil, ErrNoUploads
}

// Verify returns ErrNoUploads.
func (NoUploads) Verify(context.Context, string, bool) (desk.Verified, error) {
	return desk.Verified{}, ErrNoUploads
}

// FindFacts returns ErrNoUploads.
func (NoUploads) FindFacts(context.Context, string, io.Reader, int64) (lost.PhotoFacts, error) {
	return lost.PhotoFacts{}, ErrNoUploads
}

// Blurred returns ErrNoUploads.
func (NoUploads) Blurred(context.Context, string) ([]byte, error) { return nil, ErrNoUploads }

// Delete does nothing.
func (NoUploads) Delete(context.Context, ...string) error { return nil }

// Hooks accepts every URL and delivers every event, except for URLs that contain "forbidden" or "refuses".
type Hooks struct{}

// Check rejects URLs that contain "forbidden".
func (Hooks) Check(e lost.Endpoint) (p lost.Problems) {
	if strings.Contains(e.URL, "forbidden") {
		p.Add("url", "private-address", "must resolve to a public address")
	}
	return p
}

// NewSecret returns a random secret.
func (Hooks) NewSecret() string { return "whsec_" + rand.Text() }

// Send reports success, except for URLs that contain "refuses".
func (Hooks) Send(_ context.Context, e lost.Endpoint, _ lost.Delivery, _ []byte) lost.Attempt {
	if strings.Contains(e.URL, "refuses") {
		return lost.Attempt{Status: 500, Error: "answered 500 Internal Server Error"}
	}
	return lost.Attempt{Status: 200}
}

// Messenger composes minimal messages and reports that every channel is set up.
type Messenger struct{}

// Compose returns the message's kind as the subject, and the item's description and the link as the text.
func (Messenger) Compose(l lost.MessageData) (subject, text string, err error) {
	return string(l.Kind), l.Item.Description + " " + l.URL, nil
}

// Sends returns true.
func (Messenger) Sends(lost.Channel) bool { return true }

// SilentMessenger is a Messenger that reports that no channel is set up.
type SilentMessenger struct{ Messenger }

// Sends returns false.
func (SilentMessenger) Sends(lost.Channel) bool { return false }

// Sender is the outbox's messenger. It reports every message as sent.
type Sender struct{ Messenger }

// Send calls handOver and reports that the message was sent.
func (Sender) Send(_ context.Context, _ lost.MessageData, handOver func() error) (lost.SendResult, error) {
	return lost.SendResult{State: lost.MessageSent}, handOver()
}

// DeliveryState reports that a message was sent.
func (Sender) DeliveryState(context.Context, lost.Message) (lost.MessageState, string, error) {
	return lost.MessageSent, "", nil
}

// MailUser does nothing and reports success.
func (Sender) MailUser(context.Context, string, string, string) error { return nil }

// Forms returns plain text instead of PDFs.
type Forms struct{}

// Receipt returns a line with the recipient's name and the size of the signature.
func (Forms) Receipt(r lost.HandoverReceipt) ([]byte, error) {
	return fmt.Appendf(nil, "receipt for %s, signed with %d bytes", r.Handover.Name, len(r.Signature)), nil
}

// Paper returns a line with the kind of paper, the recipient and the size of the signature, and one line per item.
func (Forms) Paper(p paper.Paper) ([]byte, error) {
	b := bytes.NewBufferString(fmt.Sprintln(p.Kind, p.Handover.Name(), len(p.Handover.Signature)))
	for _, i := range p.Items {
		fmt.Fprintln(b, i.Reference, i.Description, p.SerialNumber(i))
	}
	return b.Bytes(), nil
}

// PickList returns one line per item.
func (Forms) PickList(l lost.PickList) ([]byte, error) {
	var b bytes.Buffer
	for _, i := range l.Items {
		fmt.Fprintln(&b, l.Destination, i.Description)
	}
	return b.Bytes(), nil
}

// Faults makes the steps of fakes fail at planned moments, and counts the steps. Each step has one moment before its
// effect and one after it, such as "before Buy" and "after Buy".
type Faults struct {
	mu    sync.Mutex
	calls map[string]int
	plan  map[string][]func() error
}

// NewFaults returns Faults in which nothing is planned to fail.
func NewFaults() *Faults { return &Faults{calls: map[string]int{}, plan: map[string][]func() error{}} }

// Next makes do run once, the next time the moment is reached. If Next is called again for the same moment, the
// functions run one after the other, each time the moment is reached.
func (f *Faults) Next(moment string, do func() error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plan[moment] = append(f.plan[moment], do)
}

// Only is like Next, but replaces everything planned for the moment.
func (f *Faults) Only(moment string, do func() error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plan[moment] = []func() error{do}
}

// Fail makes the next step that reaches the moment return err.
func (f *Faults) Fail(moment string, err error) { f.Next(moment, func() error { return err }) }

// Calls returns how many times a step was called.
func (f *Faults) Calls(step string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[step]
}

// Act counts a step and runs its effect under the lock, unless the step is planned to fail before its effect.
func (f *Faults) Act(step string, effect func()) error {
	f.mu.Lock()
	f.calls[step]++
	f.mu.Unlock()
	if err := f.reach("before " + step); err != nil {
		return err
	}
	f.Locked(effect)
	return f.reach("after " + step)
}

// Locked runs do under the lock that protects the effects of steps.
func (f *Faults) Locked(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
}

func (f *Faults) reach(moment string) error {
	f.mu.Lock()
	var do func() error
	if plan := f.plan[moment]; len(plan) > 0 {
		do = plan[0]
		f.plan[moment] = plan[1:]
	}
	f.mu.Unlock()
	if do == nil {
		return nil
	}
	return do()
}

// MemoryFiles stores files in memory. Its steps (see Faults) are Keep, Delete and Read.
type MemoryFiles struct {
	*Faults
	names int
	// Stored holds the content of each file, by name. Use Locked to read it while the service runs.
	Stored map[string]string
}

// NewMemoryFiles returns an empty MemoryFiles.
func NewMemoryFiles(f *Faults) *MemoryFiles {
	return &MemoryFiles{Faults: f, Stored: map[string]string{}}
}

// NewName returns a new name that contains a counter.
func (m *MemoryFiles) NewName() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.names++
	return fmt.Sprintf("paper%d.pdf", m.names)
}

// Save stores a file.
func (m *MemoryFiles) Save(_ context.Context, name string, content []byte) error {
	return m.Act("Keep", func() { m.Stored[name] = string(content) })
}

// Delete removes files.
func (m *MemoryFiles) Delete(_ context.Context, names ...string) error {
	return m.Act("Delete", func() {
		for _, name := range names {
			delete(m.Stored, name)
		}
	})
}

// Thumbnail does nothing.
func (*MemoryFiles) Thumbnail(context.Context, string) error { return nil }

// Read returns the content of a file.
func (m *MemoryFiles) Read(_ context.Context, name string, _ int64) (content []byte, err error) {
	err = m.Act("Read", func() { content = []byte(m.Stored[name]) })
	return content, err
}
