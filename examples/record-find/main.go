// Command record-find records an item with a photo, and notifies its owner:
//
//	go run ./record-find LOCATION "Black umbrella" anna@example.com photo.jpg
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	homeward "homeward/clients/go"
)

func main() {
	if len(os.Args) != 5 {
		log.Fatal("usage: record-find LOCATION DESCRIPTION EMAIL PHOTO")
	}
	client, err := homeward.New(os.Getenv("HOMEWARD_URL"), os.Getenv("HOMEWARD_KEY"))
	if err != nil {
		log.Fatal(err)
	}
	if err := record(context.Background(), client, os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		log.Fatal(err)
	}
}

func record(ctx context.Context, client *homeward.Client, location, description, email, photo string) error {
	file, err := os.Open(photo)
	if err != nil {
		return err
	}
	defer file.Close()
	item, err := client.CreateItem(ctx, location, homeward.ItemInput{
		Description: description,
		Owner:       homeward.Set(homeward.OwnerInput{Email: homeward.Set(email)}),
	})
	var problem *homeward.Problem
	if errors.As(err, &problem) {
		if wrong, ok := problem.Field("owner.email"); ok {
			return fmt.Errorf("the e-mail address %s", wrong.Message)
		}
	}
	if err != nil {
		return err
	}
	if item, err = client.UploadImage(ctx, location, item.ID, file); err != nil {
		return err
	}
	const done = "%s is recorded with %d photo. Write %s on its tag.\n"
	fmt.Printf(done, item.Description, len(item.Images), item.Reference)
	return nil
}
