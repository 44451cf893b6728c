package outbox

import (
	"bytes"
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// declaredKinds returns the names and values of the job kind constants in package store.
func declaredKinds(t *testing.T) map[string]string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "../store/job.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 || !strings.HasPrefix(spec.Names[0].Name, "Job") {
			return true
		}
		literal, ok := spec.Values[0].(*ast.BasicLit)
		if !ok {
			return true
		}
		value, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		kinds[spec.Names[0].Name] = value
		return true
	})
	if len(kinds) == 0 {
		t.Fatal("store declares no job kinds")
	}
	return kinds
}

func TestEveryJobKindIsRegisteredOnce(t *testing.T) {
	registered := map[string]int{}
	for _, name := range JobKinds() {
		registered[name]++
	}
	listed := store.JobKinds()
	declared := map[string]bool{}
	for constant, name := range declaredKinds(t) {
		declared[name] = true
		if registered[name] == 0 {
			t.Errorf("store.%s (%q) has no entry in the registry", constant, name)
		}
		if !slices.Contains(listed, name) {
			t.Errorf("store.%s (%q) is missing from store.JobKinds", constant, name)
		}
	}
	for name, times := range registered {
		if times > 1 {
			t.Errorf("%q is registered %d times", name, times)
		}
		if !declared[name] {
			t.Errorf("the registry has an entry for %q, which is not a constant in store", name)
		}
	}
	for _, name := range listed {
		if !declared[name] {
			t.Errorf("store.JobKinds lists %q, which is not a constant in store", name)
		}
	}
}

func TestEveryJobKindIsPerformedByItsPool(t *testing.T) {
	queues := map[poolName]*queue{}
	kinds := (&Outbox{}).jobKinds()
	for _, p := range pools() {
		queues[p.name] = newQueue(Options{}, p, kinds)
		if p.workers <= 0 || p.lease <= 0 || p.timeout <= 0 {
			t.Errorf("pool %q is incomplete: %+v", p.name, p)
		}
		if len(queues[p.name].kinds) == 0 {
			t.Errorf("pool %q performs no job kind", p.name)
		}
	}
	for _, k := range kinds {
		q := queues[k.pool]
		if q == nil || !slices.Contains(q.kinds, k.name) || q.perform[k.name] == nil {
			t.Errorf("no pool performs %q", k.name)
		}
	}
}

func TestAPanickingJobLogsItsStackAndIsRetried(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var logged bytes.Buffer
		var outcomes []string
		o := Options{
			DB: db, Log: slog.New(slog.NewTextHandler(&logged, nil)),
			ObserveJob: func(kind, outcome string, _ time.Duration) { outcomes = append(outcomes, kind+" "+outcome) },
		}
		p := pool{name: chorePool, workers: 1, lease: time.Minute, timeout: time.Minute}
		q := newQueue(o, p, []jobKind{{store.JobThumbnail, chorePool, panicOnPurpose}})
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			return tx.AddJob("acc_1", store.JobThumbnail, "a.jpg", tx.Now())
		})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := q.runOnce(t.Context()); n != 1 || err != nil {
			t.Fatalf("performed %d jobs, %v", n, err)
		}
		if !slices.Equal(outcomes, []string{store.JobThumbnail + " retry"}) {
			t.Errorf("outcomes %q, want one retry", outcomes)
		}
		if due, failed, err := db.CountJobs(t.Context()); due != 1 || failed != 0 || err != nil {
			t.Errorf("due %d, failed %d, %v", due, failed, err)
		}
		for _, want := range []string{
			"job panicked; it will be retried", "on purpose", "panicOnPurpose", "kind=thumbnail",
		} {
			if !strings.Contains(logged.String(), want) {
				t.Errorf("the log has no %q: %s", want, &logged)
			}
		}
	})
}

func panicOnPurpose(context.Context, store.Job) error { panic("on purpose") }

func TestManySmallJobsShareALogLine(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var logged bytes.Buffer
		o := Options{DB: db, Log: slog.New(slog.NewTextHandler(&logged, nil))}
		p := pool{name: matchPool, workers: 3, lease: time.Minute, timeout: time.Minute, folded: true}
		succeed := func(context.Context, store.Job) error { return nil }
		fail := func(context.Context, store.Job) error { return errors.New("on purpose") }
		q := newQueue(o, p, []jobKind{{store.JobMatch, matchPool, succeed}, {store.JobRematch, matchPool, fail}})
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			for _, kind := range []string{store.JobMatch, store.JobMatch, store.JobRematch} {
				if err := tx.AddJob("acc_1", kind, "item_1", tx.Now()); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := q.runOnce(t.Context()); n != 3 || err != nil {
			t.Fatalf("performed %d jobs, %v", n, err)
		}
		if lines := strings.Count(logged.String(), "\n"); lines != 2 ||
			!strings.Contains(logged.String(), "msg=jobs pool=match done=2") ||
			!strings.Contains(logged.String(), "outcome=retry") {
			t.Errorf("want a line for two jobs and one for the failed job: %s", &logged)
		}
	})
}
