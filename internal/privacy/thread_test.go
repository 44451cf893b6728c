package privacy_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/testkit"
)

// What a person wrote and was written is exported and erased, also if the item has another owner now.
func TestConversationsAreExportedAndErased(t *testing.T) {
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		write := func(i lost.Item, text string) {
			f.T.Helper()
			d := desk.Draft{Via: lost.ViaPage, ThreadPatch: lost.ThreadPatch{Text: lost.Set(text)}}
			testkit.Must(f.Services.Threads.Write(f.T.Context(), f.Actor, f.Location.ID, i.ID, d,
				lost.IdempotencyKey{}))
		}
		own := f.NewItem(testkit.ItemOwnedBy("Hat", "anna@example.com"))
		write(own, "About the hat")
		write(f.Item, "About the umbrella")
		bert := lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("bert@example.com")})}
		f.Item = testkit.Must(f.Services.Items.Update(f.T.Context(), f.Actor, f.Location.ID, f.Item.ID, bert))
		write(f.Item, "To Bert")
		// Somebody else answers for Bert.
		link, _, err := f.DB.LinkForAddress(f.T.Context(), f.Item.Account, f.Item.ID, "bert@example.com")
		if err != nil {
			f.T.Fatal(err)
		}
		for from, text := range map[string]string{"eve@example.com": "From Eve", "kim@example.com": "From Kim"} {
			rejection, err := f.Services.Threads.ReceiveReply(f.T.Context(), desk.Reply{
				Token: testkit.Must(f.DB.ReplyToken(link)), From: from, Text: text, Via: lost.ViaEmail,
				ExternalID: from, Omitted: []string{"letter to anna@example.com (1).pdf"},
			})
			if rejection != "" || err != nil {
				f.T.Fatalf("got %q, %v", rejection, err)
			}
		}
		anna := lost.PersonPatch{Email: lost.Set("Anna@example.com")}
		owner := f.Person("usr_owner", lost.OwnerRole)
		var out bytes.Buffer
		if err := f.Services.People.ExportPerson(f.T.Context(), owner, anna, &out); err != nil {
			f.T.Fatal(err)
		}
		if text := out.String(); !strings.Contains(text, "About the hat") ||
			!strings.Contains(text, "About the umbrella") || strings.Contains(text, "To Bert") {
			f.T.Errorf("got the export %s", text)
		}
		eve := lost.PersonPatch{Email: lost.Set("EVE@example.com")}
		out.Reset()
		if err := f.Services.People.ExportPerson(f.T.Context(), owner, eve, &out); err != nil {
			f.T.Fatal(err)
		}
		if text := out.String(); !strings.Contains(text, "From Eve") || strings.Contains(text, "From Kim") ||
			strings.Contains(text, "To Bert") {
			f.T.Errorf("got the export %s", text)
		}
		testkit.Must(f.Services.People.EraseNow(f.T.Context(), owner, anna))
		testkit.Must(f.Services.People.EraseNow(f.T.Context(), owner, eve))
		for _, i := range []lost.Item{own, f.Item} {
			list := testkit.Must(f.DB.Thread(f.T.Context(), i.Account, i.ID, lost.FirstPage()))
			for _, m := range list.Data {
				if m.Text != "To Bert" && m.Text != "From Kim" {
					f.T.Errorf("the message %q was not erased", m.Text)
				}
				if slices.ContainsFunc(m.Omitted, func(name string) bool { return strings.Contains(name, "anna@") }) {
					f.T.Errorf("the names of attachments %q were not erased", m.Omitted)
				}
			}
		}
		left := testkit.Must(f.DB.Thread(f.T.Context(), f.Item.Account, f.Item.ID, lost.FirstPage()))
		if left.Count != 2 {
			f.T.Errorf("got %d messages to Bert and from Kim, want 2", left.Count)
		}
	})
}
