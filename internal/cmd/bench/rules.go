package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// rulesName is the name of the operation that measures changes of keeping rules.
const rulesName = "rules"

// maxRulesTime is the longest time until all items have their new end of storage.
const maxRulesTime = time.Minute

// rulesResult is how long it takes to give the items of a location a new end of storage, and how long the creation of
// an item takes meanwhile.
type rulesResult struct {
	engine      string
	size        int
	alone, busy time.Duration // until the last item was updated, without and with the creation of items
	quiet       *matchResult  // creating an item, before the change
	during      *matchResult  // creating an item, while the items are updated
}

// rules measures a change of a keeping rule that moves the end of storage of all items of a location.
func (b *bench) rules(ctx context.Context, engine string, size int) (r *rulesResult, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeFor(size))
	defer cancel()
	s := &site{engine: engine, size: size}
	defer func() { err = errors.Join(err, s.close()) }()
	if _, err := b.openReports(ctx, s); err != nil {
		return nil, err
	}
	b.logf("%s: %s", engine, rulesName)
	r = &rulesResult{engine: engine, size: size, quiet: &matchResult{}, during: &matchResult{}}
	if r.alone, err = s.changeRules(ctx, 60, nil); err != nil {
		return nil, err
	}
	if err := s.finishJobs(ctx, maxIndexTime); err != nil {
		return nil, err
	}
	for end := time.Now().Add(time.Duration(b.seconds * float64(time.Second))); time.Now().Before(end); {
		if err := s.createItem(ctx, r.quiet); err != nil {
			return nil, err
		}
	}
	if err := s.finishJobs(ctx, maxIndexTime); err != nil {
		return nil, err
	}
	r.busy, err = s.changeRules(ctx, 120, r.during)
	return r, err
}

// changeRules sets the keeping rule of a location, and returns how long it takes until all items have their new end of
// storage. Meanwhile, it creates items, one after the other, unless created is nil.
func (s *site) changeRules(ctx context.Context, days int, created *matchResult) (took time.Duration, err error) {
	begin := time.Now()
	if err := s.send(ctx, http.MethodPut, "/v1/locations/"+s.location, http.StatusOK, map[string]any{
		"keepingRules": []map[string]any{{"days": days}},
	}); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, maxIndexTime, errors.New("the items were not updated in time"))
	defer cancel()
	dated := make(chan error, 1)
	go func() { dated <- s.waitForDates(ctx) }()
	for {
		select {
		case err := <-dated:
			return time.Since(begin), err
		default:
		}
		if created == nil {
			err := <-dated
			return time.Since(begin), err
		}
		if err := s.createItem(ctx, created); err != nil {
			return 0, err
		}
	}
}

// waitForDates waits until the service has stored the ends of storage of all items. It returns an error if the service
// has not started.
func (s *site) waitForDates(ctx context.Context) error {
	for started := false; ; started = true {
		waiting := false
		err := s.queries.run(ctx, bareDates, func([][]byte) { waiting = true })
		if err == nil && !waiting && !started {
			return errors.New("no job stores the ends of storage")
		}
		if err != nil || !waiting {
			return err
		}
		select {
		case <-time.After(queuePause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// createItem creates an item, and records how long that takes.
func (s *site) createItem(ctx context.Context, r *matchResult) error {
	begin := time.Now()
	err := s.send(ctx, http.MethodPost, s.path(), http.StatusCreated, map[string]any{
		"description": "Black umbrella", "discoveryDate": time.Now().UTC().Format(time.DateOnly),
	})
	r.times = append(r.times, time.Since(begin))
	return err
}

// send sends a request to the API and discards the response.
func (s *site) send(ctx context.Context, method, path string, status int, body any) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, method, s.full+path, bytes.NewReader(encoded))
	if err != nil {
		return err
	}
	r.Header.Set("svc-api-key", apiKey)
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, res.Body)
	if err = errors.Join(err, res.Body.Close()); err == nil && res.StatusCode != status {
		err = fmt.Errorf("%s %s: got status %d", method, path, res.StatusCode)
	}
	return err
}

// reportRules prints the results.
func reportRules(printf func(string, ...any), all []*rulesResult) {
	printf("All items must have their new end of storage after at most %.0f s.\n\n", maxRulesTime.Seconds())
	printf("| engine | items | s | s, while items are created | create, p50 ms | p95 | create meanwhile, p50 ms | " +
		"p95 | |\n|---|--:|--:|--:|--:|--:|--:|--:|---|\n")
	for _, r := range all {
		printf("| %s | %d | %.1f | %.1f | %s | %s | %s | %s | %s |\n", engineNames[r.engine], r.size, r.alone.Seconds(),
			r.busy.Seconds(), ms(r.quiet.took(0.5)), ms(r.quiet.took(pageShare)), ms(r.during.took(0.5)),
			ms(r.during.took(pageShare)), verdict(max(r.alone, r.busy) <= maxRulesTime))
	}
}
