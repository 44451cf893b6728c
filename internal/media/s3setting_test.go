package media_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"homeward/internal/media"
)

func TestTheErrorForAWrongSettingIsOneLine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for setting, want := range map[string]string{
		"":                                 "folder",
		file:                               "not a directory",
		"gs://bucket":                      "gs://",
		"s3://":                            "no bucket",
		"s3://?endpoint=x":                 "no bucket",
		"s3://b/folder?secret_key=secret1": "prefix=",
		"s3://key:secret1@b":               "access_key=",
		"s3://b?secretkey=secret1":         `"secretkey" is unknown`,
		"s3://b?secret_key=secret1":        "must be set together",
		"s3://b?access_key=a":              "must be set together",
		"s3://b?tls=maybe":                 "tls must be",
		"s3://b?path_style=x":              "path_style must be",
		"s3://b?region=a&region=b":         "region is set twice",
		"s3://b?endpoint=ftp://h":          "endpoint must be",
		"s3://b?endpoint=host/path":        "endpoint",
		"s3://b?secret_key=secret1%zz":     "%-encode",
		"s3://b\x7f?secret_key=secret1":    "%-encode",
		"s3://b?secret_key=secret1;access_key=secret1": "%-encode",
	} {
		_, err := media.Open(t.Context(), setting)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", setting, err, want)
		} else if msg := err.Error(); strings.Contains(msg, "secret1") || strings.Contains(msg, "\n") ||
			!strings.HasPrefix(msg, "files: ") {
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
