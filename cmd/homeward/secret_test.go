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

const lastYear, thisYear = "the secret of last year", "the secret of this year"

// command runs a command of the program as a process of its own.
func command(t *testing.T, settings []string, args ...string) (string, error) {
	t.Helper()
	c := exec.Command(self(t), args...)
	c.Env = environment(settings...)
	out, err := c.CombinedOutput()
	return string(out), err
}

// The secret is replaced while two copies serve: none is ever without what it needs, deliveries stay signed, and links that were sent go on working.
func TestTheSecretIsReplacedWhileTheServiceRuns(t *testing.T) {
	t.Parallel()
	database := storetest.Postgres(t)
	on := func(secret string, former ...string) []string {
		return hooked(t, database, "HOMEWARD_SECRET="+secret, "HOMEWARD_SECRET_OLD="+strings.Join(former, ","))
	}
	first := service(t, on(lastYear)...)
	box := newMailbox(t, first, nil)
	load := newMovers(t, first, 2)
	hotel := strings.SplitN(load.items[0], "/items/", 2)[0]
	link := guestLink(first, hotel)

	// Every copy learns the new one first, then uses it; at each step the other copy still has what it had.
	ready := []*process{service(t, on(lastYear, thisYear)...), service(t, on(lastYear, thisYear)...)}
	first.terminate()
	ends := []func(){load.begin(ready[0].url), load.begin(ready[1].url)}
	changed := service(t, on(thisYear, lastYear)...)
	ends = append(ends, load.begin(changed.url))
	out, err := command(t, on(thisYear, lastYear), "secret", "rotate")
	if err != nil || !strings.Contains(out, "endpoints.secret: 1 sealed again") {
		t.Fatalf("%v: %s", err, out)
	}
	newLink := guestLink(changed, hotel)
	for n, p := range append(ready, changed) {
		for _, l := range []string{link, newLink} {
			if a, err := ask("GET", p.url+l, ""); err != nil || a.status != http.StatusOK {
				t.Errorf("copy %d, %s: %d %v", n, l, a.status, err)
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
		t.Errorf("some changes were answered with %v", load.refused)
	}
	// A copy that wrote with the former one until now may have left something: rotating again finds it.
	if out, err := command(t, on(thisYear, lastYear), "secret", "rotate"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	eventually(t, "everything is delivered", func() bool { return len(load.missing(box)) == 0 })
	changed.terminate()

	last := service(t, on(thisYear)...)
	for _, l := range []string{link, newLink} {
		if a, err := ask("GET", last.url+l, ""); err != nil || a.status != http.StatusOK {
			t.Errorf("after it, %s: %d %v", l, a.status, err)
		}
	}
	end := load.begin(last.url)
	before, _ := box.counts()
	eventually(t, "more is delivered", func() bool { now, _ := box.counts(); return now > before })
	end()
	for _, p := range append(ready, changed, last, first) {
		if text := p.stderr.String() + p.stdout.String(); strings.Contains(text, lastYear) || strings.Contains(text, thisYear) {
			t.Error("a secret was logged")
		}
	}
	if out, err := command(t, on(lastYear), "serve", "--listen", "127.0.0.1:0"); err == nil || !strings.Contains(out, "HOMEWARD_SECRET") || strings.Contains(out, lastYear) {
		t.Errorf("the former secret alone: %v %s", err, out)
	}
}

// guestLink has the owner of a new item told, and gives the path of the page that the message leads to.
func guestLink(p *process, hotel string) string {
	p.t.Helper()
	item := p.must(http.StatusCreated, "POST", hotel+"/items", `{"description": "Hat", "owner": {"email": "anna@example.com"}}`)["id"].(string)
	messages := p.must(http.StatusOK, "GET", hotel+"/items/"+item+"/messages", "")["data"].([]any)
	link := regexp.MustCompile(`/g/[a-z2-7]+`).FindString(messages[0].(map[string]any)["text"].(string))
	if a, err := ask("GET", p.url+link, ""); err != nil || a.status != http.StatusOK || link == "" {
		p.t.Fatalf("the link %q: %d %v", link, a.status, err)
	}
	return link
}

func TestSecretsCanBeInFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	present, former := filepath.Join(folder, "present"), filepath.Join(folder, "former")
	for name, text := range map[string]string{present: thisYear + "\n", former: "the secret, of the year before\n\n" + lastYear + "\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	settings := settingsOn(t, filepath.Join(folder, "homeward.db"))
	service(t, append(settings, "HOMEWARD_SECRET="+lastYear)...).terminate()
	service(t, append(settings, "HOMEWARD_SECRET_FILE="+present, "HOMEWARD_SECRET_OLD_FILE="+former)...).terminate()
	if out, err := command(t, append(settings, "HOMEWARD_SECRET_FILE="+present), "secret", "rotate"); err == nil || !strings.Contains(out, "HOMEWARD_SECRET_OLD") {
		t.Errorf("rotating without the former one: %v %s", err, out)
	}
	for range 2 { // whoever does it again is told the same
		if out, err := command(t, append(settings, "HOMEWARD_SECRET_FILE="+present, "HOMEWARD_SECRET_OLD_FILE="+former), "secret", "rotate"); err != nil || !strings.Contains(out, "without HOMEWARD_SECRET_OLD") {
			t.Errorf("%v %s", err, out)
		}
	}
	service(t, append(settings, "HOMEWARD_SECRET="+thisYear)...).terminate()
}

// A service that runs with the former secret alone could open nothing that is sealed with another.
func TestASecretIsNotRotatedBeforeACopyWasStartedWithIt(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	settings := append(settingsOn(t, filepath.Join(folder, "homeward.db")), "HOMEWARD_DATA="+folder)
	service(t, settings...).terminate()
	kept, former := filepath.Join(folder, "secret.key"), filepath.Join(folder, "secret.old")
	if err := os.Rename(kept, former); err != nil {
		t.Fatal(err)
	}
	refused := func(settings []string, want string) {
		t.Helper()
		if out, err := command(t, settings, "secret", "rotate"); err == nil || !strings.Contains(out, want) {
			t.Errorf("%v %s", err, out)
		}
	}
	settings = append(settings, "HOMEWARD_SECRET_OLD_FILE="+former)
	refused(settings, "start the service with the new secret first")
	if _, err := os.Stat(kept); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a secret was made: %v", err)
	}
	other := append(settings, "HOMEWARD_SECRET="+thisYear)
	refused(other, "--offline")
	service(t, settings...).terminate() // which makes another, and can still open what the former one sealed
	refused(other, "HOMEWARD_SECRET")
	if out, err := command(t, settings, "secret", "rotate"); err != nil || !strings.Contains(out, "keep the former secret") {
		t.Errorf("after a start: %v %s", err, out)
	}
	third := append(settings, "HOMEWARD_SECRET="+thisYear, "HOMEWARD_SECRET_OLD_FILE="+kept)
	if out, err := command(t, third, "secret", "rotate", "--offline"); err != nil {
		t.Errorf("where no copy runs: %v %s", err, out)
	}
}

func TestABackupFromBeforeARotationIsRestoredWithTheFormerSecret(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "backup.tar.gz")
	settings := settingsOn(t, filepath.Join(folder, "homeward.db"))
	before := append(settings, "HOMEWARD_SECRET="+lastYear)
	service(t, before...).terminate()
	if out, err := command(t, before, "backup", file); err != nil || strings.Contains(out, "WARNING") {
		t.Fatalf("%v %s", err, out)
	}
	if out, err := command(t, append(settings, "HOMEWARD_SECRET="+thisYear), "backup", file); err != nil || !strings.Contains(out, "does not open this backup") {
		t.Errorf("with another secret at hand: %v %s", err, out)
	}
	both := append(settingsOn(t, filepath.Join(folder, "again.db")), "HOMEWARD_SECRET="+thisYear, "HOMEWARD_SECRET_OLD="+lastYear)
	if out, err := command(t, both, "restore", file); err != nil || !strings.Contains(out, "former secret") {
		t.Fatalf("%v %s", err, out)
	}
	if info, err := os.Stat(strings.TrimPrefix(both[0], "HOMEWARD_DATA=")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the data folder: %v %v", info, err)
	}
	service(t, both...).terminate()
	if out, err := command(t, both, "secret", "rotate"); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	service(t, append(both, "HOMEWARD_SECRET_OLD=")...).terminate()
}

func TestARestoreIntoSomebodyElsesFolderWarns(t *testing.T) {
	t.Parallel()
	folder, theirs := t.TempDir(), t.TempDir()
	const nobody = 65534
	if err := os.Chown(theirs, nobody, nobody); err != nil {
		t.Skip("only root gives folders away")
	}
	file := filepath.Join(folder, "backup.tar.gz")
	here := settingsOn(t, filepath.Join(folder, "homeward.db"))
	for _, args := range [][]string{{"migrate"}, {"backup", file}} {
		if out, err := command(t, here, args...); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	there := []string{"HOMEWARD_DATA=" + theirs}
	if out, err := command(t, there, "restore", file); err != nil || !strings.Contains(out, "belongs to another user") {
		t.Errorf("%v %s", err, out)
	}
}

func TestNoSecretIsMadeForADatabaseThatWasUsedWithOne(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	settings := append(settingsOn(t, filepath.Join(folder, "homeward.db"), "HOMEWARD_LISTEN=127.0.0.1:0"), "HOMEWARD_DATA="+folder)
	service(t, append(settings, "HOMEWARD_SECRET="+lastYear)...).terminate()
	if out, err := command(t, settings, "serve"); err == nil || !strings.Contains(out, "there is none here") || !strings.Contains(out, "put secret.key back") {
		t.Errorf("%v %s", err, out)
	}
	if _, err := os.Stat(filepath.Join(folder, "secret.key")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a secret was made: %v", err)
	}
}
