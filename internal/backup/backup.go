// Package backup writes everything that a service stores into one file, and restores it into an
// empty database and file store: rows of either database, and the files that they name. A backup of
// one kind of database can be restored into the other.
//
// The file is a tar archive, compressed with gzip; docs/operate/backup.md describes it for people who read
// it without this program. It begins with a Head, which says what it contains, continues with parts
// of the tables and with the files, and ends with a Manifest, which says how much there must have
// been. Each part has the SHA-256 of its bytes, and the manifest that of all of these.
package backup

import (
	"time"

	"homeward/internal/store/transfer"
)

// Format is the version of the format. Other versions are not read.
const Format = 1

// Names in the archive.
const (
	headName     = "homeward.json"
	manifestName = "manifest.json"
	tableFolder  = "tables/"
	fileFolder   = "files/"
	sumRecord    = "HOMEWARD.sha256" // of each part, in a tar record
)

const (
	partSize = 4 << 20  // of rows; then another part begins
	maxPart  = 64 << 20 // of any part, which is read as a whole: a photo, or rows up to the first after partSize
	maxNoted = 1000     // names of missing files that are listed
)

// Header describes a backup.
type Header struct {
	Format   int              `json:"format"`
	Made     time.Time        `json:"made"`
	Database string           `json:"database"` // sqlite or postgres
	Schema   int64            `json:"schema"`
	Secret   string           `json:"secret"` // a fingerprint of the service's secret, which is not in the backup
	Files    bool             `json:"files"`  // whether they are in it
	Tables   []transfer.Table `json:"tables"`
}

// Manifest says what the backup must have contained.
type Manifest struct {
	Tables  map[string]Count `json:"tables"`
	Files   int64            `json:"files"`
	Bytes   int64            `json:"bytes"`   // of files
	Missing int64            `json:"missing"` // files that rows name but that no longer existed
	Names   []string         `json:"missingNames,omitempty"`
	Parts   int64            `json:"parts"`
	SHA256  string           `json:"sha256"` // of a line for each part: its SHA-256, two spaces, its name
}

// Count is the number of rows of a table, and a checksum of them that does not depend on their
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

// Progress is called from time to time with the current step and how much of it is done; may be
// nil.
type Progress func(doing string, done int64)

func (p Progress) report(doing string, done int64) {
	if p != nil {
		p(doing, done)
	}
}
