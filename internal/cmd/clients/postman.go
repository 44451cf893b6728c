package main

import (
	"bytes"
	"encoding/json"
	"strings"
)

// A Postman collection, format 2.1.
type (
	collection struct {
		Info     collectionInfo `json:"info"`
		Auth     collectionAuth `json:"auth"`
		Variable []variable     `json:"variable"`
		Item     []folder       `json:"item"`
	}
	collectionInfo struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Schema      string `json:"schema"`
	}
	collectionAuth struct {
		Type   string     `json:"type"`
		Bearer []variable `json:"bearer"`
	}
	folder struct {
		Name        string        `json:"name"`
		Description string        `json:"description"`
		Item        []requestItem `json:"item"`
	}
	requestItem struct {
		Name    string         `json:"name"`
		Request postmanRequest `json:"request"`
	}
	postmanRequest struct {
		Method      string       `json:"method"`
		Description string       `json:"description"`
		Header      []variable   `json:"header"`
		URL         postmanURL   `json:"url"`
		Body        *postmanBody `json:"body,omitempty"`
	}
	postmanURL struct {
		Raw      string     `json:"raw"`
		Host     []string   `json:"host"`
		Path     []string   `json:"path"`
		Query    []variable `json:"query,omitempty"`
		Variable []variable `json:"variable,omitempty"`
	}
	postmanBody struct {
		Mode     string         `json:"mode"`
		Raw      string         `json:"raw,omitempty"`
		FormData []formPart     `json:"formdata,omitempty"`
		Options  map[string]any `json:"options,omitempty"`
	}
	formPart struct {
		Key  string `json:"key"`
		Type string `json:"type"`
		Src  string `json:"src"`
	}
	variable struct {
		Key         string `json:"key"`
		Value       string `json:"value"`
		Type        string `json:"type,omitempty"`
		Description string `json:"description,omitempty"`
		Disabled    bool   `json:"disabled,omitempty"` // optional parameters are not sent unless somebody enables them
	}
)

// writePostman returns the Postman collection.
func writePostman(doc *document) ([]byte, error) {
	c := collection{
		Info: collectionInfo{
			Name: doc.Info.Title + " " + doc.Info.Version, Description: doc.Info.Description,
			Schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
		},
		Auth:     collectionAuth{"bearer", []variable{{Key: "token", Value: "{{key}}", Type: "string"}}},
		Variable: []variable{{Key: "base", Value: "http://127.0.0.1:8080"}, {Key: "key", Value: ""}},
	}
	for _, tag := range doc.Tags {
		f := folder{Name: tag.Name, Description: tag.Description}
		for _, path := range doc.Paths {
			for _, op := range path.value {
				if op.value.Tags[0] != tag.Name {
					continue
				}
				item, err := newRequestItem(strings.ToUpper(op.name), path.name, op.value)
				if err != nil {
					return nil, err
				}
				f.Item = append(f.Item, item)
			}
		}
		c.Item = append(c.Item, f)
	}
	return encodeIndented(c)
}

func newRequestItem(method, path string, op operation) (requestItem, error) {
	for _, p := range op.Parameters {
		if p.In == "path" {
			path = strings.Replace(path, "{"+p.Name+"}", ":"+p.Name, 1)
		}
	}
	r := postmanRequest{
		Method: method, Description: op.Description, Header: []variable{},
		URL: postmanURL{
			Raw: "{{base}}" + path, Host: []string{"{{base}}"}, Path: strings.Split(strings.Trim(path, "/"), "/"),
		},
	}
	for _, p := range op.Parameters {
		v := variable{Key: p.Name, Value: p.sample(), Description: p.Description, Disabled: !p.Required}
		switch p.In {
		case "path":
			r.URL.Variable = append(r.URL.Variable, v)
		case "query":
			r.URL.Query = append(r.URL.Query, v)
		case "header":
			r.Header = append(r.Header, v)
		}
	}
	if op.RequestBody == nil {
		return requestItem{op.Summary, r}, nil
	}
	for _, content := range op.RequestBody.Content {
		if r.Body != nil { // the first one is enough
			break
		}
		body, err := newPostmanBody(content)
		if err != nil {
			return requestItem{}, err
		}
		r.Body = body
	}
	return requestItem{op.Summary, r}, nil
}

func newPostmanBody(content named[media]) (*postmanBody, error) {
	if content.name == "multipart/form-data" {
		body := &postmanBody{Mode: "formdata"}
		for _, p := range content.value.Schema.Properties {
			body.FormData = append(body.FormData, formPart{Key: p.name, Type: "file"})
		}
		return body, nil
	}
	var example bytes.Buffer
	if err := json.Indent(&example, content.value.Example, "", "  "); err != nil {
		return nil, err
	}
	language := map[string]any{"raw": map[string]any{"language": "json"}}
	return &postmanBody{Mode: "raw", Raw: example.String(), Options: language}, nil
}

// sample returns the example of a parameter as a text.
func (p parameter) sample() string {
	s := p.Schema
	if s.Items != nil {
		s = s.Items
	}
	example := p.Example
	if example == nil && len(s.Examples) > 0 {
		example = s.Examples[0]
	}
	if text, is := example.(string); is || example == nil {
		return text
	}
	text, _ := json.Marshal(example) // it was decoded from JSON
	return string(text)
}

func encodeIndented(v any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(v)
	return out.Bytes(), err
}
