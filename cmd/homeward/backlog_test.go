package main_test

import (
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"homeward/internal/store/storetest"
)

// A long queue for one webhook does not delay another webhook. This test measures time, so it runs only with
// HOMEWARD_TEST_LONG=1 and needs an idle machine.
func TestLongQueueDoesNotDelayOthers(t *testing.T) {
	if os.Getenv("HOMEWARD_TEST_LONG") == "" {
		t.Skip("takes several minutes: set HOMEWARD_TEST_LONG=1 to run it")
	}
	const (
		queue  = 100_000
		events = 100
		limit  = 100 * time.Millisecond
	)
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		settings := newWebhookSettings(t, setting)
		p := startService(t, settings...)
		slow := newWebhookReceiver(t, p, func(r *http.Request, _ string, _ int) int {
			pause(r.Context().Done(), time.Second)
			return http.StatusOK
		}, "shipping-label")
		quick := newWebhookReceiver(t, p, nil)
		account := p.must(http.StatusOK, "GET", "/v1/account", "")["id"].(string)
		without := measureMany(t, p, quick, events)
		if code := p.terminate(); code != 0 {
			t.Fatalf("exit code %d: %s", code, p.stderr)
		}
		addBacklog(t, setting, account, slow.id, queue)
		p = startService(t, settings...)
		waitWithin(t, time.Minute, "the queue is being processed", func() bool {
			_, attempts := slow.counts()
			return attempts >= perEndpoint
		})
		with := measureMany(t, p, quick, events)
		t.Logf("from the request to the first attempt, median and maximum: %v and %v; with %d waiting for another "+
			"webhook, %v and %v",
			without[events/2], without[events-1], queue, with[events/2], with[events-1])
		if worst := with[events-1]; worst > limit {
			t.Errorf("the first attempt came %v after the request, want less than %v", worst, limit)
		}
	})
}

// measureMany measures the delays of n events and returns them sorted.
func measureMany(t *testing.T, p *process, m *webhookReceiver, n int) (took []time.Duration) {
	t.Helper()
	load := newLoadGenerator(t, p, 1)
	for i := range n {
		took = append(took, measure(t, p, load, m, i))
	}
	slices.Sort(took)
	return took
}
