package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// agentTasks are the tasks of an agent with a key that may do everything.
var agentTasks = []struct {
	name string
	run  func(t *testing.T, d *desktop, a agent)
}{
	{"lists the locations", listLocations},
	{"searches items by words and status", searchItems},
	{"reads a long list page by page", readLongList},
	{"gets an item with links to its photos", getItem},
	{"records a find that the API then has", recordFind},
	{"records nothing if a field is wrong", recordWrongField},
	{"repeats a recording without a duplicate", repeatRecording},
	{"searches requests by state", searchRequests},
	{"gets suggestions for a request and for an item", suggestMatches},
	{"accepts a request", acceptRequest},
	{"rejects a request, once", rejectRequest},
	{"sets a status with its pick-up", setStatus},
	{"is told which statuses exist", setUnknownStatus},
	{"writes to the owner", notifyOwner},
	{"is told that there is nobody to write to", notifyNobody},
	{"writes a message and reads the conversation", writeMessage},
	{"reads an item as a resource", readItem},
	{"reads a photo as a resource", readPhoto},
	{"is told which argument is missing", missingArgument},
	{"is told what limits a list has", wrongLimit},
	{"cannot leave the path of a tool", escapePath},
	{"knows what each tool changes", knowChanges},
}

func TestAgentsDoTheirTasks(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, d *desktop) {
		for _, task := range agentTasks {
			t.Run(task.name, func(t *testing.T) {
				copied, service := *d, *d.service
				service.t, copied.service = t, &service
				task.run(t, &copied, copied.agent(d.key))
			})
		}
	})
}

func listLocations(t *testing.T, d *desktop, a agent) {
	list := a.call("list_locations", nil)
	found := data(list)
	if len(found) != 2 || found[0]["id"] != d.hotel || found[1]["name"] != "Zoo" ||
		list["note"] != "These are the last of 2 locations." {
		t.Errorf("the locations are %v", list)
	}
}

func searchItems(t *testing.T, d *desktop, a agent) {
	long := "Green parrot " + strings.Repeat("feather ", 100)
	d.newItem(d.hotel, map[string]any{"description": long})
	found := data(a.call("search_items", args{
		"location": []string{d.hotel}, "term": "BLÄCK umbr", "status": []string{"PENDING"},
	}))
	if len(found) != 1 || found[0]["id"] != d.umbrella || found[0]["owner"] != "Anna Berg" ||
		found[0]["photos"] != 1.0 {
		t.Errorf("the search found %v", found)
	}
	if _, has := found[0]["notes"]; has {
		t.Error("a summary contains the notes")
	}
	parrots := data(a.call("search_items", args{"term": "parrot"})) // at all locations
	if cut := text(parrots[0]["description"]); len(cut) > 320 || !strings.HasSuffix(cut, "…") {
		t.Errorf("the description in the list is %q", cut)
	}
	none := a.call("search_items", args{
		"location": []string{d.hotel}, "term": "umbrella", "status": []string{"SHIPPED"},
	})
	if len(data(none)) != 0 || none["note"] != "No items found." {
		t.Errorf("a search for another status found %v", none)
	}
}

func readLongList(t *testing.T, d *desktop, a agent) {
	location := d.newLocation(`{"name": "Airport"}`)
	t.Cleanup(func() { d.do(d.key, "DELETE", "/v1/locations/"+location, nil) })
	for n := range 12 {
		d.newItem(location, map[string]any{"description": fmt.Sprint("Glove ", n)})
	}
	first := a.call("search_items", args{"location": []string{location}})
	if len(data(first)) != 10 || first["note"] != "These are 10 of 12 items. Ask for page 2 to see more." {
		t.Errorf("the first page is %v", first)
	}
	second := a.call("search_items", args{"location": []string{location}, "page": 2})
	if len(data(second)) != 2 || second["note"] != "These are the last of 12 items." {
		t.Errorf("the second page is %v", second)
	}
}

func getItem(t *testing.T, d *desktop, a agent) {
	res, err := a.CallTool(t.Context(), &sdk.CallToolParams{
		Name: "get_item", Arguments: args{"locationId": d.hotel, "itemId": d.umbrella},
	})
	if err != nil || res.IsError || len(res.Content) != 2 {
		t.Fatalf("%v, %v", err, res)
	}
	structured, _ := json.Marshal(res.StructuredContent)
	var got map[string]any
	_ = json.Unmarshal(structured, &got)
	if got["notes"] != "In the minibar" || got["reference"] != d.item(d.hotel, d.umbrella)["reference"] {
		t.Errorf("the item is %s", structured)
	}
	link, isLink := res.Content[1].(*sdk.ResourceLink)
	if !isLink || link.MIMEType != "image/jpeg" || *link.Size == 0 {
		t.Errorf("the link to the photo is %v", res.Content[1])
	}
}

func recordFind(t *testing.T, d *desktop, a agent) {
	created := a.call("record_find", args{
		"locationId": d.hotel, "description": "Silver watch", "color": "silver", "discoveryDate": "2026-11-14",
		"shipping": args{"weight": 0.2, "boxType": "letter"},
	})
	stored := d.item(d.hotel, created["id"].(string))
	if stored["color"] != "silver" || stored["discoveryDate"] != "2026-11-14" ||
		stored["shipping"].(map[string]any)["weight"] != 0.2 || stored["source"] != "found" {
		t.Errorf("the API has %v", stored)
	}
	entries, _ := d.listAll("/v1/locations/" + d.hotel + "/items/" + created["id"].(string) + "/history")
	if by := entries[0]["actor"].(map[string]any); by["type"] != "key" {
		t.Errorf("the history says that it was recorded by %v", by)
	}
}

func recordWrongField(t *testing.T, d *desktop, a agent) {
	_, before := d.listAll("/v1/locations/" + d.hotel + "/items")
	a.refuse("record_find", args{
		"locationId": d.hotel, "description": "Watch", "Color": "silver", "discoveryDate": "14.11.2026",
		"owner": args{"email": "nobody"},
	}, "fields are invalid", "Color is not a known field; did you mean color?", "discoveryDate", "owner.email")
	if _, after := d.listAll("/v1/locations/" + d.hotel + "/items"); after != before {
		t.Errorf("there are %d items, before there were %d", after, before)
	}
}

func repeatRecording(t *testing.T, d *desktop, a agent) {
	find := args{"locationId": d.hotel, "description": "Red glove", "idempotencyKey": "call-" + t.Name()}
	first, second := a.call("record_find", find), a.call("record_find", find)
	if first["id"] != second["id"] {
		t.Errorf("the repeated call recorded %v, the first one %v", second["id"], first["id"])
	}
	delete(find, "idempotencyKey")
	if third, fourth := a.call("record_find", find), a.call("record_find", find); third["id"] == fourth["id"] {
		t.Error("two calls without an idempotency key recorded one item")
	}
}

func searchRequests(t *testing.T, d *desktop, a agent) {
	found := data(a.call("search_requests", args{
		"location": []string{d.hotel}, "term": "scarf", "state": []string{"PENDING", "MATCHED"},
	}))
	if len(found) != 1 || found[0]["id"] != d.scarf || found[0]["lostPlace"] != "Bar" ||
		found[0]["state"] != "PENDING" {
		t.Errorf("the search found %v", found)
	}
}

// newPair creates a request and a found item that match each other.
func newPair(d *desktop) (request, item string) {
	item = d.newItem(d.hotel, `{"description": "Gold ring with a blue sapphire", "brand": "Cartier", "color": "gold",
		"discoveryDate": "2026-11-14", "discoveryPlace": "Pool"}`)
	request = d.newRequest(d.hotel, `{"description": "Gold ring, blue sapphire", "brand": "Cartier", "color": "gold",
		"lostDate": "2026-11-14", "lostPlace": "Pool", "owner": {"email": "ring@example.com"}}`)
	return request, item
}

func suggestMatches(t *testing.T, d *desktop, a agent) {
	request, item := newPair(d)
	waitUntil(t, "the item is suggested for the request", func() bool {
		return slices.ContainsFunc(
			data(a.call("suggest_items_for_request", args{"locationId": d.hotel, "requestId": request})),
			func(m map[string]any) bool { return m["itemId"] == item && len(m["reasons"].([]any)) > 0 })
	})
	waitUntil(t, "the request is suggested for the item", func() bool {
		return slices.ContainsFunc(
			data(a.call("suggest_requests_for_item", args{"locationId": d.hotel, "itemId": item})),
			func(m map[string]any) bool { return m["requestId"] == request })
	})
}

func acceptRequest(t *testing.T, d *desktop, a agent) {
	request, item := newPair(d)
	decided := a.call("decide_request", args{
		"locationId": d.hotel, "requestId": request, "type": "accept", "itemId": item,
	})
	owner, _ := d.item(d.hotel, item)["owner"].(map[string]any)
	if decided["request"].(map[string]any)["state"] != "MATCHED" || owner["email"] != "ring@example.com" {
		t.Errorf("the request is %v, and the item's owner %v", decided, owner)
	}
}

func rejectRequest(t *testing.T, d *desktop, a agent) {
	request, _ := newPair(d)
	rejection := args{"locationId": d.hotel, "requestId": request, "type": "reject", "reason": "Not here"}
	if decided := a.call("decide_request", rejection); decided["request"].(map[string]any)["state"] != "REJECTED" {
		t.Errorf("the request is %v", decided)
	}
	a.refuse("decide_request", rejection, "already")
	rejection["type"] = "maybe"
	a.refuse("decide_request", rejection, `type must be one of "accept", "reject"`)
}

func setStatus(t *testing.T, d *desktop, a agent) {
	item := d.newItem(d.hotel, `{"description": "Blue suitcase"}`)
	a.call("set_status", args{
		"locationId": d.hotel, "itemId": item, "status": "PICKUP", "pickupDate": "2027-01-15", "pickupTime": "14:30",
	})
	stored := d.item(d.hotel, item)
	if stored["status"] != "PICKUP" || stored["pickup"].(map[string]any)["time"] != "14:30" {
		t.Errorf("the API has %v", stored)
	}
}

func setUnknownStatus(t *testing.T, d *desktop, a agent) {
	before := d.item(d.hotel, d.umbrella)["updatedAt"]
	a.refuse("set_status", args{"locationId": d.hotel, "itemId": d.umbrella, "status": "LOST"},
		"status must be one of", "DONATE")
	if after := d.item(d.hotel, d.umbrella)["updatedAt"]; after != before {
		t.Error("the item has changed")
	}
}

func notifyOwner(t *testing.T, d *desktop, a agent) {
	item := d.newItem(d.hotel, `{"description": "Passport", "owner": {"email": "paula@example.com"}}`)
	message := a.call("notify_owner", args{"locationId": d.hotel, "itemId": item})
	messages, total := d.listAll("/v1/locations/" + d.hotel + "/items/" + item + "/messages")
	if total != 2 || messages[0]["id"] != message["id"] || message["to"] != "paula@example.com" {
		t.Errorf("the messages are %v", messages)
	}
}

func notifyNobody(_ *testing.T, d *desktop, a agent) {
	a.refuse("notify_owner", args{"locationId": d.zoo, "itemId": d.bear}, "e-mail address")
}

func writeMessage(t *testing.T, d *desktop, a agent) {
	item := d.newItem(d.hotel, `{"description": "Passport", "owner": {"email": "pia@example.com"}}`)
	message := args{"locationId": d.hotel, "itemId": item, "text": "Which country?", "idempotencyKey": item}
	first, second := a.call("write_message", message), a.call("write_message", message)
	thread := data(a.call("read_thread", args{"locationId": d.hotel, "itemId": item}))
	if len(thread) != 1 || thread[0]["text"] != "Which country?" || thread[0]["from"] != "desk" ||
		thread[0]["id"] != first["id"] || first["id"] != second["id"] {
		t.Errorf("the conversation is %v", thread)
	}
	a.refuse("write_message", args{"locationId": d.hotel, "itemId": item}, "text is required")
}

func readItem(t *testing.T, d *desktop, a agent) {
	uri := "homeward://locations/" + d.hotel + "/items/" + d.umbrella
	got, err := a.read(uri)
	if err != nil || got.MIMEType != "application/json" || !strings.Contains(got.Text, "Black umbrella") {
		t.Errorf("%v, %v", got, err)
	}
	for _, wrong := range []string{
		uri + "x", "homeward://locations/" + d.zoo + "/items/" + d.umbrella, uri + "/photos/x.jpg",
	} {
		if got, err := a.read(wrong); err == nil || !strings.Contains(err.Error(), "not found") {
			t.Errorf("%s: %v, %v", wrong, got, err)
		}
	}
}

func readPhoto(t *testing.T, d *desktop, a agent) {
	res, err := a.CallTool(t.Context(), &sdk.CallToolParams{
		Name: "get_item", Arguments: args{"locationId": d.hotel, "itemId": d.umbrella},
	})
	if err != nil {
		t.Fatal(err)
	}
	uri := res.Content[1].(*sdk.ResourceLink).URI
	photo, err := a.read(uri)
	if err != nil {
		t.Fatal(err)
	}
	image := d.item(d.hotel, d.umbrella)["images"].([]any)[0].(map[string]any)
	r, err := http.Get(image["url"].(string))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	var stored bytes.Buffer
	if _, err := stored.ReadFrom(r.Body); err != nil {
		t.Fatal(err)
	}
	if photo.MIMEType != "image/jpeg" || len(photo.Blob) == 0 || !bytes.Equal(photo.Blob, stored.Bytes()) {
		t.Errorf("the photo has %d bytes of type %s, the stored one %d", len(photo.Blob), photo.MIMEType, stored.Len())
	}
	elsewhere := strings.Replace(strings.Replace(uri, d.umbrella, d.bear, 1), d.hotel, d.zoo, 1)
	if photo, err := a.read(elsewhere); err == nil {
		t.Errorf("the photo can be read as another item's: %v", photo.URI)
	}
}

func missingArgument(_ *testing.T, d *desktop, a agent) {
	a.refuse("get_item", args{"itemId": d.umbrella}, "locationId is required", "list_locations")
	a.refuse("get_item", args{"locationId": 7, "itemId": d.umbrella}, "locationId must be a string")
	a.refuse("search_items", args{"location": []string{d.hotel}, "term": args{"a": 1}}, "term must be a string")
	a.refuse("record_find", args{"locationId": d.hotel}, "description is required")
}

func wrongLimit(_ *testing.T, d *desktop, a agent) {
	a.refuse("search_items", args{"limit": 5}, "limit must be a whole number from 10 to 100")
	a.refuse("search_items", args{"location": []string{d.hotel}, "colour": "red"}, "colour is not a parameter here")
	a.refuse("search_items", args{"location": []string{d.hotel}, "from": "yesterday"}, "from must be a real date")
}

func escapePath(_ *testing.T, d *desktop, a agent) {
	for _, id := range []string{"../keys", "..", ".", d.umbrella + "/messages", d.umbrella + "?limit=10", "%2e%2e"} {
		a.refuse("get_item", args{"locationId": d.hotel, "itemId": id})
		a.refuse("get_item", args{"locationId": id, "itemId": d.umbrella})
	}
}

func knowChanges(t *testing.T, _ *desktop, a agent) {
	res, err := a.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	reading := []string{
		"get_item", "list_locations", "read_thread", "search_items", "search_requests", "suggest_items_for_request",
		"suggest_requests_for_item",
	}
	for _, tool := range res.Tools {
		hints := tool.Annotations
		if tool.Title == "" || len(tool.Description) < 50 || hints.OpenWorldHint == nil {
			t.Errorf("%s says too little about itself: %v", tool.Name, tool)
		}
		if hints.ReadOnlyHint != slices.Contains(reading, tool.Name) ||
			!hints.ReadOnlyHint && hints.DestructiveHint == nil {
			t.Errorf("%s has the hints %+v", tool.Name, hints)
		}
	}
}

func TestAgentsSeeOnlyWhatTheirKeyMay(t *testing.T) {
	t.Parallel()
	reading := []string{
		"get_item", "list_locations", "read_thread", "search_items", "search_requests", "suggest_items_for_request",
		"suggest_requests_for_item",
	}
	writing := []string{"decide_request", "notify_owner", "record_find", "set_status", "write_message"}
	eachTransport(t, func(t *testing.T, d *desktop) {
		for _, c := range []struct {
			name  string
			key   map[string]any
			tools []string
		}{
			{"admin", map[string]any{}, slices.Concat(reading, writing)},
			{"read-only admin", map[string]any{"readOnly": true}, reading},
			{"desk", map[string]any{"role": "desk"}, slices.Concat(reading, writing)},
			{"viewer", map[string]any{"role": "viewer"}, reading},
			{"logger", map[string]any{"role": "logger"}, []string{"list_locations", "record_find"}},
			{"read-only logger", map[string]any{"role": "logger", "readOnly": true}, []string{"list_locations"}},
		} {
			a := d.agentWith(c.key)
			slices.Sort(c.tools)
			if names := a.toolNames(); !slices.Equal(names, c.tools) {
				t.Errorf("%s sees %q, want %q", c.name, names, c.tools)
			}
			_, err := a.CallTool(t.Context(), &sdk.CallToolParams{
				Name: "record_find", Arguments: args{"locationId": d.hotel, "description": "Scissors"},
			})
			if may := slices.Contains(c.tools, "record_find"); (err == nil) != may {
				t.Errorf("%s may record: %t, but got %v", c.name, may, err)
			}
		}
	})
}

func TestAgentsOfOtherAccountsAndLocationsFindNothing(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, d *desktop) {
		_, before := d.listAll("/v1/locations/" + d.hotel + "/items")
		strangers := map[string]agent{
			"another account":  d.agent(d.newAccount()),
			"another location": d.agentWith(map[string]any{"role": "desk", "locations": []string{d.zoo}}),
		}
		for name, a := range strangers {
			a.refuse("get_item", args{"locationId": d.hotel, "itemId": d.umbrella}, "There is no")
			if got := a.call("search_items", args{"location": []string{d.hotel}}); len(data(got)) != 0 {
				t.Errorf("%s found %v", name, got)
			}
			if got := a.call("search_items", args{"term": "umbrella"}); len(data(got)) != 0 {
				t.Errorf("%s found %v at all locations", name, got)
			}
			a.refuse("record_find", args{"locationId": d.hotel, "description": "Hammer"}, "There is no")
			a.refuse("set_status", args{"locationId": d.hotel, "itemId": d.umbrella, "status": "DONATE"}, "There is no")
			a.refuse("decide_request", args{"locationId": d.hotel, "requestId": d.scarf, "type": "reject"},
				"There is no")
			umbrella := args{"locationId": d.hotel, "itemId": d.umbrella}
			a.refuse("notify_owner", umbrella, "There is no")
			a.refuse("read_thread", umbrella, "There is no")
			umbrella["text"] = "Hello"
			a.refuse("write_message", umbrella, "There is no")
			if got, err := a.read("homeward://locations/" + d.hotel + "/items/" + d.umbrella); err == nil {
				t.Errorf("%s reads the item as a resource: %s", name, got.Text)
			}
			for _, location := range data(a.call("list_locations", nil)) {
				if location["id"] == d.hotel {
					t.Errorf("%s sees the hotel", name)
				}
			}
		}
		if _, after := d.listAll("/v1/locations/" + d.hotel + "/items"); after != before {
			t.Errorf("there are %d items, before there were %d", after, before)
		}
		if status := d.item(d.hotel, d.umbrella)["status"]; status != "PENDING" {
			t.Errorf("the item is %v", status)
		}
	})
}
