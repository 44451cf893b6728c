package store

import (
	"context"
	"regexp"
	"strings"

	"homeward/internal/tracing"
)

// traced makes a span of every query. It is put between only where spans are collected.
type traced struct{ handle }

func (t traced) Query(ctx context.Context, sql string, args ...any) (rows, error) {
	ctx, span := tracing.Call(ctx, queryName(sql))
	rs, err := t.handle.Query(ctx, sql, args...)
	return measured(rs, err, span)
}

func (t traced) QueryPlanned(ctx context.Context, sql string, args ...any) (rows, error) {
	ctx, span := tracing.Call(ctx, queryName(sql))
	rs, err := t.handle.QueryPlanned(ctx, sql, args...)
	return measured(rs, err, span)
}

// tracedTx does so inside a transaction. What is left for later travels with another statement, and is a moment of the transaction's span.
type tracedTx struct {
	txHandle
	reads traced
}

func (t tracedTx) Query(ctx context.Context, sql string, args ...any) (rows, error) {
	return t.reads.Query(ctx, sql, args...)
}

func (t tracedTx) QueryPlanned(ctx context.Context, sql string, args ...any) (rows, error) {
	return t.reads.QueryPlanned(ctx, sql, args...)
}

func (t tracedTx) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	ctx, span := tracing.Call(ctx, queryName(sql))
	n, err := t.txHandle.Exec(ctx, sql, args...)
	span.End(err)
	return n, err
}

func (t tracedTx) Later(ctx context.Context, sql string, args ...any) error {
	tracing.Here(ctx).Note(queryName(sql))
	return t.txHandle.Later(ctx, sql, args...)
}

func (t tracedTx) Ask(ctx context.Context, read func(rows) error, sql string, args ...any) error {
	tracing.Here(ctx).Note(queryName(sql))
	return t.txHandle.Ask(ctx, read, sql, args...)
}

// measured ends a query's span when its rows are read.
func measured(rs rows, err error, span tracing.Span) (rows, error) {
	if err != nil {
		span.End(err)
		return nil, err
	}
	return &tracedRows{rows: rs, span: span}, nil
}

type tracedRows struct {
	rows
	span  tracing.Span
	ended bool
}

func (r *tracedRows) Close() {
	r.rows.Close()
	if !r.ended {
		r.ended = true
		r.span.End(r.Err())
	}
}

// queryTable finds the table that a statement is first about.
var queryTable = regexp.MustCompile(`(?i)\b(?:FROM|INTO|UPDATE)\s+([a-z_]+)`)

// queryWrite finds what a statement that begins with a choice of rows then does to them.
var queryWrite = regexp.MustCompile(`\)\s*(UPDATE|DELETE|INSERT)\s`)

// queryName is what a statement does, and to which table: "SELECT items". Nothing of its arguments is in it, nor of its text.
func queryName(sql string) string {
	verb, _, _ := strings.Cut(strings.TrimSpace(sql), " ")
	if at := queryWrite.FindStringSubmatchIndex(sql); at != nil && strings.EqualFold(verb, "WITH") {
		verb, sql = sql[at[2]:at[3]], sql[at[2]:]
	}
	if m := queryTable.FindStringSubmatch(sql); m != nil {
		return strings.ToUpper(verb) + " " + m[1]
	}
	return strings.ToUpper(verb)
}
