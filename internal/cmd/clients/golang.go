package main

import (
	"bytes"
	"embed"
	"fmt"
	"go/format"
	"strings"
	"text/template"
)

//go:embed templates
var templateFiles embed.FS

// writeGo returns the generated file of the Go client.
func writeGo(m *model) ([]byte, error) {
	text, err := render("go.tmpl", m, template.FuncMap{
		"name": goName, "argument": goArgument, "all": func(id string) string { return goName(allName(id)) },
		"type": goType, "field": goField, "comment": goComment, "methodPath": goPath, "queryLine": goQueryLine,
		"base":       func(name string) string { return strings.TrimSuffix(name, "Patch") },
		"headerName": func(name string) string { return "With" + goName(name) },
	})
	if err != nil {
		return nil, err
	}
	formatted, err := format.Source(text)
	if err != nil {
		return nil, fmt.Errorf("format the Go client: %w", err)
	}
	return formatted, nil
}

// render executes a template.
func render(name string, data any, functions template.FuncMap) ([]byte, error) {
	t, err := template.New(name).Funcs(functions).ParseFS(templateFiles, "templates/"+name)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, data)
	return out.Bytes(), err
}

func goComment(indent, text string) string { return wrapped(text, indent+"// ", 110) }

// goType returns the Go type of a value that is present.
func goType(k kind) string {
	switch k.Base {
	case "integer":
		return "int"
	case "number":
		return "float64"
	case "boolean":
		return "bool"
	case "time":
		return "time.Time"
	case "record", "enum":
		return k.Name
	case "list":
		return "[]" + goType(*k.Of)
	case "map":
		if k.Null {
			return "map[string]*" + goType(*k.Of)
		}
		return "map[string]" + goType(*k.Of)
	case "any":
		return "json.RawMessage"
	default:
		return "string"
	}
}

// goField returns the type and the tag of a field.
//
// A field of an input that may be left out is a Field, which tells absent, null and a value apart. A field of a
// response that may be absent is a pointer only if its zero value would be ambiguous: a record, a number or a boolean.
func goField(r *record, f field) string {
	t, tag := goType(f.Type), f.Name
	switch {
	case f.Required && !f.Nullable:
	case r.Input:
		t, tag = "Field["+t+"]", tag+",omitzero"
	default:
		tag += ",omitzero"
		switch f.Type.Base {
		case "record", "integer", "number", "boolean":
			t = "*" + t
		}
	}
	return fmt.Sprintf("%s `json:%q`", t, tag)
}

// goPath returns the expression for the path of a call, with escaped arguments.
func goPath(c *call) string {
	path := fmt.Sprintf("%q", c.Path)
	for _, p := range c.PathParameters {
		path = strings.Replace(path, "{"+p.Wire+"}", `" + url.PathEscape(`+goArgument(p.Name)+`) + "`, 1)
	}
	return strings.TrimSuffix(path, ` + ""`)
}

// goQueryLine returns the statement that adds a parameter to the query, unless it has its zero value.
func goQueryLine(f field) string {
	function := map[string]string{
		"integer": "addNumber", "number": "addNumber", "boolean": "addFlag", "time": "addTime", "list": "addTexts",
	}[f.Type.Base]
	if function == "" {
		function = "addText"
	}
	return fmt.Sprintf("%s(values, %q, q.%s)", function, f.Name, goName(f.Name))
}
