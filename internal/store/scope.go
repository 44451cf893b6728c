package store

import "context"

// Scope is the reason why a statement may access all accounts or, with Citus, all shards of a
// table. Every other statement must restrict each of its tables to an account or to another value
// of the distribution column; see InspectStatements.
type Scope string

// The reasons for accessing all accounts. Requests use only DirectoryScope.
const (
	CleanupScope    Scope = "upkeep"     // deletes old rows of all accounts, in batches
	BackgroundScope Scope = "background" // finds due work of all accounts, which is then claimed account by account
	OperatorScope   Scope = "operator"   // lists accounts, counts rows, and works on the whole database
	// DirectoryScope is for removing a directory entry by its subject. The directory is distributed by the
	// hash of the token, which is not known when a session is ended or a key is revoked. Removing
	// the entry takes one index lookup on each shard. So does looking for the keys of a website, whose hashes share
	// only their beginning.
	DirectoryScope Scope = "freeing"
)

type (
	scopeKey   struct{}
	requestKey struct{}
)

// withScope marks the context of a statement that may access all accounts.
func withScope(ctx context.Context, e Scope) context.Context {
	return context.WithValue(ctx, scopeKey{}, e)
}

// ScopeOf returns the reason why a statement may access all accounts, or an empty string if it may
// not.
func ScopeOf(ctx context.Context) Scope {
	e, _ := ctx.Value(scopeKey{}).(Scope)
	return e
}

// WithRequest marks the context of a request, which must not access several accounts.
func WithRequest(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestKey{}, true)
}

// IsRequest reports whether a context was marked by WithRequest.
func IsRequest(ctx context.Context) bool { return ctx.Value(requestKey{}) != nil }

// inspect is called before every statement. Only tests set it.
//
//nolint:gochecknoglobals // set once, by a test program, before it opens a database
var inspect func(ctx context.Context, sql string)

// InspectStatements sets a function that is called before every statement on databases opened
// afterwards. Tests use it to check that statements name the account.
func InspectStatements(fn func(ctx context.Context, sql string)) { inspect = fn }

// inspectedEngine calls inspect before every statement.
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

func (h inspectedTx) QueueForItem(ctx context.Context, item, sql string, args ...any) error {
	inspect(ctx, sql)
	return h.txHandle.QueueForItem(ctx, item, sql, args...)
}

func (h inspectedTx) QueueQuery(ctx context.Context, read func(rows) error, sql string, args ...any) error {
	inspect(ctx, sql)
	return h.txHandle.QueueQuery(ctx, read, sql, args...)
}
