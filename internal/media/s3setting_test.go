package media_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"homeward/internal/media"
)

func TestAWrongSettingIsOneClearLine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for setting, want := range map[string]string{
		"":                                       "folder",
		file:                                     "not a directory",
		"gs://bucket":                            "gs://",
		"s3://":                                  "no bucket",
		"s3://?endpoint=x":                       "no bucket",
		"s3://b/folder?secret_key=hush":          "prefix=",
		"s3://key:hush@b":                        "access_key=",
		"s3://b?secretkey=hush":                  `"secretkey" is unknown`,
		"s3://b?secret_key=hush":                 "belong together",
		"s3://b?access_key=a":                    "belong together",
		"s3://b?tls=maybe":                       "tls must be",
		"s3://b?path_style=x":                    "path_style must be",
		"s3://b?region=a&region=b":               "region is given twice",
		"s3://b?endpoint=ftp://h":                "endpoint must be",
		"s3://b?endpoint=host/path":              "endpoint",
		"s3://b?secret_key=hush%zz":              "%-encode",
		"s3://b\x7f?secret_key=hush":             "%-encode",
		"s3://b?secret_key=hush;access_key=hush": "%-encode",
	} {
		_, err := media.Open(t.Context(), setting)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", setting, err, want)
		} else if msg := err.Error(); strings.Contains(msg, "hush") || strings.Contains(msg, "\n") || !strings.HasPrefix(msg, "files: ") {
			t.Errorf("%q: %v", setting, err)
		}
	}
}

func TestKeysMayComeFromTheEnvironment(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "very-secret")
	setting := strings.Replace(fakeS3(t), "access_key=key&secret_key=very+secret&", "", 1)
	if err := open(t, setting).Check(t.Context()); err != nil {
		t.Error(err)
	}
}
