// Package backup writes everything that a service keeps into one file, and fills an empty place with it again: rows of either database, and the
// files that they name. What was taken from one database can be put into the other.
//
// The file is a tar archive, compressed by gzip; docs/backup.md describes it for those who read it without this program. It begins with a Head, which says
// what is in it, goes on with parts of the tables and with the files, and ends with a Manifest, which says how much there must have been. Each part carries the
// SHA-256 of its bytes, and the manifest that of all of these.
package backup

import (
	"time"

	"homeward/internal/store/transfer"
)

// Format is the version of the format that is written. Others are not read.
const Format = 1

// Names in the archive.
const (
	headName     = "homeward.json"
	manifestName = "manifest.json"
	tableFolder  = "tables/"
	fileFolder   = "files/"
	sumRecord    = "HOMEWARD.sha256" // with each part, among tar's own records
)

const (
	partSize = 4 << 20  // of rows, after which another part begins
	maxPart  = 64 << 20 // of any part, which is read whole: a photo, or rows up to the first after which another part begins
	maxNoted = 1000     // names of files that were not there
)

// Head says what a backup is of.
type Head struct {
	Format   int              `json:"format"`
	Made     time.Time        `json:"made"`
	Database string           `json:"database"` // sqlite or postgres
	Schema   int64            `json:"schema"`
	Secret   string           `json:"secret"` // a fingerprint of the service's secret, which is not in the backup
	Files    bool             `json:"files"`  // whether they are in it
	Tables   []transfer.Table `json:"tables"`
}

// Manifest says what there must have been before it.
type Manifest struct {
	Tables  map[string]Count `json:"tables"`
	Files   int64            `json:"files"`
	Bytes   int64            `json:"bytes"`   // of files
	Missing int64            `json:"missing"` // files that were named and not there any more
	Names   []string         `json:"missingNames,omitempty"`
	Parts   int64            `json:"parts"`
	SHA256  string           `json:"sha256"` // of a line for each part: its SHA-256, two blanks, its name
}

// Count is how many rows a table has, and a sum of them that does not depend on their order.
type Count struct {
	Rows int64  `json:"rows"`
	Sum  string `json:"sum"`
}

// Rows is how many there are altogether.
func (m Manifest) Rows() (n int64) {
	for _, c := range m.Tables {
		n += c.Rows
	}
	return n
}

// Progress is told from time to time what is being done and how much of it is done; nil for nobody.
type Progress func(doing string, done int64)

func (p Progress) tell(doing string, done int64) {
	if p != nil {
		p(doing, done)
	}
}
