package main_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	licences "homeward/internal/cmd/licences"
)

const root = "../../.."

// TestTheReportOfLicencesIsUpToDate also fails if a licence is unknown or not accepted.
func TestTheReportOfLicencesIsUpToDate(t *testing.T) {
	// The test reads these files so that the test cache notices changes.
	for _, file := range []string{"go.mod", "go.sum"} {
		if _, err := os.ReadFile(filepath.Join(root, file)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := licences.Report(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, "docs", "develop", "licences.md"))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/develop/licences.md is out of date; run make licences (%v)", err)
	}
}

func TestAnUnknownOrUnacceptedLicenceIsRefused(t *testing.T) {
	mit, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ file, text, want string }{
		"none":         {"README.md", "Free to use.", "no known licence"},
		"unknown text": {"LICENSE", strings.Repeat("You may use this on Tuesdays, if it rains. ", 20), "only 0 %"},
		"not accepted": {"COPYING", agpl, "AGPL-3.0-or-later is not accepted"},
		"our own":      {"LICENSE.txt", string(mit), ""},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		ids, err := licences.Licences(dir)
		if c.want == "" && (err != nil || len(ids) != 1) ||
			c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v %v", name, ids, err)
		}
	}
}

const agpl = `This program is free software: you can redistribute it and/or modify
it under the terms of the GNU Affero General Public License as published by
the Free Software Foundation, either version 3 of the License, or
(at your option) any later version.

This program is distributed in the hope that it will be useful,
but WITHOUT ANY WARRANTY; without even the implied warranty of
MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the
GNU Affero General Public License for more details.

You should have received a copy of the GNU Affero General Public License
along with this program.  If not, see <https://www.gnu.org/licenses/>.
`
