package lost

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"strings"
	"time"
)

// The kinds of identifier. An id begins with its kind, such as loc_ or item_, so that it is easy to recognise in a
// log.
const (
	AccountID  = "acc"
	LocationID = "loc"
	ItemID     = "item"
	HistoryID  = "hist"
	KeyID      = "key"
	UserID     = "usr"
	SessionID  = "ses"
	JobID      = "job"
	RequestID  = "req"
	EventID    = "evt"
	EndpointID = "whk"
	DeliveryID = "dlv"
	MessageID  = "msg"
	LinkID     = "lnk"
	ShipmentID = "shp"
	TicketID   = "tkt"
	AuditID    = "aud"
	ViewID     = "view"
	ImportID   = "imp"
	CountID    = "cnt"
	PasskeyID  = "psk"
	IdentityID = "idn"
	ImageID    = "img"

	ClearanceID = "clr"
	ErasureID   = "ers"
	ThreadID    = "thr"
	TemplateID  = "tpl"
	NoticeID    = "ntc"
	PushID      = "psh"
	StayID      = "stay"
	LookupID    = "look"
	GuestListID = "gls"

	CategoryRunID = "ctr"
)

// idText is an encoding that preserves the byte order of its input, so that ids sort by creation time.
var idText = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// idBytes is the length of an identifier without its kind, before it is encoded.
const idBytes = 16

// NewID returns a new identifier of a kind. The first 56 bits are the microseconds since 1970, the other 72 bits are
// random. Callers may rely on the order of ids, but not on their structure.
func NewID(kind string, at time.Time) string {
	var b [idBytes]byte
	_, _ = rand.Read(b[7:]) // rand.Read never returns an error; it crashes the program instead
	var t [8]byte
	binary.BigEndian.PutUint64(t[:], uint64(at.UnixMicro()))
	copy(b[:7], t[1:])
	return kind + "_" + idText.EncodeToString(b[:])
}

// FirstID returns the smallest identifier of a kind that NewID can return for this time or a later one.
func FirstID(kind string, at time.Time) string {
	var b [idBytes]byte
	var t [8]byte
	const maxMicros = 1<<56 - 1 // in the year 4253
	binary.BigEndian.PutUint64(t[:], uint64(min(max(0, at.UnixMicro()), maxMicros)))
	copy(b[:7], t[1:])
	return kind + "_" + idText.EncodeToString(b[:])
}

// IsID reports whether a text has the form of an identifier of a kind.
func IsID(kind, text string) bool {
	encoded, found := strings.CutPrefix(text, kind+"_")
	decoded, err := idText.DecodeString(encoded)
	return found && err == nil && len(decoded) == idBytes
}

// referenceAlphabet omits characters that are easily confused in handwriting or on the phone: 0/O, 1/I/L, 2/Z, 5/S,
// 8/B.
const referenceAlphabet = "34679ACDEFGHJKMNPQRTUVWXY"

// NewReference returns a random item reference, such as K7F-3QD, which is printed on the item's tag. If the reference
// is already in use, the store rejects it and the transaction is retried with another one. There are 244 million
// possible references.
func NewReference() string {
	const groups, groupLen = 2, 3
	out := make([]byte, 0, groups*(groupLen+1))
	for g := range groups {
		if g > 0 {
			out = append(out, '-')
		}
		for range groupLen {
			out = append(out, referenceAlphabet[randomBelow(len(referenceAlphabet))])
		}
	}
	return string(out)
}

// randomBelow returns an unbiased random number in [0, n). n must not exceed 256.
func randomBelow(n int) int {
	limit := 256 - 256%n
	var b [1]byte
	for {
		_, _ = rand.Read(b[:])
		if int(b[0]) < limit {
			return int(b[0]) % n
		}
	}
}
