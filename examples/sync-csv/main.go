// Command sync-csv writes all items of all locations to a CSV file, for a spreadsheet. Run it as often as you like:
//
//	go run ./sync-csv items.csv
package main

import (
	"context"
	"encoding/csv"
	"log"
	"os"
	"time"

	homeward "homeward/clients/go"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: sync-csv FILE")
	}
	client, err := homeward.New(os.Getenv("HOMEWARD_URL"), os.Getenv("HOMEWARD_KEY"))
	if err != nil {
		log.Fatal(err)
	}
	if err := sync(context.Background(), client, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// sync writes to a temporary file first, so that the spreadsheet never sees half of the items.
func sync(ctx context.Context, client *homeward.Client, name string) error {
	file, err := os.Create(name + ".new")
	if err != nil {
		return err
	}
	defer file.Close()
	sheet := csv.NewWriter(file)
	_ = sheet.Write([]string{"location", "reference", "status", "description", "found", "updated"}) // Error reports it
	for location, err := range client.AllLocations(ctx, homeward.ListLocationsQuery{}) {
		if err != nil {
			return err
		}
		for item, err := range client.AllItems(ctx, location.ID, homeward.ListItemsQuery{}) {
			if err != nil {
				return err
			}
			updated := item.UpdatedAt.Format(time.RFC3339)
			_ = sheet.Write([]string{
				location.Name, item.Reference, string(item.Status), item.Description, item.DiscoveryDate, updated,
			})
		}
	}
	sheet.Flush()
	if err := sheet.Error(); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}
