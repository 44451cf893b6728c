package apitest_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"homeward/internal/web/api/apitest"
)

const small = `{
  "openapi": "3.1.1",
  "info": {"title": "Umbrellas", "version": "1"},
  "paths": {
    "/v1/umbrellas": {
      "get": {
        "operationId": "list",
        "parameters": [
          {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 10}},
          {"name": "color", "in": "query", "schema": {"type": "array", "items": {"enum": ["red", "black"]}}}
        ],
        "responses": {"200": {"description": "", "content": {"application/json": {"schema": {
          "type": "array", "items": {"$ref": "#/components/schemas/Umbrella"}}}}}}
      },
      "post": {
        "operationId": "create",
        "requestBody": {"required": true, "content": {"application/json": {
          "schema": {"$ref": "#/components/schemas/UmbrellaInput"}}}},
        "responses": {
          "201": {
            "description": "",
            "headers": {
              "Location": {"required": true, "schema": {"type": "string"}},
              "Left": {"$ref": "#/components/headers/Left"}
            },
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Umbrella"}}}
          },
          "422": {"$ref": "#/components/responses/invalid"}
        }
      }
    },
    "/v1/umbrellas/{id}": {
      "delete": {"operationId": "delete", "responses": {"204": {"description": ""}}}
    },
    "/v1/umbrellas/{id}/photo": {
      "put": {
        "operationId": "photo",
        "requestBody": {"required": true, "content": {"multipart/form-data": {"schema": {
          "type": "object", "required": ["photo"], "properties": {"photo": {"type": "string"}}}}}},
        "responses": {"204": {"description": ""}}
      }
    }
  },
  "components": {
    "headers": {"Left": {"schema": {"type": "integer"}}},
    "responses": {
      "invalid": {"description": "", "content": {"application/problem+json": {
        "schema": {"$ref": "#/components/schemas/Problem"}}}},
      "not-found": {"description": "", "content": {"application/problem+json": {
        "schema": {"$ref": "#/components/schemas/Problem"}}}},
      "problem": {
        "description": "",
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
      }
    },
    "schemas": {
      "Problem": {"type": "object", "properties": {"status": {"type": "integer"}}, "required": ["status"]},
      "Umbrella": {
        "type": "object", "required": ["id", "color"], "additionalProperties": false,
        "properties": {
          "id": {"type": "string"}, "color": {"type": "string"}, "found": {"type": "string", "format": "date"},
          "owner": {"type": "string", "format": "idn-email"}
        }
      },
      "UmbrellaInput": {
        "type": "object", "required": ["color"], "additionalProperties": false,
        "properties": {"color": {"type": "string", "maxLength": 5}}
      }
    }
  }
}`

// reply is the fixed response of a test server.
type reply struct {
	status int
	header string // "Name: value", one per line
	body   string
}

const (
	asJSON    = "Content-Type: application/json; charset=utf-8\n"
	asProblem = "Content-Type: application/problem+json\n"
	made      = asJSON + "Location: /v1/umbrellas/1\n"
)

func TestTheCheckerReportsDifferences(t *testing.T) {
	red := `{"color":"red"}`
	one := `{"id":"1","color":"red"}`
	for name, c := range map[string]struct {
		method, path, sent string
		reply              reply
		want               string // a part of the reported error; "" if no error is expected
	}{
		"a good exchange": {"POST", "/v1/umbrellas", red, reply{201, made, one}, ""},
		"with optional fields": {
			"POST", "/v1/umbrellas", red,
			reply{201, made + "Left: 3\n",
				`{"id":"1","color":"red","found":"2026-11-14","owner":"anna@müller.example"}`}, "",
		},
		"an undocumented status": {
			"POST", "/v1/umbrellas", red, reply{202, made, one}, "status is not documented",
		},
		"an extra field": {
			"POST", "/v1/umbrellas", red, reply{201, made, `{"id":"1","color":"red","size":3}`},
			"additional properties 'size' not allowed",
		},
		"a missing field": {
			"POST", "/v1/umbrellas", red, reply{201, made, `{"id":"1"}`}, "missing property 'color'",
		},
		"a wrong type": {
			"POST", "/v1/umbrellas", red, reply{201, made, `{"id":1,"color":"red"}`},
			"at '/id': got number, want string",
		},
		"an invalid date": {
			"POST", "/v1/umbrellas", red, reply{201, made, `{"id":"1","color":"red","found":"2026-02-30"}`},
			"is not valid date",
		},
		"an invalid e-mail address": {
			"POST", "/v1/umbrellas", red, reply{201, made, `{"id":"1","color":"red","owner":"anna"}`},
			"is not valid idn-email",
		},
		"a fault deep in a list": {
			"GET", "/v1/umbrellas", "", reply{200, asJSON, `[` + one + `,{"id":"2"}]`},
			"at '/1': missing property 'color'",
		},
		"a body that is not JSON": {"POST", "/v1/umbrellas", red, reply{201, made, `{"id":`}, "not JSON"},
		"an undocumented content type": {
			"POST", "/v1/umbrellas", red, reply{201, "Content-Type: text/html\nLocation: /\n", one},
			`content type "text/html" is not documented`,
		},
		"a missing header": {
			"POST", "/v1/umbrellas", red, reply{201, asJSON, one}, "header Location is missing",
		},
		"a header of a wrong type": {
			"POST", "/v1/umbrellas", red, reply{201, made + "Left: some\n", one}, "header Left",
		},
		"a problem": {"POST", "/v1/umbrellas", `{}`, reply{422, asProblem, `{"status":422}`}, ""},
		"a problem with another status": {
			"POST", "/v1/umbrellas", `{}`, reply{422, asProblem, `{"status":400}`}, "its status is 400",
		},
		"a problem as a plain record": {
			"POST", "/v1/umbrellas", `{}`, reply{422, asJSON, `{"status":422}`}, "is not documented",
		},
		"no body": {"DELETE", "/v1/umbrellas/1", "", reply{204, "", ""}, ""},
		"an unexpected body": {
			"DELETE", "/v1/umbrellas/1", "", reply{200, asJSON, one}, "status is not documented",
		},
		"an unknown address":            {"GET", "/v1/parasols", "", reply{404, asProblem, `{"status":404}`}, ""},
		"an unknown address that works": {"GET", "/v1/parasols", "", reply{200, asJSON, `{}`}, "no such operation"},
		"an unknown method": {
			"PATCH", "/v1/umbrellas", red, reply{405, asProblem + "Allow: GET, POST\n", `{"status":405}`}, "",
		},
		"an unknown method, no Allow": {
			"PATCH", "/v1/umbrellas", red, reply{405, asProblem, `{"status":405}`}, "header Allow is missing",
		},
		"an unknown method that works": {
			"PATCH", "/v1/umbrellas/1", red, reply{200, asJSON, one}, "no such operation",
		},
		"a request without a field": {
			"POST", "/v1/umbrellas", `{}`, reply{201, made, one}, "accepted a request that the document forbids",
		},
		"a request with an extra field": {
			"POST", "/v1/umbrellas", `{"color":"red","size":3}`, reply{201, made, one},
			"accepted a request that the document forbids",
		},
		"a request with a long text": {
			"POST", "/v1/umbrellas", `{"color":"orange"}`, reply{201, made, one},
			"accepted a request that the document forbids",
		},
		"a request with white space": {"POST", "/v1/umbrellas", `{"color":"    red "}`, reply{201, made, one}, ""},
		"a request without a body": {
			"POST", "/v1/umbrellas", "", reply{201, made, one}, "accepted without the body",
		},
		"a good query": {
			"GET", "/v1/umbrellas?limit=10&color=red&color=black&x=1", "", reply{200, asJSON, `[]`}, "",
		},
		"a number too small": {
			"GET", "/v1/umbrellas?limit=9", "", reply{200, asJSON, `[]`},
			"accepted a query that the document forbids: limit",
		},
		"not a number": {
			"GET", "/v1/umbrellas?limit=ten", "", reply{200, asJSON, `[]`},
			"accepted a query that the document forbids: limit",
		},
		"a value that is not in a list": {
			"GET", "/v1/umbrellas?color=blue", "", reply{200, asJSON, `[]`},
			"accepted a query that the document forbids: color",
		},
		"a head":                         {"HEAD", "/v1/umbrellas", "", reply{200, asJSON, ""}, ""},
		"an address that is not the API": {"GET", "/healthz", "", reply{500, "", "x"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			reports, body := run(t, c.method, c.path, "application/json", c.sent, c.reply)
			switch {
			case c.want == "" && len(reports) > 0:
				t.Errorf("unexpected report: %v", reports)
			case c.want != "" && (len(reports) != 1 || !strings.Contains(reports[0].Error(), c.want)):
				t.Errorf("reported: %v\nwant one with: %s", reports, c.want)
			}
			if body != c.reply.body {
				t.Errorf("the client read %q, the service wrote %q", body, c.reply.body)
			}
		})
	}
}

func TestAFormNeedsItsPart(t *testing.T) {
	for part, fault := range map[string]string{"photo": "", "picture": "missing property 'photo'"} {
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		f, _ := w.CreateFormFile(part, "a.png")
		fmt.Fprint(f, "bytes")
		_ = w.Close()
		reports, _ := run(t, "PUT", "/v1/umbrellas/1/photo", w.FormDataContentType(), form.String(), reply{status: 204})
		if got := fmt.Sprint(reports); (fault == "") != (len(reports) == 0) || !strings.Contains(got, fault) {
			t.Errorf("form with the part %s: got the reports %s", part, got)
		}
	}
}

func TestAnOperationIsUnseenUntilItSucceeds(t *testing.T) {
	checker := conform(t, small)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()
	client := &http.Client{Transport: checker.Transport(nil, func(err error) { t.Error(err) })}
	before := fmt.Sprint(checker.Unseen())
	req, _ := http.NewRequest(http.MethodDelete, server.URL+"/v1/umbrellas/1", nil)
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if after := fmt.Sprint(checker.Unseen()); before != "[create delete list photo]" || after != "[create list photo]" {
		t.Errorf("unseen operations: got %s before the request and %s after it", before, after)
	}
}

func TestALargeBodyIsPassedOn(t *testing.T) {
	const size = 20 << 20
	reports, body := run(t, "GET", "/v1/umbrellas", "", "", reply{200, asJSON, strings.Repeat(" ", size)})
	if len(body) != size || len(reports) != 1 || !strings.Contains(reports[0].Error(), "too large") {
		t.Errorf("the client received %d bytes, and the checker reported %v", len(body), reports)
	}
}

func TestADocumentWithABadSchemaIsRefused(t *testing.T) {
	for _, bad := range []string{
		strings.Replace(small, `"type": "array"`, `"type": "list"`, 1),
		strings.Replace(small, `schemas/UmbrellaInput"`, `schemas/Nothing"`, 1),
		`[`,
	} {
		if _, err := apitest.NewChecker([]byte(bad)); err == nil {
			t.Error("the document was accepted")
		}
	}
}

func conform(t *testing.T, doc string) *apitest.Checker {
	t.Helper()
	c, err := apitest.NewChecker([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// run sends one request to a test server with a fixed response, and returns what the checker reported and the body.
func run(t *testing.T, method, path, contentType, sent string, r reply) (reports []error, body string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		for line := range strings.Lines(r.header) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			w.Header().Set(name, value)
		}
		w.WriteHeader(r.status)
		_, _ = io.WriteString(w, r.body)
	}))
	defer server.Close()
	client := &http.Client{Transport: conform(t, small).Transport(nil, func(err error) {
		reports = append(reports, err)
	})}
	req, err := http.NewRequest(method, server.URL+path, strings.NewReader(sent))
	if err != nil {
		t.Fatal(err)
	}
	if sent != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reports, string(got)
}
