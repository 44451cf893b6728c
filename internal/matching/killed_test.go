package matching_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/openai/openaitest"
	"homeward/internal/store"
	"homeward/internal/testkit"
)

// The service is killed while it waits for the model's first answer, its second, and so on: while it calibrates, while
// it reads items that existed before the model, and while it reads new ones. Matching works meanwhile, and another
// instance computes every vector.
func TestAKillWhileTheModelIsAskedLosesNoVector(t *testing.T) {
	const mostCalls = 20
	for call, reached := int32(1), true; reached; call++ {
		reached = false
		eachFixture(t, func(b *fixture) {
			s := meaningServer(b.T)
			old := b.find(b.hotel, foundWords)
			b.settle()
			b.useModel(s)
			recent, request := b.find(b.hotel, otherWords), b.miss(b.hotel, requestWords)
			b.out.RunUpkeepOnce(b.Context())
			killed := b.embedUntil(s, call, recent, request)
			reached = reached || killed
			b.restart()
			b.work()
			if matches := b.matches(request); len(matches) == 0 {
				b.Errorf("call %d: no matches while the dead instance holds the job", call)
			}
			b.settle()
			for _, i := range []lost.Item{old, recent, request} {
				if n := len(b.vectors(i)); n != 1 {
					b.Errorf("call %d: %q has %d vectors", call, i.Description, n)
				}
			}
			if reason, _ := b.meaning(request); killed && !reason {
				b.Errorf("call %d: the meanings do not count", call)
			}
		})
		if call == mostCalls {
			t.Fatalf("the model is asked more than %d times", mostCalls)
		}
	}
}

// embedUntil indexes items, claims the account's job, and computes vectors until the model is asked for the given time.
// Then it stops like a service that is killed: the job is neither finished nor due. It reports whether it came so far.
func (b *fixture) embedUntil(s *openaitest.Server, call int32, items ...lost.Item) (killed bool) {
	b.Helper()
	for _, i := range items {
		testkit.Must(b.desk.Matcher.Match(b.Context(), b.by.Account, i.ID))
	}
	b.clock.Advance(10 * time.Millisecond)
	err := b.db.Write(b.Context(), func(tx *store.Tx) error {
		_, err := tx.ClaimJobs([]string{store.JobEmbed}, 10, time.Minute)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, kill := context.WithCancel(b.Context())
	defer kill()
	var calls atomic.Int32
	s.OnCall(func(string) {
		if calls.Add(1) == call {
			kill()
		}
	})
	defer s.OnCall(nil)
	for more := true; more && err == nil; {
		more, err = b.desk.Matcher.Embed(ctx, b.by.Account)
	}
	if killed = ctx.Err() != nil; !killed && err != nil {
		b.Fatal(err)
	}
	return killed
}
