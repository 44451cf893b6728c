// Package backup writes all rows of a database and the files that they refer to into one file, and
// restores that file into an empty database and file store. A backup of SQLite can be restored into
// PostgreSQL, and vice versa.
//
// The file is a gzip-compressed tar archive; docs/operate/backup.md documents the format. It begins
// with a Header, which describes the content, continues with parts of the tables and with the
// files, and ends with a Manifest, which holds the expected totals. Each part carries the SHA-256
// of its content, and the manifest holds a SHA-256 over all of these checksums.
package backup

import (
	"time"

	"homeward/internal/store/transfer"
)

// Format is the version of the backup format. Backups with any other version are rejected.
const Format = 1

// Names of the entries in the archive.
const (
	headName     = "homeward.json"
	manifestName = "manifest.json"
	tableFolder  = "tables/"
	fileFolder   = "files/"
	sumRecord    = "HOMEWARD.sha256" // PAX record with the SHA-256 of a part
)

const (
	partSize        = 4 << 20  // size at which a part of a table ends and the next one begins
	maxPart         = 64 << 20 // largest size of a part; a whole part is read into memory
	maxMissingNames = 1000     // the most names of missing files in the manifest
)

// Header describes a backup.
type Header struct {
	Format   int              `json:"format"`
	Made     time.Time        `json:"made"`
	Database string           `json:"database"` // sqlite or postgres
	Schema   int64            `json:"schema"`
	Secret   string           `json:"secret"` // fingerprint of the service's secret, which is not in the backup
	Files    bool             `json:"files"`  // whether the backup includes files
	Tables   []transfer.Table `json:"tables"`
}

// Manifest holds the totals that a complete backup must have.
type Manifest struct {
	Tables  map[string]Count `json:"tables"`
	Files   int64            `json:"files"`
	Bytes   int64            `json:"bytes"`   // total size of the files
	Missing int64            `json:"missing"` // number of files that rows refer to but that did not exist
	Names   []string         `json:"missingNames,omitempty"`
	Deleted int64            `json:"deleted,omitempty"` // number of files that were deleted during the backup
	Parts   int64            `json:"parts"`
	SHA256  string           `json:"sha256"` // SHA-256 of one line per part: its SHA-256, two spaces, its name
}

// Count is the number of rows in a table, and a checksum of the rows that does not depend on their
// order.
type Count struct {
	Rows int64  `json:"rows"`
	Sum  string `json:"sum"`
}

// Rows returns the total number of rows.
func (m Manifest) Rows() (n int64) {
	for _, c := range m.Tables {
		n += c.Rows
	}
	return n
}

// Progress is called periodically during a long operation. It may be nil.
type Progress = transfer.Progress
