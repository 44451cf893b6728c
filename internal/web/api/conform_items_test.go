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
