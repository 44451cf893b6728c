package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"homeward/internal/web/api"
)

func TestTheClientsAreUpToDate(t *testing.T) {
	text, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	files, err := generate(text)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", "..", "..", name))
		if err != nil {
			t.Error(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from the OpenAPI document: run make clients", name)
		}
	}
}

// grown is a document with everything that may be added to the API: headers, cursors, repeated parameters, maps whose
// values may be null, and alternatives.
const grown = `{
  "openapi": "3.1.1", "info": {"title": "T", "version": "v1", "description": "D"},
  "tags": [{"name": "Things", "description": "D"}],
  "paths": {"/v1/things/{id}/parts": {"get": {
    "operationId": "list-parts", "tags": ["Things"], "summary": "List parts", "description": "D",
    "parameters": [
      {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}},
      {"name": "location", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}},
      {"name": "updatedSince", "in": "query", "schema": {"type": "string", "format": "date-time"}},
      {"name": "cursor", "in": "query", "schema": {"type": "string"}},
      {"name": "If-None-Match", "in": "header", "schema": {"type": "string"}}
    ],
    "responses": {
      "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/PartList"}}}},
      "default": {"description": "A problem."}
    }
  }}},
  "components": {"schemas": {
    "Part": {"type": "object", "required": ["id"], "properties": {
      "id": {"type": "string"},
      "state": {"type": "string", "title": "PartState", "x-extensible-enum": ["on hold", "*"]},
      "choice": {"oneOf": [{"type": "string"}, {"type": "number"}]}
    }},
    "DeletedPart": {"type": "object", "required": ["id", "deleted"], "properties": {
      "id": {"type": "string"}, "deleted": {"type": "boolean"}
    }},
    "ListedPart": {"oneOf": [{"$ref": "#/components/schemas/Part"}, {"$ref": "#/components/schemas/DeletedPart"}]},
    "PartList": {"type": "object", "required": ["data"], "properties": {
      "data": {"type": "array", "items": {"$ref": "#/components/schemas/ListedPart"}}, "next": {"type": "string"}
    }},
    "PartPatch": {"type": "object", "additionalProperties": false, "properties": {
      "metadata": {"type": ["object", "null"], "additionalProperties": {"type": ["string", "null"]}},
      "state": {"type": "string", "title": "PartState", "enum": ["on hold"]}
    }}
  }}
}`

func TestTheGeneratorCopesWithAGrowingDocument(t *testing.T) {
	files, err := generate([]byte(grown))
	if err != nil {
		t.Fatal(err)
	}
	for name, wants := range map[string][]string{
		"clients/go/api.go": {
			"PartStateOnHold PartState = \"on hold\"", "PartStateAll", "func WithIfNoneMatch(value string) CallOption",
			"`json:\"metadata,omitzero\"`", "Field[map[string]*string]", "func (r Part) Patch() (PartPatch, error)",
			"func (c *Client) AllParts(ctx context.Context, thingID string", "query.Cursor = list.Next",
			"iter.Seq2[ListedPart, error]", "type ListedPart struct {\n\tPart\n",
			"Deleted *bool `json:\"deleted,omitzero\"`",
			`addTexts(values, "location", q.Location)`, `addTime(values, "updatedSince", q.UpdatedSince)`,
		},
		"clients/typescript/src/api.ts": {
			`OnHold: "on hold"`, "ifNoneMatch?: string", "metadata?: Record<string, string | null> | null",
			"allParts(thingId: string", "eachByCursor(", "location?: string[]", "choice?: unknown",
			"export interface ListedPart extends Part {", "deleted?: boolean",
		},
		"clients/postman/homeward.collection.json": {`"raw": "{{base}}/v1/things/:id/parts"`, `"If-None-Match"`},
	} {
		for _, want := range wants {
			if !strings.Contains(string(files[name]), want) {
				t.Errorf("%s does not contain %s:\n%s", name, want, files[name])
			}
		}
	}
}

func TestTwoTypesWithOneNameAreAnError(t *testing.T) {
	clash := strings.Replace(grown, `"title": "PartState"`, `"title": "Part"`, 1)
	if _, err := generate([]byte(clash)); err == nil || !strings.Contains(err.Error(), "Part") {
		t.Errorf("got the error %v", err)
	}
}
