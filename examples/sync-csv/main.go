// Command sync-csv keeps a CSV file with all items of all locations, for a spreadsheet. The first run copies all items.
// Later runs read only what has changed since, also deletions. Run it as often as you like, at least once in 30 days:
//
//	go run ./sync-csv items.csv
package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"log"
	"maps"
	"os"
	"slices"
	"time"

	homeward "homeward/clients/go"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: sync-csv FILE")
	}
	client, err := homeward.New(os.Getenv("HOMEWARD_URL"), os.Getenv("HOMEWARD_KEY"))
	check(err)
	sheet, everything := os.Args[1], homeward.ListAllItemsQuery{UpdatedSince: time.Unix(0, 0), Limit: 100}
	state := struct { // kept in FILE.json
		Rows map[string][]string
		Next homeward.ListAllItemsQuery
	}{map[string][]string{}, everything}
	if text, err := os.ReadFile(sheet + ".json"); err == nil {
		check(json.Unmarshal(text, &state))
	}
	for more := true; more; {
		page, err := client.ListAllItems(context.Background(), state.Next)
		check(err)
		for _, i := range page.Data {
			state.Rows[i.ID] = []string{i.Reference, i.LocationID, string(i.Status), i.Description, i.DiscoveryDate}
			if i.Deleted != nil {
				delete(state.Rows, i.ID)
			}
		}
		state.Next.Cursor, more = page.Next, page.TotalIsLowerBound != nil
	}
	file, err := os.Create(sheet)
	check(err)
	rows := slices.SortedFunc(maps.Values(state.Rows), slices.Compare)
	table := append([][]string{{"reference", "location", "status", "item", "found"}}, rows...)
	check(csv.NewWriter(file).WriteAll(table))
	text, err := json.Marshal(state)
	check(err)
	check(os.WriteFile(sheet+".json", text, 0o600)) // last, so that an interrupted run is repeated
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
