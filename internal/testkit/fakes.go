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
)

// NoUploads refuses every file, for tests of checks that happen before a file is read.
type NoUploads struct{}

// ErrNoUploads is returned by NoUploads.
var ErrNoUploads = errors.New("no uploads here")

// Receive refuses a file.
func (NoUploads) Receive(context.Context, string, io.Reader, int64) (desk.Upload, error) {
	return nil, ErrNoUploads
}

// Delete does nothing.
func (NoUploads) Delete(context.Context, ...string) error { return nil }

// Hooks accepts every address and delivers every event, except for addresses that contain "forbidden" or "refuses".
type Hooks struct{}

// Check refuses addresses that contain "forbidden".
func (Hooks) Check(e lost.Endpoint) (p lost.Problems) {
	if strings.Contains(e.URL, "forbidden") {
		p.Add("url", "private-address", "must resolve to a public address")
	}
	return p
}

// NewSecret returns a random secret.
func (Hooks) NewSecret() string { return "whsec_" + rand.Text() }

// Send reports success, except for addresses that contain "refuses".
func (Hooks) Send(_ context.Context, e lost.Endpoint, _ lost.Delivery, _ []byte) lost.Attempt {
	if strings.Contains(e.URL, "refuses") {
		return lost.Attempt{Status: 500, Error: "answered 500 Internal Server Error"}
	}
	return lost.Attempt{Status: 200}
}

// Messenger composes minimal messages and reports that every channel sends.
type Messenger struct{}

// Compose returns the kind as the subject, and the item and the link as the text.
func (Messenger) Compose(l lost.MessageData) (subject, text string, err error) {
	return string(l.Kind), l.Item.Description + " " + l.URL, nil
}

// Sends returns true.
func (Messenger) Sends(lost.Channel) bool { return true }

// SilentMessenger is a Messenger that reports that no channel sends.
type SilentMessenger struct{ Messenger }

// Sends returns false.
func (SilentMessenger) Sends(lost.Channel) bool { return false }

// Sender sends every message immediately. It is the messenger of the outbox.
type Sender struct{ Messenger }

// Send sends a message.
func (Sender) Send(_ context.Context, _ lost.MessageData, handOver func() error) (lost.SendResult, error) {
	return lost.SendResult{State: lost.MessageSent}, handOver()
}

// DeliveryState reports that a message was sent.
func (Sender) DeliveryState(context.Context, lost.Message) (lost.MessageState, string, error) {
	return lost.MessageSent, "", nil
}

// MailUser does nothing.
func (Sender) MailUser(context.Context, string, string, string) error { return nil }

// Forms prints a line instead of a PDF.
type Forms struct{}

// Receipt prints the name and the size of the signature.
func (Forms) Receipt(r lost.HandoverReceipt) ([]byte, error) {
	return fmt.Appendf(nil, "receipt for %s, signed with %d bytes", r.Handover.Name, len(r.Signature)), nil
}

// PickList prints a line per item.
func (Forms) PickList(l lost.PickList) ([]byte, error) {
	var b bytes.Buffer
	for _, i := range l.Items {
		fmt.Fprintln(&b, l.Destination, i.Description)
	}
	return b.Bytes(), nil
}

// Faults makes the steps of fakes fail at planned moments, and counts the steps. Each step has a moment before its
// effect and one after it: "before Buy", "after Buy".
type Faults struct {
	mu    sync.Mutex
	calls map[string]int
	plan  map[string][]func() error
}

// NewFaults returns Faults without a plan.
func NewFaults() *Faults { return &Faults{calls: map[string]int{}, plan: map[string][]func() error{}} }

// Next makes do run once, the next time a moment is reached. A second call for the same moment applies to the time
// after that.
func (f *Faults) Next(moment string, do func() error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plan[moment] = append(f.plan[moment], do)
}

// Only is like Next, but replaces everything that was planned for the moment.
func (f *Faults) Only(moment string, do func() error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plan[moment] = []func() error{do}
}

// Fail makes a moment fail, once.
func (f *Faults) Fail(moment string, err error) { f.Next(moment, func() error { return err }) }

// Calls returns how often a step was called.
func (f *Faults) Calls(step string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[step]
}

// Act counts a step and runs its effect under the lock, unless the step was planned to fail before it.
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

// MemoryFiles stores files in memory. Its steps are Keep, Delete and Read.
type MemoryFiles struct {
	*Faults
	names int
	// Kept holds the contents of the files by name. Use Locked to read it while the service runs.
	Stored map[string]string
}

// NewMemoryFiles returns an empty MemoryFiles.
func NewMemoryFiles(f *Faults) *MemoryFiles {
	return &MemoryFiles{Faults: f, Stored: map[string]string{}}
}

// NewName returns a new name with a counter.
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
