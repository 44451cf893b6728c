package settings

import (
	"net/http"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// categoriesPage shows how many items have no category, and the run that suggests categories for them.
type categoriesPage struct {
	settingsPage
	Without  string // how many items have no category; empty if none
	Run      lost.CategoryRun
	Progress []string // sentences about the run; empty if there was none
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
	p.Progress = categoryProgress(c.Locale, run)
	set := run.State == lost.CategoriesRunning || run.State == lost.CategoriesSet
	p.Undoable = set && (run.Changed > 0 || run.Active())
	return c.Render(http.StatusOK, "categories", p)
}

// categoryProgress returns sentences that say how far a run is.
func categoryProgress(lang frame.Locale, run lost.CategoryRun) (sentences []string) {
	say := func(key string, n int) { sentences = append(sentences, lang.Say(key, "n", n)) }
	switch run.State {
	case lost.CategoriesRunning, lost.CategoriesSet:
		say("settings.categories.checked", run.Checked)
		say("settings.categories.set", run.Changed)
	case lost.CategoriesUndoing:
		say("settings.categories.undoing", run.Undone)
	case lost.CategoriesUndone:
		say("settings.categories.undone", run.Undone)
		if kept := run.Changed - run.Undone; kept > 0 {
			say("settings.categories.kept", kept)
		}
	}
	return sentences
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
