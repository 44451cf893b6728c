package settings

import (
	"net/http"

	"homeward/internal/lost"
)

// categoriesPage shows how many items have no category, and the run that suggests categories for them.
type categoriesPage struct {
	settingsPage
	Without  string // how many items have no category; empty if none
	Run      lost.CategoryRun
	Progress string // of the run; empty if there was none
	Undoable bool
}

func (c *call) showCategories() error {
	p := categoriesPage{settingsPage: newSettingsPage(c.Call, c.Say("settings.categories"))}
	run, without, err := c.Services.Categories.State(c.Context(), c.Actor())
	if err != nil {
		return err
	}
	p.Run = run
	if without.Count > 0 {
		p.Without = c.Total(without, "settings.categories.without", "settings.categories.without.or-more")
	}
	switch run.State {
	case lost.CategoriesRunning, lost.CategoriesSet:
		p.Progress = c.Say("settings.categories.progress", "checked", c.Number(run.Checked), "changed",
			c.Number(run.Changed))
		p.Undoable = run.Changed > 0 || run.Active()
	case lost.CategoriesUndoing, lost.CategoriesUndone:
		p.Progress = c.Say("settings.categories.undone", "undone", c.Number(run.Undone), "changed",
			c.Number(run.Changed))
	}
	return c.Render(http.StatusOK, "categories", p)
}

func (c *call) startCategories() error {
	if _, err := c.Services.Categories.Start(c.Context(), c.Actor()); err != nil {
		return err
	}
	return c.Redirect("/settings/categories")
}

func (c *call) undoCategories() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	if _, err := c.Services.Categories.Undo(c.Context(), c.Actor(), values.Get("run")); err != nil {
		return err
	}
	return c.Redirect("/settings/categories")
}
