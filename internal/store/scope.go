package store

import "context"

// Errand says what a statement is for that crosses accounts, or asks all shards of a table where those lie on several machines. Every other
// statement names, for every table in it, the account or what else the table is spread by: see Guard.
type Errand string

// What crosses accounts. None of it is done for a request, but for the last.
const (
	Upkeep     Errand = "upkeep"     // removes what is old, a piece at a time, whosever it is
	Background Errand = "background" // finds what is due, whosever it is; it is then taken account by account
	Operator   Errand = "operator"   // lists accounts, counts, and looks at a database as a whole
	// Freeing takes an entry out of the directory by whom it leads to. The directory is spread by the hash, which nobody has any more who
	// ends a session or revokes a key: one look into an index of each shard.
	Freeing Errand = "freeing"
)

type (
	scopeKey  struct{}
	requestKey struct{}
)

// across marks the context of a statement that crosses accounts.
func across(ctx context.Context, e Errand) context.Context {
	return context.WithValue(ctx, scopeKey{}, e)
}

// ErrandOf gives what a statement crosses accounts for, empty where it does not.
func ErrandOf(ctx context.Context) Errand {
	e, _ := ctx.Value(scopeKey{}).(Errand)
	return e
}

// ForRequest marks the context of somebody's request: nothing that is done for it crosses accounts.
func ForRequest(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestKey{}, true)
}

// IsRequest tells whether a context is that of a request.
func IsRequest(ctx context.Context) bool { return ctx.Value(requestKey{}) != nil }

// inspect is asked before every statement, in tests.
var inspect func(ctx context.Context, sql string) //nolint:gochecknoglobals // set once, by a program of tests, before it opens anything

// Guard has every statement looked at before it is run, on databases that are opened from then on. It is for tests, where it holds each of them to what it may name.
func Guard(look func(ctx context.Context, sql string)) { inspect = look }

// inspectedEngine is an engine whose statements are looked at.
type inspectedEngine struct{ engine }

func (e inspectedEngine) Query(ctx context.Context, sql string, args ...any) (rows, error) {
	inspect(ctx, sql)
	return e.engine.Query(ctx, sql, args...)
}

func (e inspectedEngine) QueryPlanned(ctx context.Context, sql string, args ...any) (rows, error) {
	inspect(ctx, sql)
	return e.engine.QueryPlanned(ctx, sql, args...)
}

func (e inspectedEngine) write(ctx context.Context, fn func(txHandle) error) error {
	return e.engine.write(ctx, func(h txHandle) error { return fn(inspectedTx{h}) })
}

type inspectedTx struct{ txHandle }

func (h inspectedTx) Query(ctx context.Context, sql string, args ...any) (rows, error) {
	inspect(ctx, sql)
	return h.txHandle.Query(ctx, sql, args...)
}

func (h inspectedTx) QueryPlanned(ctx context.Context, sql string, args ...any) (rows, error) {
	inspect(ctx, sql)
	return h.txHandle.QueryPlanned(ctx, sql, args...)
}

func (h inspectedTx) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	inspect(ctx, sql)
	return h.txHandle.Exec(ctx, sql, args...)
}

func (h inspectedTx) Queue(ctx context.Context, sql string, args ...any) error {
	inspect(ctx, sql)
	return h.txHandle.Queue(ctx, sql, args...)
}

func (h inspectedTx) Ask(ctx context.Context, read func(rows) error, sql string, args ...any) error {
	inspect(ctx, sql)
	return h.txHandle.Ask(ctx, read, sql, args...)
}
