package homeward_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"testing"

	homeward "homeward/clients/go"
)

func Example() {
	ctx := context.Background()
	client, err := homeward.New("https://lost.example.com", os.Getenv("HOMEWARD_KEY"))
	if err != nil {
		log.Fatal(err)
	}
	for item, err := range client.AllItemsOfAllLocations(ctx, homeward.ListAllItemsQuery{Term: "umbrella"}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(item.Reference, item.Status, item.Description)
	}
}

// Change an item only if nobody else has changed it.
func ExampleWithIfMatch() {
	var (
		ctx            = context.Background()
		client         *homeward.Client
		location, item string
	)
	var read homeward.Response
	if _, err := client.GetItem(ctx, location, item, homeward.WithResponse(&read)); err != nil {
		log.Fatal(err)
	}
	patch := homeward.ItemPatch{Color: homeward.Set("green")}
	_, err := client.UpdateItem(ctx, location, item, patch, homeward.WithIfMatch(read.ETag()))
	var problem *homeward.Problem
	if errors.As(err, &problem) && problem.Code == homeward.ProblemCodePreconditionFailed {
		log.Print("somebody else has changed the item; read it again")
	}
}

func TestTheReadmeHasTheExample(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	code, _, _ := strings.Cut(string(readme), "Copy this folder")
	_, code, _ = strings.Cut(code, "    ")
	if got := strings.Join(strings.Fields(string(example)), " "); code == "" ||
		!strings.Contains(got, strings.Join(strings.Fields(code), " ")) {
		t.Errorf("example_test.go does not have the example in README.md:\n%s", code)
	}
}
