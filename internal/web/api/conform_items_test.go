package api_test

import "fmt"

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
