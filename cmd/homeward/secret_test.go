package main_test

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"homeward/internal/store/storetest"
)

const formerSecret, currentSecret = "the secret of last year", "the secret of this year"

// runProcess runs a command as a separate process and returns its output.
func runProcess(t *testing.T, settings []string, args ...string) (string, error) {
	t.Helper()
	c := exec.Command(self(t), args...)
	c.Env = environment(settings...)
	out, err := c.CombinedOutput()
	return string(out), err
}

// The secret is replaced while two instances are running. Both always have the secrets they need, deliveries are
// still signed, and links that have been sent keep working.
func TestSecretIsReplacedWhileTheServiceIsRunning(t *testing.T) {
	t.Parallel()
	database := storetest.Postgres(t)
	on := func(secret string, former ...string) []string {
		return newWebhookSettings(t, database, "HOMEWARD_SECRET="+secret,
			"HOMEWARD_SECRET_OLD="+strings.Join(former, ","))
	}
	first := startService(t, on(formerSecret)...)
	receiver := newWebhookReceiver(t, first, nil)
	load := newLoadGenerator(t, first, 2)
	hotel := strings.SplitN(load.items[0], "/items/", 2)[0]
	link := guestLink(first, hotel)

	// First, every instance gets the new secret in HOMEWARD_SECRET_OLD, so that it can decrypt with both. Then one
	// instance gets the new secret in HOMEWARD_SECRET, while the others keep their settings.
	ready := []*process{startService(t, on(formerSecret, currentSecret)...),
		startService(t, on(formerSecret, currentSecret)...)}
	first.terminate()
	ends := []func(){load.start(ready[0].url), load.start(ready[1].url)}
	changed := startService(t, on(currentSecret, formerSecret)...)
	ends = append(ends, load.start(changed.url))
	out, err := runProcess(t, on(currentSecret, formerSecret), "secret", "rotate")
	if err != nil || !strings.Contains(out, "endpoints.secret: 1 re-encrypted") {
		t.Fatalf("%v: %s", err, out)
	}
	newLink := guestLink(changed, hotel)
	for n, p := range append(ready, changed) {
		for _, l := range []string{link, newLink} {
			if a, err := sendRequest("GET", p.url+l, ""); err != nil || a.status != http.StatusOK {
				t.Errorf("instance %d, %s: %d %v", n, l, a.status, err)
			}
		}
	}
	for n, end := range ends {
		end()
		if n < len(ready) {
			ready[n].terminate()
		}
	}
	if len(load.refused) > 0 {
		t.Errorf("some changes were rejected: %v", load.refused)
	}
	// An instance that used the former secret until now may have encrypted more data with it. A second rotation
	// re-encrypts that data.
	if out, err := runProcess(t, on(currentSecret, formerSecret), "secret", "rotate"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	waitUntil(t, "everything is delivered", func() bool { return len(load.missing(receiver)) == 0 })
	changed.terminate()

	last := startService(t, on(currentSecret)...)
	for _, l := range []string{link, newLink} {
		if a, err := sendRequest("GET", last.url+l, ""); err != nil || a.status != http.StatusOK {
			t.Errorf("after the rotation, %s returned %d: %v", l, a.status, err)
		}
	}
	end := load.start(last.url)
	before, _ := receiver.counts()
	waitUntil(t, "more is delivered", func() bool { now, _ := receiver.counts(); return now > before })
	end()
	for _, p := range append(ready, changed, last, first) {
		if text := p.stderr.String() + p.stdout.String(); strings.Contains(text, formerSecret) ||
			strings.Contains(text, currentSecret) {
			t.Error("a secret was logged")
		}
	}
	if out, err := runProcess(t, on(formerSecret), "serve", "--listen", "127.0.0.1:0"); err == nil ||
		!strings.Contains(out, "HOMEWARD_SECRET") || strings.Contains(out, formerSecret) {
		t.Errorf("starting with only the former secret: %v %s", err, out)
	}
}

// guestLink creates an item with an owner, and returns the path of the link in the message to the owner.
func guestLink(p *process, hotel string) string {
	p.t.Helper()
	item := p.must(http.StatusCreated, "POST", hotel+"/items",
		`{"description": "Hat", "owner": {"email": "anna@example.com"}}`)["id"].(string)
	messages := p.must(http.StatusOK, "GET", hotel+"/items/"+item+"/messages", "")["data"].([]any)
	link := regexp.MustCompile(`/g/[a-z2-7]+`).FindString(messages[0].(map[string]any)["text"].(string))
	if a, err := sendRequest("GET", p.url+link, ""); err != nil || a.status != http.StatusOK || link == "" {
		p.t.Fatalf("the link %q: %d %v", link, a.status, err)
	}
	return link
}

func TestSecretsCanBeInFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	current, former := filepath.Join(folder, "present"), filepath.Join(folder, "former")
	for name, text := range map[string]string{
		current: currentSecret + "\n", former: "the secret, of the year before\n\n" + formerSecret + "\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	settings := newSettings(t, filepath.Join(folder, "homeward.db"))
	startService(t, append(settings, "HOMEWARD_SECRET="+formerSecret)...).terminate()
	startService(t,
		append(settings, "HOMEWARD_SECRET_FILE="+current, "HOMEWARD_SECRET_OLD_FILE="+former)...).terminate()
	if out, err := runProcess(t, append(settings, "HOMEWARD_SECRET_FILE="+current), "secret", "rotate"); err == nil ||
		!strings.Contains(out, "HOMEWARD_SECRET_OLD") {
		t.Errorf("rotating without the former secret: %v %s", err, out)
	}
	for range 2 { // repeating the command prints the same output
		if out, err := runProcess(t,
			append(settings, "HOMEWARD_SECRET_FILE="+current, "HOMEWARD_SECRET_OLD_FILE="+former), "secret",
			"rotate"); err != nil || !strings.Contains(out, "without HOMEWARD_SECRET_OLD") {
			t.Errorf("%v %s", err, out)
		}
	}
	startService(t, append(settings, "HOMEWARD_SECRET="+currentSecret)...).terminate()
}

// An instance that has only the former secret could not decrypt data that is encrypted with the new one.
func TestSecretIsNotRotatedBeforeAnInstanceHasIt(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	settings := append(newSettings(t, filepath.Join(folder, "homeward.db")), "HOMEWARD_DATA="+folder)
	startService(t, settings...).terminate()
	current, former := filepath.Join(folder, "secret.key"), filepath.Join(folder, "secret.old")
	if err := os.Rename(current, former); err != nil {
		t.Fatal(err)
	}
	refused := func(settings []string, want string) {
		t.Helper()
		if out, err := runProcess(t, settings, "secret", "rotate"); err == nil || !strings.Contains(out, want) {
			t.Errorf("%v %s", err, out)
		}
	}
	settings = append(settings, "HOMEWARD_SECRET_OLD_FILE="+former)
	refused(settings, "first start the service with the new secret")
	if _, err := os.Stat(current); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a secret was created: %v", err)
	}
	other := append(settings, "HOMEWARD_SECRET="+currentSecret)
	refused(other, "--offline")
	startService(t, settings...).terminate() // creates a new secret, and can still decrypt with the former one
	refused(other, "HOMEWARD_SECRET")
	if out, err := runProcess(t, settings, "secret", "rotate"); err != nil ||
		!strings.Contains(out, "keep the former secret") {
		t.Errorf("after a start: %v %s", err, out)
	}
	third := append(settings, "HOMEWARD_SECRET="+currentSecret, "HOMEWARD_SECRET_OLD_FILE="+current)
	if out, err := runProcess(t, third, "secret", "rotate", "--offline"); err != nil {
		t.Errorf("with --offline: %v %s", err, out)
	}
}

func TestBackupFromBeforeARotationNeedsTheFormerSecret(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "backup.tar.gz")
	settings := newSettings(t, filepath.Join(folder, "homeward.db"))
	before := append(settings, "HOMEWARD_SECRET="+formerSecret)
	startService(t, before...).terminate()
	if out, err := runProcess(t, before, "backup", file); err != nil || strings.Contains(out, "WARNING") {
		t.Fatalf("%v %s", err, out)
	}
	if out, err := runProcess(t, append(settings, "HOMEWARD_SECRET="+currentSecret), "backup", file); err != nil ||
		!strings.Contains(out, "cannot decrypt this backup") {
		t.Errorf("with another secret: %v %s", err, out)
	}
	both := append(newSettings(t, filepath.Join(folder, "again.db")), "HOMEWARD_SECRET="+currentSecret,
		"HOMEWARD_SECRET_OLD="+formerSecret)
	if out, err := runProcess(t, both, "restore", file); err != nil || !strings.Contains(out, "former secret") {
		t.Fatalf("%v %s", err, out)
	}
	if info, err := os.Stat(strings.TrimPrefix(both[0], "HOMEWARD_DATA=")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the data folder: %v %v", info, err)
	}
	startService(t, both...).terminate()
	if out, err := runProcess(t, both, "secret", "rotate"); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	startService(t, append(both, "HOMEWARD_SECRET_OLD=")...).terminate()
}

func TestRestoreIntoAnotherUsersFolderWarns(t *testing.T) {
	t.Parallel()
	folder, theirs := t.TempDir(), t.TempDir()
	const nobody = 65534
	if err := os.Chown(theirs, nobody, nobody); err != nil {
		t.Skip("needs root")
	}
	file := filepath.Join(folder, "backup.tar.gz")
	here := newSettings(t, filepath.Join(folder, "homeward.db"))
	for _, args := range [][]string{{"migrate"}, {"backup", file}} {
		if out, err := runProcess(t, here, args...); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	there := []string{"HOMEWARD_DATA=" + theirs}
	if out, err := runProcess(t, there, "restore", file); err != nil ||
		!strings.Contains(out, "does not belong to the user") {
		t.Errorf("%v %s", err, out)
	}
}

func TestNoSecretIsCreatedForADatabaseWithOne(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	settings := append(newSettings(t, filepath.Join(folder, "homeward.db"), "HOMEWARD_LISTEN=127.0.0.1:0"),
		"HOMEWARD_DATA="+folder)
	startService(t, append(settings, "HOMEWARD_SECRET="+formerSecret)...).terminate()
	if out, err := runProcess(t, settings, "serve"); err == nil || !strings.Contains(out, "none is set") ||
		!strings.Contains(out, "put secret.key back") {
		t.Errorf("%v %s", err, out)
	}
	if _, err := os.Stat(filepath.Join(folder, "secret.key")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a secret was created: %v", err)
	}
}

func TestServiceStartsAgainAfterItsSecretWasLost(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, database string) {
		folder := t.TempDir()
		settings := append(newWebhookSettings(t, database), "HOMEWARD_DATA="+folder)
		first := startService(t, settings...)
		receiver := newWebhookReceiver(t, first, nil)
		hotel := "/v1/locations/" +
			first.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Hotel"}`)["id"].(string)
		link := guestLink(first, hotel)
		first.terminate()
		reset := func(want string, args ...string) {
			t.Helper()
			out, _ := runProcess(t, settings, append([]string{"secret", "reset"}, args...)...)
			if !strings.Contains(out, want) {
				t.Fatalf("%v printed %s, want %q", args, out, want)
			}
		}
		reset("no secret is lost", "--i-have-lost-it")
		if err := os.Remove(filepath.Join(folder, "secret.key")); err != nil {
			t.Fatal(err)
		}
		if out, err := runProcess(t, settings, "serve"); err == nil || !strings.Contains(out, "homeward secret reset") {
			t.Fatalf("without the secret: %v %s", err, out)
		}
		reset("would be lost:\n     1  webhook secret: each")
		if _, err := os.Stat(filepath.Join(folder, "secret.key")); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("a secret was created without --i-have-lost-it: %v", err)
		}
		reset("kept:\n     1  guest links: ", "--i-have-lost-it")
		again := startService(t, settings...)
		if a, err := sendRequest("GET", again.url+link, ""); err != nil || a.status != http.StatusOK {
			t.Errorf("a link that was sent before: %d %v", a.status, err)
		}
		guestLink(again, hotel)
		secret := again.must(http.StatusOK, "GET", "/v1/webhooks/"+receiver.id+"/secret", "")["secret"]
		if secret == receiver.secret || !strings.HasPrefix(secret.(string), "whsec_") {
			t.Error("the webhook has no new secret")
		}
	})
}
