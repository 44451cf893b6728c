package mcp

// argument describes one argument of a tool: its name, and a JSON Schema for its value.
type argument struct {
	name     string
	schema   map[string]any
	required bool
}

// require returns the argument as one that must be sent.
func (a argument) require() argument {
	a.required = true
	return a
}

func value(name, about string, schema map[string]any) argument {
	schema["description"] = about
	return argument{name: name, schema: schema}
}

func text(name, about string, maxLength int) argument {
	return value(name, about, map[string]any{"type": "string", "maxLength": maxLength})
}

func texts(name, about string, maxLength, maxItems int) argument {
	return value(name, about, map[string]any{
		"type": "array", "items": map[string]any{"type": "string", "maxLength": maxLength}, "maxItems": maxItems,
	})
}

func day(name, about string) argument {
	return value(name, about, map[string]any{"type": "string", "format": "date"})
}

func timeOfDay(name, about string) argument {
	return value(name, about, map[string]any{"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"})
}

func currency(name, about string) argument {
	return value(name, about, map[string]any{"type": "string", "pattern": "^[A-Za-z]{3}$"})
}

func number(name, about string, schema map[string]any) argument {
	schema["type"] = "number"
	return value(name, about, schema)
}

func integer(name, about string, schema map[string]any) argument {
	schema["type"] = "integer"
	return value(name, about, schema)
}

func flag(name, about string) argument { return value(name, about, map[string]any{"type": "boolean"}) }

func oneOf[T ~string](name, about string, allowed []T) argument {
	return value(name, about, map[string]any{"type": "string", "enum": allowed})
}

func enumList[T ~string](name, about string, allowed []T) argument {
	return value(name, about, map[string]any{
		"type": "array", "items": map[string]any{"type": "string", "enum": allowed}, "maxItems": len(allowed),
	})
}

func object(name, about string, fields ...argument) argument {
	return value(name, about, objectSchema(fields))
}

// objectSchema returns the JSON Schema of an object with these fields and no others.
func objectSchema(fields []argument) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, f := range fields {
		properties[f.name] = f.schema
		if f.required {
			required = append(required, f.name)
		}
	}
	return map[string]any{
		"type": "object", "properties": properties, "required": required, "additionalProperties": false,
	}
}
