package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
)

// The limits of a result.
const (
	maxSummaryText = 300 // characters of a description in a list
	maxPhotoLinks  = 10
)

// listing is a page of a list, with a sentence about what it leaves out.
type listing[T any] struct {
	Data  []T    `json:"data"`
	Page  int    `json:"page"`
	Pages int    `json:"pages"`
	Total int    `json:"total"`
	Note  string `json:"note"`
}

// listResult returns a function that converts a list of the API to a result. The noun names the records.
func listResult[T, S any](noun string, summarize func(T) S) func(json.RawMessage) (*sdk.CallToolResult, error) {
	return func(body json.RawMessage) (*sdk.CallToolResult, error) {
		var list v1.List[T]
		if err := json.Unmarshal(body, &list); err != nil {
			return nil, fmt.Errorf("the service returned no list: %w", err)
		}
		out := listing[S]{
			Data: make([]S, len(list.Data)), Page: list.Page, Pages: list.Pages, Total: list.Total,
			Note: describePage(noun, list),
		}
		for n, record := range list.Data {
			out.Data[n] = summarize(record)
		}
		encoded, err := v1.Encode(out)
		if err != nil {
			return nil, err
		}
		return recordResult(encoded)
	}
}

// describePage says which part of a list the agent sees.
func describePage[T any](noun string, l v1.List[T]) string {
	shown := len(l.Data)
	total := fmt.Sprint(l.Total)
	if l.TotalIsLowerBound {
		total = "more than " + total
	}
	var sentences []string
	switch more := l.Page < l.Pages || l.TotalIsLowerBound && shown == l.Limit; {
	case shown == 0 && l.Page > 1:
		sentences = append(sentences, fmt.Sprintf("There are no %s on page %d.", noun, l.Page))
	case shown == 0:
		sentences = append(sentences, fmt.Sprintf("No %s found.", noun))
	case more:
		sentences = append(sentences, fmt.Sprintf("These are %d of %s %s. Ask for page %d to see more.",
			shown, total, noun, l.Page+1))
	default:
		sentences = append(sentences, fmt.Sprintf("These are the last of %s %s.", total, noun))
	}
	if l.Pending {
		sentences = append(sentences, "Matches are still being computed: ask again in a few seconds.")
	}
	return strings.Join(sentences, " ")
}

// recordResult returns a record as it is, as text and as structured content.
func recordResult(body json.RawMessage) (*sdk.CallToolResult, error) {
	return &sdk.CallToolResult{
		Content: []sdk.Content{&sdk.TextContent{Text: string(body)}}, StructuredContent: body,
	}, nil
}

// itemResult returns an item as agents may see it, and links to its photos.
func itemResult(body json.RawMessage) (*sdk.CallToolResult, error) {
	body, item, err := visibleItem(body)
	if err != nil {
		return nil, err
	}
	result, err := recordResult(body)
	for n, image := range item.Images[:min(len(item.Images), maxPhotoLinks)] {
		result.Content = append(result.Content, &sdk.ResourceLink{
			URI: photoURI(item, image), Name: fmt.Sprintf("Photo %d of %s", n+1, item.Reference),
			MIMEType: image.ContentType, Size: &image.Size,
		})
	}
	return result, err
}

// visibleItem returns an item, and its JSON, without the photos of an identity paper or a payment card. The operator of
// the agent's model must not get them.
func visibleItem(body json.RawMessage) (json.RawMessage, v1.Item, error) {
	var item v1.Item
	if err := json.Unmarshal(body, &item); err != nil {
		return nil, item, fmt.Errorf("the service returned no item: %w", err)
	}
	if !lost.Category(item.Category).IsIdentity() {
		return body, item, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, item, fmt.Errorf("the service returned no item: %w", err)
	}
	delete(fields, "imageUrl")
	fields["images"] = json.RawMessage("[]")
	item.ImageURL, item.Images = "", nil
	hidden, err := json.Marshal(fields)
	return hidden, item, err
}

// itemSummary is an item or request in a list.
type itemSummary struct {
	ID             string `json:"id"`
	LocationID     string `json:"locationId"`
	Reference      string `json:"reference"`
	Source         string `json:"source"`
	Status         string `json:"status"`
	Description    string `json:"description"`
	Brand          string `json:"brand,omitempty"`
	Model          string `json:"model,omitempty"`
	Color          string `json:"color,omitempty"`
	Category       string `json:"category,omitempty"`
	SerialNumber   string `json:"serialNumber,omitempty"`
	DiscoveryPlace string `json:"discoveryPlace,omitempty"`
	DiscoveryDate  string `json:"discoveryDate,omitempty"`
	StoragePlace   string `json:"storagePlace,omitempty"`
	StoreUntil     string `json:"storeUntil,omitempty"`
	State          string `json:"state,omitempty"` // of a request
	LostPlace      string `json:"lostPlace,omitempty"`
	LostDate       string `json:"lostDate,omitempty"`
	Owner          string `json:"owner,omitempty"` // the name
	Photos         int    `json:"photos"`
	CreatedAt      string `json:"createdAt"`
}

func summarizeItem(i v1.Item) itemSummary {
	out := itemSummary{
		ID: i.ID, LocationID: i.LocationID, Reference: i.Reference, Source: i.Source, Status: i.Status,
		Description: lost.Shorten(i.Description, maxSummaryText), Brand: i.Brand, Model: i.Model, Color: i.Color,
		Category: i.Category, SerialNumber: i.SerialNumber,
		DiscoveryPlace: i.DiscoveryPlace, DiscoveryDate: i.DiscoveryDate, StoragePlace: i.StoragePlace,
		StoreUntil: i.StoreUntil, Photos: len(i.Images), CreatedAt: i.CreatedAt,
	}
	if r := i.Request; r != nil {
		out.State, out.LostPlace, out.LostDate = r.State, r.LostPlace, r.LostDate
	}
	if o := i.Owner; o != nil {
		out.Owner = strings.TrimSpace(o.FirstName + " " + o.LastName)
	}
	return out
}

// locationSummary is a location in a list.
type locationSummary struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description,omitempty"`
	City        string `json:"city,omitempty"`
	Country     string `json:"country,omitempty"`
	TimeZone    string `json:"timeZone,omitempty"`
}

func summarizeLocation(l v1.Location) locationSummary {
	return locationSummary{
		ID: l.ID, Name: l.Name, Type: l.Type, Description: lost.Shorten(l.Description, maxSummaryText), City: l.City,
		Country: l.Country, TimeZone: l.TimeZone,
	}
}

// keep returns a record as it is.
func keep[T any](record T) T { return record }
