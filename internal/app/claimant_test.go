package app_test

import (
	"net/http"
	"strings"
	"testing"

	"homeward/internal/message/mailtest"
	"homeward/internal/store/storetest"
)

// Until the desk has decided, a claimant learns nothing about found items, however well they match: neither from
// e-mails, nor from the linked page, nor from webhooks about the request.
func TestClaimantsLearnNothingAboutFoundItems(t *testing.T) {
	t.Parallel()
	i := newSite(t, storetest.SQLite(t), hotelAdler())
	found := i.must(http.StatusCreated, "POST", i.location+"/items", map[string]any{
		"description":    "Omega wristwatch, silver, leather strap by Zwirnmeister, engraved 4711",
		"discoveryPlace": "Sauna, under the bench", "notes": "Smells of lavender",
	})
	const to = "greta@example.com"
	request := i.location + "/requests/" + i.must(http.StatusCreated, "POST", i.location+"/requests", map[string]any{
		"description": "My silver Omega watch with a leather strap, engraved 4711",
		"owner":       map[string]any{"email": to, "firstName": "Greta"},
	})["id"].(string)
	matches, _ := i.listAll(request + "/matches") // waits for pending matching
	if len(matches) != 1 || matches[0]["itemId"] != found["id"] || matches[0]["likelihood"] != "likely" {
		t.Fatalf("there is no match to hide: %v", matches)
	}
	i.must(http.StatusOK, "PUT", request+"/update-status", map[string]any{"type": "reject", "reason": "We are sorry."})

	texts := map[string]string{}
	var last mailtest.Mail
	for _, about := range []string{"report", "answer"} {
		last = i.mails.Next(t, to)
		texts["the mail with the "+about] = last.Raw + subject(last) + last.Text + last.HTML
	}
	link, err := http.NewRequest(http.MethodGet, last.Link(i.url+"/g/"), nil)
	if err != nil {
		t.Fatal(err)
	}
	page, err := send(i.unchecked, link)
	if err != nil || page.status != http.StatusOK {
		t.Fatal(page.status, err)
	}
	texts["the page"] = string(page.body)
	texts["the request"] = string(i.do(i.key, "GET", request, nil).body)
	_, events := i.listAll("/v1/events")
	i.hooks.waitForRequests(t, events)
	for _, r := range i.hooks.listAll() {
		if strings.Contains(string(r.body), request[strings.LastIndexByte(request, '/')+1:]) {
			texts["the webhook of the request"] = string(r.body)
		}
	}
	if len(texts) != 5 {
		t.Errorf("only %d texts were searched", len(texts))
	}
	secrets := []string{
		found["id"].(string), found["reference"].(string), "Zwirnmeister", "Sauna", "lavender", "likely", "/matches",
	}
	for _, reason := range matches[0]["reasons"].([]any) {
		secrets = append(secrets, reason.(string))
	}
	for where, text := range texts {
		for _, secret := range secrets {
			if text == "" || strings.Contains(strings.ToLower(text), strings.ToLower(secret)) {
				t.Errorf("%s (%d bytes) contains %q", where, len(text), secret)
			}
		}
	}
}
