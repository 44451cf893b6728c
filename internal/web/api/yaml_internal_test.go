package api

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

func TestTheYAMLDocumentEqualsTheJSONDocument(t *testing.T) {
	document, err := openAPI(handlers{}.operations())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{
		"the OpenAPI document": document,
		"special cases": []byte(`{"no":"yes","null":null,"a b":[],"empty":{},"list":[[1,2.50],[{}],["- x: #y"]],` +
			`"text":"a\n\"b\"<&>\u2028: '","12345678":true,"y":-0.0001}`),
	} {
		converted, err := yamlOf(text)
		if err != nil {
			t.Fatal(err)
		}
		var want, got any
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(converted, &got); err != nil {
			t.Fatalf("%s: %v\n%.2000s", name, err, converted)
		}
		again, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		var same any
		if err := json.Unmarshal(again, &same); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, same); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}
