package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"homeward/internal/lost"
)

// isStorable reports whether both databases can store a text. PostgreSQL stores neither NUL nor invalid UTF-8.
func isStorable(text string) bool { return strings.IndexByte(text, 0) < 0 && utf8.ValidString(text) }

// hasUnstorableText reports whether an argument of a statement is a text that PostgreSQL rejects.
func hasUnstorableText(args []any) bool {
	return slices.ContainsFunc(args, func(arg any) bool {
		s, ok := arg.(string)
		return ok && !isStorable(s)
	})
}

// StorableText returns a text that both databases can store. In place of each byte that they cannot store, it has the
// character U+FFFD and the byte in hexadecimal, so that different texts stay different.
func StorableText(text string) string {
	if isStorable(text) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if r == 0 || r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, "%c%02X", utf8.RuneError, text[0])
		} else {
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}

// textGuard rejects statements that would write a text that PostgreSQL cannot store, so that a SQLite database never
// has one and can be moved. Requests are checked where they are decoded, so this is the last resort.
type textGuard struct{ txHandle }

func checkTexts(args []any) error {
	if hasUnstorableText(args) {
		return lost.E(lost.Unreadable,
			"A text cannot be stored, because it contains the character NUL or is not valid UTF-8.")
	}
	return nil
}

// Query also returns the rows of statements that write. A SELECT finds no rows: no row has such a text.
func (g textGuard) Query(ctx context.Context, sql string, args ...any) (rows, error) {
	if !strings.HasPrefix(sql, "SELECT") {
		if err := checkTexts(args); err != nil {
			return nil, err
		}
	}
	return g.txHandle.Query(ctx, sql, args...)
}

func (g textGuard) QueryPlanned(ctx context.Context, sql string, args ...any) (rows, error) {
	if !strings.HasPrefix(sql, "SELECT") {
		if err := checkTexts(args); err != nil {
			return nil, err
		}
	}
	return g.txHandle.QueryPlanned(ctx, sql, args...)
}

func (g textGuard) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	if err := checkTexts(args); err != nil {
		return 0, err
	}
	return g.txHandle.Exec(ctx, sql, args...)
}

func (g textGuard) Queue(ctx context.Context, sql string, args ...any) error {
	if err := checkTexts(args); err != nil {
		return err
	}
	return g.txHandle.Queue(ctx, sql, args...)
}

func (g textGuard) QueueForItem(ctx context.Context, item, sql string, args ...any) error {
	if err := checkTexts(args); err != nil {
		return err
	}
	return g.txHandle.QueueForItem(ctx, item, sql, args...)
}

func (g textGuard) QueueQuery(ctx context.Context, read func(rows) error, sql string, args ...any) error {
	if err := checkTexts(args); err != nil {
		return err
	}
	return g.txHandle.QueueQuery(ctx, read, sql, args...)
}
