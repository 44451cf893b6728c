package lost

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// View is a saved filter for the list of items. It can be used at every location.
type View struct {
	Account   string
	ID        string
	UserID    string // the user it belongs to
	Name      string
	Query     string // the filter as a URL query
	Shared    bool   // visible to everybody in the account
	CreatedAt time.Time
}

// ViewPatch is a partial view, for creating and updating views.
type ViewPatch struct {
	Name, Query Field[string]
	Shared      Field[bool]
	DecodeResult
}

// Limits of views.
const (
	MaxViews = 50 // maximum number of views per person
	maxQuery = 2000
)

// NewView returns a new view for a person from a patch. The error lists all problems.
func NewView(account, user string, p ViewPatch, now time.Time) (View, error) {
	v := View{Account: account, ID: NewID(ViewID, now), UserID: user, CreatedAt: now}
	return v, v.Update(p)
}

// Update applies a patch.
func (v *View) Update(p ViewPatch) error {
	c := &check{slices.Clone(p.Problems)}
	c.mandatory(p.Name.Sent, p.Name.Null, "name")
	c.line(p.Name, "name", MaxShort, &v.Name)
	if v.Name == "" && !c.Has("name") {
		c.Add("name", "required", "is required")
	}
	c.line(p.Query, "query", maxQuery, &v.Query)
	p.Shared.setOn(&v.Shared)
	return c.Err()
}

// MessageTemplate is a text that desks use again in messages to guests.
type MessageTemplate struct {
	Account   string
	ID        string
	Name      string
	Language  string // the language that it is written in
	Text      string // with fields such as {name}; see TemplateFields
	CreatedAt time.Time
}

// TemplatePatch is a partial template, for creating and updating templates.
type TemplatePatch struct {
	Name, Language, Text Field[string]
	DecodeResult
}

// MaxTemplates is the maximum number of templates in an account.
const MaxTemplates = 100

// TemplateFields lists the fields that are filled in when a template is used.
func TemplateFields() []string { return []string{"{name}", "{item}", "{location}", "{reference}"} }

// templateField matches everything that looks like a field.
var templateField = regexp.MustCompile(`\{[^{}\s]*\}`)

// NewMessageTemplate returns a new template from a patch. The error lists all problems.
func NewMessageTemplate(account string, p TemplatePatch, now time.Time) (MessageTemplate, error) {
	t := MessageTemplate{Account: account, ID: NewID(TemplateID, now), CreatedAt: now}
	return t, t.Update(p)
}

// Update applies a patch.
func (t *MessageTemplate) Update(p TemplatePatch) error {
	c := &check{slices.Clone(p.Problems)}
	c.line(p.Name, "name", MaxShort, &t.Name)
	c.language(p.Language, "language", &t.Language)
	c.prose(p.Text, "text", MaxThreadText, &t.Text)
	c.Require("name", t.Name)
	c.Require("language", t.Language)
	c.Require("text", t.Text)
	for _, field := range templateField.FindAllString(t.Text, -1) {
		if !slices.Contains(TemplateFields(), field) && !c.Has("text") {
			c.Add("text", "unknown-field", "must not contain the unknown field %s: use only %s", field,
				strings.Join(TemplateFields(), ", "))
		}
	}
	return c.Err()
}

// Fill returns the text with the data of an item and its location. A field without data becomes empty.
func (t MessageTemplate) Fill(i Item, l Location, name string) string {
	fields := TemplateFields()
	return Truncate(strings.NewReplacer(fields[0], name, fields[1], i.Description, fields[2], l.Name,
		fields[3], i.Reference).Replace(t.Text), MaxThreadText)
}
