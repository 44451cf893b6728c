// Command sendback sends whole records back 1,000 times with the client that oapi-codegen generates, as a program does
// that decodes a record, changes a field and encodes all of it. The times have random zones and precisions. The service
// must accept each record. HOMEWARD_SEED repeats a run.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/oapi-codegen/nullable"
	"golang.org/x/sync/errgroup"

	"homeward/tools/oapi-codegen/api"
)

const workers, rounds = 8, 125

func main() {
	seed, err := strconv.ParseUint(os.Getenv("HOMEWARD_SEED"), 10, 64)
	if err != nil {
		seed = rand.Uint64()
	}
	fmt.Println("HOMEWARD_SEED:", seed)
	if err := run(context.Background(), seed); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, seed uint64) error {
	key := func(_ context.Context, r *http.Request) error {
		r.Header.Set("svc-api-key", os.Getenv("HOMEWARD_KEY"))
		return nil
	}
	client, err := api.NewClientWithResponses(os.Getenv("HOMEWARD_URL"), api.WithRequestEditorFn(key))
	if err != nil {
		return err
	}
	location, err := client.CreateLocationWithResponse(ctx, nil, api.LocationInput{Name: "Hotel Adler"})
	if err != nil {
		return err
	}
	if location.JSON201 == nil {
		return fmt.Errorf("create a location: %s", location.Body)
	}
	group, ctx := errgroup.WithContext(ctx)
	for n := range workers {
		group.Go(func() error {
			return sendBack(ctx, client, location.JSON201.Id, rand.New(rand.NewPCG(seed, uint64(n))))
		})
	}
	return group.Wait()
}

// sendBack records an item and sends it back many times.
func sendBack(ctx context.Context, client *api.ClientWithResponses, location string, random *rand.Rand) error {
	input := api.ItemInput{Description: "Glove", Color: nullable.NewNullableWithValue("red")}
	created, err := client.CreateItemWithResponse(ctx, location, nil, input)
	if err != nil {
		return err
	}
	if created.JSON201 == nil {
		return fmt.Errorf("record an item: %s", created.Body)
	}
	item, etag := *created.JSON201, created.HTTPResponse.Header.Get("ETag")
	for n := range rounds {
		patch, err := newPatch(item, random)
		if err != nil {
			return err
		}
		patch.Notes = nullable.NewNullableWithValue(fmt.Sprintf("Seen %d times", n/2)) // changes every second time
		sent, err := client.UpdateItemWithResponse(ctx, location, item.Id, &api.UpdateItemParams{IfMatch: &etag}, patch)
		if err != nil {
			return err
		}
		if sent.JSON200 == nil {
			return fmt.Errorf("send the item back with the times %s and %s: %s",
				patch.CreatedAt, patch.UpdatedAt, sent.Body)
		}
		item, etag = *sent.JSON200, sent.HTTPResponse.Header.Get("ETag")
	}
	return nil
}

// newPatch copies a record with its times in a random zone and precision.
func newPatch(item api.Item, random *rand.Rand) (patch api.ItemPatch, err error) {
	zone := time.FixedZone("", 60*(random.IntN(24*60)-12*60))
	precisions := []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, time.Second}
	precision := precisions[random.IntN(len(precisions))]
	item.CreatedAt = item.CreatedAt.Truncate(precision).In(zone)
	item.UpdatedAt = item.UpdatedAt.Truncate(precision).In(zone)
	text, err := json.Marshal(item)
	if err != nil {
		return patch, err
	}
	return patch, json.Unmarshal(text, &patch)
}
