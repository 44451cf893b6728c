package main

import (
	"strings"
	"text/template"
)

// writeTypeScript returns the generated file of the TypeScript client.
func writeTypeScript(m *model) ([]byte, error) {
	return render("typescript.tmpl", m, template.FuncMap{
		"pascal": pascal, "camel": camel, "all": func(id string) string { return camel(allName(id)) },
		"type": tsType, "optional": tsOptional, "comment": tsComment, "methodPath": tsPath,
		"headerOptions": func(headers []parameter) string {
			var members []string
			for _, h := range headers {
				members = append(members, camel(h.Name)+`: "`+h.Name+`"`)
			}
			return strings.Join(members, ", ")
		},
	})
}

func tsComment(indent string, texts ...string) string {
	text := strings.ReplaceAll(strings.Join(texts, " "), "*/", "*\\/")
	lines := wrapped(text, indent+" * ", 118)
	if !strings.Contains(lines, "\n") && len(lines) < 114 {
		return indent + "/** " + strings.TrimSpace(text) + " */"
	}
	return indent + "/**\n" + lines + "\n" + indent + " */"
}

// tsType returns the TypeScript type of a value that is present.
func tsType(k kind) string {
	switch k.Base {
	case "integer", "number":
		return "number"
	case "boolean":
		return "boolean"
	case "record", "enum":
		return k.Name
	case "list":
		return tsType(*k.Of) + "[]"
	case "map":
		if k.Null {
			return "Record<string, " + tsType(*k.Of) + " | null>"
		}
		return "Record<string, " + tsType(*k.Of) + ">"
	case "any":
		return "unknown"
	default: // times are texts, so that a record that is sent back is exactly what was read
		return "string"
	}
}

// tsOptional returns the separator and the type of a field.
func tsOptional(f field) string {
	t := tsType(f.Type)
	if f.Nullable {
		t += " | null"
	}
	if f.Required {
		return ": " + t
	}
	return "?: " + t
}

// tsPath returns the expression for the path of a call, with escaped arguments.
func tsPath(c *call) string {
	path := c.Path
	for _, p := range c.PathParameters {
		path = strings.Replace(path, "{"+p.Wire+"}", "${encodeURIComponent("+camel(p.Name)+")}", 1)
	}
	if len(c.PathParameters) == 0 {
		return `"` + path + `"`
	}
	return "`" + path + "`"
}
