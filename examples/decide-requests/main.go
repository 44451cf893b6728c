// Command decide-requests shows the best match of each open lost report. With -accept it accepts the likely ones:
//
//	go run ./decide-requests [-accept] LOCATION
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"

	homeward "homeward/clients/go"
)

func main() {
	accept := flag.Bool("accept", false, "accept likely matches")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: decide-requests [-accept] LOCATION")
	}
	client, err := homeward.New(os.Getenv("HOMEWARD_URL"), os.Getenv("HOMEWARD_KEY"))
	if err != nil {
		log.Fatal(err)
	}
	if err := decide(context.Background(), client, flag.Arg(0), *accept); err != nil {
		log.Fatal(err)
	}
}

func decide(ctx context.Context, client *homeward.Client, location string, accept bool) error {
	query := homeward.ListRequestsQuery{State: []homeward.RequestState{homeward.RequestStatePending}}
	for request, err := range client.AllRequests(ctx, location, query) {
		if err != nil {
			return err
		}
		matches, err := client.ListRequestMatches(ctx, location, request.ID, homeward.ListRequestMatchesQuery{})
		if err != nil {
			return err
		}
		if len(matches.Data) == 0 || matches.Data[0].Likelihood != homeward.LikelihoodLikely {
			fmt.Printf("%s: no likely match\n", request.Reference)
			continue
		}
		best := matches.Data[0]
		fmt.Printf("%s: %.0f %% %v\n", request.Reference, 100*best.Score, best.Reasons)
		if !accept {
			continue
		}
		decision := homeward.DecisionInput{Type: homeward.DecisionTypeAccept, ItemID: homeward.Set(best.ItemID)}
		if _, err := client.UpdateRequestStatus(ctx, location, request.ID, decision); err != nil {
			return err
		}
	}
	return nil
}
