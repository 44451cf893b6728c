// Command print-tags writes a page with a tag for each item that was recorded since a day, ready to print:
//
//	go run ./print-tags LOCATION 2026-11-01 >tags.html
package main

import (
	"context"
	"html/template"
	"log"
	"os"

	homeward "homeward/clients/go"
)

var page = template.Must(template.New("tags").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Tags</title>
<style>
  article { break-inside: avoid; border: 1px dashed; margin: 4mm; padding: 4mm; width: 80mm; float: left }
  strong { font: 600 24pt ui-monospace, monospace; display: block }
</style>
{{range .}}<article><strong>{{.Reference}}</strong>{{.Description}}<br>{{.DiscoveryDate}} {{.StoragePlace}}</article>
{{else}}<p>No items since that day.</p>
{{end}}</html>
`))

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: print-tags LOCATION DATE")
	}
	client, err := homeward.New(os.Getenv("HOMEWARD_URL"), os.Getenv("HOMEWARD_KEY"))
	if err != nil {
		log.Fatal(err)
	}
	query := homeward.ListItemsQuery{From: os.Args[2], Source: []homeward.ItemSource{homeward.ItemSourceFound}}
	var items []homeward.ListedItem
	for item, err := range client.AllItems(context.Background(), os.Args[1], query) {
		if err != nil {
			log.Fatal(err)
		}
		items = append(items, item)
	}
	if err := page.Execute(os.Stdout, items); err != nil {
		log.Fatal(err)
	}
}
