package cli_test

import (
	"bytes"
	"image"
	"image/png"
	"io/fs"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"homeward/internal/cli"
	"homeward/internal/store/storetest"
)

func TestDeletedAccountLeavesOnlyARecord(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		cfg := newConfig(t, setting)
		s := startService(t, cfg)
		hotel := s.create(t, "/v1/locations", map[string]any{"name": "Hotel"})["id"].(string)
		item := s.create(t, "/v1/locations/"+hotel+"/items", map[string]any{
			"description": "Hat", "owner": map[string]any{"email": "anna@example.com"},
		})["id"].(string)
		uploadPicture(t, s.URL()+"/v1/locations/"+hotel+"/items/"+item+"/upload-image", cfg.APIKey, "image")
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
		if n := countFiles(t, cfg.Data); n == 0 {
			t.Fatal("no file was uploaded")
		}
		t.Setenv("HOMEWARD_DATA", cfg.Data)
		t.Setenv("HOMEWARD_DATABASE", setting)
		command := func(args ...string) (string, int) {
			var out bytes.Buffer
			code := cli.Run(t.Context(), args, &out, &out)
			return out.String(), code
		}
		list, _ := command("account", "list")
		account := regexp.MustCompile(`acc_\w+`).FindString(list)
		if out, code := command("account", "delete", account, "--name", "Other"); code != 1 ||
			!strings.Contains(out, "nothing was deleted") {
			t.Fatalf("with a wrong name: exit code %d: %s", code, out)
		}
		out, code := command("account", "delete", account, "--name", "Homeward")
		if code != 0 || !regexp.MustCompile(`1  items\n`).MatchString(out) {
			t.Fatalf("exit code %d: %s", code, out)
		}
		if list, _ := command("account", "list"); strings.Contains(list, account) {
			t.Errorf("the account is still listed: %s", list)
		}
		if n := countFiles(t, cfg.Data); n != 0 {
			t.Errorf("%d files are left", n)
		}
		file := filepath.Join(t.TempDir(), "backup")
		if out, code := command("backup", file); code != 0 ||
			!strings.Contains(out, ": 3 rows in") { // the secret's fingerprint, the record and the hash of a permalink
			t.Errorf("a backup afterwards: exit code %d: %s", code, out)
		}
	})
}

func countFiles(t *testing.T, data string) (n int) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(data, "files"), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// uploadPicture uploads a picture in a field of a form.
func uploadPicture(t *testing.T, url, key, field string) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile(field, "hat.png")
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(part, image.NewGray(image.Rect(0, 0, 40, 40))); err != nil {
		t.Fatal(err)
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, &body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Svc-Api-Key", key)
	r.Header.Set("Content-Type", form.FormDataContentType())
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode >= http.StatusMultipleChoices {
		t.Fatalf("upload: %s", res.Status)
	}
}
