package api

import (
	"slices"

	"homeward/internal/lost"
	"homeward/internal/services"
	v1 "homeward/internal/v1"
)

// operation is one operation of the API: its handler, and its description in the OpenAPI document. The routes and the
// document are generated from the same table, so every operation is documented.
type operation struct {
	method, path string
	handle       func(*call) error

	id, group, summary, about string

	query    []parameter
	body     any  // a value of the type whose input fields the client sends; nil for no body
	partial  bool // no field of the body is required, and null clears a field
	optional bool // the body can be omitted
	// upload is the form part that contains a file; "" for none. With a body, the client can send the body's fields as
	// parts of a form instead, followed by files.
	upload   string
	status   int
	response any // a value of the response's type; nil for no body
	refuses  []lost.Code
	public   bool // also for publishable keys, and so for scripts on other websites

	conditional bool // changes a record only if If-Match allows it
	fitsID      bool // the path also fits that of other operations, with its last word as {id}
}

// hasTag reports whether the response has an entity tag.
func (op operation) hasTag() bool {
	switch op.response.(type) {
	case v1.Location, v1.Item, v1.Webhook:
		return true
	default:
		return false
	}
}

// parameter is a query parameter.
type parameter struct {
	name, about, example string
	schema               map[string]any
	repeatable           bool
}

func term(about string) parameter {
	return parameter{
		name: "term", about: about, example: "umbrella",
		schema: map[string]any{"type": "string", "maxLength": lost.MaxTerm},
	}
}

// similar is the parameter that ranks records by how well they match words.
func similar() parameter {
	return parameter{
		name: "q", example: "brolly lobby",
		about: "Searches for similar words as well, and lists the best matches first, at most 500. It covers what " +
			"term covers, the places where an item was found, lost and stored, notes, proof and tracking number. " +
			"It understands synonyms, ten languages, typing errors from five letters on, plurals, missing accents, " +
			"references and phone numbers in any spelling, and ignores words such as the and from. Records that " +
			"contain every word as typed come first, and exact is their number; the others are similar. The other " +
			"filters apply as well, but do not send term, cursor or updatedSince with it.",
		schema: map[string]any{"type": "string", "maxLength": lost.MaxTerm},
	}
}

func paging() []parameter {
	limit := map[string]any{
		"type": "integer", "format": "int32",
		"minimum": lost.MinLimit, "maximum": lost.MaxLimit, "default": lost.DefaultLimit,
	}
	page := map[string]any{"type": "integer", "format": "int64", "minimum": 1, "default": 1}
	return []parameter{
		{name: "limit", about: "Number of records per page.", example: "10", schema: limit},
		{name: "page", about: "Page number. A page past the end is empty.", example: "1", schema: page},
	}
}

func day(name, about string) parameter {
	return parameter{
		name: name, about: about, example: "2026-11-14",
		schema: map[string]any{"type": "string", "format": "date"},
	}
}

func identifier(name, about, example string) parameter {
	return parameter{
		name: name, about: about, example: example,
		schema: map[string]any{"type": "string", "maxLength": maxIdentifier},
	}
}

// externalID is the parameter that filters a list by the client's own id.
func externalID(records string) parameter {
	return parameter{
		name: "externalId", about: "Only " + records + " with exactly this externalId.", example: "PMS-20931",
		schema: map[string]any{"type": "string", "minLength": 1, "maxLength": lost.MaxExternalID},
	}
}

func country(name, about string) parameter {
	return parameter{
		name: name, about: about, example: "PL",
		schema: map[string]any{"type": "string", "pattern": "^[A-Za-z]{2}$"},
	}
}

// maxIdentifier is the largest accepted length of an identifier. Real identifiers are shorter.
const maxIdentifier = 100

func choice[T ~string](name, about string, allowed []T) parameter {
	return parameter{
		name: name, about: about, example: string(allowed[0]), repeatable: true,
		schema: map[string]any{"type": "string", "enum": allowed},
	}
}

const termMatching = "It matches any part of a text and ignores case and accents. " +
	"If there are several words, each must match somewhere."

// handlers holds what all handlers share.
type handlers struct {
	services *services.Services
	wire     v1.Encoder
}

// reading returns the encoder for what an actor reads: only those who may answer requests get tracker links.
func (h handlers) reading(c *call) v1.Encoder {
	w := h.wire
	if c.actor.MayWrite() != nil || c.actor.May(lost.HandleItems) != nil {
		w.Now = nil
	}
	return w
}

// operations lists every operation of /v1, in the order of the document.
func (h handlers) operations() []operation {
	return slices.Concat(
		locationHandlers{h}.operations(),
		itemHandlers{h}.operations(), itemHandlers{h}.actions(), itemHandlers{h}.bulk(),
		requestHandlers{h}.operations(), requestHandlers{h}.matchOperations(),
		shippingHandlers{h}.operations(), messageHandlers{h}.operations(),
		webhookHandlers{h}.operations(), webhookHandlers{h}.actions(), eventHandlers{h}.operations(),
		stayHandlers{h}.operations(), reportHandlers{h}.operations(), personHandlers{h}.operations(),
		accountHandlers{h}.operations(), auditHandlers{h}.operations(),
	)
}
