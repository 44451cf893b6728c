package main_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"homeward/internal/store/storetest"
)

// runList runs a command that prints a JSON array.
func runList(t *testing.T, args ...string) []map[string]any {
	t.Helper()
	stdout, stderr, code := runInProcess(t, append(args, "--json")...)
	if code != 0 {
		t.Fatalf("homeward %s: exit code %d: %s", strings.Join(args, " "), code, stderr)
	}
	var rows []map[string]any
	if err := json.Unmarshal([]byte(stdout), &rows); err != nil {
		t.Fatalf("homeward %s: %v\n%s", strings.Join(args, " "), err, stdout)
	}
	return rows
}

// runRecord runs a command that prints one JSON object.
func runRecord(t *testing.T, args ...string) (record map[string]any) {
	t.Helper()
	stdout, stderr, code := runInProcess(t, append(args, "--json")...)
	if err := json.Unmarshal([]byte(stdout), &record); code != 0 || err != nil {
		t.Fatalf("homeward %s: exit code %d: %v %s%s", strings.Join(args, " "), code, err, stderr, stdout)
	}
	return record
}

// setEnvironment sets the environment variables for commands that run in this process.
func setEnvironment(t *testing.T, settings []string) {
	t.Helper()
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		t.Setenv(name, value)
	}
}

func TestVersionIsPrinted(t *testing.T) {
	stdout, _, code := runInProcess(t, "version")
	if code != 0 || !strings.HasPrefix(stdout, "homeward ") {
		t.Errorf("exit code %d: %q", code, stdout)
	}
}

func TestMigrateTwice(t *testing.T) {
	storetest.EachUnmigrated(t, func(t *testing.T, setting string) {
		setEnvironment(t, newSettings(t, setting))
		first, stderr, code := runInProcess(t, "migrate")
		if code != 0 || !strings.Contains(first, "applied 0001_core\n") {
			t.Fatalf("exit code %d: %s%s", code, first, stderr)
		}
		second, stderr, code := runInProcess(t, "migrate")
		if code != 0 || second != "nothing to do: the database is up to date\n" {
			t.Errorf("exit code %d: %s%s", code, second, stderr)
		}
	})
}

// Commands work while the service is running, and the service notices their changes within seconds.
func TestCommandsWorkWhileTheServiceIsRunning(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		settings := newSettings(t, setting)
		setEnvironment(t, settings)
		p := startService(t, settings...)
		hotel := p.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Hotel"}`)["id"].(string)
		zoo := p.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Zoo"}`)["id"].(string)
		if keys := runList(t, "key", "list"); len(keys) != 1 { // --account is optional if there is only one account
			t.Errorf("keys of the only account: %v", keys)
		}
		accounts := runList(t, "account", "list")
		if len(accounts) != 1 || accounts[0]["name"] != "Homeward" {
			t.Fatalf("accounts: %v", accounts)
		}
		testKeyCommands(t, p, accounts[0]["id"].(string), hotel, zoo)
		second := testAccountCommands(t, p, zoo)
		testUserCommands(t, p, second)
		if code := p.terminate(); code != 0 {
			t.Errorf("exit code %d: %s", code, p.stderr)
		}
	})
}

// statusWith sends a request with an API key and returns the status of the response.
func (p *process) statusWith(key, method, path, body string) int {
	p.t.Helper()
	a, err := sendRequest(method, p.url+path, body, "svc-api-key", key)
	if err != nil {
		p.t.Fatal(err)
	}
	return a.status
}

// testKeyCommands creates API keys for an account. One of them is limited to one location and is later revoked.
func testKeyCommands(t *testing.T, p *process, first, hotel, zoo string) {
	t.Helper()
	made := runRecord(t, "key", "create", "--account", first, "--name", "Till", "--read-only", "--location", zoo,
		"--expires", "90d")
	key := made["key"].(string)
	expires, err := time.Parse(time.RFC3339, made["expiresAt"].(string))
	if left := time.Until(expires); err != nil || left < 89*24*time.Hour || left > 90*24*time.Hour {
		t.Errorf("the key expires in %v: %v", left, err)
	}
	if readOnly, _ := made["readOnly"].(bool); !readOnly || made["locations"].([]any)[0] != zoo {
		t.Errorf("the key is %v", made)
	}
	if got := p.statusWith(key, "GET", "/v1/locations/"+zoo, ""); got != http.StatusOK {
		t.Errorf("reading the key's location returned %d", got)
	}
	if got := p.statusWith(key, "GET", "/v1/locations/"+hotel, ""); got != http.StatusNotFound {
		t.Errorf("reading another location returned %d", got)
	}
	if got := p.statusWith(key, "PUT", "/v1/locations/"+zoo, `{"city": "Berlin"}`); got != http.StatusForbidden {
		t.Errorf("writing with a read-only key returned %d", got)
	}

	plain, stderr, code := runInProcess(t, "key", "create", "--account", first, "--name", "Plain")
	if code != 0 || !strings.HasPrefix(plain, "hw_") || strings.Count(plain, "\n") != 1 {
		t.Errorf("key create: exit code %d: %q %s", code, plain, stderr)
	}
	plain = strings.TrimSpace(plain)
	if got := p.statusWith(plain, "PUT", "/v1/locations/"+zoo, `{"city": "Berlin"}`); got != http.StatusOK {
		t.Errorf("writing with an unlimited key returned %d", got)
	}
	keys := runList(t, "key", "list", "--account", first)
	if len(keys) != 3 {
		t.Errorf("keys: %v", keys)
	}
	for _, k := range keys {
		if k["key"] != nil {
			t.Errorf("a list contains a key's secret: %v", k)
		}
	}
	revoked := runRecord(t, "key", "revoke", "--account", first, made["id"].(string))
	if revoked["revokedAt"] == nil {
		t.Errorf("revoked: %v", revoked)
	}
	waitUntil(t, "the revoked key is rejected", func() bool {
		return p.statusWith(key, "GET", "/v1/account", "") == http.StatusUnauthorized
	})
}

// testAccountCommands creates an account, disables and enables it, and returns its id.
func testAccountCommands(t *testing.T, p *process, zoo string) (second string) {
	t.Helper()
	second = runRecord(t, "account", "create", "--name", "Harbour Hotels")["id"].(string)
	theirs := runRecord(t, "key", "create", "--account", second, "--name", "Theirs")["key"].(string)
	if got := p.statusWith(theirs, "GET", "/v1/locations/"+zoo, ""); got != http.StatusNotFound {
		t.Errorf("reading a location with another account's key returned %d", got)
	}
	runRecord(t, "account", "disable", second)
	waitUntil(t, "the key of a disabled account is rejected", func() bool {
		return p.statusWith(theirs, "GET", "/v1/account", "") == http.StatusUnauthorized
	})
	runRecord(t, "account", "enable", second)
	waitUntil(t, "the key works again", func() bool {
		return p.statusWith(theirs, "GET", "/v1/account", "") == http.StatusOK
	})
	return second
}

func testUserCommands(t *testing.T, p *process, second string) {
	t.Helper()
	user := runRecord(t, "user", "create", "--account", second, "--email", "anna@example.com", "--name", "Anna")
	if user["password"] == nil || user["email"] != "anna@example.com" {
		t.Errorf("user: %v", user)
	}
	_, token, _ := strings.Cut(runRecord(t, "user", "reset", "Anna@example.com")["link"].(string), "/reset/")
	if page, err := sendRequest("GET", p.url+"/reset/"+token, "", "Accept", "text/html"); err != nil ||
		page.status != http.StatusOK {
		t.Errorf("the password link returned %d: %v", page.status, err)
	}
	if by := runRecord(t, "user", "reset", user["id"].(string)); by["email"] != "anna@example.com" {
		t.Errorf("reset with the user's id printed %v", by)
	}
	if off := runRecord(t, "user", "disable", "--account", second, user["id"].(string)); off["disabledAt"] == nil {
		t.Errorf("disabled: %v", off)
	}
	if on := runRecord(t, "user", "enable", "--account", second, "Anna@example.com"); on["disabledAt"] != nil {
		t.Errorf("enabled: %v", on)
	}
	if users := runList(t, "user", "list", "--account", second); len(users) != 1 || users[0]["password"] != nil {
		t.Errorf("users: %v", users)
	}
}

func TestCommandErrorsAreOneLine(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, stderr, code := runInProcess(t, "account", "list"); code != 1 ||
		!strings.Contains(stderr, "there is no database at") {
		t.Errorf("in an empty folder: exit code %d: %s", code, stderr)
	}
	if _, stderr, code := runInProcess(t, "account", "create", "--name", "First"); code != 0 {
		t.Fatal(stderr)
	}
	stdout, _, _ := runInProcess(t, "account", "list", "--json")
	var accounts []map[string]any
	if err := json.Unmarshal([]byte(stdout), &accounts); err != nil || len(accounts) != 1 {
		t.Fatalf("%v %s", err, stdout)
	}
	id := accounts[0]["id"].(string)
	for _, c := range []struct{ args, want string }{
		{"key create --account acc_none --name x", "no such account"},
		{"key create --account " + id + " --name x --expires soon", "--expires must be a duration such as 90d or 12h"},
		{"key create --account " + id + " --name x --expires -1d", "--expires"},
		{"key create --account " + id + " --name x --expires 0h", "--expires must be a duration"},
		{"key create --account " + id + " --name x --location loc_none",
			"locations[0] is not a location of this account"},
		{"key create --account " + id, "--name"},
		{"key revoke --account " + id + " key_none", "no such key"},
		{"key list --account acc_none", "no such account"},
		{"user list --account acc_none", "no such account"},
		{"user create --account " + id + " --email nobody", "email must be an e-mail address"},
		{"user create --account " + id + " --email a@example.com --password short",
			"password must have 10 to 200 characters"},
		{"user create --account " + id + " --email a@example.com --role king", "--role must be one of"},
		{"user create --account " + id + " --email a@example.com --role desk --location loc_none",
			"locations[0] is not a location of this account"},
		{"user reset nobody@example.com", "no such user"},
		{"user disable --account " + id + " usr_none", "no such user"},
		{"user disable --account " + id + " nobody@example.com", "no such user"},
		{"user reset usr_none", "no such user"},
		{"person export 030123", "neither an e-mail address nor a phone number"},
		{"person erase anna@", "neither an e-mail address nor a phone number"},
		{"account disable acc_none", "no such account"},
		{"account create --name=", "name is required"},
		{"nonsense", "nonsense"},
		{"serve --nonsense", "--nonsense"},
	} {
		stdout, stderr, code := runInProcess(t, strings.Fields(c.args)...)
		if code != 1 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("homeward %s: exit code %d, printed %q, error %q, want %q in it", c.args, code, stdout, stderr,
				c.want)
		}
	}
	table, stderr, code := runInProcess(t, "account", "list")
	if code != 0 || !strings.HasPrefix(table, "ID ") || !strings.Contains(table, "First") {
		t.Errorf("exit code %d: %s%s", code, table, stderr)
	}
}
