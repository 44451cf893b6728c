package cli_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"homeward/internal/app"
	"homeward/internal/cli"
	"homeward/internal/lost"
	"homeward/internal/media"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// signFor adds the picture of a signature to an item, with a thumbnail as a visitor of the page would create it.
func signFor(t *testing.T, cfg app.Config, setting, account, location, item string) {
	t.Helper()
	files := openFileStore(t, cfg)
	name := media.NewSignatureName("png")
	for _, name := range []string{name, media.ThumbName(name)} {
		if err := files.Put(t.Context(), name, bytes.NewReader([]byte("x")), 1, media.ContentType(name)); err != nil {
			t.Fatal(err)
		}
	}
	err := storetest.Open(t, setting, time.Now).Write(t.Context(), func(tx *store.Tx) error {
		i, err := tx.LockItem(account, location, item)
		if err != nil {
			return err
		}
		before := i
		i.Handover = lost.Handover{Name: "Anna", At: time.Now(), SignatureFile: name}
		return tx.SaveItem(before, i)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func openFileStore(t *testing.T, cfg app.Config) media.Store {
	t.Helper()
	files, err := media.Open(t.Context(), filepath.Join(cfg.Data, "files"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// fileNames returns the names of all files, sorted.
func fileNames(t *testing.T, cfg app.Config) (names []string) {
	t.Helper()
	err := openFileStore(t, cfg).Walk(t.Context(), func(name string) error {
		names = append(names, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

// getJSON sends a request with an API key and decodes the response, unless to is nil.
func getJSON(t *testing.T, url, key string, to any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Svc-Api-Key", key)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %s", url, res.Status)
	}
	if to == nil {
		return
	}
	if err := json.NewDecoder(res.Body).Decode(to); err != nil {
		t.Fatal(err)
	}
}

// addPictures adds a location with a logo, and an item with a photo, both with thumbnails. All texts contain the given
// text.
func (s *service) addPictures(t *testing.T, key, text string) (location, item, logo string) {
	t.Helper()
	hotel := s.createWith(t, key, "/v1/locations", map[string]any{"name": "Hotel", "description": text})
	location = hotel["id"].(string)
	at := s.URL() + "/v1/locations/" + location
	uploadPicture(t, at+"/upload-logo", key, "logo")
	var l struct{ LogoURL string }
	getJSON(t, at, key, &l)
	item = s.createWith(t, key, "/v1/locations/"+location+"/items",
		map[string]any{"description": text, "notes": text})["id"].(string)
	uploadPicture(t, at+"/items/"+item+"/upload-image", key, "image")
	var i struct{ ImageURL string }
	getJSON(t, at+"/items/"+item, key, &i)
	for _, url := range []string{l.LogoURL, i.ImageURL} {
		getJSON(t, s.URL()+"/files/"+media.ThumbName(path.Base(url)), key, nil)
	}
	return location, item, l.LogoURL
}

// An account has thumbnails of a photo, a logo and a signature. Its texts contain the URL of another account's logo.
func TestADeletedAccountLeavesNoFileAndTheFilesOfOthers(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		cfg := newConfig(t, setting)
		s := startService(t, cfg)
		t.Setenv("HOMEWARD_DATA", cfg.Data)
		t.Setenv("HOMEWARD_DATABASE", setting)
		command := func(args ...string) string {
			var out bytes.Buffer
			if code := cli.Run(t.Context(), args, &out, &out); code != 0 {
				t.Fatalf("%v: exit code %d: %s", args, code, out.String())
			}
			return out.String()
		}
		account := regexp.MustCompile(`acc_\w+`).FindString(command("account", "list"))
		other := regexp.MustCompile(`acc_\w+`).FindString(command("account", "create", "--name", "Other"))
		created := command("key", "create", "--account", other, "--name", "k")
		otherKey := regexp.MustCompile(`hw_[\w-]+`).FindString(created)
		_, _, logo := s.addPictures(t, otherKey, "Hat")
		kept := fileNames(t, cfg)
		const key = "hw_the-first-key-of-the-tests"
		location, item, _ := s.addPictures(t, key, "as in "+logo)
		s.createWith(t, key, "/v1/locations", map[string]any{"name": "Bar", "logoUrl": logo})
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
		signFor(t, cfg, setting, account, location, item)
		if n := len(fileNames(t, cfg)); len(kept) != 4 || n != 10 {
			t.Fatalf("there are %d files, and then %d; want 4 and 10", len(kept), n)
		}
		out := command("account", "delete", account, "--name", "Homeward")
		if left := fileNames(t, cfg); !slices.Equal(left, kept) {
			t.Errorf("the files %v are left, want %v", left, kept)
		}
		if !regexp.MustCompile(`\b3  files\n`).MatchString(out) {
			t.Errorf("the record does not count three files: %s", out)
		}
	})
}
