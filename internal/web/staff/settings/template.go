package settings

import (
	"net/http"
	"net/url"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// templateLine is one template in the list.
type templateLine struct {
	lost.MessageTemplate
	LanguageName string
}

type templatesPage struct {
	settingsPage
	Templates []templateLine
	ID        string // the template in the form; empty for a new one
	Inputs    []*frame.Input
	Full      bool // no more templates can be added
}

// newTemplatesPage prepares the list of templates, and the form with the given values.
func newTemplatesPage(c *call, values url.Values) (p templatesPage, err error) {
	p = templatesPage{settingsPage: newSettingsPage(c.Call, c.Say("settings.templates")), ID: values.Get("id")}
	all, err := c.Services.Templates.ListForChange(c.Context(), c.Actor())
	for _, t := range all {
		p.Templates = append(p.Templates, templateLine{t, c.LanguageName(t.Language)})
	}
	p.Full = len(all) >= lost.MaxTemplates && p.ID == ""
	current := values.Get("language")
	p.Inputs = []*frame.Input{
		{
			Name: "name", Label: c.Say("settings.name"), Type: "text", Value: values.Get("name"), Required: true,
			Hint: c.Say("settings.templates.name.hint"), Autocomplete: "off",
		},
		{
			Name: "language", Label: c.Say("settings.templates.language"), Type: "list", Value: current,
			Options: c.LanguageOptions(current)[1:], Required: true, Narrow: true,
		},
		{
			Name: "text", Label: c.Say("settings.templates.text"), Type: "area", Value: values.Get("text"),
			Hint:     c.Say("settings.templates.text.hint", "fields", c.Enumerate(lost.TemplateFields()...)),
			Required: true,
		},
	}
	return p, err
}

// showTemplates shows the templates, with the form for a new one or for the one in the query.
func showTemplates(c *call) error {
	values := url.Values{"language": {c.Tag()}}
	if id := c.Request.URL.Query().Get("edit"); id != "" {
		t, err := c.Services.Templates.Get(c.Context(), c.Actor(), id)
		if err != nil {
			return err
		}
		values = url.Values{"id": {t.ID}, "name": {t.Name}, "language": {t.Language}, "text": {t.Text}}
	}
	p, err := newTemplatesPage(c, values)
	if err != nil {
		return err
	}
	return c.Render(http.StatusOK, "templates", p)
}

// saveTemplate saves the template in the form, or deletes it if the user pressed that button.
func saveTemplate(c *call) error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	if values.Get("delete") != "" {
		return deleteTemplate(c, values.Get("id"))
	}
	_, wrong := c.Services.Templates.Save(c.Context(), c.Actor(), values.Get("id"), lost.TemplatePatch{
		Name: frame.FormField(values, "name"), Language: frame.FormField(values, "language"),
		Text: frame.FormField(values, "text"),
	})
	if wrong == nil {
		c.Flash(c.Say("settings.templates.saved"))
		return c.Redirect("/settings/templates")
	}
	p, err := newTemplatesPage(c, values)
	if err != nil {
		return err
	}
	if p.Problems, err = c.MarkErrors(p.Inputs, wrong); err != nil {
		return err
	}
	return c.Render(respond.RecordError(c.Writer, wrong), "templates", p)
}

func deleteTemplate(c *call, id string) error {
	if err := c.Services.Templates.Delete(c.Context(), c.Actor(), id); err != nil {
		return err
	}
	c.Flash(c.Say("settings.templates.deleted"))
	return c.Redirect("/settings/templates")
}
