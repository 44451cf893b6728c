package api_test

import (
	"fmt"
	"strings"

	"homeward/internal/lost"
	"homeward/internal/stays"
)

// tryImages sorts and deletes the images of an item.
func (s *testService) tryImages(at string) {
	s.t.Helper()
	one := s.want(201, "POST", at+"/items", `{"description":"Camera"}`).header.Get("Location")
	s.upload(200, one+"/upload-image", "image", "picture")
	item := s.upload(200, one+"/upload-image", "image", "another picture").record()
	var ids []any
	for _, image := range item["images"].([]any) {
		ids = append(ids, image.(map[string]any)["id"])
	}
	s.want(200, "PUT", one+"/images", fmt.Sprintf(`{"order":[%q,%q]}`, ids[1], ids[0]))
	s.want(422, "PUT", one+"/images", s.example(itemPath+"/images", "put"))
	s.want(204, "DELETE", fmt.Sprintf("%s/images/%s", one, ids[0]), "")
	s.want(404, "DELETE", fmt.Sprintf("%s/images/%s", one, ids[0]), "")
	s.want(204, "DELETE", one, "")
}

// tryBulk creates several items, sets their status and hands one over.
func (s *testService) tryBulk(at string) {
	s.t.Helper()
	const path = itemsPath + "/bulk"
	created := s.want(200, "POST", at+"/items/bulk", s.example(path, "post"), "Idempotency-Key", "bulk")
	again := s.want(200, "POST", at+"/items/bulk", s.example(path, "post"), "Idempotency-Key", "bulk")
	if string(created.body) != string(again.body) {
		s.t.Errorf("the repeated request: %s, want %s", again.body, created.body)
	}
	one := created.record()["results"].([]any)[0].(dict)["item"].(dict)["id"].(string)
	s.want(200, "POST", at+"/items/bulk", `{"items":[{"description":""},{"name":"X"},7,{"description":"Hat"}]}`)
	s.want(422, "POST", at+"/items/bulk", `{"items":[]}`)
	s.want(200, "PUT", at+"/items/bulk-status", s.example(itemsPath+"/bulk-status", "put"))
	s.want(200, "PUT", at+"/items/bulk-status", fmt.Sprintf(`{"ids":[%q,"item_none"],"status":"DONATE"}`, one))
	s.want(422, "PUT", at+"/items/bulk-status", `{"ids":["item_none"],"status":"GONE"}`)

	handOver := itemPath + "/hand-over"
	s.want(422, "POST", at+"/items/"+one+"/hand-over", `{"signature":"?"}`)
	s.want(200, "POST", at+"/items/"+one+"/hand-over", s.example(handOver, "post"), "Idempotency-Key", "given")
	s.want(200, "POST", at+"/items/"+one+"/hand-over", s.example(handOver, "post"), "Idempotency-Key", "given")
	s.want(409, "POST", at+"/items/"+one+"/hand-over", s.example(handOver, "post"))
}

// tryStays looks up guests at a location without a hotel system and guest list, so that nobody is found.
func (s *testService) tryStays(at, one string) {
	s.t.Helper()
	s.want(200, "GET", at+"/stays?room=Room+207&date=2026-11-14", "")
	s.want(422, "GET", at+"/stays", "")
	s.want(422, "GET", at+"/stays?room=207&date=soon", "")
	s.want(404, "POST", one+"/owner-from-stay", `{"stayId":"stay_none"}`)
	s.want(422, "POST", one+"/owner-from-stay", `{}`)
	s.want(422, "POST", one+"/owner-from-stay", `{"stay":"stay_none"}`)
	location := at[strings.LastIndex(at, "/")+1:]
	owner := lost.Actor{Account: s.account, Kind: lost.ByUser, ID: "usr_owner", Role: lost.OwnerRole}
	_, err := s.desk.Stays.AddList(s.t.Context(), owner, location, stays.Upload{
		Content: []byte("room,departure,name,email\n207,2026-11-14,Anna Kowalska,anna@example.com\n"), Days: 30,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	found := s.want(200, "GET", at+"/stays?room=Room+207&date=2026-11-14", "").record()["data"].([]any)
	id := found[0].(dict)["id"].(string)
	hat := s.want(201, "POST", at+"/items", `{"description":"Hat"}`).header.Get("Location")
	s.want(200, "POST", hat+"/owner-from-stay", `{"stayId":"`+id+`"}`, "Idempotency-Key", "stay")
	s.want(200, "POST", hat+"/owner-from-stay", `{"stayId":"`+id+`"}`, "Idempotency-Key", "stay")
	s.want(409, "POST", one+"/owner-from-stay", `{"stayId":"`+id+`"}`)
}

// tryThreadPhotos writes messages with photos in the conversation about a request.
func (s *testService) tryThreadPhotos(thread string) {
	s.t.Helper()
	write := func(status int, files ...formFile) response {
		s.t.Helper()
		form, kind := fileForm(files...)
		return s.want(status, "POST", thread, form, "Content-Type", kind)
	}
	photo := formFile{"image", "picture"}
	m := write(201, formFile{"text", "Is it this one?"}, photo, photo).record()
	if m["text"] != "Is it this one?" || len(m["images"].([]any)) != 2 {
		s.t.Errorf("got %v, want a text and two images", m)
	}
	if m := write(201, photo).record(); m["text"] != "" || len(m["images"].([]any)) != 1 {
		s.t.Errorf("got %v, want an image without text", m)
	}
	write(422)
	write(422, formFile{"text", " "})
	write(422, photo, formFile{"text", "too late"})
	write(422, formFile{"text", "a"}, formFile{"note", "b"})
	write(422, formFile{"text", "a"}, photo, photo, photo, photo, photo, photo)
	write(415, formFile{"text", "a"}, formFile{"image", "text"})
	write(413, formFile{"text", "a"}, formFile{"image", "large"})
	form, kind := fileForm(formFile{"text", "Once"}, photo)
	first := s.want(201, "POST", thread, form, "Content-Type", kind, "Idempotency-Key", "thread-photo").record()
	again := s.want(201, "POST", thread, form, "Content-Type", kind, "Idempotency-Key", "thread-photo").record()
	if first["id"] != again["id"] {
		s.t.Errorf("a repeated message was added twice: %v and %v", first["id"], again["id"])
	}
}
