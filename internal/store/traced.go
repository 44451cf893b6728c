package store

import (
	"context"
	"regexp"
	"strings"

	"homeward/internal/tracing"
)

// tracedHandle makes a span of every query. It is put between only where spans are collected.
type tracedHandle struct{ handle }

func (t tracedHandle) Query(ctx context.Context, sql string, args ...any) (rows, error) {
	ctx, span := tracing.Call(ctx, queryName(sql))
	rs, err := t.handle.Query(ctx, sql, args...)
	return traceRows(rs, err, span)
}

func (t tracedHandle) QueryPlanned(ctx context.Context, sql string, args ...any) (rows, error) {
	ctx, span := tracing.Call(ctx, queryName(sql))
	rs, err := t.handle.QueryPlanned(ctx, sql, args...)
	return traceRows(rs, err, span)
}

// tracedTx does so inside a transaction. What is left for later travels with another statement, and is a moment of the transaction's span.
type tracedTx struct {
	txHandle
	reads tracedHandle
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

func (t tracedTx) Queue(ctx context.Context, sql string, args ...any) error {
	tracing.Here(ctx).Note(queryName(sql))
	return t.txHandle.Queue(ctx, sql, args...)
}

func (t tracedTx) Ask(ctx context.Context, read func(rows) error, sql string, args ...any) error {
	tracing.Here(ctx).Note(queryName(sql))
	return t.txHandle.Ask(ctx, read, sql, args...)
}

// traceRows ends a query's span when its rows are read.
func traceRows(rs rows, err error, span tracing.Span) (rows, error) {
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

// tablePattern finds the table that a statement is first about.
var tablePattern = regexp.MustCompile(`(?i)\b(?:FROM|INTO|UPDATE)\s+([a-z_]+)`)

// writePattern finds what a statement that begins with a choice of rows then does to them.
var writePattern = regexp.MustCompile(`\)\s*(UPDATE|DELETE|INSERT)\s`)

// queryName is what a statement does, and to which table: "SELECT items". Nothing of its arguments is in it, nor of its text.
func queryName(sql string) string {
	verb, _, _ := strings.Cut(strings.TrimSpace(sql), " ")
	if at := writePattern.FindStringSubmatchIndex(sql); at != nil && strings.EqualFold(verb, "WITH") {
		verb, sql = sql[at[2]:at[3]], sql[at[2]:]
	}
	if m := tablePattern.FindStringSubmatch(sql); m != nil {
		return strings.ToUpper(verb) + " " + m[1]
	}
	return strings.ToUpper(verb)
}
